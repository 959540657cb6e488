/* Part of softrock (MIT licence, see LICENSE). Device-side printf, assert, heap, memory functions and cached loads. */
#ifndef SOFTROCK_HIP_MEMORY_H
#define SOFTROCK_HIP_MEMORY_H

#include "hip/detail/macros.h"

#if defined(__SR_GPU__)

typedef __SIZE_TYPE__ __sr_size;

/* clang lowers calls of this to the printf buffer that the runtime hands the kernel. */
extern "C" __attribute__((device)) int printf(const char *format, ...);

/* Programs that assert mean to stop: say where, then trap. */
__attribute__((device, noinline, noreturn, unused)) static void __sr_assertion_failed(
    const char *assertion, const char *file, unsigned int line, const char *function) {
    printf("%s:%u: %s: Device-side assertion `%s' failed.\n", file, line, function, assertion);
    __sr_trap();
}
/* glibc's assert() ends here. */
__attribute__((device, noinline, noreturn, unused)) static void __assert_fail(
    const char *assertion, const char *file, unsigned int line, const char *function) noexcept {
    __sr_assertion_failed(assertion, file, line, function);
}
__attribute__((device, noinline, noreturn, unused)) static void __assertfail(
    const char *assertion, const char *file, unsigned int line, const char *function, __sr_size) {
    __sr_assertion_failed(assertion, file, line, function);
}
#if defined(__HIPCC_RTC__) && !defined(assert)
#if defined(NDEBUG)
#define assert(condition) ((void)0)
#else
#define assert(condition) \
    ((condition) ? (void)0 : __sr_assertion_failed(#condition, __FILE__, __LINE__, __PRETTY_FUNCTION__))
#endif
#endif
__attribute__((device, noreturn, unused, always_inline)) static inline void abort() noexcept { __sr_trap(); }

/* ---- the device heap ---- */
extern "C" {
__attribute__((device)) unsigned long __ockl_dm_alloc(unsigned long size);
__attribute__((device)) void __ockl_dm_dealloc(unsigned long address);
}
__SR_DEVICE void *malloc(__sr_size size) noexcept { return (void *)__ockl_dm_alloc(size); }
__SR_DEVICE void free(void *address) noexcept { __ockl_dm_dealloc((unsigned long)address); }

/* ---- memory functions ---- */
__SR_DEVICE void *memcpy(void *to, const void *from, __sr_size size) noexcept { return __builtin_memcpy(to, from, size); }
__SR_DEVICE void *memmove(void *to, const void *from, __sr_size size) noexcept {
    return __builtin_memmove(to, from, size);
}
__SR_DEVICE void *memset(void *to, int value, __sr_size size) noexcept { return __builtin_memset(to, value, size); }

/* ---- cached loads and stores: hints that change nothing in what is read ---- */
#define __SR_LOADS(T) \
    __SR_DEVICE T __ldg(const T *p) { return *p; } \
    __SR_DEVICE T __ldca(const T *p) { return *p; } \
    __SR_DEVICE T __ldcg(const T *p) { return *p; } \
    __SR_DEVICE T __ldlu(const T *p) { return *p; } \
    __SR_DEVICE T __ldcs(const T *p) { return *p; } \
    __SR_DEVICE T __ldcv(const T *p) { return *(const volatile T *)p; } \
    __SR_STORES(T)
#define __SR_STORES(T) \
    __SR_DEVICE void __stwb(T *p, T value) { *p = value; } \
    __SR_DEVICE void __stcg(T *p, T value) { *p = value; } \
    __SR_DEVICE void __stcs(T *p, T value) { *p = value; } \
    __SR_DEVICE void __stwt(T *p, T value) { *(volatile T *)p = value; }
__SR_LOADS(char)
__SR_LOADS(signed char)
__SR_LOADS(unsigned char)
__SR_LOADS(short)
__SR_LOADS(unsigned short)
__SR_LOADS(int)
__SR_LOADS(unsigned int)
__SR_LOADS(long)
__SR_LOADS(unsigned long)
__SR_LOADS(long long)
__SR_LOADS(unsigned long long)
__SR_LOADS(float)
__SR_LOADS(double)
#undef __SR_LOADS
#undef __SR_STORES
/* Vector types (and any other object): read as a whole. */
#define __SR_HINT(name) \
    template <typename T, unsigned int n> __SR_DEVICE HIP_vector_type<T, n> name(const HIP_vector_type<T, n> *p) { return *p; }
__SR_HINT(__ldg)
__SR_HINT(__ldca)
__SR_HINT(__ldcg)
__SR_HINT(__ldcs)
__SR_HINT(__ldlu)
__SR_HINT(__ldcv)
#undef __SR_HINT
#define __SR_HINT(name) \
    template <typename T, unsigned int n> __SR_DEVICE void name(HIP_vector_type<T, n> *p, HIP_vector_type<T, n> v) { *p = v; }
__SR_HINT(__stwb)
__SR_HINT(__stcg)
__SR_HINT(__stcs)
__SR_HINT(__stwt)
#undef __SR_HINT

/* ---- address spaces ---- */
__SR_DEVICE unsigned int __isShared(const void *p) { return __builtin_amdgcn_is_shared((const __attribute__((address_space(0))) void *)p); }
__SR_DEVICE unsigned int __isLocal(const void *p) { return __builtin_amdgcn_is_private((const __attribute__((address_space(0))) void *)p); }
__SR_DEVICE unsigned int __isGlobal(const void *p) { return !__isShared(p) && !__isLocal(p); }
__SR_DEVICE unsigned int __isConstant(const void *p) { return __isGlobal(p); }
__SR_DEVICE __sr_size __cvta_generic_to_shared(const void *p) {
    return (__sr_size)(unsigned int)(__sr_size)(const __attribute__((address_space(3))) void *)p;
}
__SR_DEVICE __sr_size __cvta_generic_to_global(const void *p) { return (__sr_size)p; }

/* The LDS that the launch asked for beyond the kernel's own. */
#define HIP_DYNAMIC_SHARED(type, name) extern __shared__ type name[];
#define HIP_DYNAMIC_SHARED_ATTRIBUTE

#endif
#endif
