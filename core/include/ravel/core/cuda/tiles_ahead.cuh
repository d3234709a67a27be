#pragma once

/// Computes the exclusive prefix of a stream's tile (look-ahead) from the totals that preceding
/// tiles have published.

#include <ravel/core/cuda/warp.cuh>
#include <ravel/core/cuda/words.cuh>

#include <cstring>

namespace ravel::inline v0::gpu::detail {

/// Two 16-byte words, each of which is written atomically.
struct alignas(16) word_pair {
  word128 first, second;
};
__device__ inline void store_relaxed(word_pair* target, word_pair const& x) {
  store_relaxed(&target->first, x.first);
  store_relaxed(&target->second, x.second);
}
__device__ inline word_pair load_relaxed(word_pair const* source) {
  return {load_relaxed(&source->first), load_relaxed(&source->second)};
}

/// A tile's published total: a word that contains the value and the epoch.  8 bytes for a value of
/// up to 4 bytes, 16 for up to 12; for up to 24, two words of 16, each with the epoch.
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
  /// The epoch of the message; 0, which no launch uses, if its two words are of different launches.
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

/// A flagged value: its head flag is a bit of the tag.
template <class T>
struct message<flagged<T>> : message<T> {
  using plain = message<T>;
  using typename plain::word;
  static constexpr unsigned head = 2;
  static_assert(std::is_same_v<word, word64> || std::is_same_v<word, word128>);

  static __device__ word pack(unsigned tag, flagged<T> const& x) {
    return plain::pack(x.head ? tag | head : tag, x.value);
  }
  static __device__ unsigned tag(word w) { return plain::tag(w) & ~head; }
  static __device__ flagged<T> value(word w) {
    return {plain::value(w), (plain::tag(w) & head) != 0};
  }
};

/// How totals over a monoid are split into pieces, each of which fits in a word and is combined
/// independently.  By default there is one piece.  A specialisation defines
///
///     count          the number of pieces
///     monoid, of(m)  the monoid of a piece
///     cut(x, p)      piece p of x
///     put(x, p, y)   sets piece p of x to y
template <class M>
struct pieces_of {
  using T = carrier_t<M>;
  using monoid = M;
  static constexpr int count = 1;
  static __device__ M const& of(M const& m) { return m; }
  static __device__ T const& cut(T const& x, int) { return x; }
  static __device__ void put(T& x, int, T const& y) { x = y; }
};

/// Folds each of several values over all lanes, in place: a step of all before the next step, as
/// each shuffle has a latency of some 25 cycles.  The grouping is that of warp_fold.
template <class T, int N, class M>
__device__ void warp_folds(T (&x)[N], M const& m) {
  int const lane = static_cast<int>(threadIdx.x % warp_size);
#pragma unroll
  for (int apart = 1; apart < warp_size; apart *= 2) {
    bool const later = (lane & apart) != 0;
#pragma unroll
    for (int k = 0; k < N; ++k) {
      T const other = shuffle_from(x[k], lane ^ apart);
      x[k] = m(later ? T(other) : T(x[k]), later ? T(x[k]) : T(other));
    }
  }
}
template <class T, int N, class M>
__device__ void warp_folds(flagged<T> (&x)[N], segmented<M> const& m) {
  unsigned const lane = threadIdx.x % warp_size;
  T values[N];
#pragma unroll
  for (int k = 0; k < N; ++k) {
    unsigned const heads = __ballot_sync(whole_warp, x[k].head);
    unsigned const begin = heads != 0 ? 31 - __clz(heads) : 0;
    values[k] = lane >= begin ? x[k].value : T(m.m.identity());
    x[k].head = heads != 0;
  }
  warp_folds(values, m.m);
#pragma unroll
  for (int k = 0; k < N; ++k) x[k].value = values[k];
}

/// A monoid for which warp_fold_all(x, m) combines the values x[0] of all lanes, then x[1], and so on,
/// in any grouping.
template <class State, class Sum>
concept folds_all = requires(State (&x)[1], Sum const& m) {
  warp_fold_all(x, m);
};

/// Computes exclusive prefixes of tiles, by a warp.  If the grouping of operands matters, a prefix
/// combines the groups of 32 tiles before the tile's own group, which the warp keeps from call to
/// call, and then the preceding tiles of its own group.  Otherwise it combines all tiles since the
/// last call.  Sum is the monoid of the kept value, and State the type of the published values.
template <class State, class Sum>
struct tiles_ahead {
  using message = detail::message<State>;
  using word = typename message::word;
  word const* words;
  unsigned tag;
  Sum m;
  carrier_t<Sum> whole;  // the combination of the first `through` tiles
  unsigned through = 0;

  static constexpr int at_once = 6;  // number of words that each lane polls at once

  /// The exclusive prefix of tile t.  All lanes of a warp call this, for increasing t.
  __device__ carrier_t<Sum> operator()(unsigned t) {
    using T = carrier_t<Sum>;
    if constexpr (commutes<Sum>) {
      T sum = m.identity();
      for (; through < t; through += at_once * warp_size) {
        word got[at_once];
        poll(got, t);
#pragma unroll
        for (int k = 0; k < at_once; ++k) {
          if (place(k, t) < t) sum = m(sum, T(message::value(got[k])));
        }
      }
      through = t;
      whole = m(whole, warp_fold(sum, m));
      return whole;
    } else if constexpr (folds_all<State, Sum>) {
      for (; through < t; through += at_once * warp_size) {
        word got[at_once];
        poll(got, t);
        T x[at_once];
#pragma unroll
        for (int k = 0; k < at_once; ++k) {
          x[k] = place(k, t) < t ? T(message::value(got[k])) : T(m.identity());
        }
        whole = m(whole, warp_fold_all(x, m));
      }
      through = t;
      return whole;
    } else {
      for (;; through += at_once * warp_size) {  // group by group; the last may be the tile's own
        word got[at_once];
        poll(got, t);
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
  /// The index of the lane's word in round k; t if it has none.  An incomplete group occupies the
  /// last lanes, so that the distance of a lane from the end of its group is constant.
  __device__ unsigned place(int k, unsigned t) const {
    unsigned const lane = threadIdx.x % warp_size;
    unsigned const begin = through + k * warp_size;
    unsigned const end = ::min(begin + warp_size, t);
    if constexpr (commutes<Sum> || folds_all<State, Sum>) {
      return begin + lane < t ? begin + lane : t;
    } else {
      return end + lane >= begin + warp_size ? end + lane - warp_size : t;
    }
  }

  /// Polls all words of all rounds together, to hide their latency, which exceeds the time that a
  /// tile takes. Repeats the polls that found nothing.
  __device__ void poll(word (&got)[at_once], unsigned t) const {
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

}  // namespace ravel::inline v0::gpu::detail
