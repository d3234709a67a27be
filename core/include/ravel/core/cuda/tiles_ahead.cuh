#pragma once

/// @file
/// What the tiles of a stream tell each other, and what one makes of all that are ahead
/// of it.
///
/// Which operands are combined with which is fixed by the tiles alone: 32 tiles are a
/// group, a group's total is a tree over its tiles, and the groups are folded from the
/// left.

#include <ravel/core/cuda/warp.cuh>
#include <ravel/core/cuda/words.cuh>
#include <ravel/core/monoid.hpp>

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace ravel::inline v0::cuda {
namespace detail {

/// A tile's total as one word, with its epoch: 8 bytes for a value of up to 4,
/// 16 for one of up to 12.
template <class T>
struct message {
  static_assert(sizeof(T) <= 12, "what a tile publishes must fit in a word with its tag");
  using word = std::conditional_t<(sizeof(T) <= 4), word64, word128>;
  using layout = std::conditional_t<(sizeof(T) <= 4), std::uint32_t, std::uint64_t>;

  static __device__ word pack(unsigned tag, T const& x) {
    if constexpr (sizeof(T) <= 4) {
      unsigned bits = 0;
      std::memcpy(&bits, &x, sizeof(T));
      return word64{tag} << 32 | bits;
    } else {
      unsigned bits[4] = {0, 0, 0, tag};
      std::memcpy(bits, &x, sizeof(T));
      return {word64{bits[1]} << 32 | bits[0], word64{bits[3]} << 32 | bits[2]};
    }
  }
  static __device__ unsigned tag(word w) {
    if constexpr (sizeof(T) <= 4) {
      return static_cast<unsigned>(w >> 32);
    } else {
      return static_cast<unsigned>(w.high >> 32);
    }
  }
  static __device__ T value(word w) {
    T x;
    std::memcpy(static_cast<void*>(&x), &w, sizeof(T));
    return x;
  }
};

/// The head flag rides in the tag.
template <class T>
struct message<flagged<T>> {
  using plain = message<T>;
  using word = typename plain::word;
  using layout = typename plain::layout;
  static constexpr unsigned head = 2;

  static __device__ word pack(unsigned tag, flagged<T> const& x) {
    return plain::pack(x.head ? tag | head : tag, x.value);
  }
  static __device__ unsigned tag(word w) { return plain::tag(w) & ~head; }
  static __device__ flagged<T> value(word w) {
    return {plain::value(w), (plain::tag(w) & head) != 0};
  }
};

/// How totals over a monoid are cut in pieces, each of which fits in a word and is combined
/// by itself: not at all, unless a monoid says how.
///
///     count          of pieces
///     monoid, of(m)  what a piece is combined with
///     cut(x, p)      piece p of x
///     put(x, p, y)   makes y piece p of x
template <class M>
struct pieces_of {
  using T = carrier_t<M>;
  using monoid = M;
  static constexpr int count = 1;
  static __device__ M const& of(M const& m) { return m; }
  static __device__ T const& cut(T const& x, int) { return x; }
  static __device__ void put(T& x, int, T const& y) { x = y; }
};

/// What the tiles ahead of one combine to: those of the groups of 32 before its own, which
/// the warp remembers, and those of its group.  Sum is the monoid of what is remembered,
/// and State what is published.
template <class State, class Sum>
struct tiles_ahead {
  using message = detail::message<State>;
  using word = typename message::word;
  word const* words;
  unsigned tag;
  Sum m;
  carrier_t<Sum> whole;  // through `group` groups
  unsigned group = 0;

  /// By a warp, for tiles t that grow from call to call.
  __device__ carrier_t<Sum> operator()(unsigned t) {
    using T = carrier_t<Sum>;
    constexpr int at_once = 6;  // groups, of which the last may be that of the tile
    for (;; group += at_once) {
      // All words at once, for an answer takes longer than a tile's share of time, and
      // those that are missing again.
      unsigned const first = group * warp_size + threadIdx.x % warp_size;
      word got[at_once];
      unsigned missing = 0;
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        if (unsigned const at = first + k * warp_size; at < t) {
          got[k] = load_relaxed(words + at);
          missing |= 1u << k;
        }
      }
      for (;;) {
#pragma unroll
        for (int k = 0; k < at_once; ++k) {
          if ((missing >> k & 1) && message::tag(got[k]) == tag) missing &= ~(1u << k);
        }
        if (__all_sync(whole_warp, missing == 0)) break;
#pragma unroll
        for (int k = 0; k < at_once; ++k) {
          if (missing >> k & 1) got[k] = load_relaxed(words + first + k * warp_size);
        }
      }
      T of_group[at_once];
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        bool const is = first + k * warp_size < t;
        of_group[k] = warp_fold(is ? T(message::value(got[k])) : T(m.identity()), m);
      }
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        if (group + k == t / warp_size) {
          group += k;
          return m(whole, of_group[k]);
        }
        whole = m(whole, of_group[k]);
      }
    }
  }
};

}  // namespace detail
}  // namespace ravel::inline v0::cuda
