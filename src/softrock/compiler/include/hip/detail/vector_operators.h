/* Part of softrock (MIT licence, see LICENSE). HIP's element-wise operators on short vectors. */
#ifndef SOFTROCK_HIP_VECTOR_OPERATORS_H
#define SOFTROCK_HIP_VECTOR_OPERATORS_H

/* Scalars that mix with vectors: what converts to the element without being a vector itself. */
template <typename T> struct __sr_is_scalar { static constexpr bool value = __is_enum(T); };
#define __SR_SCALAR(T) template <> struct __sr_is_scalar<T> { static constexpr bool value = true; };
__SR_SCALAR(bool) __SR_SCALAR(char) __SR_SCALAR(signed char) __SR_SCALAR(unsigned char)
__SR_SCALAR(short) __SR_SCALAR(unsigned short) __SR_SCALAR(int) __SR_SCALAR(unsigned int)
__SR_SCALAR(long) __SR_SCALAR(unsigned long) __SR_SCALAR(long long) __SR_SCALAR(unsigned long long)
__SR_SCALAR(float) __SR_SCALAR(double)
#undef __SR_SCALAR
#define __SR_FN template <typename T> __SR_HOST_DEVICE_INLINE constexpr

#if __cplusplus >= 201402L
#define __SR_MUT constexpr
#else
#define __SR_MUT
#endif

#define __SR_VEC_OP(op) \
    template <typename T> __SR_HOST_DEVICE_INLINE __SR_MUT HIP_vector_type<T, 1> &operator op##=( \
        HIP_vector_type<T, 1> &a, const HIP_vector_type<T, 1> &b) { return a.x op##= b.x, a; } \
    template <typename T> __SR_HOST_DEVICE_INLINE __SR_MUT HIP_vector_type<T, 2> &operator op##=( \
        HIP_vector_type<T, 2> &a, const HIP_vector_type<T, 2> &b) { return a.x op##= b.x, a.y op##= b.y, a; } \
    template <typename T> __SR_HOST_DEVICE_INLINE __SR_MUT HIP_vector_type<T, 3> &operator op##=( \
        HIP_vector_type<T, 3> &a, const HIP_vector_type<T, 3> &b) { \
        return a.x op##= b.x, a.y op##= b.y, a.z op##= b.z, a; } \
    template <typename T> __SR_HOST_DEVICE_INLINE __SR_MUT HIP_vector_type<T, 4> &operator op##=( \
        HIP_vector_type<T, 4> &a, const HIP_vector_type<T, 4> &b) { \
        return a.x op##= b.x, a.y op##= b.y, a.z op##= b.z, a.w op##= b.w, a; } \
    template <typename T, unsigned int n, typename S> __SR_HOST_DEVICE_INLINE __SR_MUT \
        typename __sr_enable_if<__sr_is_scalar<S>::value, HIP_vector_type<T, n> &>::type \
        operator op##=(HIP_vector_type<T, n> &a, S b) { return a op##= HIP_vector_type<T, n>(static_cast<T>(b)); } \
    template <typename T, unsigned int n> __SR_HOST_DEVICE_INLINE __SR_MUT HIP_vector_type<T, n> operator op( \
        HIP_vector_type<T, n> a, const HIP_vector_type<T, n> &b) { return a op##= b; } \
    template <typename T, unsigned int n, typename S> __SR_HOST_DEVICE_INLINE __SR_MUT \
        typename __sr_enable_if<__sr_is_scalar<S>::value, HIP_vector_type<T, n> >::type \
        operator op(HIP_vector_type<T, n> a, S b) { return a op##= HIP_vector_type<T, n>(static_cast<T>(b)); } \
    template <typename T, unsigned int n, typename S> __SR_HOST_DEVICE_INLINE __SR_MUT \
        typename __sr_enable_if<__sr_is_scalar<S>::value, HIP_vector_type<T, n> >::type \
        operator op(S a, const HIP_vector_type<T, n> &b) { \
        HIP_vector_type<T, n> r(static_cast<T>(a)); return r op##= b; }

__SR_VEC_OP(+)
__SR_VEC_OP(-)
__SR_VEC_OP(*)
__SR_VEC_OP(/)
__SR_VEC_OP(%)
__SR_VEC_OP(&)
__SR_VEC_OP(|)
__SR_VEC_OP(^)
__SR_VEC_OP(<<)
__SR_VEC_OP(>>)
#undef __SR_VEC_OP

#define __SR_VEC_UNARY(op) \
    __SR_FN HIP_vector_type<T, 1> operator op(const HIP_vector_type<T, 1> &a) { \
        return HIP_vector_type<T, 1>(static_cast<T>(op a.x)); } \
    __SR_FN HIP_vector_type<T, 2> operator op(const HIP_vector_type<T, 2> &a) { \
        return HIP_vector_type<T, 2>(op a.x, op a.y); } \
    __SR_FN HIP_vector_type<T, 3> operator op(const HIP_vector_type<T, 3> &a) { \
        return HIP_vector_type<T, 3>(op a.x, op a.y, op a.z); } \
    __SR_FN HIP_vector_type<T, 4> operator op(const HIP_vector_type<T, 4> &a) { \
        return HIP_vector_type<T, 4>(op a.x, op a.y, op a.z, op a.w); }
__SR_VEC_UNARY(-)
__SR_VEC_UNARY(+)
__SR_VEC_UNARY(~)
#undef __SR_VEC_UNARY

#define __SR_VEC_STEP(op, assign) \
    template <typename T, unsigned int n> __SR_HOST_DEVICE_INLINE __SR_MUT HIP_vector_type<T, n> &operator op( \
        HIP_vector_type<T, n> &a) { return a assign HIP_vector_type<T, n>(static_cast<T>(1)); } \
    template <typename T, unsigned int n> __SR_HOST_DEVICE_INLINE __SR_MUT HIP_vector_type<T, n> operator op( \
        HIP_vector_type<T, n> &a, int) { HIP_vector_type<T, n> old = a; op a; return old; }
__SR_VEC_STEP(++, +=)
__SR_VEC_STEP(--, -=)
#undef __SR_VEC_STEP

/* Equal means equal in every element. */
__SR_FN bool operator==(const HIP_vector_type<T, 1> &a, const HIP_vector_type<T, 1> &b) { return a.x == b.x; }
__SR_FN bool operator==(const HIP_vector_type<T, 2> &a, const HIP_vector_type<T, 2> &b) {
    return a.x == b.x && a.y == b.y;
}
__SR_FN bool operator==(const HIP_vector_type<T, 3> &a, const HIP_vector_type<T, 3> &b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}
__SR_FN bool operator==(const HIP_vector_type<T, 4> &a, const HIP_vector_type<T, 4> &b) {
    return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w;
}
template <typename T, unsigned int n> __SR_HOST_DEVICE_INLINE constexpr bool operator!=(
    const HIP_vector_type<T, n> &a, const HIP_vector_type<T, n> &b) { return !(a == b); }

#undef __SR_FN
#undef __SR_MUT

#endif
