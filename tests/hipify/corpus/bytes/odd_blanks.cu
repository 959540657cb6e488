#include <cuda_runtime.h>
	int  x	=   cudaSuccess  ;  


  #  include  <cuda_fp16.h>  

