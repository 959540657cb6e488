#include <hip/hip_runtime.h>
__global__ void read(hipTextureObject_t image, float* result) { result[0] = tex2D<float>(image, 0.5f, 0.5f); }
//                                                                          ^~~~~ note texture-on-cdna
bool possible() {
  int images = 0;
  (void)hipDeviceGetAttribute(&images, hipDeviceAttributeImageSupport, 0);
  return images != 0;
}
