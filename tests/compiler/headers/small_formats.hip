// Must compile without a warning: 8-bit floats, complex numbers, constants.
#include <hip/hip_fp8.h>
#include <hip/hip_complex.h>
#include <hip/hip_math_constants.h>
__global__ void k(__hip_fp8_e4m3*a,__hip_fp8_e5m2_fnuz*b,float*o,hipFloatComplex*z,hipDoubleComplex*w,
        __hip_fp8x4_e4m3_fnuz*q) {
    int i=threadIdx.x;
    o[i]=float(a[i])+float(b[i]);
    a[1]=__hip_fp8_e4m3(o[3]);
    z[1]=hipCmulf(z[2],hipCdivf(z[3],hipCfmaf(z[1],z[2],z[3])));
    w[1]=make_hipDoubleComplex(hipCabs(w[2])+HIP_PI,HIP_INF_F);
    float4 f=q[1];
    q[2]=__hip_fp8x4_e4m3_fnuz(f);
    o[4]=hipCabsf(z[1]);
    o[5]= a[1].__x;
}
int main() {
    __hip_fp8_e4m3 a(1.5f);
    return (int)(float)a + (hipCabsf(make_hipFloatComplex(3,4))==5.f);
}
