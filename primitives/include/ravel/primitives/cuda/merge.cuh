#pragma once

/// Merge on a device: a block merges a tile of the result in shared memory.  For elements that do
/// not fit there, each thread merges a few elements, whose sources the block then writes together.
///
/// Searches of the whole sequences find where tiles begin on the merge path.  If these points
/// ascend, each element is taken once, whatever the order is.  If the merges of two threads do not
/// meet, because the order is inconsistent, their tile consists of its elements of the first
/// sequence and then those of the second.
///
/// Source   Odeh, Green, Mwassi, Shmueli and Birk, "Merge Path - Parallel Merging Made Simple",
///          IPDPSW 2012; Baxter, "Modern GPU", 2013: the merge of a tile in shared memory.

#include <ravel/core/atomic.hpp>
#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/partition_points.cuh>
#include <ravel/primitives/cuda/merge_block.cuh>
#include <ravel/primitives/merge/cuda.hpp>

namespace ravel::inline v0::gpu {
namespace detail {

template <class F>
__global__ void searches_kernel(index_t n, F f) {
  index_t const k = index_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k < n) f(k);
}

/// Calls f.find(k) for each `apart`-th k of [0, n), and for n - 1, by a warp each.
template <class F>
__global__ void find_each_nth_kernel(index_t n, index_t apart, F f) {
  index_t const k = (index_t{blockIdx.x} * blockDim.x + threadIdx.x) / warp_size * apart;
  if (k < n - 1 + apart) f.find(::min(k, n - 1));
}
/// Calls f.find_between(k, first, last) for every other k, by a thread each: `first` and `last` are
/// the nearest numbers that find_each_nth_kernel has found.
template <class F>
__global__ void find_between_kernel(index_t n, index_t apart, F f) {
  await_preceding_kernel();
  index_t const k = index_t{blockIdx.x} * blockDim.x + threadIdx.x;
  index_t const first = k / apart * apart;
  if (k > first && k < n - 1) f.find_between(k, first, ::min(first + apart, n - 1));
}

/// merge_path_point, by a warp, whose lanes probe 5 levels of the binary search at once, so of 25
/// levels only 5 loads depend on one another.
template <class A, class B, class Before>
__device__ index_t merge_path_point_by_warp(A const& a, B const& b, index_t diagonal,
                                            Before const& before) {
  shared_search point{::max(diagonal - b.size(), index_t{0}), ::min(diagonal, a.size())};
  point.narrow<warp_size>(ravel::detail::goes_ahead<A, B, Before>{a, b, diagonal, before}, 0);
  return point.first;
}
/// merge_path_point, by a thread, if the point is known to be at least `low` and at most `high`.
template <class A, class B, class Before>
__device__ index_t merge_path_point_between(A const& a, B const& b, index_t diagonal, index_t low,
                                            index_t high, Before const& before) {
  low = ::max(low, diagonal - b.size());
  high = ::min(high, ::min(diagonal, a.size()));
  if (low >= high) return low;
  return partition_point(low, high,
                         ravel::detail::goes_ahead<A, B, Before>{a, b, diagonal, before});
}

/// Merges of a few elements by each thread.  The elements' sources go through shared memory, so
/// that the final writes are coalesced.
template <class Walk, int Threads>
__global__ void __launch_bounds__(Threads) walks_kernel(index_t n, Walk walk) {
  constexpr int length = Walk::length, pitch = length + 1;  // padded by one, against bank conflicts
  __shared__ index_t source[Threads * pitch];
  index_t const k = index_t{blockIdx.x} * Threads + threadIdx.x;
  index_t const begin = index_t{blockIdx.x} * Threads * length;
  bool const is_off = walk.is_off();  // loaded early and used late, to hide its latency
  if (k < n) {
    index_t* const row = source + threadIdx.x * pitch;
    walk.walk(k, [&](index_t d, index_t s) { row[d - k * length] = s; });
  }
  __syncthreads();
  if (is_off) return;
  for (int i = threadIdx.x; i < Threads * length && begin + i < walk.size(); i += Threads) {
    walk.store(begin + i, source[i / length * pitch + i % length]);
  }
}

/// Calls f(i) for each i of [0, n) if *flag is not 0, which is rare.
template <class F>
__global__ void rare_kernel(index_t n, index_t const* flag, F f) {
  await_preceding_kernel();
  if (*flag == 0) return;
  for (index_t i = index_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n;
       i += index_t{gridDim.x} * blockDim.x) {
    f(i);
  }
}

/// The search for where a tile of `width` begins: entered[t] of the elements before tile t come
/// from `a`.
template <class A, class B, class Before>
struct enter_merged_tile {
  A a;
  B b;
  Before before;
  index_t width;
  index_t* entered;
  index_t* failed;
  __device__ index_t diagonal(index_t t) const { return ::min(t * width, a.size() + b.size()); }
  __device__ void find(index_t t) const {
    index_t const point = merge_path_point_by_warp(a, b, diagonal(t), before);
    if (threadIdx.x % warp_size != 0) return;
    entered[t] = point;
    if (t == 0) *failed = 0;
  }
  __device__ void find_between(index_t t, index_t first, index_t last) const {
    entered[t] = merge_path_point_between(a, b, diagonal(t), entered[first], entered[last], before);
  }
};

/// The result for an inconsistent order: calls out(d, from_b, k) for all of `a`, and then for all
/// of `b`.
template <class Call>
struct append_all {
  Call c;
  __device__ void operator()(index_t d) const {
    bool const from_b = d >= c.a.size();
    c.out(d, from_b, from_b ? d - c.a.size() : d);
  }
};

/// The parts of the two sequences that make up a tile of the result.
struct parts_of_tile {
  index_t begin, from_a, from_b;
  int count, of_a;

