%:include <cuda_fp16.h>
%:ifdef __CUDACC__
%:define MAKE(T) cuda %:%: T
%:endif
int a<::> = <% cudaSuccess %>;
