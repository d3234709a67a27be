#pragma once

/// Reduce on a device: each block combines a contiguous share of the elements in order, and one
/// block then combines the totals.
///
/// A block reads its share by tiles, or, for elements in memory, by vectors of 16 bytes for each
/// lane.  The grouping of operands depends on n, the types, and whether elements begin at a
/// multiple of 16 bytes, as vectors must.

#include <ravel/core/cuda/block.cuh>
#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/warp.cuh>
#include <ravel/primitives/cuda/neighbours.cuh>
#include <ravel/primitives/cuda/thread_scan.cuh>
#include <ravel/primitives/reduce/call.hpp>
#include <ravel/primitives/reduce/cuda.hpp>

namespace ravel::inline v0::gpu {
namespace detail {

/// One block for each share.  If there is only one block, it begins with the seed and calls
/// total(sum).
template <class T, class Load, class M, class Seed, class Total>
__global__ void __launch_bounds__(block::threads)
    reduce_shares_kernel(index_t n, index_t width, Load load, M m, Seed seed, T* totals,
                         Total total) {
  await_preceding_kernel();
  bool const is_alone = gridDim.x == 1;
  index_t const begin = index_t{blockIdx.x} * width, end = ::min(begin + width, n);
  T sum = is_alone ? T(seed()) : T(m.identity());
  for (index_t at = begin; at < end; at += block::tile_width) {
    tile const t{at / block::tile_width, at, ::min(at + block::tile_width, end)};
    sum = block::reduce(t, ravel::detail::on_tile(load, t), m, sum);
  }
  if (!block::leads()) return;
  if (is_alone) {
    total(sum);
  } else {
    totals[blockIdx.x] = sum;
  }
}

/// The combination of the elements of one vector, of which the first is element i.
template <class T, class Load, class Values, class M>
__device__ T combine_vector(index_t i, Values const& read, Load const& load, M m) {
  using In = element_of_load<Load>;
  if constexpr (loads_as_it_is<Load> && !combines_one_by_one<In, In, M>) {
    return in_thread<In, In, M, 1>::template fold<false>(read, m);
  } else if constexpr (sizeof(In) < 8 &&
                       requires(In x) { m.wins(x, x); }) {  // positions of extremes
    In best = read.get(0);
    int at = 0;
#pragma unroll
    for (int k = 1; k < Values::count; ++k) {
      In const next = read.get(k);
      if (m.wins(best, next)) {
        best = next;
        at = k;
      }
    }
    return T(load.of(i + at, best));
  } else {
    T x = T(load.of(i, read.get(0)));
#pragma unroll
    for (int k = 1; k < Values::count; ++k) x = m(x, T(load.of(i + k, read.get(k))));
    return x;
  }
}

/// Returns load(begin) * ... * load(end - 1), by a warp, in every lane.  Element `begin` is at a
/// multiple of 16 bytes.
template <class T, class Load, class M>
__device__ T combine_vectors(index_t begin, index_t end, Load const& load, M m) {
  using values = neighbours<element_of_load<Load>, 1>;
  constexpr int rows = reduce_vectors_policy::rows, count = values::count;
  constexpr index_t width = warp_size * count;  // elements of a row
  index_t const pos = static_cast<index_t>(threadIdx.x) % warp_size * count;
  T sum = T(m.identity());
  for (; end - begin >= rows * width; begin += rows * width) {
    values read[rows];
    T x[rows];
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      auto const* const row = load.elements() + begin + r * width + pos;
      read[r] = values::read(reinterpret_cast<char const*>(row));
    }
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      x[r] = combine_vector<T>(begin + r * width + pos, read[r], load, m);
    }
    if constexpr (commutes<M>) {  // each lane for itself
#pragma unroll
      for (int r = 0; r < rows; ++r) sum = m(sum, x[r]);
    } else {
      sum = m(sum, warp_fold_rows(x, m));
    }
  }
  if constexpr (commutes<M>) sum = warp_fold(sum, m);
  for (; begin < end; begin += width) {
    T x = T(m.identity());
    for (index_t i = begin + pos; i < ::min(begin + pos + count, end); ++i) x = m(x, T(load(i)));
    sum = m(sum, warp_fold(x, m));
  }
  return sum;
}

/// Each warp of a block combines a part of the block's share.
template <class T, class Load, class M>
__global__ void __launch_bounds__(block::threads)
    reduce_vectors_kernel(index_t n, index_t width, Load load, M m, T* totals) {
  await_preceding_kernel();
  __shared__ shared_array<T, block::warps> of_warp;
  int const warp = static_cast<int>(threadIdx.x) / warp_size;
  index_t const share = width / block::warps;
  index_t const begin = index_t{blockIdx.x} * width + warp * share;
  T const sum = combine_vectors<T>(begin, ::min(begin + share, n), load, m);
  if (threadIdx.x % warp_size == 0) of_warp[warp] = sum;
  __syncthreads();
  if (!block::leads()) return;
  T total = of_warp[0];
  for (int w = 1; w < block::warps; ++w) total = m(total, T(of_warp[w]));
  totals[blockIdx.x] = total;
}

/// Each block combines a share of n elements; of none there is one block.
template <class T, class Call, class Load>
void reduce_shares(executor const& ex, Call const& c, index_t n, index_t width, Load load,
                   T* totals) {
  ex.launch(grid{std::max(div_up(n, width), index_t{1}), block::threads}.early(),
            reduce_shares_kernel<T, Load, std::remove_const_t<decltype(c.m)>,
                                 std::remove_const_t<decltype(c.seed)>,
                                 std::remove_const_t<decltype(c.total)>>,
            n, width, load, c.m, c.seed, totals, c.total);
}
/// One block combines the totals of shares.
template <class T, class Call>
void combine_shares(executor const& ex, Call const& c, index_t shares, T* totals) {
  reduce_shares(ex, c, shares, shares, contiguous<T>{totals}, totals);
}

}  // namespace detail

template <class Call>
void launch_form(reduce_in_vectors, executor const& ex, Call const& c) {
  using T = typename Call::value_type;
  using Load = std::remove_const_t<decltype(c.load)>;
  constexpr index_t whole = index_t{reduce_vectors_policy::rows} * block::threads *
                            detail::neighbours<detail::element_of_load<Load>, 1>::count;
  index_t const width = div_up(c.n, 2 * block::tile_width * whole) * whole,
                shares = div_up(c.n, width);
  auto const totals = ex.scratch<T>(shares);
  ex.launch(grid{shares, block::threads}.early(),
            detail::reduce_vectors_kernel<T, Load, std::remove_const_t<decltype(c.m)>>, c.n, width,
            c.load, c.m, totals.data());
  detail::combine_shares(ex, c, shares, totals.data());
}

template <class Call>
void launch_form(reduce_by_shares, executor const& ex, Call const& c) {
  using T = typename Call::value_type;
  index_t const tiles = std::max(div_up(c.n, block::tile_width), index_t{1});
  index_t const width = div_up(tiles, block::tile_width) * block::tile_width;
  index_t const shares = div_up(c.n, width);
  auto const totals = ex.scratch<T>(shares > 1 ? shares : 0);
  detail::reduce_shares(ex, c, c.n, width, c.load, totals.data());
  if (shares > 1) detail::combine_shares(ex, c, shares, totals.data());
}

}  // namespace ravel::inline v0::gpu
