// Must compile without a warning: textures and surfaces.
#include <hip/hip_runtime.h>
__global__ void k(hipTextureObject_t t,hipSurfaceObject_t s,float*o,uchar4*u) {
    o[0]=tex2D<float>(t,1.5f,2.5f)+tex1Dfetch<float>(t,3)+tex3D<float4>(t,1,2,3).x;
    u[0]=tex2D<uchar4>(t,0.5f,0.5f);
    float v;
    tex2D(&v,t,1.f,1.f);
    surf2Dread(&v,s,4,0);
    surf2Dwrite(v,s,threadIdx.x*4,1);
    o[1]=tex2DLayered<float>(t,1,1,1)+tex2DLod<float>(t,1,1,0)+texCubemap<float>(t,1,1,1)
            +tex2Dgather<float4>(t,1,1,0).y;
}
int main() {
    hipChannelFormatDesc d=hipCreateChannelDesc<float>();
    hipArray_t a;
    (void)hipMallocArray(&a,&d,4,4);
    hipResourceDesc r={};
    r.resType=hipResourceTypeArray;
    r.res.array.array=a;
    hipTextureDesc td={};
    hipTextureObject_t t;
    (void)hipCreateTextureObject(&t,&r,&td,nullptr);
}
