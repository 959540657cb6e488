// Must compile without a warning: bfloat16 beside half.
#include <hip/hip_bf16.h>
#include <hip/hip_fp16.h>
__global__ void k(__hip_bfloat16*a,__hip_bfloat162*b,float*o,half*h) {
    int i=threadIdx.x;
    auto x=a[i];
    auto y=b[i];
    x=x+__float2bfloat16(2.0f);
    x=__hmul(x,x)-x/x;
    y=__hfma2(y,y,y);
    b[i]=y;
    if(__hgt(x,y.x)) o[i]=__bfloat162float(x);
    a[2]=hexp(x)+__shfl_down(x,1)+__int2bfloat16_rn(i)+hsqrt(x);
    atomicAdd(&a[5],x);
    h[1]=hexp(h[2])+__float2half(o[3]);
    o[4]=__bfloat162int_rz(x);
    __bf16 n=(__bf16)x;
    x=n;
    a[7]=x;
    __hip_bfloat16 z=1.0f;
    a[8]=z;
    __stcs(&a[9],__ldca(&a[10]));
    __stwt(&h[2],__ldlu(&h[3]));
    __stwb(&b[11],__ldcv(&b[12]));
}
int main() {
    __hip_bfloat16 b=__float2bfloat16(1.f);
    return (int)(float)(b+b);
}
