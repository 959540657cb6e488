#include <hip/hip_runtime.h>
struct Buffer {
  float* data;
  Buffer() : data(nullptr) { hipMalloc(&data, 64); }
//                           ^~~~~~~~~ warning unchecked-call
  ~Buffer() { hipFree(data); }
//            ^~~~~~~ note unchecked-call
};
