#define EXP2(out, in) asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(out) : "f"(in))
//                         ^~~~~~~~~~~~~~~~~~ error inline-ptx
__device__ float power(float x) { float r; EXP2(r, x); return r; }
