/* Part of softrock (MIT licence, see LICENSE). Enumerations of the HIP runtime API: one door to all of them.
 * Names and numeric values follow the documented HIP 7 runtime API and were checked against AMD's public
 * Python bindings of it. */
#ifndef SOFTROCK_HIP_API_ENUMS_H
#define SOFTROCK_HIP_API_ENUMS_H

#include "hip/detail/api_enums_core.h"
#include "hip/detail/api_enums_graph.h"

#endif
