// Must compile without a warning: CUDA's other headers and its driver API.
#include <cuda.h>
#include <cuda_runtime.h>
#include <cuda_runtime_api.h>
#include <device_launch_parameters.h>
#include <device_functions.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <cuComplex.h>
#include <math_constants.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cooperative_groups/memcpy_async.h>
#include <nvrtc.h>
#include <cuda_profiler_api.h>
#include <vector_types.h>
#include <vector_functions.h>
#include <driver_types.h>
#include <nvToolsExt.h>
#include <nvtx3/nvToolsExt.h>
#include <cstdio>
#if defined(__HIPCC__)
#error
#endif
namespace cg = cooperative_groups;
__global__ void k(__half*h,__nv_bfloat16*b,__nv_fp8_e4m3*e,cuDoubleComplex*z,float*o) {
    cg::thread_block tb=cg::this_thread_block();
    cg::thread_block_tile<32> t=cg::tiled_partition<32>(tb);
    o[0]=cg::reduce(t,o[1],cg::plus<float>())+CUDART_PI_F+__half2float(h[0])+__bfloat162float(b[0])+float(e[0]);
    z[0]=cuCmul(z[0],z[1]);
    unsigned m=t.ballot(1);
    o[2]=m;
    __shfl_sync(0xffffffff,h[0],0);
    h[1]=__shfl_down_sync(0xffffffffu,h[2],2);
}
int main() {
    CUdevice d;
    CUcontext c;
    CUmodule m;
    CUfunction f;
    CUdeviceptr p,q;
    cuInit(0);
    cuDeviceGet(&d,0);
    cuCtxCreate(&c,0,d);
    cuModuleLoadData(&m,"x");
    cuModuleGetFunction(&f,m,"k");
    size_t n=4;
    cuMemAlloc(&p,n*4);
    q=p+16;
    cuMemcpyHtoD(p,&n,8);
    cuMemcpyDtoH(&n,q,8);
    cuMemsetD32(p,0,4);
    void*args[]={&p};
    CUresult r=cuLaunchKernel(f,1,1,1,32,1,1,0,NULL,args,NULL);
    const char*s;
    cuGetErrorString(r,&s);
    cuGetErrorName(r,&s);
    int v;
    cuDeviceGetAttribute(&v,CU_DEVICE_ATTRIBUTE_WARP_SIZE,d);
    char name[64];
    cuDeviceGetName(name,64,d);
    cuCtxSynchronize();
    cuMemFree(p);
    cuModuleUnload(m);
    cuCtxDestroy(c);
    CUstream st;
    cuStreamCreate(&st,CU_STREAM_DEFAULT);
    cuMemcpyHtoDAsync(p,&n,8,st);
    CUdeviceptr g;
    size_t gs;
    cuModuleGetGlobal(&g,&gs,m,"x");
    cudaProfilerStart();
    nvtxRangePush("a");
    nvtxRangePop();
    nvrtcProgram pr;
    nvrtcCreateProgram(&pr,"","",0,NULL,NULL);
    if(r!=CUDA_SUCCESS) return 1;
    cudaGetDeviceCount(&v);
    cuMemFreeHost(nullptr);
    cuDriverGetVersion(&v);
    CUevent ev;
    cuEventCreate(&ev,CU_EVENT_DEFAULT);
    CUDA_MEMCPY2D cp={};
    cp.srcMemoryType=CU_MEMORYTYPE_DEVICE;
    cp.srcDevice=p;
    cuMemcpy2D(&cp);
    return 0;
}
