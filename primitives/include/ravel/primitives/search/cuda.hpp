#pragma once

/// Sorted search on a device: the table of forms.  A host compiler can read it; cuda/search.cuh
/// implements the form.

#include <ravel/core/cuda/device.hpp>
#include <ravel/core/run_call.hpp>
#include <ravel/primitives/search/call.hpp>
#include <ravel/primitives/search/steps.hpp>

namespace ravel::inline v0 {
namespace gpu {
namespace detail {

struct search_policy {
  static constexpr int threads = 1024;
  static constexpr int blocks = 2;                                    // on a multiprocessor
  static constexpr std::size_t shared_bytes = std::size_t{64} << 10;  // of a block
  static constexpr std::size_t sector_bytes = 32;                     // of a memory access
  static constexpr int sectors = 2;                                   // of a group of the haystack
  // least number of needles for which this pays
  static constexpr index_t needles = index_t{1} << 20;
  static constexpr index_t haystack = index_t{1} << 14;  // least size of the haystack
  // most elements of the haystack for each needle
  static constexpr index_t most_of_haystack_to_needle = 16;
};

}  // namespace detail

struct search_by_directory : launched_form<search_by_directory> {
  static constexpr auto name = "by_directory";
  static constexpr auto why =
      "Directories of the haystack, the smallest in shared memory: a needle reads one sector of "
      "each and two of the haystack, 5 among 2^26 elements, instead of 26 probes.";
  template <class Call>
  static constexpr auto types = [] {
    using Search = decltype(Call::search);
    using T = typename Search::element;
    return needs(need{std::is_trivially_copyable_v<T> &&
                          std::is_trivially_copyable_v<typename Search::needle> && sizeof(T) <= 64,
                      "trivially copyable needles, and elements of at most 64 bytes"});
  }();
  static auto now(auto const& c, device const&) {
    using policy = detail::search_policy;
    return needs(need{c.needles >= policy::needles && c.search.n >= policy::haystack &&
                          c.search.n / policy::most_of_haystack_to_needle <= c.needles,
                      "2^20 needles, in 2^14 elements or more, at most 16 for each needle"});
  }
};

}  // namespace gpu

template <>
struct form_table<search_family, gpu::device> : forms<gpu::search_by_directory, search_by_steps> {};

}  // namespace ravel::inline v0
