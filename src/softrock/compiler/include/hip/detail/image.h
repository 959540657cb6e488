/* Part of softrock (MIT licence, see LICENSE). The record behind a texture or surface object, and reading and writing one element
 * through it. The runtime fills the record in device memory; softrock.hip knows the same layout. */
#ifndef SOFTROCK_HIP_IMAGE_H
#define SOFTROCK_HIP_IMAGE_H

#include "hip/hip_vector_types.h"
#include "hip/detail/api_types.h"

#if defined(__SR_GPU__) && defined(__cplusplus)

struct __sr_image {
    const char *data;                          /*  0 first element */
    unsigned int width, height, depth;         /*  8 elements, rows, slices or layers; at least 1 */
    unsigned int channels;                     /* 20 1, 2 or 4 */
    unsigned long row_pitch, slice_pitch;      /* 24 bytes */
    unsigned int bits;                         /* 40 of one channel: 8, 16 or 32 */
    unsigned int kind;                         /* 44 hipChannelFormatKind */
    unsigned int address[3];                   /* 48 hipTextureAddressMode along x, y, z */
    unsigned int filter;                       /* 60 hipTextureFilterMode */
    unsigned int read_mode;                    /* 64 hipTextureReadMode */
    unsigned int normalized;                   /* 68 coordinates run from 0 to 1 */
    float border[4];                           /* 72 */
};                                             /* 88 */
static_assert(sizeof(__sr_image) == 88, "the runtime writes this record");

/* An element as numbers and as the integers it was stored as (sign-extended). */
struct __sr_color {
    float number[4];
    int bits[4];
};

__SR_DEVICE const char *__sr_image_address(const __sr_image *t, int x, int y, int z) {
    return t->data + (unsigned long)z * t->slice_pitch + (unsigned long)y * t->row_pitch +
           (unsigned long)x * (t->channels * t->bits / 8);
}

__SR_DEVICE __sr_color __sr_image_read(const __sr_image *t, const char *p, bool to_unit) {
    __sr_color c = {{0, 0, 0, 0}, {0, 0, 0, 0}};
    const bool is_signed = t->kind == hipChannelFormatKindSigned;
    for (unsigned int i = 0; i < t->channels; ++i) {
        int raw;
        if (t->bits == 8) raw = is_signed ? (int)((const signed char *)p)[i] : (int)((const unsigned char *)p)[i];
        else if (t->bits == 16) raw = is_signed ? (int)((const short *)p)[i] : (int)((const unsigned short *)p)[i];
        else raw = ((const int *)p)[i];
        c.bits[i] = raw;
        if (t->kind == hipChannelFormatKindFloat)
            c.number[i] = t->bits == 16 ? (float)__builtin_bit_cast(_Float16, (unsigned short)raw) : __builtin_bit_cast(float, raw);
        else if (!to_unit)
            c.number[i] = is_signed ? (float)raw : (float)(unsigned int)raw;
        else if (is_signed)
            c.number[i] = __builtin_fmaxf((float)raw / (float)((1 << (t->bits - 1)) - 1), -1.0f);
        else
            c.number[i] = (float)raw / (float)((1 << t->bits) - 1);
    }
    return c;
}

/* Element types of what the caller wants back: floats get numbers, integers the stored bits. */
template <typename E> struct __sr_component {
    static __SR_HOST_DEVICE E of(const __sr_color &c, int i) { return (E)c.bits[i]; }
};
template <> struct __sr_component<float> {
    static __SR_HOST_DEVICE float of(const __sr_color &c, int i) { return c.number[i]; }
};
template <typename T> struct __sr_color_cast {
    static __SR_HOST_DEVICE T of(const __sr_color &c) { return __sr_component<T>::of(c, 0); }
};
template <typename E> struct __sr_color_cast<HIP_vector_type<E, 1>> {
    static __SR_HOST_DEVICE HIP_vector_type<E, 1> of(const __sr_color &c) {
        return HIP_vector_type<E, 1>{__sr_component<E>::of(c, 0)};
    }
};
template <typename E> struct __sr_color_cast<HIP_vector_type<E, 2>> {
    static __SR_HOST_DEVICE HIP_vector_type<E, 2> of(const __sr_color &c) {
        return HIP_vector_type<E, 2>{__sr_component<E>::of(c, 0), __sr_component<E>::of(c, 1)};
    }
};
template <typename E> struct __sr_color_cast<HIP_vector_type<E, 3>> {
    static __SR_HOST_DEVICE HIP_vector_type<E, 3> of(const __sr_color &c) {
        return HIP_vector_type<E, 3>{__sr_component<E>::of(c, 0), __sr_component<E>::of(c, 1), __sr_component<E>::of(c, 2)};
    }
};
template <typename E> struct __sr_color_cast<HIP_vector_type<E, 4>> {
    static __SR_HOST_DEVICE HIP_vector_type<E, 4> of(const __sr_color &c) {
        return HIP_vector_type<E, 4>{__sr_component<E>::of(c, 0), __sr_component<E>::of(c, 1), __sr_component<E>::of(c, 2),
                                     __sr_component<E>::of(c, 3)};
    }
};
template <typename T> __SR_DEVICE T __sr_color_to(const __sr_color &c) { return __sr_color_cast<T>::of(c); }

#endif
#endif
