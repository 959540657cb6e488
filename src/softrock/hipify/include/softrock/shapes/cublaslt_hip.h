/* Part of softrock (MIT licence, see LICENSE). Structures of hipBLASLt that have members. */
typedef struct hipblasLtMatmulAlgo_t { uint64_t data[8]; } hipblasLtMatmulAlgo_t;
typedef struct hipblasLtMatmulHeuristicResult_t {
  hipblasLtMatmulAlgo_t algo;
  size_t workspaceSize;
  hipblasStatus_t state;
  float wavesCount;
  int reserved[4];
} hipblasLtMatmulHeuristicResult_t;
typedef struct hipblasLtMatrixLayoutOpaque_t { uint64_t data[8]; } hipblasLtMatrixLayoutOpaque_t;
typedef hipblasLtMatrixLayoutOpaque_t *hipblasLtMatrixLayout_t;
typedef struct hipblasLtMatmulDescOpaque_t { uint64_t data[32]; } hipblasLtMatmulDescOpaque_t;
typedef hipblasLtMatmulDescOpaque_t *hipblasLtMatmulDesc_t;
typedef struct hipblasLtMatmulPreferenceOpaque_t { uint64_t data[8]; } hipblasLtMatmulPreferenceOpaque_t;
typedef hipblasLtMatmulPreferenceOpaque_t *hipblasLtMatmulPreference_t;
