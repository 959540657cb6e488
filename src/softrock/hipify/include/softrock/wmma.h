/* Part of softrock (MIT licence, see LICENSE). The matrix interface of <mma.h>. */
#ifndef SOFTROCK_WMMA_H
#define SOFTROCK_WMMA_H
#include "hip/hip_fp16.h"
#include "softrock/anything.h"
namespace nvcuda {
namespace wmma {
struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32;
struct u4;
struct s4;
struct b1;
}  // namespace precision
namespace experimental { namespace precision { using namespace wmma::precision; } }
template <class Use, int M, int N, int K, class T, class Layout = void> struct fragment {
  static const int num_elements = 8;
  T x[num_elements];
};
template <class F, class... A> __device__ void fill_fragment(F &, A &&...);
template <class F, class... A> __device__ void load_matrix_sync(F &, A &&...);
template <class P, class F, class... A> __device__ void store_matrix_sync(P *, const F &, A &&...);
template <class D, class A, class B, class C> __device__ void mma_sync(D &, const A &, const B &, const C &, bool = false);
__device__ float __float_to_tf32(float);
}  // namespace wmma
}  // namespace nvcuda
namespace rocwmma = nvcuda::wmma;
#endif
