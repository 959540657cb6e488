// OCKL: functions of a whole wave. They work over the active lanes, by reading them one after the other, and hold for both
// wave sizes: nothing here assumes one.
#include "base.h"

#if defined(__AMDGCN__)
INLINE u64 active() { return __builtin_amdgcn_read_exec(); }
INLINE u32 lane_below(u64 mask) {
  return __builtin_amdgcn_mbcnt_hi((u32)(mask >> 32), __builtin_amdgcn_mbcnt_lo((u32)mask, 0u));
}
INLINE u32 lane_id() { return lane_below(~0ul); }

template <class T> INLINE T read_lane(T x, u32 lane) {
  if constexpr (sizeof(T) == 4) {
    return __builtin_bit_cast(T, (u32)__builtin_amdgcn_readlane(__builtin_bit_cast(int, x), (int)lane));
  } else {
    u64 b = __builtin_bit_cast(u64, x);
    u32 low = (u32)__builtin_amdgcn_readlane((int)(u32)b, (int)lane);
    u32 high = (u32)__builtin_amdgcn_readlane((int)(u32)(b >> 32), (int)lane);
    return __builtin_bit_cast(T, ((u64)high << 32) | low);
  }
}

struct op_add { template <class T> static T of(T a, T b) { return a + b; } };
struct op_min { template <class T> static T of(T a, T b) { return b < a ? b : a; } };
struct op_max { template <class T> static T of(T a, T b) { return a < b ? b : a; } };
struct op_and { template <class T> static T of(T a, T b) { return a & b; } };
struct op_or { template <class T> static T of(T a, T b) { return a | b; } };
struct op_xor { template <class T> static T of(T a, T b) { return a ^ b; } };

// All active lanes combined in lane order; every lane gets the result.
template <class OP, class T> INLINE T reduce(T x) {
  u64 mask = active();
  T r = read_lane(x, (u32)__builtin_ctzl(mask));
  for (mask &= mask - 1; mask; mask &= mask - 1) r = OP::of(r, read_lane(x, (u32)__builtin_ctzl(mask)));
  return r;
}
// Combination of the active lanes up to this one (`own`: with this one); lanes without one before them get `identity`.
template <class OP, class T> INLINE T scan(T x, bool own, T identity) {
  u32 me = lane_id();
  T running = identity, mine = identity;
  for (u64 mask = active(); mask; mask &= mask - 1) {
    u32 lane = (u32)__builtin_ctzl(mask);
    T before = running;
    running = OP::of(running, read_lane(x, lane));
    mine = lane == me ? (own ? running : before) : mine;
  }
  return mine;
}

#define WAVE_OP(name, S, T, identity)                                                          \
  API T __ockl_wfred_##name##_##S(T x) { return reduce<op_##name>(x); }                        \
  API T __ockl_wfscan_##name##_##S(T x, bool own) { return scan<op_##name>(x, own, (T)(identity)); }
#define WAVE_ARITHMETIC(S, T, low, high)                                                       \
  WAVE_OP(add, S, T, 0) WAVE_OP(min, S, T, high) WAVE_OP(max, S, T, low)
#define WAVE_LOGIC(S, T) WAVE_OP(and, S, T, ~(T)0) WAVE_OP(or, S, T, 0) WAVE_OP(xor, S, T, 0)
WAVE_ARITHMETIC(i32, int, -0x7fffffff - 1, 0x7fffffff)
WAVE_ARITHMETIC(u32, u32, 0, 0xffffffffu)
WAVE_ARITHMETIC(i64, i64, -0x7fffffffffffffffl - 1, 0x7fffffffffffffffl)
WAVE_ARITHMETIC(u64, u64, 0, ~0ul)
WAVE_ARITHMETIC(f32, float, -inf<float>(), inf<float>())
WAVE_ARITHMETIC(f64, double, -inf<double>(), inf<double>())
WAVE_LOGIC(i32, int)
WAVE_LOGIC(u32, u32)
WAVE_LOGIC(i64, i64)
WAVE_LOGIC(u64, u64)

API u32 __ockl_lane_u32() { return lane_id(); }
API u32 __ockl_activelane_u32() { return lane_below(active()); }
API int __ockl_wfany_i32(int e) { return reduce<op_or>(e != 0 ? 1 : 0); }
API int __ockl_wfall_i32(int e) { return reduce<op_and>(e != 0 ? 1 : 0); }
API int __ockl_wfsame_i32(int e) {
  int all = reduce<op_and>(e != 0 ? 1 : 0), any = reduce<op_or>(e != 0 ? 1 : 0);
  return all == any;
}
API u32 __ockl_wfbcast_u32(u32 x, u32 lane) { return read_lane(x, lane); }
API u64 __ockl_wfbcast_u64(u64 x, u32 lane) { return read_lane(x, lane); }
API float __ockl_readuplane_f32(float x, int by) {  // the value `by` lanes above, own value past the end
  u32 target = lane_id() + (u32)by;
  u32 size = (u32)__builtin_amdgcn_wavefrontsize();
  target = target < size ? target : lane_id();
  return __builtin_bit_cast(float, __builtin_amdgcn_ds_bpermute((int)(target << 2), __builtin_bit_cast(int, x)));
}
#endif
