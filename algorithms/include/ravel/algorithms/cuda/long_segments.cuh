#pragma once

/// Sorts segments that are too long for one warp: one block sorts each that fits in it, and splits one
/// up to twice as long; all blocks partition longer ones first.

#include <ravel/algorithms/cuda/long_segment_lists.cuh>
#include <ravel/algorithms/cuda/part_giants.cuh>
#include <ravel/algorithms/cuda/shares.cuh>
#include <ravel/algorithms/cuda/sort_in_block.cuh>
#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/shared.cuh>
#include <ravel/core/cuda/warp.cuh>
#include <ravel/core/cuda/words.cuh>
#include <ravel/primitives/cuda/digit_policy.hpp>

namespace ravel::inline v0::gpu::detail {

/// Sorts a run by a block.
template <class Block, class Source>
__device__ void sort_run(Source const& source, listed_run const& run) {
  auto const rows = source.of(run);
  Block::sort_loaded(
      *reinterpret_cast<typename Block::room*>(shared_bytes()), run.size(),
      [&](int i) { return rows.load(i); },
      [&](int place, typename Source::word x) { rows.store(place, x); }, source.values());
}

/// Sorts a run by a block.  One of keys that is too large for it, of up to most_to_split, is split into
/// four parts at quartiles of a sample.  A value that is two of these has a part of its own, which is in
/// order.
template <class Source>
struct large_run_sort {
  using block = large_run<typename Source::stored>;
  using word = typename Source::word;
  static constexpr int threads = block::threads, warps = threads / warp_size;
  static constexpr int ways = 4, samples = std::min(threads, 256), at_once = 4;
  static constexpr word highest = static_cast<word>(~word{0});
  struct room {
    word sample[samples], bounds[ways];
    word64 of_warp[warps];
    // still to be sorted, from the last on: if one is too large, it is the first
    listed_run parts[ways];
    int count;
  };
  Source const& source;
  room& in;

  __device__ void sort(listed_run run) const {
    for (int count = 0;;) {
      if (Source::makes_words || run.size() <= block::most) {
        sort_run<block>(source, run);
      } else if constexpr (!Source::makes_words) {
        count = split(run);
      }
      if (count == 0) return;
      run = in.parts[--count];
    }
  }

 private:
  __device__ unsigned way_of(word x) const {
    unsigned way = 0;
#pragma unroll
    for (int w = 1; w < ways; ++w) way += in.bounds[w] <= x;
    return way;
  }

  /// A quartile that repeats the one before becomes that value plus one.
  template <class Load>
  __device__ void find_bounds(int size, Load const& load) const {
    constexpr int each = threads / samples;  // threads that rank a word of the sample together
    int const s = static_cast<int>(threadIdx.x) / each,
              first = static_cast<int>(threadIdx.x) % each;
    if (first == 0) in.sample[s] = load(static_cast<int>(sampled_row(s, size, samples)));
    __syncthreads();
    word const own = in.sample[s];
    int rank = 0;
    for (int k = first; k < samples; k += each) {
      rank += in.sample[k] < own || (in.sample[k] == own && k < s);
    }
    for (int far = each / 2; far > 0; far /= 2) rank += __shfl_xor_sync(whole_warp, rank, far);
    if (first == 0 && rank % (samples / ways) == 0) in.bounds[rank / (samples / ways)] = own;
    __syncthreads();
    int const w = threadIdx.x;
    bool const is_repeated =
        1 < w && w < ways && in.bounds[w] == in.bounds[w - 1] && in.bounds[w] != highest;
    __syncthreads();
    if (is_repeated) ++in.bounds[w];
    __syncthreads();
  }

