#pragma once

/// Segmented sort on a device: the table of forms.  A host compiler can read it;
/// cuda/segmented_sort.cuh implements the forms.

#include <ravel/algorithms/radix_sort/cuda.hpp>
#include <ravel/algorithms/segmented_sort/call.hpp>
#include <ravel/algorithms/segmented_sort/steps.hpp>
#include <ravel/core/cuda/device.hpp>

#include <limits>

namespace ravel::inline v0 {
namespace gpu {
namespace detail {

/// The words of 32 bits of the keys by which rows are sorted.
constexpr int words_of_bits(int bits) { return static_cast<int>(div_up(bits, 32)); }
template <class K, class V, class... Key>
inline constexpr int most_words = (0 + ... +
                                   words_of_bits(radix_width<ravel::detail::sort_key_t<Key, K>>));
template <class K, class V, class... Key>
int words_sorted_by(radix_sort_call<K, V, Key...> const& c) {
  return c.range ? words_of_bits(c.range->end - c.range->begin) : most_words<K, V, Key...>;
}

}  // namespace detail

struct segmented_sort_integers : launched_form<segmented_sort_integers> {
  static constexpr auto name = "integers";
  static constexpr auto why =
      "Up to 512 elements in registers, by lanes or in shared memory, by the length of a segment; "
      "longer segments are listed, and partitioned by blocks.";
  template <class Call>
  static constexpr auto types = [] {
    using of = detail::sorted_rows<decltype(Call::sort)>;
    return needs(ravel::detail::segments_have_numbers<Call>,
                 need{of::integers && of::alone, "integers without values"});
  }();
  static auto now(auto const& c, device const&) {
    return needs(need{!c.sort.range, "no range of bits"});
  }
};

struct segmented_sort_by_words : launched_form<segmented_sort_by_words> {
  static constexpr auto name = "by_words";
  static constexpr auto why =
      "As integers, of words of 32 bits of a key and its place; numbers as they are, and again as "
      "words where some may equal others of other bits.";
  template <class Call>
  static constexpr auto types = needs(ravel::detail::segments_have_numbers<Call>);
  /// Packed heads come from the form below, which has the same needs.
  template <class Call>
  requires(!std::same_as<decltype(Call::segments), ravel::detail::packed_segments>) static auto now(
      Call const& c, device const&) {
    return needs(need{c.sort.n <= index_t{std::numeric_limits<std::uint32_t>::max()} &&
                          (c.sort.n == 0 || detail::words_sorted_by(c.sort) > 0),
                      "at most 2^32 - 1 rows, and a bit to sort by"});
  }
};

/// Rows whose segments are not numbered, if one of the forms above sorts them by packed heads.
struct segmented_sort_of_packed_heads : segmented_sort_of_heads {
  static auto now(auto const& c, device const& d) { return segmented_sort_by_words::now(c, d); }
};

}  // namespace gpu

template <>
struct form_table<segmented_sort_family, gpu::device>
    : forms<gpu::segmented_sort_of_packed_heads, gpu::segmented_sort_integers,
            gpu::segmented_sort_by_words, segmented_sort_by_steps> {};

}  // namespace ravel::inline v0
