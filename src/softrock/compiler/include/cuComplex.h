/* Part of softrock (MIT licence, see LICENSE). Complex numbers under CUDA's names. */
#ifndef SOFTROCK_CUDA_CUCOMPLEX_H
#define SOFTROCK_CUDA_CUCOMPLEX_H

#include "cuda_runtime.h"
#include "hip/hip_complex.h"

#define cuFloatComplex hipFloatComplex
#define cuDoubleComplex hipDoubleComplex
#define cuComplex hipComplex
#define make_cuFloatComplex make_hipFloatComplex
#define make_cuDoubleComplex make_hipDoubleComplex
#define make_cuComplex make_hipComplex
#define cuCrealf hipCrealf
#define cuCimagf hipCimagf
#define cuConjf hipConjf
#define cuCaddf hipCaddf
#define cuCsubf hipCsubf
#define cuCmulf hipCmulf
#define cuCdivf hipCdivf
#define cuCabsf hipCabsf
#define cuCfmaf hipCfmaf
#define cuCreal hipCreal
#define cuCimag hipCimag
#define cuConj hipConj
#define cuCadd hipCadd
#define cuCsub hipCsub
#define cuCmul hipCmul
#define cuCdiv hipCdiv
#define cuCabs hipCabs
#define cuCfma hipCfma
#define cuComplexDoubleToFloat hipComplexDoubleToFloat
#define cuComplexFloatToDouble hipComplexFloatToDouble

#endif
