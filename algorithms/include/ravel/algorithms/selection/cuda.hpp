#pragma once

/// Selection on a device: the tables of forms.  A host compiler can read them;
/// cuda/select_by_sample.cuh, cuda/selection.cuh and cuda/select_in_segments.cuh implement the forms.

#include <ravel/algorithms/select_by_digits.hpp>
#include <ravel/algorithms/selection/call.hpp>
#include <ravel/algorithms/selection/steps.hpp>
#include <ravel/core/cuda/device.hpp>
#include <ravel/core/radix_key.hpp>

#include <cmath>
#include <limits>

namespace ravel::inline v0 {
namespace gpu {
namespace detail {

struct sample_policy {
  static constexpr int threads = 512;
  static constexpr int blocks = 2;  // thread blocks on a multiprocessor
  static constexpr int each = 8;    // vectors of 16 bytes that a thread loads at a time
  static constexpr int digit = 11;  // bits of a digit
  static constexpr int ways = 1 << digit;
  static constexpr int steps = (64 + digit - 1) / digit;
  static constexpr index_t rows_of_sample = 1024;  // of each 1,024 rows one is sampled
  static constexpr index_t most_sampled = index_t{1} << 18;
  // the least number of rows for which a sample pays
  static constexpr index_t fewest = index_t{1} << 22;
  static constexpr index_t most = std::numeric_limits<std::uint32_t>::max();
  static constexpr index_t few = 64;  // at most one of `few` rows is selected
};

struct segment_policy {
  static constexpr int threads = sample_policy::threads;
  static constexpr int items = 9, bin_bits = 13;
  static constexpr int blocks = 2;  // thread blocks on a multiprocessor
  // vectors of 16 bytes that a thread loads at a time
  static constexpr int each = 4;
  static constexpr index_t sampled = 2048;       // keys sampled from a segment
  static constexpr index_t shortest = 4 * 4096;  // least length of a segment
};

/// The ranks in a sample that bound rows [first, first + count) of n: four standard deviations
/// below and above the ranks expected there.
struct sample_bounds {
  index_t low, high;  // low is -1, and high the size of the sample, where there is no bound
  index_t room;       // capacity for the rows between the bounds

  sample_bounds(index_t n, index_t sampled, index_t first, index_t count) {
    auto const share = static_cast<double>(sampled) / static_cast<double>(n);
    auto const margin = [&](double rank) {
      return 4 * std::sqrt(rank * (1 - rank / static_cast<double>(sampled))) + 8;
    };
    double const begin = share * static_cast<double>(first);
    double const end = share * static_cast<double>(first + count);
    low = std::max(index_t{-1}, static_cast<index_t>(std::floor(begin - margin(begin))));
    high = std::min(sampled, static_cast<index_t>(std::ceil(end + margin(end))));
    auto const between = static_cast<double>(high - low);
    room = std::min(n, static_cast<index_t>((between + 4 * std::sqrt(between) + 4) / share));
  }
};

/// The bounds, in a sample of each segment of one length, of the last element selected.
template <class T, class Space, class U>
sample_bounds bounds_in_segments(segmented_selection_call<T, Space, uniform_segments, U> const& c) {
  return {c.segments.length, segment_policy::sampled, 0, c.first + c.each};
}

}  // namespace detail

struct select_by_sample : launched_form<select_by_sample> {
  static constexpr auto name = "by_sample";
  static constexpr auto why =
      "One pass over the keys, which keeps the rows between two bounds of a sample, and selects "
      "among "
      "them.";
  template <class Call>
  static constexpr auto types = needs(need{radix_width<typename Call::key_type> <= 32,
                                           "keys of at most 32 bits"});
  static auto now(auto const& c, device const&) {
    using policy = detail::sample_policy;
    return needs(need{policy::fewest <= c.n && c.n <= policy::most && c.count <= c.n / policy::few,
                      "2^22 to 2^32 - 1 rows, of which at most one in 64 is selected"});
  }
};

struct select_by_wide_digits : launched_form<select_by_wide_digits> {
  static constexpr auto name = "by_wide_digits";
  static constexpr auto why =
      "A pass over all keys for each 11 bits of a key, which counts in shared memory, and a split.";
};

struct select_in_segments : launched_form<select_in_segments> {
  static constexpr auto name = "in_segments";
  static constexpr auto why =
      "One pass: a block samples a segment, and sorts the few thousand elements below a bound.";
  template <class Call>
  static constexpr auto types = needs(need{std::same_as<decltype(Call::segments), uniform_segments>,
                                           "segments of one length"},
                                      need{radix_width<typename Call::value_type> <= 32,
                                           "elements of at most 32 bits"});
  static auto now(auto const& c, device const& d) {
    using policy = detail::segment_policy;
    index_t const length = c.segments.length;
    bool const is_long = policy::shortest <= length && length <= detail::sample_policy::most;
    return needs(
        need{is_long, "2^14 to 2^32 - 1 elements in a segment"},
        need{d.multiprocessors / 2 <= c.segments.count(), "a segment for each two multiprocessors"},
        need{is_long && c.first <= length - c.each &&
                 detail::bounds_in_segments(c).room <= policy::threads * policy::items,
             "elements within a segment, that a block can sort with all before them"});
  }
};

struct select_no_elements {
  static constexpr auto name = "no_elements";
  static constexpr auto why = "There is nothing to be written.";
  static auto now(auto const& c, device const&) {
    return needs(
        need{c.segments.count() == 0 || c.each == 0, "no segments, or no elements of each"});
  }
  static void run(auto const&, auto const&) {}
};

}  // namespace gpu

template <>
struct form_table<selection_family, gpu::device>
    : forms<gpu::select_by_sample, gpu::select_by_wide_digits> {};
template <>
struct form_table<segmented_selection_family, gpu::device>
    : forms<gpu::select_no_elements, gpu::select_in_segments, select_by_segmented_sort> {};

}  // namespace ravel::inline v0
