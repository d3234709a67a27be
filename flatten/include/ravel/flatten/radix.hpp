#pragma once

/// @file
/// The stable radix sort of the elements of all sequences by keys.

#include <ravel/core/radix_key.hpp>
#include <ravel/flatten/compute.hpp>
#include <ravel/primitives/split.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

namespace ravel::inline v0::flattening {

inline constexpr int digit_bits = 8;

/// The digit at bit `shift` of the key of the i-th element in the current order.
template <class Key>
struct digit_in_order {
  Key key;
  index_t const* order;
  int shift;
  RAVEL_HD int operator()(index_t i) const {
    return static_cast<int>(key(order[i]) >> shift) & ((1 << digit_bits) - 1);
  }
};
struct move_in_order {
  index_t const* from;
  index_t* to;
  RAVEL_HD void operator()(index_t i, int, index_t place) const { to[place] = from[i]; }
};

/// An order between passes: each pass writes the other of two buffers.
template <class Ex>
struct ordering {
  Ex const& ex;
  index_t n;
  held<index_t> here, spare;

  ordering(Ex const& on, index_t size)
      : ex(on), n(size), here(hold<index_t>(on, size)), spare(hold<index_t>(on, size)) {
    visit_indices(ex, n, evaluate<place, index_t>{{}, here.data});
  }

  /// Sorts by bits [0, bits) of key(i), stably.
  template <class Key>
  void sort_by(Key key, int bits) {
    for (int shift = 0; n > 1 && shift < bits; shift += digit_bits) {
      count_step("split by digit", n, text_of_type<Key>());
      split_on<1 << digit_bits>(ex, n, digit_in_order<Key>{key, here.data, shift},
                                move_in_order{here.data, spare.data}, no_starts{});
      std::swap(here, spare);
    }
  }
};

struct unsigned_at {
  index_t const* values;
  RAVEL_HD std::uint64_t operator()(index_t i) const {
    return static_cast<std::uint64_t>(values[i]);
  }
};
inline int bits_of_numbers_to(index_t greatest) {
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(greatest)));
}

/// The stable order of n numbers in [0, greatest].
template <class Ex>
held<index_t> stable_order(Ex const& ex, index_t n, indices_held const& numbers, index_t greatest) {
  ordering<Ex> order(ex, n);
  order.sort_by(unsigned_at{numbers.data}, bits_of_numbers_to(greatest));
  return order.here;
}

}  // namespace ravel::inline v0::flattening
