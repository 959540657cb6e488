__device__ unsigned lane() {
  unsigned id, mask;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(id));
//              ^~~~~~~ error inline-ptx
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
//     ^~~~~~~ error inline-ptx
  asm("mov.u32 %0, %laneid;" : "=r"(id));
//     ^~~~~~~ error inline-ptx
  return id + mask;
}
__device__ long long now() {
  long long t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)::"memory");
//              ^~~~~~~ error inline-ptx
  return t;
}
