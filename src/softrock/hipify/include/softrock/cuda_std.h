/* Part of softrock (MIT licence, see LICENSE). The common part of libcu++: the C++ library under another name, and scoped
 * atomics and barriers. */
#ifndef SOFTROCK_CUDA_STD_H
#define SOFTROCK_CUDA_STD_H
#include <hip/hip_runtime.h>
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#if __cplusplus >= 202002L
#include <bit>
#include <concepts>
#include <span>
#endif
#include "softrock/anything.h"
namespace cuda {
enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread };
using std::memory_order;
using std::memory_order_relaxed;
using std::memory_order_acquire;
using std::memory_order_release;
using std::memory_order_acq_rel;
using std::memory_order_seq_cst;
namespace detail {
template <class T> struct atomic {
  SR_HD T load(memory_order = memory_order_seq_cst) const;
  SR_HD void store(T, memory_order = memory_order_seq_cst);
  SR_HD T exchange(T, memory_order = memory_order_seq_cst);
  template <class... O> SR_HD bool compare_exchange_weak(T &, T, O...);
  template <class... O> SR_HD bool compare_exchange_strong(T &, T, O...);
  SR_HD T fetch_add(T, memory_order = memory_order_seq_cst);
  SR_HD T fetch_sub(T, memory_order = memory_order_seq_cst);
  SR_HD T fetch_and(T, memory_order = memory_order_seq_cst);
  SR_HD T fetch_or(T, memory_order = memory_order_seq_cst);
  SR_HD T fetch_xor(T, memory_order = memory_order_seq_cst);
  SR_HD T fetch_max(T, memory_order = memory_order_seq_cst);
  SR_HD T fetch_min(T, memory_order = memory_order_seq_cst);
  SR_HD void wait(T, memory_order = memory_order_seq_cst) const;
  SR_HD void notify_one();
  SR_HD void notify_all();
  SR_HD operator T() const;
  SR_HD T operator=(T);
  SR_HD T operator++();
  SR_HD T operator++(int);
  SR_HD T operator--();
  SR_HD T operator--(int);
  SR_HD T operator+=(T);
  SR_HD T operator-=(T);
  T value;
};
}  // namespace detail
template <class T, thread_scope S = thread_scope_system> struct atomic : detail::atomic<T> {
  SR_HD constexpr atomic(T v = T()) : detail::atomic<T>{v} {}
  using detail::atomic<T>::operator=;
};
template <class T, thread_scope S = thread_scope_system> struct atomic_ref : detail::atomic<T> {
  SR_HD explicit atomic_ref(T &);
  using detail::atomic<T>::operator=;
};
template <thread_scope S = thread_scope_system> struct atomic_flag {
  SR_HD bool test_and_set(memory_order = memory_order_seq_cst);
  SR_HD void clear(memory_order = memory_order_seq_cst);
};
SR_HD void atomic_thread_fence(memory_order, thread_scope = thread_scope_system);
template <thread_scope S, class F = void> struct barrier {
  using arrival_token = uint64_t;
  SR_HD constexpr barrier(ptrdiff_t = 1) {}
  SR_HD arrival_token arrive(ptrdiff_t = 1);
  SR_HD void wait(arrival_token) const;
  SR_HD bool try_wait(arrival_token) const;
  SR_HD void arrive_and_wait();
  SR_HD void arrive_and_drop();
};
template <class B, class... A> SR_HD void init(B *, A...);
template <thread_scope S = thread_scope_system, ptrdiff_t N = 1> struct counting_semaphore {
  SR_HD constexpr counting_semaphore(ptrdiff_t = 0) {}
  SR_HD void acquire();
  SR_HD bool try_acquire();
  SR_HD void release(ptrdiff_t = 1);
};
template <thread_scope S = thread_scope_system> using binary_semaphore = counting_semaphore<S>;
template <thread_scope S = thread_scope_system> struct latch {
  SR_HD constexpr explicit latch(ptrdiff_t) {}
  SR_HD void count_down(ptrdiff_t = 1);
  SR_HD void wait() const;
  SR_HD void arrive_and_wait(ptrdiff_t = 1);
};
enum class pipeline_role { producer, consumer };
template <thread_scope S, unsigned N> struct pipeline_shared_state {};
template <thread_scope S> struct pipeline {
  SR_HD void producer_acquire();
  SR_HD void producer_commit();
  SR_HD void consumer_wait();
  SR_HD void consumer_release();
};
template <class... A> __device__ pipeline<thread_scope_thread> make_pipeline(A &&...);
template <unsigned N, class P> __device__ void pipeline_consumer_wait_prior(P &);
template <class... A> __device__ void memcpy_async(A &&...);
template <size_t N> struct aligned_size_t { SR_HD explicit aligned_size_t(size_t); };
template <class F> SR_HD F proclaim_return_type(F &&);
struct stream_ref { stream_ref(hipStream_t); };
namespace device {
template <class B> __device__ void barrier_arrive_tx(B &, ptrdiff_t, ptrdiff_t);
}
namespace std {
using namespace ::std;
template <class T> using atomic = ::cuda::atomic<T>;
template <class T> using atomic_ref = ::cuda::atomic_ref<T>;
template <class F = void> using barrier = ::cuda::barrier<thread_scope_system, F>;
}  // namespace std
}  // namespace cuda
#endif
