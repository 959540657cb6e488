/* Part of softrock (MIT licence, see LICENSE). Declarations of CUB's interface: they resolve names, nothing more. */
#ifndef SOFTROCK_CUB_H
#define SOFTROCK_CUB_H
#include <hip/hip_runtime.h>
#include <iterator>
#include <type_traits>
#include "softrock/anything.h"

#define CUB_VERSION 200000
#define CUB_RUNTIME_FUNCTION __host__ __device__
#define CUB_PTX_ARCH 0
#define CUB_MAX(a, b) (((b) > (a)) ? (b) : (a))
#define CUB_MIN(a, b) (((b) < (a)) ? (b) : (a))
#define CUB_IS_DEVICE_CODE 1
#define CUB_IS_HOST_CODE 1
#define CubDebug(e) cub::Debug((hipError_t)(e), __FILE__, __LINE__)
#define CubDebugExit(e) \
  if (cub::Debug((hipError_t)(e), __FILE__, __LINE__)) { exit(1); }

namespace cub {
SR_HD hipError_t Debug(hipError_t, const char *, int);

/* --- whole devices --- */
#define SR_CALL(name) template <class... A> SR_HD static hipError_t name(A &&...);
struct DeviceReduce {
  SR_CALL(Reduce) SR_CALL(Sum) SR_CALL(Min) SR_CALL(Max) SR_CALL(ArgMin) SR_CALL(ArgMax) SR_CALL(ReduceByKey)
  SR_CALL(TransformReduce)
};
struct DeviceSegmentedReduce { SR_CALL(Reduce) SR_CALL(Sum) SR_CALL(Min) SR_CALL(Max) SR_CALL(ArgMin) SR_CALL(ArgMax) };
struct DeviceScan {
  SR_CALL(ExclusiveSum) SR_CALL(ExclusiveScan) SR_CALL(InclusiveSum) SR_CALL(InclusiveScan) SR_CALL(ExclusiveSumByKey)
  SR_CALL(ExclusiveScanByKey) SR_CALL(InclusiveSumByKey) SR_CALL(InclusiveScanByKey) SR_CALL(InclusiveScanInit)
};
struct DeviceRadixSort { SR_CALL(SortPairs) SR_CALL(SortPairsDescending) SR_CALL(SortKeys) SR_CALL(SortKeysDescending) };
struct DeviceMergeSort {
  SR_CALL(SortPairs) SR_CALL(SortPairsCopy) SR_CALL(SortKeys) SR_CALL(SortKeysCopy) SR_CALL(StableSortPairs)
  SR_CALL(StableSortKeys)
};
struct DeviceSegmentedRadixSort {
  SR_CALL(SortPairs) SR_CALL(SortPairsDescending) SR_CALL(SortKeys) SR_CALL(SortKeysDescending)
};
struct DeviceSegmentedSort {
  SR_CALL(SortPairs) SR_CALL(SortPairsDescending) SR_CALL(SortKeys) SR_CALL(SortKeysDescending) SR_CALL(StableSortPairs)
  SR_CALL(StableSortKeys) SR_CALL(StableSortPairsDescending) SR_CALL(StableSortKeysDescending)
};
struct DeviceSelect { SR_CALL(Flagged) SR_CALL(If) SR_CALL(FlaggedIf) SR_CALL(Unique) SR_CALL(UniqueByKey) };
struct DevicePartition { SR_CALL(Flagged) SR_CALL(If) };
struct DeviceRunLengthEncode { SR_CALL(Encode) SR_CALL(NonTrivialRuns) };
struct DeviceHistogram { SR_CALL(HistogramEven) SR_CALL(HistogramRange) SR_CALL(MultiHistogramEven) SR_CALL(MultiHistogramRange) };
struct DeviceSpmv { SR_CALL(CsrMV) };
struct DeviceFor { SR_CALL(ForEach) SR_CALL(ForEachN) SR_CALL(ForEachCopy) SR_CALL(ForEachCopyN) SR_CALL(Bulk) };
struct DeviceCopy { SR_CALL(Batched) };
struct DeviceMemcpy { SR_CALL(Batched) };
struct DeviceAdjacentDifference { SR_CALL(SubtractLeft) SR_CALL(SubtractLeftCopy) SR_CALL(SubtractRight) SR_CALL(SubtractRightCopy) };
struct DeviceMerge { SR_CALL(MergeKeys) SR_CALL(MergePairs) };
#undef SR_CALL

/* --- workgroups and waves --- */
enum BlockReduceAlgorithm { BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS };
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };
enum BlockLoadAlgorithm {
  BLOCK_LOAD_DIRECT, BLOCK_LOAD_STRIPED, BLOCK_LOAD_VECTORIZE, BLOCK_LOAD_TRANSPOSE, BLOCK_LOAD_WARP_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED
};
enum BlockStoreAlgorithm {
  BLOCK_STORE_DIRECT, BLOCK_STORE_STRIPED, BLOCK_STORE_VECTORIZE, BLOCK_STORE_TRANSPOSE, BLOCK_STORE_WARP_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED
};
enum BlockHistogramAlgorithm { BLOCK_HISTO_SORT, BLOCK_HISTO_ATOMIC };
enum WarpLoadAlgorithm { WARP_LOAD_DIRECT, WARP_LOAD_STRIPED, WARP_LOAD_VECTORIZE, WARP_LOAD_TRANSPOSE };
enum WarpStoreAlgorithm { WARP_STORE_DIRECT, WARP_STORE_STRIPED, WARP_STORE_VECTORIZE, WARP_STORE_TRANSPOSE };
enum CacheLoadModifier { LOAD_DEFAULT, LOAD_CA, LOAD_CG, LOAD_CS, LOAD_CV, LOAD_LDG, LOAD_VOLATILE };
enum CacheStoreModifier { STORE_DEFAULT, STORE_WB, STORE_CG, STORE_CS, STORE_WT, STORE_VOLATILE };
struct NullType {};
template <class T> struct Uninitialized {
  char bytes[sizeof(T)];
  SR_HD T &Alias();
};
/* `T` values go in and out by reference and value; what a call returns is a T where it returns anything. */
#define SR_STORAGE(name) \
  struct TempStorage { \
    int opaque[16]; \
    SR_HD TempStorage &Alias(); \
  }; \
  __device__ name(); \
  __device__ name(TempStorage &);
