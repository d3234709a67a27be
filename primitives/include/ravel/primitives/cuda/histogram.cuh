#pragma once

/// Histogram of contiguous elements on a device, in one pass over them.

#include <ravel/core/atomic.hpp>
#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/shared.cuh>
#include <ravel/core/cuda/warp.cuh>
#include <ravel/primitives/cuda/for_each_key.cuh>
#include <ravel/primitives/histogram/call.hpp>
#include <ravel/primitives/histogram/cuda.hpp>

namespace ravel::inline v0::gpu {
namespace detail {

struct histogram_policy {
  static constexpr int threads = 1024;
  static constexpr int each = 4;  // 16-byte loads that a thread has in flight
};

/// Calls f(k, times) for each run of a thread's adjacent keys in bin k, by all threads of a grid,
/// and after() as for_each_key_ahead does.
template <int Each, class K, class Bin, class F, class After>
__device__ void for_each_bin(index_t n, K const* keys, Bin const& bin, std::uint32_t bins, F f,
                             After after) {
  for_each_key_ahead<histogram_policy::threads, Each>(
      keys, n,
      [&](K const& key, unsigned times) {
        // A negative bin becomes a large number, which is not counted.
        auto const k = static_cast<std::uint64_t>(static_cast<index_t>(bin(key)));
        if (k < bins) f(static_cast<std::uint32_t>(k), times);
      },
      after);
}

template <class K, class Bin, class C>
__global__ void __launch_bounds__(histogram_policy::threads)
    histogram_in_copies_kernel(index_t n, K const* keys, Bin bin, std::uint32_t bins, int log,
                               C* counts) {
  constexpr int threads = histogram_policy::threads;
  auto* const copies = reinterpret_cast<unsigned*>(shared_bytes());
  unsigned const many = 1u << log;
  for (unsigned b = threadIdx.x; b < bins << log; b += threads) copies[b] = 0;
  __syncthreads();
  unsigned* const copy = copies + threadIdx.x % many;
  for_each_bin<histogram_policy::each>(
      n, keys, bin, bins,
      [&](std::uint32_t k, unsigned times) { atomicAdd(copy + (k << log), times); }, [] {});
  __syncthreads();
  for (unsigned k = threadIdx.x; k < bins; k += threads) {
    unsigned sum = 0;
    for (unsigned c = 0; c < many; ++c) sum += copies[(k << log) + (c + k) % many];
    if (sum != 0) fetch_add(counts + k, static_cast<C>(sum));
  }
}

/// Merges consecutive equal bins of a thread: it calls add(k, times) once for each run of them.
template <class Add>
struct held_bin {
  Add add;
  std::uint32_t held = 0;
  unsigned times = 0;
  __device__ void flush() {
    if (times > 0) add(held, times);
    times = 0;
  }
  __device__ void operator()(std::uint32_t k, unsigned more) {
    if (k != held) flush();
    held = k;
    times += more;
  }
  /// Flushes, by all lanes of a warp.  If they hold the same bin, one lane adds the total.
  __device__ void flush_together() {
    if (__all_sync(whole_warp, held == shuffle_from(held, 0))) {
      times = __reduce_add_sync(whole_warp, times);
      if (threadIdx.x % warp_size == 0) flush();
      times = 0;
    } else {
      flush();
    }
  }
};

template <class K, class Bin, class C>
__global__ void __launch_bounds__(histogram_policy::threads)
    histogram_in_halves_kernel(index_t n, K const* keys, Bin bin, std::uint32_t bins, C* counts) {
  constexpr int threads = histogram_policy::threads;
  constexpr unsigned full = 0x8000;
  auto* const pairs = reinterpret_cast<unsigned*>(shared_bytes());
  for (unsigned w = threadIdx.x; w < bytes_of_halves(bins) / 4; w += threads) pairs[w] = 0;
  __syncthreads();
  // Bins whose numbers have few bits set are spread over the banks.
  auto const pair_of = [&](std::uint32_t k) {
    unsigned const w = k / 2;
    return pairs + (w ^ (w / warp_size ^ w / (warp_size * warp_size)) % warp_size);
  };
  auto const add = [&](std::uint32_t k, unsigned times) {
    unsigned const shift = k % 2 * 16;
    if (atomicAdd(pair_of(k), times << shift) & full << shift) {
      unsigned const taken = atomicAnd(pair_of(k), ~(0xffffu << shift)) >> shift & 0xffff;
      fetch_add(counts + k, static_cast<C>(taken));
    }
  };
  held_bin<decltype(add)> held{add};
  // A thread that finds a counter at `full` takes its sum away before it adds again.  So beyond
  // `full` are one addition from below, of a warp's keys at most, and one of each thread, and no
  // counter overflows 16 bits.
  constexpr int most_each = 2 * sizeof(K) - 1;
  constexpr int at_once = histogram_policy::each < most_each ? histogram_policy::each : most_each;
  static_assert((threads + warp_size) * at_once * 16 / sizeof(K) <= full);
  for_each_bin<at_once>(
      n, keys, bin, bins,
      [&](std::uint32_t k, unsigned times) {
        if (times == 1) {
          add(k, 1);
        } else {
          held(k, times);
        }
      },
      [&] { held.flush_together(); });
  __syncthreads();
  for (unsigned k = threadIdx.x; k < bins; k += threads) {
    unsigned const here = *pair_of(k) >> k % 2 * 16 & 0xffff;
    if (here != 0) fetch_add(counts + k, static_cast<C>(here));
  }
}

/// Counters in shared memory for the bins that a block counts first, without knowing which occur
/// often.  Bin k has slot k % slots, and a slot belongs to the first bin that used it.  Frequent
/// bins are probably among the first; all others are counted in device memory.
template <class C>
struct first_bins {
  static constexpr unsigned slots = 1u << 14;
  static constexpr unsigned none = ~0u;
  static constexpr std::size_t bytes = 2 * sizeof(unsigned) * slots;
  unsigned* owners;
  unsigned* times;
  C* counts;

