/* Part of softrock (MIT licence, see LICENSE). The C++ side of the runtime API: typed pointers, symbols, occupancy. */
#ifndef SOFTROCK_HIP_API_CPP_H
#define SOFTROCK_HIP_API_CPP_H

#include "hip/detail/launch.h"

#if defined(__cplusplus)

/* ---- allocation into typed pointers ---- */
template <typename T> static inline hipError_t hipMalloc(T **address, size_t size) {
    return hipMalloc((void **)address, size);
}
template <typename T> static inline hipError_t hipMallocPitch(T **address, size_t *pitch, size_t width, size_t height) {
    return hipMallocPitch((void **)address, pitch, width, height);
}
template <typename T> static inline hipError_t hipMallocHost(T **address, size_t size) {
    return hipMallocHost((void **)address, size);
}
template <typename T>
static inline hipError_t hipHostMalloc(T **address, size_t size, unsigned int flags = hipHostMallocDefault) {
    return hipHostMalloc((void **)address, size, flags);
}
template <typename T>
static inline hipError_t hipHostAlloc(T **address, size_t size, unsigned int flags = hipHostAllocDefault) {
    return hipHostAlloc((void **)address, size, flags);
}
template <typename T>
static inline hipError_t hipMallocManaged(T **address, size_t size, unsigned int flags = hipMemAttachGlobal) {
    return hipMallocManaged((void **)address, size, flags);
}
template <typename T>
static inline hipError_t hipExtMallocWithFlags(T **address, size_t size, unsigned int flags) {
    return hipExtMallocWithFlags((void **)address, size, flags);
}
template <typename T> static inline hipError_t hipMallocAsync(T **address, size_t size, hipStream_t stream) {
    return hipMallocAsync((void **)address, size, stream);
}
template <typename T>
static inline hipError_t hipMallocFromPoolAsync(T **address, size_t size, hipMemPool_t pool, hipStream_t stream) {
    return hipMallocFromPoolAsync((void **)address, size, pool, stream);
}
template <typename T>
static inline hipError_t hipMallocAsync(T **address, size_t size, hipMemPool_t pool, hipStream_t stream) {
    return hipMallocFromPoolAsync((void **)address, size, pool, stream);
}
template <typename T>
static inline hipError_t hipHostGetDevicePointer(T **device, void *host, unsigned int flags = 0) {
    return hipHostGetDevicePointer((void **)device, host, flags);
}

/* ---- symbols: the variable itself instead of its address ---- */
template <typename T> static inline hipError_t hipGetSymbolAddress(void **address, const T &symbol) {
    return hipGetSymbolAddress(address, (const void *)&symbol);
}
template <typename T> static inline hipError_t hipGetSymbolSize(size_t *size, const T &symbol) {
    return hipGetSymbolSize(size, (const void *)&symbol);
}
template <typename T>
static inline hipError_t hipMemcpyToSymbol(const T &symbol, const void *source, size_t size, size_t offset = 0,
                                           hipMemcpyKind kind = hipMemcpyHostToDevice) {
    return hipMemcpyToSymbol((const void *)&symbol, source, size, offset, kind);
}
template <typename T>
static inline hipError_t hipMemcpyToSymbolAsync(const T &symbol, const void *source, size_t size, size_t offset,
                                                hipMemcpyKind kind, hipStream_t stream = 0) {
    return hipMemcpyToSymbolAsync((const void *)&symbol, source, size, offset, kind, stream);
}
template <typename T>
static inline hipError_t hipMemcpyFromSymbol(void *target, const T &symbol, size_t size, size_t offset = 0,
                                             hipMemcpyKind kind = hipMemcpyDeviceToHost) {
    return hipMemcpyFromSymbol(target, (const void *)&symbol, size, offset, kind);
}
template <typename T>
static inline hipError_t hipMemcpyFromSymbolAsync(void *target, const T &symbol, size_t size, size_t offset,
                                                  hipMemcpyKind kind, hipStream_t stream = 0) {
    return hipMemcpyFromSymbolAsync(target, (const void *)&symbol, size, offset, kind, stream);
}

/* ---- occupancy ---- */
template <typename F>
static inline hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, F kernel, int block_size,
                                                                      size_t dynamic_shared) {
    return hipOccupancyMaxActiveBlocksPerMultiprocessor(blocks, reinterpret_cast<const void *>(kernel), block_size,
                                                        dynamic_shared);
}
template <typename F>
static inline hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, F kernel, int block_size,
                                                                               size_t dynamic_shared,
                                                                               unsigned int flags) {
    return hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, reinterpret_cast<const void *>(kernel),
                                                                 block_size, dynamic_shared, flags);
}
template <typename F>
static inline hipError_t hipOccupancyMaxPotentialBlockSize(int *grid_size, int *block_size, F kernel,
                                                           size_t dynamic_shared = 0, int block_limit = 0) {
    return hipOccupancyMaxPotentialBlockSize(grid_size, block_size, reinterpret_cast<const void *>(kernel),
                                             dynamic_shared, block_limit);
}
template <typename F>
static inline hipError_t hipOccupancyMaxPotentialBlockSizeWithFlags(int *grid_size, int *block_size, F kernel,
                                                                    size_t dynamic_shared = 0, int block_limit = 0,
                                                                    unsigned int flags = 0) {
    (void)flags;
    return hipOccupancyMaxPotentialBlockSize(grid_size, block_size, reinterpret_cast<const void *>(kernel),
                                             dynamic_shared, block_limit);
}

