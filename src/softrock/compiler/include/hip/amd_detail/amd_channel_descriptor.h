/* Part of softrock (MIT licence, see LICENSE). hipCreateChannelDesc. */
#ifndef SOFTROCK_AMD_DETAIL_AMD_CHANNEL_DESCRIPTOR_H
#define SOFTROCK_AMD_DETAIL_AMD_CHANNEL_DESCRIPTOR_H
#include "hip/hip_runtime_api.h"
#endif
