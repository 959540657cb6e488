#include /* cudaFree */ <cuda_runtime.h>
# /* cudaFree */ include <cublas_v2.h>
#	include	"cufft.h"	// cudaFree
#if /* cudaFree
     goes on */ defined(__CUDACC__)
#endif // cudaFree