  /// Calls f(from_b, k) for the i-th element of the two parts, one after the other.
  template <class F>
  __device__ auto at(int i, F const& f) const {
    bool const second = i >= of_a;
    return f(second, second ? from_b + (i - of_a) : from_a + i);
  }
};

/// Writes a tile whose merged keys are in shared memory.
template <class Block, class Out, class K>
__device__ void write_tile(Block const& block, parts_of_tile const& p,
                           write_merged<Out, K, K> const& visit) {
  Out* const out = visit.out + p.begin;
#pragma unroll
  for (int k = 0; k < Block::items; ++k) {
    int const i = k * Block::threads + static_cast<int>(threadIdx.x);
    if (p.count == Block::width || i < p.count) out[i] = static_cast<Out>(block.keys()[i]);
  }
}
/// Gathers the values of a tile by the sources of its keys.  A thread loads several before it
/// stores the first.
template <class Block, class Out, class A, class B>
__device__ void write_values(Block const& block, parts_of_tile const& p,
                             write_merged<Out, A, B> const& visit) {
  constexpr int fit = 64 / static_cast<int>(sizeof(Out));
  constexpr int together = fit < 1 || !std::is_trivial_v<Out> ? 1 : fit;
  for (int k = 0; k < Block::items; k += together) {
    if constexpr (together == 1) {
      int const i = k * Block::threads + static_cast<int>(threadIdx.x);
      if (i < p.count) {
        p.at(block.in.source[i], [&](bool second, index_t j) { visit(p.begin + i, second, j); });
      }
    } else {
      Out held[together];
#pragma unroll
      for (int h = 0; h < together; ++h) {
        int const i = (k + h) * Block::threads + static_cast<int>(threadIdx.x);
        if (k + h < Block::items && i < p.count) {
          held[h] = p.at(block.in.source[i], [&](bool second, index_t j) {
            return second ? static_cast<Out>(visit.b[j]) : static_cast<Out>(visit.a[j]);
          });
        }
      }
#pragma unroll
      for (int h = 0; h < together; ++h) {
        int const i = (k + h) * Block::threads + static_cast<int>(threadIdx.x);
        if (k + h < Block::items && i < p.count) visit.out[p.begin + i] = held[h];
      }
    }
  }
}
template <class Block, class Keys, class Values>
__device__ void write_tile(Block const& block, parts_of_tile const& p,
                           write_merged_pair<Keys, Values> const& visit) {
  write_tile(block, p, visit.keys);
  write_values(block, p, visit.values);
}

template <class Block, class Call>
__global__ void __launch_bounds__(Block::threads)
    merge_two_kernel(Call c, index_t const* entered, index_t* failed) {
  await_preceding_kernel();
  using K = std::remove_cvref_t<decltype(c.a[0])>;
  constexpr int items = Block::items, threads = Block::threads, width = Block::width;
  __shared__ typename Block::room room;
  Block const block{room, c.before};
  index_t const begin = index_t{blockIdx.x} * width;
  int const count = static_cast<int>(::min(c.a.size() + c.b.size() - begin, index_t{width}));
  index_t const first = entered[blockIdx.x], many_of_a = entered[blockIdx.x + 1] - first;
  if (many_of_a < 0 || many_of_a > count) {  // the order is inconsistent
    if (threadIdx.x == 0) store_whole(failed, index_t{1});
    return;
  }
  parts_of_tile const p{begin, first, begin - first, count, static_cast<int>(many_of_a)};

  auto const thread = static_cast<int>(threadIdx.x);
  K const* const a = c.a.data() + p.from_a;
  K const* const b = c.b.data() + p.from_b;
  K x[items];
#pragma unroll
  for (int k = 0; k < items; ++k) {
    int const i = k * threads + thread;
    if (count == width || i < count) x[k] = i < p.of_a ? a[i] : b[i - p.of_a];
  }
#pragma unroll
  for (int k = 0; k < items; ++k) {
    int const i = k * threads + thread;
    if (count == width || i < count) block.keys()[i] = x[k];
  }
  __syncthreads();
  std::uint16_t sources[items];
  auto const steps = block.merge({block.keys(), p.of_a}, {block.keys() + p.of_a, count - p.of_a},
                                 ::min(thread * items, count), x, sources,
                                 [](int slot) { return static_cast<std::uint16_t>(slot); });
  __syncthreads();
  block.put(x, sources);
  if (__syncthreads_count(!block.meets_next(steps)) == 0) {
    write_tile(block, p, c.out);
  } else {
    for (int i = thread; i < count; i += threads) {
      p.at(i, [&](bool second, index_t j) { c.out(begin + i, second, j); });
    }
  }
}

}  // namespace detail

