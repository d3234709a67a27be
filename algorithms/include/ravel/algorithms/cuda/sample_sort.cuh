#pragma once

/// @file
/// Sample sort on a device, by any order: rows are distributed to buckets between splitters, and a
/// block sorts each bucket.  Where a merge sort moves 2^28 rows 17 times, this moves them 3 times.
///
/// Rows are distributed in at most two levels, at each of which
///
///     choose      a block sorts a sample of each part, and takes splitters from it
///     find        the digit of a row is the number of splitters that are not after it; digits are
///                 stored, and counted
///     distribute  a stable pass by these digits, as in a radix sort
///
/// Rows that are equivalent to a splitter that occurs twice have a bucket of their own, which needs no
/// sort, so that frequent keys unbalance nothing.  A digit is computed once: the result is a
/// permutation of the input whatever the order is.
///
/// Source   Frazer and McKellar, "Samplesort", J. ACM 17(3), 1970; Axtmann, Witt, Ferizovic and
///          Sanders, "In-Place Parallel Super Scalar Samplesort", ESA 2017: buckets of equal keys.

#include <ravel/algorithms/cuda/merge_tile.cuh>
#include <ravel/algorithms/cuda/shares.cuh>
#include <ravel/core/cuda/cut_offs.hpp>
#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/partition_points.cuh>
#include <ravel/core/cuda/shared.cuh>
#include <ravel/core/cuda/words.cuh>
#include <ravel/core/tile.hpp>
#include <ravel/primitives/cuda/digit_pass.cuh>
#include <ravel/primitives/cuda/digit_policy.hpp>
#include <ravel/primitives/cuda/search_tree.cuh>
#include <ravel/primitives/rows.hpp>
#include <ravel/primitives/scan.hpp>

#include <algorithm>
#include <type_traits>

namespace ravel::inline v0::gpu {
namespace detail {

/// Rows that are distributed: elements that a pass stages.
template <class K, class V>
inline constexpr bool may_sample =
    std::is_trivially_copyable_v<K>&& std::is_trivially_copyable_v<V>&& is_staged<K>;

/// The block that sorts samples and buckets.
template <class K, class V, class Before>
using sample_block = merge_block<K, V, Before, digit_policy::bucket_threads>;

/// The parts of a sequence that one level distributes: part p has rows [begins[p], begins[p + 1]), in
/// tiles [tiles[p], tiles[p + 1]) of `width` rows.  Each is cut by 1 << bits - 1 splitters.
struct sampled_level {
  static constexpr int most_bits = cut_offs::sampled_bits;
  word64 const* begins;
  word64 const* tiles;
  int parts, bits;

  RAVEL_HD int ways() const { return 1 << bits; }
  __device__ index_t begin(int p) const { return static_cast<index_t>(begins[p]); }

