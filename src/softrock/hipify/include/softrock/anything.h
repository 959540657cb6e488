/* Part of softrock (MIT licence, see LICENSE). What the generated declarations of libraries are made with. */
#ifndef SOFTROCK_ANYTHING_H
#define SOFTROCK_ANYTHING_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
#define SR_HD __host__ __device__
namespace softrock {
/* An enumerator whose type is not known: it converts to any enumeration and number. */
struct Any {
  long long number;
  template <class T> SR_HD constexpr operator T() const { return (T)number; }
};
template <class T> SR_HD constexpr bool operator==(T a, Any b) { return (long long)a == b.number; }
template <class T> SR_HD constexpr bool operator==(Any a, T b) { return (long long)b == a.number; }
SR_HD constexpr bool operator==(Any a, Any b) { return a.number == b.number; }
template <class T> SR_HD constexpr bool operator!=(T a, Any b) { return (long long)a != b.number; }
template <class T> SR_HD constexpr bool operator!=(Any a, T b) { return (long long)b != a.number; }
SR_HD constexpr bool operator!=(Any a, Any b) { return a.number != b.number; }
SR_HD constexpr Any operator|(Any a, Any b) { return {a.number | b.number}; }
template <class T> SR_HD constexpr Any operator|(T a, Any b) { return {(long long)a | b.number}; }
SR_HD constexpr Any operator&(Any a, Any b) { return {a.number & b.number}; }
template <class T> SR_HD constexpr Any operator&(T a, Any b) { return {(long long)a & b.number}; }
}  // namespace softrock
#else
#define SR_HD
#endif
#endif
