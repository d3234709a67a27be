#pragma once

/// Sort of all buckets of integers without values on a device: small ones by a block each, larger
/// ones from lists, by blocks that take several.

#include <ravel/algorithms/cuda/sort_in_block.cuh>
#include <ravel/core/cuda/executor.cuh>
#include <ravel/primitives/cuda/digit_policy.hpp>

namespace ravel::inline v0::gpu::detail {

/// A block sorts bucket b, which ends at ends[b], unless it is too large for the block, or belongs to a
/// sample (split_by_sample.cuh).
template <class U, class Order, class Plan>
__global__ void __launch_bounds__(small_shape<U>::threads, small_shape<U>::blocks)
    sort_small_buckets_kernel(U const* in, U* out, word64 const* ends, Order order,
                              Plan const* plan) {
  await_preceding_kernel();
  if (plan->too_large || plan->uneven) return;
  unsigned const b = blockIdx.x;
  auto const begin = static_cast<index_t>(b > 0 ? ends[b - 1] : 0);
  index_t const size = static_cast<index_t>(ends[b]) - begin;
  using block = small_bucket<U, Order>;
  if (size == 0 || size > block::most) return;
  block::sort(in + begin, out + begin, static_cast<int>(size), order);
}

/// Sorts the buckets of a list, by fewer blocks, each of which takes several.
template <class Block, class U, class Order, class Plan, class List>
__global__ void __launch_bounds__(Block::threads, Block::blocks)
    sort_listed_buckets_kernel(U const* in, U* out, word64 const* ends, Order order,
                               Plan const* plan, List const* list) {
  await_preceding_kernel();
  if (plan->too_large) return;
  for (unsigned i = blockIdx.x; i < list->size; i += gridDim.x) {
    unsigned const b = list->bucket[i];
    auto const begin = static_cast<index_t>(b > 0 ? ends[b - 1] : 0);
    auto const size = static_cast<int>(static_cast<index_t>(ends[b]) - begin);
    Block::sort(in + begin, out + begin, size, order);
  }
}

template <class U, class Order, class Plan>
void sort_buckets(executor const& ex, int buckets, U const* in, U* out, word64 const* ends,
                  Order order, Plan const* plan) {
  using small = small_bucket<U, Order>;
  ex.launch_sharing<sort_small_buckets_kernel<U, Order, Plan>>(
      grid{buckets, small::threads, false, small::bytes}.early(), in, out, ends, order, plan);
  auto const sort_listed = [&]<class Block>(Block, auto const* list) {
    ex.launch_sharing<
        sort_listed_buckets_kernel<Block, U, Order, Plan, std::remove_cvref_t<decltype(*list)>>>(
        grid{ex.multiprocessors() * Block::blocks, Block::threads, false, Block::bytes}.early(), in,
        out, ends, order, plan, list);
  };
  sort_listed(medium_bucket<U, Order>{}, &plan->medium);
  sort_listed(large_bucket<U, Order>{}, &plan->large);
}

}  // namespace ravel::inline v0::gpu::detail
