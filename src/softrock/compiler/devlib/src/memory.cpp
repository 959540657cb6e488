// Plain C memory functions and the few C++ run-time entry points that device code may refer to.
// (__cxa_guard_* is not among them: clang rejects function-local statics with dynamic initialisers in device code.)
#include "base.h"

#if defined(__AMDGCN__)
#define NO_IDIOM __attribute__((no_builtin))
#define C_API extern "C" __attribute__((weak, visibility("default"))) NO_IDIOM

C_API void *memcpy(void *to, const void *from, u64 n) {
  u8 *d = (u8 *)to;
  const u8 *s = (const u8 *)from;
  for (; n >= 4; n -= 4, d += 4, s += 4) {
    u32 v;
    __builtin_memcpy_inline(&v, s, 4);
    __builtin_memcpy_inline(d, &v, 4);
  }
  for (; n; --n) *d++ = *s++;
  return to;
}
C_API void *memmove(void *to, const void *from, u64 n) {
  u8 *d = (u8 *)to;
  const u8 *s = (const u8 *)from;
  if (d < s) {
    for (u64 i = 0; i < n; ++i) d[i] = s[i];
  } else {
    for (u64 i = n; i; --i) d[i - 1] = s[i - 1];
  }
  return to;
}
C_API void *memset(void *to, int value, u64 n) {
  u8 *d = (u8 *)to;
  for (u64 i = 0; i < n; ++i) d[i] = (u8)value;
  return to;
}
C_API int memcmp(const void *a, const void *b, u64 n) {
  const u8 *x = (const u8 *)a, *y = (const u8 *)b;
  for (u64 i = 0; i < n; ++i) {
    if (x[i] != y[i]) return (int)x[i] - (int)y[i];
  }
  return 0;
}
C_API void __cxa_pure_virtual() { __builtin_trap(); }
C_API void __cxa_deleted_virtual() { __builtin_trap(); }
#endif
