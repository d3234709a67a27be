#pragma once

/// Bucket sort of numbers without values on a device: an unstable partition by the highest digits
/// to buckets, each of which one block then sorts in shared memory.
///
/// Equal integers are indistinguishable, so the partition may be unstable, and needs neither ranks
/// nor look-back: a block counts its keys of each digit with shared atomics, and reserves places
/// for them with one global atomic per digit.  A first pass counts the highest bits of all keys,
/// which gives the place of every bucket.  A bucket that is too large for a block is sorted by
/// counting if keys have 4 bytes and buckets 16 bits (count_buckets.cuh).  Many keys of 8 bytes get
/// buckets from a sample instead (split_by_sample.cuh).  Otherwise nothing is sorted, and a device-side
/// failure flag is set; before the count, where a small sample shows it (key_buckets.cuh).  If it shows
/// few values, these are counted instead (sampled_values.cuh).
///
/// Source   Stehle and Jacobsen, "A Memory Bandwidth-Efficient Hybrid Radix Sort on GPUs",
///          SIGMOD 2017.

#include <ravel/algorithms/cuda/count_buckets.cuh>
#include <ravel/algorithms/cuda/counting_sort.cuh>
#include <ravel/algorithms/cuda/key_buckets.cuh>
#include <ravel/algorithms/cuda/part_tile.cuh>
#include <ravel/algorithms/cuda/sampled_values.cuh>
#include <ravel/algorithms/cuda/sort_buckets.cuh>
#include <ravel/algorithms/cuda/split_by_sample.cuh>
#include <ravel/algorithms/radix_sort/cuda.hpp>
#include <ravel/core/cuda/digit_ranks.cuh>
#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/shared.cuh>
#include <ravel/primitives/cuda/count_values.cuh>
#include <ravel/primitives/cuda/digit_policy.hpp>
#include <ravel/primitives/scan.hpp>

