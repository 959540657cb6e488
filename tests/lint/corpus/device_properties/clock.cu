__global__ void wait(long long cycles) {
  long long start = clock64();
//                  ^~~~~~~ note clock-units
  while (clock64() - start < cycles) {}
//       ^~~~~~~ note clock-units
}
double seconds() { return double(clock()) / CLOCKS_PER_SEC; }
