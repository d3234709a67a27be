#pragma once

/// The straight forms of expressions, and how loops evaluate them.  Choices and elements at indices
/// are in straight_fetch.hpp.
///
/// Where elements are used once and in order, an expression is evaluated in two dependent steps:
/// load_index(i) loads its indices, and load_at(i, loaded) the rest; valid(i, loaded) returns
/// whether the indices were in range, and can_load() whether any index can be: load_at() then clamps
/// invalid ones.  A device issues the loads of many instances before it uses the first.
///
/// One that reads one array alone has its address, array(), and its value where the element is x, of(x):
/// as a load it is one of elements (map.hpp).
///
/// On a device a chunk has no tests if inside(begin, end) returns that all indices are in range,
/// and all choices equal: unchecked(i) is the value without tests.  Loops of the host call
/// all_inside(begin, end), which also inspects indices in memory, in vectors.

#include <ravel/core/cpu/flow.hpp>
#include <ravel/core/read_once.hpp>
#include <ravel/flatten/expression.hpp>

namespace ravel::inline v0::flattening {

struct no_index {};
/// What has no indices to load, and none that could be out of range.
struct without_index {
  RAVEL_HD no_index load_index(index_t) const { return {}; }
  RAVEL_HD bool can_load() const { return true; }
  RAVEL_HD bool valid(index_t, no_index) const { return true; }
  RAVEL_HD static bool inside(index_t, index_t) { return true; }
  static bool all_inside(index_t, index_t) { return true; }
};

/// Elements with the indices of the instances.
template <class T>
struct straight_leaf : without_index {
  T const* data;

  RAVEL_HD straight_leaf on(tile) const { return *this; }
  RAVEL_HD straight_leaf from(index_t first) const { return {{}, data + first}; }
  RAVEL_HD T operator()(index_t i) const { return data[i]; }
  RAVEL_HD T const* array() const { return data; }
  RAVEL_HD T of(T const& x) const { return x; }
  RAVEL_HD T load_at(index_t i, no_index) const { return read_once(data + i); }
  RAVEL_HD T unchecked(index_t i) const { return data[i]; }
  /// Prefetches at a fixed distance after [begin, end): several streams defeat the
  /// hardware prefetcher.
  void prefetch(index_t begin, index_t end) const {
    constexpr index_t line = sizeof(T) < 64 ? 64 / sizeof(T) : 1, ahead = 64 * line;
    for (index_t i = begin; i < end; i += line) {
      cpu::prefetch_line(reinterpret_cast<char const*>(data + i + ahead));
    }
  }
};

/// Elements with the indices of the instances, or one that all instances share: a loop of the host
/// tests which once.
template <class T>
struct straight_or_shared_leaf : without_index {
  T const* data;
  T value;
  bool is_shared;

  RAVEL_HD straight_or_shared_leaf on(tile) const { return *this; }
  RAVEL_HD T operator()(index_t i) const { return is_shared ? value : data[i]; }
  RAVEL_HD T load_at(index_t i, no_index) const { return (*this)(i); }
  RAVEL_HD T unchecked(index_t i) const { return (*this)(i); }
  void prefetch(index_t begin, index_t end) const {
    if (!is_shared) straight_leaf<T>{{}, data}.prefetch(begin, end);
  }
};

template <class T>
struct straight_constant : without_index {
  T value;
  RAVEL_HD straight_constant on(tile) const { return *this; }
  RAVEL_HD straight_constant from(index_t) const { return *this; }
  RAVEL_HD T operator()(index_t) const { return value; }
  template <class X>
  RAVEL_HD T of(X const&) const {
    return value;
  }
  RAVEL_HD T load_at(index_t, no_index) const { return value; }
  RAVEL_HD T unchecked(index_t) const { return value; }
  void prefetch(index_t, index_t) const {}
};

/// The index of the instance.
struct straight_place : without_index {
  RAVEL_HD straight_place on(tile) const { return *this; }
  RAVEL_HD index_t operator()(index_t i) const { return i; }
  RAVEL_HD index_t load_at(index_t i, no_index) const { return i; }
  RAVEL_HD index_t unchecked(index_t i) const { return i; }
  void prefetch(index_t, index_t) const {}
};

/// The number of arrays that an expression reads in order: 2 stands for more, and for what else it reads.
template <class E>
inline constexpr int arrays_read = 2;
template <class T>
inline constexpr int arrays_read<straight_leaf<T>> = 1;
template <class T>
inline constexpr int arrays_read<straight_constant<T>> = 0;

/// Expressions that have an unchecked form.
template <class E>
concept can_be_unchecked = requires(E const& e, index_t i) {
  e.unchecked(i);
};
template <class E>
concept can_be_inside = can_be_unchecked<E> && requires(E const& e, index_t i) {
  e.inside(i, i);
};

/// The same where indices are in memory.
template <class E>
concept can_be_all_inside = can_be_unchecked<E> && requires(E const& e, index_t i) {
  e.all_inside(i, i);
};

/// Indices that are cheap enough to be evaluated twice.
template <class E>
inline constexpr bool is_simple = false;
template <class T>
inline constexpr bool is_simple<straight_leaf<T>> = true;
template <class T>
inline constexpr bool is_simple<straight_or_shared_leaf<T>> = true;
template <class T>
inline constexpr bool is_simple<straight_constant<T>> = true;
template <>
inline constexpr bool is_simple<straight_place> = true;

/// Whether the straight form F has indices that can be tested together.
template <class F>
inline constexpr bool has_tests = false;
template <class F>
requires requires(F const& form, tile t) {
  { form.on(t) } -> can_be_all_inside;
}
inline constexpr bool has_tests<F> =
    !is_simple<std::remove_cvref_t<decltype(std::declval<F const&>().on(tile{}))>>;

/// The loaded indices of operands.
template <class Indices, class... A>
struct operand_indices;
template <std::size_t... I, class... A>
struct operand_indices<std::index_sequence<I...>, A...> : operand<I, A>... {};

template <class Indices, class F, class... E>
struct straight_application;
template <class Indices, class F, class... E>
inline constexpr int arrays_read<straight_application<Indices, F, E...>> = (arrays_read<E> + ...);
template <std::size_t... I, class F, class... E>
struct straight_application<std::index_sequence<I...>, F, E...> : operand<I, E>... {
  F f;

