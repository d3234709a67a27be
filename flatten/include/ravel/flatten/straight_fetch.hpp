#pragma once

/// The straight forms of choices, and of elements at straight indices.

#include <ravel/core/cpu/either.hpp>
#include <ravel/flatten/expression.hpp>
#include <ravel/flatten/straight_expression.hpp>

namespace ravel::inline v0::flattening {

struct added;
struct subtracted;
struct multiplied;
struct is_less;
struct is_at_most;
struct is_greater;
struct is_at_least;

/// Whether an expression is i + c for a number c, so that consecutive instances have consecutive
/// values.
template <class E>
inline constexpr bool is_shift = false;
template <>
inline constexpr bool is_shift<straight_place> = true;
template <class F, class E, class T>
requires(std::same_as<F, added> || std::same_as<F, subtracted>)  //
    inline constexpr bool is_shift<
        straight_application<std::index_sequence<0, 1>, F, E, straight_constant<T>>> = is_shift<E>;

/// Whether it compares i + c with a number, so that the instances for which it holds are
/// contiguous.
template <class C>
inline constexpr bool is_bound = false;
template <class F, class E, std::signed_integral T>
requires(std::same_as<F, is_less> || std::same_as<F, is_at_most> || std::same_as<F, is_greater> ||
         std::same_as<F, is_at_least>)  //
    inline constexpr bool is_bound<
        straight_application<std::index_sequence<0, 1>, F, E, straight_constant<T>>> = is_shift<E>;

/// Whether an expression takes few cycles and cannot fail: a choice evaluates it even where it is not
/// taken, since a branch is mispredicted, and keeps a loop from vectors.
template <class E>
inline constexpr bool takes_few_cycles = is_simple<E>;
template <class T>
inline constexpr bool takes_few_cycles<leaf<T>> = true;
template <class T>
inline constexpr bool takes_few_cycles<constant<T>> = true;
template <std::size_t... I, class F, class... E>
inline constexpr bool takes_few_cycles<application<std::index_sequence<I...>, F, E...>> =
    takes_few_cycles<straight_application<std::index_sequence<I...>, F, E...>>;
template <class Indices, class F, class... E>
inline constexpr bool takes_few_cycles<straight_application<Indices, F, E...>> =
    (std::same_as<F, added> || std::same_as<F, subtracted> || std::same_as<F, multiplied>)&&  //
    (takes_few_cycles<E>&&...);

template <class C, class A, class B>
struct choice_index {
  C taken;
  A a;
  B b;
};

/// yes ? a : b, as T; on the host without a branch, which random data mispredict.
template <class T>
struct chosen {
  RAVEL_MAY_CALL_HOST
  template <class A, class B>
  RAVEL_HD T operator()(bool condition, A const& a, B const& b) const {
#ifndef RAVEL_DEVICE_CODE
    if constexpr (cpu::word<T>) return cpu::either(condition, static_cast<T>(a), static_cast<T>(b));
#endif
    return condition ? static_cast<T>(a) : static_cast<T>(b);
  }
};

/// a where the condition is true, else b: the other operand is neither loaded nor reported.
template <class C, class A, class B>
struct straight_choice {
  using value_type =
      std::common_type_t<std::remove_cvref_t<decltype(std::declval<A const&>()(index_t{}))>,
                         std::remove_cvref_t<decltype(std::declval<B const&>()(index_t{}))>>;
  using known = std::conditional_t<reads_memory<C>, bool, no_index>;
  C condition;
  A a;
  B b;

  RAVEL_HD auto on(tile t) const {
    return straight_choice<decltype(condition.on(t)), decltype(a.on(t)), decltype(b.on(t))>{
        condition.on(t), a.on(t), b.on(t)};
  }
  RAVEL_HD value_type operator()(index_t i) const {
    if (condition(i)) return static_cast<value_type>(a(i));
    return static_cast<value_type>(b(i));
  }
  RAVEL_HD auto load_index(index_t i) const {
    using of_a = decltype(a.load_index(i));
    using of_b = decltype(b.load_index(i));
    bool const taken = condition(i);
    choice_index<known, of_a, of_b> loaded{};
    if constexpr (reads_memory<C>) loaded.taken = taken;
    if (taken) {
      loaded.a = a.load_index(i);
    } else {
      loaded.b = b.load_index(i);
    }
    return loaded;
  }
  RAVEL_HD bool can_load() const { return a.can_load() & b.can_load(); }
  template <class P, class Q>
  RAVEL_HD bool valid(index_t i, choice_index<known, P, Q> const& loaded) const {
    return is_taken(i, loaded.taken) ? a.valid(i, loaded.a) : b.valid(i, loaded.b);
  }
  template <class P, class Q>
  RAVEL_HD value_type load_at(index_t i, choice_index<known, P, Q> const& loaded) const {
    return is_taken(i, loaded.taken) ? static_cast<value_type>(a.load_at(i, loaded.a))
                                     : static_cast<value_type>(b.load_at(i, loaded.b));
  }
  /// If the condition is true for all.
  RAVEL_HD bool inside(index_t begin, index_t end) const requires(is_bound<C>&& can_be_inside<A>) {
    return condition(begin) && condition(end - 1) && a.inside(begin, end);
  }
  bool all_inside(index_t begin, index_t end) const requires(is_bound<C>&& can_be_all_inside<A>) {
    return condition(begin) && condition(end - 1) && a.all_inside(begin, end);
  }
  RAVEL_HD value_type unchecked(index_t i) const requires(is_bound<C>&& can_be_unchecked<A>) {
    return static_cast<value_type>(a.unchecked(i));
  }
  void prefetch(index_t begin, index_t end) const {
    a.prefetch(begin, end);
    b.prefetch(begin, end);
  }

