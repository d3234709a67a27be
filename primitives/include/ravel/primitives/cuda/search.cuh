#pragma once

/// Sorted search on a device: directories of the haystack narrow each search first.
///
/// The first directory has the last element of each group of the haystack, the next one that of
/// each sector of memory of the first, and so on; every block holds the smallest in shared memory.
/// A needle compares all elements of one sector of each of the others, and reads two sectors of the
/// haystack: a search among 2^26 elements takes 5 accesses outside of shared memory instead of 26.
///
/// Source   Rao and Ross, "Cache Conscious Indexing for Decision-Support in Main Memory", VLDB
///          1999.

#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/shared.cuh>
#include <ravel/primitives/cuda/neighbours.cuh>
#include <ravel/primitives/cuda/search_tree.cuh>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/search/cuda.hpp>

#include <bit>

namespace ravel::inline v0::gpu {
namespace detail {

/// The number of elements that one sector of memory holds, at least 4.
template <class T>
inline constexpr int sector_width = std::max(4, static_cast<int>(search_policy::sector_bytes /
                                                                 sizeof(T)));

/// Whether aligned elements are read as vectors of 16 bytes.
template <class T>
inline constexpr bool fill_vectors =
    sizeof(T) <= 8 && std::has_single_bit(sizeof(T)) &&
    alignof(T) == sizeof(T) && std::is_trivially_default_constructible_v<T>;

/// How many elements of a sector, which begins at x, are before the needle.
template <class Search, class T, class Needle>
__device__ int count_in_sector(T const* x, Search const& search, Needle const& needle) {
  constexpr int width = sector_width<T>;
  auto const count = [&](T const* elements) {
    auto const is_before = search.is_in(elements, needle);
    int sum = 0;
#pragma unroll
    for (int k = 0; k < width; ++k) sum += is_before(k) ? 1 : 0;
    return sum;
  };
  if constexpr (fill_vectors<T>) {
    using vectors = neighbours<T, width* static_cast<int>(sizeof(T)) / 16>;
    auto const sector = vectors::read(reinterpret_cast<char const*>(x));
    T loaded[width];
#pragma unroll
    for (int k = 0; k < width; ++k) loaded[k] = sector.get(k);
    return count(loaded);
  } else {
    return count(x);
  }
}

/// A sorted sequence in groups of a few sectors; the first group lacks elements if the sequence
/// does not begin at one, and the last may have fewer.
template <class T>
struct haystack_groups {
  static constexpr int sectors = search_policy::sectors;
  static constexpr int sector = sector_width<T>;
  static constexpr int width = sectors * sector;
  T const* sorted;
  index_t n;
  index_t missing;

  static haystack_groups of(T const* sorted, index_t n) {
    auto const past = reinterpret_cast<std::uintptr_t>(sorted) % (width * sizeof(T));
    return {sorted, n, fill_vectors<T> ? static_cast<index_t>(past / sizeof(T)) : 0};
  }
  RAVEL_HD index_t count() const { return div_up(n + missing, width); }
  RAVEL_HD T const& last(index_t j) const {
    index_t const end = (j + 1) * width - missing;
    return sorted[(end < n ? end : n) - 1];
  }
  /// The number of elements of the sequence that are before the needle, which belongs to group j.
  template <class Search, class Needle>
  __device__ index_t place_in(index_t j, Search const& search, Needle const& needle) const {
    index_t const begin = ::min(j, count() - 1) * width - missing;
    if (begin >= 0 && begin + width <= n) {
      auto const is_before = search.is_in(sorted + begin, needle);
      int first = 0;
#pragma unroll
      for (int half = width / 2; half >= sector; half /= 2) {
        first += is_before(first + half - 1) ? half : 0;
      }
      return begin + first + count_in_sector(sorted + begin + first, search, needle);
    }
    index_t const low = ::max(begin, index_t{0}), high = ::min(begin + width, n);
    auto const is_before = search.is_in(sorted, needle);
    index_t place = low;
    for (index_t i = low; i < high; ++i) place += is_before(i) ? 1 : 0;
    return place;
  }
};

/// The directories of a haystack: the last element of each group of it, then of each sector of the
/// directory before.  Each is filled up to whole sectors by its last entry.
template <class T>
struct directories {
  static constexpr int sector = sector_width<T>;
  static constexpr int most = 24;
  haystack_groups<T> haystack;
  T* entries[most] = {};
  index_t size[most] = {};  // in whole sectors
  int count = 0;