  struct tile {
    int part;
    index_t begin;
    int count;
    index_t first;  // tile of the part
  };
  /// Every thread of a warp calls this.
  __device__ tile at(index_t t, int width) const {
    shared_search through{0, parts};
    through.narrow<warp_size>([&](index_t p) { return static_cast<index_t>(tiles[p]) <= t; }, 0);
    auto const p = static_cast<int>(through.first - 1);
    auto const first = static_cast<index_t>(tiles[p]);
    index_t const from = begin(p) + (t - first) * width;
    return {p, from, static_cast<int>(::min(begin(p + 1) - from, index_t{width})), first};
  }
};

/// Writes the number of tiles of each part, and 0 after the last.
struct count_tiles {
  word64 const* begins;
  index_t parts, width;
  word64* tiles;
  RAVEL_HD void operator()(index_t p) const {
    auto const size = p < parts ? static_cast<index_t>(begins[p + 1] - begins[p]) : 0;
    tiles[p] = static_cast<word64>(div_up(size, width));
  }
};
struct begin_and_end {
  index_t n;
  word64* begins;
  RAVEL_HD void operator()(index_t i) const { begins[i] = i == 0 ? 0 : static_cast<word64>(n); }
};

/// The logarithm of the number of buckets, so that the sort of a bucket takes `width` rows at once
/// even if it is twice as large as the average.
constexpr int bits_of_buckets(index_t n, index_t width) {
  int bits = 2;
  while (bits < 2 * sampled_level::most_bits && n >> bits > width / 2) ++bits;
  return bits;
}

/// Part p has splitters [p << bits, (p + 1) << bits), of which the first is unused; `repeated` if the
/// one before is equivalent.
template <class K>
struct splitters {
  K* keys;
  bool* repeated;
};

template <class K, class Before>
__global__ void __launch_bounds__(digit_policy::bucket_threads)
    choose_splitters_kernel(K const* keys, sampled_level level, splitters<K> to, Before before) {
  using block_t = sample_block<K, no_value, Before>;
  auto& room = *reinterpret_cast<typename block_t::room*>(shared_bytes());
  block_t const block{{room, before}};
  auto const p = static_cast<int>(blockIdx.x);
  index_t const begin = level.begin(p), n = level.begin(p + 1) - begin;
  auto const count = static_cast<int>(::min(n, index_t{block_t::width}));
  for (int i = threadIdx.x; i <= block_t::filled(count) && count > 0; i += block_t::threads) {
    index_t const s = ::min(i, count - 1);
    block.keys()[i] = keys[begin + sampled_row(s, n, count)];
  }
  __syncthreads();
  if (count > 0) block.sort(count);
  auto const of = [&](int j) -> K const& { return block.keys()[j * count / level.ways()]; };
  for (int j = threadIdx.x; j < level.ways(); j += block_t::threads) {
    int const at = p * level.ways() + j;
    bool const is_splitter = count > 0 && j > 0;
    if (is_splitter) to.keys[at] = of(j);
    to.repeated[at] = is_splitter && j > 1 && !before(of(j - 1), of(j));
  }
}

/// The digits of the rows of each tile, and how often each occurs in a part.
template <class K, class Before>
struct digit_finder {
  static constexpr int threads = digit_policy::finding_threads;
  static constexpr int together = sizeof(K) <= 8 ? 4 : 2;  // searches of a thread
  static constexpr int most = 1 << sampled_level::most_bits;
  static constexpr int columns = 8;  // of counts, for fewer conflicts

  struct room {
    alignas(16) unsigned char nodes[most * sizeof(K)];
    bool repeated[most];
    unsigned counts[most][columns];
  };

  K const* keys;
  sampled_level level;
  splitters<K> by;
  Before before;
  known_digit* digits;
  word64* counts;

