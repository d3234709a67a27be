#pragma once

/// Expressions: how a kernel computes the value of an instance.
///
/// An expression e is a function object: e(i) is its value at instance i, of type
/// value_type.  It can be copied into a kernel, where it is the `load` of a
/// primitive, and owns nothing.  `e.moved(f)` is e for other instances: f returns for
/// each leaf the spot of its elements there.
///
/// An expression that can fail, by an index out of range or a division, also has
/// e.value(i, report); e(i) reports by raising a fault.  Another report records
/// the failure for a later use of the value.

#include <ravel/flatten/errors.hpp>

namespace ravel::inline v0::flattening {

/// The element for instance i: map[k], or k if there is no map, with k = i step, or,
/// where consecutive instances share an element, k = i / neighbours.  Without step and share all
/// instances have the same element.
struct spot {
  index_t const* map = nullptr;
  index_t step = 1;
  std::uint64_t share = 0;  // ceil(2^64 / neighbours); 0 if none share

  /// The spot where so many consecutive instances of n share an element, if possible: i / d is the
  /// high half of i ceil(2^64 / d) for all i d <= 2^64, which for i < 2^32 takes two
  /// multiplications.
  static bool can_share(index_t neighbours, index_t n) {
    constexpr index_t limit = index_t{1} << 31;
    return neighbours > 1 && neighbours < limit && n <= limit;
  }
  static spot shared_by(index_t neighbours) {
    return {nullptr, 0, ~std::uint64_t{0} / static_cast<std::uint64_t>(neighbours) + 1};
  }
  index_t neighbours() const { return static_cast<index_t>(~std::uint64_t{0} / share + 1); }

  RAVEL_HD index_t operator()(index_t i) const {
    auto const x = static_cast<std::uint64_t>(static_cast<std::uint32_t>(i));
#if defined(RAVEL_INT128) && !defined(RAVEL_DEVICE_CODE)
    __extension__ using twice = unsigned __int128;
    auto const shared = static_cast<index_t>(twice{x} * share >> 64);
#else
    std::uint64_t const low = x * static_cast<std::uint32_t>(share) >> 32;
    auto const shared = static_cast<index_t>((x * (share >> 32) + low) >> 32);
#endif
    index_t const k = i * step + shared;
    return map == nullptr ? k : map[k];
  }
  bool same_for_all() const { return step == 0 && share == 0; }
  bool is_identity() const { return map == nullptr && step == 1 && share == 0; }
  friend bool operator==(spot const&, spot const&) = default;
};

/// Where the elements of dense sequences begin: offsets, or, if null, one length for all.
struct starts {
  index_t const* offsets;
  index_t length;

  RAVEL_HD index_t operator[](index_t s) const { return offsets ? offsets[s] : s * length; }
};

/// The bounds of the sequence of each instance: elements [begin(i), end(i)).  If begins is null,
/// sequences are contiguous and of one length.
struct extents {
  index_t const *begins, *ends;
  index_t uniform;
  spot at;

  struct bounds {
    index_t begin, end;
  };
  RAVEL_HD bounds operator()(index_t i) const {
    index_t const k = at(i);
    if (begins) return {begins[k], ends[k]};
    return {k * uniform, (k + 1) * uniform};
  }
  RAVEL_HD index_t begin(index_t i) const {
    index_t const k = at(i);
    return begins ? begins[k] : k * uniform;
  }
  RAVEL_HD index_t end(index_t i) const {
    index_t const k = at(i);
    return begins ? ends[k] : (k + 1) * uniform;
  }
  RAVEL_HD index_t length(index_t i) const {
    index_t const k = at(i);
    return begins ? ends[k] - begins[k] : uniform;
  }
  friend bool operator==(extents const&, extents const&) = default;
  template <class F>
  extents moved(F const& f) const {
    return {begins, ends, uniform, f(at)};
  }
};

/// The same value at every instance.
template <class T>
struct constant {
  using value_type = T;
  static constexpr int weight = 0;
  T value;

  RAVEL_HD T operator()(index_t) const { return value; }
  template <class F>
  constant moved(F const&) const {
    return *this;
  }
};

/// An element in memory.
template <class T>
struct leaf {
  using value_type = T;
  static constexpr int weight = 1;
  T const* data;
  spot at;

