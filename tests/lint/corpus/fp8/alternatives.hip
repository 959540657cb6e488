#include <hip/hip_fp8.h>
#if defined(MY_CDNA3)
#if N
using fp8 = __hip_fp8_e4m3_fnuz;
#endif
#else
using fp8 = __hip_fp8_e4m3;
#endif
const char *name(ScalarType type) {
  switch (type) {
  case ScalarType::Float8_e4m3fnuz: return "fnuz";
  case ScalarType::Float8_e4m3fn: return "fn";
  }
}