  __device__ void run(room& in, int width) const {
    auto const [part, begin, count, first] = level.at(blockIdx.x, width);
    int const ways = level.ways();
    K const* const sorted = by.keys + part * ways;
    search_tree<K> const tree{reinterpret_cast<K*>(in.nodes), level.bits};
    for (int i = threadIdx.x; i < ways * columns; i += threads)
      in.counts[i / columns][i % columns] = 0;
    for (int i = threadIdx.x; i < ways; i += threads) in.repeated[i] = by.repeated[part * ways + i];
    tree.fill([&](index_t j) -> K const& { return sorted[j + 1]; });

    int const thread = threadIdx.x;
    for (int i = thread; i < count; i += threads * together) {
      K x[together];
#pragma unroll
      for (int k = 0; k < together; ++k) {
        if (i + k * threads < count) x[k] = keys[begin + i + k * threads];
      }
#pragma unroll
      for (int k = 0; k < together; ++k) {
        if (i + k * threads >= count) break;
        unsigned d =
            tree.partition_point([&](unsigned node) { return !before(x[k], tree.nodes[node]); });
        if (in.repeated[d] && !before(sorted[d], x[k])) --d;
        digits[begin + i + k * threads] = {static_cast<unsigned char>(d)};
        atomicAdd(&in.counts[d][thread % columns], 1u);
      }
    }
    __syncthreads();
    for (int d = thread; d < ways; d += threads) {
      unsigned sum = 0;
#pragma unroll
      for (int c = 0; c < columns; ++c) sum += in.counts[d][c];
      if (sum > 0) atomicAdd(counts + part * ways + d, word64{sum});
    }
  }
};

template <class K, class Before>
__global__ void __launch_bounds__(digit_policy::finding_threads)
    find_digits_kernel(digit_finder<K, Before> find, int width) {
  __shared__ typename digit_finder<K, Before>::room room;
  if (blockIdx.x < find.level.tiles[find.level.parts]) find.run(room, width);
}

/// Distributes a column of rows.
template <class T>
__global__ void __launch_bounds__(digit_policy::pass::threads, digit_policy::pass::blocks)
    distribute_kernel(T const* from, T* to, known_digit const* digits, sampled_level level,
                      word64 const* starts, int pass, digit_states states) {
  index_t const t = block_in_order();
  if (t >= static_cast<index_t>(level.tiles[level.parts])) return;
  auto const [part, begin, count, first] = level.at(t, pass_shape<known_digit, T>::width);
  digit_tile<known_digit, T> const it{{digits + begin, from + begin},
                                      count,
                                      {nullptr, to},
                                      starts + part * level.ways(),
                                      t,
                                      first,
                                      pass,
                                      states};
  it.run([](known_digit d) { return unsigned{d.value}; });
}

/// The buckets of a distribution.
struct sampled_buckets {
  word64 const* starts;
  bool const* repeated;
  index_t count;

  __device__ index_t begin(index_t b) const { return static_cast<index_t>(starts[b]); }
  /// The number of rows of a bucket that is to be sorted, or 0.
  __device__ index_t unsorted(index_t b) const {
    bool const all_equal = b + 1 < count && repeated[b + 1];
    return all_equal ? 0 : begin(b + 1) - begin(b);
  }
};

template <class K, class V, class Before>
__global__ void __launch_bounds__(digit_policy::bucket_threads, digit_policy::bucket_blocks)
    sort_buckets_kernel(rows<K, V> out, sampled_buckets buckets, Before before) {
  using block_t = sample_block<K, V, Before>;
  auto& room = *reinterpret_cast<typename block_t::room*>(shared_bytes());
  index_t const b = blockIdx.x, n = buckets.unsorted(b);
  if (n < 2 || n > block_t::width) return;
  block_t{{room, before}}.sort_tile(out.read(), out, buckets.begin(b), static_cast<int>(n));
}

/// Sorts buckets of more rows than a block sorts at once, in tiles, which are merged.
template <class K, class V, class Before>
struct large_bucket_sorter {
  using block_t = sample_block<K, V, Before>;
  rows<K, V> out, spare;
  Before before;

  __device__ void run(block_t const& block, index_t begin, index_t n) const {
    for (index_t at = 0; at < n; at += block_t::width) {
      auto const count = static_cast<int>(::min(n - at, index_t{block_t::width}));
      block.sort_tile(out.read(), out, begin + at, count);
      __syncthreads();
    }
    rows<K, V> from = out, to = spare;
    for (index_t run = block_t::width; run < n; run *= 2) {
      merge_runs(block, begin, ravel::detail::equal_runs{n, run}, from.read(), to);
      rows<K, V> const merged = to;
      to = from;
      from = merged;
    }
    if (from.keys != out.keys) copy(begin, n, from.read(), out);
  }

 private:
  static __device__ void copy(index_t begin, index_t n, rows<K const, V const> const& from,
                              rows<K, V> const& to) {
    for (index_t i = begin + threadIdx.x; i < begin + n; i += block_t::threads) to.set(i, from, i);
    __syncthreads();
  }