#define SR_VOID(name) template <class... A> __device__ void name(A &&...);
#define SR_VALUE(name) template <class... A> __device__ T name(A &&...);
template <class T, int X, BlockReduceAlgorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1, int Z = 1, int = 0> struct BlockReduce {
  SR_STORAGE(BlockReduce) SR_VALUE(Sum) SR_VALUE(Reduce)
};
template <class T, int X, BlockScanAlgorithm = BLOCK_SCAN_RAKING, int Y = 1, int Z = 1, int = 0> struct BlockScan {
  SR_STORAGE(BlockScan) SR_VOID(ExclusiveSum) SR_VOID(InclusiveSum) SR_VOID(ExclusiveScan) SR_VOID(InclusiveScan)
};
template <class T, int X, int I, BlockLoadAlgorithm = BLOCK_LOAD_DIRECT, int Y = 1, int Z = 1, int = 0> struct BlockLoad {
  SR_STORAGE(BlockLoad) SR_VOID(Load)
};
template <class T, int X, int I, BlockStoreAlgorithm = BLOCK_STORE_DIRECT, int Y = 1, int Z = 1, int = 0> struct BlockStore {
  SR_STORAGE(BlockStore) SR_VOID(Store)
};
template <class T, int X, int I, class V = NullType, int... R> struct BlockRadixSort {
  SR_STORAGE(BlockRadixSort) SR_VOID(Sort) SR_VOID(SortDescending) SR_VOID(SortBlockedToStriped)
  SR_VOID(SortDescendingBlockedToStriped)
};
template <class T, int X, int I, class V = NullType, int... R> struct BlockMergeSort {
  SR_STORAGE(BlockMergeSort) SR_VOID(Sort) SR_VOID(StableSort)
};
template <class T, int X, int I, int... R> struct BlockExchange {
  SR_STORAGE(BlockExchange) SR_VOID(StripedToBlocked) SR_VOID(BlockedToStriped) SR_VOID(WarpStripedToBlocked)
  SR_VOID(BlockedToWarpStriped) SR_VOID(ScatterToBlocked) SR_VOID(ScatterToStriped) SR_VOID(ScatterToStripedGuarded)
};
template <class T, int X, int... R> struct BlockDiscontinuity {
  SR_STORAGE(BlockDiscontinuity) SR_VOID(FlagHeads) SR_VOID(FlagTails) SR_VOID(FlagHeadsAndTails)
};
template <class T, int X, int... R> struct BlockAdjacentDifference {
  SR_STORAGE(BlockAdjacentDifference) SR_VOID(SubtractLeft) SR_VOID(SubtractRight) SR_VOID(SubtractLeftPartialTile)
  SR_VOID(SubtractRightPartialTile)
};
template <class T, int X, int I, int B, BlockHistogramAlgorithm = BLOCK_HISTO_SORT, int... R> struct BlockHistogram {
  SR_STORAGE(BlockHistogram) SR_VOID(Histogram) SR_VOID(InitHistogram) SR_VOID(Composite)
};
template <class T, int X, int... R> struct BlockShuffle {
  SR_STORAGE(BlockShuffle) SR_VOID(Offset) SR_VOID(Rotate) SR_VOID(Up) SR_VOID(Down)
};
template <class T, int X, int... R> struct BlockRunLengthDecode { SR_STORAGE(BlockRunLengthDecode) SR_VOID(RunLengthDecode) };
template <class T, int W = 32, int = 0> struct WarpReduce {
  SR_STORAGE(WarpReduce) SR_VALUE(Sum) SR_VALUE(Reduce) SR_VALUE(HeadSegmentedSum) SR_VALUE(TailSegmentedSum)
  SR_VALUE(HeadSegmentedReduce) SR_VALUE(TailSegmentedReduce)
};
template <class T, int W = 32, int = 0> struct WarpScan {
  SR_STORAGE(WarpScan) SR_VOID(ExclusiveSum) SR_VOID(InclusiveSum) SR_VOID(ExclusiveScan) SR_VOID(InclusiveScan) SR_VOID(Scan)
  SR_VALUE(Broadcast)
};
template <class T, int I, int W = 32, class V = NullType, int = 0> struct WarpMergeSort {
  SR_STORAGE(WarpMergeSort) SR_VOID(Sort) SR_VOID(StableSort)
};
template <class T, int I, WarpLoadAlgorithm = WARP_LOAD_DIRECT, int W = 32, int = 0> struct WarpLoad {
  SR_STORAGE(WarpLoad) SR_VOID(Load)
};
template <class T, int I, WarpStoreAlgorithm = WARP_STORE_DIRECT, int W = 32, int = 0> struct WarpStore {
  SR_STORAGE(WarpStore) SR_VOID(Store)
};
template <class T, int I, int W = 32, int... R> struct WarpExchange {
  SR_STORAGE(WarpExchange) SR_VOID(StripedToBlocked) SR_VOID(BlockedToStriped) SR_VOID(ScatterToStriped)
};
#undef SR_STORAGE
#undef SR_VOID
#undef SR_VALUE

