/* Part of softrock (MIT licence, see LICENSE). Surface reads and writes in device code: plain memory, x counted in bytes, what lies
 * outside read as zero and not written (boundary mode zero), clamped, or a trap. */
#ifndef SOFTROCK_HIP_SURFACE_H
#define SOFTROCK_HIP_SURFACE_H

#include "hip/detail/image.h"

#if defined(__SR_GPU__) && defined(__cplusplus)

/* Address of the element, or null where nothing is to be done. */
template <typename T> __SR_DEVICE T *__sr_surface(hipSurfaceObject_t object, int x, int y, int z, int mode) {
    const __sr_image *const t = (const __sr_image *)object;
    const int count = (int)(t->width * t->channels * t->bits / 8 / sizeof(T));
    int i = x / (int)sizeof(T);
    if (x < 0 || i >= count || y < 0 || y >= (int)t->height || z < 0 || z >= (int)t->depth) {
        if (mode == hipBoundaryModeTrap) __sr_trap();
        if (mode == hipBoundaryModeZero) return nullptr;
        i = x < 0 ? 0 : i >= count ? count - 1 : i;
        y = y < 0 ? 0 : y >= (int)t->height ? (int)t->height - 1 : y;
        z = z < 0 ? 0 : z >= (int)t->depth ? (int)t->depth - 1 : z;
    }
    return (T *)(t->data + (unsigned long)z * t->slice_pitch + (unsigned long)y * t->row_pitch) + i;
}

#if defined(__SOFTROCK_CUDA__)
#define SR_MODE hipSurfaceBoundaryMode mode = hipBoundaryModeTrap
#else
#define SR_MODE int mode = hipBoundaryModeZero
#endif
#define SR_SURFACE(name, parameters, at) \
    template <typename T> __SR_DEVICE void name##read(T *value, hipSurfaceObject_t object, __SR_ARGS parameters, SR_MODE) { \
        const T *const p = __sr_surface<T> at; \
        *value = p ? *p : T(); } \
    template <typename T> __SR_DEVICE T name##read(hipSurfaceObject_t object, __SR_ARGS parameters, SR_MODE) { \
        const T *const p = __sr_surface<T> at; \
        return p ? *p : T(); } \
    template <typename T> __SR_DEVICE void name##write(T value, hipSurfaceObject_t object, __SR_ARGS parameters, SR_MODE) { \
        T *const p = __sr_surface<T> at; \
        if (p) *p = value; }
#define __SR_ARGS(...) __VA_ARGS__
SR_SURFACE(surf1D, (int x), (object, x, 0, 0, mode))
SR_SURFACE(surf2D, (int x, int y), (object, x, y, 0, mode))
SR_SURFACE(surf3D, (int x, int y, int z), (object, x, y, z, mode))
SR_SURFACE(surf1DLayered, (int x, int layer), (object, x, 0, layer, mode))
SR_SURFACE(surf2DLayered, (int x, int y, int layer), (object, x, y, layer, mode))
SR_SURFACE(surfCubemap, (int x, int y, int face), (object, x, y, face, mode))
SR_SURFACE(surfCubemapLayered, (int x, int y, int layer_face), (object, x, y, layer_face, mode))
#undef __SR_ARGS
#undef SR_SURFACE
#undef SR_MODE

#endif
#endif