  /// Merges pairs of runs, or copies all if they are in no order.
  __device__ void merge_runs(block_t const& block, index_t begin,
                             ravel::detail::equal_runs const& runs,
                             rows<K const, V const> const& from, rows<K, V> const& to) const {
    __shared__ index_t entered[2];
    bool ordered = true;
    for (index_t at = 0; at < runs.n;) {
      auto const [first, middle, end] = runs.around(at);
      auto const count = static_cast<int>(::min(end - at, index_t{block_t::width}));
      if (threadIdx.x < 2) {
        view<K const> const a(from.keys + begin + first, middle - first);
        view<K const> const b(from.keys + begin + middle, end - middle);
        entered[threadIdx.x] =
            merge_path_point(a, b, at - first + (threadIdx.x == 0 ? 0 : count), before);
      }
      __syncthreads();
      ordered &=
          block.merge_part(from, to, begin + at, count,
                           {begin + first, begin + middle, begin + end}, entered[0], entered[1]);
      __syncthreads();
      at += count;
    }
    if (__syncthreads_count(!ordered) > 0) copy(begin, runs.n, from, to);
  }
};

/// Each thread looks at a bucket; the block then sorts the large ones among these.
template <class K, class V, class Before>
__global__ void __launch_bounds__(digit_policy::bucket_threads)
    sort_large_buckets_kernel(large_bucket_sorter<K, V, Before> sorter, sampled_buckets buckets) {
  using block_t = sample_block<K, V, Before>;
  __shared__ unsigned large[digit_policy::bucket_threads];
  __shared__ unsigned count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  index_t const b = index_t{threadIdx.x} * gridDim.x + blockIdx.x;
  if (b < buckets.count && buckets.unsorted(b) > block_t::width) {
    large[atomicAdd(&count, 1u)] = static_cast<unsigned>(b);
  }
  __syncthreads();
  block_t const block{{*reinterpret_cast<typename block_t::room*>(shared_bytes()), sorter.before}};
  for (unsigned i = 0; i < count; ++i) {
    sorter.run(block, buckets.begin(large[i]), buckets.unsorted(large[i]));
    __syncthreads();
  }
}

/// Distributes rows by splitters, level by level.
template <class K, class V, class Before>
class distribution {
  static constexpr bool has_values = rows<K, V>::has_values;
  using block_t = sample_block<K, no_value, Before>;
  using finder = digit_finder<K, Before>;

  executor const& ex_;
  index_t n_;
  Before before_;
  gpu::scratch<known_digit> digits_;
  gpu::scratch<word64> states_;
  int passes_ = 0;

  template <class T>
  static constexpr index_t width = pass_shape<known_digit, T>::width;
  template <class T>
  static index_t most_tiles(index_t n, int parts) {
    return div_up(n, width<T>) + parts;
  }
  static index_t size_of_states(index_t n, int parts) {
    index_t const of_keys = most_tiles<K>(n, parts);
    if constexpr (!has_values) return digit_states::size(of_keys);
    return digit_states::size(std::max(of_keys, most_tiles<V>(n, parts)));
  }

  /// The first tile of each part.
  void lay_tiles(sampled_level const& level, index_t width, gpu::scratch<word64> const& tiles) {
    for_each_index(ex_, level.parts + 1,
                   count_tiles{level.begins, level.parts, width, tiles.data()});
    exclusive_scan(ex_, tiles, tiles);
  }

  template <class T>
  void distribute(T const* from, T* to, sampled_level const& level, word64 const* starts) {
    using shape = pass_shape<known_digit, T>;
    ex_.launch_sharing<distribute_kernel<T>>(
        {most_tiles<T>(n_, level.parts), shape::threads, false, shape::shared_bytes}, from, to,
        digits_.data(), level, starts, passes_++, digit_states{states_.data()});
  }

 public:
  /// Of n rows, at no level into more than `parts` parts.
  distribution(executor const& ex, index_t n, int parts, Before before)
      : ex_(ex),
        n_(n),
        before_(before),
        digits_(ex.scratch<known_digit>(n)),
        states_(ex.scratch<word64>(size_of_states(n, parts))) {
    ex.clear(states_);
  }

