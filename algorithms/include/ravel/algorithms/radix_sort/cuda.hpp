#pragma once

/// Radix sort on a device: the table of forms.  A host compiler can read it; cuda/radix_sort.cuh
/// implements the forms.

#include <ravel/algorithms/radix_sort/call.hpp>
#include <ravel/algorithms/radix_sort/steps.hpp>
#include <ravel/core/cuda/device.hpp>
#include <ravel/core/function_ref.hpp>
#include <ravel/core/radix_key.hpp>
#include <ravel/primitives/cuda/digit_policy.hpp>

#include <tuple>

namespace ravel::inline v0 {
namespace gpu {
namespace detail {

/// Whether keys are integers sorted by their own value.  Those of one size share kernels: they are
/// sorted as unsigned integers, with the sign bit of signed ones flipped (integer_order).
template <class K, class Key>
inline constexpr bool are_integers = std::same_as<Key, ravel::detail::the_element> &&
                                     (std::is_integral_v<K> || std::is_enum_v<K>);
/// Whether keys are floating-point numbers sorted by their own value.
template <class K, class Key>
inline constexpr bool are_numbers =
    std::same_as<Key, ravel::detail::the_element>&& std::is_floating_point_v<K>;

/// The rows of a call by one key, of which the forms have needs.
template <class Call>
struct sorted_rows;
template <class K, class V, class... Key>
struct sorted_rows<radix_sort_call<K, V, Key...>> {
  static constexpr bool alone = !rows<K, V>::has_values;
  static constexpr bool integers = (are_integers<K, Key> && ...);
  static constexpr bool numbers = integers || (are_numbers<K, Key> && ...);
  static constexpr bool words = sizeof(K) == 4 || sizeof(K) == 8;
  static constexpr std::size_t bytes = sizeof(K) + (alone ? 0 : sizeof(V));

  static constexpr bool all_bits(std::optional<bit_range> const& range) {
    return !range || (range->begin == 0 &&
                      ((range->end == radix_width<ravel::detail::sort_key_t<Key, K>>)&&...));
  }
};
template <class Call>
need by_all_bits(Call const& c) {
  return {sorted_rows<Call>::all_bits(c.range), "all bits of the keys"};
}

/// The most rows, of keys and values of so many bytes together, that one launch sorts.
constexpr index_t most_together(std::size_t bytes, index_t multiprocessors) {
  return multiprocessors * digit_policy::together_threads * digit_policy::together_items(bytes);
}
/// The same of integers without values: one block, or a block for each value of 7 bits.
constexpr index_t most_integers_together(std::size_t bytes, index_t multiprocessors) {
  using block = digit_policy::part_block;
  return std::max(index_t{block::threads} * block::items,
                  most_together(bytes, std::min(multiprocessors, index_t{128})));
}

/// How many of the highest bits number the buckets, from `least` to 16, so that an average bucket
/// fits a small block.
constexpr int bucket_bits(index_t n, int least) {
  int bits = least;
  while (bits < 16 && (n >> bits) > digit_policy::bucket_keys) ++bits;
  return bits;
}
/// Whether an average bucket of n keys is at most half a large one.
constexpr bool fills_buckets(index_t n) {
  using block = digit_policy::large_bucket;
  return (n >> bucket_bits(n, 8)) <= block::threads * block::items / 2;
}
/// Whether an average bucket of n pairs is a small one, and the bits of its number are as many as
/// those of a place in it.
constexpr bool fills_pair_buckets(index_t n) {
  using block = digit_policy::small_bucket;
  int const bits = bucket_bits(n, 1);
  return (n >> bits) <= digit_policy::bucket_keys &&
         (block::threads * block::items - 1) >> bits == 0;
}

}  // namespace detail

struct radix_sort_each_key_in_turn {
  static constexpr auto name = "each_key_in_turn";
  static constexpr auto why = "By the last key first: as each sort is stable, the first decides.";
  template <class Call>
  static constexpr auto types = needs(need{std::tuple_size_v<decltype(Call::keys)> != 1,
                                           "several keys"});
  template <class Ex, class K, class V, class... Key>
  static void run(Ex const& ex, radix_sort_call<K, V, Key...> c) {
    ravel::detail::call_with([&](auto const&... key) { sort_by(ex, c, key...); }, c.keys);
  }

