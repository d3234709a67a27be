#pragma once

/// Unstable partition of a tile of keys by a block, and the state of a sort by buckets.
///
/// A block counts its keys of each digit with shared atomics, and reserves places for them with one
/// global atomic per digit.

#include <ravel/core/cuda/digit_ranks.cuh>
#include <ravel/core/cuda/half_words.cuh>
#include <ravel/core/cuda/lanes_of_digit.cuh>
#include <ravel/core/cuda/warp.cuh>
#include <ravel/core/cuda/words.cuh>
#include <ravel/primitives/cuda/digit_policy.hpp>

namespace ravel::inline v0::gpu::detail {

/// A list of buckets in device memory, in any order.
struct bucket_list {
  static constexpr int most = 1 << 16;
  unsigned size;
  std::uint16_t bucket[most];
  __device__ void add(index_t b) { bucket[atomicAdd(&size, 1u)] = static_cast<std::uint16_t>(b); }
};

/// Bounds of floating-point keys, as words in the order of numbers.
struct number_range {
  word64 highest, not_lowest;
};

/// The state of a bucket sort in device memory, which its kernels share.
struct bucket_plan {
  static constexpr int digit_bits = 8;
  static constexpr int ways = 1 << digit_bits;
  static constexpr int most_bits = 2 * digit_bits;
  word64 next[ways];                   // the next place of each highest digit
  index_t starts[ways + 1];            // the first place of each highest digit
  word64 of_bucket[1 << most_bits];    // the size of each bucket, then its next place
  number_range range;                  // of floating-point keys
  bucket_list medium, large, counted;  // the buckets that no small block sorts
  // numbers of giants and of their tiles: giant_buckets::counted
  word64 giants;
  unsigned wanted;     // whether keys are counted: mostly, if the buckets of a sample were even
  unsigned too_large;  // whether some bucket has more keys than any block sorts
  unsigned uneven;     // whether a sample determines the buckets
  unsigned alone;      // whether one bucket has all keys, and is counted
  unsigned unwanted;   // whether the keys are sorted already, so that they were not counted
};

/// The shared state of a block that partitions by digits of `Bits` bits.
template <int Bits>
struct alignas(16) part_room_of {
  static constexpr int ways = 1 << Bits;
  unsigned count[ways];
  unsigned start[ways];
  index_t offset[ways];  // add to a key's position in the tile for its place in the output
  index_t begin, end;
  int part;
};
using part_room = part_room_of<bucket_plan::digit_bits>;

/// Unstable partition of a tile of `count` keys by a block.  The tile is full, or the last of its
/// part. `kept` has room for the tile's digits, if these are costly to compute twice; else it is
/// nullptr.
template <bool Whole, int Items, int Threads = digit_policy::threads, int Bits, class U,
          class Digit, class Kept = std::nullptr_t>
__device__ void part_tile(part_room_of<Bits>& room, U* staged, U const* in, int count, U* out,
                          Digit digit, int ways, word64* next, Kept kept = nullptr) {
  constexpr bool keeps = !std::same_as<Kept, std::nullptr_t>;
  constexpr int threads = Threads;
  constexpr int items = Items;
  int const thread = threadIdx.x;
  auto const exists = [&](int k) { return Whole || k * threads + thread < count; };
  U key[items];
  U const* const thread_keys = in + thread;
#pragma unroll
  for (int k = 0; k < items; ++k) {
    if (exists(k)) key[k] = thread_keys[k * threads];
  }
  __syncthreads();

  // The rank of each key among the tile's keys with its digit, from a shared atomic.  Atomics of
  // lanes with one digit are serialised: if the first row has many such lanes, a warp adds once for
  // each digit.
  constexpr int most_conflicts = 8;
  // A kept digit occupies the upper half of the word whose lower half is the rank.
  std::conditional_t<keeps, whole_words<items>, half_words<items>> before;
  auto const with = [](unsigned d, unsigned rank) { return keeps ? d << 16 | rank : rank; };
  int const lane = thread % warp_size;
  auto const conflicts = [&] {
    unsigned const d = exists(0) ? digit(key[0]) : 0;
    auto const same = static_cast<unsigned>(__popc(lanes_of_digit<Bits>(d)));
    return static_cast<int>(__reduce_max_sync(whole_warp, same));
  };
  if (Whole && conflicts() > most_conflicts) {
#pragma unroll
    for (int k = 0; k < items; ++k) {
      unsigned const d = digit(key[k]);
      unsigned const same = lanes_of_digit<Bits>(d);
      int const leader = __ffs(static_cast<int>(same)) - 1;
      unsigned const first =
          lane == leader ? atomicAdd(&room.count[d], static_cast<unsigned>(__popc(same))) : 0;
      before.set(k, with(d, shuffle_from(first, leader) +
                                static_cast<unsigned>(__popc(same & ((1u << lane) - 1)))));
    }
  } else {
#pragma unroll
    for (int k = 0; k < items; ++k) {
      if (exists(k)) {
        unsigned const d = digit(key[k]);
        before.set(k, with(d, atomicAdd(&room.count[d], 1u)));
      }
    }
  }
  __syncthreads();
  // The atomics' results are used only after the next barrier, to hide their latency.
  constexpr int of_thread = (part_room_of<Bits>::ways + threads - 1) / threads;
  index_t goes[of_thread];
#pragma unroll
  for (int j = 0; j < of_thread; ++j) {
    int const d = j * threads + thread;
    unsigned const size = d < ways ? room.count[d] : 0;
    goes[j] = size != 0 ? static_cast<index_t>(atomicAdd(&next[d], word64{size})) : 0;
  }
  scan_few<threads, part_room_of<Bits>::ways>(room.count, room.start);
  __syncthreads();
#pragma unroll
  for (int k = 0; k < items; ++k) {
    if (exists(k)) {
      unsigned const d = keeps ? before[k] >> 16 : digit(key[k]);
      unsigned const place = room.start[d] + (before[k] & 0xffff);
      staged[place] = key[k];
      if constexpr (keeps) kept[place] = static_cast<unsigned char>(d);
    }
  }
#pragma unroll
  for (int j = 0; j < of_thread; ++j) {
    int const d = j * threads + thread;
    if (d < ways) room.offset[d] = goes[j] - room.start[d];
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < items; ++k) {
    int const place = k * threads + thread;
    if (exists(k)) {
      U const x = staged[place];
      if constexpr (keeps) {
        out[room.offset[kept[place]] + place] = x;
      } else {
        out[room.offset[digit(x)] + place] = x;
      }
    }
  }
}

}  // namespace ravel::inline v0::gpu::detail
