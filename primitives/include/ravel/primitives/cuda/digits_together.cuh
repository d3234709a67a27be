#pragma once

/// Radix sort of few rows on a device in one cooperative launch: each block holds a tile in
/// registers, and grid barriers separate the passes.
///
/// In each pass every block writes its count of each digit.  After a grid barrier each block sums
/// the counts of the others, and writes its rows to their positions.  All rows are in registers by
/// then, so their memory can be overwritten.
///
/// Source   Zagha and Blelloch, "Radix Sort for Vector Multiprocessors", Supercomputing 1991, with
///          a block in place of a processor.

#include <ravel/core/cuda/digit_ranks.cuh>
#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/grid_sync.cuh>
#include <ravel/core/cuda/shared.cuh>
#include <ravel/primitives/cuda/digit_policy.hpp>
#include <ravel/primitives/cuda/digits.hpp>
#include <ravel/primitives/rows.hpp>

namespace ravel::inline v0::gpu {
namespace detail {

template <class K, class V>
struct together_shape {
  static constexpr bool has_values = rows<K, V>::has_values;
  static constexpr std::size_t bytes = sizeof(K) + (has_values ? sizeof(V) : 0);
  static constexpr int threads = digit_policy::together_threads;
  static constexpr int items = digit_policy::together_items(bytes);
  static constexpr int ways = 256;

  /// Counts are summed two digits at once, by groups of `adders` threads; each group sums those of
  /// a part of the blocks.
  static constexpr int pairs = ways / 2;
  static constexpr int adders = digit_policy::together_adders;
  static constexpr int groups = threads / adders;
  static_assert(threads % adders == 0, "every thread is in a group");

