#pragma once

/// Selection on a device: few of many rows by a sample (select_by_sample.cuh); others digit by
/// digit, in one pass over all keys for each digit.
///
/// A pass counts the digits of the keys that have the prefix known so far, in shared memory; a scan
/// of the counts then finds the digit of the selected row.

#include <ravel/algorithms/cuda/select_by_sample.cuh>
#include <ravel/algorithms/cuda/select_in_segments.cuh>
#include <ravel/algorithms/select_by_digits.hpp>
#include <ravel/algorithms/selection/cuda.hpp>
#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/words.cuh>
#include <ravel/primitives/cuda/for_each_key.cuh>

namespace ravel::inline v0::gpu {
namespace detail {

struct selection_policy {
  static constexpr int threads = 512;
  static constexpr int each = 4;        // vectors of 16 bytes that a thread loads at a time
  static constexpr index_t blocks = 4;  // thread blocks on a multiprocessor
  static constexpr int digit = 11;      // bits of a digit
  // no more than a tile, so that one block scans the counts
  static constexpr int ways = 1 << digit;
};
static_assert(selection_policy::ways <= block::tile_width);

/// One pass: the digit in bits [shift, shift + width), of keys whose higher bits are known.
struct selection_step {
  int shift, width;
};

/// Counts digits.  A thread adds a run of equal digits with one atomic: if all keys are equal, all
/// threads would otherwise contend for one counter.
template <class K>
__global__ void __launch_bounds__(selection_policy::threads)
    count_selected_digits_kernel(index_t n, K const* keys, ravel::detail::selection_key<K> key,
                                 selection_step step,
                                 ravel::detail::selected<radix_bits_t<K>> const* known,
                                 word64* counts) {
  using policy = selection_policy;
  using Bits = radix_bits_t<K>;
  __shared__ unsigned counted[policy::ways];
  for (int d = threadIdx.x; d < policy::ways; d += policy::threads) counted[d] = 0;
  __syncthreads();
  Bits const prefix = known->prefix;
  unsigned held = 0, times = 0;
  auto const flush = [&] {
    if (times > 0) atomicAdd(&counted[held], times);
    times = 0;
  };
  for_each_key<policy::threads, policy::each>(
      keys, n,
      [&](K const& x) {
        auto const from_shift = static_cast<Bits>(key(x) >> step.shift);
        if (static_cast<Bits>(from_shift >> (step.width - 1) >> 1) != prefix) return;
        unsigned const digit = static_cast<unsigned>(from_shift) & ((1u << step.width) - 1);
        if (digit != held) flush();
        held = digit;
        ++times;
      },
      [] {});
  flush();
  __syncthreads();
  for (int d = threadIdx.x; d < policy::ways; d += policy::threads) {
    if (counted[d] != 0) atomicAdd(&counts[d], word64{counted[d]});
  }
}

struct read_count {
  word64 const* counts;
  RAVEL_HD index_t operator()(index_t d) const { return static_cast<index_t>(counts[d]); }
};
/// The sink of the scan of counts: the digit whose range of ranks contains the wanted rank becomes
/// known.
template <class Bits>
struct take_digit {
  ravel::detail::selected<Bits> known;
  int width;
  ravel::detail::selected<Bits>* to;
  RAVEL_HD void operator()(index_t d, index_t ahead, index_t through) const {
    if (known.rank < ahead || known.rank >= through) return;
    *to = {static_cast<Bits>(known.prefix << (width - 1) << 1 | static_cast<Bits>(d)),
           known.rank - ahead};
  }
};
template <class Bits>
struct select_in_tile {
  word64 const* counts;
  int width;
  ravel::detail::selected<Bits> const* from;
  ravel::detail::selected<Bits>* to;
  template <class Team>
  RAVEL_HD void operator()(Team team, tile t) const {
    team.scan(t, read_count{counts}, take_digit<Bits>{*from, width, to}, plus<index_t>{},
              index_t{0});
  }
};

}  // namespace detail

template <class K, class V>
void launch_form(select_by_wide_digits, executor const& ex, selection_call<K, V> const& c) {
  using Bits = radix_bits_t<K>;
  using policy = detail::selection_policy;
  constexpr int steps = (radix_width<K> + policy::digit - 1) / policy::digit;
  ravel::detail::selection_key<K> const key{c.descending};
  auto const known = ex.scratch<ravel::detail::selected<Bits>>(steps + 1);
  auto const counts = ex.scratch<detail::word64>(index_t{steps} * policy::ways);
  ex.clear(counts);
  for_each_index(ex, 1, ravel::detail::begin_selection<Bits>{known.data(), c.first + c.count - 1});
  index_t const blocks = std::min(policy::blocks * ex.multiprocessors(),
                                  div_up(c.n, index_t{policy::threads} * policy::each));
  int left = radix_width<K>;
  for (int s = 0; s < steps; ++s) {
    int const width = std::min(policy::digit, left);
    left -= width;
    auto* const of_step = counts.data() + s * policy::ways;
    ex.launch({blocks, policy::threads}, detail::count_selected_digits_kernel<K>, c.n, c.in.keys,
              key, detail::selection_step{left, width}, known.data() + s, of_step);
    ex.for_each_tile(policy::ways, detail::select_in_tile<Bits>{of_step, width, known.data() + s,
                                                                known.data() + s + 1});
  }
  ravel::detail::split_at_selected(ex, c, known.data() + steps);
}

}  // namespace ravel::inline v0::gpu
