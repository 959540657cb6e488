// A kernel with much of what compilers emit: arithmetic of all widths, divergence, loops, LDS, scratch, atomics, calls.
#define DEVICE __attribute__((device))
#define SHARED __attribute__((shared))

typedef _Float16 half;
typedef float float4 __attribute__((ext_vector_type(4)));
typedef half half2 __attribute__((ext_vector_type(2)));
typedef half half4 __attribute__((ext_vector_type(4)));
typedef half half16 __attribute__((ext_vector_type(16)));
typedef float float8 __attribute__((ext_vector_type(8)));

DEVICE __attribute__((noinline)) double polynomial(double x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum = __builtin_fma(sum, x, 1.0 / (i + 1));
  return sum;
}

extern "C" __attribute__((global)) void mixture(float *a, double *b, half *h, int *i, long *l, unsigned char *c,
                                                short *s, int n) {
  SHARED int tile[256];
  int lane = __builtin_amdgcn_workitem_id_x(), group = __builtin_amdgcn_workgroup_id_x();
  int at = group * 64 + lane;
  if (at >= n) return;
  tile[lane] = i[at];
  __builtin_amdgcn_s_barrier();
  int found = tile[lane ^ 7];
  int table[16];
  for (int k = 0; k < 16; ++k) table[k] = found * k + at;
  for (int k = 0; k < n; ++k) table[(k * found) & 15] += table[(k + at) & 15];
  a[at] = __builtin_sqrtf(a[at]) / (float)(found | 1) + __builtin_fmaxf(a[at], 0x1.234p3f);
  b[at] = polynomial(b[at], found) / b[at + 1];
  h[at] = h[at] * (half)2.5 + h[at + 1] - (half)found;
  half2 pair = ((half2 *)h)[at];
  ((half2 *)h)[at] = pair * pair + (half2)(1.0f, 3.0f);
  i[at] = i[at] / (found | 1) + i[at] % 13 + __builtin_popcount(found) + __builtin_ctz(found | 1) + table[at & 15];
  l[at] = l[at] / (l[at + 1] | 1) * 1000003 + (l[at] >> (found & 63));
  c[at] = c[at] * 3 + (c[at + 1] >> 2);
  s[at] = s[at] * s[at + 1] - 17;
  __hip_atomic_fetch_add(&i[0], found, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  __hip_atomic_fetch_add(&a[0], 1.0f, __ATOMIC_SEQ_CST, __HIP_MEMORY_SCOPE_SYSTEM);
  __hip_atomic_fetch_max(&tile[1], found, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
  long old = l[1];
  while (!__hip_atomic_compare_exchange_strong(&l[1], &old, old ^ found, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED,
                                               __HIP_MEMORY_SCOPE_AGENT)) {
  }
  i[n + at] = __builtin_amdgcn_update_dpp(0, found, 0x111, 0xf, 0xf, true) + __builtin_amdgcn_ds_bpermute(lane * 4, at) +
              __builtin_amdgcn_readfirstlane(at) + __builtin_amdgcn_ds_swizzle(found, 0x401f);
}

extern "C" __attribute__((global)) void matrix(half4 *a, half16 *b, float4 *c, float8 *d) {
  int lane = __builtin_amdgcn_workitem_id_x();
#ifdef __gfx942__
  c[lane] = __builtin_amdgcn_mfma_f32_16x16x16f16(a[lane], a[lane + 64], c[lane], 0, 0, 0);
#endif
#ifdef __gfx1100__
  d[lane] = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(b[lane], b[lane + 32], d[lane]);
#endif
}
