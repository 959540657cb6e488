#include <stdio.h>
#include <cublas_v2.h> // BLAS
#include <cuda_runtime.h> // runtime
#include <cuda.h> // kept for its comment
#include <vector>
