#pragma once

/// Selection on a device in one pass over the keys: a sample bounds the selected rows from both
/// sides, and the pass keeps the rows within the bounds.
///
/// Rows are compared as words: the key's bits followed by the row's index.  All words differ, so
/// the sample bounds the number of rows between its bounds whatever the keys are, and equal keys
/// stay in input order. One cooperative kernel keeps candidates and then selects among them digit
/// by digit.  If the bounds were wrong, or the candidates exceed their room, it selects among all
/// rows instead.
///
/// Source   Floyd and Rivest, "Expected Time Bounds for Selection", CACM 18(3), 1975; Alabi,
///          Blanchard, Gordon and Steinbach, "Fast k-selection algorithms for graphics processing
///          units", ACM JEA 17, 2012.

#include <ravel/algorithms/cuda/radix_sort.cuh>
#include <ravel/algorithms/cuda/shares.cuh>
#include <ravel/algorithms/cuda/sort_in_block.cuh>
#include <ravel/algorithms/selection/cuda.hpp>
#include <ravel/core/cuda/digit_ranks.cuh>
#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/grid_sync.cuh>
#include <ravel/core/cuda/warp.cuh>
#include <ravel/core/cuda/words.cuh>
#include <ravel/core/radix_key.hpp>
#include <ravel/primitives/cuda/for_each_key.cuh>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/rows.hpp>

namespace ravel::inline v0::gpu {
namespace detail {

/// A key and its index as one word: key(x) is an unsigned integer of at most 32 bits.
template <class Key>
struct row_word {
  Key key;
  template <class K>
  RAVEL_HD word64 operator()(K const& x, index_t i) const {
    return word64{key(x)} << 32 | static_cast<std::uint32_t>(i);
  }
};
RAVEL_HD inline index_t row_of(word64 word) { return static_cast<std::uint32_t>(word); }

template <class K, class Key>
struct take_sample {
  K const* keys;
  index_t n, sampled;
  row_word<Key> word;
  word64* out;
  RAVEL_HD void operator()(index_t s) const {
    index_t const i = sampled_row(s, n, sampled);
    out[s] = word(keys[i], i);
  }
};

/// State in device memory that the blocks of a selection share, initially 0.
struct selection_state {
  word64 kept;   // number of candidates
  word64 below;  // number of rows below the lower bound
  word64 taken;  // number of rows written
  word64 counts[sample_policy::steps][sample_policy::ways];
};

/// Appends words of the lanes of a warp to a sequence, in any order.  They are staged in shared
/// memory, so that one atomic reserves places for up to `most` of them.
struct warp_appender {
  static constexpr int most = 4 * warp_size;  // words staged before they are written out
  static constexpr int room = 2 * most;
  word64* staged;
  word64* out;
  word64* next;
  index_t capacity;
  int held = 0;

