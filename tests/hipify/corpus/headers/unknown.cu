#include <cuda_runtime.h>
#include <cuda_of_the_future.h>
#include "cuda_helpers.h"
