#pragma once

/// Sorts segments that are too long for one warp: one block sorts each that fits in it; all blocks
/// partition longer ones first.

#include <ravel/algorithms/cuda/long_segment_lists.cuh>
#include <ravel/algorithms/cuda/part_giants.cuh>
#include <ravel/algorithms/cuda/sort_in_block.cuh>
#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/shared.cuh>
#include <ravel/primitives/cuda/digit_policy.hpp>

namespace ravel::inline v0::gpu::detail {

/// One block sorts each run of a list.
template <class Block, int Blocks, class Source>
__global__ void __launch_bounds__(Block::threads, Blocks)
    sort_runs_kernel(Source source, listed_run const* runs, unsigned const* count,
                     long_segments longs) {
  using word = typename Source::word;
  await_preceding_kernel();
  if (source.unwanted() || longs.are_malformed()) return;
  auto& room = *reinterpret_cast<typename Block::room*>(shared_bytes());
  for (unsigned i = blockIdx.x; i < *count; i += gridDim.x) {
    listed_run const run = runs[i];
    auto const rows = source.of(run);
    Block::sort_loaded(
        room, run.size(), [&](int i) { return rows.load(i); },
        [&](int place, word x) { rows.store(place, x); }, source.values());
  }
}

/// Lists the segments of n keys that are longer than `longest`, and sorts them.  If n is more than
/// most_in_large, some may have to be partitioned, and the source must have a second buffer for all
/// keys.
template <class Source>
class long_segment_sort {
  using U = typename Source::stored;
  executor const& ex_;
  index_t n_, longest_;
  bool has_giants_ = n_ > most_in_large;
  // A level has at most 2 n / keys_of_way buckets, and consumes at least least_bits bits.
  index_t ways_ = has_giants_ ? 2 * n_ / giant::keys_of_way : 0;
  index_t levels_ = div_up(index_t{8 * sizeof(U)}, giant::least_bits);
  index_t giants_ = has_giants_ ? n_ / most_in_large : 0;

  scratch<long_counts> counts_ = ex_.scratch<long_counts>(1);
  scratch<giant> even_ = ex_.scratch<giant>(giants_);
  scratch<giant> odd_ = ex_.scratch<giant>(giants_);
  scratch<listed_run> smalls_ = ex_.scratch<listed_run>(n_ / longest_ + levels_ * ways_);
  scratch<listed_run> mediums_ = ex_.scratch<listed_run>(n_ / most_in_small);
  scratch<listed_run> larges_ = ex_.scratch<listed_run>(n_ / most_in_medium);
  scratch<word64> of_way_ = ex_.scratch<word64>(ways_);

 public:
  long_segment_sort(executor const& ex, index_t n, index_t longest)
      : ex_(ex), n_(n), longest_(longest) {
    ex.clear(counts_);
  }

  long_segments lists() const {
    return {counts_.data(),
            {even_.data(), odd_.data()},
            smalls_.data(),
            mediums_.data(),
            larges_.data(),
            of_way_.data(),
            {giants_, smalls_.size(), mediums_.size(), larges_.size()}};
  }

  /// Sorts the listed segments: partitions giants, then sorts small, medium and large runs.
  void run(Source const& source) const {
    if (has_giants_) {
      using parts = typename Source::parts;
      ex_.launch_sharing<part_giants_kernel<Source>>(
          {ex_.multiprocessors() * digit_policy::blocks, parts::threads, true, parts::bytes},
          source, lists(), ex_.gate());
    }
    auto const& counts = *counts_.data();
    if (n_ > longest_) {
      // A third block of 8-byte words that stand for rows would spill registers.
      constexpr int blocks = Source::makes_words ? 2 : small_shape<U>::blocks;
      sort_runs<small_run<U>, blocks>(source, smalls_, &counts.smalls);
    }
    if (n_ > most_in_small) {
      sort_runs<medium_run<U>, medium_shape<U>::blocks>(source, mediums_, &counts.mediums);
    }
    if (n_ > most_in_medium) sort_runs<large_run<U>, 1>(source, larges_, &counts.larges);
  }

 private:
  template <class Block, int Blocks>
  void sort_runs(Source const& source, scratch<listed_run> const& runs,
                 unsigned const* count) const {
    ex_.launch_sharing<sort_runs_kernel<Block, Blocks, Source>>(
        grid{std::min(ex_.multiprocessors() * Blocks, runs.size()), Block::threads, false,
             Block::bytes}
            .early(),
        source, runs.data(), count, lists());
  }
};

}  // namespace ravel::inline v0::gpu::detail
