#pragma once

/// Split on a device: the table of forms.  A host compiler can read it; cuda/split.cuh implements the
/// form.

#include <ravel/core/cuda/device.hpp>
#include <ravel/primitives/cuda/bulk_types.hpp>
#include <ravel/primitives/split/call.hpp>
#include <ravel/primitives/split/steps.hpp>

namespace ravel::inline v0 {
namespace gpu {
namespace detail {

/// The elements of which a digit is a function: void if it is one of positions.
template <class Digit>
struct digit_elements {
  using element = void;
};
template <class T, class Digit>
struct digit_elements<ravel::detail::digit_of_element<T, Digit>> {
  using element = T;
};

/// Needs of splits through stages of shared memory, of T that are moved unchanged by a digit of D.
template <class T>
constexpr need words_moved() {
  constexpr bool is_word = [] {
    if constexpr (can_flow<T, T, T>) return sizeof(T) == 4 || sizeof(T) == 8;
    return false;
  }();
  return {is_word, "trivially copyable elements of 4 or 8 bytes, moved unchanged"};
}
template <class D, class T>
inline constexpr need digit_of_moved{std::same_as<D, T> && !std::is_void_v<T>,
                                     "a digit that is a function of an element"};

}  // namespace detail

struct split_by_rings : launched_form<split_by_rings> {
  static constexpr auto name = "rings";
  static constexpr auto why =
      "Two flows of tiles through stages of shared memory: the second begins where the first "
      "ended, "
      "in L2.";
  template <class Call>
  static constexpr auto types = [] {
    using T = ravel::detail::moved_by_call<Call>;
    using D = typename detail::digit_elements<std::remove_cvref_t<decltype(Call::digit)>>::element;
    return needs(detail::words_moved<T>(), detail::digit_of_moved<D, T>,
                 need{Call::ways <= 8, "at most 8 parts"});
  }();
  template <class Call>
  static auto now(Call const& c, device const& d) {
    using T = ravel::detail::moved_by_call<Call>;
    return needs(need{c.digit.from == c.visit.from, "digits of the elements that are moved"},
                 need{c.n * static_cast<index_t>(sizeof(T)) >= d.sizes.split_bytes,
                      "as many bytes of elements as tuning::split_bytes"},
                 detail::ends_aligned(c.visit.from), detail::streams_tiles(d));
  }
};

}  // namespace gpu

template <>
struct form_table<split_family, gpu::device> : forms<gpu::split_by_rings, split_by_steps> {};

}  // namespace ravel::inline v0
