/* Part of softrock (MIT licence, see LICENSE). Types of hipFFT that have a shape. */
typedef float hipfftReal;
typedef double hipfftDoubleReal;
typedef hipComplex hipfftComplex;
typedef hipDoubleComplex hipfftDoubleComplex;
typedef struct hipfftHandle_t* hipfftHandle;
#define HIPFFT_FORWARD -1
#define HIPFFT_BACKWARD 1
#define HIP_XT_DESCRIPTOR_VERSION 0x01000000
#define MAX_HIP_DESCRIPTOR_GPUS 64
typedef struct hipXtDesc_t {
  int version, nGPUs;
  int GPUs[64];
  void *data[64];
  size_t size[64];
  void *hipXtState;
} hipXtDesc;
typedef struct hipLibXtDesc_t {
  int version;
  hipXtDesc *descriptor;
  int library, subFormat;
  void *libDescriptor;
} hipLibXtDesc;