  RAVEL_HD T operator()(index_t i) const { return data[at(i)]; }
  friend bool operator==(leaf const&, leaf const&) = default;
  template <class F>
  leaf moved(F const& f) const {
    return {data, f(at)};
  }
};

/// The index of the instance itself.
struct place {
  using value_type = index_t;
  static constexpr int weight = 1;
  spot at;

  RAVEL_HD index_t operator()(index_t i) const { return at(i); }
  template <class F>
  place moved(F const& f) const {
    return {f(at)};
  }
};

/// Where the sequence of an instance begins.
struct begin_of {
  using value_type = index_t;
  static constexpr int weight = 1;
  extents where;

  RAVEL_HD index_t operator()(index_t i) const { return where.begin(i); }
  template <class F>
  begin_of moved(F const& f) const {
    return {where.moved(f)};
  }
};
/// The length of the sequence of an instance.
struct length_of {
  using value_type = index_t;
  static constexpr int weight = 1;
  extents where;

  RAVEL_HD index_t operator()(index_t i) const { return where.length(i); }
  template <class F>
  length_of moved(F const& f) const {
    return {where.moved(f)};
  }
};

/// Reports that instance i fails.
RAVEL_SELDOM inline void fail_at(place instance, index_t i, fault fails, index_t index,
                                 index_t length) {
  fails(instance(i), index, length);
}

/// The report for a value that is used: a failure is a fault of the program.
struct raise_failure {
  RAVEL_HD void operator()(place instance, index_t i, fault fails, index_t index,
                           index_t length) const {
    fail_at(instance, i, fails, index, length);
  }
};
/// The report for a value that may remain unused: the first failure is recorded.
struct note_failure {
  failure* to;
  RAVEL_HD void operator()(place instance, index_t i, fault fails, index_t index,
                           index_t length) const {
    index_t const key = fails.key_of(instance(i));
    if (key < to->key) *to = {key, index, length};
  }
};

/// Whether evaluating E at some instance may fail.
template <class E>
inline constexpr bool can_fail = false;

/// e(i), with failures passed to `report`.
template <class E, class Report>
RAVEL_HD typename E::value_type value_of(E const& e, index_t i, Report report) {
  if constexpr (can_fail<E>) {
    return e.value(i, report);
  } else {
    return e(i);
  }
}

/// An element in memory, or the failure recorded for it.
template <class T>
struct recorded {
  using value_type = T;
  static constexpr int weight = 2;
  T const* data;
  bool const* failed;
  failure const* failures;  // of the failed instances
  fault_record* record;
  spot at;

  template <class Report>
  RAVEL_HD T value(index_t i, Report report) const {
    index_t const k = at(i);
    if (failed[k]) {
      place const no_instance{{nullptr, 0}};  // the key already contains it
      report(no_instance, i, fault{record, failures[k].key}, failures[k].index, failures[k].length);
      return T{};
    }
    return data[k];
  }
  RAVEL_HD T operator()(index_t i) const { return value(i, raise_failure{}); }
  template <class F>
  recorded moved(F const& f) const {
    return {data, failed, failures, record, f(at)};
  }
};
template <class T>
inline constexpr bool can_fail<recorded<T>> = true;

template <std::size_t I, class E>
struct operand {
  E e;
};
template <std::size_t I, class E>
RAVEL_HD constexpr E const& operand_at(operand<I, E> const& x) {
  return x.e;
}

/// The value of an operand of an expression at an instance, computed where it is called.
template <class E, class Report>
struct operand_value {
  E const& e;
  index_t i;
  Report report;
  RAVEL_HD auto operator()() const { return value_of(e, i, report); }
};

/// A function that evaluates only the operands it needs: f.lazily(i, report, x...) calls x().
template <class F>
concept is_lazy = bool{F::is_lazy};
/// Whether a lazy function may fail by itself.
template <class F>
inline constexpr bool fails_itself = false;

/// f(e(i)...)
template <class Indices, class F, class... E>
struct application;
template <std::size_t... I, class F, class... E>
struct application<std::index_sequence<I...>, F, E...> : operand<I, E>... {
  using value_type = std::remove_cvref_t<std::invoke_result_t<F const&, typename E::value_type...>>;
  static constexpr int weight = (int{fails_itself<F>} + ... + E::weight);
  F f;

