#pragma once

/// Segmented pack on the host: counts the kept bits of each tile to find where output segments
/// begin.

#include <ravel/core/search.hpp>
#include <ravel/primitives/cpu/pack.hpp>

namespace ravel::inline v0::cpu::detail {

/// The predicate of a binary search: whether segment s begins before `place`.
template <class Segments>
struct begins_before {
  Segments segments;
  index_t place;
  RAVEL_HD bool operator()(index_t s) const { return segments.begin(s) < place; }
};

/// For each segment that begins in a tile, passes the number of elements kept before it to
/// `begins`.
template <class Segments, class Begins>
struct begins_in_tile {
  Segments segments;
  Begins begins;

  void operator()(tile t, std::uint64_t const* kept, index_t ahead) const {
    index_t const count = segments.count();
    index_t words = 0;
    for (index_t s = partition_point(0, count, begins_before<Segments>{segments, t.begin});
         s < count; ++s) {
      index_t const place = segments.begin(s) - t.begin;
      if (place < 0 || place >= t.end - t.begin) break;
      for (; words < place / 64; ++words) ahead += std::popcount(kept[words]);
      std::uint64_t const those_before = (std::uint64_t{1} << place % 64) - 1;
      begins(s, ahead + std::popcount(kept[words] & those_before));
    }
  }
};

/// Passes the total number kept for segments that begin after all elements (empty ones), or the numbers
/// of several parts.
template <class Segments, class Begins>
struct begins_at_end {
  Segments segments;
  Begins begins;
  index_t n;
  void operator()(auto const& kept) const {
    index_t s = segments.count();
    for (; s > 0 && segments.begin(s - 1) == n; --s) begins(s, kept);
    begins(s, kept);
  }
};

}  // namespace ravel::inline v0::cpu::detail
