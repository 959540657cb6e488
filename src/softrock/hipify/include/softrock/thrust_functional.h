/* Part of softrock (MIT licence, see LICENSE). Thrust's function objects and placeholders; part of softrock/thrust.h. */
#define SR_BINARY(name, result) \
  template <class T = void> struct name { \
    using first_argument_type = T; \
    using second_argument_type = T; \
    using result_type = result; \
    SR_HD constexpr result operator()(const T &, const T &) const; \
  }; \
  template <> struct name<void> { \
    template <class A, class B> SR_HD constexpr auto operator()(A &&, B &&) const -> std::common_type_t<A, B>; \
  };
#define SR_UNARY(name, result) \
  template <class T = void> struct name { \
    using argument_type = T; \
    using result_type = result; \
    SR_HD constexpr result operator()(const T &) const; \
  }; \
  template <> struct name<void> { template <class A> SR_HD constexpr auto operator()(A &&) const -> std::decay_t<A>; };
SR_BINARY(plus, T) SR_BINARY(minus, T) SR_BINARY(multiplies, T) SR_BINARY(divides, T) SR_BINARY(modulus, T)
SR_BINARY(maximum, T) SR_BINARY(minimum, T) SR_BINARY(bit_and, T) SR_BINARY(bit_or, T) SR_BINARY(bit_xor, T)
SR_BINARY(equal_to, bool) SR_BINARY(not_equal_to, bool) SR_BINARY(greater, bool) SR_BINARY(less, bool)
SR_BINARY(greater_equal, bool) SR_BINARY(less_equal, bool) SR_BINARY(logical_and, bool) SR_BINARY(logical_or, bool)
SR_UNARY(negate, T) SR_UNARY(square, T) SR_UNARY(identity, T) SR_UNARY(logical_not, bool)
#undef SR_BINARY
#undef SR_UNARY
template <class A = void, class B = void> struct project1st { SR_HD A operator()(const A &, const B &) const; };
template <class A = void, class B = void> struct project2nd { SR_HD B operator()(const A &, const B &) const; };
template <class A, class R> struct unary_function { using argument_type = A; using result_type = R; };
template <class A, class B, class R> struct binary_function {
  using first_argument_type = A;
  using second_argument_type = B;
  using result_type = R;
};
template <class P> struct unary_negate { template <class A> SR_HD bool operator()(A &&) const; };
template <class P> struct binary_negate { template <class A, class B> SR_HD bool operator()(A &&, B &&) const; };
template <class P> SR_HD unary_negate<P> not1(const P &);
template <class P> SR_HD binary_negate<P> not2(const P &);
template <class P> SR_HD unary_negate<P> not_fn(P &&);
namespace detail {
/* An expression of placeholders: calling it gives the type of its first argument. */
struct expression {
  template <class A, class... B> SR_HD std::decay_t<A> operator()(A &&, B &&...) const;
  template <class A> SR_HD expression operator=(const A &) const;
  template <class A> SR_HD expression operator[](const A &) const;
};
#define SR_OPERATOR(op) \
  template <class A> SR_HD expression operator op(const expression &, const A &); \
  template <class A, std::enable_if_t<!std::is_same_v<A, expression>, int> = 0> \
  SR_HD expression operator op(const A &, const expression &);
SR_OPERATOR(+) SR_OPERATOR(-) SR_OPERATOR(*) SR_OPERATOR(/) SR_OPERATOR(%) SR_OPERATOR(<) SR_OPERATOR(>) SR_OPERATOR(<=)
SR_OPERATOR(>=) SR_OPERATOR(==) SR_OPERATOR(!=) SR_OPERATOR(&&) SR_OPERATOR(||) SR_OPERATOR(&) SR_OPERATOR(|)
SR_OPERATOR(^) SR_OPERATOR(<<) SR_OPERATOR(>>) SR_OPERATOR(+=) SR_OPERATOR(-=) SR_OPERATOR(*=) SR_OPERATOR(/=)
#undef SR_OPERATOR
SR_HD expression operator!(const expression &);
SR_HD expression operator-(const expression &);
SR_HD expression operator~(const expression &);
SR_HD expression operator*(const expression &);
}  // namespace detail
namespace placeholders {
inline constexpr detail::expression _1{}, _2{}, _3{}, _4{}, _5{}, _6{}, _7{}, _8{}, _9{}, _10{};
}
