#pragma once

/// What a call reads: a sequence in the memory of its executor, a source over such, or any range of the host.
///
/// Calls on the host take ranges of std and of range-v3.  Those with random access are read where they
/// are, by index, where a call takes sources, such as scans and reductions, and otherwise copied first, by
/// all threads.  Any other range, such as a list, a view of a filter or a stream, is copied once, in order.
///
///     inclusive_scan(ex, std::deque{3, 1, 2}, out)          3 4 6
///     inclusive_scan(ex, v | std::views::filter(f), out)

#include <ravel/core/flags.hpp>
#include <ravel/core/operands.hpp>
#include <ravel/core/range_copy.hpp>
#include <ravel/core/std_ranges.hpp>

#include <iterator>

namespace ravel::inline v0 {
namespace detail {

/// A range, no sequence, that calls on `Ex`, which runs on the host, can read.
template <class R, class Ex>
concept range_of_host =
    !sequence<R const&> && some_range<R const> && std::same_as<space_of_t<R>, host_space> &&
    std::same_as<space_of_t<Ex>, host_space>;

}  // namespace detail

/// The elements of `X` are in memory of `Ex`, or can be copied there: a sequence, or, on a host, a range.
template <class X, class Ex>
concept range_on = sequence_on<X, Ex> || detail::range_of_host<std::remove_cvref_t<X>, Ex>;

/// Refuses operands that are not so; `what` is a literal that names the call and the operand.
#define RAVEL_EXPECT_RANGE(X, Ex, what) \
  static_assert(range_on<X const&, Ex>, what " is no range in the executor's memory")

/// `F` is flags there, in either form of core/flags.hpp, or, on a host, a range of bools or integers.
template <class F, class Ex>
concept flag_range_on = flags_on<F, Ex> ||
    (detail::range_of_host<F, Ex>&& std::integral<std::ranges::range_value_t<F>>);

/// `X` is such a range, or a sized source over sequences there.
template <class X, class Ex>
concept readable_on = operand_on<X, Ex> || detail::range_of_host<std::remove_cvref_t<X>, Ex>;
#define RAVEL_EXPECT_READABLE(X, Ex, what) \
  static_assert(readable_on<X const&, Ex>, what " is no range in the executor's memory")

namespace detail {

/// An operand that was refused, as one that causes no further errors.
template <class Ex, class X>
auto in_place_of(X const&) {
  if constexpr (sequence<X const&>) {
    return view<element_t<X const&> const, space_of_t<Ex>>{};
  } else {
    return view<int const, space_of_t<Ex>>{};
  }
}

/// Flags, or a function: themselves, or the sequence of a range of flags.
template <class Ex, class X>
[[gnu::always_inline]] inline decltype(auto) flags_of(Ex const& ex, char const* call, X const& x) {
  if constexpr (range_of_host<X, Ex>) {
    auto&& range = iterable(x);
    return copy_of_range(ex, call, range);
  } else {
    return (x);
  }
}

/// A sequence with the elements of an operand: the operand, or a copy of a range.
template <class Ex, class X>
[[gnu::always_inline]] inline decltype(auto) sequence_of(Ex const& ex, char const* call,
                                                         X const& x) {
  if constexpr (range_on<X const&, Ex>) {
    return flags_of(ex, call, x);
  } else {
    return in_place_of<Ex>(x);
  }
}

/// A sequence or a source with the elements of an operand: the operand, or a range where it is, or a copy.
template <class Ex, class X>
[[gnu::always_inline]] inline decltype(auto) operand_of(Ex const& ex, char const* call,
                                                        X const& x) {
  if constexpr (operand_on<X const&, Ex>) {
    return (x);
  } else if constexpr (range_of_host<X, Ex> && read_by_index<X const&>) {
    using S = computed<of_range<std::ranges::iterator_t<X const&>>>;
    return sized_source<S, host_space>{{{std::ranges::begin(x)}},
                                       static_cast<index_t>(std::ranges::distance(x))};
  } else {
    return sequence_of(ex, call, x);
  }
}

}  // namespace detail

}  // namespace ravel::inline v0
