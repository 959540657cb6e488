__global__ void k(int *p) { *p = threadIdx.x; }
int main() { int *p; cudaMalloc(&p, 4); k<<<1, 1>>>(p); }