 private:
  RAVEL_HD bool is_taken(index_t i, known taken) const {
    if constexpr (reads_memory<C>) {
      return taken;
    } else {
      return condition(i);
    }
  }
};
template <class C, class A, class B>
inline constexpr bool reads_memory<straight_choice<C, A, B>> =
    reads_memory<C> || reads_memory<A> || reads_memory<B>;

/// The first `length` elements, at straight indices.
///
/// A loaded index is kept, tested and added to an address in its own width; other indices are
/// recomputed: many instances at a time are limited by registers.
template <class E, class I>
struct located_fetch {
  using index_type = std::remove_cvref_t<decltype(std::declval<I const&>()(index_t{}))>;
  using loaded_index = std::conditional_t<reads_memory<I>, index_type, no_index>;
  using unsigned_index = std::conditional_t<sizeof(index_type) <= 4, std::uint32_t, std::uint64_t>;

  E elements;
  I index;
  index_t length;
  unsigned_index last;  // a valid index, if any is, and less than wrapped negative ones
  place instance;
  fault fails;

  RAVEL_HD located_fetch(E const& x, I const& i, index_t count, place row, fault report)
      : elements(x),
        index(i),
        length(count),
        last(static_cast<unsigned_index>(
            (sizeof(unsigned_index) < 8 && count > index_t{1} << 31 ? index_t{1} << 31 : count) -
            (count > 0 ? 1 : 0))),
        instance(row),
        fails(report) {}

  RAVEL_HD located_fetch on(tile) const { return *this; }
  RAVEL_HD auto operator()(index_t i) const {
    auto const k = static_cast<index_t>(index(i));
    if (static_cast<std::uint64_t>(k) >= static_cast<std::uint64_t>(length)) [[unlikely]] {
      fail_at(instance, i, fails, k, length);
      return decltype(elements(k)){};
    }
    return elements(k);
  }
  RAVEL_HD loaded_index load_index(index_t i) const {
    if constexpr (!reads_memory<I>) {
      return {};
    } else if constexpr (std::is_same_v<decltype(index.load_index(i)), no_index>) {
      return index.load_at(i, {});
    } else {
      return index(i);  // reports an index out of range itself
    }
  }
  RAVEL_HD bool can_load() const { return length > 0; }
  RAVEL_HD bool valid(index_t i, loaded_index loaded) const { return place_of(i, loaded) <= last; }
  /// The last element where the index is out of range: the caller tests `valid` after issuing its
  /// loads.
  RAVEL_HD auto load_at(index_t i, loaded_index loaded) const {
    unsigned_index const k = place_of(i, loaded);
    return elements(static_cast<index_t>(k < last ? k : last));
  }
  RAVEL_HD bool inside(index_t begin, index_t end) const requires(is_shift<I>) {
    return 0 <= static_cast<index_t>(index(begin)) && static_cast<index_t>(index(end - 1)) < length;
  }
  bool all_inside(index_t begin, index_t end) const requires(is_shift<I> || is_simple<I>) {
    if constexpr (is_shift<I>) {
      return inside(begin, end);
    } else {
      unsigned_index greatest = 0;
      for (index_t i = begin; i < end; ++i) {
        auto const k = static_cast<unsigned_index>(index(i));
        greatest = greatest < k ? k : greatest;
      }
      return can_load() && greatest <= last;
    }
  }
  RAVEL_HD auto unchecked(index_t i) const requires(is_shift<I> || is_simple<I>) {
    return elements(static_cast<index_t>(index(i)));
  }
  void prefetch(index_t begin, index_t end) const { index.prefetch(begin, end); }

 private:
  RAVEL_HD unsigned_index place_of(index_t i, loaded_index loaded) const {
    if constexpr (reads_memory<I>) {
      return static_cast<unsigned_index>(loaded);
    } else {
      return static_cast<unsigned_index>(index(i));
    }
  }
};

/// Elements of a sequence that all instances share: it begins at 0 in its base, as the host
/// knows, or its bounds are loaded for each tile.
template <class E, class I, bool AtFront>
struct straight_fetch {
  E elements;
  I index;
  extents where;
  place instance;
  fault fails;

  RAVEL_HD auto on(tile t) const {
    auto const tile_index = index.on(t);
    using located = located_fetch<E, std::remove_const_t<decltype(tile_index)>>;
    if constexpr (AtFront) {
      return located{elements, tile_index, where.uniform, instance, fails};
    } else {
      index_t const begin = where.begin(0);
      return located{elements.from(begin), tile_index, where.end(0) - begin, instance, fails};
    }
  }
  RAVEL_HD auto operator()(index_t i) const { return on({0, i, i + 1})(i); }
};

}  // namespace ravel::inline v0::flattening
