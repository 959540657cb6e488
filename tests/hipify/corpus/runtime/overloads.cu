#include <cuda_runtime.h>
int main() {
    cudaEvent_t e; cudaEventCreate(&e, cudaEventBlockingSync); cudaEventCreate(&e);
    cudaGraph_t g; cudaGraphExec_t x;
    cudaGraphInstantiate(&x, g, 0);
    cudaGraphInstantiate(&x, g);
    cudaGraphInstantiate(&x, g, nullptr, nullptr, 0);
    float *p; cudaMallocHost(&p, 4, 0); cudaMallocManaged(&p, 4); cudaMallocAsync(&p, 4, 0);
}
