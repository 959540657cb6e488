// Must compile without a warning: texture references of file scope.
#include <stdio.h>
texture<float> lin;
texture<float, 2, cudaReadModeElementType> img;
texture<uchar4, cudaTextureType2D, cudaReadModeNormalizedFloat> col;
__global__ void k(float *o) { int i = threadIdx.x; o[i] = tex1Dfetch(lin, i) + tex2D(img, i + 0.5f, 1.5f) + tex2D(col, i + 0.5f, 0.5f).y; }
int main() {
    float h[16], *d, *o; unsigned char c[16];
    for (int i = 0; i < 16; i++) h[i] = i, c[i] = 255 * (i % 4 == 1);
    cudaMalloc(&d, 64); cudaMalloc(&o, 64); cudaMemcpy(d, h, 64, cudaMemcpyHostToDevice);
    cudaBindTexture(NULL, lin, d, 64);
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    img.filterMode = cudaFilterModeLinear;
    cudaBindTexture2D(NULL, img, d, f, 4, 4, 16);
    cudaArray *a; cudaChannelFormatDesc g = cudaCreateChannelDesc<uchar4>();
    cudaMallocArray(&a, &g, 4, 1); cudaMemcpyToArray(a, 0, 0, c, 16, cudaMemcpyHostToDevice); cudaBindTextureToArray(col, a);
    k<<<1, 4>>>(o); cudaMemcpy(h, o, 16, cudaMemcpyDeviceToHost);
    printf("%g %g %g %g %s\n", h[0], h[1], h[2], h[3], cudaGetErrorString(cudaGetLastError()));
    cudaUnbindTexture(lin); cudaUnbindTexture(img); cudaUnbindTexture(col);
    return 0;
}
