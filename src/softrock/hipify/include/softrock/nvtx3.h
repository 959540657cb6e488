/* Part of softrock (MIT licence, see LICENSE). NVTX's C++ interface. */
#ifndef SOFTROCK_NVTX3_H
#define SOFTROCK_NVTX3_H
#include "nvToolsExt.h"
#define NVTX3_FUNC_RANGE() (void)0
#define NVTX3_FUNC_RANGE_IN(D) (void)0
#define NVTX3_FUNC_RANGE_IF(C) (void)(C)
namespace nvtx3 {
inline namespace v1 {
struct domain { struct global {}; };
struct color { template <class... A> constexpr color(A &&...); };
struct rgb { template <class... A> constexpr rgb(A &&...); };
struct argb { template <class... A> constexpr argb(A &&...); };
struct category { constexpr category(unsigned); };
struct message { template <class T> message(const T &); };
struct payload { template <class T> payload(const T &); };
struct event_attributes { template <class... A> event_attributes(const A &...); };
struct range_handle {};
struct scoped_range { template <class... A> explicit scoped_range(const A &...); };
template <class D = domain::global> struct scoped_range_in { template <class... A> explicit scoped_range_in(const A &...); };
struct unique_range { template <class... A> explicit unique_range(const A &...); };
template <class D = domain::global> struct registered_string_in { template <class T> explicit registered_string_in(const T &); };
template <class D = domain::global> struct named_category_in { template <class T> named_category_in(unsigned, const T &); };
using thread_range = scoped_range;
template <class... A> range_handle start_range(const A &...);
template <class D, class... A> range_handle start_range_in(const A &...);
template <class... A> void end_range(const A &...);
template <class... A> void mark(const A &...);
}  // namespace v1
}  // namespace nvtx3
#endif
