#include <cuda_runtime.h>
	int	a	=	cudaSuccess;
cudaFree