#pragma once

/// The plan of a radix sort: its passes, and the first position of each digit.  One kernel counts
/// the digits of all passes, and its last block computes the plan.

#include <ravel/core/cuda/shared.cuh>
#include <ravel/core/cuda/warp.cuh>
#include <ravel/core/cuda/words.cuh>
#include <ravel/primitives/cuda/digit_policy.hpp>
#include <ravel/primitives/cuda/digits.hpp>

namespace ravel::inline v0::gpu::detail {

/// The source and the destination of a pass's rows; `nowhere` if the pass has nothing to do.
struct digit_step {
  enum place { nowhere, given, out, spare };
  place from, to;
};

/// The plan, in device memory, which all passes share; initially 0.
struct digit_plan {
  static constexpr int ways = 256;
  static constexpr int most_passes = 16;
  word64 starts[most_passes][ways];  // counts of digits; later the first position of each digit
  digit_step steps[most_passes];
  unsigned counted;             // number of blocks that have added their counts
  unsigned drawn[most_passes];  // number of tiles drawn by tickets, for each pass
};

/// The number of passes that makes rows end in the right memory: at least `least`, and odd or even
/// where that matters.
struct digit_demand {
  enum kind { any, even, odd };
  int least;
  kind number;
  constexpr RAVEL_HD bool met_by(int passes) const {
    return passes >= least && (number == any || (passes % 2 == 1) == (number == odd));
  }
};

/// Selects the passes to make: those whose digit differs between rows, and as many idle ones as
/// `demand` requires.
inline __device__ void plan_steps(digit_plan& plan, int passes, unsigned idle,
                                  digit_demand demand) {
  int active = passes - __popc(idle);
  for (; !demand.met_by(active); ++active) idle &= idle - 1;
  auto here = digit_step::given;
  for (int p = 0; p < passes; ++p) {
    if (idle >> p & 1) {
      plan.steps[p] = {here, digit_step::nowhere};
    } else {
      auto const next = --active % 2 == 0 ? digit_step::out : digit_step::spare;
      plan.steps[p] = {here, next};
      here = next;
    }
  }
}

/// Counts the digits of all passes.  As far as shared memory allows, each lane has private
/// counters, which avoids conflicts.  The last block scans the counts.  The kernel also clears the
/// tile descriptors of the passes, at little extra cost.
template <class K, class Bits>
__global__ void __launch_bounds__(digit_policy::counting_threads)
    count_digits_kernel(index_t n, K const* keys, digits<Bits> radix, int columns,
                        digit_demand demand, digit_plan* plan, word64* states, index_t of_states,
                        unsigned const* wanted) {
  constexpr int threads = digit_policy::counting_threads;
  constexpr int at_once = digit_policy::counted_at_once;
  constexpr int ways = digits<Bits>::ways;
  using U = decltype(radix.bits(*keys));
  constexpr int most_passes = static_cast<int>(sizeof(U));
  static_assert(most_passes <= digit_plan::most_passes);
  if (wanted != nullptr && *wanted == 0) return;  // all steps stay `nowhere`: nothing is sorted
  auto* const bins = reinterpret_cast<unsigned*>(shared_bytes());
  __shared__ bool is_last;
  __shared__ unsigned idle;
  int const thread = threadIdx.x;
  int const passes = radix.passes();
  for (int b = thread; b < passes * ways * columns; b += threads) bins[b] = 0;
  for (index_t s = index_t{blockIdx.x} * threads + thread; s < of_states;
       s += index_t{gridDim.x} * threads) {
    states[s] = 0;
  }
  if (thread == 0) idle = 0;
  __syncthreads();

  unsigned* const column = bins + thread % columns;
  int const bits = radix.end - radix.begin;
  U const range = static_cast<U>(bits == 8 * int{sizeof(U)} ? ~U{0} : (U{1} << bits) - U{1});
  U const flip = radix.descending ? range : U{0};
  auto const count = [&](K const& key) {
    U const all = static_cast<U>((radix.bits(key) >> radix.begin & range) ^ flip);
#pragma unroll
    for (int p = 0; p < most_passes; ++p) {
      auto const d = static_cast<int>(all >> p * digits<Bits>::width) & (ways - 1);
      if (p < passes) atomicAdd(column + (p * ways + d) * columns, 1u);
    }
  };
  index_t const step = index_t{threads} * at_once;
  for (index_t first = blockIdx.x * step + thread; first < n; first += gridDim.x * step) {
    if (first - thread + step <= n) {
      K x[at_once];
#pragma unroll
      for (int k = 0; k < at_once; ++k) x[k] = keys[first + k * threads];
#pragma unroll
      for (int k = 0; k < at_once; ++k) count(x[k]);
    } else {
      for (index_t i = first; i < n; i += threads) count(keys[i]);
    }
  }
  __syncthreads();
  for (int b = thread; b < passes * ways; b += threads) {
    unsigned sum = 0;
    for (int c = 0; c < columns; ++c) sum += bins[b * columns + (c + thread) % columns];
    if (sum != 0) atomicAdd(&plan->starts[0][0] + b, word64{sum});
  }

  __threadfence();
  __syncthreads();
  if (thread == 0) is_last = atomicAdd(&plan->counted, 1u) == gridDim.x - 1;
  __syncthreads();
  if (!is_last) return;
  __threadfence();
  int const lane = thread % warp_size;
  for (int p = thread / warp_size; p < passes; p += threads / warp_size) {
    word64 ahead = 0;
    for (int d = lane; d < ways; d += warp_size) {
      word64 const here = load_relaxed(&plan->starts[p][d]);
      word64 const through = warp_scan(here, plus<word64>{});
      plan->starts[p][d] = ahead + through - here;
      ahead += shuffle_from(through, warp_size - 1);
      if (here == static_cast<word64>(n)) atomicAdd(&idle, 1u << p);
    }
  }
  __syncthreads();
  if (thread == 0) plan_steps(*plan, passes, idle, demand);
}

}  // namespace ravel::inline v0::gpu::detail
