// Must compile without a warning: device mathematics, with and without std::.
#include <algorithm>
#include <hip/hip_runtime.h>
#ifdef INC
#include <complex>
#include <algorithm>
#include <math.h>
#include <random>
#endif
template<class T> __global__ void k(T *a, int *n) {
    int i=threadIdx.x;
    T x=a[i];
    x += std::sin(x)+std::fabs(x)+std::pow(x,2)+std::pow(x,T(3))+std::sqrt(x)+std::abs(x)+std::exp(x)
            +std::fmax(x,T(1))+std::hypot(x,x)+std::min(x,T(3))+std::max(x,T(1))+std::fma(x,x,x)+std::tgamma(x);
    x += sin(x)+fabs(x)+pow(x,2)+pow(x,T(3))+sqrt(x)+abs(x)+exp(x)+fmax(x,T(1))+fmax(x,1)+hypot(x,x)+rsqrt(x)
            +atan2(x,x)+fmod(x,x)+floor(x)+std::floor(x)+std::round(x)+round(x);
    T s,c;
    sincos(x,&s,&c);
    int e;
    x+=frexp(x,&e)+ldexp(x,3)+std::frexp(x,&e)+std::ldexp(x,e)+modf(x,&s)+std::modf(x,&c)+jn(3,x);
    n[i]=std::isnan(x)+isnan(x)+isinf(x)+std::isinf(x)+std::signbit(x)+signbit(x)+std::isfinite(x)+ilogb(x)
            +lrint(x)+abs(n[3])+std::abs(n[4])+abs((long)n[4]);
    x+=std::sqrt(n[i])+sqrt(n[i])+std::pow(n[1],2)+std::pow(2,x)+std::log(n[2])+std::abs((long long)n[2]);
    a[i]=s+c+x;
}
template __global__ void k<float>(float*,int*);
template __global__ void k<double>(double*,int*);
__global__ void k2(float *a) {
    float x=a[0];
    a[0]=sinf(x)+expf(x)+powf(x,x)+fmaxf(x,2)+sqrtf(x)+fabsf(x)+normcdff(x)+j0f(x)+cyl_bessel_i0f(x)
            +erfcinvf(x)+std::sinf(x)+fminf(x,1)+exp10f(x)+logf(x)+log2f(x)+fdividef(x,x)+rnorm3df(x,x,x)
                    +yn(2,x);
    a[2]=normf(3,a)+nanf("");
    _Float16 h=x;
    h=h+sin(h)+sqrt(h)+fabs(h)+fma(h,h,h);
    a[3]=h;
    a[4]=max(a[1],2.0)+min(1.0f,x);
}
int main() {
    double d=std::sin(2.0)+std::sin(2.0f)+sin(1.0)+std::pow(2.0f,3)+std::abs(-3)+std::sqrt(4)+std::isnan(1.0)
            +fabs(2.0)+sqrtf(2)+std::isinf(2.0f)+std::max(1,2)+std::fmod(1.0f,2.0f)+std::lround(2.f)
                    +std::hypot(1.0,2.0);
    return (int)d;
}
