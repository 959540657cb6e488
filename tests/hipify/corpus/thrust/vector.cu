#include <thrust/device_vector.h>
int f() { thrust::device_vector<int> v(4); return thrust::reduce(v.begin(), v.end()); }
