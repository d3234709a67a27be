#pragma once

/// Segmented reduce on a device of elements that any load computes, for mostly short segments: each
/// lane reduces one segment.
///
/// Adjacent lanes read nearly adjacent elements.  There is no search for where a warp starts, and
/// no shared memory.  Longer segments, of any number, are found on the way.  The warp of the lane
/// reduces segments of some hundreds of elements.  Even longer ones are cut into pieces of equal
/// length: each piece records which long segment contains its first element, or that none does.  A
/// second kernel reduces the pieces, one for each warp, and a third combines the pieces of each
/// segment.
///
/// The grouping of operands depends on the segments alone.
///
/// Source   Bell and Garland, "Implementing Sparse Matrix-Vector Multiplication on
///          Throughput-Oriented Processors", SC 2009, for a thread or a warp for each row.

#include <ravel/core/cuda/block.cuh>
#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/warp.cuh>
#include <ravel/primitives/cuda/overlapped_loads.cuh>
#include <ravel/primitives/cuda/reduce_policy.hpp>
#include <ravel/primitives/cuda/reduce_types.hpp>
#include <ravel/primitives/cuda/two_step_load.cuh>
#include <ravel/primitives/segmented_reduce/cuda.hpp>

namespace ravel::inline v0::gpu {
namespace detail {

/// Returns load(begin) * ... * load(end - 1) in every lane of a warp, with Rows loads of each lane
/// in flight.
template <int Rows, class Load, class M, class T = carrier_t<M>>
__device__ T combine_loads(Load const& load, int begin, int end, M m) {
  int const lane = threadIdx.x % warp_size;
  T sum = T(m.identity());
#pragma unroll 1
  for (int base = begin; base < end; base += Rows * warp_size) {
    decltype(index_of(load, index_t{})) indices[Rows] = {};
    T x[Rows];
    auto const place = [&](int k) { return ::min(base + k * warp_size + lane, end - 1); };
#pragma unroll
    for (int k = 0; k < Rows; ++k) indices[k] = index_of(load, place(k));
#pragma unroll
    for (int k = 0; k < Rows; ++k) x[k] = value_of_index<T>(load, place(k), indices[k]);
#pragma unroll
    for (int k = 0; k < Rows; ++k) {
      if (base + k * warp_size + lane >= end) x[k] = T(m.identity());
    }
    sum = m(sum, warp_fold_rows(x, m));
  }
  return sum;
}

template <class T>
struct read_part {
  T const* parts;
  __device__ T operator()(index_t p) const { return parts[p]; }
};

template <class Load, class Segments, class M, class Seed, class Visit>
struct reduce_short {
  using T = carrier_t<M>;
  using policy = short_segment_policy;
  static constexpr int warps = policy::threads / warp_size;
  static constexpr int blocks =
      may_refuse<ravel::detail::on_tile_t<Load>> ? policy::checked_blocks : policy::blocks;
  static constexpr int parts_at_once = sizeof(T) <= 4 ? 16 : 8;

  Load load_all;
  Segments segments;
  M m;
  Seed seed;
  Visit visit;
  int pieces;
  int* owners;  // for each piece: the long segment at its first element, or -1
  T* parts;     // for each piece: its partial result of that segment

  static __device__ int lane() { return threadIdx.x % warp_size; }
  static __device__ int nth_warp() {
    return static_cast<int>(blockIdx.x) * warps + static_cast<int>(threadIdx.x) / warp_size;
  }

  /// A long segment and its pieces, [first, last): those that begin in it.
  struct long_segment {
    int begin, end, first, last;
  };
  __device__ long_segment find(int s) const {
    int const begin = begin_of(s), end = begin_of(s + 1);
    return {begin, end, (begin + policy::piece - 1) / policy::piece, (end - 1) / policy::piece};
  }

  /// The long segment of a piece.  Clamped, as pieces may have no owner if offsets descend.
  __device__ int owner_of(int piece) const { return ::min(owners[piece], count() - 1); }

