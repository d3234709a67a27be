#pragma once

/// Whether rows are where a stable sort puts them, found in the memory where they are: sorting
/// millions of rows on the host, and copying them, would take most of a test's time.

#include <ravel/core/radix_key.hpp>
#include <ravel/core/search.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/rows.hpp>

#include "support/executors.hpp"

#include <cstdint>

namespace ravel::testing {

/// Stores a row that is not where a stable sort by `bits` of the keys `from` has it, if there is one.
/// The value of a row is its place in `from`, and segments begin at `offsets`.  Each row comes from
/// its segment and is after the one before it, so that none occurs twice.
template <class T>
struct row_out_of_place {
  T const* from;
  T const* keys;
  std::uint32_t const* places;
  index_t const* offsets;
  index_t segments;
  bit_range bits;
  index_t* row;
  RAVEL_HD auto part(index_t i) const {
    auto const all = static_cast<std::uint64_t>(radix_key<T>::bits(keys[i]));
    return all << (64 - bits.end) >> (64 - bits.end + bits.begin);
  }
  RAVEL_HD void operator()(index_t i) const {
    index_t const end = partition_point(0, segments, [&](index_t s) { return offsets[s] <= i; });
    index_t const begin = offsets[end - 1], from_row = places[i];
    bool const is_of_segment = begin <= from_row && from_row < offsets[end];
    bool const follows = i == begin || part(i - 1) < part(i) ||
                         (part(i - 1) == part(i) && places[i - 1] < places[i]);
    if (!is_of_segment || !follows ||
        radix_key<T>::bits(from[from_row]) != radix_key<T>::bits(keys[i])) {
      *row = i;
    }
  }
};

template <class T>
struct row_that_differs {
  T const* x;
  T const* y;
  index_t* row;
  RAVEL_HD void operator()(index_t i) const {
    if (x[i] != y[i]) *row = i;
  }
};

/// The row that find(row) makes store itself, or -1.
template <class Find>
index_t some_row(gpu::executor const& ex, index_t n, Find find) {
  auto const row = to(ex, std::vector<index_t>{-1});
  for_each_index(ex, n, find(row.data()));
  return to_host(ex, row)[0];
}

/// A row of `keys` and `places`, of segments from each of `offsets` to the next, that is not where a
/// stable sort of `from` has it, or -1.
template <class T>
index_t some_row_out_of_place(gpu::executor const& ex, T const* from, T const* keys,
                              std::uint32_t const* places, std::vector<index_t> const& offsets,
                              bit_range bits = {0, radix_width<T>}) {
  auto const begins = to(ex, offsets);
  return some_row(ex, offsets.back(), [&](index_t* row) {
    return row_out_of_place<T>{from, keys, places, begins.data(), std::ssize(offsets) - 1,
                               bits, row};
  });
}

/// A row where x and y differ, or -1.
template <class T>
index_t some_difference(gpu::executor const& ex, index_t n, T const* x, T const* y) {
  return some_row(ex, n, [&](index_t* row) { return row_that_differs<T>{x, y, row}; });
}

}  // namespace ravel::testing
