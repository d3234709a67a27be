#pragma once

/// @file
/// Segmented reduce on the host: a loop over the segments of each stretch.
///
/// The steps carry a head flag with every element through a scan, and load each
/// twice.  Here elements and ends of segments, merged in their order, are cut
/// into stretches of one length, so that neither a long segment nor many empty
/// ones keep a thread busy while others rest.  A stretch visits the segments
/// that begin and end in it, and leaves a note of what it knows of the others;
/// the notes are put together at last.
///
/// On two cores of an AMD EPYC a sparse product takes a quarter to a sixth of
/// the time of the steps (bench/README.md).
///
/// Source   Merrill and Garland, "Merge-Based Parallel Sparse Matrix-Vector
///          Multiplication", SC 2016.

#include <ravel/core/config.hpp>
#include <ravel/core/cpu/worker.hpp>
#include <ravel/core/monoid.hpp>
#include <ravel/core/search.hpp>
#include <ravel/core/tile.hpp>
#include <ravel/primitives/segmented_reduce.hpp>

#include <algorithm>

namespace ravel::inline v0::cpu {
namespace detail {

/// Elements and ends of segments, together, in one stretch of `all`: enough that
/// it takes no time to find where it begins, and so few that there are many.
inline constexpr index_t stretch_width(index_t all) {
  return std::clamp(all / 64, index_t{1} << 13, index_t{1} << 17);
}

/// What a stretch knows of the segment that it found begun, if that ends here,
/// and of the one that it leaves open.
template <class T>
struct note {
  index_t ending;    ///< the first segment to end here, if any does
  bool ends;         ///< whether one does
  bool found_begun;  ///< whether an earlier stretch has its first elements
  T head;            ///< of the segment `ending`, if it was found begun
  T tail;            ///< of the segment left open
};

/// carry * load(begin) * ... * load(end - 1), while what later segments load is
/// on its way, if the load knows what that is.  One running value, and not
/// several side by side: sums of neighbouring segments overlap anyway, and a
/// simple loop is mispredicted least.
template <class Load, class M, class T>
[[gnu::always_inline]] inline T combine(Load const& load, index_t begin, index_t end, M const& m,
                                        T carry) {
  if constexpr (requires { load.prefetch(begin, end); }) load.prefetch(begin, end);
  for (index_t i = begin; i < end; ++i) carry = m(carry, T(load(i)));
  return carry;
}

template <class T, class Load, class Segments, class M, class Seed, class Visit>
struct reduce_stretch {
  index_t n;
  Load load_all;
  Segments segments;
  M m;
  Seed seed;
  Visit visit;
  note<T>* notes;

  void operator()(worker, tile stretch) const {
    index_t const count = segments.count();
    index_t s =
        partition_point(0, count, ravel::detail::ends_within<Segments>{segments, stretch.begin});
    index_t i = stretch.begin - s;
    // The next segment's end, and whether it is in this stretch.
    index_t end = s < count ? segments.begin(s + 1) : n;
    auto const ends_here = [&] { return s < count && end + s < stretch.end; };
    auto const next = [&] {
      i = end;
      if (++s < count) end = segments.begin(s + 1);
    };

    note<T> left{s, ends_here(), s < count && segments.begin(s) < i, {}, T(seed())};
    if (left.found_begun) left.head = left.tail = T(m.identity());
    index_t const most = std::min(n, stretch.end - s);  // an end or more may take its place
    if (i < most) {
      auto const load = ravel::detail::on_tile(load_all, {stretch.id, i, most});
      if (left.found_begun && left.ends) {
        left.head = combine(load, i, end, m, left.head);
        left.tail = T(seed());
        next();
      }
      for (; ends_here(); next()) visit(s, combine(load, i, end, m, T(seed())));
      left.tail = combine(load, i, stretch.end - s, m, left.tail);
    } else {  // no elements, so nothing to load from
      if (left.found_begun && left.ends) {
        left.tail = T(seed());
        next();
      }
      for (; ends_here(); next()) visit(s, T(seed()));
    }
    notes[stretch.id] = left;
  }
};

}  // namespace detail

/// As the steps of segmented reduce where segments have numbers.
template <host_executor Ex, class Load, class Segments, class M, class Seed, class Visit>
void reduce_numbered_on(Ex const& ex, index_t n, Load load, Segments segments, M m, Seed seed,
                        Visit visit) {
  using T = carrier_t<M>;
  index_t const all = n + segments.count();
  index_t const width = detail::stretch_width(all);
  auto const notes = ex.template scratch<detail::note<T>>(div_up(all, width));
  ex.for_each_tile_of(width, all,
                      detail::reduce_stretch<T, Load, Segments, M, Seed, Visit>{
                          n, load, segments, m, seed, visit, notes.data()});

  T open = T(seed());
  for (detail::note<T> const& left : notes) {
    if (left.ends && left.found_begun) visit(left.ending, T(m(open, left.head)));
    open = left.found_begun && !left.ends ? T(m(open, left.tail)) : left.tail;
  }
}

}  // namespace ravel::inline v0::cpu
