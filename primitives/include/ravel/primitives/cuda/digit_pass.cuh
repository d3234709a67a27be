#pragma once

/// One pass of a radix sort over rows: a stable distribution by one digit, with look-back.
///
/// Each block ranks its tile in registers, publishes its count of each digit, reorders the tile in
/// shared memory so that equal digits are contiguous, and looks back over the preceding tiles for
/// the position of each digit's first row.
///
/// The tile descriptors are cleared once for all passes: a word contains the number of its pass,
/// and values published in an earlier pass are ignored.

#include <ravel/core/cuda/digit_ranks.cuh>
#include <ravel/core/cuda/grid_sync.cuh>
#include <ravel/core/cuda/half_words.cuh>
#include <ravel/core/cuda/shared.cuh>
#include <ravel/core/cuda/tile_state.cuh>
#include <ravel/core/cuda/warp.cuh>
#include <ravel/primitives/cuda/digit_plan.cuh>
#include <ravel/primitives/cuda/digit_policy.hpp>
#include <ravel/primitives/cuda/digits.hpp>
#include <ravel/primitives/rows.hpp>

namespace ravel::inline v0::gpu::detail {

/// The descriptor word that a tile publishes for a digit: its count, status and pass.
struct digit_word {
  static constexpr int count_bits = 56;
  static __device__ word64 of(int pass, published what, word64 count) {
    return static_cast<word64>(pass * 4 + static_cast<int>(what)) << count_bits | count;
  }
  static __device__ published what(int pass, word64 word) {
    auto const tag = static_cast<int>(word >> count_bits);
    return tag >> 2 == pass ? static_cast<published>(tag & 3) : published::nothing;
  }
  static __device__ word64 count(word64 word) { return word & ((word64{1} << count_bits) - 1); }
};

/// The tile descriptors: a row of words for each tile, one word for each digit.
struct digit_states {
  static constexpr int ways = digit_plan::ways;
  word64* words;
  static constexpr index_t size(index_t tiles) { return tiles * ways; }
  __device__ word64* at(index_t tile, int d) const { return words + tile * ways + d; }
};

/// Whether a column of rows is reordered in shared memory.  If its elements are wide, the indices
/// of the rows are reordered instead.
template <class T>
inline constexpr bool is_staged = sizeof(T) <= 16;

template <class K, class V>
struct pass_shape {
  static constexpr bool has_values = rows<K, V>::has_values;
  static constexpr bool staged_keys = is_staged<K>;
  static constexpr bool staged_values = has_values && is_staged<V>;
  static constexpr bool needs_source = !staged_keys || (has_values && !staged_values);
  static constexpr std::size_t bytes =
      (staged_keys ? sizeof(K) : 0) + (staged_values ? sizeof(V) : 0) + (needs_source ? 2 : 0);
  static constexpr int threads = digit_policy::pass::threads;
  static constexpr int items = digit_policy::pass::items(bytes, !has_values);
  static constexpr int width = threads * items;

  using ranks = digit_ranks<threads, items>;
  struct room {
    typename ranks::room by_digit;
    // add to a row's position in the tile for its position in the output
    index_t offset[digit_plan::ways];
    unsigned drawn;
  };
  static constexpr std::size_t up(std::size_t bytes) { return (bytes + 15) / 16 * 16; }
  static constexpr std::size_t keys_at = up(sizeof(room));
  static constexpr std::size_t values_at = keys_at + up(staged_keys ? width * sizeof(K) : 0);
  static constexpr std::size_t source_at = values_at + up(staged_values ? width * sizeof(V) : 0);
  static constexpr std::size_t shared_bytes = source_at + (needs_source ? width * 2 : 0);
};

/// A digit that was computed before the pass and is stored beside the rows; it does not move with
/// its row.
struct known_digit {
  unsigned char value;
};

/// A tile of rows, which a block distributes by their digits.  The group that the tile belongs to
/// defines
///
///     group.from(tile)       the rows of the tile
///     group.to()             the memory that rows of the group go to: those with a digit go to the
///     group.starts()         places from starts()[digit] on
///     group.digit()          a function of keys, which is called several times
///     group.first_tile, group.pass, group.states
///
/// The code for whole tiles and for others calls these where it needs them, instead of sharing the
/// results: with pointers computed once for both, a thread spilled 200 bytes of registers, which
/// took 7 % of the time of a transpose.
template <class K, class V, class Group>
struct digit_tile {
  using shape = pass_shape<K, V>;
  static constexpr int items = shape::items;
  static constexpr int ways = digit_plan::ways;
  static constexpr int loaded_together = 2;  // words whose loads a thread issues together

