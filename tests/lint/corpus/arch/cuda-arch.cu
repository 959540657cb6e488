#ifdef __CUDA_ARCH__
//     ^~~~~~~~~~~~~ warning cuda-arch
#endif
#if !defined(__CUDA_ARCH__)
//           ^~~~~~~~~~~~~ warning cuda-arch
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
//          ^~~~~~~~~~~~~ warning cuda-arch
#elif __CUDA_ARCH__ < 800
//    ^~~~~~~~~~~~~ warning cuda-arch
#endif
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
#endif
#ifdef __NVCC__
#if __CUDA_ARCH__ >= 900
#endif
#endif
