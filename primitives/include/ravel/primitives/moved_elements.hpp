#pragma once

/// The operand moved(in): elements that a call, or a pipeline, moves from.

#include <ravel/core/std_memory.hpp>
#include <ravel/core/std_ranges.hpp>
#include <ravel/core/structure.hpp>

#include <iterator>

namespace ravel::inline v0 {

/// The result of `moved`.
template <class T>
struct moved_elements {
  using space = host_space;
  view<T> elements;
};

/// The elements of `in`, to be moved from: the call leaves those that it wrote as a move leaves them,
/// and the others unchanged.
///
///     owners   0 1 2 3 4               std::vector<std::unique_ptr<int>>, of the numbers
///     kept     1 3                     after filter(ex, moved(owners), is_odd, kept)
///     owners   0 - 2 - 4
///
/// filter, pack, unique, merge, split and their _sync forms take it, and also
/// `std::views::as_rvalue(in)`, or any sized range of std::move_iterators over contiguous elements.
/// All else is as for these calls with `in` itself; if a function throws, each element is in one
/// of `in` and `out`.
///
/// As the source of a pipeline each run moves from those elements that it writes, or keeps for a stage
/// that needs all of them; functions read the elements where they are:
///
///     on(ex, moved(owners)) | filter(is_odd) | sort(by_number) | to_vector()
///
/// Cost     unique and split take one more pass, and a byte of scratch for each element; merge one
///          more pass, and an index for each element.
template <sequence R>
auto moved(R&& in) {
  static_assert(std::same_as<space_of_t<R>, host_space>,
                "moved: elements are moved on the host alone: pass the sequence itself, whose "
                "elements a device copies");
  auto const src = view_of(in);
  using T = std::remove_pointer_t<decltype(src.data())>;
  static_assert(!std::is_const_v<T>, "moved: the elements are const, and cannot be moved from");
  return moved_elements<T>{{src.data(), src.size()}};
}

namespace detail {

template <class I>
inline constexpr bool moves_contiguous = false;
template <std::contiguous_iterator I>
inline constexpr bool moves_contiguous<std::move_iterator<I>> = true;

/// std::views::as_rvalue(in), or another sized range of move iterators over contiguous elements.
template <class R>
concept rvalue_range =
    std::ranges::sized_range<R const&> && moves_contiguous<std::ranges::iterator_t<R const&>>;

template <class R>
concept moved_operand = is_instance<R, moved_elements> || rvalue_range<R>;

/// The elements of such an operand.
template <moved_operand In>
auto moved_from(In const& in) {
  if constexpr (is_instance<In, moved_elements>) {
    return in.elements;
  } else {
    auto* const first = std::to_address(std::ranges::begin(in).base());
    using T = std::remove_pointer_t<decltype(first)>;
    static_assert(!std::is_const_v<T>, "moved: the elements are const, and cannot be moved from");
    return view<T>(first, std::ranges::ssize(in));
  }
}

}  // namespace detail
}  // namespace ravel::inline v0