  Group const& group;
  index_t tile;  // number of the tile among those of all groups
  int count;     // rows of the tile: fewer than shape::width in the last tile of a group

  __device__ void run() const {
    if (count == shape::width) {
      run<true>();
    } else {
      run<false>();
    }
  }

 private:
  /// The number of rows with digit d in the preceding tiles of the group.
  __device__ word64 look_back(int d) const {
    auto const look = [&](index_t tile) {
      return tile >= group.first_tile ? load_relaxed(group.states.at(tile, d))
                                      : digit_word::of(group.pass + 1, published::through, 0);
    };
    word64 sum = 0;
    for (index_t nearest = tile - 1;; nearest -= loaded_together) {
      word64 word[loaded_together];
#pragma unroll
      for (int j = 0; j < loaded_together; ++j) word[j] = look(nearest - j);
#pragma unroll
      for (int j = 0; j < loaded_together; ++j) {
        published what = digit_word::what(group.pass + 1, word[j]);
        while (what == published::nothing) {
          word[j] = look(nearest - j);
          what = digit_word::what(group.pass + 1, word[j]);
        }
        sum += digit_word::count(word[j]);
        if (what == published::through) return sum;
      }
    }
  }

  template <bool Whole>
  __device__ void run() const {
    using ranks = typename shape::ranks;
    rows<K const, V const> const in = group.from(tile);
    rows<K, V> const out = group.to();
    auto const digit = group.digit();
    char* const shared = shared_bytes();
    auto& room = *reinterpret_cast<typename shape::room*>(shared);
    auto* const staged_keys = reinterpret_cast<K*>(shared + shape::keys_at);
    auto* const staged_values = reinterpret_cast<V*>(shared + shape::values_at);
    auto* const source = reinterpret_cast<std::uint16_t*>(shared + shape::source_at);
    ranks const block{room.by_digit};

    int const first = ranks::warp() * warp_size * items + ranks::lane();
    K const* const my_keys = in.keys + first;
    auto const exists = [&](int k) { return Whole || first + k * warp_size < count; };

    // Rows past the end count as the greatest digit, so they are ranked after all others.
    K keys[shape::staged_keys ? items : 1];
    if constexpr (shape::staged_keys) {
#pragma unroll
      for (int k = 0; k < items; ++k) {
        if (exists(k)) keys[k] = my_keys[k * warp_size];
      }
    }
    auto const digit_of = [&](int k) -> unsigned {
      if (!exists(k)) return ways - 1;
      if constexpr (shape::staged_keys) {
        return digit(keys[k]);
      } else {
        return digit(my_keys[k * warp_size]);
      }
    };
    block.tally(digit_of);
    block.count([&](int d, unsigned here) {
      auto const what = tile == group.first_tile ? published::through : published::part;
      store_relaxed(group.states.at(tile, d), digit_word::of(group.pass + 1, what, here));
    });
    V values[shape::staged_values ? items : 1];
    if constexpr (shape::staged_values) {
      V const* const my_values = in.values + first;
#pragma unroll
      for (int k = 0; k < items; ++k) {
        if (exists(k)) values[k] = my_values[k * warp_size];
      }
    }
    block.start();
    // recomputes the digits later: each would occupy a register
    if constexpr (shape::staged_keys) {
#pragma unroll
      for (int k = 0; k < items; ++k) forget_results_of(keys[k]);
    }
    half_words<shape::staged_values ? items : 1> slots;
#pragma unroll
    for (int k = 0; k < items; ++k) {
      unsigned const slot = block.next_slot(digit_of(k));
      if constexpr (shape::staged_values) slots.set(k, slot);
      if constexpr (shape::staged_keys) {
        if (exists(k)) staged_keys[slot] = keys[k];
      }
      if constexpr (shape::needs_source) {
        source[slot] = static_cast<std::uint16_t>(first + k * warp_size);
      }
    }
    if constexpr (shape::staged_values) {
#pragma unroll
      for (int k = 0; k < items; ++k) {
        if (exists(k)) staged_values[slots[k]] = values[k];
      }
    }

    for (int d = static_cast<int>(threadIdx.x); d < ways; d += shape::threads) {
      word64 const ahead = tile > group.first_tile ? look_back(d) : 0;
      if (tile > group.first_tile) {
        store_relaxed(group.states.at(tile, d), digit_word::of(group.pass + 1, published::through,
                                                               ahead + room.by_digit.total[d]));
      }
      room.offset[d] = static_cast<index_t>(group.starts()[d] + ahead) - room.by_digit.start[d];
    }
    __syncthreads();

#pragma unroll 4
    for (int k = 0; k < items; ++k) {
      int const place = k * shape::threads + static_cast<int>(threadIdx.x);
      if (Whole || place < count) {
        int const was = shape::needs_source ? source[place] : 0;
        K const key = [&] {
          if constexpr (shape::staged_keys) {
            return staged_keys[place];
          } else {
            return in.keys[was];
          }
        }();
        index_t const goes = room.offset[digit(key)] + place;
        if constexpr (!std::same_as<K, known_digit>) out.keys[goes] = key;
        if constexpr (shape::has_values) {
          if constexpr (shape::staged_values) {
            out.values[goes] = staged_values[place];
          } else {
            out.values[goes] = in.values[was];
          }
        }
      }
    }
  }
};

/// A group of tiles for which it is known where the rows of each digit go.
template <class K, class V, class Digit>
struct placed_tiles {
  rows<K const, V const> in;
  rows<K, V> out;
  word64 const* first_rows;
  index_t first_tile;
  int pass;
  digit_states states;
  Digit by;
  __device__ rows<K const, V const> from(index_t tile) const {
    return in.from((tile - first_tile) * pass_shape<K, V>::width);
  }
  __device__ rows<K, V> to() const { return out; }
  __device__ word64 const* starts() const { return first_rows; }
  __device__ Digit const& digit() const { return by; }
};
struct known_value {
  __device__ unsigned operator()(known_digit d) const { return d.value; }
};

template <class K, class V, class Bits>
struct digit_pass {
  using shape = pass_shape<K, V>;

