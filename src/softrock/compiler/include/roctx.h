/* Part of softrock (MIT licence, see LICENSE). ROCTX ranges. */
#include "softrock/roctx_ranges.h"
