/* Part of softrock (MIT licence, see LICENSE). Ends every CUDA-named header: a source that can be built either way asks these
 * macros which way this is, and a .cu file is to be built as CUDA. No include guard: every time again. */
#if defined(__SOFTROCK_CUDA__)
#undef __HIP__
#undef __HIPCC__
#undef __HIP_PLATFORM_AMD__
#undef __HIP_DEVICE_COMPILE__
#endif
