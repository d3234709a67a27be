#pragma once

/// Sorts few integers without values on a device, in one cooperative launch (equal integers are
/// indistinguishable): all blocks partition the keys by their highest bits, then each block sorts a
/// part.
///
/// Blocks hold their keys in registers between grid barriers.  They reduce the bits in which keys
/// differ, count their keys of each digit, scatter the keys to parts, and sort one part each.  If a
/// part is too large for a block, all blocks radix sort the keys together instead.

#include <ravel/algorithms/cuda/sort_in_block.cuh>
#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/grid_sync.cuh>
#include <ravel/core/std_algorithm.hpp>
#include <ravel/primitives/cuda/digits_together.cuh>

namespace ravel::inline v0::gpu {
namespace detail {

template <class U>
struct integers_shape : together_shape<U, no_value> {
  using base = together_shape<U, no_value>;
  using part = bucket_block<U, digit_policy::part_block>;
  static_assert(part::threads == base::threads);
  struct room {
    typename base::adding sums;
    unsigned count[base::ways];
    unsigned start[base::ways];
    int offset[base::ways];
    unsigned differ[2];
    bool crowded;
    U staged[base::threads * base::items];
  };
  static constexpr std::size_t shared_bytes =
      std::max({base::shared_bytes, sizeof(room), part::bytes});
};

/// The range of the keys that a block sorts after the partition.
struct parts {
  unsigned start[2];
  unsigned size[2];
};

/// Scatters the keys to their parts if each part fits a block, and returns the range of this
/// block's part. Otherwise all blocks sort the keys together, and the range is empty.  `differ` has
/// a word for each block, for the bits in which its keys differ.
template <class U, class Order>
__device__ parts split_together(index_t n, U const* in, U* out, Order order, int m, int part_bits,
                                std::uint16_t* counts, word64* differ, unsigned* gate) {
  using shape = integers_shape<U>;
  using part = typename shape::part;
  constexpr int threads = shape::threads;
  constexpr int items = shape::items;
  auto& room = *reinterpret_cast<typename shape::room*>(shared_bytes());
  int const thread = threadIdx.x;
  int const lane = thread % warp_size;
  index_t const begin = index_t{blockIdx.x} * threads * m;
  int const count = static_cast<int>(n - begin < threads * m ? n - begin : index_t{threads} * m);
  if (thread < 2) room.differ[thread] = 0;
  if (thread == 2) room.crowded = false;
  for (int d = thread; d < shape::ways; d += threads) room.count[d] = 0;
  __syncthreads();
  auto const exists = [&](int k) { return k < m && k * threads + thread < count; };

  U key[items];
  U const first = order(in[0]);
  U different = 0;
#pragma unroll
  for (int k = 0; k < items; ++k) {
    if (exists(k)) {
      key[k] = in[begin + k * threads + thread];
      different |= order(key[k]) ^ first;
    }
  }
  auto const unite = [&](U x) {
#pragma unroll
    for (int half = 0; half < static_cast<int>(sizeof(U)) / 4; ++half) {
      unsigned const word =
          __reduce_or_sync(whole_warp, static_cast<unsigned>(x >> 16 * half >> 16 * half));
      if (lane == 0 && word != 0) atomicOr(&room.differ[half], word);
    }
    __syncthreads();
  };
  auto const united = [&] { return word64{room.differ[1]} << 32 | room.differ[0]; };
  unite(different);
  if (thread == 0) differ[blockIdx.x] = united();
  sync_grid(gate);
  U others = 0;
  for (unsigned b = thread; b < gridDim.x; b += threads) others |= static_cast<U>(differ[b]);
  unite(others);
  word64 const all_differ = united();
  int const high = room.differ[1] != 0 ? 32 - __clz(static_cast<int>(room.differ[1])) + 32
                                       : 32 - __clz(static_cast<int>(room.differ[0]));
  int const top = all_differ == 0 ? 0 : high;
  int const shift = top > part_bits ? top - part_bits : 0;
  auto const digit = [&](U x) {
    return static_cast<unsigned>(order(x) >> shift) & ((1u << part_bits) - 1);
  };

  unsigned before[items];
#pragma unroll
  for (int k = 0; k < items; ++k) {
    if (exists(k)) before[k] = atomicAdd(&room.count[digit(key[k])], 1u);
  }
  __syncthreads();
  for (int d = thread; d < shape::ways; d += threads) {
    counts[blockIdx.x * shape::ways + d] = static_cast<std::uint16_t>(room.count[d]);
  }
  scan_few<threads, shape::ways>(room.count, room.start);
  sync_grid(gate);
  add_up<shape>(room.sums, counts);
  for (int d = thread; d < shape::ways; d += threads) {
    unsigned const total = room.sums.all[0][d];
    if (total > part::most) room.crowded = true;
    room.count[d] = total;
    room.offset[d] = static_cast<int>(room.sums.ahead[0][d]) - static_cast<int>(room.start[d]);
  }
  scan_few<threads, shape::ways>(room.count, room.sums.all[0]);
  __syncthreads();
  if (room.crowded) {
    sync_grid(gate);  // before counts are overwritten
    digits<Order> const key_digits{order, 0, 8 * sizeof(U), false};
    sort_cooperatively<U, no_value>(n, {in, nullptr}, {out, nullptr}, key_digits, m, counts, gate);
    return {};
  }
#pragma unroll
  for (int k = 0; k < items; ++k) {
    if (exists(k)) room.staged[room.start[digit(key[k])] + before[k]] = key[k];
  }
  __syncthreads();
  for (int place = thread; place < count; place += threads) {
    U const x = room.staged[place];
    unsigned const d = digit(x);
    out[place + room.offset[d] + static_cast<int>(room.sums.all[0][d])] = x;
  }

  parts of_block;
  for (unsigned j = 0; j < 2; ++j) {
    unsigned const p = blockIdx.x + j * gridDim.x;
    bool const is_part = p < static_cast<unsigned>(shape::ways);
    of_block.start[j] = is_part ? room.sums.all[0][p] : 0;
    of_block.size[j] = is_part ? room.count[p] : 0;
  }
  sync_grid(gate);
  return of_block;
}

template <class U, class Order>
__global__ void __launch_bounds__(digit_policy::together_threads, 1)
    sort_integers_together_kernel(index_t n, U const* in, U* out, Order order, int m, int part_bits,
                                  std::uint16_t* counts, word64* differ, unsigned* gate,
                                  unsigned const* wanted) {
  if (wanted != nullptr && *wanted == 0) return;
  bool const alone = gridDim.x == 1;
  parts const block_parts =
      alone ? parts{{0, 0}, {static_cast<unsigned>(n), 0}}
            : split_together(n, in, out, order, m, part_bits, counts, differ, gate);
#pragma unroll 1
  for (int j = 0; j < 2; ++j) {
    if (block_parts.size[j] != 0) {
      integers_shape<U>::part::sort((alone ? in : out) + block_parts.start[j],
                                    out + block_parts.start[j],
                                    static_cast<int>(block_parts.size[j]), order);
    }
  }
}

}  // namespace detail

/// Sorts 1 to detail::most_integers_together unsigned integers by order(x), which must be
/// injective.  If `wanted` is given and *wanted, in device memory, is 0 when the kernel runs, the
/// kernel does nothing.
template <class U, class Order>
void sort_integers_together(executor const& ex, index_t n, U const* in, U* out, Order order,
                            unsigned const* wanted = nullptr) {
  using shape = detail::integers_shape<U>;
  constexpr index_t threads = shape::threads;
  index_t const room =
      n <= shape::part::most ? 1 : std::min(ex.multiprocessors(), index_t{shape::ways / 2});
  auto const m = static_cast<int>(div_up(n, room * threads));
  index_t const blocks = div_up(n, threads * m);
  int part_bits = 0;
  while ((1 << part_bits) < blocks) ++part_bits;
  auto const counts = ex.scratch<std::uint16_t>(2 * blocks * shape::ways);
  auto const differ = ex.scratch<detail::word64>(blocks);
  ex.launch_sharing<detail::sort_integers_together_kernel<U, Order>>(
      {blocks, shape::threads, blocks > 1, shape::shared_bytes}, n, in, out, order, m, part_bits,
      counts.data(), differ.data(), ex.gate(), wanted);
}

}  // namespace ravel::inline v0::gpu
