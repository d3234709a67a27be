#pragma once

/// Selection within long segments of equal length on a device: one block for each segment, in one
/// pass over its keys.
///
/// As in select_by_sample.cuh, a sample bounds the selected keys; here the candidates stay in
/// shared memory, where they are sorted.

#include <ravel/algorithms/cuda/select_by_sample.cuh>
#include <ravel/algorithms/cuda/shares.cuh>
#include <ravel/algorithms/cuda/sort_in_block.cuh>
#include <ravel/core/cuda/shared.cuh>

#include <cstddef>

namespace ravel::inline v0::gpu {
namespace detail {

/// The shape of the block that selects in one segment: it sorts up to 4608 words.
using word_block = bucket_block<word64, segment_policy>;

template <class K, class Out, class Key>
struct segment_selection {
  K const* keys;
  uniform_segments segments;
  row_word<Key> word;
  index_t first, each;
  index_t bound;  // the rank in a sample whose word should be at least the last selected one
  Out absent;
  Out* out;
};

struct segment_room {
  static constexpr std::size_t digits_at = (sizeof(word_block::room) + 127) / 128 * 128;
  static constexpr std::size_t bytes = digits_at + sizeof(digit_room);
  unsigned kept;
};

template <class K, class Out, class Key>
__global__ void __launch_bounds__(segment_policy::threads, segment_policy::blocks)
    select_in_segments_kernel(segment_selection<K, Out, Key> call) {
  using policy = segment_policy;
  constexpr auto max_words = static_cast<unsigned>(word_block::most);
  auto& room = *reinterpret_cast<word_block::room*>(shared_bytes());
  word64* const staged = room.staged + word_block::far;
  __shared__ segment_room in;
  index_t const begin = call.segments.begin(blockIdx.x);
  index_t const length = call.segments.begin(blockIdx.x + 1) - begin;
  K const* const keys = call.keys + begin;
  index_t const wanted = ::min(call.first + call.each, length);
  auto const each_vector = [&](auto f) {
    for_each_vector<policy::threads, policy::each>(keys, length, f, 0, 1);
  };
  /// Selects by digits until at most `alike` words share the known prefix; returns the greatest
  /// word with that prefix, which is at least the word at `rank`.
  auto const select = [&](auto visit, word64 rank, unsigned alike) {
    auto& digits = *reinterpret_cast<digit_room*>(shared_bytes() + segment_room::digits_at);
    selected_prefix known{0, 64};
    while (known.shift > 0 && select_digit(visit, known, rank, digits, [] {}) > alike) {
    }
    return known.greatest();
  };
  /// Keeps the rows whose words are at most `high`; returns their number.
  auto const keep = [&](word64 high) {
    if (threadIdx.x == 0) in.kept = 0;
    __syncthreads();
    each_vector([&](auto const& x, index_t at, int exist) {
      constexpr int per_vector = sizeof(x) / sizeof(x[0]);
      unsigned kept = 0;
#pragma unroll
      for (int j = 0; j < per_vector; ++j) {
        if (j < exist && call.word(x[j], at + j) <= high) kept |= 1u << j;
      }
      if (kept == 0) return;
      unsigned place = atomicAdd(&in.kept, static_cast<unsigned>(__popc(kept)));
#pragma unroll
      for (int j = 0; j < per_vector; ++j) {
        if ((kept >> j & 1) != 0 && place < max_words) staged[place++] = call.word(x[j], at + j);
      }
    });
    __syncthreads();
    unsigned const kept = in.kept;
    __syncthreads();
    return kept;
  };

  word64 high = ~word64{0};
  if (length > max_words) {
    for (int s = threadIdx.x; s < policy::sampled; s += policy::threads) {
      index_t const i = sampled_row(s, length, policy::sampled);
      staged[s] = call.word(keys[i], i);
    }
    // an exact rank in the sample is not needed: a few words more do not matter
    constexpr unsigned few = 4;
    high = select(
        [&](auto f) {
          for (int s = threadIdx.x; s < policy::sampled; s += policy::threads) f(staged[s], true);
        },
        static_cast<word64>(call.bound), few);
  }
  unsigned kept = keep(high);
  // the sample's bound was wrong: selects the bound from all rows
  if (kept > max_words || kept < wanted) {
    kept = keep(select(
        [&](auto f) {
          each_vector([&](auto const& x, index_t at, int exist) {
#pragma unroll
            for (int j = 0; j < static_cast<int>(sizeof(x) / sizeof(x[0])); ++j) {
              f(call.word(x[j], at + j), j < exist);
            }
          });
        },
        static_cast<word64>(wanted - 1), 1));
  }

  Out* const out = call.out + index_t{blockIdx.x} * call.each;
  word_block::sort_loaded(
      room, static_cast<int>(kept), [&](int i) { return staged[i]; },
      [&](int place, word64 word) {
        index_t const j = place - call.first;
        if (0 <= j && j < call.each) out[j] = static_cast<Out>(key_of(word, keys, call.word.key));
      });
  index_t const present = ::max(index_t{0}, wanted - call.first);
  for (index_t j = present + threadIdx.x; j < call.each; j += policy::threads) out[j] = call.absent;
}

}  // namespace detail

/// Cost     Reads the keys once, and again for each segment whose sample was wrong.
template <class T, class Space, class U>
void launch_form(select_in_segments, executor const& ex,
                 segmented_selection_call<T, Space, uniform_segments, U> const& c) {
  using policy = detail::segment_policy;
  using Key = ravel::detail::selection_key<T>;
  auto const bounds = detail::bounds_in_segments(c);
  constexpr auto kernel = detail::select_in_segments_kernel<T, U, Key>;
  ex.launch_sharing<kernel>(
      {c.segments.count(), policy::threads, false, detail::segment_room::bytes},
      detail::segment_selection<T, U, Key>{c.in.data(),
                                           c.segments,
                                           {Key{c.descending}},
                                           c.first,
                                           c.each,
                                           bounds.high,
                                           c.absent,
                                           c.out});
}

}  // namespace ravel::inline v0::gpu
