/* Part of softrock (MIT licence, see LICENSE). Reductions and scans over tiles and coalesced groups. */
#ifndef SOFTROCK_HIP_COOPERATIVE_GROUPS_REDUCE_H
#define SOFTROCK_HIP_COOPERATIVE_GROUPS_REDUCE_H

#include "hip/detail/cooperative_groups.h"

#if defined(__SR_GPU__) && defined(__cplusplus)

namespace cooperative_groups {

#define SR_M inline __attribute__((device, always_inline))
#define SR_OPERATION(name, expression) \
    template <typename T = void> struct name { \
        __attribute__((host, device)) T operator()(const T &a, const T &b) const { return expression; } \
    };
SR_OPERATION(plus, a + b)
SR_OPERATION(less, b < a ? b : a)
SR_OPERATION(greater, a < b ? b : a)
SR_OPERATION(bit_and, a &b)
SR_OPERATION(bit_or, a | b)
SR_OPERATION(bit_xor, a ^ b)
#undef SR_OPERATION


/* In rank order whatever the group, and the same result in every thread. */
template <unsigned int n, typename T, typename F> SR_M T __sr_reduce_group(const __sr_tile<n> &g, T value, F &op) {
    for (unsigned int d = 1; d < n; d <<= 1) {
        const T other = g.shfl_xor(value, d);
        value = (g.thread_rank() & d) ? op(other, value) : op(value, other);
    }
    return value;
}
template <typename T, typename F> SR_M T __sr_reduce_group(const coalesced_group &g, T value, F &op) {
    return __sr_reduce(g.__sr_mask_of(), value, [&](const T &a, const T &b) { return (T)op(a, b); });
}
template <typename G, typename T, typename F> SR_M T reduce(const G &g, T value, F &&op) {
    return __sr_reduce_group(g, value, op);
}

template <typename G, typename T, typename F> SR_M T inclusive_scan(const G &g, T value, F &&op) {
    const unsigned int rank = g.thread_rank();
    for (unsigned int d = 1; d < g.size(); d <<= 1) {
        const T before = g.shfl_up(value, d);
        if (rank >= d) value = op(before, value);
    }
    return value;
}
template <typename G, typename T> SR_M T inclusive_scan(const G &g, T value) { return inclusive_scan(g, value, plus<T>()); }
/* The first thread gets a value-initialised T. */
template <typename G, typename T, typename F> SR_M T exclusive_scan(const G &g, T value, F &&op) {
    const T before = g.shfl_up(inclusive_scan(g, value, op), 1);
    return g.thread_rank() == 0 ? T() : before;
}
template <typename G, typename T> SR_M T exclusive_scan(const G &g, T value) { return exclusive_scan(g, value, plus<T>()); }

#undef SR_M

} // namespace cooperative_groups

#endif
#endif