  RAVEL_HD auto on(tile t) const {
    return straight_application<std::index_sequence<I...>, F, decltype(std::declval<E>().on(t))...>{
        {operand_at<I>(*this).on(t)}..., f};
  }
  RAVEL_HD straight_application from(index_t first) const {
    return {{operand_at<I>(*this).from(first)}..., f};
  }
  RAVEL_HD auto operator()(index_t i) const { return f(operand_at<I>(*this)(i)...); }
  template <std::size_t K = 0>
  requires((arrays_read<E> + ...) == 1) RAVEL_HD auto array() const {
    auto const& one = operand_at<K>(*this);
    if constexpr (arrays_read<std::remove_cvref_t<decltype(one)>> == 1) {
      return one.array();
    } else {
      return array<K + 1>();
    }
  }
  template <class X>
  RAVEL_HD auto of(X const& x) const {
    return f(operand_at<I>(*this).of(x)...);
  }
  RAVEL_HD auto load_index(index_t i) const {
    return operand_indices<std::index_sequence<I...>,
                           decltype(std::declval<E const&>().load_index(i))...>{
        {operand_at<I>(*this).load_index(i)}...};
  }
  RAVEL_HD bool can_load() const { return (operand_at<I>(*this).can_load() & ...); }
  template <class... A>
  RAVEL_HD bool valid(index_t i,
                      operand_indices<std::index_sequence<I...>, A...> const& loaded) const {
    return (operand_at<I>(*this).valid(i, operand_at<I>(loaded)) & ...);
  }
  template <class... A>
  RAVEL_HD auto load_at(index_t i,
                        operand_indices<std::index_sequence<I...>, A...> const& loaded) const {
    return f(operand_at<I>(*this).load_at(i, operand_at<I>(loaded))...);
  }
  RAVEL_HD bool inside(index_t begin, index_t end) const requires(can_be_inside<E>&&...) {
    return (operand_at<I>(*this).inside(begin, end) && ...);
  }
  bool all_inside(index_t begin, index_t end) const requires(can_be_all_inside<E>&&...) {
    return (operand_at<I>(*this).all_inside(begin, end) && ...);
  }
  RAVEL_HD auto unchecked(index_t i) const requires(can_be_unchecked<E>&&...) {
    return f(operand_at<I>(*this).unchecked(i)...);
  }
  void prefetch(index_t begin, index_t end) const {
    (operand_at<I>(*this).prefetch(begin, end), ...);
  }
};

template <class Indices, class F, class... E>
inline constexpr bool is_simple<straight_application<Indices, F, E...>> = (is_simple<E> && ...);

/// Whether an expression reads memory, so that prefetching its operands may gain.
template <class E>
inline constexpr bool reads_memory = true;
template <class T>
inline constexpr bool reads_memory<straight_constant<T>> = false;
template <>
inline constexpr bool reads_memory<straight_place> = false;
template <class Indices, class F, class... E>
inline constexpr bool reads_memory<straight_application<Indices, F, E...>> = (reads_memory<E> ||
                                                                              ...);

/// An expression as the load of a primitive, whose values are of one type.
template <class T, class E>
struct load_as {
  E e;
  RAVEL_HD T operator()(index_t i) const { return static_cast<T>(e(i)); }
};
template <class T, class E>
requires requires(E const& e, tile t) { e.on(t); }
struct load_as<T, E> {
  static constexpr bool cannot_fail = is_simple<E>;
  E e;
  RAVEL_HD auto on(tile t) const { return load_as<T, decltype(e.on(t))>{e.on(t)}; }
  RAVEL_HD T operator()(index_t i) const { return static_cast<T>(e(i)); }
  RAVEL_HD auto elements() const requires(arrays_read<E> == 1) { return e.array(); }
  template <class X>
  requires(arrays_read<E> == 1) RAVEL_HD T of(index_t, X const& x)
  const { return static_cast<T>(e.of(x)); }
  RAVEL_HD auto load_index(index_t i) const requires requires { e.load_index(i); }
  { return e.load_index(i); }
  RAVEL_HD bool can_load() const requires requires { e.can_load(); }
  { return e.can_load(); }
  template <class Loaded>
  RAVEL_HD bool valid(index_t i, Loaded const& loaded) const {
    return e.valid(i, loaded);
  }
  template <class Loaded>
  RAVEL_HD T load_at(index_t i, Loaded const& loaded) const {
    return static_cast<T>(e.load_at(i, loaded));
  }
  RAVEL_HD bool inside(index_t begin, index_t end) const requires can_be_inside<E> {
    return e.inside(begin, end);
  }
  bool all_inside(index_t begin, index_t end) const requires can_be_all_inside<E> {
    return e.all_inside(begin, end);
  }
  RAVEL_HD T unchecked(index_t i) const requires can_be_unchecked<E> {
    return static_cast<T>(e.unchecked(i));
  }
  void prefetch(index_t begin, index_t end) const { e.prefetch(begin, end); }
};

}  // namespace ravel::inline v0::flattening
