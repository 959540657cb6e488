#include <vector>
int cudaless, custom, accurate;
std::vector<int> v;
