/* Part of softrock (MIT licence, see LICENSE). Names of cuBLAS that have a shape. */
#define CUBLAS_VER_MAJOR 12
#define CUBLAS_VER_MINOR 0
#define CUBLAS_VER_PATCH 0
#define CUBLAS_VER_BUILD 0
#define CUBLAS_VERSION 120000
typedef cudaDataType cublasDataType_t;
#ifdef __cplusplus
/* The interface of before version 2. */
float cublasSdot(int, const float *, int, const float *, int);
double cublasDdot(int, const double *, int, const double *, int);
template <class... A> SR_HD int cublasSdot(A &&...);
template <class... A> SR_HD int cublasDdot(A &&...);
float cublasSnrm2(int, const float *, int);
double cublasDnrm2(int, const double *, int);
template <class... A> SR_HD int cublasSnrm2(A &&...);
template <class... A> SR_HD int cublasDnrm2(A &&...);
#endif
