#pragma once

/// Distribution of rows to buckets between splitters from samples, by any order.
///
///     choose      a block sorts a sample of each part, and takes splitters from it
///     find        the digit of a row is the number of splitters that are not after it; digits are
///                 stored, and counted
///     distribute  a stable pass by these digits, as in a radix sort
///
/// Rows that are equivalent to a splitter that was drawn twice have a bucket of their own, so
/// frequent keys cause no imbalance.  A row's digit is computed once and stored: so the result is a
/// permutation of the input even if the order is inconsistent.
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
#include <ravel/primitives/cuda/digit_pass.cuh>
#include <ravel/primitives/cuda/digit_policy.hpp>
#include <ravel/primitives/cuda/search_tree.cuh>
#include <ravel/primitives/rows.hpp>
#include <ravel/primitives/scan.hpp>

namespace ravel::inline v0::gpu::detail {

/// The block that sorts samples and buckets.
template <class K, class V, class Before>
using sample_block = merge_block<K, V, Before, digit_policy::bucket_threads>;

/// The parts of a sequence that one level distributes: part p has rows [begins[p], begins[p + 1]),
/// in tiles [tiles[p], tiles[p + 1]) of `width` rows.  Each is cut by (1 << bits) - 1 splitters.
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
    index_t first;  // the first tile of the part
  };
  /// The tile t and its part, searched by a warp: all of its lanes must call this.
  __device__ tile at(index_t t, int width) const {
    shared_search through{0, parts};
    through.narrow<warp_size>([&](index_t p) { return static_cast<index_t>(tiles[p]) <= t; }, 0);
    auto const p = static_cast<int>(through.first - 1);
    auto const first = static_cast<index_t>(tiles[p]);
    index_t const tile_begin = begin(p) + (t - first) * width;
    return {p, tile_begin, static_cast<int>(::min(begin(p + 1) - tile_begin, index_t{width})),
            first};
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
/// The splitters of all parts, in device memory.  keys[p << bits] to keys[((p + 1) << bits) - 1]
/// belong to part p; the first of them is not used.  repeated[i] is whether splitter i is
/// equivalent to splitter i - 1.
template <class K>
struct splitters {
  K* keys;
  bool* repeated;
};

template <class K, class Before>
__global__ void __launch_bounds__(digit_policy::bucket_threads)
    choose_splitters_kernel(K const* keys, sampled_level level, splitters<K> chosen,
                            Before before) {
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
  auto const key_at = [&](int j) -> K const& { return block.keys()[j * count / level.ways()]; };
  for (int j = threadIdx.x; j < level.ways(); j += block_t::threads) {
    int const at = p * level.ways() + j;
    bool const is_splitter = count > 0 && j > 0;
    if (is_splitter) chosen.keys[at] = key_at(j);
    chosen.repeated[at] = is_splitter && j > 1 && !before(key_at(j - 1), key_at(j));
  }
}

/// The digits of the rows of each tile, and how often each occurs in a part.
template <class K, class Before>
struct digit_finder {
  static constexpr int threads = digit_policy::finding_threads;
  // binary searches that one thread interleaves
  static constexpr int together = sizeof(K) <= 8 ? 4 : 2;
  static constexpr int most = 1 << sampled_level::most_bits;
  static constexpr int columns = 8;  // copies of each counter, to reduce conflicts of atomics

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

/// Moves one column of rows to its buckets.
template <class T>
__global__ void __launch_bounds__(digit_policy::pass::threads, digit_policy::pass::blocks)
    distribute_kernel(T const* in, T* out, known_digit const* digits, sampled_level level,
                      word64 const* starts, int pass, digit_states states) {
  index_t const t = block_in_order();
  if (t >= static_cast<index_t>(level.tiles[level.parts])) return;
  constexpr index_t width = pass_shape<known_digit, T>::width;
  auto const [part, begin, count, first] = level.at(t, width);
  index_t const of_part = begin - (t - first) * width;
  using tiles = placed_tiles<known_digit, T, known_value>;
  tiles const group{{digits + of_part, in + of_part},
                    {nullptr, out},
                    starts + part * level.ways(),
                    first,
                    pass,
                    states,
                    {}};
  digit_tile<known_digit, T, tiles>{group, t, count}.run();
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

  /// Computes the first tile of each part: counts the tiles of each, and scans the counts.
  void lay_tiles(sampled_level const& level, index_t width, gpu::scratch<word64> const& tiles) {
    for_each_index(ex_, level.parts + 1,
                   count_tiles{level.begins, level.parts, width, tiles.data()});
    exclusive_scan(ex_, tiles, tiles);
  }

  template <class T>
  void distribute(T const* in, T* out, sampled_level const& level, word64 const* starts) {
    using shape = pass_shape<known_digit, T>;
    ex_.launch_sharing<distribute_kernel<T>>(
        {most_tiles<T>(n_, level.parts), shape::threads, false, shape::shared_bytes}, in, out,
        digits_.data(), level, starts, passes_++, digit_states{states_.data()});
  }

 public:
  /// For n rows, and at most `parts` parts at any level.
  distribution(executor const& ex, index_t n, int parts, Before before)
      : ex_(ex),
        n_(n),
        before_(before),
        digits_(ex.scratch<known_digit>(n)),
        states_(ex.scratch<word64>(size_of_states(n, parts))) {
    ex.clear(states_);
  }

  /// Distributes rows.  Sets starts[b] to where bucket b begins in the result, and repeated[b + 1]
  /// to whether all rows of bucket b are known to be equivalent.  Both arrays have an element for
  /// each bucket; `starts` has some more.
  void run(sampled_level level, rows<K const, V const> in, rows<K, V> out,
           gpu::scratch<word64> const& starts, gpu::scratch<bool> const& repeated) {
    auto const keys = ex_.scratch<K>(repeated.size());
    auto const tiles = ex_.scratch<word64>(level.parts + 1);
    level.tiles = tiles.data();
    splitters<K> const chosen{keys.data(), repeated.data()};
    ex_.launch_sharing<choose_splitters_kernel<K, Before>>(
        {level.parts, block_t::threads, false, block_t::bytes}, in.keys, level, chosen, before_);
    lay_tiles(level, width<K>, tiles);
    ex_.clear(starts);
    ex_.launch({most_tiles<K>(n_, level.parts), finder::threads}, find_digits_kernel<K, Before>,
               finder{in.keys, level, chosen, before_, digits_.data(), starts.data()},
               static_cast<int>(width<K>));
    exclusive_scan(ex_, starts, starts);
    distribute(in.keys, out.keys, level, starts.data());
    if constexpr (has_values) {
      if (width<V> != width<K>) lay_tiles(level, width<V>, tiles);
      distribute(in.values, out.values, level, starts.data());
    }
  }
};

}  // namespace ravel::inline v0::gpu::detail
