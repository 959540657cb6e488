/* Part of softrock (MIT licence, see LICENSE). Texture references, the older way: texture<float, 2> at file scope, bound by the host.
 * A reference is a variable with a texture object in it; binding makes the object and stores it in the device's copy.
 * SOFTROCK_NO_TEXTURE_REFERENCES leaves the name `texture` to sources that have a type of their own by it. */
#ifndef SOFTROCK_HIP_TEXTURE_REFERENCE_H
#define SOFTROCK_HIP_TEXTURE_REFERENCE_H

#include "hip/detail/api_cpp.h"
#include "hip/detail/texture.h"

#if defined(__SR_GPU__) && defined(__cplusplus) && !defined(__HIPCC_RTC__) && !defined(SOFTROCK_NO_TEXTURE_REFERENCES)

template <typename T, int dimensions = hipTextureType1D, hipTextureReadMode mode = hipReadModeElementType>
struct __attribute__((device_builtin_texture_type)) texture : textureReference {};

/* What a read gives: the element, or floats in its place. */
template <typename T, int mode> struct __sr_texture_value { typedef T type; };
template <typename T> struct __sr_texture_value<T, hipReadModeNormalizedFloat> { typedef float type; };
template <typename T, unsigned int n> struct __sr_texture_value<HIP_vector_type<T, n>, hipReadModeNormalizedFloat> {
    typedef HIP_vector_type<float, n> type;
};

#define SR_TEX(name, dimensions, parameters, arguments) \
    template <typename T, hipTextureReadMode mode> __SR_DEVICE typename __sr_texture_value<T, mode>::type name( \
        const texture<T, dimensions, mode> &t, __SR_ARGS parameters) { \
        return name<typename __sr_texture_value<T, mode>::type>(t.textureObject, __SR_ARGS arguments); }
#define __SR_ARGS(...) __VA_ARGS__
SR_TEX(tex1Dfetch, hipTextureType1D, (int x), (x))
SR_TEX(tex1D, hipTextureType1D, (float x), (x))
SR_TEX(tex2D, hipTextureType2D, (float x, float y), (x, y))
SR_TEX(tex3D, hipTextureType3D, (float x, float y, float z), (x, y, z))
SR_TEX(tex1DLayered, hipTextureType1DLayered, (float x, int layer), (x, layer))
SR_TEX(tex2DLayered, hipTextureType2DLayered, (float x, float y, int layer), (x, y, layer))
SR_TEX(texCubemap, hipTextureTypeCubemap, (float x, float y, float z), (x, y, z))
#undef __SR_ARGS
#undef SR_TEX

template <typename T, int dimensions, hipTextureReadMode mode>
static inline hipError_t hipUnbindTexture(texture<T, dimensions, mode> &t) {
    const hipTextureObject_t object = t.textureObject;
    t.textureObject = nullptr;
    return object ? hipDestroyTextureObject(object) : hipSuccess;
}
template <typename T, int dimensions, hipTextureReadMode mode>
static inline hipError_t __sr_bind(texture<T, dimensions, mode> &t, const hipResourceDesc &resource) {
    hipError_t error = hipUnbindTexture(t);
    if (error != hipSuccess) return error;
    hipTextureDesc how = {};
    for (int i = 0; i < 3; ++i) how.addressMode[i] = t.addressMode[i];
    how.filterMode = t.filterMode;
    how.readMode = mode;
    how.normalizedCoords = t.normalized;
    error = hipCreateTextureObject(&t.textureObject, &resource, &how, nullptr);
    if (error != hipSuccess) return error;
    return hipMemcpyToSymbol((const void *)&t, &t.textureObject, sizeof(t.textureObject),
                             offsetof(textureReference, textureObject), hipMemcpyHostToDevice);
}

template <typename T, int dimensions, hipTextureReadMode mode>
static inline hipError_t hipBindTexture(size_t *offset, texture<T, dimensions, mode> &t, const void *memory,
                                        const hipChannelFormatDesc &format, size_t size = 0xffffffffu) {
    if (offset) *offset = 0;
    hipResourceDesc resource = {};
    resource.resType = hipResourceTypeLinear;
    resource.res.linear.devPtr = const_cast<void *>(memory);
    resource.res.linear.desc = format;
    resource.res.linear.sizeInBytes = size;
    return __sr_bind(t, resource);
}
template <typename T, int dimensions, hipTextureReadMode mode>
static inline hipError_t hipBindTexture(size_t *offset, texture<T, dimensions, mode> &t, const void *memory,
                                        size_t size = 0xffffffffu) {
    return hipBindTexture(offset, t, memory, hipCreateChannelDesc<T>(), size);
}
template <typename T, int dimensions, hipTextureReadMode mode>
static inline hipError_t hipBindTexture2D(size_t *offset, texture<T, dimensions, mode> &t, const void *memory,
                                          const hipChannelFormatDesc &format, size_t width, size_t height,
                                          size_t pitch) {
    if (offset) *offset = 0;
    hipResourceDesc resource = {};
    resource.resType = hipResourceTypePitch2D;
    resource.res.pitch2D.devPtr = const_cast<void *>(memory);
    resource.res.pitch2D.desc = format;
    resource.res.pitch2D.width = width, resource.res.pitch2D.height = height;
    resource.res.pitch2D.pitchInBytes = pitch;
    return __sr_bind(t, resource);
}
template <typename T, int dimensions, hipTextureReadMode mode>
static inline hipError_t hipBindTexture2D(size_t *offset, texture<T, dimensions, mode> &t, const void *memory,
                                          size_t width, size_t height, size_t pitch) {
    return hipBindTexture2D(offset, t, memory, hipCreateChannelDesc<T>(), width, height, pitch);
}
template <typename T, int dimensions, hipTextureReadMode mode>
static inline hipError_t hipBindTextureToArray(texture<T, dimensions, mode> &t, hipArray_const_t array) {
    hipResourceDesc resource = {};
    resource.resType = hipResourceTypeArray;
    resource.res.array.array = const_cast<hipArray_t>(array);
    return __sr_bind(t, resource);
}
template <typename T, int dimensions, hipTextureReadMode mode>
static inline hipError_t hipBindTextureToArray(texture<T, dimensions, mode> &t, hipArray_const_t array,
                                               const hipChannelFormatDesc &) {
    return hipBindTextureToArray(t, array);
}

#endif
#endif
