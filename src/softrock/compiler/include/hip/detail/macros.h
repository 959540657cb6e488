/* Part of softrock (MIT licence, see LICENSE). Language keywords of HIP as attributes. */
#ifndef SOFTROCK_HIP_MACROS_H
#define SOFTROCK_HIP_MACROS_H

/* __SR_GPU__ says "compiled as HIP or CUDA, either pass". It outlives the undefining of __HIP__ in CUDA mode. */
#if defined(__HIP__)
#define __SR_GPU__ 1
#endif

#if defined(__SR_GPU__)
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((managed))
/* __noinline__ and __forceinline__'s attribute half are keywords of clang here. */
#define __forceinline__ inline __attribute__((always_inline))
#define __grid_constant__

/* HIP's second argument is the least number of waves an execution unit; CUDA's is blocks, which no AMD attribute
 * says, so CUDA mode keeps the first argument only. */
#define __SR_BOUNDS_1(threads) __attribute__((amdgpu_flat_work_group_size(1, threads)))
#if defined(__SOFTROCK_CUDA__)
#define __SR_BOUNDS_2(threads, blocks) __SR_BOUNDS_1(threads)
#else
#define __SR_BOUNDS_2(threads, waves) \
    __attribute__((amdgpu_flat_work_group_size(1, threads), amdgpu_waves_per_eu(waves)))
#endif
#define __SR_BOUNDS_3(threads, waves, cluster) __SR_BOUNDS_2(threads, waves)
#define __SR_BOUNDS_PICK(a, b, c, macro, ...) macro
#define __launch_bounds__(...) \
    __SR_BOUNDS_PICK(__VA_ARGS__, __SR_BOUNDS_3, __SR_BOUNDS_2, __SR_BOUNDS_1, 0)(__VA_ARGS__)

#define __SR_DEVICE static inline __attribute__((device, always_inline))
#define __SR_HOST_DEVICE_INLINE static inline __attribute__((host, device, always_inline))
#define __SR_HOST_DEVICE __attribute__((host, device))

/* Ends the program with an error. Not __builtin_trap: on gfx11 LLVM 22 expands that to a sequence which splits the block, and
 * then skips the expansion of 64-bit additions in the blocks after it ("Unsupported instruction"). */
__attribute__((device, always_inline, noreturn)) static inline void __sr_trap() {
    __asm__ volatile("s_trap 2" ::: "memory");
    __builtin_amdgcn_endpgm();
}
#else
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __SR_HOST_DEVICE
#define __SR_HOST_DEVICE_INLINE static inline
#if !defined(__forceinline__)
#define __forceinline__ inline
#endif
#endif

#define __align__(bytes) __attribute__((aligned(bytes)))
#define __builtin_align__(bytes) __attribute__((aligned(bytes)))

#if defined(__SR_GPU__) && defined(__HIP_DEVICE_COMPILE__)
#define __SR_DEVICE_PASS__ 1
#endif

#if !defined(__HIP_PLATFORM_AMD__) && !defined(__SOFTROCK_CUDA__) && !defined(__HIP_PLATFORM_NVIDIA__)
#define __HIP_PLATFORM_AMD__ 1
#endif

#endif