  template <class Report>
  RAVEL_HD value_type value(index_t i, Report report) const {
    if constexpr (is_lazy<F>) {
      return f.lazily(i, report, operand_value<E, Report>{operand_at<I>(*this), i, report}...);
    } else {
      return f(value_of(operand_at<I>(*this), i, report)...);
    }
  }
  RAVEL_HD value_type operator()(index_t i) const { return value(i, raise_failure{}); }
  template <class G>
  application moved(G const& g) const {
    if constexpr (fails_itself<F>) {
      return {operand<I, E>{operand_at<I>(*this).moved(g)}..., f.moved(g)};
    } else {
      return {operand<I, E>{operand_at<I>(*this).moved(g)}..., f};
    }
  }
};

template <class Indices, class F, class... E>
inline constexpr bool can_fail<application<Indices, F, E...>> = (fails_itself<F> || ... ||
                                                                 can_fail<E>);

template <class F, class... E>
auto apply_to_each(F f, E const&... e) {
  return application<std::index_sequence_for<E...>, F, E...>{{e}..., f};
}

/// condition ? a : b; the other operand is not evaluated.
struct choice {
  static constexpr bool is_lazy = true;
  template <class A, class B>
  std::common_type_t<A, B> operator()(bool, A const&, B const&) const;
  template <class Report, class C, class A, class B>
  RAVEL_HD auto lazily(index_t, Report, C const& condition, A const& a, B const& b) const {
    using T = std::common_type_t<decltype(a()), decltype(b())>;
    if (condition()) return static_cast<T>(a());
    return static_cast<T>(b());
  }
};
/// a && b if Stop is false, a || b if it is true, with short-circuit evaluation.
template <bool Stop>
struct short_circuit {
  static constexpr bool is_lazy = true;
  bool operator()(bool, bool) const;
  template <class Report, class A, class B>
  RAVEL_HD bool lazily(index_t, Report, A const& a, B const& b) const {
    bool const first = a();
    return first == Stop ? Stop : static_cast<bool>(b());
  }
};
/// f(a, b) for integers, where f divides; b may be 0.
template <class F>
struct division {
  static constexpr bool is_lazy = true;
  F f;
  place instance;
  fault fails;
  template <class A, class B>
  std::invoke_result_t<F const&, A, B> operator()(A const&, B const&) const;
  template <class Report, class A, class B>
  RAVEL_HD auto lazily(index_t i, Report report, A const& a, B const& b) const {
    auto const divisor = b();
    if (divisor == 0) {
      report(instance, i, fails, 0, 0);
      return decltype(f(a(), divisor)){};
    }
    return f(a(), divisor);
  }
  template <class G>
  division moved(G const& g) const {
    return {f, instance.moved(g), fails};
  }
};
template <class F>
inline constexpr bool fails_itself<division<F>> = true;

/// elements(where.begin(i) + index(i)): element index(i) of the sequence of instance i.
template <class E, class I>
struct fetch {
  using value_type = typename E::value_type;
  static constexpr int weight = E::weight + I::weight + 3;
  E elements;
  extents where;
  I index;
  place instance;
  fault fails;

  template <class Report>
  RAVEL_HD value_type value(index_t i, Report report) const {
    auto const [first, last] = where(i);
    index_t const length = last - first;
    index_t const k = static_cast<index_t>(value_of(index, i, report));
    if (k < 0 || k >= length) {
      report(instance, i, fails, k, length);
      return value_type{};
    }
    return value_of(elements, first + k, report);
  }
  RAVEL_HD value_type operator()(index_t i) const { return value(i, raise_failure{}); }
  template <class F>
  fetch moved(F const& f) const {
    return {elements, where.moved(f), index.moved(f), instance.moved(f), fails};
  }
};

template <class E, class I>
inline constexpr bool can_fail<fetch<E, I>> = true;

template <class T>
struct as_type {
  template <class U>
  RAVEL_HD constexpr T operator()(U const& x) const {
    return static_cast<T>(x);
  }
};

template <class E>
struct is_leaf : std::false_type {};
template <class T>
struct is_leaf<leaf<T>> : std::true_type {};

/// Whether an expression reads elements of 8 bytes or more in order.
template <class E>
inline constexpr bool reads_wide = false;
template <class T>
inline constexpr bool reads_wide<leaf<T>> = sizeof(T) >= 8;
template <class Indices, class F, class... E>
inline constexpr bool reads_wide<application<Indices, F, E...>> = (reads_wide<E> || ...);

}  // namespace ravel::inline v0::flattening
