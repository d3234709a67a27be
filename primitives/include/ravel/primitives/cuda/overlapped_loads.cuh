#pragma once

/// Reduction of a few elements by one thread with overlapping loads: a simple loop would wait for
/// the latency of each.

namespace ravel::inline v0::gpu::detail {

/// Returns sum * load(i) * ... * load(i + Many - 1), with all loads in flight together.
template <int Many, class T, class Load, class M>
__device__ T combine_next(T sum, Load const& load, int i, M m) {
  T x[Many];
#pragma unroll
  for (int k = 0; k < Many; ++k) x[k] = T(load(i + k));
#pragma unroll
  for (int k = 0; k < Many; ++k) sum = m(sum, x[k]);
  return sum;
}

/// Returns sum * load(i) * ... * load(end - 1) for fewer than 2 * Many elements: Many loads
/// together, then half as many, and so on.
template <int Many, class T, class Load, class M>
__device__ T combine_few(T sum, Load const& load, int i, int end, M m) {
  if (end - i >= Many) {
    sum = combine_next<Many>(sum, load, i, m);
    i += Many;
  }
  if constexpr (Many > 1) sum = combine_few<Many / 2>(sum, load, i, end, m);
  return sum;
}

/// Returns sum * load(begin) * ... * load(end - 1), in this order.  Issues Most loads together, at
/// the end half as many, and so on: with Most = 8, 27 elements take 5 dependent rounds.
template <int Most, class T, class Load, class M>
__device__ T combine_several(T sum, Load const& load, int begin, int end, M m) {
  int i = begin;
#pragma unroll 1
  for (; end - i >= Most; i += Most) sum = combine_next<Most>(sum, load, i, m);
  return combine_few<Most / 2>(sum, load, i, end, m);
}

}  // namespace ravel::inline v0::gpu::detail
