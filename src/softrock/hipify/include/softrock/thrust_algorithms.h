/* Part of softrock (MIT licence, see LICENSE). Thrust's algorithms, each with and without an execution policy; part of
 * softrock/thrust.h. */
#define SR_1(name, result, ...) \
  template <class I, detail::not_policy_t<I> = 0> SR_HD result name(__VA_ARGS__); \
  template <class P, class I, detail::policy_t<P> = 0> SR_HD result name(const P &, __VA_ARGS__);
#define SR_2(name, result, ...) \
  template <class I, class J, detail::not_policy_t<I> = 0> SR_HD result name(__VA_ARGS__); \
  template <class P, class I, class J, detail::policy_t<P> = 0> SR_HD result name(const P &, __VA_ARGS__);
#define SR_3(name, result, ...) \
  template <class I, class J, class K, detail::not_policy_t<I> = 0> SR_HD result name(__VA_ARGS__); \
  template <class P, class I, class J, class K, detail::policy_t<P> = 0> SR_HD result name(const P &, __VA_ARGS__);
#define SR_4(name, result, ...) \
  template <class I, class J, class K, class L, detail::not_policy_t<I> = 0> SR_HD result name(__VA_ARGS__); \
  template <class P, class I, class J, class K, class L, detail::policy_t<P> = 0> SR_HD result name(const P &, __VA_ARGS__);
#define SR_5(name, result, ...) \
  template <class I, class J, class K, class L, class M, detail::not_policy_t<I> = 0> SR_HD result name(__VA_ARGS__); \
  template <class P, class I, class J, class K, class L, class M, detail::policy_t<P> = 0> \
  SR_HD result name(const P &, __VA_ARGS__);
#define SR_6(name, result, ...) \
  template <class I, class J, class K, class L, class M, class N, detail::not_policy_t<I> = 0> \
  SR_HD result name(__VA_ARGS__); \
  template <class P, class I, class J, class K, class L, class M, class N, detail::policy_t<P> = 0> \
  SR_HD result name(const P &, __VA_ARGS__);
#define SR_VALUE detail::value_t<I>
#define SR_PAIR(a, b) std::pair<a, b>

