#pragma once

/// Sorted search on the host, the table of forms and the form: the search for each needle starts
/// from the result of the previous one.
///
/// A galloping search doubles its step until it brackets the result; a binary search follows.  For
/// sorted needles it takes a step or two.  Where consecutive results lie apart, several binary
/// searches go together, so that the latencies of their loads overlap.

#include <ravel/core/cpu/either.hpp>
#include <ravel/core/cpu/host.hpp>
#include <ravel/core/cpu/worker.hpp>
#include <ravel/core/search.hpp>
#include <ravel/core/table.hpp>
#include <ravel/primitives/search/call.hpp>

#include <cstdlib>

namespace ravel::inline v0 {
namespace cpu {
namespace detail {

/// partition_point with a fixed sequence of interval lengths.  It is branchless, so the
/// out-of-order core can start the next search before this one has ended.
index_t partition_point_nearby(index_t first, index_t last, auto const& holds) {
  index_t n = last - first;
  for (; n > 1; n -= n / 2) first += either(holds(first + n / 2 - 1), n / 2, index_t{0});
  return n > 0 && holds(first) ? first + 1 : first;
}

/// partition_point with branches: loads on the predicted path are issued early, which hides their
/// latency where the interval is not in cache.
index_t partition_point_by_halves(index_t first, index_t last, auto const& holds) {
  constexpr index_t near = 4096;
  while (last - first > near) {
    index_t const middle = first + (last - first) / 2;
    (holds(middle - 1) ? first : last) = middle;
  }
  return partition_point_nearby(first, last, holds);
}

/// The first position of [0, n) where `holds` is false, found by a galloping search from a guess.
index_t partition_point_near(index_t guess, index_t n, auto const& holds) {
  index_t first = 0, last = n;
  index_t width = 1;
  if (guess < n && holds(guess)) {
    first = guess + 1;
    while (first + width <= n && holds(first + width - 1)) {
      first += width;
      width *= 2;
    }
    last = std::min(n, first + width - 1);
  } else {
    last = guess;
    while (last - width >= 0 && !holds(last - width)) {
      last -= width;
      width *= 2;
    }
    first = std::max(index_t{0}, last - width + 1);
  }
  return partition_point_by_halves(first, last, holds);
}

/// Searches for several needles together, without branches, so that their loads overlap.  Sets
/// `place` to the last position, and returns how far it is from the one before.
template <index_t Needles, class Search>
index_t search_together(Search const& search, index_t i, index_t& place) {
  index_t first[Needles] = {};
  index_t n = search.n;
  for (; n > 1; n -= n / 2) {
    for (index_t k = 0; k < Needles; ++k) {
      first[k] += either(search.is(i + k)(first[k] + n / 2 - 1), n / 2, index_t{0});
    }
  }
  for (index_t k = 0; k < Needles; ++k) {
    first[k] += static_cast<bool>(search.is(i + k)(first[k]));
    search.found(i + k, first[k]);
  }
  place = first[Needles - 1];
  return std::abs(place - first[Needles - 2]);
}

template <class Search>
struct search_tile {
  Search search;
  void operator()(worker, tile t) const {
    constexpr index_t few = 256;  // up to this length a guess gains nothing
    if (search.n <= few) {
      for (index_t i = t.begin; i < t.end; ++i) {
        search.found(i, partition_point_nearby(0, search.n, search.is(i)));
      }
      return;
    }
    constexpr index_t together = 16, near = 64;
    index_t i = t.begin, place = search.place(i), distance = 0;
    while (i < t.end) {
      for (; i < t.end && distance <= near; ++i) {
        index_t const before = place;
        place = partition_point_near(before, search.n, search.is(i));
        distance = std::abs(place - before);
        search.found(i, place);
      }
      for (; t.end - i >= together && distance > near; i += together) {
        distance = search_together<together>(search, i, place);
      }
      distance = 0;
    }
  }
};

}  // namespace detail

struct search_in_turn {
  static constexpr auto name = "in_turn";
  static constexpr auto why =
      "Each search gallops from the result of the previous needle; where results lie apart, 16 "
      "binary searches go together without branches, and in at most 256 elements each by itself.";
  template <class Ex, class Search>
  static void run(Ex const& ex, search_call<Search> const& c) {
    ex.for_each_tile(c.needles, detail::search_tile<Search>{c.search});
  }
};

}  // namespace cpu

template <>
struct form_table<search_family, cpu::host> : forms<cpu::search_in_turn> {};

}  // namespace ravel::inline v0
