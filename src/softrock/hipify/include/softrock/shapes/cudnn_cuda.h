/* Part of softrock (MIT licence, see LICENSE). Names of cuDNN that have a shape. */
#define CUDNN_MAJOR 8
#define CUDNN_MINOR 9
#define CUDNN_PATCHLEVEL 0
#define CUDNN_VERSION 8900
#define CUDNN_DIM_MAX 8
#define CUDNN_BN_MIN_EPSILON 0.0
#ifdef __cplusplus
enum cudnnStatus_t : int {};
enum cudnnMathType_t : int {};
enum cudnnDeterminism_t : int {};
enum cudnnConvolutionFwdAlgo_t : int {};
enum cudnnConvolutionBwdDataAlgo_t : int {};
enum cudnnConvolutionBwdFilterAlgo_t : int {};
#else
typedef int cudnnStatus_t, cudnnMathType_t, cudnnDeterminism_t;
typedef int cudnnConvolutionFwdAlgo_t, cudnnConvolutionBwdDataAlgo_t, cudnnConvolutionBwdFilterAlgo_t;
#endif
#define SR_PERFORMANCE(name, type) \
  typedef struct name { \
    type algo; \
    cudnnStatus_t status; \
    float time; \
    size_t memory; \
    cudnnDeterminism_t determinism; \
    cudnnMathType_t mathType; \
    int reserved[3]; \
  } name
SR_PERFORMANCE(cudnnConvolutionFwdAlgoPerf_t, cudnnConvolutionFwdAlgo_t);
SR_PERFORMANCE(cudnnConvolutionBwdDataAlgoPerf_t, cudnnConvolutionBwdDataAlgo_t);
SR_PERFORMANCE(cudnnConvolutionBwdFilterAlgoPerf_t, cudnnConvolutionBwdFilterAlgo_t);
#undef SR_PERFORMANCE
