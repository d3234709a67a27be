#pragma once

/// Collective operations of the 32 lanes of a warp.

#include <ravel/core/derived_monoids.hpp>

#include <cstring>

namespace ravel::inline v0::gpu {

/// The lanes of a warp, and the mask of all of them.
#ifdef RAVEL_WARP_SIZE  // defined for a software device
inline constexpr int warp_size = RAVEL_WARP_SIZE;
#else
inline constexpr int warp_size = 32;
#endif
inline constexpr unsigned whole_warp = 0xffffffffu >> (32 - warp_size);

namespace detail {

/// Applies a 32-bit shuffle to each word of a value.
template <class T, class Shuffle>
__device__ T shuffle_words(T const& x, Shuffle shuffle) {
  static_assert(std::is_trivially_copyable_v<T>,
                "a value that crosses threads on the device must be trivially copyable");
  constexpr int words = (sizeof(T) + 3) / 4;
  unsigned w[words] = {};
  std::memcpy(w, &x, sizeof(T));
  for (unsigned& word : w) word = shuffle(word);
  T y = x;
  std::memcpy(&y, w, sizeof(T));
  return y;
}

struct up_by {
  unsigned delta;
  __device__ unsigned operator()(unsigned word) const {
    return __shfl_up_sync(whole_warp, word, delta);
  }
};

struct from_lane {
  int lane;
  __device__ unsigned operator()(unsigned word) const {
    return __shfl_sync(whole_warp, word, lane);
  }
};

}  // namespace detail

/// Broadcasts `x` of lane `lane` to all lanes.
template <class T>
__device__ T shuffle_from(T const& x, int lane) {
  return detail::shuffle_words(x, detail::from_lane{lane});
}

/// Every lane receives `x` of the lane `delta` below it (its own if there is none).
template <class T>
__device__ T shuffle_up(T const& x, unsigned delta) {
  return detail::shuffle_words(x, detail::up_by{delta});
}

/// Inclusive scan of `x` across the lanes of a warp, in 5 steps.
///
/// Source   Kogge and Stone, IEEE Trans. Computers C-22(8), 1973.
template <class T, class M>
__device__ T warp_scan(T x, M m) {
  unsigned const lane = threadIdx.x % warp_size;
  for (unsigned delta = 1; delta < warp_size; delta *= 2) {
    T const left = shuffle_up(x, delta);
    if (lane >= delta) x = m(left, x);
  }
  return x;
}

/// As above, over head flags: a ballot gives every lane all heads, and no lane combines values from
/// before its nearest head.
///
/// Source   Sengupta, Harris and Garland, NVR-2008-003: the form with mindex.
template <class T, class M>
__device__ flagged<T> warp_scan(flagged<T> x, segmented<M> m) {
  unsigned const lane = threadIdx.x % warp_size;
  unsigned const heads = __ballot_sync(whole_warp, x.head) & (whole_warp >> (warp_size - 1 - lane));
  unsigned const begin = heads != 0 ? 31 - __clz(heads) : 0;
  for (unsigned delta = 1; delta < warp_size; delta *= 2) {
    T const left = shuffle_up(x.value, delta);
    if (lane >= begin + delta) x.value = m.m(left, x.value);
  }
  return {x.value, heads != 0};
}

/// The maximum of an unsigned integer over all lanes, in every lane.
template <class U>
__device__ U warp_greatest(U x) {
  if constexpr (sizeof(U) <= 4) {
    return static_cast<U>(__reduce_max_sync(whole_warp, static_cast<unsigned>(x)));
  } else {
    auto const high = static_cast<unsigned>(x >> 32);
    unsigned const highest = __reduce_max_sync(whole_warp, high);
    auto const low = high == highest ? static_cast<unsigned>(x) : 0u;
    return static_cast<U>(highest) << 32 | __reduce_max_sync(whole_warp, low);
  }
}

/// Combines `x` of all lanes in the order of lanes; every lane gets the result.
template <class T, class M>
__device__ T warp_fold(T x, M m) {
  if constexpr (std::same_as<M, plus<T>> && std::is_integral_v<T> && sizeof(T) <= 4) {
    return static_cast<T>(__reduce_add_sync(whole_warp, static_cast<unsigned>(x)));
  } else if constexpr (std::same_as<M, plus<T>> && std::is_integral_v<T> && sizeof(T) == 8) {
    auto const bits = static_cast<unsigned long long>(x);
    auto const low = static_cast<unsigned>(bits);
    unsigned long long const high =
        __reduce_add_sync(whole_warp, static_cast<unsigned>(bits >> 32));
    unsigned long long const middle = __reduce_add_sync(whole_warp, low >> 16);
    return static_cast<T>((high << 32) + (middle << 16) +
                          __reduce_add_sync(whole_warp, low & 0xffff));
  } else {
    return shuffle_from(warp_scan(x, m), warp_size - 1);
  }
}
template <class T, class M>
__device__ flagged<T> warp_fold(flagged<T> x, segmented<M> m) {
  unsigned const lane = threadIdx.x % warp_size;
  unsigned const heads = __ballot_sync(whole_warp, x.head);
  unsigned const begin = heads != 0 ? 31 - __clz(heads) : 0;
  return {warp_fold(lane >= begin ? x.value : T(m.m.identity()), m.m), heads != 0};
}

/// Combines each of `Rows` rows of 32 values; lane k gets the result of row row_of_lane<Rows>(k).
///
/// Lanes pair up.  Each lane of a pair keeps half of the rows and passes on the other half, until a
/// lane has one row.  That takes at most Rows + 4 shuffles, where a scan of each row takes 5 Rows.
/// The grouping is a tree over adjacent operands.
template <int Rows, class T, class M>
__device__ T warp_fold_each(T const (&rows)[Rows], M m) {
  static_assert(Rows <= warp_size && (Rows & (Rows - 1)) == 0, "rows are halved");
  int const lane = threadIdx.x % warp_size;
  auto const with_partner = [&](T const& kept, T const& handed_over, int delta) {
    T const got = shuffle_from(handed_over, lane ^ delta);
    return (lane & delta) != 0 ? m(got, kept) : m(kept, got);
  };
  T x[Rows];
#pragma unroll
  for (int r = 0; r < Rows; ++r) x[r] = rows[r];
#pragma unroll
  for (int left = Rows / 2; left > 0; left /= 2) {  // number of rows that a lane keeps
    int const delta = Rows / 2 / left;
    bool const later = (lane & delta) != 0;
#pragma unroll
    for (int r = 0; r < left; ++r) {
      T const low = x[r], high = x[r + left];
      x[r] = with_partner(T(later ? high : low), T(later ? low : high), delta);
    }
  }
#pragma unroll
  for (int delta = Rows; delta < warp_size; delta *= 2) x[0] = with_partner(x[0], x[0], delta);
  return x[0];
}
template <int Rows>
__device__ int row_of_lane(int lane) {
  int row = 0;
#pragma unroll
  for (int delta = 1; delta < Rows; delta *= 2) row = row * 2 + ((lane & delta) != 0);
  return row;
}

/// Combines `Rows` rows of 32 values, row after row; every lane gets the result.  At most 2 Rows + 3
/// shuffles; the grouping is a tree over adjacent operands.
template <int Rows, class T, class M>
__device__ T warp_fold_rows(T const (&rows)[Rows], M m) {
  if constexpr (commutes<M>) {
    T sum = rows[0];
#pragma unroll
    for (int r = 1; r < Rows; ++r) sum = m(sum, rows[r]);
    return warp_fold(sum, m);
  } else {
    int const lane = threadIdx.x % warp_size;
    T x = warp_fold_each(rows, m);
#pragma unroll
    for (int delta = Rows / 2; delta > 0; delta /= 2) {
      T const got = shuffle_from(x, lane ^ delta);
      x = (lane & delta) != 0 ? m(got, x) : m(x, got);
    }
    return x;
  }
}

}  // namespace ravel::inline v0::gpu