  index_t n;
  rows<K const, V const> in;
  rows<K, V> out, spare;
  digits<Bits> by;
  int pass;
  digit_plan* plan;
  digit_states states;

  static constexpr index_t first_tile = 0;
  __device__ rows<K const, V const> from(index_t tile) const {
    return at(plan->steps[pass].from).from(tile * shape::width);
  }
  __device__ rows<K const, V const> at(digit_step::place place) const {
    if (place == digit_step::given) return in;
    rows<K, V> const chosen = place == digit_step::out ? out : spare;
    return {chosen.keys, chosen.values};
  }
  __device__ rows<K, V> to() const { return plan->steps[pass].to == digit_step::out ? out : spare; }
  __device__ word64 const* starts() const { return plan->starts[pass]; }
  __device__ auto digit() const { return by.of_pass(pass); }

  /// One tile for each block.
  __device__ void run() const {
    if (plan->steps[pass].to != digit_step::nowhere) run_tile(block_in_order());
  }

  /// A few persistent blocks draw tiles by tickets.
  __device__ void run_drawn() const {
    if (plan->steps[pass].to == digit_step::nowhere) return;
    auto& room = *reinterpret_cast<typename shape::room*>(shared_bytes());
    for (;;) {
      if (threadIdx.x == 0) room.drawn = atomicAdd(&plan->drawn[pass], 1u);
      __syncthreads();
      index_t const tile = room.drawn;
      if (tile >= div_up(n, shape::width)) return;
      run_tile(tile);
      __syncthreads();
    }
  }

  __device__ void run_tile(index_t tile) const {
    index_t const rest = n - tile * shape::width;
    digit_tile<K, V, digit_pass>{*this, tile, static_cast<int>(::min(rest, index_t{shape::width}))}
        .run();
  }
};

template <class K, class V, class Bits>
__global__ void __launch_bounds__(digit_policy::pass::threads, digit_policy::pass::blocks)
    digit_pass_kernel(digit_pass<K, V, Bits> pass) {
  await_preceding_kernel();
  pass.run();
}
/// All passes in one launch, if *wanted is nonzero.
template <class K, class V, class Bits>
__global__ void __launch_bounds__(digit_policy::pass::threads, digit_policy::pass::blocks)
    wanted_digit_passes_kernel(digit_pass<K, V, Bits> pass, int passes, unsigned const* wanted,
                               unsigned* gate) {
  if (*wanted == 0) return;
  for (; pass.pass < passes; ++pass.pass) {
    pass.run_drawn();
    sync_grid(gate);
  }
}

}  // namespace ravel::inline v0::gpu::detail
