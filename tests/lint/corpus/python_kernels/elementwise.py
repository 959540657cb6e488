import cupy

ones = cupy.ElementwiseKernel(
    "uint32 x",
    "uint32 y",
    'asm("popc.b32 %0, %1;" : "=r"(y) : "r"(x))',
#         ^~~~~~~~ error inline-ptx
    "ones",
)
module = cupy.RawModule(code="""
__global__ void read(float* p) {
  asm volatile("membar.gl;\\n");
//              ^~~~~~~~~ error inline-ptx
}
""")