  struct adding {
    unsigned all[groups][ways];    // number of rows with each digit
    unsigned ahead[groups][ways];  // number of such rows in the preceding blocks
  };
  using ranks = digit_ranks<threads, items>;
  struct room {
    typename ranks::room by_digit;
    adding sums;
    int offset[ways];  // add to a row's position in the tile for its position in the output
    bool idle;
  };
  static constexpr std::size_t up(std::size_t bytes) { return (bytes + 15) / 16 * 16; }
  static constexpr std::size_t keys_at = up(sizeof(room));
  static constexpr std::size_t values_at = keys_at + up(threads * items * sizeof(K));
  static constexpr std::size_t shared_bytes =
      values_at + (has_values ? threads * items * sizeof(V) : 0);
};

/// Sums, by a block, the counts of all blocks: for each digit the total over all blocks, and over
/// the preceding ones.
template <class Shape>
__device__ void add_up(typename Shape::adding& room, std::uint16_t const* counts_of_blocks) {
  constexpr int ways = Shape::ways;
  int const group = threadIdx.x / Shape::adders;
  for (int p = threadIdx.x % Shape::adders; p < Shape::pairs; p += Shape::adders) {
    unsigned total[2] = {0, 0}, ahead[2] = {0, 0};
#pragma unroll 8
    for (unsigned b = group; b < gridDim.x; b += Shape::groups) {
      unsigned const pair = reinterpret_cast<unsigned const*>(counts_of_blocks + b * ways)[p];
      total[0] += pair & 0xffff;
      total[1] += pair >> 16;
      if (b < blockIdx.x) {
        ahead[0] += pair & 0xffff;
        ahead[1] += pair >> 16;
      }
    }
    for (int h = 0; h < 2; ++h) {
      room.all[group][2 * p + h] = total[h];
      room.ahead[group][2 * p + h] = ahead[h];
    }
  }
  __syncthreads();
  for (int d = threadIdx.x; d < ways; d += Shape::threads) {
    for (int g = 1; g < Shape::groups; ++g) {
      room.all[0][d] += room.all[g][d];
      room.ahead[0][d] += room.ahead[g][d];
    }
  }
}

/// Sorts.  Warps have 32 m rows each.  `counts` has two rows of counts for each block.
template <class K, class V, class Bits>
__device__ void sort_cooperatively(index_t n, rows<K const, V const> in, rows<K, V> out,
                                   digits<Bits> const& radix, int m, std::uint16_t* counts,
                                   unsigned* gate) {
  using shape = together_shape<K, V>;
  using ranks = typename shape::ranks;
  constexpr int items = shape::items;
  constexpr int ways = shape::ways;
  auto& room = *reinterpret_cast<typename shape::room*>(shared_bytes());
  auto* const staged_keys = reinterpret_cast<K*>(shared_bytes() + shape::keys_at);
  auto* const staged_values = reinterpret_cast<V*>(shared_bytes() + shape::values_at);
  ranks const block{room.by_digit};
  index_t const begin = index_t{blockIdx.x} * shape::threads * m;
  int const whole = shape::threads * m;
  int const count = static_cast<int>(n - begin < whole ? n - begin : whole);
  int const first = ranks::warp() * warp_size * m + ranks::lane();

  K key[items];
  V value[shape::has_values ? items : 1];
  auto const load = [&](rows<K const, V const> const& source) {
#pragma unroll
    for (int k = 0; k < items; ++k) {
      int const i = first + k * warp_size;
      if (k < m && i < count) {
        key[k] = source.keys[begin + i];
        if constexpr (shape::has_values) value[k] = source.values[begin + i];
      }
    }
  };
  load(in);

  bool moved = false;
  int const passes = radix.passes();
  for (int pass = 0; pass < passes; ++pass) {
    auto const digit = radix.of_pass(pass);
    // Rows past the end count as the greatest digit, so they are ranked after all others.
    auto const digit_of = [&](int k) -> unsigned {
      return first + k * warp_size < count ? digit(key[k]) : ways - 1;
    };
    half_words<items> slot;
    block.rank(m, digit_of, slot);
    // Double-buffered: a block may write the counts of the next pass while another still reads
    // these.
    std::uint16_t* const counts_of_blocks = counts + index_t{pass % 2} * gridDim.x * ways;
    int const missing = whole - count;
    block.count([&](int d, unsigned here) {
      if (d == ways - 1) here -= missing;
      counts_of_blocks[blockIdx.x * ways + d] = static_cast<std::uint16_t>(here);
    });
    if (threadIdx.x == 0) room.idle = false;
    block.start();
    sync_grid(gate);

    add_up<shape>(room.sums, counts_of_blocks);
    for (int d = threadIdx.x; d < ways; d += shape::threads) {
      if (room.sums.all[0][d] == static_cast<unsigned>(n)) room.idle = true;
      room.offset[d] =
          static_cast<int>(room.sums.ahead[0][d]) - static_cast<int>(room.by_digit.start[d]);
    }
    scan_few<shape::threads, ways>(room.sums.all[0], room.sums.all[0]);
    if (room.idle) {
      __syncthreads();  // before `idle` is overwritten
      continue;
    }
    for (int d = threadIdx.x; d < ways; d += shape::threads) {
      room.offset[d] += static_cast<int>(room.sums.all[0][d]);
    }
#pragma unroll
    for (int k = 0; k < items; ++k) {
      if (k < m && first + k * warp_size < count) {
        unsigned const place = block.slot(digit(key[k]), slot[k]);
        staged_keys[place] = key[k];
        if constexpr (shape::has_values) staged_values[place] = value[k];
      }
    }
    __syncthreads();
    for (int place = threadIdx.x; place < count; place += shape::threads) {
      K const x = staged_keys[place];
      int const goes = room.offset[digit(x)] + place;
      out.keys[goes] = x;
      if constexpr (shape::has_values) out.values[goes] = staged_values[place];
    }
    moved = true;
    if (pass + 1 < passes) {
      sync_grid(gate);
      load(out.read());
    }
  }
  if (!moved) {
#pragma unroll
    for (int k = 0; k < items; ++k) {
      int const i = first + k * warp_size;
      if (k < m && i < count) {
        out.keys[begin + i] = key[k];
        if constexpr (shape::has_values) out.values[begin + i] = value[k];
      }
    }
  }
}

template <class K, class V, class Bits>
__global__ void __launch_bounds__(digit_policy::together_threads, 1)
    sort_together_kernel(index_t n, rows<K const, V const> in, rows<K, V> out, digits<Bits> radix,
                         int m, std::uint16_t* counts, unsigned* gate) {
  sort_cooperatively(n, in, out, radix, m, counts, gate);
}

}  // namespace detail

/// As sort_by_digits, of 1 row to as many as the registers of the device hold, of keys and values of at most 16 bytes.
template <class K, class V, class Bits>
void sort_together(executor const& ex, index_t n, rows<K const, V const> in, rows<K, V> out,
                   digits<Bits> radix) {
  using shape = detail::together_shape<K, V>;
  index_t const alone = index_t{shape::threads} * std::min(shape::items, digit_policy::alone_items);
  index_t const room = n <= alone ? 1 : ex.multiprocessors();
  auto const m = static_cast<int>(div_up(n, room * shape::threads));
  index_t const blocks = div_up(n, index_t{shape::threads} * m);
  auto const counts = ex.scratch<std::uint16_t>(2 * blocks * shape::ways);
  ex.launch_sharing<detail::sort_together_kernel<K, V, Bits>>(
      {blocks, shape::threads, blocks > 1, shape::shared_bytes}, n, in, out, radix, m,
      counts.data(), ex.gate());
}

}  // namespace ravel::inline v0::gpu
