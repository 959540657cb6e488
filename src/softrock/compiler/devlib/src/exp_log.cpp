// OCML exports: exponentials and logarithms.
#include "exp_log.h"

EXPORT1(exp, exp_t)
EXPORT1(exp2, exp2_t)
EXPORT1(exp10, exp10_t)
EXPORT1(expm1, expm1_t)
EXPORT1(log, log_t)
EXPORT1(log2, log2_t)
EXPORT1(log10, log10_t)
EXPORT1(log1p, log1p_t)
