#pragma once

/// @file
/// Rows in the order of their digits, on a device: a stable pass for each digit, the
/// lowest first, each past memory once.
///
/// One kernel counts the digits of all passes, and plans: a digit that all rows share
/// needs no pass.  In a pass each block ranks its tile in registers, tells how many of
/// each digit it has, turns the tile in shared memory so that equal digits are
/// neighbours, and looks back over the tiles before it for the place of each digit's first.
///
/// The states of tiles are cleared once: in each pass a word carries the pass's number,
/// and what an earlier one published counts as nothing.
///
/// Source   Adinets and Merrill, "Onesweep: A Faster Least Significant Digit Radix Sort
///          for GPUs", arXiv 2206.01784, 2022.

#include <ravel/core/cuda/digit_ranks.cuh>
#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/shared.cuh>
#include <ravel/core/cuda/tile_state.cuh>
#include <ravel/primitives/cuda/digit_policy.hpp>
#include <ravel/primitives/cuda/digits.hpp>
#include <ravel/primitives/rows.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <type_traits>

namespace ravel::inline v0::cuda {

namespace detail {

/// Where the rows of a pass are, and where they go: to none of them if there is
/// nothing to do.
struct digit_step {
  enum place { nowhere, given, out, spare };
  place from, to;
};

/// What the passes know of each other, in device memory.  All but `states` begins as 0.
struct digit_plan {
  static constexpr int ways = 256;
  static constexpr int most_passes = 16;
  word64 starts[most_passes][ways];  // counts, and then the place of each digit's first row
  digit_step steps[most_passes];
  unsigned counted;             // blocks that have told their counts
  unsigned drawn[most_passes];  // tiles
};

/// How many passes it takes for rows to end where they should: at least so many, and
/// odd or even, where that matters.
struct digit_demand {
  enum kind { any, even, odd };
  int least;
  kind number;
  constexpr RAVEL_HD bool met_by(int passes) const {
    return passes >= least && (number == any || (passes % 2 == 1) == (number == odd));
  }
};

/// Plans which passes to make: not those with nothing to do, except as many as are
/// demanded.
inline __device__ void plan_steps(digit_plan& plan, int passes, unsigned idle,
                                  digit_demand demand) {
  int active = passes - __popc(idle);
  for (; !demand.met_by(active); ++active) idle &= idle - 1;
  auto here = digit_step::given;
  for (int p = 0; p < passes; ++p) {
    if (idle >> p & 1) {
      plan.steps[p] = {here, digit_step::nowhere};
    } else {
      auto const next = --active % 2 == 0 ? digit_step::out : digit_step::spare;
      plan.steps[p] = {here, next};
      here = next;
    }
  }
}

/// Counts all digits, each in a column of its own for every lane, as far as there is
/// room, so that lanes do not meet.  The last block turns counts into starts.
template <class K, class Bits>
__global__ void __launch_bounds__(digit_policy::counting_threads)
    count_digits_kernel(index_t n, K const* keys, digits<Bits> by, int columns, digit_demand demand,
                        digit_plan* plan, unsigned const* wanted) {
  constexpr int threads = digit_policy::counting_threads;
  constexpr int each = digit_policy::counted_at_once;
  constexpr int ways = digits<Bits>::ways;
  using U = decltype(by.bits(*keys));
  constexpr int most_passes = static_cast<int>(sizeof(U));
  static_assert(most_passes <= digit_plan::most_passes);
  if (wanted != nullptr && *wanted == 0) return;  // all steps are to nowhere then
  auto* const bins = reinterpret_cast<unsigned*>(shared_bytes());
  __shared__ bool is_last;
  __shared__ unsigned idle;
  int const thread = threadIdx.x;
  int const passes = by.passes();
  for (int b = thread; b < passes * ways * columns; b += threads) bins[b] = 0;
  if (thread == 0) idle = 0;
  __syncthreads();

  unsigned* const mine = bins + thread % columns;
  int const bits = by.end - by.begin;
  U const range = static_cast<U>(bits == 8 * int{sizeof(U)} ? ~U{0} : (U{1} << bits) - U{1});
  U const flip = by.descending ? range : U{0};
  auto const count = [&](K const& key) {
    U const all = static_cast<U>((by.bits(key) >> by.begin & range) ^ flip);
#pragma unroll
    for (int p = 0; p < most_passes; ++p) {
      auto const d = static_cast<int>(all >> p * digits<Bits>::width) & (ways - 1);
      if (p < passes) atomicAdd(mine + (p * ways + d) * columns, 1u);
    }
  };
  index_t const step = index_t{threads} * each;
  for (index_t first = blockIdx.x * step + thread; first < n; first += gridDim.x * step) {
    if (first - thread + step <= n) {
      K x[each];
#pragma unroll
      for (int k = 0; k < each; ++k) x[k] = keys[first + k * threads];
#pragma unroll
      for (int k = 0; k < each; ++k) count(x[k]);
    } else {
      for (index_t i = first; i < n; i += threads) count(keys[i]);
    }
  }
  __syncthreads();
  for (int b = thread; b < passes * ways; b += threads) {
    unsigned sum = 0;
    for (int c = 0; c < columns; ++c) sum += bins[b * columns + (c + thread) % columns];
    if (sum != 0) atomicAdd(&plan->starts[0][0] + b, word64{sum});
  }

  __threadfence();
  __syncthreads();
  if (thread == 0) is_last = atomicAdd(&plan->counted, 1u) == gridDim.x - 1;
  __syncthreads();
  if (!is_last) return;
  __threadfence();
  int const lane = thread % warp_size;
  for (int p = thread / warp_size; p < passes; p += threads / warp_size) {
    word64 ahead = 0;
    for (int d = lane; d < ways; d += warp_size) {
      word64 const here = load_relaxed(&plan->starts[p][d]);
      word64 const through = warp_scan(here, plus<word64>{});
      plan->starts[p][d] = ahead + through - here;
      ahead += shuffle_from(through, warp_size - 1);
      if (here == static_cast<word64>(n)) atomicAdd(&idle, 1u << p);
    }
  }
  __syncthreads();
  if (thread == 0) plan_steps(*plan, passes, idle, demand);
}

/// What a tile publishes of a digit: its count, what is published, and in which pass.
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

/// A row of words for each tile.
struct digit_states {
  static constexpr int ways = digit_plan::ways;
  word64* words;
  static constexpr index_t size(index_t tiles) { return tiles * ways; }
  __device__ word64* at(index_t tile, int d) const { return words + tile * ways + d; }
};

/// A column of rows goes through shared memory unless its elements are wide; then what
/// goes is where they are.
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
  static constexpr int threads = digit_policy::threads;
  static constexpr int items = digit_policy::items(bytes);
  static constexpr int width = threads * items;

