/* Part of softrock (MIT licence, see LICENSE). ROCTX and NVTX ranges: accepted, not recorded. */
#ifndef SOFTROCK_ROCTX_RANGES_H
#define SOFTROCK_ROCTX_RANGES_H
#include <stdint.h>
typedef uint64_t roctx_range_id_t;
static inline void roctxMarkA(const char *message) { (void)message; }
static inline int roctxRangePushA(const char *message) { return (void)message, 0; }
static inline int roctxRangePop(void) { return 0; }
static inline roctx_range_id_t roctxRangeStartA(const char *message) { return (void)message, 0; }
static inline void roctxRangeStop(roctx_range_id_t id) { (void)id; }
#define roctxMark(message) roctxMarkA(message)
#define roctxRangePush(message) roctxRangePushA(message)
#define roctxRangeStart(message) roctxRangeStartA(message)
#endif
