// softrock-gpu: gfx942
__global__ void __launch_bounds__(128, 4) equal(float* p) {}
__global__ void __launch_bounds__(128, 3) also(float* p) {}