/* The block size that keeps most threads resident when LDS depends on the block size: every multiple of the wave is
 * asked for, from the largest down. */
template <typename U, typename F>
static inline hipError_t hipOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
    int *grid_size, int *block_size, F kernel, U shared_of_block, int block_limit = 0, unsigned int flags = 0) {
    hipFuncAttributes attributes;
    hipError_t error = hipFuncGetAttributes(&attributes, reinterpret_cast<const void *>(kernel));
    int device = 0, processors = 0, wave = 0, limit = attributes.maxThreadsPerBlock;
    if (error == hipSuccess) error = hipGetDevice(&device);
    if (error == hipSuccess)
        error = hipDeviceGetAttribute(&processors, hipDeviceAttributeMultiprocessorCount, device);
    if (error == hipSuccess) error = hipDeviceGetAttribute(&wave, hipDeviceAttributeWarpSize, device);
    if (error != hipSuccess) return error;
    if (block_limit > 0 && block_limit < limit) limit = block_limit;
    int best_threads = 0, best_block = 0, best_grid = 0;
    for (int size = limit; size > 0; size = (size - 1) / wave * wave) {
        int blocks = 0;
        error = hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
            &blocks, reinterpret_cast<const void *>(kernel), size, (size_t)shared_of_block(size), flags);
        if (error != hipSuccess) return error;
        if (blocks * size > best_threads) best_threads = blocks * size, best_block = size, best_grid = blocks * processors;
    }
    *grid_size = best_grid, *block_size = best_block;
    return hipSuccess;
}
template <typename U, typename F>
static inline hipError_t hipOccupancyMaxPotentialBlockSizeVariableSMem(int *grid_size, int *block_size, F kernel,
                                                                       U shared_of_block, int block_limit = 0) {
    return hipOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(grid_size, block_size, kernel, shared_of_block,
                                                                  block_limit);
}
template <typename F>
static inline hipError_t hipOccupancyAvailableDynamicSMemPerBlock(size_t *size, F kernel, int blocks, int block_size) {
    return hipOccupancyAvailableDynamicSMemPerBlock(size, reinterpret_cast<const void *>(kernel), blocks, block_size);
}

/* ---- channel descriptors ---- */
template <typename T> struct __sr_channel { static constexpr int known = 0; };
#define __SR_CHANNEL_1(T, bits, kind) \
    template <> struct __sr_channel<T> { \
        static constexpr int known = 1, x = bits, y = 0, z = 0, w = 0; \
        static constexpr hipChannelFormatKind f = kind; };
#define __SR_CHANNEL(T, name, bits, kind) \
    __SR_CHANNEL_1(T, bits, kind) \
    __SR_CHANNEL_N(name##1, bits, 0, 0, 0, kind) __SR_CHANNEL_N(name##2, bits, bits, 0, 0, kind) \
    __SR_CHANNEL_N(name##3, bits, bits, bits, 0, kind) __SR_CHANNEL_N(name##4, bits, bits, bits, bits, kind)
#define __SR_CHANNEL_N(T, a, b, c, d, kind) \
    template <> struct __sr_channel<T> { \
        static constexpr int known = 1, x = a, y = b, z = c, w = d; \
        static constexpr hipChannelFormatKind f = kind; };
__SR_CHANNEL(char, char, 8, hipChannelFormatKindSigned)
__SR_CHANNEL(unsigned char, uchar, 8, hipChannelFormatKindUnsigned)
__SR_CHANNEL(short, short, 16, hipChannelFormatKindSigned)
__SR_CHANNEL(unsigned short, ushort, 16, hipChannelFormatKindUnsigned)
__SR_CHANNEL(int, int, 32, hipChannelFormatKindSigned)
__SR_CHANNEL(unsigned int, uint, 32, hipChannelFormatKindUnsigned)
__SR_CHANNEL(float, float, 32, hipChannelFormatKindFloat)
__SR_CHANNEL_1(signed char, 8, hipChannelFormatKindSigned)
#undef __SR_CHANNEL
#undef __SR_CHANNEL_1
#undef __SR_CHANNEL_N
template <typename T> static inline hipChannelFormatDesc hipCreateChannelDesc() {
    static_assert(__sr_channel<T>::known, "no channel format describes this type");
    hipChannelFormatDesc d;
    d.x = __sr_channel<T>::x, d.y = __sr_channel<T>::y, d.z = __sr_channel<T>::z, d.w = __sr_channel<T>::w;
    d.f = __sr_channel<T>::f;
    return d;
}
static inline hipChannelFormatDesc hipCreateChannelDescHalf() { return hipCreateChannelDesc(16, 0, 0, 0, hipChannelFormatKindFloat); }

#endif
#endif
