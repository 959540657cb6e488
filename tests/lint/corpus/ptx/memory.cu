__device__ int load(const int* p) {
  int v;
  asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
//              ^~~~~~~~~~~~~~~~~~~~~~~~~ error inline-ptx
  asm volatile("ld.global.nc.L1::no_allocate.s32 %0, [%1];" : "=r"(v) : "l"(p));
//              ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error inline-ptx
  asm volatile("ld.volatile.global.s32 %0, [%1];" : "=r"(v) : "l"(p));
//              ^~~~~~~~~~~~~~~~~~~~~~ error inline-ptx
  asm volatile("red.release.gpu.global.add.s32 [%0], %1;" ::"l"(p), "r"(v));
//              ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error inline-ptx
  asm volatile(R"(prefetch.global.L2 [%0];)" ::"l"(p));
//                ^~~~~~~~~~~~~~~~~~ error inline-ptx
  return v;
}
