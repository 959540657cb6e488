/* Part of softrock (MIT licence, see LICENSE). ROCTX ranges, and names, which only this header has. */
#ifndef SOFTROCK_ROCTX_NAMES_H
#define SOFTROCK_ROCTX_NAMES_H
#include "softrock/roctx_ranges.h"
struct ihipStream_t;
static inline int roctxNameOsThread(const char *name) { return (void)name, 0; }
static inline int roctxNameHipDevice(const char *name, int device) { return (void)name, (void)device, 0; }
static inline int roctxNameHipStream(const char *name, const struct ihipStream_t *stream) {
    return (void)name, (void)stream, 0;
}
#endif