/* Values. */
SR_1(reduce, SR_VALUE, I, I) SR_2(reduce, J, I, I, J) SR_3(reduce, J, I, I, J, K)
SR_4(transform_reduce, K, I, I, J, K, L)
SR_3(inner_product, K, I, I, J, K) SR_5(inner_product, K, I, I, J, K, L, M)
SR_2(count, detail::difference_t<I>, I, I, const J &) SR_2(count_if, detail::difference_t<I>, I, I, J)
SR_2(all_of, bool, I, I, J) SR_2(any_of, bool, I, I, J) SR_2(none_of, bool, I, I, J)
SR_2(equal, bool, I, I, J) SR_3(equal, bool, I, I, J, K)
SR_1(is_sorted, bool, I, I) SR_2(is_sorted, bool, I, I, J)
SR_2(is_partitioned, bool, I, I, J)
/* Iterators into the range. */
SR_2(find, I, I, I, const J &) SR_2(find_if, I, I, I, J) SR_2(find_if_not, I, I, I, J)
SR_1(adjacent_find, I, I, I) SR_2(adjacent_find, I, I, I, J)
SR_1(max_element, I, I, I) SR_2(max_element, I, I, I, J) SR_1(min_element, I, I, I) SR_2(min_element, I, I, I, J)
SR_1(minmax_element, SR_PAIR(I, I), I, I) SR_2(minmax_element, SR_PAIR(I, I), I, I, J)
SR_1(is_sorted_until, I, I, I) SR_2(is_sorted_until, I, I, I, J)
SR_2(mismatch, SR_PAIR(I, J), I, I, J) SR_3(mismatch, SR_PAIR(I, J), I, I, J, K)
SR_1(unique, I, I, I) SR_2(unique, I, I, I, J)
SR_2(remove, I, I, I, const J &) SR_2(remove_if, I, I, I, J) SR_3(remove_if, I, I, I, J, K)
SR_2(partition, I, I, I, J) SR_3(partition, I, I, I, J, K) SR_2(stable_partition, I, I, I, J)
SR_3(stable_partition, I, I, I, J, K) SR_2(partition_point, I, I, I, J)
SR_2(unique_by_key, SR_PAIR(I, J), I, I, J) SR_3(unique_by_key, SR_PAIR(I, J), I, I, J, K)
/* Nothing. */
SR_1(sort, void, I, I) SR_2(sort, void, I, I, J) SR_1(stable_sort, void, I, I) SR_2(stable_sort, void, I, I, J)
SR_2(sort_by_key, void, I, I, J) SR_3(sort_by_key, void, I, I, J, K)
SR_2(stable_sort_by_key, void, I, I, J) SR_3(stable_sort_by_key, void, I, I, J, K)
SR_2(fill, void, I, I, const J &) SR_1(sequence, void, I, I) SR_2(sequence, void, I, I, J) SR_3(sequence, void, I, I, J, K)
SR_2(generate, void, I, I, J) SR_1(reverse, void, I, I)
SR_3(replace, void, I, I, const J &, const K &) SR_3(replace_if, void, I, I, J, const K &)
SR_4(replace_if, void, I, I, J, K, const L &) SR_2(tabulate, void, I, I, J) SR_1(destroy, void, I, I)
SR_2(uninitialized_fill, void, I, I, const J &) SR_2(shuffle, void, I, I, J &&)
/* The end of what was written. */
SR_2(copy, J, I, I, J) SR_3(copy_n, K, I, J, K) SR_3(copy_if, J, I, I, J, K) SR_4(copy_if, K, I, I, J, K, L)
SR_3(transform, J, I, I, J, K) SR_4(transform, K, I, I, J, K, L)
SR_4(transform_if, J, I, I, J, K, L) SR_5(transform_if, K, I, I, J, K, L, M) SR_6(transform_if, L, I, I, J, K, L, M, N)
SR_2(inclusive_scan, J, I, I, J) SR_3(inclusive_scan, J, I, I, J, K) SR_4(inclusive_scan, J, I, I, J, K, L)
SR_2(exclusive_scan, J, I, I, J) SR_3(exclusive_scan, J, I, I, J, K) SR_4(exclusive_scan, J, I, I, J, K, L)
SR_4(transform_inclusive_scan, J, I, I, J, K, L) SR_5(transform_exclusive_scan, J, I, I, J, K, L, M)
SR_3(inclusive_scan_by_key, K, I, I, J, K) SR_4(inclusive_scan_by_key, K, I, I, J, K, L)
SR_5(inclusive_scan_by_key, K, I, I, J, K, L, M)
SR_3(exclusive_scan_by_key, K, I, I, J, K) SR_4(exclusive_scan_by_key, K, I, I, J, K, L)
SR_5(exclusive_scan_by_key, K, I, I, J, K, L, M) SR_6(exclusive_scan_by_key, K, I, I, J, K, L, M, N)
SR_4(reduce_by_key, SR_PAIR(K, L), I, I, J, K, L) SR_5(reduce_by_key, SR_PAIR(K, L), I, I, J, K, L, M)
SR_6(reduce_by_key, SR_PAIR(K, L), I, I, J, K, L, M, N)
SR_2(unique_copy, J, I, I, J) SR_3(unique_copy, J, I, I, J, K)
SR_4(unique_by_key_copy, SR_PAIR(K, L), I, I, J, K, L) SR_5(unique_by_key_copy, SR_PAIR(K, L), I, I, J, K, L, M)
SR_1(unique_count, detail::difference_t<I>, I, I) SR_2(unique_count, detail::difference_t<I>, I, I, J)
SR_3(remove_copy, J, I, I, J, const K &) SR_3(remove_copy_if, J, I, I, J, K) SR_4(remove_copy_if, K, I, I, J, K, L)
SR_4(partition_copy, SR_PAIR(J, K), I, I, J, K, L) SR_4(stable_partition_copy, SR_PAIR(J, K), I, I, J, K, L)
SR_3(gather, K, I, I, J, K) SR_4(gather_if, L, I, I, J, K, L) SR_5(gather_if, L, I, I, J, K, L, M)
SR_3(scatter, void, I, I, J, K) SR_4(scatter_if, void, I, I, J, K, L) SR_5(scatter_if, void, I, I, J, K, L, M)
SR_2(adjacent_difference, J, I, I, J) SR_3(adjacent_difference, J, I, I, J, K)
SR_2(reverse_copy, J, I, I, J) SR_4(replace_copy, J, I, I, J, const K &, const L &)
SR_4(replace_copy_if, J, I, I, J, K, const L &) SR_2(for_each, I, I, I, J) SR_3(for_each_n, I, I, J, K)
SR_3(fill_n, I, I, J, const K &) SR_3(generate_n, I, I, J, K) SR_2(swap_ranges, J, I, I, J)
SR_2(uninitialized_copy, J, I, I, J) SR_3(uninitialized_copy_n, K, I, J, K) SR_3(shuffle_copy, void, I, I, J, K &&)
SR_3(merge, K, I, I, J, J, K) SR_4(merge, K, I, I, J, J, K, L)
SR_6(merge_by_key, SR_PAIR(M, N), I, I, J, J, K, L, M, N)
SR_3(set_union, K, I, I, J, J, K) SR_4(set_union, K, I, I, J, J, K, L)
SR_3(set_intersection, K, I, I, J, J, K) SR_4(set_intersection, K, I, I, J, J, K, L)
SR_3(set_difference, K, I, I, J, J, K) SR_4(set_difference, K, I, I, J, J, K, L)
SR_3(set_symmetric_difference, K, I, I, J, J, K) SR_4(set_symmetric_difference, K, I, I, J, J, K, L)
/* Searches: of one value, and of a range of values. */
SR_2(lower_bound, I, I, I, const J &) SR_3(lower_bound, K, I, I, J, J, K)
SR_2(upper_bound, I, I, I, const J &) SR_3(upper_bound, K, I, I, J, J, K)
SR_2(binary_search, bool, I, I, const J &) SR_3(binary_search, K, I, I, J, J, K)
SR_2(equal_range, SR_PAIR(I, I), I, I, const J &)
#undef SR_1
#undef SR_2
#undef SR_3
#undef SR_4
#undef SR_5
#undef SR_6
#undef SR_VALUE
#undef SR_PAIR
