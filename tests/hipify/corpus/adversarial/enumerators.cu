#include <cuda_runtime.h>
enum class E : int { cudaSuccess, cudaErrorUnknown = 3 };
int a = (int)E::cudaSuccess, b = cudaSuccess;
namespace n { enum { cudaErrorInvalidValue, B }; int c = cudaErrorInvalidValue; }
int d = cudaErrorInvalidValue;
cudaMemcpyKind kinds[] = {cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost};
int e = f({cudaErrorUnknown, cudaErrorInvalidValue});
