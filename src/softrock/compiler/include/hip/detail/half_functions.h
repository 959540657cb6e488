/* Part of softrock (MIT licence, see LICENSE). Conversions of half precision (included by hip_fp16.h). */

#define SR_F __SR_HOST_DEVICE_INLINE

SR_F __half __ushort_as_half(unsigned short bits) { return __half(__half_raw{bits}); }
SR_F __half __short_as_half(short bits) { return __half(__half_raw{(unsigned short)bits}); }
SR_F unsigned short __half_as_ushort(__half a) { return a.__x; }
SR_F short __half_as_short(__half a) { return (short)a.__x; }

/* ---- float and double ---- */
SR_F __half __float2half(float v) { return __half(v); }
SR_F __half __float2half_rn(float v) { return __half(v); }
SR_F __half __float2half_rd(float v) { return __ushort_as_half(__sr_narrow<10, 15>(v, 1)); }
SR_F __half __float2half_ru(float v) { return __ushort_as_half(__sr_narrow<10, 15>(v, 2)); }
SR_F __half __float2half_rz(float v) { return __ushort_as_half(__sr_narrow<10, 15>(v, 3)); }
SR_F __half __double2half(double v) { return __half(v); }
SR_F float __half2float(__half a) { return (float)a; }
SR_F __half2 __float2half2_rn(float v) { return __half2(__half(v), __half(v)); }
SR_F __half2 __floats2half2_rn(float x, float y) { return __half2(__half(x), __half(y)); }
SR_F __half2 __float22half2_rn(float2 v) { return __half2(__half(v.x), __half(v.y)); }
SR_F float2 __half22float2(__half2 a) { return float2{(float)a.x, (float)a.y}; }
SR_F float __low2float(__half2 a) { return (float)a.x; }
SR_F float __high2float(__half2 a) { return (float)a.y; }

/* ---- putting pairs together and taking them apart ---- */
SR_F __half2 make_half2(__half x, __half y) { return __half2(x, y); }
SR_F __half2 __halves2half2(__half x, __half y) { return __half2(x, y); }
SR_F __half2 __half2half2(__half a) { return __half2(a, a); }
SR_F __half __low2half(__half2 a) { return a.x; }
SR_F __half __high2half(__half2 a) { return a.y; }
SR_F __half2 __low2half2(__half2 a) { return __half2(a.x, a.x); }
SR_F __half2 __high2half2(__half2 a) { return __half2(a.y, a.y); }
SR_F __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
SR_F __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }
SR_F __half2 __lowhigh2highlow(__half2 a) { return __half2(a.y, a.x); }

#if defined(__SR_GPU__)
/* ---- integers ---- */
#define SR_FROM_INTEGER(I, name) \
    SR_F __half __##name##2half_rn(I v) { return __ushort_as_half(__sr_narrow_integer<10, 15>(v, 0)); } \
    SR_F __half __##name##2half_rd(I v) { return __ushort_as_half(__sr_narrow_integer<10, 15>(v, 1)); } \
    SR_F __half __##name##2half_ru(I v) { return __ushort_as_half(__sr_narrow_integer<10, 15>(v, 2)); } \
    SR_F __half __##name##2half_rz(I v) { return __ushort_as_half(__sr_narrow_integer<10, 15>(v, 3)); }
SR_FROM_INTEGER(short, short)
SR_FROM_INTEGER(unsigned short, ushort)
SR_FROM_INTEGER(int, int)
SR_FROM_INTEGER(unsigned int, uint)
SR_FROM_INTEGER(long long, ll)
SR_FROM_INTEGER(unsigned long long, ull)
#undef SR_FROM_INTEGER
#define SR_TO_INTEGER(I, name) \
    __SR_DEVICE I __half2##name##_rn(__half a) { return __sr_saturate<I>(__builtin_rintf((float)a)); } \
    __SR_DEVICE I __half2##name##_rd(__half a) { return __sr_saturate<I>(__builtin_floorf((float)a)); } \
    __SR_DEVICE I __half2##name##_ru(__half a) { return __sr_saturate<I>(__builtin_ceilf((float)a)); } \
    __SR_DEVICE I __half2##name##_rz(__half a) { return __sr_saturate<I>(__builtin_truncf((float)a)); }
SR_TO_INTEGER(short, short)
SR_TO_INTEGER(unsigned short, ushort)
SR_TO_INTEGER(int, int)
SR_TO_INTEGER(unsigned int, uint)
SR_TO_INTEGER(long long, ll)
SR_TO_INTEGER(unsigned long long, ull)
SR_TO_INTEGER(signed char, char)
SR_TO_INTEGER(unsigned char, uchar)
#undef SR_TO_INTEGER
#endif

#undef SR_F
