/* Part of softrock (MIT licence, see LICENSE). Prototypes of libhiprtc, one a line; handles are opaque pointers.
 * Names and values follow the documented HIPRTC API. */
#ifndef SOFTROCK_ABI_HIPRTC_API_H
#define SOFTROCK_ABI_HIPRTC_API_H
#include <stddef.h>

typedef int hiprtcResult;
typedef int hiprtcJITInputType;

const char *hiprtcGetErrorString(hiprtcResult result);
hiprtcResult hiprtcVersion(int *major, int *minor);
hiprtcResult hiprtcCreateProgram(void **prog, const char *src, const char *name, int numHeaders, const char **headers, const char **includeNames);
hiprtcResult hiprtcDestroyProgram(void **prog);
hiprtcResult hiprtcAddNameExpression(void *prog, const char *name_expression);
hiprtcResult hiprtcCompileProgram(void *prog, int numOptions, const char **options);
hiprtcResult hiprtcGetLoweredName(void *prog, const char *name_expression, const char **lowered_name);
hiprtcResult hiprtcGetProgramLog(void *prog, char *log);
hiprtcResult hiprtcGetProgramLogSize(void *prog, size_t *logSizeRet);
hiprtcResult hiprtcGetCode(void *prog, char *code);
hiprtcResult hiprtcGetCodeSize(void *prog, size_t *codeSizeRet);
hiprtcResult hiprtcGetBitcode(void *prog, char *bitcode);
hiprtcResult hiprtcGetBitcodeSize(void *prog, size_t *bitcode_size);
hiprtcResult hiprtcLinkCreate(unsigned int num_options, int *option_ptr, void **option_vals_pptr, void **link_state_ptr);
hiprtcResult hiprtcLinkAddFile(void *link_state, hiprtcJITInputType input_type, const char *file_path, unsigned int num_options, int *options_ptr, void **option_values);
hiprtcResult hiprtcLinkAddData(void *link_state, hiprtcJITInputType input_type, void *image, size_t image_size, const char *name, unsigned int num_options, int *options_ptr, void **option_values);
hiprtcResult hiprtcLinkComplete(void *link_state, void **bin_out, size_t *size_out);
hiprtcResult hiprtcLinkDestroy(void *link_state);

#endif
