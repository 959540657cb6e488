// Must compile without a warning: half precision.
#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>
__global__ void k(__half*a,__half2*b,float*o,half*c) {
    int i=threadIdx.x;
    half x=a[i];
    half2 y=b[i];
    x=x+__float2half(2.0f);
    x+=x;
    x=__hmul(x,x)-x/x;
    y=__hfma2(y,y,__half2half2(x));
    y=y*y+y;
    b[i]=y;
    if(__hgt(x,y.x)||x==y.y||__hisnan(x)) o[i]=__half2float(x)+float(x);
    float f=x;
    f+=__low2float(y);
    half z=1.5f;
    z=2;
    z=-z;
    a[i]=hsin(x)+hexp(z)+hsqrt(x)+hrsqrt(x)+hlog2(z)+__hmax(x,z)+__shfl_down(x,1)+__shfl_xor_sync(~0ull,z,2);
    atomicAdd(&b[1],y);
    atomicAdd(&a[3],x);
    o[3]=__half2int_rn(x)+__half2ushort_rz(x);
    c[2]=__int2half_rn(i)+__float2half_rz(f);
    b[4]=h2exp(y);
    b[5]=make_half2(x,z);
    b[6]=__floats2half2_rn(f,f);
    float2 q=__half22float2(y);
    o[4]=q.x;
    _Float16 n=(_Float16)x;
    x=n;
    int t=(int)x;
    o[5]=t;
    bool bb=x<z;
    o[6]=bb;
    o[7]=__ldg(&a[3]);
    o[8]=__habs(x);
    c[7]=__ushort_as_half(3);
    o[9]= __hbeq2(y,y);
    __shared__ half sh[64];
    sh[i]=x;
    __syncthreads();
    o[10]=sh[i^1];
    c[9]=max(x,z);
}
int main() {
    half h=__float2half(1.5f);
    float f=__half2float(h);
    half g=h+h;
    static_assert(sizeof(half)==2&&sizeof(half2)==4&&alignof(half2)==4,"");
    return (int)(float)g + (f>1);
}
