/* Part of softrock (MIT licence, see LICENSE). threadIdx, blockIdx, blockDim, gridDim and warpSize. */
#ifndef SOFTROCK_HIP_COORDINATES_H
#define SOFTROCK_HIP_COORDINATES_H

#include "hip/hip_vector_types.h"
#include "hip/detail/api_types.h"

#if defined(__SR_GPU__)

/* The implicit kernel arguments of code object version 5 and later begin with three 32-bit block counts and three
 * 16-bit block sizes (LLVM's AMDGPU usage guide). Reading them avoids the division that grid sizes would need. */
typedef const __attribute__((address_space(4))) unsigned int *__sr_const_u32;
typedef const __attribute__((address_space(4))) unsigned short *__sr_const_u16;
__SR_DEVICE unsigned int __sr_block_count(int axis) { return ((__sr_const_u32)__builtin_amdgcn_implicitarg_ptr())[axis]; }
__SR_DEVICE unsigned int __sr_block_size(int axis) { return ((__sr_const_u16)__builtin_amdgcn_implicitarg_ptr())[6 + axis]; }

#define __SR_COORDINATE(axis, value) \
    __declspec(property(get = __sr_get_##axis)) unsigned int axis; \
    __SR_MEMBER unsigned int __sr_get_##axis() const { return value; }
#define __SR_MEMBER inline __attribute__((device, always_inline))

/* Members are properties, so that threadIdx.x is an unsigned int in every context (printf's, templates' ...). */
#define __SR_COORDINATES(variable, get_x, get_y, get_z) \
    struct __sr_##variable##_t { \
        __SR_COORDINATE(x, get_x) \
        __SR_COORDINATE(y, get_y) \
        __SR_COORDINATE(z, get_z) \
        __SR_MEMBER operator dim3() const { return dim3(get_x, get_y, get_z); } \
        __SR_MEMBER operator uint3() const { return uint3{get_x, get_y, get_z}; } \
    }; \
    extern const __attribute__((device, weak)) __sr_##variable##_t variable;

__SR_COORDINATES(threadIdx, __builtin_amdgcn_workitem_id_x(), __builtin_amdgcn_workitem_id_y(),
                 __builtin_amdgcn_workitem_id_z())
__SR_COORDINATES(blockIdx, __builtin_amdgcn_workgroup_id_x(), __builtin_amdgcn_workgroup_id_y(),
                 __builtin_amdgcn_workgroup_id_z())
__SR_COORDINATES(blockDim, __sr_block_size(0), __sr_block_size(1), __sr_block_size(2))
__SR_COORDINATES(gridDim, __sr_block_count(0), __sr_block_count(1), __sr_block_count(2))

#undef __SR_COORDINATES
#undef __SR_COORDINATE

#define hipThreadIdx_x threadIdx.x
#define hipThreadIdx_y threadIdx.y
#define hipThreadIdx_z threadIdx.z
#define hipBlockIdx_x blockIdx.x
#define hipBlockIdx_y blockIdx.y
#define hipBlockIdx_z blockIdx.z
#define hipBlockDim_x blockDim.x
#define hipBlockDim_y blockDim.y
#define hipBlockDim_z blockDim.z
#define hipGridDim_x gridDim.x
#define hipGridDim_y gridDim.y
#define hipGridDim_z gridDim.z

#if defined(__SOFTROCK_CUDA__)
/* CUDA's warp is 32 lanes on every target: on a 64-lane wave each half is one. */
static constexpr int warpSize __attribute__((unused)) = 32;
#else
/* HIP's is the wave's size, which the target decides when code is generated: not a constant expression (HIP 7).
 * The copy constructor is there so that a variadic call refuses the object instead of passing nothing. */
struct __sr_warp_size_t {
    constexpr __sr_warp_size_t() = default;
    __SR_HOST_DEVICE __sr_warp_size_t(const __sr_warp_size_t &) {}
    __SR_MEMBER operator int() const { return (int)__builtin_amdgcn_wavefrontsize(); }
};
static __attribute__((device, unused)) constexpr __sr_warp_size_t warpSize{};
#endif

#undef __SR_MEMBER

/* Lane number inside the wave, whatever the warp is. */
__SR_DEVICE unsigned int __sr_wave_lane() {
    return __builtin_amdgcn_mbcnt_hi(-1u, __builtin_amdgcn_mbcnt_lo(-1u, 0u));
}
/* Lane number inside the warp. */
__SR_DEVICE unsigned int __sr_lane() {
#if defined(__SOFTROCK_CUDA__)
    return __sr_wave_lane() & 31u;
#else
    return __sr_wave_lane();
#endif
}
#if !defined(__SOFTROCK_CUDA__)
__SR_DEVICE unsigned int __lane_id() { return __sr_lane(); }
#endif

#endif
#endif
