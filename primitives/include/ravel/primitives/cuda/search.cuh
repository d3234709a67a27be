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
#include <ravel/primitives/search/cuda.hpp>

namespace ravel::inline v0::gpu {
namespace detail {

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

/// Its scratch is an element for each 128 bytes of the haystack.
template <class Search>
void launch_form(search_by_directory, executor const& ex, search_call<Search> const& c) {
  using policy = detail::search_policy;
  using T = typename Search::element;
  constexpr auto group = static_cast<index_t>(policy::group_bytes / sizeof(T));
  detail::group_ends<T> const groups{c.search.haystack, c.search.n, group};
  auto const directory = ex.scratch<T>(groups.size());
  for_each_index(ex, groups.size(), detail::copy_group_ends<T>{groups, directory.data()});

  auto const bytes = std::min(policy::shared_bytes, ex.most_shared_bytes() - 1024);
  int levels = 1;
  while ((sizeof(T) << (levels + 1)) <= bytes && (index_t{1} << levels) - 1 < groups.size()) {
    ++levels;
  }
  index_t const tops = (index_t{1} << levels) - 1;
  detail::group_ends<T> const ends{directory.data(), groups.size(), div_up(groups.size(), tops)};
  index_t const blocks = std::min(ex.multiprocessors(), div_up(c.needles, policy::threads));
  ex.launch_sharing<detail::search_by_directory_kernel<T, Search>>(
      {blocks, policy::threads, false, sizeof(T) << levels}, c.needles, c.search, groups, ends,
      levels);
}

}  // namespace ravel::inline v0::gpu
