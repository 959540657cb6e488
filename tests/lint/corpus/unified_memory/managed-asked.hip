#include <hip/hip_runtime.h>
bool run(float** data) {
  int can = 0;
  (void)hipDeviceGetAttribute(&can, hipDeviceAttributeConcurrentManagedAccess, 0);
  return can && hipMallocManaged(data, 1024) == hipSuccess;
}