  __device__ int count() const { return static_cast<int>(segments.count()); }
  __device__ int begin_of(int s) const {
    return static_cast<int>(segments.begin(::min(s, count())));
  }

  /// The first kernel, by warps: each lane reduces a segment, 32 at a time; the ends of the next 32
  /// are loaded early.
  __device__ void by_lanes() const {
    int first = nth_warp() * policy::rounds * warp_size;
    int const stop = ::min(first + policy::rounds * warp_size, count());
    if (first >= stop) return;
    int base = begin_of(first);
    int next = begin_of(first + lane() + 1);
    auto const load = ravel::detail::on_tile(load_all, tile{0, base, begin_of(stop)});
#pragma unroll 1
    for (; first < stop; first += warp_size) {
      int const end = next;
      int const before = __shfl_up_sync(whole_warp, end, 1);
      int const begin = lane() == 0 ? base : before;
      base = __shfl_sync(whole_warp, end, warp_size - 1);
      next = begin_of(first + warp_size + lane() + 1);
      each_of(load, first, begin, end);
    }
  }
  template <class L>
  __device__ void each_of(L const& load, int first, int begin, int end) const {
    int const s = first + lane(), length = end - begin;
    T sum = T(seed());
    if (length <= policy::of_lane) {
      auto const in_turn = [&load](int i) { return load_in_turn(load, i); };
      sum = combine_several<policy::at_once>(sum, in_turn, begin, end, m);
    }
    unsigned todo = __ballot_sync(whole_warp, length > policy::of_lane && length <= policy::piece);
    for (; todo != 0; todo &= todo - 1) {
      int const source = __ffs(static_cast<int>(todo)) - 1;
      int const low = __shfl_sync(whole_warp, begin, source);
      int const high = __shfl_sync(whole_warp, end, source);
      T const whole = high - low <= warp_size ? combine_loads<1>(load, low, high, m)
                                              : combine_loads<4>(load, low, high, m);
      if (lane() == source) sum = m(sum, whole);
    }
    if (s < count() && length <= policy::piece) {
      visit(s, sum);
      int const piece = (begin + policy::piece - 1) / policy::piece;
      if (piece * policy::piece < end) owners[piece] = -1;
    }
    todo = __ballot_sync(whole_warp, length > policy::piece);
    for (; todo != 0; todo &= todo - 1) {
      int const segment = first + __ffs(static_cast<int>(todo)) - 1;
      auto const its = find(segment);
      for (int p = its.first + lane(); p <= its.last; p += warp_size) owners[p] = segment;
    }
  }

  /// The second kernel: each warp reduces a piece.  Consecutive pieces belong to different warps,
  /// so that a long segment is spread over all of them.
  __device__ void by_pieces() const {
    int const step = static_cast<int>(gridDim.x) * warps;
    for (int first = nth_warp(); first < pieces; first += step * warp_size) {
      int const piece = first + lane() * step;
      int const owner = piece < pieces ? owner_of(piece) : -1;
      for (unsigned todo = __ballot_sync(whole_warp, owner >= 0); todo != 0; todo &= todo - 1) {
        int const source = __ffs(static_cast<int>(todo)) - 1;
        int const p = first + source * step;
        int const s = __shfl_sync(whole_warp, owner, source);
        auto const its = find(s);
        int const begin = p == its.first ? its.begin : p * policy::piece;
        int const end = ::min(its.end, (p + 1) * policy::piece);
        auto const load = ravel::detail::on_tile(load_all, tile{0, begin, end});
        T const part = combine_loads<parts_at_once>(load, begin, end, m);
        if (its.first < its.last) {
          if (lane() == 0) parts[p] = part;
        } else if (lane() == 0) {
          visit(s, m(T(seed()), part));
        }
      }
    }
  }

