/* Part of softrock (MIT licence, see LICENSE). Texture, surface and resource descriptors (included by api_types.h).
 * Member order and sizes are the ABI of libamdhip64 (HIP 6 and 7). */
#ifndef SOFTROCK_HIP_API_TYPES_TEXTURE_H
#define SOFTROCK_HIP_API_TYPES_TEXTURE_H

typedef struct hipResourceDesc {
    hipResourceType resType;
    union {
        struct { hipArray_t array; } array;
        struct { hipMipmappedArray_t mipmap; } mipmap;
        struct { void *devPtr; hipChannelFormatDesc desc; size_t sizeInBytes; } linear;
        struct { void *devPtr; hipChannelFormatDesc desc; size_t width; size_t height; size_t pitchInBytes; } pitch2D;
    } res;
} hipResourceDesc;

typedef struct HIP_RESOURCE_DESC_st {
    HIPresourcetype resType;
    union {
        struct { hipArray_t hArray; } array;
        struct { hipMipmappedArray_t hMipmappedArray; } mipmap;
        struct { hipDeviceptr_t devPtr; hipArray_Format format; unsigned int numChannels; size_t sizeInBytes; } linear;
        struct {
            hipDeviceptr_t devPtr; hipArray_Format format; unsigned int numChannels;
            size_t width; size_t height; size_t pitchInBytes;
        } pitch2D;
        struct { int reserved[32]; } reserved;
    } res;
    unsigned int flags;
} HIP_RESOURCE_DESC;

typedef struct HIP_TEXTURE_DESC_st {
    HIPaddress_mode addressMode[3]; HIPfilter_mode filterMode; unsigned int flags;
    unsigned int maxAnisotropy; HIPfilter_mode mipmapFilterMode; float mipmapLevelBias;
    float minMipmapLevelClamp; float maxMipmapLevelClamp; float borderColor[4]; int reserved[12];
} HIP_TEXTURE_DESC;

typedef struct HIP_RESOURCE_VIEW_DESC_st {
    HIPresourceViewFormat format; size_t width; size_t height; size_t depth; unsigned int firstMipmapLevel;
    unsigned int lastMipmapLevel; unsigned int firstLayer; unsigned int lastLayer;
    unsigned int reserved[16];
} HIP_RESOURCE_VIEW_DESC;

typedef struct hipResourceViewDesc {
    hipResourceViewFormat format; size_t width; size_t height; size_t depth; unsigned int firstMipmapLevel;
    unsigned int lastMipmapLevel; unsigned int firstLayer; unsigned int lastLayer;
} hipResourceViewDesc;

typedef struct hipTextureDesc {
    hipTextureAddressMode addressMode[3]; hipTextureFilterMode filterMode; hipTextureReadMode readMode;
    int sRGB; float borderColor[4]; int normalizedCoords; unsigned int maxAnisotropy;
    hipTextureFilterMode mipmapFilterMode; float mipmapLevelBias; float minMipmapLevelClamp;
    float maxMipmapLevelClamp;
} hipTextureDesc;

typedef struct textureReference {
    int normalized; hipTextureReadMode readMode; hipTextureFilterMode filterMode;
    hipTextureAddressMode addressMode[3]; hipChannelFormatDesc channelDesc; int sRGB;
    unsigned int maxAnisotropy; hipTextureFilterMode mipmapFilterMode; float mipmapLevelBias;
    float minMipmapLevelClamp; float maxMipmapLevelClamp; hipTextureObject_t textureObject; int numChannels;
    hipArray_Format format;
} textureReference;

typedef struct surfaceReference {
    hipSurfaceObject_t surfaceObject;
} surfaceReference;
typedef HIPresourcetype hipResourcetype;

#endif
