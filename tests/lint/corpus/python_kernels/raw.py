import cupy

step = cupy.RawKernel(r'''
extern "C" __global__ void step(float* p, int n) {
  int lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
//     ^~~~~~~ error inline-ptx
  if (threadIdx.x < n) {
    __syncthreads();
//  ^~~~~~~~~~~~~ error barrier-in-divergent-code
  }
}
''', "step", options=("-arch=sm_80", "-std=c++17"))
#                     ^~~~~~~~~~~~~ warning raw-kernel-options
elsewhere = dict(options=("-arch=sm_80",))
