#pragma once

/// @file
/// Reduce on a device: each block combines the tiles of a stretch, in order, and one block the totals.
///
/// The grouping of operands depends on n alone.

#include <ravel/core/cuda/block.cuh>
#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/run_call.hpp>
#include <ravel/core/structure.hpp>
#include <ravel/core/tile.hpp>
#include <ravel/primitives/reduce/call.hpp>
#include <ravel/primitives/reduce/cuda.hpp>

#include <type_traits>

namespace ravel::inline v0::gpu {
namespace detail {

/// The only block begins with the seed, and calls total(sum).
template <class T, class Load, class M, class Seed, class Total>
__global__ void __launch_bounds__(block::threads)
    reduce_stretches_kernel(index_t n, index_t width, Load load, M m, Seed seed, T* totals,
                            Total total) {
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

}  // namespace detail

/// Launches the kernels of the form.
template <class Call>
void launch_form(reduce_in_stretches, executor const& ex, Call const& c) {
  using T = typename Call::value_type;
  index_t const tiles = div_up(c.n, block::tile_width);
  index_t const width = div_up(tiles, block::tile_width) * block::tile_width;
  index_t const stretches = div_up(c.n, width);
  auto const totals = ex.scratch<T>(stretches > 1 ? stretches : 0);
  ex.launch({stretches, block::threads},
            detail::reduce_stretches_kernel<
                T, std::remove_const_t<decltype(c.load)>, std::remove_const_t<decltype(c.m)>,
                std::remove_const_t<decltype(c.seed)>, std::remove_const_t<decltype(c.total)>>,
            c.n, width, c.load, c.m, c.seed, totals.data(), c.total);
  if (stretches == 1) return;
  run_call(ex, describe_reduce_on(stretches, contiguous<T>{totals.data()}, c.m, c.seed, c.total));
}

}  // namespace ravel::inline v0::gpu
