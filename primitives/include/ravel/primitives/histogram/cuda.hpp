#pragma once

/// Histogram on a device: the table of forms.  A host compiler can read it; cuda/histogram.cuh
/// implements the forms.

#include <ravel/core/cuda/device.hpp>
#include <ravel/core/run_call.hpp>
#include <ravel/primitives/histogram/call.hpp>
#include <ravel/primitives/histogram/steps.hpp>

namespace ravel::inline v0 {
namespace gpu {
namespace detail {

template <class Call>
constexpr auto bins_elements() {
  using T = typename ravel::detail::binned<decltype(Call::bin)>::element;
  return needs(need{std::is_scalar_v<T>, "a bin of numbers, enumerations or pointers in memory"});
}

/// The number of copies of each 4-byte counter that fit in shared memory, at most one for each
/// lane, as the exponent of a power of two.
inline int counter_copies_log(index_t bins, device const& d) {
  int log = 0;
  while (log < 5 && bins * 4 << (log + 1) <= d.shared_bytes) ++log;
  return log;
}

/// The bytes of two counters of 16 bits in each word, in whole rows of 32 banks.
RAVEL_HD constexpr index_t bytes_of_halves(index_t bins) { return div_up(bins, 64) * 128; }

}  // namespace detail

struct histogram_in_copies : launched_form<histogram_in_copies> {
  static constexpr auto name = "in_copies";
  static constexpr auto why =
      "A block counts in shared memory, which has several copies of each counter, so that few "
      "lanes of a warp add to one, however often a bin occurs.";
  template <class Call>
  static constexpr auto types = detail::bins_elements<Call>();
  static auto now(auto const& c, device const& d) {
    return needs(
        need{0 < c.bins && c.bins * 4 <= d.shared_bytes,
             "one counter of 4 bytes for each bin in shared memory"},
        need{c.bins <= c.n, "as many elements as bins"},
        need{c.n <= index_t{1} << 35, "at most 2^35 elements: a block counts fewer than 2^32"});
  }
};

struct histogram_in_halves : launched_form<histogram_in_halves> {
  static constexpr auto name = "in_halves";
  static constexpr auto why =
      "Counters of 16 bits in shared memory, which are added to those in device memory when they "
      "reach half of their range; a thread adds adjacent equal keys at once.";
  template <class Call>
  static constexpr auto types = detail::bins_elements<Call>();
  static auto now(auto const& c, device const& d) {
    return needs(need{0 < c.bins && detail::bytes_of_halves(c.bins) <= d.shared_bytes,
                      "one counter of 2 bytes for each bin in shared memory"},
                 need{c.bins <= c.n, "as many elements as bins"});
  }
};

struct histogram_of_first : launched_form<histogram_of_first> {
  static constexpr auto name = "of_first";
  static constexpr auto why =
      "A block counts in shared memory the bins that it meets first, and so those that occur "
      "often, "
      "and adds the others to device memory: 2^28 u32 that are equal, in 2^20 bins by_steps, take "
      "197 ms on an H200.";
  template <class Call>
  static constexpr auto types = detail::bins_elements<Call>();
  static auto now(auto const& c, device const& d) {
    return needs(need{d.shared_bytes >= index_t{128} << 10, "128 KiB of shared memory"},
                 need{c.n >= index_t{1} << 20 && c.n <= index_t{1} << 35,
                      "from 2^20 to 2^35 elements: a block counts fewer than 2^32"},
                 need{ravel::detail::few_bins < c.bins && c.bins < index_t{1} << 32,
                      "from 257 to 2^32 - 1 bins"});
  }
};

}  // namespace gpu

template <>
struct form_table<histogram_family, gpu::device>
    : forms<gpu::histogram_in_copies, gpu::histogram_in_halves, gpu::histogram_of_first,
            histogram_of_few_by_steps, histogram_by_steps> {};

}  // namespace ravel::inline v0
