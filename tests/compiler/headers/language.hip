// Must compile without a warning: the device language and the runtime API.
#include <hip/hip_runtime.h>
#include <cassert>
#include <vector>
#include <iostream>
#define CHECK(x) do{hipError_t e_=(x); if(e_!=hipSuccess){std::cerr<<hipGetErrorString(e_)<<"\n"; std::abort();}}while(0)
__constant__ float cf[4];
__device__ int dv;
__global__ void saxpy(int n,float a,const float*x,float*y) {
    int i=blockIdx.x*blockDim.x+threadIdx.x;
    if(i<n) y[i]=a*x[i]+y[i]+cf[i&3];
}
template<int B> __global__ __launch_bounds__(B) void reduce(const float*x,float*o,int n) {
    __shared__ float s[B];
    int t=threadIdx.x;
    s[t]=0;
    for(int i=blockIdx.x*B+t;i<n;i+=gridDim.x*B) s[t]+=x[i];
    __syncthreads();
    for(int d=B/2;d>=warpSize;d>>=1) {
        if(t<d) s[t]+=s[t+d];
        __syncthreads();
    }
    float v=s[t];
    for(int d=warpSize/2;d;d>>=1) v+=__shfl_down(v,d);
    v+=__shfl_xor_sync(~0ull,v,1);
    if(t==0) {
        atomicAdd(o,v);
        unsafeAtomicAdd(o,v);
        atomicAdd((double*)o,1.0);
        atomicMax((int*)o,3);
        atomicInc((unsigned*)o,7u);
        atomicCAS((unsigned short*)o,(unsigned short)1,(unsigned short)2);
        atomicAdd_system((unsigned long long*)o,1ull);
        atomicMin(o,1.0f);
    }
    assert(v==v);
    printf("%d %f %s\n",t,v,"x");
    if(__any(t>3)&&__all_sync(~0ull,t)) o[1]=__popcll(__ballot(t&1))+__ffsll(__activemask())+__popc(t)+__clz(t);
    o[2]=__match_any(t)+__reduce_add_sync(~0ull,t);
    int*q=new int[4];
    q[0]=min(t,3)+max(2u,threadIdx.x);
    o[3]=q[0];
    delete[] q;
    void*m=malloc(5);
    free(m);
    o[4]=__fadd_rd(v,v)+__float2int_rn(v)+__int_as_float(t)+__expf(v)+__fmaf_rz(v,v,v)+__ll2float_ru(t)
            +__dadd_ru(v,v)+__byte_perm(t,t,0x3210)+__umulhi(t,t)+__sad(t,t,1)+__ldg(&x[t])+__fsqrt_rn(v)
                    +clock64()+wall_clock64()+__drcp_rn(v)+__double2float_rd(v)+__hiloint2double(1,2)
                            +__dp4a(t,t,t)+__funnelshift_l(t,t,3);
    __threadfence();
    int pr;
    o[5]=__match_all(t,&pr)+__brev(t)+__syncthreads_or(t)+clock();
    memcpy(o+8,x,t);
    extern __shared__ float dyn[];
    o[7]=dyn[t];
    __syncwarp();
    __trap();
}
int main() {
    srand((unsigned)time(nullptr)); // without an include of its header
    hipDeviceProp_t p;
    CHECK(hipGetDeviceProperties(&p,0));
    float*x,*y;
    CHECK(hipMalloc(&x,400));
    CHECK(hipHostMalloc(&y,400));
    std::vector<float> h(100);
    CHECK(hipMemcpy(x,h.data(),400,hipMemcpyHostToDevice));
    saxpy<<<dim3(4),256>>>(100,2.f,x,y);
    hipLaunchKernelGGL(saxpy,4,256,0,0,100,2.f,x,y);
    hipLaunchKernelGGL((reduce<256>),dim3(4),dim3(256),0,0,x,y,100);
    hipLaunchKernelGGL(HIP_KERNEL_NAME(reduce<128>),dim3(4),dim3(128),0,0,x,y,100);
    CHECK(hipMemcpyToSymbol(HIP_SYMBOL(cf),h.data(),16));
    CHECK(hipMemcpyFromSymbol(h.data(),dv,4));
    int n;
    CHECK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&n,saxpy,256,0));
    int g,b;
    CHECK(hipOccupancyMaxPotentialBlockSize(&g,&b,reduce<256>,0,0));
    CHECK(hipOccupancyMaxPotentialBlockSizeVariableSMem(&g,&b,saxpy,[](int b){return b*4;}));
    void*args[]={&n,&x,&x,&y};
    CHECK(hipLaunchCooperativeKernel(saxpy,dim3(1),dim3(64),args,0,0));
    CHECK(hipLaunchKernel((void*)saxpy,dim3(1),dim3(64),args,0,0));
    CHECK(hipFuncSetAttribute((const void*)saxpy,hipFuncAttributeMaxDynamicSharedMemorySize,1));
    hipFuncAttributes fa;
    CHECK(hipFuncGetAttributes(&fa,reinterpret_cast<const void*>(saxpy)));
    CHECK(hipDeviceSynchronize());
    std::cout<<std::max(1,2)<<min(1,2);
    hipEvent_t e;
    CHECK(hipEventCreate(&e));
    CHECK(hipEventRecord(e));
    assert(n);
    hipLaunchConfig_t cfg={};
    CHECK(hipLaunchKernelEx(&cfg,saxpy,100,2.0f,x,y));
    return 0;
}
// The host has min and max of equal floating-point types, as in clang's HIP headers.
float host_limits(float x, double y) { return max(x, 2.0f) + (float)min(y, 1.0) + ::max(1, 2); }