  __device__ void add(bool wanted, word64 x) {
    unsigned const lanes = __ballot_sync(whole_warp, wanted);
    if (lanes == 0) return;
    unsigned const lower = (1u << threadIdx.x % warp_size) - 1;
    if (wanted) staged[held + __popc(lanes & lower)] = x;
    held += __popc(lanes);
  }
  __device__ void flush() {
    if (held == 0) return;
    int const lane = threadIdx.x % warp_size;
    __syncwarp();
    word64 const begin =
        shuffle_from(lane == 0 ? atomicAdd(next, static_cast<word64>(held)) : word64{0}, 0);
    for (int k = lane; k < held; k += warp_size) {
      auto const place = static_cast<index_t>(begin) + k;
      if (place < capacity) out[place] = staged[k];
    }
    __syncwarp();
    held = 0;
  }
  __device__ void flush_if_full() {
    if (held > room - most) flush();
  }
};

template <class K, class Key>
struct sampled_selection {
  using policy = sample_policy;
  index_t n;
  K const* keys;
  row_word<Key> word;
  word64 const* low;   // lower bound, or null
  word64 const* high;  // upper bound, or null
  index_t first, count;
  word64* kept;
  index_t room;
  word64* out;  // has room for `count` words
  selection_state* state;
  unsigned* gate;
};

/// The shared memory in which a block counts digits.
struct digit_room {
  unsigned count[sample_policy::ways];
  unsigned start[sample_policy::ways];
  unsigned digit;
};
struct selection_room {
  union {
    word64 staged[sample_policy::threads / warp_size][warp_appender::room];
    digit_room digits;
  };
  unsigned below;
};

/// Calls f(word, exists) for the words of a sequence: a grid-stride loop by whole warps.
template <class F>
__device__ void for_each_word(word64 const* words, index_t n, F f) {
  constexpr index_t threads = sample_policy::threads;
  for (index_t base = blockIdx.x * threads; base < n; base += gridDim.x * threads) {
    index_t const i = base + threadIdx.x;
    f(i < n ? words[i] : word64{0}, i < n);
  }
}

/// Keeps the rows whose words are in [low, high].  Counts the rows below `low`, unless there can be
/// none.
template <bool HasLow, class K, class Key>
__device__ void keep_candidates(sampled_selection<K, Key> const& call, word64 low, word64 high,
                                selection_room& in, warp_appender appender) {
  unsigned below = 0;
  for_each_vector<sample_policy::threads, sample_policy::each>(
      call.keys, call.n, [&](auto const& x, index_t at, int exist) {
        constexpr int per_vector = sizeof(x) / sizeof(x[0]);
        bool keep[per_vector], any = false;
#pragma unroll
        for (int j = 0; j < per_vector; ++j) {
          word64 const word = call.word(x[j], at + j);
          bool const is_below = HasLow && word < low;
          below += j < exist && is_below;
          keep[j] = j < exist && !is_below && word <= high;
          any = any || keep[j];
        }
        if (!__any_sync(whole_warp, any)) return;
#pragma unroll
        for (int j = 0; j < per_vector; ++j) {
          appender.add(keep[j], call.word(x[j], at + j));
          if (j % 4 == 3 || j == per_vector - 1) appender.flush_if_full();
        }
      });
  appender.flush();
  if (!HasLow) return;
  below = __reduce_add_sync(whole_warp, below);
  if (threadIdx.x % warp_size == 0 && below != 0) atomicAdd(&in.below, below);
  __syncthreads();
  if (threadIdx.x == 0 && in.below != 0) atomicAdd(&call.state->below, word64{in.below});
}

/// The known highest bits of the selected word.  The selection ends when only one word has them.
struct selected_prefix {
  word64 bits;
  int shift;
  __device__ word64 of(word64 word) const { return shift == 64 ? 0 : word >> shift; }
  __device__ word64 greatest() const { return bits << shift | ((word64{1} << shift) - 1); }
};

/// One step of the selection by digits, among the words that visit(f) passes to f: finds the digit
/// of the word at `rank` and appends it to `known`.  A block counts digits in shared memory,
/// add_up() adds the counts of other blocks, and the counts are scanned.  Returns how many words
/// have the new prefix.
template <class Each, class AddUp>
__device__ unsigned select_digit(Each visit, selected_prefix& known, word64& rank, digit_room& in,
                                 AddUp add_up) {
  constexpr int threads = sample_policy::threads, ways = sample_policy::ways;
  int const width = ::min(known.shift, sample_policy::digit);
  int const shift = known.shift - width;
  for (int d = threadIdx.x; d < ways; d += threads) in.count[d] = 0;
  __syncthreads();
  visit([&](word64 word, bool exists) {
    if (!exists || known.of(word) != known.bits) return;
    atomicAdd(&in.count[static_cast<unsigned>(word >> shift) & ((1u << width) - 1)], 1u);
  });
  __syncthreads();
  add_up();
  scan_few<threads, ways>(in.count, in.start);
  __syncthreads();
  for (int d = threadIdx.x; d < ways; d += threads) {
    if (rank >= in.start[d] && rank - in.start[d] < in.count[d]) {
      in.digit = static_cast<unsigned>(d);
    }
  }
  __syncthreads();
  unsigned const d = in.digit;
  known = {known.bits << width | d, shift};
  rank -= in.start[d];
  unsigned const alike = in.count[d];
  __syncthreads();
  return alike;
}

/// Replaces the block's counts of digits by the sums over all blocks, across a grid barrier.
__device__ inline void add_up_digits(unsigned* count, word64* counts, unsigned* gate) {
  constexpr int threads = sample_policy::threads, ways = sample_policy::ways;
  for (int d = threadIdx.x; d < ways; d += threads) {
    if (count[d] != 0) atomicAdd(&counts[d], word64{count[d]});
  }
  sync_grid(gate);
  for (int d = threadIdx.x; d < ways; d += threads) {
    count[d] = static_cast<unsigned>(load_relaxed(&counts[d]));
  }
}

template <class K, class Key>
__global__ void __launch_bounds__(sample_policy::threads, sample_policy::blocks)
    select_by_sample_kernel(sampled_selection<K, Key> call) {
  __shared__ selection_room in;
  word64* const staged = in.staged[threadIdx.x / warp_size];
  word64 const low = call.low == nullptr ? 0 : *call.low;
  word64 const high = call.high == nullptr ? ~word64{0} : *call.high;
  if (threadIdx.x == 0) in.below = 0;
  __syncthreads();
  warp_appender const to_kept{staged, call.kept, &call.state->kept, call.room};
  if (call.low == nullptr) {
    keep_candidates<false>(call, low, high, in, to_kept);
  } else {
    keep_candidates<true>(call, low, high, in, to_kept);
  }
  sync_grid(call.gate);

  auto const kept = static_cast<index_t>(load_relaxed(&call.state->kept));
  auto const below = static_cast<index_t>(load_relaxed(&call.state->below));
  index_t const last = call.first + call.count - 1;
  bool const bounded = kept <= call.room && below <= call.first && last < below + kept;
  auto const visit = [&](auto f) {
    if (bounded) {
      for_each_word(call.kept, kept, f);
    } else {
      for_each_vector<sample_policy::threads, 1>(
          call.keys, call.n, [&](auto const& x, index_t at, int exist) {
#pragma unroll
            for (int j = 0; j < static_cast<int>(sizeof(x) / sizeof(x[0])); ++j) {
              f(call.word(x[j], at + j), j < exist);
            }
          });
    }
  };
  selected_prefix known{0, 64};
  if (bounded) {
    known.shift = bits_of(low ^ high);
    known.bits = known.of(high);
  }
  auto rank = static_cast<word64>(bounded ? last - below : last);
  for (int s = 0; known.shift > 0; ++s) {
    auto const add_up = [&] { add_up_digits(in.digits.count, call.state->counts[s], call.gate); };
    if (select_digit(visit, known, rank, in.digits, add_up) == 1) break;
  }
  warp_appender selected{staged, call.out, &call.state->taken, call.count};
  visit([&](word64 word, bool exists) {
    word64 const bits = known.of(word);
    selected.add(exists && (call.count == 1 ? bits == known.bits : bits <= known.bits), word);
    selected.flush_if_full();
  });
  selected.flush();
}

/// The key of the row that a word stands for.  For integers it is computed from the word's bits,
/// for others loaded.
template <class K, class Key>
RAVEL_HD K key_of(word64 word, K const* keys, Key const& key) {
  using bits = decltype(key(*keys));
  if constexpr (requires { key.of(bits{}); }) {
    return key.of(static_cast<bits>(word >> 32));
  } else {
    return keys[row_of(word)];
  }
}

/// Writes row j of the result: the row that words[j] stands for.
template <class K, class V, class Key>
struct take_row {
  word64 const* words;
  rows<K const, V const> from;
  rows<K, V> to;
  Key key;
  RAVEL_HD void operator()(index_t j) const {
    to.keys[j] = key_of(words[j], from.keys, key);
    if constexpr (rows<K, V>::has_values) to.values[j] = from.values[row_of(words[j])];
  }
};

inline void sort_words(executor const& ex, scratch<word64> const& words) {
  rows<word64, no_value> const word_rows{words.data(), nullptr};
  ravel::detail::sort_rows_by_key(ex, words.size(), word_rows.read(), word_rows);
}

}  // namespace detail

/// Either `first` is 0 or `count` is 1.
///
/// Cost     Reads the keys once.  If the sample's bounds are wrong (four standard deviations), once
///          more for each 11 bits of keys and indices.
template <class K, class V>
void launch_form(select_by_sample, executor const& ex, selection_call<K, V> const& c) {
  using detail::word64;
  using policy = detail::sample_policy;
  using Key = ravel::detail::selection_key<K>;
  Key const key{c.descending};
  index_t const sampled = std::min(policy::most_sampled, div_up(c.n, policy::rows_of_sample));
  detail::sample_bounds const bounds(c.n, sampled, c.first, c.count);
  detail::row_word<Key> const word{key};
  auto const sample = ex.scratch<word64>(sampled);
  auto const kept = ex.scratch<word64>(bounds.room);
  auto const chosen = ex.scratch<word64>(c.count);
  auto const state = ex.scratch<detail::selection_state>(1);
  ex.clear(state);
  for_each_index(ex, sampled,
                 detail::take_sample<K, Key>{c.in.keys, c.n, sampled, word, sample.data()});
  detail::sort_words(ex, sample);
  constexpr auto kernel = detail::select_by_sample_kernel<K, Key>;
  index_t const blocks = div_up(c.n, index_t{policy::threads} * policy::each);
  ex.launch({std::min(blocks, ex.room_for(kernel, policy::threads)), policy::threads, true}, kernel,
            detail::sampled_selection<K, Key>{
                c.n, c.in.keys, word, bounds.low < 0 ? nullptr : sample.data() + bounds.low,
                bounds.high >= sampled ? nullptr : sample.data() + bounds.high, c.first, c.count,
                kept.data(), bounds.room, chosen.data(), state.data(), ex.gate()});
  if (c.count > 1) detail::sort_words(ex, chosen);
  for_each_index(ex, c.count, detail::take_row<K, V, Key>{chosen.data(), c.in, c.out, key});
}

}  // namespace ravel::inline v0::gpu
