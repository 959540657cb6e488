// Must compile without a warning: the CUDA runtime API and CUDA's warps.
#include <stdio.h>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>
#if defined(__HIPCC__) || defined(__HIP_PLATFORM_AMD__)
#error no
#endif
#ifndef __CUDACC__
#error no
#endif
#define CK(x) { cudaError_t err=(x); if(err!=cudaSuccess){fprintf(stderr,"%s %s\n",cudaGetErrorString(err),cudaGetErrorName(err)); exit(1);} }
struct __align__(16) Wide { float a, b, c; };
static_assert(alignof(Wide) == 16 && sizeof(float4) == 16 && alignof(double4) == 16, "");
__constant__ float cf[4];
__global__ void saxpy(int n,float a,const float*__restrict__ x,float*y) {
    int i=blockIdx.x*blockDim.x+threadIdx.x;
    if(i<n) y[i]=a*x[i]+y[i]+cf[i&3];
}
__inline__ __device__ float warpsum(float v) {
    for(int d=warpSize/2;d;d>>=1) v+=__shfl_down_sync(0xffffffff,v,d);
    return v;
}
__global__ void red(const float*x,float*o,int n) {
    __shared__ float s[32];
    static_assert(warpSize==32,"");
    int lane=threadIdx.x%warpSize, w=threadIdx.x/warpSize;
    float v=warpsum(x[threadIdx.x]);
    if(!lane) s[w]=v;
    __syncthreads();
    unsigned m=__ballot_sync(0xffffffffu,v>0);
    unsigned am=__activemask();
    __syncwarp();
    if(__any_sync(am,lane)) atomicAdd(o,v+__popc(m));
    o[1]=__reduce_add_sync(m,lane)+__match_any_sync(m,lane)+rsqrtf(v)+max(v,1.0f)+fmaxf(v,2);
    printf("%d\n",warpSize);
}
int main(int argc,char**argv) {
    cudaDeviceProp prop;
    CK(cudaGetDeviceProperties(&prop,0));
    printf("%s %d.%d\n",prop.name,prop.major,prop.minor);
    float*x,*y;
    cudaMalloc((void**)&x,100);
    cudaMalloc(&y,100);
    cudaMallocHost(&y,4);
    cudaMallocManaged(&y,5);
    cudaMemcpy(x,y,4,cudaMemcpyHostToDevice);
    dim3 g(2,2);
    saxpy<<<g,256>>>(3,1.f,x,y);
    red<<<1,32,0,0>>>(x,y,2);
    cudaEvent_t e;
    cudaEventCreate(&e);
    cudaEventRecord(e,0);
    cudaEventRecord(e);
    float ms;
    cudaEventElapsedTime(&ms,e,e);
    cudaMemcpyToSymbol(cf,y,16);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    cudaFree(x);
    float4 v={1,2,3,4};
    float4 u=make_float4(1,2,3,4);
    v.x+=u.y;
    cudaStream_t st;
    cudaStreamCreate(&st);
    struct cudaExtent ex=make_cudaExtent(1,2,3);
    (void)ex;
    enum cudaMemcpyKind k=cudaMemcpyDefault;
    (void)k;
    cudaFuncSetAttribute(saxpy,cudaFuncAttributeMaxDynamicSharedMemorySize,1024);
    int nb;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&nb,saxpy,256,0);
    int md;
    cudaDeviceGetAttribute(&md,cudaDevAttrWarpSize,0);
    cudaGraph_t gr;
    cudaGraphExec_t gx;
    cudaStreamBeginCapture(st,cudaStreamCaptureModeGlobal);
    cudaStreamEndCapture(st,&gr);
    cudaGraphInstantiate(&gx,gr,NULL,NULL,0);
    cudaGraphInstantiate(&gx,gr,0);
    cudaGraphLaunch(gx,st);
    cudaHostAlloc(&y,4,cudaHostAllocDefault);
    cudaMemset(x,0,4);
    cudaDeviceReset();
    cudaSetDevice(0);
    void*args[]={&x};
    cudaLaunchCooperativeKernel((void*)saxpy,g,g,args);
    return rsqrt(2.0)>max(1.0f,2.0f);
}
