/* Part of softrock (MIT licence, see LICENSE). Atomic functions. Each has three scopes: plain (the device), _block (the
 * workgroup) and _system (host and other devices too). All are relaxed, as CUDA's and HIP's are. */
#ifndef SOFTROCK_HIP_ATOMICS_H
#define SOFTROCK_HIP_ATOMICS_H

#include "hip/detail/macros.h"

#if defined(__SR_GPU__)

#define __SR_SCOPES(X, ...) \
    X(, __HIP_MEMORY_SCOPE_AGENT, "agent", __VA_ARGS__) \
    X(_block, __HIP_MEMORY_SCOPE_WORKGROUP, "workgroup", __VA_ARGS__) \
    X(_system, __HIP_MEMORY_SCOPE_SYSTEM, "", __VA_ARGS__)

#define __SR_FETCH(suffix, scope, text, T, Name, op) \
    __SR_DEVICE T atomic##Name##suffix(T *address, T value) { \
        return __hip_atomic_fetch_##op(address, value, __ATOMIC_RELAXED, scope); }
#define __SR_EXCHANGE(suffix, scope, text, T) \
    __SR_DEVICE T atomicExch##suffix(T *address, T value) { \
        return __hip_atomic_exchange(address, value, __ATOMIC_RELAXED, scope); }
#define __SR_CAS(suffix, scope, text, T) \
    __SR_DEVICE T atomicCAS##suffix(T *address, T compare, T value) { \
        __hip_atomic_compare_exchange_strong(address, &compare, value, __ATOMIC_RELAXED, __ATOMIC_RELAXED, scope); \
        return compare; }

#define __SR_INTEGER(T) \
    __SR_SCOPES(__SR_FETCH, T, Add, add) \
    __SR_SCOPES(__SR_FETCH, T, Min, min) \
    __SR_SCOPES(__SR_FETCH, T, Max, max) \
    __SR_SCOPES(__SR_FETCH, T, And, and) \
    __SR_SCOPES(__SR_FETCH, T, Or, or) \
    __SR_SCOPES(__SR_FETCH, T, Xor, xor) \
    __SR_SCOPES(__SR_EXCHANGE, T) \
    __SR_SCOPES(__SR_CAS, T) \
    __SR_SCOPES(__SR_SUBTRACT, T)
#define __SR_SUBTRACT(suffix, scope, text, T) \
    __SR_DEVICE T atomicSub##suffix(T *address, T value) { \
        return __hip_atomic_fetch_add(address, (T)(0 - value), __ATOMIC_RELAXED, scope); }
#define __SR_FLOAT(T) \
    __SR_SCOPES(__SR_FETCH, T, Add, add) \
    __SR_SCOPES(__SR_FETCH, T, Min, min) \
    __SR_SCOPES(__SR_FETCH, T, Max, max) \
    __SR_SCOPES(__SR_EXCHANGE, T) \
    __SR_SCOPES(__SR_SUBTRACT_FLOAT, T)
#define __SR_SUBTRACT_FLOAT(suffix, scope, text, T) \
    __SR_DEVICE T atomicSub##suffix(T *address, T value) { \
        return __hip_atomic_fetch_add(address, -value, __ATOMIC_RELAXED, scope); }

__SR_INTEGER(int)
__SR_INTEGER(unsigned int)
__SR_INTEGER(unsigned long long)
#if defined(__SOFTROCK_CUDA__)
/* Exactly CUDA's list: sources define what it lacks themselves, float maxima above all. */
__SR_SCOPES(__SR_FETCH, long long, Min, min)
__SR_SCOPES(__SR_FETCH, long long, Max, max)
__SR_SCOPES(__SR_FETCH, float, Add, add)
__SR_SCOPES(__SR_FETCH, double, Add, add)
__SR_SCOPES(__SR_EXCHANGE, float)
#else
__SR_INTEGER(long)
__SR_INTEGER(unsigned long)
__SR_INTEGER(long long)
__SR_FLOAT(float)
__SR_FLOAT(double)
#endif
__SR_SCOPES(__SR_CAS, unsigned short)
__SR_SCOPES(__SR_CAS, short)
#undef __SR_INTEGER
#undef __SR_FLOAT
#undef __SR_SUBTRACT
#undef __SR_SUBTRACT_FLOAT