  /// Moves the keys of a run to its parts in the other buffer: each warp those of its share.  Returns
  /// the number of parts that are still to be sorted.
  __device__ int split(listed_run const& run) const {
    int const lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
    auto const rows = source.of(run);
    auto const load = [&](int i) { return rows.load(i); };
    bool const is_aside = run.where() == listed_run::aside;
    auto* const target = (is_aside ? source.parted() : source.aside) + run.begin();
    find_bounds(run.size(), load);
    constexpr int step = at_once * warp_size;
    int const share = (run.size() + warps * step - 1) / (warps * step) * step;
    int const begin = ::min(warp * share, run.size()), end = ::min(begin + share, run.size());
    // calls f(x, exists) for each row of words, loaded some rows at a time
    auto const for_each_row = [&](auto const& f) {
      for (int i = begin + lane; i - lane < end; i += step) {
        word x[at_once];
#pragma unroll
        for (int k = 0; k < at_once; ++k) x[k] = load(::min(i + k * warp_size, run.size() - 1));
#pragma unroll
        for (int k = 0; k < at_once; ++k) f(x[k], i + k * warp_size < end);
      }
    };
    // Numbers of keys, of 16 bits for each part.
    constexpr int bits = 16;
    static_assert(most_to_split < 1 << bits && ways * bits <= 64);
    word64 counts = 0;
    for_each_row([&](word x, bool exists) {
      if (exists) counts += word64{1} << bits * way_of(x);
    });
    counts = shuffle_from(warp_scan(counts, plus<word64>{}), warp_size - 1);
    if (lane == 0) in.of_warp[warp] = counts;
    __syncthreads();
    word64 const through = warp_scan(lane < warps ? in.of_warp[lane] : 0, plus<word64>{});
    word64 const sizes = shuffle_from(through, warp_size - 1);
    word64 const starts = (sizes << bits) + (sizes << 2 * bits) + (sizes << 3 * bits);
    auto const of_way = [](word64 x, int w) {
      return static_cast<unsigned>(x >> bits * w) & ((1u << bits) - 1);
    };
    // a lane for each part
    unsigned next = of_way(starts + shuffle_from(through, warp) - counts, lane % ways);
    for_each_row([&](word x, bool exists) {
      unsigned const way = way_of(x), of_all = __ballot_sync(whole_warp, exists);
      unsigned const odd = __ballot_sync(whole_warp, way % 2),
                     high = __ballot_sync(whole_warp, way / 2);
      auto const lanes_of = [&](unsigned w) {
        return (w % 2 != 0 ? odd : ~odd) & (w / 2 != 0 ? high : ~high) & of_all;
      };
      auto const below = static_cast<int>(lanes_of(way) & ((1u << lane) - 1));
      unsigned const place =
          shuffle_from(next, static_cast<int>(way)) + static_cast<unsigned>(__popc(below));
      if (exists) target[place] = source.stored_of(x);
      next += static_cast<unsigned>(
          __popc(static_cast<int>(lanes_of(static_cast<unsigned>(lane % ways)))));
    });
    __syncthreads();
    auto const size_of = [&](int w) { return static_cast<int>(of_way(sizes, w)); };
    auto const start_of = [&](int w) { return static_cast<int>(of_way(starts, w)); };
    auto const is_one_value = [&](int w) {
      word const least = in.bounds[w];
      return w > 0 && (w == ways - 1 ? least == highest : in.bounds[w + 1] == least + 1);
    };
    for (int w = 0; w < ways; ++w) {
      if (!is_one_value(w)) continue;
      for (int i = threadIdx.x; i < size_of(w); i += threads) {
        rows.store(start_of(w) + i, in.bounds[w]);
      }
    }
    if (threadIdx.x == 0) {
      in.count = 0;
      for (bool const too_large : {true, false}) {
        for (int w = 0; w < ways; ++w) {
          int const size = size_of(w);
          if (size == 0 || is_one_value(w) || (size > block::most) != too_large) continue;
          in.parts[in.count++] = listed_run::of(run.begin() + start_of(w), size,
                                                is_aside ? listed_run::out : listed_run::aside);
        }
      }
    }
    __syncthreads();
    return in.count;
  }
};

/// One block sorts each run of a list.
template <class Block, int Blocks, class Source>
__global__ void __launch_bounds__(Block::threads, Blocks)
    sort_runs_kernel(Source source, listed_run const* runs, unsigned const* count,
                     long_segments longs) {
  await_preceding_kernel();
  if (source.unwanted() || longs.are_malformed()) return;
  if constexpr (std::same_as<Block, large_run<typename Source::stored>>) {
    __shared__ typename large_run_sort<Source>::room room;
    for (unsigned i = blockIdx.x; i < *count; i += gridDim.x) {
      large_run_sort<Source>{source, room}.sort(runs[i]);
    }
  } else {
    for (unsigned i = blockIdx.x; i < *count; i += gridDim.x) sort_run<Block>(source, runs[i]);
  }
}

/// All that is to be done for the long segments of few keys, in one launch: partitions giants, if the
/// launch is cooperative, and sorts runs of all lists by the same large blocks.
template <class Source>
__global__ void __launch_bounds__(digit_policy::large_bucket::threads, 1)
    sort_few_runs_kernel(Source source, long_segments longs, bool has_giants, unsigned* gate) {
  using block = large_run<typename Source::stored>;
  await_preceding_kernel();
  if (source.unwanted() || longs.are_malformed()) return;
  __shared__ typename large_run_sort<Source>::room room;
  if (has_giants) part_giants<block::threads>(source, longs, gate);
  unsigned const smalls = longs.counts->smalls, mediums = longs.counts->mediums;
  unsigned const runs = smalls + mediums + longs.counts->larges;
  for (unsigned i = blockIdx.x; i < runs; i += gridDim.x) {
    large_run_sort<Source>{source, room}.sort(i < smalls ? longs.smalls[i]
                                              : i < smalls + mediums
                                                  ? longs.mediums[i - smalls]
                                                  : longs.larges[i - smalls - mediums]);
  }
}

/// Lists the segments of n keys that are longer than `longest`, and sorts them.  If n is more than
/// most_in_large, some may have to be split, and the source must have a second buffer for all keys.
template <class Source>
class long_segment_sort {
  using U = typename Source::stored;
  executor const& ex_;
  index_t n_, longest_;
  // Split by one block, uniform rows take longer than partitioned as a giant.
  static constexpr index_t most_in_run = Source::makes_words ? most_in_large : most_to_split;
  bool has_giants_ = n_ > most_in_run;
  // A level has at most 2 n / keys_of_way buckets, and consumes at least least_bits bits.
  index_t ways_ = has_giants_ ? 2 * n_ / giant::keys_of_way : 0;
  index_t levels_ = div_up(index_t{8 * sizeof(U)}, giant::least_bits);
  index_t giants_ = has_giants_ ? n_ / most_in_large : 0;

