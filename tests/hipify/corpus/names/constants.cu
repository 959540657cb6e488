#include <cuda_runtime.h>
enum Mine { CU_MINE = 1, CUDA_THINGS };
int x = CU_MINE;
