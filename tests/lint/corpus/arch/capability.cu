bool fast(const cudaDeviceProp& prop, int device, const Version& version) {
  int major = 0;
  (void)cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
//                                     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ note compute-capability
  int sm = prop.major * 10 + prop.minor;
//              ^~~~~ warning compute-capability
  return prop.major >= 8 || (7 == prop.major && prop.minor == 5) || version.major >= 3;
//            ^~~~~~~~~~ warning compute-capability
//                                     ^~~~~ warning compute-capability
//                                                   ^~~~~~~~~~ warning compute-capability
}
