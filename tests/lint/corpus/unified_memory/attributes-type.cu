bool on_device(const void *p) {
  cudaPointerAttributes a;
  if (cudaPointerGetAttributes(&a, p) != cudaSuccess) return false;
  return a.type == 2;
//                 ^ warning pointer-attributes
}
struct Event { int type; };
bool key(const Event &e) { return e.type == 2; }
