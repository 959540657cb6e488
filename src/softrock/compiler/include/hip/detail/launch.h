/* Part of softrock (MIT licence, see LICENSE). Launching kernels from host code by macro and template. */
#ifndef SOFTROCK_HIP_LAUNCH_H
#define SOFTROCK_HIP_LAUNCH_H

#include "hip/detail/api_functions.h"

#if defined(__cplusplus)

#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define HIP_SYMBOL(symbol) symbol

#if defined(__SR_GPU__)

#define hipLaunchKernelGGLInternal(kernel, blocks, threads, shared_bytes, stream, ...) \
    do { kernel<<<(blocks), (threads), (shared_bytes), (stream)>>>(__VA_ARGS__); } while (0)
#define hipLaunchKernelGGL(kernel, ...) hipLaunchKernelGGLInternal((kernel), __VA_ARGS__)

/* Addresses of a kernel's arguments, each converted to the parameter's own type first. */
template <typename... P> struct __sr_arguments;
template <> struct __sr_arguments<> {
    void fill(void **) {}
};
template <typename P, typename... Rest> struct __sr_arguments<P, Rest...> {
    P value;
    __sr_arguments<Rest...> rest;
    template <typename A, typename... As>
    __sr_arguments(A &&a, As &&...as) : value(static_cast<A &&>(a)), rest{static_cast<As &&>(as)...} {}
    void fill(void **slots) {
        *slots = (void *)__builtin_addressof(value);
        rest.fill(slots + 1);
    }
};

/* Launch with attributes, type-checked (hipLaunchKernelExC takes the arguments as addresses). */
template <typename... P, typename... A>
static inline hipError_t hipLaunchKernelEx(const hipLaunchConfig_t *config, void (*kernel)(P...), A &&...arguments) {
    static_assert(sizeof...(P) == sizeof...(A), "the kernel takes another number of arguments");
    __sr_arguments<P...> values{static_cast<A &&>(arguments)...};
    void *slots[sizeof...(P) + 1];
    values.fill(slots);
    return hipLaunchKernelExC(config, reinterpret_cast<const void *>(kernel), slots);
}

/* Launch with events around the kernel (hip_ext.h). */
template <typename... P, typename... A>
static inline void hipExtLaunchKernelGGL(void (*kernel)(P...), const dim3 &blocks, const dim3 &threads,
                                         uint32_t shared_bytes, hipStream_t stream, hipEvent_t start, hipEvent_t stop,
                                         uint32_t flags, A... arguments) {
    static_assert(sizeof...(P) == sizeof...(A), "the kernel takes another number of arguments");
    __sr_arguments<P...> values{static_cast<A &&>(arguments)...};
    void *slots[sizeof...(P) + 1];
    values.fill(slots);
    (void)hipExtLaunchKernel(reinterpret_cast<const void *>(kernel), blocks, threads, slots, shared_bytes, stream, start,
                             stop, (int)flags);
}

#endif

/* Functions as arguments: any kernel instead of its address. */
template <typename F>
static inline hipError_t hipLaunchKernel(F *kernel, const dim3 &blocks, const dim3 &threads, void **arguments,
                                         size_t shared_bytes = 0, hipStream_t stream = 0) {
    return hipLaunchKernel(reinterpret_cast<const void *>(kernel), blocks, threads, arguments, shared_bytes, stream);
}
template <typename F>
static inline hipError_t hipLaunchCooperativeKernel(F *kernel, dim3 blocks, dim3 threads, void **arguments,
                                                    unsigned int shared_bytes = 0, hipStream_t stream = 0) {
    return hipLaunchCooperativeKernel(reinterpret_cast<const void *>(kernel), blocks, threads, arguments, shared_bytes,
                                      stream);
}
template <typename F>
static inline hipError_t hipFuncSetAttribute(F *kernel, hipFuncAttribute attribute, int value) {
    return hipFuncSetAttribute(reinterpret_cast<const void *>(kernel), attribute, value);
}
template <typename F> static inline hipError_t hipFuncGetAttributes(hipFuncAttributes *attributes, F *kernel) {
    return hipFuncGetAttributes(attributes, reinterpret_cast<const void *>(kernel));
}
template <typename F> static inline hipError_t hipFuncSetCacheConfig(F *kernel, hipFuncCache_t config) {
    return hipFuncSetCacheConfig(reinterpret_cast<const void *>(kernel), config);
}
template <typename F> static inline hipError_t hipFuncSetSharedMemConfig(F *kernel, hipSharedMemConfig config) {
    return hipFuncSetSharedMemConfig(reinterpret_cast<const void *>(kernel), config);
}
template <typename F> static inline hipError_t hipGetFuncBySymbol(hipFunction_t *function, F *kernel) {
    return hipGetFuncBySymbol(function, reinterpret_cast<const void *>(kernel));
}

#endif
#endif
