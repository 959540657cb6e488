/* Part of softrock (MIT licence, see LICENSE). Cooperative groups: blocks, tiles, coalesced threads, grids.
 *
 * Everything inside a warp works on lane masks; a warp is what hip/detail/warp.h says it is, so CUDA sources see 32 lanes. */
#ifndef SOFTROCK_HIP_COOPERATIVE_GROUPS_H
#define SOFTROCK_HIP_COOPERATIVE_GROUPS_H

#include "hip/hip_runtime.h"
#include "hip/detail/grid_barrier.h"

#if defined(__SR_GPU__) && defined(__cplusplus)

namespace cooperative_groups {

#define SR_M inline __attribute__((device, always_inline))

typedef __sr_mask lane_mask;

namespace internal {
enum group_type { cg_invalid, cg_multi_grid, cg_grid, cg_workgroup, cg_tiled_group, cg_coalesced_group };

SR_M unsigned int block_rank() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
SR_M unsigned int block_size() { return blockDim.x * blockDim.y * blockDim.z; }
/* First wave lane of the caller's warp. */
SR_M int warp_base() { return (int)(__sr_wave_lane() - __sr_lane()); }
SR_M unsigned int bits(lane_mask m) { return (unsigned int)__builtin_popcountll(m); }
/* Lane number of the set bit that has `rank` set bits below it; -1 where there is none. */
SR_M int lane_of_rank(lane_mask mask, int rank) {
    for (; mask != 0; mask &= mask - 1)
        if (rank-- == 0) return __builtin_ctzll(mask);
    return -1;
}
/* A block's or a grid's threads are numbered along x, then y, then z. */
SR_M lane_mask tile_mask(unsigned int size) {
    const lane_mask ones = size >= 8 * sizeof(lane_mask) ? ~(lane_mask)0 : ((lane_mask)1 << size) - 1;
    return ones << (__sr_lane() & ~(size - 1));
}
} // namespace internal

/* What every group is underneath. Copies of derived groups into it keep their meaning. */
class thread_group {
protected:
    internal::group_type type_;
    unsigned int size_;
    lane_mask mask_;
    unsigned int meta_rank_ = 0, meta_size_ = 1;