  RAVEL_HD T const& group_end(index_t j) const {
    index_t const last = haystack.count() - 1;
    return haystack.last(j < last ? j : last);
  }
  /// Writes entry i of all directories, one after another.
  RAVEL_HD void operator()(index_t i) const {
    index_t groups = 1;  // of the haystack, for an entry
    for (int k = 0; k < count; ++k) {
      if (i < size[k]) {
        entries[k][i] = group_end((i + 1) * groups - 1);
        return;
      }
      i -= size[k];
      groups *= sector;
    }
  }
};

template <class T, class Search>
__global__ void __launch_bounds__(search_policy::threads, search_policy::blocks)
    search_by_directory_kernel(index_t needles, Search search,
                               __grid_constant__ directories<T> const all, index_t tops,
                               index_t top_groups, int levels) {
  search_tree<T> const tree{reinterpret_cast<T*>(shared_bytes()), levels};
  // Places after the end repeat the last element.
  tree.fill([&](index_t j) { return all.group_end((::min(j, tops - 1) + 1) * top_groups - 1); });
  index_t const stride = index_t{gridDim.x} * search_policy::threads;
  index_t i = index_t{blockIdx.x} * search_policy::threads + threadIdx.x;
  if (i >= needles) return;
  for (auto next = search.needles[i]; i < needles; i += stride) {
    auto const needle = next;
    if (i + stride < needles) next = search.needles[i + stride];
    index_t j = tree.partition_point(search.is_in(tree.nodes, needle));
    for (int k = all.count - 1; k >= 0; --k) {
      index_t const first = ::min(j * all.sector, all.size[k] - all.sector);
      j = first + count_in_sector(all.entries[k] + first, search, needle);
    }
    search.found(i, all.haystack.place_in(j, search, needle));
  }
}

}  // namespace detail

/// Its scratch is the directories: an element for each 64 bytes of the haystack, and fewer than half as many more.
template <class Search>
void launch_form(search_by_directory, executor const& ex, search_call<Search> const& c) {
  using policy = detail::search_policy;
  using T = typename Search::element;
  constexpr index_t sector = detail::sector_width<T>;
  auto const capacity = static_cast<index_t>(
      std::min(policy::shared_bytes, ex.most_shared_bytes() - 1024) / sizeof(T));
  detail::directories<T> all{detail::haystack_groups<T>::of(c.search.haystack, c.search.n)};
  index_t tops = all.haystack.count(), top_groups = 1, entries = 0;
  for (; tops >= capacity; tops = div_up(tops, sector), top_groups *= sector) {
    index_t const size = div_up(tops, sector) * sector;
    all.size[all.count++] = size;
    entries += size;
  }
  auto const directory = ex.scratch<T>(entries);
  T* at = directory.data();
  for (int k = 0; k < all.count; at += all.size[k++]) all.entries[k] = at;
  if (entries > 0) for_each_index(ex, entries, all);

  int levels = 1;
  while ((index_t{1} << levels) - 1 < tops) ++levels;
  index_t const blocks =
      std::min(policy::blocks * ex.multiprocessors(), div_up(c.needles, policy::threads));
  ex.launch_sharing<detail::search_by_directory_kernel<T, Search>>(
      {blocks, policy::threads, false, sizeof(T) << levels}, c.needles, c.search, all, tops,
      top_groups, levels);
}

}  // namespace ravel::inline v0::gpu
