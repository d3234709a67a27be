#pragma once

/// Digits of 8 bits for keys of any distribution: 255 quantiles of a sample are bounds, and the
/// digit of a key is the number of bounds that are at most the key.

#include <ravel/algorithms/cuda/shares.cuh>
#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/words.cuh>
#include <ravel/primitives/cuda/digit_pass.cuh>
#include <ravel/primitives/cuda/digit_plan.cuh>
#include <ravel/primitives/cuda/digit_policy.hpp>
#include <ravel/primitives/cuda/search_tree.cuh>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/rows.hpp>

#include <vector>

namespace ravel::inline v0::gpu {

/// The number of bounds that separate 256 digits.
inline constexpr int sampled_bounds = detail::digit_plan::ways - 1;

/// A digit that has been computed before: one byte, stored for each row.
using sampled_digit = detail::known_digit;

namespace detail {

template <class K, class Word, class U>
struct word_of_sample {
  K const* keys;
  index_t n, samples;
  Word word;
  U* words;
  RAVEL_HD void operator()(index_t s) const {
    if (n == 0) {
      words[s] = static_cast<U>(~U{});
    } else {
      words[s] = word(keys[n < samples ? s * n / samples : sampled_row(s, n, samples)]);
    }
  }
};

/// Computes a bound from the sorted sample.  If a quantile repeats the one before, its bound is
/// that word plus one: so a frequent word has a digit of its own.
template <class U>
struct bound_of_sample {
  U const* sorted;
  index_t samples;
  U* bounds;
  RAVEL_HD U quantile(index_t j) const { return sorted[j * samples / (sampled_bounds + 1)]; }
  RAVEL_HD void operator()(index_t j) const {
    U const word = quantile(j + 1);
    bool const is_repeated = j > 0 && quantile(j) == word && word != static_cast<U>(~U{});
    bounds[j] = is_repeated ? static_cast<U>(word + 1) : word;
  }
};

template <class K, class Word, class U>
__global__ void __launch_bounds__(digit_policy::finding_threads)
    find_sampled_digits_kernel(index_t n, K const* keys, Word word, U const* bounds,
                               sampled_digit* digits, word64* counts) {
  constexpr int threads = digit_policy::finding_threads;
  constexpr int together = sizeof(U) <= 8 ? 4 : 2;  // binary searches that one thread interleaves
  // copies of each counter, to reduce conflicts of atomics
  constexpr int columns = 8;
  constexpr int ways = sampled_bounds + 1;
  __shared__ U nodes[ways];
  __shared__ unsigned found[ways][columns];
  auto const thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < ways * columns; i += threads) found[i / columns][i % columns] = 0;
  search_tree<U> const tree{nodes, 8};
  tree.fill([&](index_t j) { return bounds[j]; });

  index_t const step = index_t{gridDim.x} * threads * together;
  for (index_t i = index_t{blockIdx.x} * threads * together + thread; i < n; i += step) {
    U words[together];
#pragma unroll
    for (int k = 0; k < together; ++k) {
      if (i + k * threads < n) words[k] = word(keys[i + k * threads]);
    }
#pragma unroll
    for (int k = 0; k < together; ++k) {
      if (i + k * threads >= n) break;
      U const w = words[k];
      unsigned const d = tree.partition_point([&](unsigned node) { return nodes[node] <= w; });
      digits[i + k * threads] = {static_cast<unsigned char>(d)};
      atomicAdd(&found[d][thread % columns], 1u);
    }
  }
  __syncthreads();
  for (int d = thread; d < ways; d += threads) {
    unsigned sum = 0;
    for (int c = 0; c < columns; ++c) sum += found[d][c];
    if (sum > 0) atomicAdd(&counts[d], word64{sum});
  }
}

/// Moves one column of rows to the places of their digits.
template <class T>
__global__ void __launch_bounds__(digit_policy::pass::threads, digit_policy::pass::blocks)
    split_by_known_digits_kernel(index_t n, known_digit const* digits, T const* in, T* out,
                                 word64 const* starts, int pass, digit_states states,
                                 unsigned const* wanted) {
  if (wanted != nullptr && *wanted == 0) return;
  constexpr index_t width = pass_shape<known_digit, T>::width;
  index_t const t = block_in_order();
  using tiles = placed_tiles<known_digit, T, known_value>;
  tiles const group{{digits, in}, {nullptr, out}, starts, 0, pass, states, {}};
  digit_tile<known_digit, T, tiles>{group, t, static_cast<int>(::min(n - t * width, width))}.run();
}

}  // namespace detail

