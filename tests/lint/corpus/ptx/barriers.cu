__device__ void wait(int name, int threads) {
  asm volatile("" ::: "memory");
  asm volatile("bar.sync 0;" ::: "memory");
//              ^~~~~~~~ error inline-ptx
  asm volatile("bar.sync %0, %1;" : : "r"(name), "r"(threads));
//              ^~~~~~~~ error inline-ptx
  asm volatile("membar.gl;");
//              ^~~~~~~~~ error inline-ptx
  asm volatile("fence.acq_rel.gpu;");
//              ^~~~~~~~~~~~~~~~~ error inline-ptx
  asm volatile("griddepcontrol.wait;");
//              ^~~~~~~~~~~~~~~~~~~ error inline-ptx
}
