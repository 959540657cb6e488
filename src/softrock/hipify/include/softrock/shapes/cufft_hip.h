/* Part of softrock (MIT licence, see LICENSE). Types of hipFFT that have a shape. */
typedef float hipfftReal;
typedef double hipfftDoubleReal;
typedef hipComplex hipfftComplex;
typedef hipDoubleComplex hipfftDoubleComplex;
typedef struct hipfftHandle_t* hipfftHandle;
#define HIPFFT_FORWARD -1
#define HIPFFT_BACKWARD 1
