#pragma once

/// Reduction of consecutive segments by one thread, some at a time, by loops in vectors that take the
/// begins of segments.

#include <ravel/core/cpu/loops.hpp>

namespace ravel::inline v0::cpu::detail {

/// Reduces segments [s, last), the first of which begins at element i, and calls visit(s, result) for
/// each: reduce(s, begins, count, results) reduces some at a time from s on, the elements [begins[k],
/// begins[k + 1]) to results[k].  Returns the end of the last segment.
template <class T, class Segments, class Reduce, class Visit>
index_t reduce_some_at_a_time(Segments const& segments, index_t s, index_t last, index_t i,
                              Reduce const& reduce, Visit const& visit) {
  constexpr index_t at_once = 256;
  index_t begins[at_once + 1];
  T results[at_once];
  for (index_t next; s < last; s = next) {
    next = std::min(last, s + at_once);
    begins[0] = i;
    for (index_t k = s; k < next; ++k) {  // max: offsets of malformed segments may descend
      begins[k + 1 - s] = std::max(begins[k - s], segments.begin(k + 1));
    }
    i = begins[next - s];
    reduce(s, begins, next - s, results);
    for (index_t k = s; k < next; ++k) visit(k, results[k - s]);
  }
  return i;
}

/// The same for sums of contiguous numbers.  Out of line, with arguments by value, so that in the path for
/// few elements they need not be stored to memory.
template <class T, class Segments, class Visit>
[[gnu::noinline]] index_t add_up_in_vectors(T const* in, Segments segments, index_t s, index_t last,
                                            index_t i, T carry, Visit visit) {
  auto const add_up = [=](index_t, index_t const* begins, index_t count, T* sums) {
    loops::add_up_segments<T>(begins, count, in, carry, sums);
  };
  return reduce_some_at_a_time<T>(segments, s, last, i, add_up, visit);
}

}  // namespace ravel::inline v0::cpu::detail