  using ranks = digit_ranks<threads, items>;
  struct room {
    typename ranks::room by_digit;
    index_t offset[digit_plan::ways];  // from a place in the tile to one in all
    unsigned drawn;
  };
  static constexpr std::size_t up(std::size_t bytes) { return (bytes + 15) / 16 * 16; }
  static constexpr std::size_t keys_at = up(sizeof(room));
  static constexpr std::size_t values_at = keys_at + up(staged_keys ? width * sizeof(K) : 0);
  static constexpr std::size_t source_at = values_at + up(staged_values ? width * sizeof(V) : 0);
  static constexpr std::size_t shared_bytes = source_at + (needs_source ? width * 2 : 0);
};

template <class K, class V, class Bits>
struct digit_pass {
  using shape = pass_shape<K, V>;
  static constexpr int items = shape::items;
  static constexpr int ways = digit_plan::ways;
  static constexpr int asked = 8;  // words that a thread asks for at once
  /// Lanes that look back for one digit.
  static constexpr int sharers = shape::threads > ways ? shape::threads / ways : 1;

  index_t n;
  rows<K const, V const> in;
  rows<K, V> out, spare;
  digits<Bits> by;
  int pass;
  digit_plan* plan;
  digit_states states;

  __device__ rows<K const, V const> from(digit_step::place where) const {
    if (where == digit_step::given) return in;
    rows<K, V> const it = where == digit_step::out ? out : spare;
    return {it.keys, it.values};
  }

  /// How many of digit d there are in the tiles before t.  By a warp, whose lanes are
  /// `sharers` for each digit; the first of them is told.
  __device__ word64 look_back(index_t t, int d) const {
    int const share = threadIdx.x % sharers;
    auto const look = [&](index_t tile) {
      return tile >= 0 ? load_relaxed(states.at(tile, d))
                       : digit_word::of(pass + 1, published::through, 0);
    };
    word64 sum = 0;
    bool found = false;
    for (index_t end = t; !__all_sync(whole_warp, found); end -= asked * sharers) {
      index_t const nearest = end - 1 - share * asked;
      word64 word[asked];
#pragma unroll
      for (int j = 0; j < asked; ++j) word[j] = look(nearest - j);
      word64 mine = 0;
      bool through = false;
#pragma unroll
      for (int j = 0; j < asked; ++j) {
        if (!through) {
          published what = digit_word::what(pass + 1, word[j]);
          while (what == published::nothing) {
            word[j] = look(nearest - j);
            what = digit_word::what(pass + 1, word[j]);
          }
          mine += digit_word::count(word[j]);
          through = what == published::through;
        }
      }
      // What is behind a `through` does not count: the nearest tiles are the first lane's.
#pragma unroll
      for (int s = 0; s < sharers; ++s) {
        int const lane = threadIdx.x % warp_size - share + s;
        word64 const of_lane = shuffle_from(mine, lane);
        bool const through_lane = shuffle_from(through, lane);
        if (!found) {
          sum += of_lane;
          found = through_lane;
        }
      }
    }
    return sum;
  }

