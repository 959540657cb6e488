#include <hip/hip_runtime.h>
__global__ void wait(long long cycles) {
  long long start = clock64();
//                  ^~~~~~~ warning clock-units
  while (wall_clock64() - start < cycles) {}
}
long long cycles(const hipDeviceProp_t& prop, double ms) { return prop.clockRate * ms; }
