#pragma once

/// @file
/// What the tiles of a stream tell each other, and what one makes of all that are ahead
/// of it.
///
/// Which operands are combined with which is fixed by the tiles alone, unless it does not matter:
/// 32 tiles are a group, a group's total is a tree over its tiles, and the groups are folded from
/// the left.

#include <ravel/core/cuda/warp.cuh>
#include <ravel/core/cuda/words.cuh>
#include <ravel/core/derived_monoids.hpp>
#include <ravel/core/monoid.hpp>
#include <ravel/core/tile.hpp>

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace ravel::inline v0::gpu {
namespace detail {

/// Two words, of which each is whole by itself.
struct alignas(16) word_pair {
  word128 first, second;
};
__device__ inline void store_relaxed(word_pair* to, word_pair const& x) {
  store_relaxed(&to->first, x.first);
  store_relaxed(&to->second, x.second);
}
__device__ inline word_pair load_relaxed(word_pair const* from) {
  return {load_relaxed(&from->first), load_relaxed(&from->second)};
}

/// A tile's total as one word, with its epoch: 8 bytes for a value of up to 4,
/// 16 for one of up to 12, and two of 16, with an epoch each, for one of up to 24.
template <class T>
struct message {
  static_assert(sizeof(T) <= 24, "what a tile publishes must fit in two words with their tags");
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
  static index_t slots(index_t words) { return words; }
  static word* words(word* at) { return at; }
};
template <class T>
requires(sizeof(T) > 12)  //
    struct message<T> {
  using word = word_pair;
  using layout = std::uint64_t;

  static __device__ word pack(unsigned tag, T const& x) {
    unsigned b[6] = {};
    std::memcpy(b, &x, sizeof(T));
    return {{word64{b[1]} << 32 | b[0], word64{tag} << 32 | b[2]},
            {word64{b[4]} << 32 | b[3], word64{tag} << 32 | b[5]}};
  }
  /// None that is any launch's, if the words are of two.
  static __device__ unsigned tag(word const& w) {
    auto const first = static_cast<unsigned>(w.first.high >> 32);
    return first == static_cast<unsigned>(w.second.high >> 32) ? first : 0;
  }
  static __device__ T value(word const& w) {
    word64 const low = (w.first.high & 0xffffffff) | w.second.low << 32;
    word64 const b[3] = {w.first.low, low, w.second.low >> 32 | w.second.high << 32};
    T x;
    std::memcpy(static_cast<void*>(&x), b, sizeof(T));
    return x;
  }
  static index_t slots(index_t words) { return 2 * words; }
  static word* words(word128* at) { return reinterpret_cast<word*>(at); }
};

/// The head flag rides in the tag.
template <class T>
struct message<flagged<T>> {
  using plain = message<T>;
  using word = typename plain::word;
  using layout = typename plain::layout;
  static constexpr unsigned head = 2;
  static_assert(std::is_same_v<word, word64> || std::is_same_v<word, word128>);
  static index_t slots(index_t words) { return words; }
  static word* words(word* at) { return at; }

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

/// What each of several values of all lanes combine to, in their place.
template <class T, int N, class M>
__device__ void warp_folds(T (&x)[N], M const& m) {
#pragma unroll
  for (int k = 0; k < N; ++k) x[k] = warp_fold(x[k], m);
}

/// What the tiles ahead of one combine to: those of the groups of 32 before its own, which
/// the warp remembers, and those of its group; or, where order does not matter, those that it
/// has not asked for yet and all others.  Sum is the monoid of what is remembered, and State
/// what is published.
template <class State, class Sum>
struct tiles_ahead {
  using message = detail::message<State>;
  using word = typename message::word;
  word const* words;
  unsigned tag;
  Sum m;
  carrier_t<Sum> whole;  // through `through` tiles
  unsigned through = 0;

  static constexpr int at_once = 6;  // rounds of a word for each lane

  /// By a warp, for tiles t that grow from call to call.
  __device__ carrier_t<Sum> operator()(unsigned t) {
    using T = carrier_t<Sum>;
    if constexpr (commutes<Sum>) {
      T sum = m.identity();
      for (; through < t; through += at_once * warp_size) {
        word got[at_once];
        ask(got, t);
#pragma unroll
        for (int k = 0; k < at_once; ++k) {
          if (place(k, t) < t) sum = m(sum, T(message::value(got[k])));
        }
      }
      through = t;
      whole = m(whole, warp_fold(sum, m));
      return whole;
    } else {
      for (;; through += at_once * warp_size) {  // groups, the last of which may be the tile's
        word got[at_once];
        ask(got, t);
        T of_group[at_once];
#pragma unroll
        for (int k = 0; k < at_once; ++k) {
          of_group[k] = place(k, t) < t ? T(message::value(got[k])) : T(m.identity());
        }
        warp_folds(of_group, m);
#pragma unroll
        for (int k = 0; k < at_once; ++k) {
          if (through + k * warp_size == t / warp_size * warp_size) {
            through += k * warp_size;
            return m(whole, of_group[k]);
          }
          whole = m(whole, of_group[k]);
        }
      }
    }
  }

 private:
  /// Of the lane's word in round k; t if it has none.  Of a group that is not whole the last
  /// lanes have words, so that how far a lane is from the end of its group is always the same.
  __device__ unsigned place(int k, unsigned t) const {
    unsigned const lane = threadIdx.x % warp_size;
    unsigned const begin = through + k * warp_size;
    unsigned const end = ::min(begin + warp_size, t);
    if constexpr (commutes<Sum>) {
      return begin + lane < t ? begin + lane : t;
    } else {
      return end + lane >= begin + warp_size ? end + lane - warp_size : t;
    }
  }

  /// All words at once, for an answer takes longer than a tile's share of time, and those that
  /// are missing again.
  __device__ void ask(word (&got)[at_once], unsigned t) const {
    unsigned missing = 0;
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      if (place(k, t) < t) {
        got[k] = load_relaxed(words + place(k, t));
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
        if (missing >> k & 1) got[k] = load_relaxed(words + place(k, t));
      }
    }
  }
};

}  // namespace detail
}  // namespace ravel::inline v0::gpu