  /// By a block for each tile.
  __device__ void run() const {
    if (plan->steps[pass].to != digit_step::nowhere) run_tile(block_in_order());
  }

  /// By some blocks, which draw tiles.
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
    index_t const begin = tile * shape::width;
    if (n - begin >= shape::width) {
      run_tile<true>(begin, shape::width);
    } else {
      run_tile<false>(begin, static_cast<int>(n - begin));
    }
  }

  /// The tile of `count` rows from `begin` on, which is whole or the last.
  template <bool Whole>
  __device__ void run_tile(index_t begin, int count) const {
    using ranks = typename shape::ranks;
    char* const shared = shared_bytes();
    auto& room = *reinterpret_cast<typename shape::room*>(shared);
    auto* const staged_keys = reinterpret_cast<K*>(shared + shape::keys_at);
    auto* const staged_values = reinterpret_cast<V*>(shared + shape::values_at);
    auto* const source = reinterpret_cast<std::uint16_t*>(shared + shape::source_at);
    ranks const block{room.by_digit};

    digit_step const step = plan->steps[pass];
    index_t const t = begin / shape::width;
    rows<K const, V const> from = this->from(step.from);
    rows<K, V> const to = step.to == digit_step::out ? out : spare;
    int const first = ranks::warp() * warp_size * items + ranks::lane();
    from.keys += begin;
    if constexpr (shape::has_values) from.values += begin;
    K const* const my_keys = from.keys + first;
    auto const is = [&](int k) { return Whole || first + k * warp_size < count; };
    auto const digit = by.of_pass(pass);

    // What is behind the last row counts as the greatest digit, behind all others.
    K keys[shape::staged_keys ? items : 1];
    if constexpr (shape::staged_keys) {
#pragma unroll
      for (int k = 0; k < items; ++k) {
        if (is(k)) keys[k] = my_keys[k * warp_size];
      }
    }
    auto const digit_of = [&](int k) -> unsigned {
      if (!is(k)) return ways - 1;
      if constexpr (shape::staged_keys) {
        return digit(keys[k]);
      } else {
        return digit(my_keys[k * warp_size]);
      }
    };
    unsigned slot[items];
    block.rank(items, digit_of, slot);
    block.count([&](int d, unsigned here) {
      auto const what = t == 0 ? published::through : published::part;
      store_relaxed(states.at(t, d), digit_word::of(pass + 1, what, here));
    });
    block.start();
#pragma unroll
    for (int k = 0; k < items; ++k) {
      slot[k] = block.slot(digit_of(k), slot[k]);
      if constexpr (shape::staged_keys) {
        if (is(k)) staged_keys[slot[k]] = keys[k];
      }
      if constexpr (shape::needs_source) {
        source[slot[k]] = static_cast<std::uint16_t>(first + k * warp_size);
      }
    }
    if constexpr (shape::staged_values) {
      V const* const my_values = from.values + first;
      V values[items];
#pragma unroll
      for (int k = 0; k < items; ++k) {
        if (is(k)) values[k] = my_values[k * warp_size];
      }
#pragma unroll
      for (int k = 0; k < items; ++k) {
        if (is(k)) staged_values[slot[k]] = values[k];
      }
    }

    for (int d = static_cast<int>(threadIdx.x) / sharers; d < ways; d += shape::threads / sharers) {
      word64 const ahead = t > 0 ? look_back(t, d) : 0;
      if (threadIdx.x % sharers == 0) {
        if (t > 0) {
          store_relaxed(states.at(t, d), digit_word::of(pass + 1, published::through,
                                                        ahead + room.by_digit.total[d]));
        }
        room.offset[d] =
            static_cast<index_t>(plan->starts[pass][d] + ahead) - room.by_digit.start[d];
      }
    }
    __syncthreads();

#pragma unroll
    for (int k = 0; k < items; ++k) {
      int const place = k * shape::threads + static_cast<int>(threadIdx.x);
      if (Whole || place < count) {
        int const was = shape::needs_source ? source[place] : 0;
        K const key = [&] {
          if constexpr (shape::staged_keys) {
            return staged_keys[place];
          } else {
            return from.keys[was];
          }
        }();
        index_t const goes = room.offset[digit(key)] + place;
        to.keys[goes] = key;
        if constexpr (shape::has_values) {
          if constexpr (shape::staged_values) {
            to.values[goes] = staged_values[place];
          } else {
            to.values[goes] = from.values[was];
          }
        }
      }
    }
  }
};