    SR_M thread_group(internal::group_type type, unsigned int size, lane_mask mask = 0)
        : type_(type), size_(size), mask_(mask) {}

public:
    SR_M unsigned int size() const { return size_; }
    SR_M unsigned int num_threads() const { return size_; }
    SR_M unsigned int cg_type() const { return type_; }
    SR_M lane_mask __sr_mask_of() const { return mask_; }
    SR_M unsigned int thread_rank() const {
        if (type_ == internal::cg_workgroup) return internal::block_rank();
        if (type_ == internal::cg_grid || type_ == internal::cg_multi_grid) return (unsigned int)__sr_grid_rank();
        return internal::bits(mask_ & __sr_lanes_before());
    }
    SR_M bool is_valid() const {
        if (type_ == internal::cg_grid || type_ == internal::cg_multi_grid) return __sr_grid_is_cooperative();
        return type_ != internal::cg_invalid;
    }
    SR_M void sync() const {
        if (type_ == internal::cg_workgroup) return __syncthreads();
        if (type_ == internal::cg_grid) return __sr_grid_sync();
        if (type_ == internal::cg_multi_grid) return __sr_multi_grid_sync();
        __sr_wave_sync();
    }
    friend SR_M thread_group tiled_partition(const thread_group &parent, unsigned int size);
};

class thread_block : public thread_group {
    SR_M thread_block() : thread_group(internal::cg_workgroup, internal::block_size()) {}
    friend SR_M thread_block this_thread_block();

public:
    static SR_M dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    static SR_M dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
    static SR_M dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
    static SR_M dim3 dim_threads() { return group_dim(); }
    static SR_M unsigned int thread_rank() { return internal::block_rank(); }
    static SR_M unsigned int size() { return internal::block_size(); }
    static SR_M unsigned int num_threads() { return internal::block_size(); }
    static SR_M bool is_valid() { return true; }
    static SR_M void sync() { __syncthreads(); }
    /* Split arrival: on hardware without split barriers, arriving waits for nothing and waiting does it all. */
    class arrival_token {};
    static SR_M arrival_token barrier_arrive() { return arrival_token(); }
    static SR_M void barrier_wait(arrival_token &&) { __syncthreads(); }
};
SR_M thread_block this_thread_block() { return thread_block(); }

class grid_group : public thread_group {
    SR_M grid_group() : thread_group(internal::cg_grid, (unsigned int)__sr_grid_size()) {}
    friend SR_M grid_group this_grid();

public:
    static SR_M bool is_valid() { return __sr_grid_is_cooperative(); }
    static SR_M void sync() { __sr_grid_sync(); }
    static SR_M unsigned long long size() { return __sr_grid_size(); }
    static SR_M unsigned long long num_threads() { return __sr_grid_size(); }
    static SR_M unsigned long long thread_rank() { return __sr_grid_rank(); }
    static SR_M unsigned long long num_blocks() { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
    static SR_M unsigned long long block_rank() {
        return blockIdx.x + (unsigned long long)gridDim.x * (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
    }
    static SR_M dim3 dim_blocks() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
    static SR_M dim3 group_dim() { return dim_blocks(); }
    static SR_M dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    class arrival_token {};
    static SR_M arrival_token barrier_arrive() { return arrival_token(); }
    static SR_M void barrier_wait(arrival_token &&) { __sr_grid_sync(); }
};
SR_M grid_group this_grid() { return grid_group(); }

class multi_grid_group : public thread_group {
    SR_M multi_grid_group() : thread_group(internal::cg_multi_grid, (unsigned int)__sr_grid_size()) {}
    friend SR_M multi_grid_group this_multi_grid();

public:
    static SR_M bool is_valid() { return __sr_grid_is_cooperative(); }
    static SR_M void sync() { __sr_multi_grid_sync(); }
    static SR_M unsigned int grid_rank() { return __sr_grid_record()->grid_id; }
    static SR_M unsigned int num_grids() { return __sr_grid_record()->num_grids; }
    static SR_M unsigned long long size() { return __sr_grid_record()->all_sum; }
    static SR_M unsigned long long thread_rank() { return __sr_grid_record()->prev_sum + __sr_grid_rank(); }
};
SR_M multi_grid_group this_multi_grid() { return multi_grid_group(); }

/* The threads of the warp that are running here together. Ranks follow lanes. */
class coalesced_group : public thread_group {
    SR_M coalesced_group(lane_mask mask) : thread_group(internal::cg_coalesced_group, internal::bits(mask), mask) {}
    friend SR_M coalesced_group coalesced_threads();
    template <typename G> friend SR_M coalesced_group __sr_subgroup(const G &, lane_mask, unsigned int, unsigned int);

    template <typename T> SR_M T from_rank(const T &value, int rank) const {
        const int lane = internal::lane_of_rank(mask_, rank);
        return __sr_from_lane(value, internal::warp_base() + (lane < 0 ? (int)__sr_lane() : lane));
    }
    /* Wave-wide votes cut to the group and packed, so that bit r speaks for rank r. */
    SR_M lane_mask packed(lane_mask votes) const {
        lane_mask out = 0, bit = 1;
        for (lane_mask left = mask_; left != 0; left &= left - 1, bit <<= 1)
            if (votes & left & (0 - left)) out |= bit;
        return out;
    }

public:
    SR_M unsigned int thread_rank() const { return internal::bits(mask_ & __sr_lanes_before()); }
    SR_M void sync() const { __sr_wave_sync(); }
    SR_M unsigned int meta_group_rank() const { return meta_rank_; }
    SR_M unsigned int meta_group_size() const { return meta_size_; }
    template <typename T> SR_M T shfl(T value, int rank) const { return from_rank(value, rank % (int)size_); }
    template <typename T> SR_M T shfl_up(T value, unsigned int delta) const {
        const int rank = (int)thread_rank() - (int)delta;
        return from_rank(value, rank < 0 ? (int)thread_rank() : rank);
    }
    template <typename T> SR_M T shfl_down(T value, unsigned int delta) const {
        const unsigned int rank = thread_rank() + delta;
        return from_rank(value, (int)(rank >= size_ ? thread_rank() : rank));
    }
    SR_M int any(int predicate) const { return (__sr_ballot(predicate != 0) & mask_) != 0; }
    SR_M int all(int predicate) const { return (__sr_ballot(predicate == 0) & mask_) == 0; }
    SR_M lane_mask ballot(int predicate) const { return packed(__sr_ballot(predicate != 0)); }
    template <typename T> SR_M lane_mask match_any(T value) const { return packed(__sr_match_any(mask_, value)); }
    template <typename T> SR_M lane_mask match_all(T value, int &predicate) const {
        return packed(__sr_match_all(mask_, value, &predicate));
    }
};
SR_M coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }
template <typename G>
SR_M coalesced_group __sr_subgroup(const G &, lane_mask mask, unsigned int rank, unsigned int count) {
    coalesced_group g(mask);
    g.meta_rank_ = rank, g.meta_size_ = count;
    return g;
}

/* `size` neighbouring threads, a power of two that fits in a warp. */
template <unsigned int tile_size> class __sr_tile : public thread_group {
    static_assert(tile_size != 0 && (tile_size & (tile_size - 1)) == 0 && tile_size <= 8 * sizeof(lane_mask),
                  "a tile is a power of two of threads, and at most a warp");

protected:
    SR_M __sr_tile(unsigned int meta_rank, unsigned int meta_size)
        : thread_group(internal::cg_tiled_group, tile_size, internal::tile_mask(tile_size)) {
        meta_rank_ = meta_rank, meta_size_ = meta_size;
    }
    SR_M lane_mask own(lane_mask votes) const { return (votes & mask_) >> (__sr_lane() & ~(tile_size - 1)); }

public:
    static SR_M unsigned int thread_rank() { return __sr_lane() & (tile_size - 1); }
    static constexpr __attribute__((device)) unsigned int size() { return tile_size; }
    static constexpr __attribute__((device)) unsigned int num_threads() { return tile_size; }
    static SR_M bool is_valid() { return true; }
    static SR_M void sync() { __sr_wave_sync(); }
    SR_M unsigned int meta_group_rank() const { return meta_rank_; }
    SR_M unsigned int meta_group_size() const { return meta_size_; }
    template <typename T> SR_M T shfl(T value, int rank) const {
        return __sr_from_lane(value, __sr_lane_at(rank, tile_size));
    }
    template <typename T> SR_M T shfl_up(T value, unsigned int delta) const {
        return __sr_from_lane(value, __sr_lane_up(delta, tile_size));
    }
    template <typename T> SR_M T shfl_down(T value, unsigned int delta) const {
        return __sr_from_lane(value, __sr_lane_down(delta, tile_size));
    }
    template <typename T> SR_M T shfl_xor(T value, unsigned int mask) const {
        return __sr_from_lane(value, __sr_lane_xor((int)mask, tile_size));
    }
    SR_M int any(int predicate) const { return (__sr_ballot(predicate != 0) & mask_) != 0; }
    SR_M int all(int predicate) const { return (__sr_ballot(predicate == 0) & mask_) == 0; }
    SR_M lane_mask ballot(int predicate) const { return own(__sr_ballot(predicate != 0)); }
    template <typename T> SR_M lane_mask match_any(T value) const { return own(__sr_match_any(mask_, value)); }
    template <typename T> SR_M lane_mask match_all(T value, int &predicate) const {
        return own(__sr_match_all(mask_, value, &predicate));
    }
};
/* A tile of a named parent is one of an unnamed parent too. */
template <unsigned int tile_size, typename Parent = void> class thread_block_tile;
template <unsigned int n, typename P> SR_M thread_block_tile<n, P> __sr_make_tile(unsigned int rank, unsigned int count);
template <unsigned int tile_size> class thread_block_tile<tile_size, void> : public __sr_tile<tile_size> {
protected:
    SR_M thread_block_tile(unsigned int rank, unsigned int count) : __sr_tile<tile_size>(rank, count) {}
};
template <unsigned int tile_size, typename Parent> class thread_block_tile : public thread_block_tile<tile_size, void> {
    SR_M thread_block_tile(unsigned int rank, unsigned int count) : thread_block_tile<tile_size, void>(rank, count) {}
    template <unsigned int n, typename P> friend SR_M thread_block_tile<n, P> __sr_make_tile(unsigned int, unsigned int);
};
template <unsigned int n, typename P> SR_M thread_block_tile<n, P> __sr_make_tile(unsigned int rank, unsigned int count) {
    return thread_block_tile<n, P>(rank, count);
}

template <unsigned int tile_size> SR_M thread_block_tile<tile_size, thread_block> tiled_partition(const thread_block &g) {
    return __sr_make_tile<tile_size, thread_block>(g.thread_rank() / tile_size, (g.size() + tile_size - 1) / tile_size);
}
template <unsigned int tile_size, unsigned int parent_size, typename P>
SR_M thread_block_tile<tile_size, thread_block_tile<parent_size, P>> tiled_partition(
    const thread_block_tile<parent_size, P> &g) {
    static_assert(tile_size <= parent_size, "a tile cannot be larger than what it is cut from");
    return __sr_make_tile<tile_size, thread_block_tile<parent_size, P>>(g.thread_rank() / tile_size, parent_size / tile_size);
}
/* Sizes known at run time only: no shuffles, as in CUDA. */
SR_M thread_group tiled_partition(const thread_group &parent, unsigned int size) {
    lane_mask mask = internal::tile_mask(size);
    if (parent.type_ == internal::cg_coalesced_group) {
        /* Every `size` ranks of the parent, which need not be neighbouring lanes. */
        const unsigned int group = parent.thread_rank() / size;
        mask = 0;
        unsigned int rank = 0;
        for (lane_mask left = parent.mask_; left != 0; left &= left - 1, ++rank)
            if (rank / size == group) mask |= left & (0 - left);
        return thread_group(internal::cg_coalesced_group, internal::bits(mask), mask);
    }
    return thread_group(internal::cg_tiled_group, size, mask);
}

/* Split by a value, or by yes and no. */
template <typename G, typename L> SR_M coalesced_group labeled_partition(const G &g, L label) {
    const lane_mask all = g.__sr_mask_of(), mine = __sr_match_any(all, label);
    unsigned int rank = 0, count = 0;
    /* Groups are numbered by their first lanes. */
    for (lane_mask left = all; left != 0;) {
        const int first = __builtin_ctzll(left);
        const lane_mask theirs = __sr_from_lane(mine, internal::warp_base() + first);
        if (theirs == mine) rank = count;
        ++count;
        left &= ~theirs;
    }
    return __sr_subgroup(g, mine, rank, count);
}
template <typename G> SR_M coalesced_group binary_partition(const G &g, bool predicate) {
    const lane_mask all = g.__sr_mask_of(), yes = __sr_ballot(predicate) & all;
    return __sr_subgroup(g, predicate ? yes : all & ~yes, predicate, 2);
}

template <typename G> SR_M void sync(const G &g) { g.sync(); }
template <typename G> SR_M unsigned int thread_rank(const G &g) { return (unsigned int)g.thread_rank(); }
template <typename G> SR_M unsigned int group_size(const G &g) { return (unsigned int)g.size(); }
template <typename G> SR_M bool is_valid(const G &g) { return g.is_valid(); }
/* One thread of the group does it. */
template <typename G, typename F> SR_M void invoke_one(const G &g, F &&f) {
    if (g.thread_rank() == 0) f();
}

#undef SR_M

} // namespace cooperative_groups

#endif
#endif
