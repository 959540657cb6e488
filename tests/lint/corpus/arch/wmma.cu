#include <mma.h>
//       ^~~~~~~ error nvcuda-wmma
using namespace nvcuda;
//              ^~~~~~ error nvcuda-wmma
__global__ void product() { nvcuda::wmma::fill_fragment(x, 0.0f); }
//                          ^~~~~~~~~~~~ error nvcuda-wmma
