/* Part of softrock (MIT licence, see LICENSE). Short vectors: char1 ... ulonglong4, float1 ... double4.
 * Two- and four-element vectors are aligned to their size, as HIP aligns them; three-element ones to an element. CUDA
 * sources get CUDA's types: aggregates without operators, no alignment above 16. */
#ifndef SOFTROCK_HIP_VECTOR_TYPES_H
#define SOFTROCK_HIP_VECTOR_TYPES_H

#include "hip/detail/macros.h"

#if defined(__cplusplus)

template <typename T, unsigned int n> struct HIP_vector_type;
template <bool condition, typename T = void> struct __sr_enable_if {};
template <typename T> struct __sr_enable_if<true, T> { typedef T type; };

#if defined(__SOFTROCK_CUDA__)
#define __SR_VEC_ALIGN(T, n) alignas((n) * sizeof(T) < 16 ? (n) * sizeof(T) : 16)
#define __SR_VEC_CTORS(...)
typedef signed char __sr_vec_char;
#else
#define __SR_VEC_ALIGN(T, n) alignas((n) * sizeof(T))
#define __SR_VEC_CTORS(...) HIP_vector_type() = default; __VA_ARGS__
typedef char __sr_vec_char;
#endif
#define __SR_VEC_CTOR __SR_HOST_DEVICE constexpr HIP_vector_type
#define __SR_T(v) static_cast<T>(v)

/* HIP gives one argument to every element, and takes any convertible types for a full set. */
template <typename T> struct HIP_vector_type<T, 1> {
    typedef T value_type;
    T x;
    __SR_VEC_CTORS(__SR_VEC_CTOR(T v) : x(v) {})
};
template <typename T> struct __SR_VEC_ALIGN(T, 2) HIP_vector_type<T, 2> {
    typedef T value_type;
    T x, y;
    __SR_VEC_CTORS(explicit __SR_VEC_CTOR(T v) : x(v), y(v) {}
                   template <typename A, typename B> __SR_VEC_CTOR(A a, B b) : x(__SR_T(a)), y(__SR_T(b)) {})
};
template <typename T> struct HIP_vector_type<T, 3> {
    typedef T value_type;
    T x, y, z;
    __SR_VEC_CTORS(explicit __SR_VEC_CTOR(T v) : x(v), y(v), z(v) {}
                   template <typename A, typename B, typename C> __SR_VEC_CTOR(A a, B b, C c)
                       : x(__SR_T(a)), y(__SR_T(b)), z(__SR_T(c)) {})
};
template <typename T> struct __SR_VEC_ALIGN(T, 4) HIP_vector_type<T, 4> {
    typedef T value_type;
    T x, y, z, w;
    __SR_VEC_CTORS(explicit __SR_VEC_CTOR(T v) : x(v), y(v), z(v), w(v) {}
                   template <typename A, typename B, typename C, typename D> __SR_VEC_CTOR(A a, B b, C c, D d)
                       : x(__SR_T(a)), y(__SR_T(b)), z(__SR_T(c)), w(__SR_T(d)) {})
};
#undef __SR_T
#undef __SR_VEC_CTOR
#undef __SR_VEC_CTORS
#undef __SR_VEC_ALIGN

#define __SR_VEC(name, T) \
    typedef HIP_vector_type<T, 1> name##1; \
    typedef HIP_vector_type<T, 2> name##2; \
    typedef HIP_vector_type<T, 3> name##3; \
    typedef HIP_vector_type<T, 4> name##4; \
    __SR_HOST_DEVICE_INLINE constexpr name##1 make_##name##1(T x) { return name##1{x}; } \
    __SR_HOST_DEVICE_INLINE constexpr name##2 make_##name##2(T x, T y) { return name##2{x, y}; } \
    __SR_HOST_DEVICE_INLINE constexpr name##3 make_##name##3(T x, T y, T z) { return name##3{x, y, z}; } \
    __SR_HOST_DEVICE_INLINE constexpr name##4 make_##name##4(T x, T y, T z, T w) { return name##4{x, y, z, w}; }

#else /* C: the same names and layout, no operators */

#define __SR_VEC(name, T) \
    typedef struct name##1 { T x; } name##1; \
    typedef struct name##2 { T x, y; } __attribute__((aligned(2 * sizeof(T)))) name##2; \
    typedef struct name##3 { T x, y, z; } name##3; \
    typedef struct name##4 { T x, y, z, w; } __attribute__((aligned(4 * sizeof(T)))) name##4; \
    static inline name##1 make_##name##1(T x) { name##1 r = {x}; return r; } \
    static inline name##2 make_##name##2(T x, T y) { name##2 r = {x, y}; return r; } \
    static inline name##3 make_##name##3(T x, T y, T z) { name##3 r = {x, y, z}; return r; } \
    static inline name##4 make_##name##4(T x, T y, T z, T w) { name##4 r = {x, y, z, w}; return r; }
typedef char __sr_vec_char;

#endif

__SR_VEC(char, __sr_vec_char)
__SR_VEC(uchar, unsigned char)
__SR_VEC(short, short)
__SR_VEC(ushort, unsigned short)
__SR_VEC(int, int)
__SR_VEC(uint, unsigned int)
__SR_VEC(long, long)
__SR_VEC(ulong, unsigned long)
__SR_VEC(longlong, long long)
__SR_VEC(ulonglong, unsigned long long)
__SR_VEC(float, float)
__SR_VEC(double, double)
#undef __SR_VEC

#if defined(__cplusplus) && !defined(__SOFTROCK_CUDA__)
#include "hip/detail/vector_operators.h"
#endif

#endif
