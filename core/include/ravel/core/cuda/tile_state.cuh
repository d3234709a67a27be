#pragma once

/// The communication between the blocks of a single-pass kernel: tickets, and tile descriptors, in
/// which tiles publish aggregates and prefixes.

#include <ravel/core/cuda/words.cuh>
#include <ravel/core/vocabulary.hpp>

#include <cstring>

namespace ravel::inline v0::gpu {

/// The status of a tile descriptor: nothing published yet, the tile's aggregate, or its inclusive
/// prefix.
enum class published : unsigned { nothing = 0, part = 1, through = 2 };

/// The ticket counter.  Tiles are taken in the order of tickets, so a block only ever waits for
/// blocks that already run.
///
/// The word is {epoch, next ticket}.  It needs no reset between kernels: the block that draws the
/// last ticket begins the next epoch, and values published in an earlier epoch are ignored.
struct dispenser {
  static constexpr unsigned last_epoch = (1u << 30) - 1;  // tags have 30 bits for the epoch
  detail::word64 next;
  unsigned finished;  // number of blocks of the last epoch that have made their last read
};

/// A ticket and its epoch.
struct ticket {
  index_t tile;
  unsigned epoch;
};

/// Draws a ticket.  The caller must pass the returned word to settle; in between it may do other
/// work.
__device__ inline detail::word64 request_ticket(dispenser& counter) {
  return atomicAdd(&counter.next, detail::word64{1});
}

/// The ticket in a drawn word, where a kernel draws `tickets` in all.
__device__ inline ticket settle(dispenser& counter, detail::word64 drawn, index_t tickets) {
  auto const tile = static_cast<index_t>(drawn & 0xffffffff);
  auto const epoch = static_cast<unsigned>(drawn >> 32);
  if (tile == tickets - 1) {
    detail::word64 const step = (detail::word64{1} << 32) - static_cast<detail::word64>(tickets);
    // The word is drawn + 1 now, so adding ~drawn resets it to 0.
    atomicAdd(&counter.next, epoch == dispenser::last_epoch ? ~drawn : step);
  }
  return {tile, epoch};
}

/// Draws one of `tickets` tickets.  One thread of each block calls this once.
__device__ inline ticket draw(dispenser& counter, index_t tickets) {
  return settle(counter, request_ticket(counter), tickets);
}

/// The tile descriptors for published values of type T: their layout and address.
///
/// Up to 4 bytes share an 8-byte word with their tag, up to 12 bytes a 16-byte word.  A larger
/// value is written first, and then its tag with release semantics.  A tag contains the status and
/// the epoch.  Each layout has its own memory, since a value of one layout could look like a tag of
/// another.
template <class T>
struct tile_states {
  static_assert(std::is_trivially_copyable_v<T>, "a published value must be trivially copyable");
  static constexpr bool in_8 = sizeof(T) <= 4;
  static constexpr bool in_16 = !in_8 && sizeof(T) <= 12;
  static constexpr bool apart = !in_8 && !in_16;
  using word = std::conditional_t<in_8, detail::word64,
                                  std::conditional_t<in_16, detail::word128, unsigned>>;

  word* words;
  T* values;  // in the layout with separate values: two per slot, aggregate and prefix
  unsigned epoch;
  int values_each = 2;  // 1 if only aggregates are published

  __device__ void publish(index_t slot, published what, T const& x) const {
    unsigned const tag = epoch << 2 | static_cast<unsigned>(what);
    if constexpr (in_8) {
      unsigned bits = 0;
      std::memcpy(&bits, &x, sizeof(T));
      detail::store_relaxed(words + slot, detail::word64{tag} << 32 | bits);
    } else if constexpr (in_16) {
      unsigned bits[4] = {0, 0, 0, tag};
      std::memcpy(bits, &x, sizeof(T));
      detail::word128 packed;
      std::memcpy(&packed, bits, sizeof(packed));
      detail::store_relaxed(words + slot, packed);
    } else {
      values[values_each * slot + (what == published::through)] = x;
      detail::store_release(words + slot, tag);
    }
  }

  /// Polls `slot`: returns its current status and stores its value in `x`.
  __device__ published look(index_t slot, T& x) const {
    unsigned tag;
    if constexpr (in_8) {
      detail::word64 const got = detail::load_relaxed(words + slot);
      tag = static_cast<unsigned>(got >> 32);
      auto const bits = static_cast<unsigned>(got);
      std::memcpy(&x, &bits, sizeof(T));
    } else if constexpr (in_16) {
      detail::word128 const got = detail::load_relaxed(words + slot);
      unsigned bits[4];
      std::memcpy(bits, &got, sizeof(got));
      std::memcpy(&x, bits, sizeof(T));
      tag = bits[3];
    } else {
      tag = detail::load_acquire(words + slot);
    }
    if (tag >> 2 != epoch) return published::nothing;
    auto const what = static_cast<published>(tag & 3);
    if constexpr (apart) {
      if (what != published::nothing) x = values[values_each * slot + (what == published::through)];
    }
    return what;
  }
};

}  // namespace ravel::inline v0::gpu
