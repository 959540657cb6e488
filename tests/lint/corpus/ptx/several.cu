__device__ void copy(unsigned to, const void* from, int guard, float& x) {
  asm volatile(
      "{\n"
      "  .reg .pred p;\n"
      "  setp.ne.b32 p, %2, 0;\n"
      "  @p cp.async.cg.shared.global [%0], [%1], 16;\n"
//          ^~~~~~~~~~~~~~~~~~~~~~~~~ error inline-ptx
      "  @!p st.shared.v4.u32 [%0], {%2, %2, %2, %2};\n"
//           ^~~~~~~~~~~~~~~~ error inline-ptx
      "}\n" ::"r"(to), "l"(from), "r"(guard));
  asm("add.cc.u32 %0, %1, %2;\n\taddc.u32 %0, %1, 0;" : "=r"(to) : "r"(to), "r"(guard));
//     ^~~~~~~~~~ error inline-ptx
//                               ^~~~~~~~ error inline-ptx
  asm("and.b32 %0, %1, %2;" : "=r"(to) : "r"(to), "r"(guard));
//     ^~~~~~~ error inline-ptx
  asm("frob.b32 %0, %1;" : "=r"(to) : "r"(guard));
//     ^~~~~~~~ error inline-ptx
}
