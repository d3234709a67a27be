#pragma once

/// @file
/// Sorted search on a device: a directory of the haystack narrows each search first.
///
/// The directory has the last element of each group of the haystack; it has a directory itself,
/// which every block holds in shared memory.  So of the 26 probes that a search among 2^26 elements
/// takes, 15 are in shared memory, and most others in the L2 cache.
///
/// Source   Rao and Ross, "Cache Conscious Indexing for Decision-Support in Main Memory", VLDB
///          1999.

#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/shared.cuh>
#include <ravel/core/vocabulary.hpp>
#include <ravel/primitives/cuda/search_tree.cuh>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/search/steps.hpp>

namespace ravel::inline v0::gpu {
namespace detail {

struct search_policy {
  static constexpr int threads = 1024;  // of the single block on a multiprocessor
  static constexpr std::size_t shared_bytes = std::size_t{128} << 10;
  static constexpr std::size_t group_bytes = 128;  // an L2 cache line
  // least number of needles for which this pays
  static constexpr index_t needles = index_t{1} << 20;
  static constexpr index_t haystack = index_t{1} << 14;  // least size of the haystack
  // most elements of the haystack for each needle
  static constexpr index_t most_of_haystack_to_needle = 16;
};

/// The directory of a sorted sequence: its element j is the last element of group j.
template <class T>
struct group_ends {
  T const* sorted;
  index_t n, group;
  RAVEL_HD index_t size() const { return div_up(n, group); }
  RAVEL_HD index_t begin(index_t j) const { return j * group; }
  RAVEL_HD unsigned length(index_t j) const {
    index_t const left = n - begin(j);
    return static_cast<unsigned>(left < group ? left : group);
  }
  RAVEL_HD T const& operator()(index_t j) const { return sorted[begin(j) + length(j) - 1]; }
};
template <class T>
struct copy_group_ends {
  group_ends<T> ends;
  T* out;
  RAVEL_HD void operator()(index_t j) const { out[j] = ends(j); }
};

/// partition_point(0, n, is) by a fixed sequence of interval lengths, so that lanes do not diverge.
template <class Is>
__device__ unsigned partition_point_in_step(unsigned n, Is const& is) {
  unsigned first = 0;
  for (; n > 1; n -= n / 2) first += is(first + n / 2 - 1) ? n / 2 : 0;
  return n > 0 && is(first) ? first + 1 : first;
}

template <class T, class Search>
__global__ void __launch_bounds__(search_policy::threads, 1)
    search_by_directory_kernel(index_t needles, Search search, group_ends<T> groups,
                               group_ends<T> directory, int levels) {
  search_tree<T> const tree{reinterpret_cast<T*>(shared_bytes()), levels};
  // Places after the end repeat the last element.
  index_t const last = directory.size() - 1;
  tree.fill([&](index_t j) { return directory(j < last ? j : last); });
  index_t const stride = index_t{gridDim.x} * search_policy::threads;
  for (index_t i = index_t{blockIdx.x} * search_policy::threads + threadIdx.x; i < needles;
       i += stride) {
    auto const needle = search.needles[i];
    // The last element of the group found need not be compared: it is known not to be before the
    // needle.
    auto const within = [&](group_ends<T> const& all, index_t j) {
      index_t const begin = all.begin(j);
      return begin +
             partition_point_in_step(all.length(j) - 1, search.is_in(all.sorted + begin, needle));
    };
    index_t const j = tree.partition_point(search.is_in(tree.nodes, needle));
    search.found(i, j >= directory.size() ? groups.n : within(groups, within(directory, j)));
  }
}

}  // namespace detail

/// search_each_on by a directory.  Its scratch is an element for each 128 bytes of the haystack.
template <template <class, class, class> class Is, class Out, class T, class U, class Before>
void search_by_directory(executor const& ex, index_t needles,
                         ravel::detail::search_one<Is, Out, T, U, Before> search) {
  using policy = detail::search_policy;
  using Search = ravel::detail::search_one<Is, Out, T, U, Before>;
  constexpr auto group = static_cast<index_t>(policy::group_bytes / sizeof(T));
  detail::group_ends<T> const groups{search.haystack, search.n, group};
  auto const directory = ex.scratch<T>(groups.size());
  for_each_index(ex, groups.size(), detail::copy_group_ends<T>{groups, directory.data()});

  auto const bytes = std::min(policy::shared_bytes, ex.most_shared_bytes() - 1024);
  int levels = 1;
  while ((sizeof(T) << (levels + 1)) <= bytes && (index_t{1} << levels) - 1 < groups.size()) {
    ++levels;
  }
  index_t const tops = (index_t{1} << levels) - 1;
  detail::group_ends<T> const ends{directory.data(), groups.size(), div_up(groups.size(), tops)};
  index_t const blocks = std::min(ex.multiprocessors(), div_up(needles, policy::threads));
  ex.launch_sharing<detail::search_by_directory_kernel<T, Search>>(
      {blocks, policy::threads, false, sizeof(T) << levels}, needles, search, groups, ends, levels);
}

/// Overload of the steps of lower_bound and upper_bound for a device.
template <template <class, class, class> class Is, class Out, class T, class U, class Before>
void search_each_on(executor const& ex, index_t needles,
                    ravel::detail::search_one<Is, Out, T, U, Before> search) {
  using policy = detail::search_policy;
  constexpr bool can = std::is_trivially_copyable_v<T> && std::is_trivially_copyable_v<U> &&
                       sizeof(T) <= policy::group_bytes / 2;
  if constexpr (can) {
    if (needles >= policy::needles && search.n >= policy::haystack &&
        search.n / policy::most_of_haystack_to_needle <= needles) {
      return search_by_directory(ex, needles, search);
    }
  }
  for_each_index(ex, needles, search);
}

}  // namespace ravel::inline v0::gpu
