/* Part of softrock (MIT licence, see LICENSE). Texture reads in device code.
 *
 * Done in software on every target (gfx942 has no texture unit): a texture object is the address of a record that the
 * runtime fills. Filtering is the CUDA guide's formula with the weights at full float precision; hardware rounds them to 8 bits.
 * Mipmaps have one level, the first. */
#ifndef SOFTROCK_HIP_TEXTURE_H
#define SOFTROCK_HIP_TEXTURE_H

#include "hip/detail/image.h"

#if defined(__SR_GPU__) && defined(__cplusplus)

/* ---- coordinates ---- */
/* The texel of index i among n under an addressing mode; -1 is the border. */
__SR_DEVICE int __sr_texel(int i, int n, unsigned int mode, bool normalized) {
    if (mode == hipAddressModeBorder) return i < 0 || i >= n ? -1 : i;
    if (normalized && mode == hipAddressModeWrap) return i % n < 0 ? i % n + n : i % n;
    if (normalized && mode == hipAddressModeMirror) {
        i = i % (2 * n);
        if (i < 0) i += 2 * n;
        return i < n ? i : 2 * n - 1 - i;
    }
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}
__SR_DEVICE __sr_color __sr_texel_at(const __sr_image *t, int x, int y, int z) {
    const bool n = t->normalized != 0;
    x = __sr_texel(x, (int)t->width, t->address[0], n);
    y = __sr_texel(y, (int)t->height, t->address[1], n);
    z = __sr_texel(z, (int)t->depth, t->address[2], n);
    if (x < 0 || y < 0 || z < 0) return __sr_color{{t->border[0], t->border[1], t->border[2], t->border[3]}, {0, 0, 0, 0}};
    return __sr_image_read(t, __sr_image_address(t, x, y, z), t->read_mode == hipReadModeNormalizedFloat);
}
/* Unnormalised, far outside values cut so that they stay integers. */
__SR_DEVICE float __sr_scaled(float v, unsigned int n, unsigned int normalized) {
    if (normalized) v *= (float)n;
    return __builtin_fminf(__builtin_fmaxf(v, -1.0e9f), 1.0e9f);
}

/* One sample. A layer takes part in no filtering. */
__SR_DEVICE __sr_color __sr_sample(const __sr_image *t, float fx, float fy, float fz, int dimensions, int layer) {
    float f[3] = {__sr_scaled(fx, t->width, t->normalized), dimensions > 1 ? __sr_scaled(fy, t->height, t->normalized) : 0.0f,
                  dimensions > 2 ? __sr_scaled(fz, t->depth, t->normalized) : 0.0f};
    if (t->filter != hipFilterModeLinear)
        return __sr_texel_at(t, (int)__builtin_floorf(f[0]), (int)__builtin_floorf(f[1]),
                             dimensions > 2 ? (int)__builtin_floorf(f[2]) : layer);
    int base[3] = {0, 0, layer};
    float weight[3] = {0, 0, 0};
    for (int d = 0; d < dimensions; ++d) {
        const float at = f[d] - 0.5f;
        base[d] = (int)__builtin_floorf(at);
        weight[d] = at - __builtin_floorf(at);
    }
    __sr_color sum = {{0, 0, 0, 0}, {0, 0, 0, 0}};
    for (int corner = 0; corner < 1 << dimensions; ++corner) {
        float w = 1;
        int at[3] = {base[0], base[1], base[2]};
        for (int d = 0; d < dimensions; ++d) {
            const bool upper = (corner >> d) & 1;
            at[d] += upper;
            w *= upper ? weight[d] : 1 - weight[d];
        }
        if (w == 0) continue;
        const __sr_color c = __sr_texel_at(t, at[0], at[1], at[2]);
        for (int i = 0; i < 4; ++i) sum.number[i] += w * c.number[i];
    }
    return sum;
}