/* --- functions of a lane --- */
#define SR_FREE(name) template <class... A> __device__ void name(A &&...);
SR_FREE(LoadDirectBlocked) SR_FREE(LoadDirectBlockedVectorized) SR_FREE(LoadDirectStriped) SR_FREE(LoadDirectWarpStriped)
SR_FREE(StoreDirectBlocked) SR_FREE(StoreDirectBlockedVectorized) SR_FREE(StoreDirectStriped) SR_FREE(StoreDirectWarpStriped)
#undef SR_FREE
__device__ unsigned LaneId();
__device__ unsigned WarpId();
__device__ unsigned WarpMask(unsigned);
__device__ unsigned LaneMaskLt();
__device__ unsigned LaneMaskLe();
__device__ unsigned LaneMaskGt();
__device__ unsigned LaneMaskGe();
__device__ int RowMajorTid(int, int, int);
__device__ void CTA_SYNC();
__device__ void WARP_SYNC(unsigned);
template <int W, class T> __device__ T ShuffleUp(T, int, int, unsigned);
template <int W, class T> __device__ T ShuffleDown(T, int, int, unsigned);
template <int W, class T> __device__ T ShuffleIndex(T, int, unsigned);
template <CacheLoadModifier M, class I> __device__ typename std::iterator_traits<I>::value_type ThreadLoad(I);
template <CacheStoreModifier M, class I, class T> __device__ void ThreadStore(I, T);
template <class T> SR_HD unsigned BFE(T, unsigned, unsigned);
template <class T> SR_HD T AlignBytes(T);

/* --- function objects, iterators, storage --- */
#define SR_BINARY(name) \
  struct name { template <class T, class U> SR_HD std::common_type_t<T, U> operator()(const T &, const U &) const; };
