#pragma once

/// The sources from which a device's segmented sort loads what it sorts: keys without values as
/// they are, or rows as 64-bit words, of 32 bits of the key and the row's place, which makes all
/// words distinct.

#include <ravel/algorithms/cuda/key_orders.cuh>
#include <ravel/algorithms/cuda/long_segment_lists.cuh>
#include <ravel/algorithms/cuda/part_giants.cuh>
#include <ravel/algorithms/cuda/sort_in_tile.cuh>
#include <ravel/algorithms/sort_options.hpp>
#include <ravel/core/cuda/range_copy.cuh>
#include <ravel/core/radix_key.hpp>
#include <ravel/core/read_once.hpp>
#include <ravel/primitives/rows.hpp>

namespace ravel::inline v0::gpu::detail {

/// A source loads the segments of a tile as type `of_tile` into shared memory, where they are
/// sorted. Segments that are too long for a warp are sorted as type `stored`, by `order`.  Members
/// of a source:
///
///     load, wait      asynchronous copy to shared memory; a block may work in between
///     tile            the loaded segments, as the object that sorts them
///     store           writes a sorted tile to its destination
///     check_keys      tests for keys that this source cannot sort, before the block moves any
///     of(run)         load(i) and store(place, word) of a run that a block sorts
///     stored_of       the key of a loaded word; only of keys alone
///     given, aside,
///     parted          input and, alternating, outputs of partitioning long segments
///     unwanted        whether the kernel has nothing to do
template <class U, class Order>
struct keys_of_segments {
  using stored = U;
  using of_tile = U;
  using word = key_word<U>;
  using order_type = Order;
  template <int Threads>
  using parts = giant_parts<U, Order, Threads>;
  static constexpr bool makes_words = false;

  /// By which the blocks of long segments distribute keys.
  __device__ auto values() const {
    if constexpr (std::same_as<Order, integer_order<U>> || sizeof(U) < 4) {
      return no_values{};
    } else {
      return values_of_numbers<U, Order>{order};
    }
  }

  index_t n;
  U const* in;
  U* out;
  U* aside;
  Order order;
  unsigned* failed;  // set to nonzero if another bit pattern may compare equal to a key

  __device__ bool unwanted() const { return false; }

  template <class Tile>
  __device__ U* load(Tile& room, index_t begin, index_t end) const {
    copy_range(room.keys, in, n, begin, end, room.landed, Tile::threads);
    return room.keys + past_vector(in + begin);
  }
  template <class Tile>
  __device__ void wait(Tile const& room) const {
    wait_for_range(room.landed);
  }
  template <class Tile>
  __device__ keys_of_tile<U, Order> tile(Tile&, U* keys) const {
    return {keys, order};
  }
  template <class Tile>
  __device__ void store(Tile const&, U const* keys, index_t begin, int count) const {
    copy_range_out(out + begin, keys, count, Tile::threads);
  }

  /// Sets *failed if another bit pattern may compare equal to the key, as with zeros and NaNs.
  __device__ void check_key(U x) const {
    if constexpr (!std::same_as<Order, integer_order<U>>) {
      if (!order.is_unique(x)) *failed = 1;
    }
  }
  __device__ void check_keys(U const* keys, int count, int threads) const {
    if constexpr (!std::same_as<Order, integer_order<U>>) {
      for (int i = threadIdx.x; i < count; i += threads) check_key(keys[i]);
      __syncthreads();  // all keys are tested before any key is moved
    }
  }

  struct run {
    keys_of_segments const& all;
    U const* from;
    U* to;
    __device__ word load(int i) const {
      U const x = from[i];
      all.check_key(x);
      return word{all.order(x)};
    }
    __device__ void store(int place, word x) const { to[place] = all.stored_of(x); }
  };
  __device__ run of(listed_run const& r) const {
    U const* const keys = r.where() == listed_run::in      ? in
                          : r.where() == listed_run::aside ? aside
                                                           : out;
    return {*this, keys + r.begin(), out + r.begin()};
  }
  __device__ U stored_of(word x) const { return order.back(static_cast<U>(x)); }