__SR_DEVICE __sr_color __sr_sample_cube(const __sr_image *t, float x, float y, float z, int layer) {
    const float ax = __builtin_fabsf(x), ay = __builtin_fabsf(y), az = __builtin_fabsf(z);
    int face;
    float major, s, r;
    if (ax >= ay && ax >= az) face = x < 0, major = ax, s = x < 0 ? z : -z, r = -y;
    else if (ay >= az) face = 2 + (y < 0), major = ay, s = x, r = y < 0 ? -z : z;
    else face = 4 + (z < 0), major = az, s = z < 0 ? -x : x, r = -y;
    const float u = (s / major + 1) / 2, v = (r / major + 1) / 2;
    const float w = t->normalized ? 1.0f : (float)t->width, h = t->normalized ? 1.0f : (float)t->height;
    return __sr_sample(t, u * w, v * h, 0, 2, layer * 6 + face);
}
__SR_DEVICE __sr_color __sr_gather(const __sr_image *t, float x, float y, int component) {
    const int i = (int)__builtin_floorf(__sr_scaled(x, t->width, t->normalized) - 0.5f);
    const int j = (int)__builtin_floorf(__sr_scaled(y, t->height, t->normalized) - 0.5f);
    const int dx[4] = {0, 1, 1, 0}, dy[4] = {1, 1, 0, 0};
    __sr_color out;
    for (int k = 0; k < 4; ++k) {
        const __sr_color c = __sr_texel_at(t, i + dx[k], j + dy[k], 0);
        out.number[k] = c.number[component & 3], out.bits[k] = c.bits[component & 3];
    }
    return out;
}

/* ---- the functions: value returned, or stored through a pointer ---- */
#define SR_TEX(name, parameters, color) \
    template <typename T> __SR_DEVICE T name(hipTextureObject_t object, __SR_ARGS parameters) { \
        const __sr_image *const t = (const __sr_image *)object; \
        return __sr_color_to<T>(color); } \
    template <typename T> __SR_DEVICE void name(T *result, hipTextureObject_t object, __SR_ARGS parameters) { \
        const __sr_image *const t = (const __sr_image *)object; \
        *result = __sr_color_to<T>(color); }
#define __SR_ARGS(...) __VA_ARGS__
/* Linear memory by index: no filter, no wrapping; outside reads the border, which is zero. */
SR_TEX(tex1Dfetch, (int x), (unsigned int)x >= t->width
                                ? (__sr_color{{0, 0, 0, 0}, {0, 0, 0, 0}})
                                : __sr_image_read(t, __sr_image_address(t, x, 0, 0), t->read_mode == hipReadModeNormalizedFloat))
SR_TEX(tex1D, (float x), __sr_sample(t, x, 0, 0, 1, 0))
SR_TEX(tex2D, (float x, float y), __sr_sample(t, x, y, 0, 2, 0))
SR_TEX(tex3D, (float x, float y, float z), __sr_sample(t, x, y, z, 3, 0))
SR_TEX(tex1DLayered, (float x, int layer), __sr_sample(t, x, 0, 0, 1, layer))
SR_TEX(tex2DLayered, (float x, float y, int layer), __sr_sample(t, x, y, 0, 2, layer))
SR_TEX(tex1DLod, (float x, float), __sr_sample(t, x, 0, 0, 1, 0))
SR_TEX(tex2DLod, (float x, float y, float), __sr_sample(t, x, y, 0, 2, 0))
SR_TEX(tex3DLod, (float x, float y, float z, float), __sr_sample(t, x, y, z, 3, 0))
SR_TEX(tex1DLayeredLod, (float x, int layer, float), __sr_sample(t, x, 0, 0, 1, layer))
SR_TEX(tex2DLayeredLod, (float x, float y, int layer, float), __sr_sample(t, x, y, 0, 2, layer))
SR_TEX(tex1DGrad, (float x, float, float), __sr_sample(t, x, 0, 0, 1, 0))
SR_TEX(tex2DGrad, (float x, float y, float2, float2), __sr_sample(t, x, y, 0, 2, 0))
SR_TEX(tex3DGrad, (float x, float y, float z, float4, float4), __sr_sample(t, x, y, z, 3, 0))
/* A cube map is six layers, +x -x +y -y +z -z; the largest coordinate chooses the face. */
SR_TEX(texCubemap, (float x, float y, float z), __sr_sample_cube(t, x, y, z, 0))
SR_TEX(texCubemapLayered, (float x, float y, float z, int layer), __sr_sample_cube(t, x, y, z, layer))
/* One component of the four texels that a linear filter would read, counter-clockwise from the lower left. */
SR_TEX(tex2Dgather, (float x, float y, int component = 0), __sr_gather(t, x, y, component))
#undef SR_TEX
#undef __SR_ARGS

#endif
#endif