#if !defined(__SOFTROCK_CUDA__)
/* Compare-and-swap on floating-point numbers compares their bits. */
#define __SR_CAS_BITS(suffix, scope, text, T, B) \
    __SR_DEVICE T atomicCAS##suffix(T *address, T compare, T value) { \
        B expected = __builtin_bit_cast(B, compare); \
        __hip_atomic_compare_exchange_strong((B *)address, &expected, __builtin_bit_cast(B, value), \
                                             __ATOMIC_RELAXED, __ATOMIC_RELAXED, scope); \
        return __builtin_bit_cast(T, expected); }
__SR_SCOPES(__SR_CAS_BITS, float, unsigned int)
__SR_SCOPES(__SR_CAS_BITS, double, unsigned long long)
#undef __SR_CAS_BITS
#endif

/* Up to a limit and back to zero; down and back to the limit. */
#define __SR_WRAP(suffix, scope, text, unused) \
    __SR_DEVICE unsigned int atomicInc##suffix(unsigned int *address, unsigned int limit) { \
        return __builtin_amdgcn_atomic_inc32(address, limit, __ATOMIC_RELAXED, text); } \
    __SR_DEVICE unsigned int atomicDec##suffix(unsigned int *address, unsigned int limit) { \
        return __builtin_amdgcn_atomic_dec32(address, limit, __ATOMIC_RELAXED, text); }
#define __SR_WRAP_INT(suffix, scope, text, unused) \
    __SR_DEVICE int atomicInc##suffix(int *address, int limit) { \
        return (int)atomicInc##suffix((unsigned int *)address, (unsigned int)limit); } \
    __SR_DEVICE int atomicDec##suffix(int *address, int limit) { \
        return (int)atomicDec##suffix((unsigned int *)address, (unsigned int)limit); }
__SR_SCOPES(__SR_WRAP, 0)
#if !defined(__SOFTROCK_CUDA__)
__SR_SCOPES(__SR_WRAP_INT, 0)
#endif
#undef __SR_WRAP_INT
#undef __SR_WRAP
#undef __SR_FETCH
#undef __SR_EXCHANGE
#undef __SR_CAS

#if !defined(__SOFTROCK_CUDA__)
/* HIP's two ways of adding floats: "unsafe" may use the hardware's add even where memory is fine-grained; "safe" never. */
#define __SR_ADD(T) \
    __SR_DEVICE T unsafeAtomicAdd(T *address, T value) { \
        [[clang::atomic(no_remote_memory, no_fine_grained_memory, ignore_denormal_mode)]] { \
            return __hip_atomic_fetch_add(address, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); } } \
    __SR_DEVICE T safeAtomicAdd(T *address, T value) { \
        [[clang::atomic(remote_memory, fine_grained_memory, no_ignore_denormal_mode)]] { \
            return __hip_atomic_fetch_add(address, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); } } \
    __SR_DEVICE T atomicAddNoRet(T *address, T value) { return atomicAdd(address, value); } \
    __SR_DEVICE T unsafeAtomicMax(T *address, T value) { return atomicMax(address, value); } \
    __SR_DEVICE T unsafeAtomicMin(T *address, T value) { return atomicMin(address, value); } \
    __SR_DEVICE T safeAtomicMax(T *address, T value) { return atomicMax(address, value); } \
    __SR_DEVICE T safeAtomicMin(T *address, T value) { return atomicMin(address, value); }
__SR_ADD(float)
__SR_ADD(double)
#undef __SR_ADD
#endif

/* Read-modify-write of a type that has no atomic of its own: a compare-and-swap loop on the 32-bit word around it.
 * T is at most four bytes and does not cross a word; update(old) gives the new value. */
template <typename T, typename F> __SR_DEVICE T __sr_atomic_update(T *address, F update) {
    const unsigned long where = (unsigned long)address;
    unsigned int *word = (unsigned int *)(where & ~3ul);
    const unsigned int shift = (unsigned int)(where & 3ul) * 8u;
    const unsigned int mask = (sizeof(T) == 4 ? 0xffffffffu : (1u << (sizeof(T) % 4 * 8u)) - 1u) << shift;
    unsigned int seen = __hip_atomic_load(word, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    for (;;) {
        T old;
        const unsigned int bits = (seen & mask) >> shift;
        __builtin_memcpy(&old, &bits, sizeof(T));
        const T fresh = update(old);
        unsigned int out = 0;
        __builtin_memcpy(&out, &fresh, sizeof(T));
        if (__hip_atomic_compare_exchange_strong(word, &seen, (seen & ~mask) | (out << shift), __ATOMIC_RELAXED,
                                                 __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM))
            return old;
    }
}

#endif
#endif