  scratch<long_counts> counts_ = ex_.scratch<long_counts>(1);
  scratch<giant> even_ = ex_.scratch<giant>(giants_);
  scratch<giant> odd_ = ex_.scratch<giant>(giants_);
  scratch<listed_run> smalls_ = ex_.scratch<listed_run>(n_ / longest_ + levels_ * ways_);
  scratch<listed_run> mediums_ = ex_.scratch<listed_run>(n_ / most_in_small);
  scratch<listed_run> larges_ = ex_.scratch<listed_run>(n_ / most_in_medium);
  scratch<word64> of_way_ = ex_.scratch<word64>(ways_);

 public:
  long_segment_sort(executor const& ex, index_t n, index_t longest)
      : ex_(ex), n_(n), longest_(longest) {
    ex.clear(counts_);
  }

  long_segments lists() const {
    return {counts_.data(),
            {even_.data(), odd_.data()},
            smalls_.data(),
            mediums_.data(),
            larges_.data(),
            of_way_.data(),
            {giants_, smalls_.size(), mediums_.size(), larges_.size()},
            most_in_run};
  }

  /// Sorts the listed segments: partitions giants, then sorts small, medium and large runs.
  void run(Source const& source) const {
    if (n_ <= longest_) return;
    if (n_ <= digit_policy::segment_few_keys) {
      using block = large_run<U>;
      constexpr auto bytes = std::max(block::bytes, Source::template parts<block::threads>::bytes);
      grid const shape{std::min(ex_.multiprocessors(), n_ / longest_), block::threads, has_giants_,
                       bytes, true};
      ex_.launch_sharing<sort_few_runs_kernel<Source>>(shape, source, lists(), has_giants_,
                                                       ex_.gate());
      return;
    }
    if (has_giants_) {
      using parts = typename Source::template parts<digit_policy::threads>;
      ex_.launch_sharing<part_giants_kernel<Source>>(
          {ex_.multiprocessors() * digit_policy::blocks, parts::threads, true, parts::bytes},
          source, lists(), ex_.gate());
    }
    auto const& counts = *counts_.data();
    // A third block of 8-byte words that stand for rows would spill registers.
    constexpr int blocks = Source::makes_words ? 2 : small_shape<U>::blocks;
    sort_runs<small_run<U>, blocks>(source, smalls_, &counts.smalls);
    if (n_ > most_in_small) {
      sort_runs<medium_run<U>, medium_shape<U>::blocks>(source, mediums_, &counts.mediums);
    }
    if (n_ > most_in_medium) sort_runs<large_run<U>, 1>(source, larges_, &counts.larges);
  }

 private:
  template <class Block, int Blocks>
  void sort_runs(Source const& source, scratch<listed_run> const& runs,
                 unsigned const* count) const {
    ex_.launch_sharing<sort_runs_kernel<Block, Blocks, Source>>(
        grid{std::min(ex_.multiprocessors() * Blocks, runs.size()), Block::threads, false,
             Block::bytes}
            .early(),
        source, runs.data(), count, lists());
  }
};

}  // namespace ravel::inline v0::gpu::detail