  /// The third kernel: combines pieces.  A warp tests for 32 pieces whether a segment's pieces
  /// begin there, and combines these.  If a segment has more pieces than the warp tests, the whole
  /// block combines them: there is only one such segment.
  __device__ void join() const {
    __shared__ int of_block;
    __shared__ shared_array<T, warps> of_warp;
    if (threadIdx.x == 0) of_block = -1;
    __syncthreads();
    int const p = nth_warp() * warp_size + lane();
    int const owner = p < pieces ? owner_of(p) : -1;
    bool begins = false, many = false;
    if (owner >= 0) {
      auto const its = find(owner);
      begins = its.first == p && its.last > p;
      many = its.last - its.first >= policy::threads;
    }
    if (begins && many) of_block = owner;
    for (unsigned todo = __ballot_sync(whole_warp, begins && !many); todo != 0; todo &= todo - 1) {
      int const s = __shfl_sync(whole_warp, owner, __ffs(static_cast<int>(todo)) - 1);
      auto const its = find(s);
      T const sum = combine_loads<4>(read_part<T>{parts}, its.first, its.last + 1, m);
      if (lane() == 0) visit(s, m(T(seed()), sum));
    }
    __syncthreads();
    if (of_block < 0) return;
    int const warp = threadIdx.x / warp_size;
    auto const its = find(of_block);
    int const share = (its.last - its.first) / warps + 1;
    int const begin = ::min(its.first + warp * share, its.last + 1);
    int const end = ::min(begin + share, its.last + 1);
    T const of_these = combine_loads<parts_at_once>(read_part<T>{parts}, begin, end, m);
    if (lane() == 0) of_warp[warp] = of_these;
    __syncthreads();
    if (warp > 0) return;
    T const sum = warp_fold(lane() < warps ? T(of_warp[lane()]) : T(m.identity()), m);
    if (lane() == 0) visit(of_block, m(T(seed()), sum));
  }
};

template <class Reduce>
__global__ void __launch_bounds__(Reduce::policy::threads, Reduce::blocks)
    short_segments_kernel(__grid_constant__ Reduce const reduce) {
  reduce.by_lanes();
}
template <class Reduce>
__global__ void __launch_bounds__(Reduce::policy::threads)
    pieces_kernel(__grid_constant__ Reduce const reduce) {
  reduce.by_pieces();
}
template <class Reduce>
__global__ void __launch_bounds__(Reduce::policy::threads)
    join_kernel(__grid_constant__ Reduce const reduce) {
  reduce.join();
}

}  // namespace detail

template <class Call>
void launch_form(reduce_short_segments, executor const& ex, Call const& c) {
  using policy = short_segment_policy;
  using T = typename Call::value_type;
  auto const segments = detail::without_cuts(c.segments);
  using reduce = detail::reduce_short<
      std::remove_const_t<decltype(c.load)>, std::remove_const_t<decltype(segments)>,
      std::remove_const_t<decltype(c.m)>, std::remove_const_t<decltype(c.seed)>,
      std::remove_const_t<decltype(c.visit)>>;
  index_t const count = segments.count();
  bool const some_long = c.n > policy::piece;
  index_t const pieces = div_up(c.n, index_t{policy::piece});
  auto const owners = ex.template scratch<int>(pieces);
  auto const parts = ex.template scratch<T>(some_long ? pieces : 0);
  reduce const work{c.load,        segments,    c.m, c.seed, c.visit, static_cast<int>(pieces),
                    owners.data(), parts.data()};
  ex.launch({div_up(count, index_t{policy::threads} * policy::rounds), policy::threads},
            detail::short_segments_kernel<reduce>, work);
  if (!some_long) return;
  index_t const room = ex.multiprocessors() * policy::piece_blocks;
  ex.launch({std::min(room, div_up(pieces, index_t{reduce::warps})), policy::threads},
            detail::pieces_kernel<reduce>, work);
  ex.launch({div_up(pieces, index_t{policy::threads}), policy::threads},
            detail::join_kernel<reduce>, work);
}

}  // namespace ravel::inline v0::gpu