namespace ravel::inline v0::gpu {
namespace detail {

/// The sink of the scan of bucket sizes: stores where buckets begin, and lists each bucket for the
/// kernel that sorts buckets of its size.
template <class U>
struct plan_buckets {
  word64* next;
  bucket_plan* plan;
  int lower_bits;
  int buckets;
  index_t keys;
  // where buckets too large for a block are listed, or null if they are not counted
  giant_bucket* giants;
  bool splits;  // if a bucket is too large, whether to choose buckets from a sample
  __device__ void operator()(index_t b, index_t before, index_t through) const {
    next[b] = static_cast<word64>(before);
    if ((b & ((index_t{1} << lower_bits) - 1)) == 0) {
      plan->starts[b >> lower_bits] = before;
      plan->next[b >> lower_bits] = static_cast<word64>(before);
    }
    if (b == buckets - 1) {
      plan->starts[buckets >> lower_bits] = through;
      plan->unwanted = through != keys;
    }
    index_t const size = through - before;
    if (size <= small_bucket<U>::most) return;
    if (size <= medium_bucket<U>::most) {
      plan->medium.add(b);
    } else if (size <= large_bucket<U>::most) {
      plan->large.add(b);
    } else if (giants == nullptr) {
      (splits ? plan->uneven : plan->too_large) = 1;
    } else if (size < giant_buckets::least) {
      plan->counted.add(b);
    } else {
      giant_buckets{&plan->giants, giants}.add(static_cast<unsigned>(b), size);
      if (size == keys) {
        plan->alone = 1;
        // its end, which the partition would have left here had it moved keys
        next[b] = static_cast<word64>(through);
      }
    }
  }
};

/// One digit of the number of a key's bucket: the partition has one pass for each digit.
template <class Bucket>
struct bucket_digit {
  Bucket bucket;
  int shift;
  unsigned mask;
  template <class U>
  __device__ unsigned operator()(U x) const {
    return bucket(x) >> shift & mask;
  }
  __device__ bucket_digit loaded() const { return {bucket.loaded(), shift, mask}; }
};

/// The bucket of x; sets the failure flag if another bit pattern may compare equal to x.
template <class Bucket>
struct checked_bucket {
  Bucket bucket;
  unsigned* not_unique;
  template <class U>
  __device__ unsigned operator()(U x) const {
    if (!bucket.order.is_unique(x)) *not_unique = 1;
    return bucket(x);
  }
  __device__ checked_bucket loaded() const { return {bucket.loaded(), not_unique}; }
};

template <class U>
inline constexpr int part_items = digit_policy::part_items(sizeof(U));
template <class U>
inline constexpr std::size_t part_keys_bytes = sizeof(part_room) +
                                               sizeof(U) * digit_policy::threads* part_items<U>;

/// Counts the keys of each bucket.
struct count_in_bucket {
  word64 const* counts;
  __device__ index_t operator()(index_t b) const { return static_cast<index_t>(counts[b]); }
};

/// Partitions tiles of keys: moves them to the places next[digit].  The tiles of part p, which
/// begins at starts[p], use row p of `next`.  `Parts` is 1 in the first pass, bucket_plan::ways in
/// the second.
template <class U, class Bucket, int Parts>
__global__ void __launch_bounds__(digit_policy::threads, digit_policy::blocks)
    part_keys_kernel(index_t n, U const* in, U* out, bucket_digit<Bucket> digit, int ways,
                     bucket_plan const* plan, word64* all_next) {
  constexpr int threads = digit_policy::threads;
  constexpr int width = threads * part_items<U>;
  constexpr int most_ways = bucket_plan::ways;
  await_preceding_kernel();
  if (plan->too_large || plan->uneven || plan->alone || plan->unwanted) return;
  digit = digit.loaded();
  auto& room = *reinterpret_cast<part_room*>(shared_bytes());
  auto* const staged = reinterpret_cast<U*>(shared_bytes() + sizeof(part_room));
  int const thread = threadIdx.x;

  // Finds the part that this tile belongs to.
  if constexpr (Parts == 1) {
    if (thread == 0) {
      room.part = 0;
      room.begin = index_t{blockIdx.x} * width;
      room.end = room.begin + width < n ? room.begin + width : n;
    }
  } else {
    if (thread == 0) room.part = -1;
    auto const tiles_of = [&](int p) {
      return static_cast<unsigned>(div_up(plan->starts[p + 1] - plan->starts[p], width));
    };
    for (int p = thread; p < Parts; p += threads) room.count[p] = tiles_of(p);
    scan_few<threads, Parts>(room.count, room.start);
    for (int p = thread; p < Parts; p += threads) {
      unsigned const t = blockIdx.x - room.start[p];
      if (blockIdx.x >= room.start[p] && t < room.count[p]) {
        room.part = p;
        room.begin = plan->starts[p] + index_t{t} * width;
        room.end = ::min(room.begin + width, plan->starts[p + 1]);
      }
    }
  }
  __syncthreads();
  if (room.part < 0) return;
  word64* const next = all_next + index_t{room.part} * ways;
  index_t const begin = room.begin;
  int const count = static_cast<int>(room.end - begin);
  for (int d = thread; d < most_ways; d += threads) room.count[d] = 0;
  if (count == width) {
    part_tile<true, part_items<U>>(room, staged, in + begin, count, out, digit, ways, next);
  } else {
    part_tile<false, part_items<U>>(room, staged, in + begin, count, out, digit, ways, next);
  }
}

/// Partitions keys into buckets: in two passes to `out` by way of `aside`, or in one pass to
/// `aside`.
template <class U, class Bucket>
void part_to_buckets(executor const& ex, index_t n, U const* in, U* out, U* aside, Bucket bucket,
                     int lower_bits, bucket_plan* plan, word64* next, giant_bucket* giants,
                     bool splits, unsigned const* wanted) {
  int const buckets = bucket_plan::ways << lower_bits;
  count_values(ex, n, in, checked_bucket<Bucket>{bucket, &plan->too_large}, buckets, next, wanted);
  scan_on(ex, buckets, count_in_bucket{next},
          plan_buckets<U>{next, plan, lower_bits, buckets, n, giants, splits}, plus<index_t>{},
          ravel::detail::seed_identity<plus<index_t>>{}, ravel::detail::no_total{});

  constexpr index_t tile = index_t{digit_policy::threads} * part_items<U>;
  constexpr int threads = digit_policy::threads;
  constexpr auto bytes = part_keys_bytes<U>;
  ex.launch_sharing<part_keys_kernel<U, Bucket, 1>>(
      grid{div_up(n, tile), threads, false, bytes}.early(), n, in, aside,
      bucket_digit<Bucket>{bucket, lower_bits, bucket_plan::ways - 1}, bucket_plan::ways, plan,
      &plan->next[0]);
  if (lower_bits > 0) {
    int const ways = 1 << lower_bits;
    ex.launch_sharing<part_keys_kernel<U, Bucket, bucket_plan::ways>>(
        grid{div_up(n, tile) + bucket_plan::ways, threads, false, bytes}.early(), n, aside, out,
        bucket_digit<Bucket>{bucket, 0, static_cast<unsigned>(ways - 1)}, ways, plan, next);
  }
}

}  // namespace detail

/// Whether a bucket sort by `bits` bits sorts large buckets by counting, and so never fails.
template <class U, class Order>
bool counts_large_buckets(executor const& ex, index_t n, int bits) {
  if constexpr (sizeof(U) == 4 && std::same_as<Order, detail::integer_order<U>>) {
    return bits == 16 && n < index_t{1} << 32 &&
           ex.most_shared_bytes() >= sizeof(typename detail::value_counts<U>::room);
  } else {
    return false;
  }
}

/// Sorts unsigned integers of 4 or 8 bytes by order(x), by way of buckets by their `bits` highest
/// bits, 8 to 16.  Floating-point numbers are divided into intervals of equal width instead.
///
/// If more keys share a bucket than a block can sort, or another bit pattern may compare equal to
/// some x, it sorts nothing and sets plan->too_large to nonzero; otherwise to 0.  Where
/// counts_large_buckets holds, it always sorts.  `out` may be `in`.
///
/// Cost     O(n) work.  Reads each key four times and writes it three times; keys of large buckets
///          that are counted, once more.  Scratch for n keys, unless `spare` is given.
template <class U, class Order>
void bucket_sort(executor const& ex, index_t n, U const* in, U* out, U* spare, Order order,
                 int bits, detail::bucket_plan* plan) {
  using detail::bucket_plan;
  using detail::word64;
  constexpr bool of_integers = std::same_as<Order, detail::integer_order<U>>;
  int const lower_bits = bits - bucket_plan::digit_bits;
  int const buckets = 1 << bits;
  bool const counts = counts_large_buckets<U, Order>(ex, n, bits);
  // A sample of the many keys for which it pays divides less evenly than bits of uniform keys, so its
  // buckets have half as many.
  int const sampled_bits = std::min(bits + 1, bucket_plan::most_bits);
  bool const splits =
      sizeof(U) == 8 && lower_bits > 0 && n >= 8 * ex.tuned().bucketed &&
      (1 << sampled_bits) <= detail::most_integers_together(sizeof(U), ex.multiprocessors());

  auto const made = ex.scratch<U>(spare == nullptr ? n : 0);
  U* const aside = spare == nullptr ? made.data() : spare;
  auto const values = ex.scratch<detail::sampled_values<U>>(1);
  auto const giants =
      ex.scratch<detail::giant_bucket>(counts ? n / detail::giant_buckets::least + 1 : 0);
  word64* const next = plan->of_bucket;
  ex.clear(view<bucket_plan, device_space>(plan, 1));
  unsigned* const uneven = counts ? &plan->wanted : splits ? &plan->uneven : &plan->too_large;
  detail::sample_buckets(ex, n, in, order, bits, plan, uneven, values.data());
  sort_few_values(ex, n, in, out, order, values.data(), uneven);
  auto const part = [&](auto const& bucket) {
    using Bucket = std::remove_cvref_t<decltype(bucket)>;
    detail::part_to_buckets<U, Bucket>(ex, n, in, out, aside, bucket, lower_bits, plan, next,
                                       counts ? giants.data() : nullptr, splits, &plan->wanted);
  };
  if constexpr (of_integers) {
    part(detail::by_highest_bits<Order>{order, int{8 * sizeof(U)} - bits});
  } else {
    index_t const blocks = div_up(n, index_t{digit_policy::counting_threads} * 8);
    ex.launch(
        grid{std::min(blocks, 2 * ex.multiprocessors()), digit_policy::counting_threads}.early(),
        detail::bound_numbers_kernel<U>, n, in, Order{order.infinity, 0}, &plan->range,
        &plan->wanted);
    part(detail::by_value_of_number<detail::number_of_bits<U>, Order>{
        order, static_cast<unsigned>(buckets - 1), &plan->range});
  }
  if constexpr (sizeof(U) == 8) {
    if (splits) {
      detail::part_uneven(ex, n, in, out, aside, order, sampled_bits, plan, next);
    }
  }
  U const* const parted = lower_bits > 0 ? out : aside;
  word64 const* const ends = lower_bits > 0 ? next : plan->next;
  detail::sort_buckets(ex, buckets, parted, out, ends, order, plan);
  if constexpr (of_integers && sizeof(U) == 4) {
    if (counts) {
      using room = typename detail::value_counts<U>::room;
      ex.launch_sharing<detail::count_buckets_kernel<U, bucket_plan>>(
          {ex.multiprocessors(), digit_policy::counting_threads, true, sizeof(room)}, in, out,
          aside, ends, order, plan, detail::giant_buckets{&plan->giants, giants.data()}, ex.gate());
    }
  }
}

}  // namespace ravel::inline v0::gpu