 private:
  template <class Ex, class K, class V, class... All, class Key, class... Lower>
  static void sort_by(Ex const& ex, radix_sort_call<K, V, All...>& c, Key const& key,
                      Lower const&... lower) {
    if constexpr (sizeof...(Lower) > 0) {
      sort_by(ex, c, lower...);
      c.in = c.out.read();
    }
    run_call(ex, radix_sort_call<K, V, Key>{c.n, c.in, c.out, c.spare, c.descending, c.range,
                                            std::tuple(key)});
  }
};

struct radix_sort_pairs_in_buckets : launched_form<radix_sort_pairs_in_buckets> {
  static constexpr auto name = "pairs_in_buckets";
  static constexpr auto why =
      "Passes over the highest bits, and a block sorts each bucket in shared memory, by words of "
      "the "
      "other bits and the places of rows.";
  template <class Call>
  static constexpr auto types = [] {
    using of = detail::sorted_rows<Call>;
    return needs(need{of::integers && !of::alone && sizeof(typename Call::key_type) == 4 &&
                          sizeof(typename Call::value_type) <= 8,
                      "integers of 4 bytes with values of at most 8"});
  }();
  static auto now(auto const& c, device const& d) {
    return needs(detail::by_all_bits(c),
                 need{c.n >= d.sizes.bucketed && detail::fills_pair_buckets(c.n),
                      "as many rows as tuning::bucketed, from about 2^24 to 2^28"});
  }
};

struct radix_sort_integers_together : launched_form<radix_sort_integers_together> {
  static constexpr auto name = "integers_together";
  static constexpr auto why =
      "One launch: all blocks partition the keys by their highest bits, then each sorts a part.";
  template <class Call>
  static constexpr auto types = [] {
    using of = detail::sorted_rows<Call>;
    return needs(
        need{of::integers && of::alone && of::words, "integers of 4 or 8 bytes without values"});
  }();
  template <class Call>
  static auto now(Call const& c, device const& d) {
    constexpr auto bytes = sizeof(typename Call::key_type);
    return needs(detail::by_all_bits(c),
                 need{0 < c.n && c.n <= detail::most_integers_together(bytes, d.multiprocessors),
                      "no more keys than the registers of the device hold"});
  }
};

struct radix_sort_together : launched_form<radix_sort_together> {
  static constexpr auto name = "together";
  static constexpr auto why =
      "One launch: each block holds a tile in registers, and the grid waits between the passes.";
  template <class Call>
  static constexpr auto types = needs(need{
      sizeof(typename Call::key_type) <= 16 && sizeof(typename Call::value_type) <= 16,
      "keys and values of at most 16 bytes each"});
  template <class Call>
  static auto now(Call const& c, device const& d) {
    using of = detail::sorted_rows<Call>;
    return needs(need{!(of::integers && of::alone && of::words && of::all_bits(c.range)),
                      "rows that are not integers without values by all bits"},
                 need{0 < c.n && c.n <= detail::most_together(of::bytes, d.multiprocessors),
                      "no more rows than the registers of the device hold"});
  }
};

struct radix_sort_by_counts : launched_form<radix_sort_by_counts> {
  static constexpr auto name = "by_counts";
  static constexpr auto why = "Each value is counted, and written as often as it occurs.";
  template <class Call>
  static constexpr auto types = [] {
    using of = detail::sorted_rows<Call>;
    return needs(need{of::integers && of::alone && sizeof(typename Call::key_type) <= 2,
                      "integers of 1 or 2 bytes without values"});
  }();
  static auto now(auto const& c, device const&) { return needs(detail::by_all_bits(c)); }
};

struct radix_sort_in_buckets : launched_form<radix_sort_in_buckets> {
  static constexpr auto name = "in_buckets";
  static constexpr auto why =
      "An unstable partition to buckets, each of which a block sorts in shared memory: equal "
      "integers are the same, and so are most equal numbers; where numbers are not, or a bucket is "
      "too large, the device takes the passes, mostly once one block has seen a sample of the "
      "keys.  If that has at most 256 values, they are counted.";
  template <class Call>
  static constexpr auto types = [] {
    using of = detail::sorted_rows<Call>;
    return needs(
        need{of::numbers && of::alone && of::words, "numbers of 4 or 8 bytes without values"});
  }();
  template <class Call>
  static auto now(Call const& c, device const& d) {
    // Half the passes of wider keys: buckets pay later.
    index_t const least = d.sizes.bucketed * (sizeof(typename Call::key_type) == 4 ? 8 : 1);
    return needs(
        detail::by_all_bits(c),
        need{c.n >= least && detail::fills_buckets(c.n),
             "as many keys as tuning::bucketed, of 4 bytes eight times as many, and at most "
             "9216 * 2^16"});
  }
};

struct radix_sort_by_passes : launched_form<radix_sort_by_passes> {
  static constexpr auto name = "by_passes";
  static constexpr auto why =
      "A stable pass with look-back for each 8 bits, which reads and writes each row once; none "
      "for "
      "a digit that all rows share.  Many rows of at most 256 keys move once.";
};

}  // namespace gpu

template <>
struct form_table<radix_sort_family, gpu::device>
    : forms<gpu::radix_sort_each_key_in_turn, gpu::radix_sort_pairs_in_buckets,
            gpu::radix_sort_integers_together, gpu::radix_sort_together, gpu::radix_sort_by_counts,
            gpu::radix_sort_in_buckets, gpu::radix_sort_by_passes> {};

}  // namespace ravel::inline v0
