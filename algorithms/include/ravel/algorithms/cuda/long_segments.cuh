#pragma once

/// @file
/// Segments that are too long for a warp, sorted: what a block can sort, by a block; longer ones
/// are parted first.

#include <ravel/algorithms/cuda/long_segment_lists.cuh>
#include <ravel/algorithms/cuda/part_giants.cuh>
#include <ravel/algorithms/cuda/sort_bucket.cuh>
#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/shared.cuh>
#include <ravel/core/tile.hpp>
#include <ravel/primitives/cuda/digit_policy.hpp>

#include <algorithm>
#include <cstdint>

namespace ravel::inline v0::cuda {
namespace detail {

/// Sorts listed runs to `out`, a block each.
template <class Block, int Blocks, class U, class Order>
__global__ void __launch_bounds__(Block::threads, Blocks)
    sort_runs_kernel(U const* in, U const* aside, U* out, listed_run const* runs,
                     unsigned const* count, Order order) {
  auto& room = *reinterpret_cast<typename Block::room*>(shared_bytes());
  for (unsigned i = blockIdx.x; i < *count; i += gridDim.x) {
    listed_run const run = runs[i];
    U const* const from = (run.where() == listed_run::in      ? in
                           : run.where() == listed_run::aside ? aside
                                                              : out) +
                          run.begin();
    U* const to = out + run.begin();
    Block::sort_loaded(
        room, run.size(), [&](int i) { return std::uint32_t{order(from[i])}; },
        [&](int place, std::uint32_t x) { to[place] = order.back(static_cast<U>(x)); });
  }
}

/// Lists of segments of n keys that are longer than `longest`, and what sorts them.
template <class U>
class long_segment_sort {
  executor const& ex_;
  index_t n_, longest_;
  bool has_giants_ = n_ > large_run::most;
  // A level parts n keys at most into ways of half of keys_of_way, and takes least_bits.
  index_t ways_ = has_giants_ ? 2 * n_ / giant::keys_of_way : 0;
  index_t levels_ = div_up(index_t{8 * sizeof(U)}, giant::least_bits);
  index_t giants_ = has_giants_ ? n_ / large_run::most : 0;

  scratch<long_counts> counts_ = ex_.scratch<long_counts>(1);
  scratch<giant> even_ = ex_.scratch<giant>(giants_);
  scratch<giant> odd_ = ex_.scratch<giant>(giants_);
  scratch<listed_run> smalls_ = ex_.scratch<listed_run>(n_ / longest_ + levels_ * ways_);
  scratch<listed_run> larges_ = ex_.scratch<listed_run>(n_ / small_run::most);
  scratch<word64> of_way_ = ex_.scratch<word64>(ways_);
  scratch<U> aside_ = ex_.scratch<U>(has_giants_ ? n_ : 0);

 public:
  long_segment_sort(executor const& ex, index_t n, index_t longest)
      : ex_(ex), n_(n), longest_(longest) {
    ex.clear(counts_);
  }

  long_segments lists() const {
    return {counts_.data(),
            {even_.data(), odd_.data()},
            smalls_.data(),
            larges_.data(),
            of_way_.data()};
  }

  /// Sorts what has been listed.
  template <class Order>
  void run(U const* in, U* out, Order order) const {
    index_t const wide = ex_.multiprocessors();
    if (has_giants_) {
      using parts = giant_parts<U, Order>;
      ex_.launch_sharing<part_giants_kernel<U, Order>>(
          {wide * digit_policy::blocks, parts::threads, true, parts::bytes}, in, out, aside_.data(),
          lists(), order, ex_.gate());
    }
    if (n_ > longest_) {
      constexpr int blocks = digit_policy::small_bucket::blocks;
      ex_.launch_sharing<sort_runs_kernel<small_run, blocks, U, Order>>(
          {std::min(wide * blocks, smalls_.size()), small_run::threads, false, small_run::bytes},
          in, aside_.data(), out, smalls_.data(), &counts_.data()->smalls, order);
    }
    if (n_ > small_run::most) {
      ex_.launch_sharing<sort_runs_kernel<large_run, 1, U, Order>>(
          {std::min(wide, larges_.size()), large_run::threads, false, large_run::bytes}, in,
          aside_.data(), out, larges_.data(), &counts_.data()->larges, order);
    }
  }
};

}  // namespace detail
}  // namespace ravel::inline v0::cuda
