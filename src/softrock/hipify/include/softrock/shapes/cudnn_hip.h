/* Part of softrock (MIT licence, see LICENSE). Names of MIOpen that have a shape; members as in its reference. */
#ifdef __cplusplus
enum miopenConvFwdAlgorithm_t : int {};
enum miopenConvBwdDataAlgorithm_t : int {};
enum miopenConvBwdWeightsAlgorithm_t : int {};
#else
typedef int miopenConvFwdAlgorithm_t, miopenConvBwdDataAlgorithm_t, miopenConvBwdWeightsAlgorithm_t;
#endif
typedef struct miopenConvAlgoPerf_t {
  union {
    miopenConvFwdAlgorithm_t fwd_algo;
    miopenConvBwdWeightsAlgorithm_t bwd_weights_algo;
    miopenConvBwdDataAlgorithm_t bwd_data_algo;
  };
  float time;
  size_t memory;
} miopenConvAlgoPerf_t;
