/* Part of softrock (MIT licence, see LICENSE). The calls of libhiprtc that need no Python. */
#include "shim.h"
#include "hip/hiprtc.h"

const char *hiprtcGetErrorString(hiprtcResult result) {
    static const char *const names[] = {
        "HIPRTC_SUCCESS",
        "HIPRTC_ERROR_OUT_OF_MEMORY",
        "HIPRTC_ERROR_PROGRAM_CREATION_FAILURE",
        "HIPRTC_ERROR_INVALID_INPUT",
        "HIPRTC_ERROR_INVALID_PROGRAM",
        "HIPRTC_ERROR_INVALID_OPTION",
        "HIPRTC_ERROR_COMPILATION",
        "HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE",
        "HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
        "HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
        "HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
        "HIPRTC_ERROR_INTERNAL_ERROR",
    };
    if ((size_t)result < sizeof names / sizeof names[0]) return names[result];
    return result == HIPRTC_ERROR_LINKING ? "HIPRTC_ERROR_LINKING" : "HIPRTC_ERROR_INVALID_INPUT";
}