/// Writes the words of `samples` keys, about evenly spaced among n keys.  If n is 0, writes the
/// greatest word.
template <class K, class Word, class U>
void sample_words(executor const& ex, index_t n, K const* keys, Word const& word, index_t samples,
                  U* words) {
  for_each_index(ex, samples, detail::word_of_sample<K, Word, U>{keys, n, samples, word, words});
}

/// Computes the bounds of about equally frequent digits from a sorted sample.
template <class U>
void bounds_of_sample(executor const& ex, index_t samples, U const* sorted, U* bounds) {
  for_each_index(ex, sampled_bounds, detail::bound_of_sample<U>{sorted, samples, bounds});
}

/// Writes digits[i] = #{j : bounds[j] <= word(keys[i])}, and adds the number of keys with digit d
/// to counts[d].
///
/// Cost     O(n) work.  Reads each key and writes a byte.
template <class K, class Word, class U>
void find_sampled_digits(executor const& ex, index_t n, K const* keys, Word const& word,
                         U const* bounds, sampled_digit* digits, detail::word64* counts) {
  constexpr int threads = digit_policy::finding_threads;
  if (n == 0) return;
  ex.launch({std::min(div_up(n, index_t{threads}), 4 * ex.multiprocessors()), threads},
            detail::find_sampled_digits_kernel<K, Word, U>, n, keys, word, bounds, digits, counts);
}

/// Moves rows with digit d to the places of `out` from starts[d] on, stably, column by column; unless
/// `wanted` points to 0 in device memory.
///
/// Cost     O(n) work.  Reads and writes each row once, and reads its digit for each column.
template <class K, class V>
void split_by_known_digits(executor const& ex, index_t n, sampled_digit const* digits,
                           rows<K const, V const> in, rows<K, V> out, detail::word64 const* starts,
                           unsigned const* wanted = nullptr) {
  if (n == 0) return;
  auto const tiles = [&]<class T>(T const*) {
    return div_up(n, index_t{detail::pass_shape<detail::known_digit, T>::width});
  };
  index_t most_tiles = tiles(in.keys);
  if constexpr (rows<K, V>::has_values) most_tiles = std::max(most_tiles, tiles(in.values));
  auto const states = ex.scratch<detail::word64>(detail::digit_states::size(most_tiles));
  ex.clear(states);
  auto const split = [&]<class T>(T const* src, T* dst, int pass) {
    using shape = detail::pass_shape<detail::known_digit, T>;
    ex.launch_sharing<detail::split_by_known_digits_kernel<T>>(
        {tiles(src), shape::threads, false, shape::shared_bytes}, n, digits, src, dst, starts, pass,
        detail::digit_states{states.data()}, wanted);
  };
  split(in.keys, out.keys, 0);
  if constexpr (rows<K, V>::has_values) split(in.values, out.values, 1);
}

/// The same with starts in host memory, which must live until the copy to the device is done.
template <class K, class V>
void split_by_known_digits(executor const& ex, index_t n, sampled_digit const* digits,
                           rows<K const, V const> in, rows<K, V> out,
                           std::vector<detail::word64> const& starts) {
  auto const places = ex.scratch<detail::word64>(std::ssize(starts));
  ex.copy(starts.data(), places.data(), std::ssize(starts));
  split_by_known_digits(ex, n, digits, in, out, places.data());
}

/// For each digit, whether it can contain one word only: its two bounds differ by one.
template <class U>
std::vector<bool> digits_of_one_word(std::vector<U> const& bounds) {
  std::vector<bool> are(bounds.size() + 1);
  for (std::size_t d = 0; d < are.size(); ++d) {
    U const least = d > 0 ? bounds[d - 1] : U{};
    U const next = d < bounds.size() ? bounds[d] : U{};  // after the greatest word comes the least
    are[d] = static_cast<U>(next - least) == 1;
  }
  return are;
}

}  // namespace ravel::inline v0::gpu
