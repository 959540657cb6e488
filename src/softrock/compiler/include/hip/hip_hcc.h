/* Part of softrock (MIT licence, see LICENSE). Old name of hip_ext.h. */
#ifndef SOFTROCK_HIP_HCC_H
#define SOFTROCK_HIP_HCC_H
#include "hip/hip_ext.h"
#endif
