/* Part of softrock (MIT licence, see LICENSE). Copies by a whole group. They are done when the call returns; wait() is the
 * barrier that makes them visible to the group. */
#ifndef SOFTROCK_HIP_COOPERATIVE_GROUPS_MEMCPY_H
#define SOFTROCK_HIP_COOPERATIVE_GROUPS_MEMCPY_H

#include "hip/detail/cooperative_groups.h"

#if defined(__SR_GPU__) && defined(__cplusplus)

namespace cooperative_groups {

#define SR_M inline __attribute__((device, always_inline))

template <typename W, typename G> SR_M void __sr_copy_words(const G &g, void *to, const void *from, __sr_size bytes) {
    W *target = (W *)to;
    const W *source = (const W *)from;
    const __sr_size words = bytes / sizeof(W);
    for (__sr_size i = g.thread_rank(); i < words; i += g.size()) target[i] = source[i];
    const char *tail = (const char *)(source + words);
    for (__sr_size i = words * sizeof(W) + g.thread_rank(); i < bytes; i += g.size())
        ((char *)to)[i] = tail[i - words * sizeof(W)];
}
template <typename G> SR_M void __sr_copy(const G &g, void *to, const void *from, __sr_size bytes) {
    const __sr_size bits = (__sr_size)to | (__sr_size)from;
    if ((bits & 15) == 0) return __sr_copy_words<uint4>(g, to, from, bytes);
    if ((bits & 3) == 0) return __sr_copy_words<unsigned int>(g, to, from, bytes);
    __sr_copy_words<char>(g, to, from, bytes);
}
template <typename G, typename T> SR_M void memcpy_async(const G &g, T *to, const T *from, __sr_size bytes) {
    __sr_copy(g, to, from, bytes);
}
template <typename G> SR_M void memcpy_async(const G &g, void *to, const void *from, __sr_size bytes) {
    __sr_copy(g, to, from, bytes);
}
/* Element counts on either side; what both have is copied. */
template <typename G, typename T>
SR_M void memcpy_async(const G &g, T *to, __sr_size to_count, const T *from, __sr_size from_count) {
    __sr_copy(g, to, from, (to_count < from_count ? to_count : from_count) * sizeof(T));
}
template <typename G> SR_M void wait(const G &g) { g.sync(); }
template <unsigned int stages, typename G> SR_M void wait_prior(const G &g) { g.sync(); }

#undef SR_M

} // namespace cooperative_groups

#endif
#endif