  __device__ U const* given() const { return in; }
  __device__ U* parted() const { return out; }
};

/// Maps a place in the order that earlier rounds have found to a row; the identity before the first
/// round. With malformed offsets some places are never written; so indices are clamped to existing
/// rows.
struct order_of_rows {
  std::uint32_t const* places = nullptr;
  std::uint32_t last = 0;
  __device__ std::uint32_t operator()(std::uint32_t i) const {
    return places != nullptr ? ::min(read_ahead(places + i), last) : i;
  }
};

/// The round's 32 bits of the key of the i-th row in the current order.
template <class K, class Key>
struct piece_of_key {
  using number = ravel::detail::sort_key_t<Key, K>;
  K const* keys;
  Key key;
  order_of_rows order;
  int shift;
  std::uint32_t mask, flip;
  __device__ std::uint32_t operator()(index_t i) const {
    K const x = read_ahead(keys + order(static_cast<std::uint32_t>(i)));
    auto const bits = radix_key<ravel::detail::sort_key_t<Key, K>>::bits(key(x));
    return (static_cast<std::uint32_t>(bits >> shift) & mask) ^ flip;
  }
};

/// The numbers of words whose highest 32 bits are a piece of a floating-point key, if it has the highest
/// bits of the key.
template <std::floating_point T>
struct values_of_pieces {
  static constexpr bool exist = true;
  static constexpr bool may_repeat = false;  // a word also has a place
  using number = T;
  using U = ravel::detail::unsigned_of_t<T>;
  int shift;
  std::uint32_t mask, flip;
  __device__ bool are_in_order() const {
    return shift + 32 == 8 * static_cast<int>(sizeof(U)) && mask == ~std::uint32_t{0};
  }
  __device__ T operator()(std::uint64_t word) const {
    auto const piece = static_cast<std::uint32_t>(word >> 32) ^ flip;
    return values_of_numbers<U, number_order<U>>{{}}(static_cast<U>(U{piece} << shift));
  }
};

/// Result of the last round: copies the i-th row in the current order to its place.
template <class K, class V>
struct move_rows {
  rows<K const, V const> in;
  rows<K, V> out;
  order_of_rows order;
  struct row {
    K key;
    V value;
  };
  __device__ row get(std::uint32_t i) const {
    index_t const source = order(i);
    if constexpr (rows<K, V>::has_values) {
      return {read_ahead(in.keys + source), read_ahead(in.values + source)};
    } else {
      return {read_ahead(in.keys + source), {}};
    }
  }
  __device__ void set(index_t place, row const& x) const {
    out.keys[place] = x.key;
    if constexpr (rows<K, V>::has_values) out.values[place] = x.value;
  }
};

/// Result of other rounds: records at the place the number of the i-th row in the current order.
struct move_order {
  order_of_rows order;
  std::uint32_t* to;
  using row = std::uint32_t;
  __device__ row get(std::uint32_t i) const { return order(i); }
  __device__ void set(index_t place, row x) const { to[place] = x; }
};

template <class Piece, class Move>
struct rows_of_segments {
  using stored = std::uint64_t;
  using of_tile = std::uint32_t;
  using word = std::uint64_t;
  using order_type = integer_order<stored>;
  template <int Threads>
  using parts = giant_parts<stored, order_type, Threads>;
  static constexpr bool makes_words = true;
  __device__ auto values() const {
    if constexpr (std::floating_point<typename Piece::number>) {
      return values_of_pieces<typename Piece::number>{piece.shift, piece.mask, piece.flip};
    } else {
      return no_values{};
    }
  }
  static constexpr int at_once = sizeof(typename Move::row) <= 16 ? 6 : 1;

  Piece piece;
  Move move;
  stored* words;
  stored* aside;
  unsigned const* wanted;  // null, or in device memory: nothing is sorted if it is 0
  order_type order = {0};

  __device__ bool unwanted() const { return wanted != nullptr && *wanted == 0; }
  __device__ void check_keys(of_tile const*, int, int) const {}

  static __device__ std::uint32_t place_in(word x) { return static_cast<std::uint32_t>(x); }
  __device__ word made_of(std::uint32_t bits, index_t i) const {
    return word{bits} << 32 | static_cast<std::uint32_t>(i);
  }

  /// Calls put(i, bits), with the round's bits of the key of row begin + i, for each row of [begin,
  /// end), by all threads of a block.
  template <class Put>
  __device__ void for_each_piece(index_t begin, index_t end, int threads, Put const& put) const {
    for (index_t base = begin; base < end; base += index_t{threads} * at_once) {
      int const count = static_cast<int>(::min(end - base, index_t{threads} * at_once));
      std::uint32_t bits[at_once];
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        int const i = k * threads + static_cast<int>(threadIdx.x);
        if (i < count) bits[k] = piece(base + i);
      }
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        int const i = k * threads + static_cast<int>(threadIdx.x);
        if (i < count) put(base - begin + i, bits[k]);
      }
    }
  }
  __device__ void make_words(index_t begin, index_t end, int threads) const {
    for_each_piece(begin, end, threads, [&](index_t i, std::uint32_t bits) {
      words[begin + i] = made_of(bits, begin + i);
    });
  }

  template <class Tile>
  __device__ of_tile* load(Tile& room, index_t begin, index_t end) const {
    for_each_piece(begin, end, Tile::threads, [&](index_t i, std::uint32_t bits) {
      room.keys[i] = bits;
      room.places[i] = static_cast<std::uint16_t>(i);
    });
    return room.keys;
  }
  template <class Tile>
  __device__ void wait(Tile const&) const {
    __syncthreads();
  }
  template <class Tile>
  __device__ rows_of_tile tile(Tile& room, of_tile const* keys) const {
    return {keys, room.places};
  }
  template <class Tile>
  __device__ void store(Tile const& room, of_tile const*, index_t begin, int count) const {
    constexpr int threads = Tile::threads;
    __syncthreads();
    for (int base = threadIdx.x; base < count; base += threads * at_once) {
      typename Move::row x[at_once];
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        int const i = base + k * threads;
        if (i < count) x[k] = move.get(static_cast<std::uint32_t>(begin) + room.places[i]);
      }
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        if (base + k * threads < count) move.set(begin + base + k * threads, x[k]);
      }
    }
  }

  struct run {
    rows_of_segments const& rows;
    stored const* from;  // null before words have been made of keys and places
    index_t begin;
    __device__ word load(int i) const {
      return from != nullptr ? from[i] : rows.made_of(rows.piece(begin + i), begin + i);
    }
    __device__ void store(int place, word x) const {
      rows.move.set(begin + place, rows.move.get(place_in(x)));
    }
  };
  __device__ run of(listed_run const& r) const {
    stored const* const source = r.where() == listed_run::in      ? nullptr
                                 : r.where() == listed_run::aside ? aside + r.begin()
                                                                  : words + r.begin();
    return {*this, source, r.begin()};
  }

  __device__ stored const* given() const { return words; }
  __device__ stored* parted() const { return words; }
};

}  // namespace ravel::inline v0::gpu::detail
