#pragma once

/// Work lists, in device memory, of the segments that are too long for one warp to sort, and of the
/// buckets into which the longest of them are partitioned.

#include <ravel/algorithms/cuda/sort_in_block.cuh>
#include <ravel/core/cuda/warp.cuh>
#include <ravel/core/cuda/words.cuh>
#include <ravel/primitives/cuda/digit_policy.hpp>

namespace ravel::inline v0::gpu::detail {

/// Keys are sorted as unsigned words of 4 or 8 bytes.
template <class U>
using key_word = std::conditional_t<sizeof(U) <= 4, std::uint32_t, std::uint64_t>;

template <class U>
using small_run = bucket_block<key_word<U>, small_shape<U>, true>;
template <class U>
using medium_shape = std::conditional_t<sizeof(U) <= 4, digit_policy::medium_bucket,
                                        digit_policy::medium_bucket_of_wide>;
template <class U>
using medium_run = bucket_block<key_word<U>, medium_shape<U>, true>;
template <class U>
using large_run = bucket_block<key_word<U>, digit_policy::large_bucket, true>;
inline constexpr int most_in_small = small_run<std::uint32_t>::most;
static_assert(most_in_small <= small_run<std::uint64_t>::most);
inline constexpr int most_in_medium = medium_run<std::uint32_t>::most;
static_assert(most_in_medium <= medium_run<std::uint64_t>::most);
inline constexpr int most_in_large = large_run<std::uint32_t>::most;
/// Longer runs of keys without values, up to this, are split by the block that sorts their parts: one part at
/// most is too large again.
inline constexpr int most_to_split = 2 * most_in_large;

/// A giant: a segment, or a bucket of one, that is too long for one block, so that all blocks
/// partition it.
struct giant {
  index_t begin, end;
  index_t first_tile;   // the tiles of all giants are numbered consecutively, in list order
  index_t first_count;  // as are their counters, one for each bucket of a giant
  word64 highest, not_lowest;

  static constexpr int most_ways = 256;
  /// The number of buckets is a power of two, such that one block can sort several average buckets
  /// at once.
  static constexpr index_t keys_of_way = most_in_small / 4;
  __device__ int ways() const {
    int ways = 1;
    while (ways < most_ways && ways * keys_of_way < end - begin) ways *= 2;
    return ways;
  }
  /// The least number of buckets is 1 << least_bits.
  static constexpr int least_bits = std::bit_width(unsigned{most_in_large / keys_of_way});
};

/// The length of a list of giants.  Giants and their tiles are counted in one word by one atomic,
/// so that both are numbered in the same order.
struct giant_list {
  static constexpr int tile_bits = 36;
  word64 counted;
  word64 counts;

  __device__ index_t size() const { return static_cast<index_t>(counted >> tile_bits); }
  __device__ index_t tiles() const {
    return static_cast<index_t>(counted & ((word64{1} << tile_bits) - 1));
  }
};

/// A range of keys for one block to sort: its begin and length, and the buffer (of three) that
/// holds it.
struct listed_run {
  enum place { in, aside, out };
  word64 word;
  static constexpr int size_bits = 20;
  static __device__ listed_run of(index_t begin, index_t size, place buffer) {
    return {static_cast<word64>(begin) << (size_bits + 2) | static_cast<word64>(size) << 2 |
            static_cast<word64>(buffer)};
  }
  __device__ index_t begin() const { return static_cast<index_t>(word >> (size_bits + 2)); }
  __device__ int size() const { return static_cast<int>(word >> 2 & ((1u << size_bits) - 1)); }
  __device__ place where() const { return static_cast<place>(word & 3); }
};
static_assert(most_to_split < 1 << listed_run::size_bits);

struct long_counts {
  giant_list giants[2];
  unsigned smalls, mediums, larges;
  unsigned malformed;  // nonzero if some offsets descend or are out of range
};

/// The capacities of the lists, sufficient for segments that do not overlap.
struct list_capacities {
  index_t giants, smalls, mediums, larges;
};

/// The work lists of all segments longer than `longest`, in device memory.
struct long_segments {
  /// Fewer items for each thread than a partition of a single sequence has: blocks hold more state.
  static constexpr int items = digit_policy::items;
  static constexpr index_t tile = index_t{digit_policy::threads} * items;

  long_counts* counts;
  giant* giants[2];  // the giants of this level and of the next
  listed_run* smalls;
  listed_run* mediums;
  listed_run* larges;
  word64* of_way;
  list_capacities room;
  index_t most_in_run;  // longer ones are giants

  /// Marks the lists as incomplete: no later kernel reads them.
  __device__ void reject() const { counts->malformed = 1; }
  __device__ bool are_malformed() const { return counts->malformed != 0; }

  __device__ void list(index_t begin, index_t end, listed_run::place buffer, int level) const {
    index_t const size = end - begin;
    auto const append = [&](listed_run* list, index_t capacity, unsigned& count) {
      put(list, capacity, atomicAdd(&count, 1u), listed_run::of(begin, size, buffer));
    };
    if (size <= most_in_small) {
      append(smalls, room.smalls, counts->smalls);
    } else if (size <= most_in_medium) {
      append(mediums, room.mediums, counts->mediums);
    } else if (size <= most_in_run) {
      append(larges, room.larges, counts->larges);
    } else {
      giant_list& target = counts->giants[level % 2];
      giant segment{begin, end, 0, 0, 0, 0};
      word64 const ahead = atomicAdd(&target.counted, (word64{1} << giant_list::tile_bits) +
                                                          static_cast<word64>(div_up(size, tile)));
      segment.first_tile = static_cast<index_t>(ahead & ((word64{1} << giant_list::tile_bits) - 1));
      segment.first_count =
          static_cast<index_t>(atomicAdd(&target.counts, static_cast<word64>(segment.ways())));
      put(giants[level % 2], room.giants, static_cast<index_t>(ahead >> giant_list::tile_bits),
          segment);
    }
  }

  /// As list, by all threads of a block, each for a range that may be empty.  Small runs of the
  /// block follow one another, so that blocks which sort them at the same time read near each other.
  /// `first` is in shared memory.
  __device__ void list_together(index_t begin, index_t end, listed_run::place buffer, int level,
                                unsigned& first) const {
    index_t const size = end - begin;
    bool const is_small = 0 < size && size <= most_in_small;
    if (threadIdx.x == 0) first = 0;
    __syncthreads();
    unsigned const before = is_small ? atomicAdd(&first, 1u) : 0;
    __syncthreads();
    if (threadIdx.x == 0) first = atomicAdd(&counts->smalls, first);
    __syncthreads();
    if (is_small) {
      put(smalls, room.smalls, first + before, listed_run::of(begin, size, buffer));
    } else if (size > 0) {
      list(begin, end, buffer, level);
    }
  }

 private:
  /// Appends an entry; drops it if the list is full, which only overlapping segments (malformed
  /// offsets) can cause.
  template <class T>
  static __device__ void put(T* list, index_t capacity, index_t place, T const& entry) {
    if (place < capacity) list[place] = entry;
  }
};

}  // namespace ravel::inline v0::gpu::detail