#define SR_TEST(name) struct name { template <class T, class U> SR_HD bool operator()(const T &, const U &) const; };
SR_BINARY(Sum) SR_BINARY(Difference) SR_BINARY(Division) SR_BINARY(Max) SR_BINARY(Min) SR_BINARY(ArgMax) SR_BINARY(ArgMin)
SR_TEST(Equality) SR_TEST(Inequality)
#undef SR_BINARY
#undef SR_TEST
template <class E> struct InequalityWrapper {
  SR_HD InequalityWrapper(E);
  template <class T> SR_HD bool operator()(const T &, const T &) const;
};
template <class T> struct CastOp { template <class U> SR_HD T operator()(U &&) const; };
template <class K, class V> struct KeyValuePair {
  using Key = K;
  using Value = V;
  K key;
  V value;
};
template <class T> struct DoubleBuffer {
  T *d_buffers[2];
  int selector;
  SR_HD DoubleBuffer();
  SR_HD DoubleBuffer(T *, T *);
  SR_HD T *Current();
  SR_HD T *Alternate();
};
namespace detail {
template <class Self, class V> struct facade {
  using value_type = V;
  using reference = V;
  using pointer = V *;
  using difference_type = ptrdiff_t;
  using iterator_category = std::random_access_iterator_tag;
  SR_HD V operator*() const;
  SR_HD V operator[](ptrdiff_t) const;
  SR_HD Self &operator++();
  SR_HD Self operator++(int);
  SR_HD Self &operator+=(ptrdiff_t);
  SR_HD Self operator+(ptrdiff_t) const;
  SR_HD Self operator-(ptrdiff_t) const;
  SR_HD ptrdiff_t operator-(const Self &) const;
  SR_HD bool operator==(const Self &) const;
  SR_HD bool operator!=(const Self &) const;
};
}  // namespace detail
template <class T, class D = ptrdiff_t> struct CountingInputIterator : detail::facade<CountingInputIterator<T, D>, T> {
  SR_HD CountingInputIterator(const T &);
};
template <class T, class D = ptrdiff_t> struct ConstantInputIterator : detail::facade<ConstantInputIterator<T, D>, T> {
  SR_HD ConstantInputIterator(T, D = 0);
};
template <class T, class F, class I, class D = ptrdiff_t>
struct TransformInputIterator : detail::facade<TransformInputIterator<T, F, I, D>, T> {
  SR_HD TransformInputIterator(I, F);
};
template <class I, class D = ptrdiff_t, class O = KeyValuePair<int, typename std::iterator_traits<I>::value_type>>
struct ArgIndexInputIterator : detail::facade<ArgIndexInputIterator<I, D, O>, O> {
  SR_HD ArgIndexInputIterator(I, D = 0);
};
template <CacheLoadModifier M, class T, class D = ptrdiff_t>
struct CacheModifiedInputIterator : detail::facade<CacheModifiedInputIterator<M, T, D>, T> {
  template <class U> SR_HD CacheModifiedInputIterator(U *);
};
template <CacheStoreModifier M, class T, class D = ptrdiff_t>
struct CacheModifiedOutputIterator : detail::facade<CacheModifiedOutputIterator<M, T, D>, T> {
  template <class U> SR_HD CacheModifiedOutputIterator(U *);
};
template <class T, class D = ptrdiff_t> struct TexObjInputIterator : detail::facade<TexObjInputIterator<T, D>, T> {
  SR_HD TexObjInputIterator();
  template <class U> hipError_t BindTexture(U *, size_t = 0, size_t = 0);
  hipError_t UnbindTexture();
};
template <class D = ptrdiff_t> struct DiscardOutputIterator : detail::facade<DiscardOutputIterator<D>, int> {
  SR_HD DiscardOutputIterator(D = 0);
};
struct CachingDeviceAllocator {
  CachingDeviceAllocator(bool = false, bool = false);
  CachingDeviceAllocator(unsigned, unsigned = 0, unsigned = 0, size_t = 0, bool = false, bool = false);
  template <class T> hipError_t DeviceAllocate(T **, size_t, hipStream_t = 0);
  template <class T> hipError_t DeviceAllocate(int, T **, size_t, hipStream_t = 0);
  hipError_t DeviceFree(void *);
  hipError_t DeviceFree(int, void *);
  hipError_t FreeAllCached();
  hipError_t SetMaxCachedBytes(size_t);
};
template <class T> struct NumericTraits {
  static T Max();
  static T Lowest();
  using UnsignedBits = unsigned;
};
template <class T> struct Traits : NumericTraits<T> {};
template <class T> struct FpLimits : NumericTraits<T> {};
template <int N> struct Log2 { static constexpr int VALUE = 31 - __builtin_clz(N); };
template <int N> struct PowerOfTwo { static constexpr int VALUE = (N & (N - 1)) == 0; };
template <bool C, class A, class B> struct If { using Type = std::conditional_t<C, A, B>; };
template <class A, class B> struct Equals { static constexpr bool VALUE = std::is_same_v<A, B>; };
template <int V> struct Int2Type { static constexpr int VALUE = V; };
template <class T> struct GridEvenShare {
  T block_offset, block_end;
  int grid_size;
  template <int N> __device__ void BlockInit();
};
struct GridBarrier { __device__ void Sync() const; };
template <class T> struct GridQueue { SR_HD GridQueue(void *); };
hipError_t SyncStream(hipStream_t);
hipError_t PtxVersion(int &);
hipError_t SmVersion(int &, int = 0);
int CurrentDevice();
int DeviceCount();
template <class K> hipError_t MaxSmOccupancy(int &, K, int, int = 0);
}  // namespace cub
#endif
