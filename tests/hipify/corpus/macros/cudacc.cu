#ifdef __CUDACC__
#define HD __host__ __device__
#else
#define HD
#endif
#if defined(__CUDACC__) && !defined(NO)
#endif