template <class K, class V, class Bits>
__global__ void __launch_bounds__(digit_policy::threads, digit_policy::blocks)
    digit_pass_kernel(digit_pass<K, V, Bits> pass) {
  pass.run();
}
template <class K, class V, class Bits>
__global__ void __launch_bounds__(digit_policy::threads, digit_policy::blocks)
    drawn_digit_pass_kernel(digit_pass<K, V, Bits> pass) {
  pass.run_drawn();
}

/// By a block for each tile, or, if it is likely that nothing is wanted, by as many as there
/// is room for: blocks that only begin and end take time too.
template <bool IfWanted, class K, class V, class Bits>
void launch_digit_passes(executor const& ex, index_t n, rows<K const, V const> in, rows<K, V> out,
                         digits<Bits> by, unsigned const* wanted) {
  using shape = detail::pass_shape<K, V>;
  int const passes = by.passes();
  if (n == 0) return;

  // A pass cannot write over what it reads, so an odd number of them cannot end
  // where it began: then the rows are first set aside.
  bool const in_place = share_memory(in, out);
  bool const set_aside = in_place && passes % 2 == 1;
  bool const needs_spare = passes > 1 || set_aside;
  auto const spare_keys = ex.scratch<K>(needs_spare ? n : 0);
  auto const spare_values = ex.scratch<V>(needs_spare && shape::has_values ? n : 0);
  rows<K, V> const spare{spare_keys.data(), spare_values.data()};
  detail::digit_demand demand{1, detail::digit_demand::any};
  if (set_aside || passes == 0) {
    rows<K, V> const to = set_aside ? spare : out;
    if (in.keys != to.keys) ex.copy(in.keys, to.keys, n);
    if constexpr (shape::has_values) {
      if (in.values != to.values) ex.copy(in.values, to.values, n);
    }
    in = to.read();
    demand.number = detail::digit_demand::odd;
  } else if (in_place) {
    bool const all = in.keys == out.keys && (!shape::has_values || in.values == out.values);
    demand = {all ? 0 : 2, detail::digit_demand::even};
  }
  if (passes == 0) return;

  index_t const tiles = div_up(n, index_t{shape::width});
  auto const plan = ex.scratch<detail::digit_plan>(1);
  auto const states = ex.scratch<detail::word64>(detail::digit_states::size(tiles));
  ex.clear(plan);
  ex.clear(states);

  auto const whole = sizeof(unsigned) * static_cast<std::size_t>(digits<Bits>::ways * passes);
  int columns = warp_size;
  while (columns > 1 && columns * whole > ex.most_shared_bytes()) columns /= 2;
  constexpr int threads = digit_policy::counting_threads;
  index_t const blocks = div_up(n, index_t{threads} * digit_policy::counted_at_once);
  ex.launch_sharing<detail::count_digits_kernel<K, Bits>>(
      {std::min(blocks, ex.multiprocessors()), threads, false, columns * whole}, n, in.keys, by,
      columns, demand, plan.data(), wanted);
  for (int pass = 0; pass < passes; ++pass) {
    detail::digit_pass<K, V, Bits> const it{n,  in,   out,         spare,
                                            by, pass, plan.data(), {states.data()}};
    if constexpr (IfWanted) {
      index_t const room = ex.multiprocessors() * digit_policy::blocks;
      ex.launch_sharing<drawn_digit_pass_kernel<K, V, Bits>>(
          {std::min(tiles, room), shape::threads, false, shape::shared_bytes}, it);
    } else {
      ex.launch_sharing<digit_pass_kernel<K, V, Bits>>(
          {tiles, shape::threads, false, shape::shared_bytes}, it);
    }
  }
}

}  // namespace detail

/// Moves rows to `out` in the order of their digits, stably.  `out` may be `in`, column
/// by column, and overlaps nothing else.
///
/// Cost     O(n passes) work, O(passes log n) span.  Reads the keys once, and moves 2 n
///          rows in each pass.  Scratch for n rows, and at most 5 % of that.
template <class K, class V, class Bits>
void sort_by_digits(executor const& ex, index_t n, rows<K const, V const> in, rows<K, V> out,
                    digits<Bits> by) {
  detail::launch_digit_passes<false>(ex, n, in, out, by, nullptr);
}

/// The same if *wanted, in device memory, is other than 0 by then; and otherwise nothing, in
/// little time.
template <class K, class V, class Bits>
void sort_by_digits_if(executor const& ex, unsigned const* wanted, index_t n,
                       rows<K const, V const> in, rows<K, V> out, digits<Bits> by) {
  detail::launch_digit_passes<true>(ex, n, in, out, by, wanted);
}

}  // namespace ravel::inline v0::cuda