/// One thread for each search, since a search is a chain of some twenty dependent loads.  With
/// several searches for each thread, sorting 2^24 keys took 1.8 ms instead of 1.1.
template <class F>
void for_each_search(executor const& ex, index_t n, F f) {
  constexpr int threads = 64;
  if (n > 0) ex.launch({div_up(n, index_t{threads}), threads}, detail::searches_kernel<F>, n, f);
}
/// The searches for where tiles begin, f.find(t) by a warp or f.find_between(t, first, last) by a
/// thread.  A warp each if there are few, as their latency matters.  If there are many, the
/// additional loads of warps would matter: a warp searches for each 64th, and then a thread for each
/// tile between two of them.  In 2^28 elements a search has 27 dependent loads, 2 us each as pages
/// are not in the TLB either; between two points it has 18, in few pages.
template <class F>
void for_each_tile_search(executor const& ex, index_t n, F f) {
  constexpr int threads = 64;
  constexpr index_t few = 1024, of_block = threads / warp_size;
  index_t const apart = n <= few ? 1 : 64;
  ex.launch({div_up(div_up(n - 1, apart) + 1, of_block), threads}, detail::find_each_nth_kernel<F>,
            n, apart, f);
  if (apart == 1) return;
  ex.launch(grid{div_up(n, index_t{threads}), threads}.early(), detail::find_between_kernel<F>, n,
            apart, f);
}
template <class Walk>
void for_each_walk(executor const& ex, index_t n, Walk walk) {
  constexpr int threads = 128;
  if (n > 0) {
    ex.launch({div_up(n, index_t{threads}), threads}, detail::walks_kernel<Walk, threads>, n, walk);
  }
}
/// Calls f(i) for each i of [0, n) if *flag is not 0, with so few blocks that otherwise it costs no
/// more than a launch.
template <class F>
void for_each_if(executor const& ex, index_t n, index_t const* flag, F f) {
  constexpr int threads = 256;
  constexpr index_t most_blocks = 1024;
  if (n == 0) return;
  index_t const blocks = div_up(n, index_t{threads});
  ex.launch(grid{blocks < most_blocks ? blocks : most_blocks, threads}.early(),
            detail::rare_kernel<F>, n, flag, f);
}

template <template <bool> class Policy, class Call>
void launch_form(merge_by_blocks_of<Policy>, executor const& ex, Call const& c) {
  using A = std::remove_cvref_t<decltype(c.a)>;
  using Before = std::remove_cvref_t<decltype(c.before)>;
  using K = std::remove_cvref_t<decltype(c.a[0])>;
  constexpr bool pairs = is_instance<decltype(c.out), write_merged_pair>;
  using policy = Policy<pairs>;
  using block = detail::merging_block<K, pairs, policy::threads, policy::items(sizeof(K)), Before>;
  index_t const n = c.a.size() + c.b.size(), tiles = div_up(n, index_t{block::width});
  if (n == 0) return;
  auto const entered = ex.scratch<index_t>(tiles + 2);
  index_t* const failed = entered.data() + tiles + 1;
  for_each_tile_search(ex, tiles + 1,
                       detail::enter_merged_tile<A, A, Before>{c.a, c.b, c.before, block::width,
                                                               entered.data(), failed});
  ex.launch(grid{tiles, block::threads}.early(), detail::merge_two_kernel<block, Call>, c,
            entered.data(), failed);
  for_each_if(ex, n, failed, detail::append_all<Call>{c});
}

}  // namespace ravel::inline v0::gpu
