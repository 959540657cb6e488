bool on_device(const void* p) {
  cudaPointerAttributes attributes;
  if (cudaPointerGetAttributes(&attributes, p) != cudaSuccess) return false;
  return attributes.type == 2 || attributes.memoryType == cudaMemoryTypeDevice ||
//                          ^ warning pointer-attributes
//                                          ^~~~~~~~~~ warning pointer-attributes
         attributes.type == cudaMemoryTypeUnregistered;
//                          ^~~~~~~~~~~~~~~~~~~~~~~~~~ warning pointer-attributes
}
bool fine(const Field& field) { return field.type == 2; }
