#pragma once

/// Walks along sublists of linked lists on the host: each thread interleaves many walks.
///
/// A step of a walk waits for one random access, whose latency is some hundred cycles; a core can
/// have a few dozen of them outstanding.  So a thread advances its walks in turn, and prefetches
/// what the next step of each walk reads.

#include <ravel/algorithms/list_walk.hpp>
#include <ravel/core/cpu/executor.hpp>
#include <ravel/core/cpu/worker.hpp>

#include <atomic>

namespace ravel::inline v0::cpu {
namespace detail {

/// Number of walks that one thread interleaves.  On two cores of an AMD EPYC, 16 are as fast with
/// small pages, and 32 with huge ones.
inline constexpr int walks_at_once = 32;

/// The number of walks that a thread claims at a time.
inline constexpr index_t walks_taken = 16;

template <class Walks>
class walking_thread {
  Walks walks_;
  std::atomic<index_t>& next_;
  index_t here_ = 0, end_ = 0;
  typename Walks::walker walkers_[walks_at_once];

  bool begin(typename Walks::walker& w) {
    index_t const starts = walks_.starts();
    do {
      for (; here_ < end_; ++here_) {
        if (walks_.begin(w, here_)) {
          ++here_;
          return true;
        }
      }
      here_ = next_.fetch_add(walks_taken, std::memory_order_relaxed);
      end_ = std::min(here_ + walks_taken, starts);
    } while (here_ < starts);
    return false;
  }
  void prefetch(typename Walks::walker const& w) const { __builtin_prefetch(walks_.address(w), 1); }

 public:
  walking_thread(Walks const& walks, std::atomic<index_t>& next) : walks_(walks), next_(next) {}

  void operator()() {
    int count = 0;
    for (; count < walks_at_once && begin(walkers_[count]); ++count) prefetch(walkers_[count]);
    while (count > 0) {
      for (int k = 0; k < count; ++k) {
        auto& w = walkers_[k];
        // walk ended: the last one takes its place, stepped next time
        if (!walks_.step(w) && !begin(w)) w = walkers_[--count];
        prefetch(w);
      }
    }
  }
};

/// Walks all sublists on the threads of a host, each of which takes several walks at once.
template <class Ex, class Walks>
void walk_all(Ex const& ex, Walks const& walks) {
  std::atomic<index_t> next = 0;
  ex.on_each_thread(div_up(walks.starts(), 2 * walks_taken),
                    [&] { walking_thread<Walks>(walks, next)(); });
}

}  // namespace detail

/// The logarithm of the average distance of splitters: so that there are a few thousand sublists,
/// whose records fit in L2; 0 (no splitters) if the nodes themselves fit.
int log_splitter_spacing(host_executor auto const&, index_t n) {
  constexpr index_t few = 1 << 12;
  if (n <= few) return 0;
  return std::clamp(static_cast<int>(std::bit_width(static_cast<std::size_t>(n))) - 15, 4, 10);
}

}  // namespace ravel::inline v0::cpu
