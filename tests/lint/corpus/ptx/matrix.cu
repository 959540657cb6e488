__device__ void multiply(float* d, unsigned* a, unsigned* b) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};\n"
//     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error inline-ptx
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(b[0]));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(a[0]), "=r"(a[1]) : "r"(b[0]));
//              ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error inline-ptx
  asm volatile("redux.sync.add.s32 %0, %1, 0xffffffff;" : "=r"(a[0]) : "r"(a[1]));
//              ^~~~~~~~~~~~~~~~~~ error inline-ptx
}
