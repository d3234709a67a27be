#pragma once

/// Sample sort, from primitives: splitters from a sample divide the input into buckets, each of
/// which is sorted.

#include <ravel/algorithms/comparison_sort.hpp>
#include <ravel/core/config.hpp>
#include <ravel/core/search.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/rows.hpp>
#include <ravel/primitives/split.hpp>

#include <cstdint>

namespace ravel::examples {

inline constexpr int splitter_count = 63;
inline constexpr int samples_of_splitter = 32;
inline constexpr int sample_count = (splitter_count + 1) * samples_of_splitter;
inline constexpr int bucket_count = 2 * splitter_count + 1;

/// A random element of each of `sample_count` parts of the input.
template <class K>
struct take_sample {
  K const* in;
  index_t stretch;
  K* sample;
  RAVEL_HD void operator()(index_t i) const {
    auto const anywhere = (static_cast<std::uint64_t>(i) + 1) * 0x9e3779b97f4a7c15 >> 32;
    sample[i] = in[i * stretch + static_cast<index_t>(anywhere) % stretch];
  }
};

template <class K, class Before>
struct is_before {
  K const* sample;
  K x;
  Before before;
  RAVEL_HD bool operator()(index_t splitter) const {
    return before(sample[(splitter + 1) * samples_of_splitter], x);
  }
};

/// 2 s for an element between splitters s - 1 and s, and 2 s + 1 for one that equals splitter s,
/// which needs no further sorting.
template <class K, class Before>
struct bucket_of {
  K const* in;
  K const* sample;
  Before before;
  RAVEL_HD int operator()(index_t i) const {
    is_before<K, Before> const ahead{sample, in[i], before};
    auto const s = static_cast<int>(partition_point(0, splitter_count, ahead));
    bool const equals = s < splitter_count && !before(in[i], sample[(s + 1) * samples_of_splitter]);
    return 2 * s + (equals ? 1 : 0);
  }
};

template <class K, class V>
struct move_to_bucket {
  rows<K const, V const> from;
  rows<K, V> to;
  RAVEL_HD void operator()(index_t i, int, index_t place) const { to.set(place, from, i); }
};
struct write_begin {
  index_t* begins;
  RAVEL_HD void operator()(int bucket, index_t begin) const { begins[bucket] = begin; }
};

/// Sorts `in` to `out`, stably.
///
/// Shapes   Rows of n keys, optionally with values; `out` does not overlap `in`.
/// Cost     O(n log n) work for any keys; waits once, for the beginnings of buckets.
/// Source   Frazer and McKellar, "Samplesort: A Sampling Approach to Minimal Storage Tree
///          Sorting", JACM 17(3), 1970; Leischner, Osipov and Sanders, "GPU Sample Sort",
///          IPDPS 2010.
template <class Ex, class K, class V, class Before>
void sample_sort(Ex const& ex, index_t n, rows<K const, V const> in, rows<K, V> out,
                 Before before) {
  using space = space_of_t<Ex>;
  auto const sorted = [&](index_t begin, index_t end, rows<K const, V const> from) {
    index_t const length = end - begin;
    view<K const, space> const keys(from.keys + begin, length);
    view<K, space> const keys_out(out.keys + begin, length);
    if constexpr (rows<K, V>::has_values) {
      comparison_sort_pairs(ex, keys, view<V const, space>(from.values + begin, length), keys_out,
                            view<V, space>(out.values + begin, length), before);
    } else {
      comparison_sort(ex, keys, keys_out, before);
    }
  };
  if (n < 8 * sample_count) return sorted(0, n, in);

  auto const sample = ex.template scratch<K>(sample_count);
  for_each_index(ex, sample_count, take_sample<K>{in.keys, n / sample_count, sample.data()});
  comparison_sort(ex, sample, before);

  auto const begins = ex.template allocate<index_t>(bucket_count + 1);
  split_on<bucket_count>(ex, n, bucket_of<K, Before>{in.keys, sample.data(), before},
                         move_to_bucket<K, V>{in, out}, write_begin{begins.data()});
  auto const begin = to_host(ex, begins);
  for (std::size_t bucket = 0; bucket < bucket_count; bucket += 2) {
    sorted(begin[bucket], begin[bucket + 1], out.read());
  }
}

}  // namespace ravel::examples