  /// starts[b] is where bucket b of the result begins; repeated[b + 1], whether all of its rows are
  /// known to be equivalent.  Both have an element for each bucket, and starts some more.
  void run(sampled_level level, rows<K const, V const> from, rows<K, V> to,
           gpu::scratch<word64> const& starts, gpu::scratch<bool> const& repeated) {
    auto const keys = ex_.scratch<K>(repeated.size());
    auto const tiles = ex_.scratch<word64>(level.parts + 1);
    level.tiles = tiles.data();
    splitters<K> const by{keys.data(), repeated.data()};
    ex_.launch_sharing<choose_splitters_kernel<K, Before>>(
        {level.parts, block_t::threads, false, block_t::bytes}, from.keys, level, by, before_);
    lay_tiles(level, width<K>, tiles);
    ex_.clear(starts);
    ex_.launch({most_tiles<K>(n_, level.parts), finder::threads}, find_digits_kernel<K, Before>,
               finder{from.keys, level, by, before_, digits_.data(), starts.data()},
               static_cast<int>(width<K>));
    exclusive_scan(ex_, starts, starts);
    distribute(from.keys, to.keys, level, starts.data());
    if constexpr (has_values) {
      if (width<V> != width<K>) lay_tiles(level, width<V>, tiles);
      distribute(from.values, to.values, level, starts.data());
    }
  }
};

}  // namespace detail

/// Sorts rows to `out`, which may be `in`, by any order, stably.
///
/// Cost     O(n log n) work.  Reads keys five times and writes rows three times, for up to 2^16
///          buckets; a block sorts each.  Scratch for n rows, and at most 2 n bytes.
template <class K, class V, class Before>
void sample_sort(executor const& ex, index_t n, rows<K const, V const> in, rows<K, V> out,
                 Before before) {
  using namespace detail;
  using block = sample_block<K, V, Before>;
  int const bits = bits_of_buckets(n, block::width);
  int const levels = bits > sampled_level::most_bits ? 2 : 1;
  int const bits_above = bits / levels;
  auto const spare_keys = ex.scratch<K>(n);
  auto const spare_values = ex.scratch<V>(rows<K, V>::has_values ? n : 0);
  rows<K, V> const spare{spare_keys.data(), spare_values.data()};
  if (levels == 1 && share_memory(in, out)) {
    for_each_index(ex, n, ravel::detail::copy_row<K, V>{in, spare});
    in = spare.read();
  }

  auto const whole = ex.scratch<word64>(2);
  for_each_index(ex, 2, begin_and_end{n, whole.data()});
  sampled_level level{whole.data(), nullptr, 1, levels == 1 ? bits : bits_above};
  distribution<K, V, Before> by_samples(ex, n, 1 << bits_above, before);
  index_t const parts = level.ways();
  auto const begins = ex.scratch<word64>(parts + digit_plan::ways);
  auto const equal_parts = ex.scratch<bool>(parts);
  by_samples.run(level, in, levels == 1 ? out : spare, begins, equal_parts);
  index_t const buckets = index_t{1} << bits;
  auto const starts = ex.scratch<word64>(levels == 1 ? 0 : buckets + digit_plan::ways);
  auto const equal = ex.scratch<bool>(levels == 1 ? 0 : buckets);
  if (levels == 2) {
    level = {begins.data(), nullptr, level.ways(), bits - bits_above};
    by_samples.run(level, spare.read(), out, starts, equal);
  }
  sampled_buckets const all{(levels == 1 ? begins : starts).data(),
                            (levels == 1 ? equal_parts : equal).data(), buckets};
  ex.launch_sharing<sort_buckets_kernel<K, V, Before>>(
      {buckets, block::threads, false, block::bytes}, out, all, before);
  ex.launch_sharing<sort_large_buckets_kernel<K, V, Before>>(
      {div_up(buckets, index_t{block::threads}), block::threads, false, block::bytes},
      large_bucket_sorter<K, V, Before>{out, spare, before}, all);
}

}  // namespace ravel::inline v0::gpu
