#pragma once

/// @file
/// Buckets on hosts: elements in the order of the ranks that they go to, by counting.

#include <ravel/core/cpu/worker.hpp>
#include <ravel/core/tile.hpp>

#include <atomic>
#include <numeric>
#include <vector>

namespace ravel::inline v0::distributed::detail {

/// Calls place(i, k) for i in [0, n), where k is the place of i in the order of owner(i) in [0, owners).
/// Returns where those of each owner begin, and n.
///
/// Order    Stable.
/// Cost     Two calls of owner(i) for each i, in a few chunks for each thread.
template <cpu::host_executor Local, class Owner, class Place>
std::vector<index_t> place_by_owners(Local const& local, index_t n, index_t owners,
                                     Owner const& owner, Place const& place) {
  index_t const threads = cpu::detail::threads_of(local), chunks = threads == 1 ? 1 : 4 * threads;
  std::vector<index_t> next(owners * chunks);  // of each owner the next place of each chunk
  auto const in_chunks = [&](auto const& f) {
    std::atomic<index_t> claimed = 0;
    local.on_each_thread(chunks, [&] {
      for (index_t c; (c = claimed++) < chunks;) {
        std::vector<index_t> mine(owners);
        for (index_t o = 0; o < owners; ++o) mine[o] = next[o * chunks + c];
        for (index_t i = n * c / chunks; i < n * (c + 1) / chunks; ++i) f(i, mine);
        for (index_t o = 0; o < owners; ++o) next[o * chunks + c] = mine[o];
      }
    });
  };
  in_chunks([&](index_t i, std::vector<index_t>& mine) { ++mine[owner(i)]; });
  std::exclusive_scan(next.begin(), next.end(), next.begin(), index_t{});
  std::vector<index_t> begins;
  for (index_t o = 0; o < owners; ++o) begins.push_back(next[o * chunks]);
  begins.push_back(n);
  in_chunks([&](index_t i, std::vector<index_t>& mine) { place(i, mine[owner(i)]++); });
  return begins;
}

}  // namespace ravel::inline v0::distributed::detail
