/* Part of softrock (MIT licence, see LICENSE). Declarations of Thrust's interface: they resolve names, nothing more. */
#ifndef SOFTROCK_THRUST_H
#define SOFTROCK_THRUST_H
#include <hip/hip_runtime.h>
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <numeric>
#include <optional>
#include <ostream>
#include <random>
#include <stdexcept>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>
#include "softrock/anything.h"

#define THRUST_VERSION 200000
#define THRUST_MAJOR_VERSION 2
#define THRUST_MINOR_VERSION 0
#define THRUST_SUBMINOR_VERSION 0
#define THRUST_HOST_SYSTEM_CPP 1
#define THRUST_DEVICE_SYSTEM_CUDA 1
#define THRUST_DEVICE_SYSTEM_OMP 2
#define THRUST_DEVICE_SYSTEM_TBB 3
#define THRUST_DEVICE_SYSTEM_CPP 4
#define THRUST_DEVICE_SYSTEM_HIP 5
#define THRUST_DEVICE_SYSTEM 1

namespace thrust {

/* --- execution policies --- */
namespace detail {
struct policy_base {};
template <class P> inline constexpr bool is_policy = std::is_base_of_v<policy_base, std::decay_t<P>>;
template <class P> using policy_t = std::enable_if_t<is_policy<P>, int>;
template <class I> using not_policy_t = std::enable_if_t<!is_policy<I>, int>;
template <class I> using value_t = typename std::iterator_traits<std::decay_t<I>>::value_type;
struct anything {
  template <class T> SR_HD anything(const T &);
  template <class T> SR_HD operator T() const;
};
template <class I> using difference_t = typename std::iterator_traits<std::decay_t<I>>::difference_type;
}  // namespace detail
template <class D> struct execution_policy : detail::policy_base {};
template <class D> struct device_execution_policy : execution_policy<D> {};
template <class D> struct host_execution_policy : execution_policy<D> {};
struct par_t : execution_policy<par_t> {
  template <class S> par_t on(S) const;
  template <class A> par_t operator()(A &&) const;
  template <class A> par_t after(A &&) const;
};
struct seq_t : execution_policy<seq_t> {};
inline constexpr par_t device{};
inline constexpr par_t host{};
inline constexpr seq_t seq{};
struct host_system_tag : par_t {};
struct device_system_tag : par_t {};
using random_access_device_iterator_tag = std::random_access_iterator_tag;
#define SR_SYSTEM(name) \
  namespace name { \
  using tag = par_t; \
  template <class D> struct execution_policy : thrust::execution_policy<D> {}; \
  inline constexpr par_t par{}; \
  inline constexpr par_t par_nosync{}; \
  template <class T, class P = T *> using pointer = T *; \
  }
SR_SYSTEM(cuda)
SR_SYSTEM(hip)
SR_SYSTEM(omp)
SR_SYSTEM(tbb)
SR_SYSTEM(cpp)
SR_SYSTEM(cuda_cub)
#undef SR_SYSTEM
namespace system {
namespace cuda { using namespace thrust::cuda; }
namespace hip { using namespace thrust::hip; }
namespace omp { using namespace thrust::omp; }
namespace cpp { using namespace thrust::cpp; }
namespace detail {}
}  // namespace system

/* --- pairs and tuples --- */
using std::get;
using std::make_pair;
using std::make_tuple;
using std::optional;
using std::pair;
using std::swap;
using std::tie;
using std::tuple;
using std::tuple_element;
using std::tuple_size;
using std::nullopt;
struct null_type {};

/* --- pointers, references, vectors --- */
template <class T> struct device_ptr;
template <class T> struct device_reference {
  SR_HD device_reference(T &);
  SR_HD device_ptr<T> operator&() const;
  SR_HD operator T() const;
  template <class U> SR_HD device_reference &operator=(const U &);
  device_reference(const device_reference &) = default;
  SR_HD device_reference &operator=(const device_reference &);
  template <class U> SR_HD device_reference &operator+=(const U &);
  template <class U> SR_HD device_reference &operator-=(const U &);
  template <class U> SR_HD device_reference &operator*=(const U &);
  template <class U> SR_HD device_reference &operator/=(const U &);
  SR_HD device_reference &operator++();
  SR_HD T operator++(int);
  SR_HD device_reference &operator--();
  SR_HD T operator--(int);
};
template <class T> std::ostream &operator<<(std::ostream &, const device_reference<T> &);
template <class T> struct device_ptr {
  using value_type = std::remove_cv_t<T>;
  using element_type = T;
  using difference_type = ptrdiff_t;
  using pointer = device_ptr;
  using reference = std::conditional_t<std::is_void_v<T>, void, device_reference<std::conditional_t<std::is_void_v<T>, int, T>>>;
  using iterator_category = std::random_access_iterator_tag;
  using raw_pointer = T *;
  SR_HD device_ptr();
  SR_HD device_ptr(std::nullptr_t);
  template <class U> SR_HD explicit device_ptr(U *);
  template <class U> SR_HD device_ptr(const device_ptr<U> &);
  SR_HD T *get() const;
  SR_HD reference operator*() const;
  SR_HD T *operator->() const;
  SR_HD explicit operator bool() const;
  template <class N> SR_HD reference operator[](N) const;
  SR_HD device_ptr &operator++();
  SR_HD device_ptr operator++(int);
  SR_HD device_ptr &operator--();
  SR_HD device_ptr operator--(int);
  SR_HD device_ptr &operator+=(ptrdiff_t);
  SR_HD device_ptr &operator-=(ptrdiff_t);
  SR_HD device_ptr operator+(ptrdiff_t) const;
  SR_HD device_ptr operator-(ptrdiff_t) const;
  SR_HD ptrdiff_t operator-(const device_ptr &) const;
  SR_HD bool operator==(const device_ptr &) const;
  SR_HD bool operator!=(const device_ptr &) const;
  SR_HD bool operator<(const device_ptr &) const;
};
template <class T, class Tag = void, class R = void, class D = void> using pointer = device_ptr<T>;
template <class T> SR_HD device_ptr<T> device_pointer_cast(T *);
template <class T> SR_HD device_ptr<T> device_pointer_cast(const device_ptr<T> &);
template <class T> SR_HD T *raw_pointer_cast(T *);
template <class P> SR_HD typename P::element_type *raw_pointer_cast(const P &);
template <class T> SR_HD T &raw_reference_cast(T &);
template <class T> SR_HD T &raw_reference_cast(const device_reference<T> &);
template <class T> device_ptr<T> device_malloc(size_t);
device_ptr<void> device_malloc(size_t);
template <class T> device_ptr<T> device_new(size_t = 1);
template <class P> void device_free(P);
template <class P> void device_delete(P, size_t = 0);
template <class T> struct device_malloc_allocator { using value_type = T; };
template <class T> struct device_allocator { using value_type = T; };
template <class T> struct device_new_allocator { using value_type = T; };
template <class T> struct universal_allocator { using value_type = T; };
namespace mr {
template <class... A> struct allocator {};
template <class... A> struct stateless_resource_allocator {};
template <class... A> struct polymorphic_adaptor_resource {};
}  // namespace mr

#define SR_VECTOR(name, pointer_type, reference_type) \
  template <class T, class A = std::allocator<T>> struct name { \
    using value_type = T; \
    using size_type = size_t; \
    using difference_type = ptrdiff_t; \
    using reference = reference_type; \
    using const_reference = T; \
    using pointer = pointer_type; \
    using const_pointer = pointer_type; \
    using iterator = pointer_type; \
    using const_iterator = pointer_type; \
    using reverse_iterator = std::reverse_iterator<iterator>; \
    using const_reverse_iterator = reverse_iterator; \
    using allocator_type = A; \
    name(); \
    explicit name(const A &); \
    explicit name(size_t); \
    name(size_t, const T &); \
    name(size_t, const T &, const A &); \
    name(std::initializer_list<T>); \
    template <class I, detail::not_policy_t<I> = 0, class = typename std::iterator_traits<I>::value_type> name(I, I); \
    template <class U, class B> name(const name<U, B> &); \
    template <class V, class = typename V::value_type, class = decltype(std::declval<V>().begin())> name(const V &); \
    template <class V, class = typename V::value_type, class = decltype(std::declval<V>().begin())> name &operator=(const V &); \
    name &operator=(std::initializer_list<T>); \
    name(const name &); \
    name(name &&); \
    name &operator=(const name &); \
    name &operator=(name &&); \
    ~name(); \
    void resize(size_t); \
    void resize(size_t, const T &); \
    void reserve(size_t); \
    size_t size() const; \
    size_t capacity() const; \
    size_t max_size() const; \
    bool empty() const; \
    void clear(); \
    void shrink_to_fit(); \
    void swap(name &); \
    iterator begin() const; \
    iterator end() const; \
    iterator cbegin() const; \
    iterator cend() const; \
    reverse_iterator rbegin() const; \
    reverse_iterator rend() const; \
    reference operator[](size_t) const; \
    reference front() const; \
    reference back() const; \
    pointer data() const; \
    void push_back(const T &); \
    void pop_back(); \
    iterator erase(iterator); \
    iterator erase(iterator, iterator); \
    iterator insert(iterator, const T &); \
    void insert(iterator, size_t, const T &); \
    template <class I, class = typename std::iterator_traits<I>::value_type> void insert(iterator, I, I); \
    void assign(size_t, const T &); \
    template <class I, class = typename std::iterator_traits<I>::value_type> void assign(I, I); \
    A get_allocator() const; \
  }; \
  template <class T, class A, class V> bool operator==(const name<T, A> &, const V &); \
  template <class T, class A, class V> bool operator!=(const name<T, A> &, const V &);
SR_VECTOR(device_vector, device_ptr<T>, device_reference<T>)
SR_VECTOR(host_vector, T *, T &)
SR_VECTOR(universal_vector, T *, T &)
#undef SR_VECTOR

/* --- iterators --- */
struct use_default {};
template <class I> using iterator_value = std::iterator_traits<I>;
template <class I> using iterator_value_t = typename std::iterator_traits<I>::value_type;
template <class I> struct iterator_traits : std::iterator_traits<I> {};
template <class I> struct iterator_difference { using type = typename std::iterator_traits<I>::difference_type; };
template <class I> struct iterator_reference { using type = typename std::iterator_traits<I>::reference; };
template <class I> struct iterator_pointer { using type = typename std::iterator_traits<I>::pointer; };
template <class I> struct iterator_system { using type = device_system_tag; };
using std::random_access_iterator_tag;
using std::input_iterator_tag;
using std::forward_iterator_tag;
using std::bidirectional_iterator_tag;
using random_access_traversal_tag = std::random_access_iterator_tag;
namespace detail {
template <class Self, class V, class R = V> struct facade {
  using value_type = V;
  using reference = R;
  using pointer = V *;
  using difference_type = ptrdiff_t;
  using iterator_category = std::random_access_iterator_tag;
  SR_HD R operator*() const;
  SR_HD R operator[](ptrdiff_t) const;
  SR_HD Self &operator++();
  SR_HD Self operator++(int);
  SR_HD Self &operator--();
  SR_HD Self operator--(int);
  SR_HD Self &operator+=(ptrdiff_t);
  SR_HD Self &operator-=(ptrdiff_t);
  SR_HD Self operator+(ptrdiff_t) const;
  SR_HD Self operator-(ptrdiff_t) const;
  SR_HD ptrdiff_t operator-(const Self &) const;
  SR_HD bool operator==(const Self &) const;
  SR_HD bool operator!=(const Self &) const;
  SR_HD bool operator<(const Self &) const;
};
template <class F, class I> using applied_t = std::decay_t<std::invoke_result_t<F, value_t<I>>>;
}  // namespace detail
template <class T, class S = use_default, class C = use_default, class D = use_default>
struct counting_iterator : detail::facade<counting_iterator<T, S, C, D>, T> {
  SR_HD counting_iterator();
  SR_HD explicit counting_iterator(T);
};
template <class T, class N = use_default, class S = use_default>
struct constant_iterator : detail::facade<constant_iterator<T, N, S>, T> {
  template <class U> SR_HD constant_iterator(const U &);
};
template <class F, class I, class R = use_default, class V = use_default>
struct transform_iterator : detail::facade<transform_iterator<F, I, R, V>, detail::applied_t<F, I>> {
  SR_HD transform_iterator();
  SR_HD transform_iterator(I, F = F());
  SR_HD I base() const;
};
template <class F, class O> struct transform_output_iterator
    : detail::facade<transform_output_iterator<F, O>, detail::value_t<O>, detail::value_t<O> &> {
  SR_HD transform_output_iterator(O, F);
};
template <class E, class I>
struct permutation_iterator
    : detail::facade<permutation_iterator<E, I>, detail::value_t<E>, typename std::iterator_traits<E>::reference> {
  SR_HD permutation_iterator(E, I);
};
template <class I>
struct reverse_iterator
    : detail::facade<reverse_iterator<I>, detail::value_t<I>, typename std::iterator_traits<I>::reference> {
  SR_HD explicit reverse_iterator(I);
  SR_HD I base() const;
};
namespace detail {
template <class T> struct zipped;
template <class... I> struct zipped<std::tuple<I...>> {
  using value = std::tuple<value_t<I>...>;
  using reference = std::tuple<typename std::iterator_traits<I>::reference...>;
};
}  // namespace detail
template <class T>
struct zip_iterator
    : detail::facade<zip_iterator<T>, typename detail::zipped<T>::value, typename detail::zipped<T>::value> {
  SR_HD zip_iterator(T);
  SR_HD const T &get_iterator_tuple() const;
};
template <class S = use_default> struct discard_iterator : detail::facade<discard_iterator<S>, detail::anything, detail::anything &> {
  SR_HD explicit discard_iterator(size_t = 0);
};
template <class T> SR_HD counting_iterator<T> make_counting_iterator(T);
template <class T, class N = size_t> SR_HD constant_iterator<T> make_constant_iterator(T, N = 0);
template <class I, class F> SR_HD transform_iterator<F, I> make_transform_iterator(I, F);
template <class O, class F> SR_HD transform_output_iterator<F, O> make_transform_output_iterator(O, F);
template <class E, class I> SR_HD permutation_iterator<E, I> make_permutation_iterator(E, I);
template <class I> SR_HD reverse_iterator<I> make_reverse_iterator(I);
template <class... I> SR_HD zip_iterator<std::tuple<I...>> make_zip_iterator(std::tuple<I...>);
template <class I, class... J, detail::difference_t<I> * = nullptr>
SR_HD zip_iterator<std::tuple<I, J...>> make_zip_iterator(I, J...);
inline discard_iterator<> make_discard_iterator(size_t = 0);
template <class F> struct zip_function {
  SR_HD zip_function(F);
  template <class T> SR_HD auto operator()(T &&) const -> decltype(std::apply(std::declval<F>(), std::declval<T>()));
};
template <class F> SR_HD zip_function<std::decay_t<F>> make_zip_function(F &&);
template <class I> SR_HD detail::difference_t<I> distance(I, I);
template <class I, class N> SR_HD void advance(I &, N);
template <class I> SR_HD I next(I, ptrdiff_t = 1);
template <class I> SR_HD I prev(I, ptrdiff_t = 1);

#include "softrock/thrust_functional.h"
#include "softrock/thrust_algorithms.h"

/* --- random numbers, complex numbers, errors --- */
namespace random {
#define SR_ENGINE(name) \
  struct name { \
    using result_type = unsigned; \
    static constexpr unsigned min = 0, max = 0xffffffff, default_seed = 1; \
    SR_HD explicit name(unsigned long long = 1); \
    SR_HD void seed(unsigned long long = 1); \
    SR_HD unsigned operator()(); \
    SR_HD void discard(unsigned long long); \
  };
SR_ENGINE(minstd_rand)
SR_ENGINE(minstd_rand0)
SR_ENGINE(ranlux24)
SR_ENGINE(ranlux48)
SR_ENGINE(taus88)
#undef SR_ENGINE
using default_random_engine = minstd_rand;
#define SR_DISTRIBUTION(name) \
  template <class T = double> struct name { \
    using result_type = T; \
    SR_HD explicit name(T = 0, T = 1); \
    template <class E> SR_HD T operator()(E &); \
  };
SR_DISTRIBUTION(uniform_real_distribution)
SR_DISTRIBUTION(uniform_int_distribution)
SR_DISTRIBUTION(normal_distribution)
#undef SR_DISTRIBUTION
namespace experimental { using thrust::random::normal_distribution; }
}  // namespace random
using namespace random;
template <class T> struct complex {
  using value_type = T;
  SR_HD complex(const T & = T(), const T & = T());
  template <class U> SR_HD complex(const complex<U> &);
  template <class U> SR_HD complex(const std::complex<U> &);
  SR_HD T real() const;
  SR_HD T imag() const;
  SR_HD void real(T);
  SR_HD void imag(T);
  SR_HD operator std::complex<T>() const;
  template <class U> SR_HD complex &operator+=(const U &);
  template <class U> SR_HD complex &operator-=(const U &);
  template <class U> SR_HD complex &operator*=(const U &);
  template <class U> SR_HD complex &operator/=(const U &);
};
#define SR_OPERATOR(op) \
  template <class T, class U> SR_HD complex<T> operator op(const complex<T> &, const complex<U> &); \
  template <class T> SR_HD complex<T> operator op(const complex<T> &, const T &); \
  template <class T> SR_HD complex<T> operator op(const T &, const complex<T> &);
SR_OPERATOR(+)
SR_OPERATOR(-)
SR_OPERATOR(*)
SR_OPERATOR(/)
#undef SR_OPERATOR
template <class T> SR_HD complex<T> operator-(const complex<T> &);
template <class T> SR_HD complex<T> operator+(const complex<T> &);
template <class T, class U> SR_HD bool operator==(const complex<T> &, const complex<U> &);
template <class T, class U> SR_HD bool operator!=(const complex<T> &, const complex<U> &);
template <class T> std::ostream &operator<<(std::ostream &, const complex<T> &);
template <class T> SR_HD T abs(const complex<T> &);
template <class T> SR_HD T arg(const complex<T> &);
template <class T> SR_HD T norm(const complex<T> &);
#define SR_FUNCTION(name) template <class T> SR_HD complex<T> name(const complex<T> &);
SR_FUNCTION(conj) SR_FUNCTION(exp) SR_FUNCTION(log) SR_FUNCTION(log10) SR_FUNCTION(sqrt) SR_FUNCTION(sin) SR_FUNCTION(cos)
SR_FUNCTION(tan) SR_FUNCTION(sinh) SR_FUNCTION(cosh) SR_FUNCTION(tanh) SR_FUNCTION(proj)
#undef SR_FUNCTION
template <class T, class U> SR_HD complex<T> polar(const T &, const U & = U());
template <class T, class U> SR_HD complex<T> pow(const complex<T> &, const U &);
namespace system {
using std::error_code;
using std::error_category;
using system_error = std::system_error;
const std::error_category &cuda_category();
const std::error_category &generic_category();
namespace errc = std;
}  // namespace system
using system::system_error;
using std::error_code;
const std::error_category &cuda_category();
const std::error_category &hip_category();
template <class T> struct is_proxy_reference : std::false_type {};
template <class I> inline constexpr bool is_contiguous_iterator_v = true;
}  // namespace thrust
#endif
