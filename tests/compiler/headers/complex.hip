// Must compile without a warning: std::complex and friends in device code.
#include <hip/hip_runtime.h>
#include <complex>
#include <algorithm>
#include <array>
#include <limits>
#include <utility>
template<class T> __global__ void k(std::complex<T>*a,T*o) {
    int i=threadIdx.x;
    auto x=a[i];
    x=x*x+x/a[1]-T(2)*x;
    x+=std::complex<T>(1,2);
    o[i]=std::abs(x)+std::norm(x)+x.real()+std::arg(x);
    a[i]=std::exp(x)+std::conj(x)+std::sqrt(x)+std::polar(T(1),T(2))+std::pow(x,T(2))+std::sin(x);
    std::array<int,4> q={1,2,3,4};
    o[3]=q[i&3]+std::min(1,2)+std::numeric_limits<T>::max()+std::max(o[1],o[2]);
}
template __global__ void k<float>(std::complex<float>*,float*);
template __global__ void k<double>(std::complex<double>*,double*);
int main() {
    std::complex<double> z(1,2);
    z=std::exp(z*z);
    return (int)z.real();
}