  __device__ explicit first_bins(C* out)
      : owners(reinterpret_cast<unsigned*>(shared_bytes())), times(owners + slots), counts(out) {
    for (unsigned s = threadIdx.x; s < slots; s += histogram_policy::threads) {
      owners[s] = none;
      times[s] = 0;
    }
    __syncthreads();
  }
  __device__ void operator()(std::uint32_t k, unsigned more) const {
    unsigned const s = k % slots;
    unsigned owner = owners[s];  // a slot's owner never changes
    if (owner == none) owner = atomicCAS(&owners[s], none, k);
    if (owner == none || owner == k) {
      atomicAdd(&times[s], more);
    } else {
      fetch_add(counts + k, static_cast<C>(more));
    }
  }
  __device__ void flush() const {
    __syncthreads();
    for (unsigned s = threadIdx.x; s < slots; s += histogram_policy::threads) {
      if (times[s] != 0) fetch_add(counts + owners[s], static_cast<C>(times[s]));
    }
  }
};

template <class K, class Bin, class C>
__global__ void __launch_bounds__(histogram_policy::threads)
    histogram_of_first_kernel(index_t n, K const* keys, Bin bin, std::uint32_t bins, C* counts) {
  first_bins<C> const first(counts);
  held_bin<first_bins<C>> held{first};
  for_each_bin<histogram_policy::each>(
      n, keys, bin, bins, [&](std::uint32_t k, unsigned times) { held(k, times); }, [] {});
  held.flush();
  first.flush();
}

/// Launches as many blocks as are resident at once, or fewer if each would have fewer keys than counters.
template <auto Kernel, class Call, class... A>
void launch_histogram(executor const& ex, Call const& c, index_t counters, std::size_t bytes,
                      A... args) {
  constexpr int threads = histogram_policy::threads;
  ravel::detail::clear_counts(ex, c);
  index_t const busy = div_up(c.n, std::max(index_t{threads} * 16, counters));
  ex.launch_sharing<Kernel>(
      {std::min(busy, ex.template room_sharing<Kernel>(threads, bytes)), threads, false, bytes},
      c.n, c.bin.in, c.bin.bin, args..., c.counts);
}

template <class Call>
using key_of_call = typename ravel::detail::binned<decltype(Call::bin)>::element;
template <class Call>
using bin_of_call = std::remove_cvref_t<decltype(std::declval<Call const&>().bin.bin)>;
template <class Call>
using count_of_call = std::remove_pointer_t<decltype(Call::counts)>;

}  // namespace detail

template <class Call>
void launch_form(histogram_in_copies, executor const& ex, Call const& c) {
  int const log = detail::counter_copies_log(c.bins, ex.machine());
  detail::launch_histogram<detail::histogram_in_copies_kernel<
      detail::key_of_call<Call>, detail::bin_of_call<Call>, detail::count_of_call<Call>>>(
      ex, c, c.bins, static_cast<std::size_t>(c.bins * 4 << log),
      static_cast<std::uint32_t>(c.bins), log);
}

template <class Call>
void launch_form(histogram_in_halves, executor const& ex, Call const& c) {
  detail::launch_histogram<detail::histogram_in_halves_kernel<
      detail::key_of_call<Call>, detail::bin_of_call<Call>, detail::count_of_call<Call>>>(
      ex, c, c.bins, static_cast<std::size_t>(detail::bytes_of_halves(c.bins)),
      static_cast<std::uint32_t>(c.bins));
}

template <class Call>
void launch_form(histogram_of_first, executor const& ex, Call const& c) {
  using first = detail::first_bins<detail::count_of_call<Call>>;
  detail::launch_histogram<detail::histogram_of_first_kernel<
      detail::key_of_call<Call>, detail::bin_of_call<Call>, detail::count_of_call<Call>>>(
      ex, c, first::slots, first::bytes, static_cast<std::uint32_t>(c.bins));
}

}  // namespace ravel::inline v0::gpu
