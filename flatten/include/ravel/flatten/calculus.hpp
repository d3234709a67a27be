#pragma once

/// The calculus of flattening: the operations on all sequences at once, each from those above it.
///
/// Begin here.  A nested program is an order of these operations.  The rest of the layer finds the
/// order (each.hpp, choose.hpp, recurse.hpp), and makes its steps fewer and faster (optimiser.hpp).
///
/// Sequences are their elements, and the offsets where each begins:
///
///     [[3 1 2] [] [5 4]]        elements   3 1 2 5 4
///                               offsets    0 3 3 5
///
/// Below this are maps, scans, gathers and scatters of flat sequences.  n elements in k sequences take
/// O(n + k) work and O(log n) span.  What has a length that depends on data waits for it.
///
/// Source   Blelloch, "Vector Models for Data-Parallel Computing", 1990; and the library `segmented`
///          of Futhark.

#include <ravel/core/transfer.hpp>
#include <ravel/primitives/distribute.hpp>
#include <ravel/primitives/gather.hpp>
#include <ravel/primitives/iota.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/scan.hpp>
#include <ravel/primitives/scatter.hpp>

#include <algorithm>
#include <utility>

namespace ravel::inline v0::calculus {

/// Indices, offsets or lengths, in the memory of Ex.
template <class Ex>
using indices = decltype(std::declval<Ex const&>().template allocate<index_t>(0));

/// f of each element of `in`, up to the end of the shortest.
template <class T, class Ex, class F, class... In>
auto mapped(Ex const& ex, F f, In const&... in) {
  index_t const n = std::min({size_of(in)...});
  auto out = ex.template allocate<T>(n);
  map(ex, f, out, view_of(in).slice(0, n)...);
  return out;
}
/// The elements with these indices.
template <class Ex, class X>
auto at(Ex const& ex, X const& in, indices<Ex> const& places) {
  auto out = ex.template allocate<element_t<X>>(size_of(places));
  gather(ex, in, places, out);
  return out;
}
/// The numbers below n.
template <class Ex>
indices<Ex> below(Ex const& ex, index_t n) {
  auto out = ex.template allocate<index_t>(n);
  iota(ex, out);
  return out;
}
template <class Ex>
index_t last(Ex const& ex, indices<Ex> const& x) {
  return to_host(ex, view_of(x).slice(size_of(x) - 1, 1)).front();
}

// ---- descriptors --------------------------------------------------------------------------------

///     offsets_of([3 0 2])              [0 3 3 5]
template <class Ex, class Lengths>
indices<Ex> offsets_of(Ex const& ex, Lengths const& lengths) {
  auto offsets = ex.template allocate<index_t>(size_of(lengths) + 1);
  exclusive_scan(ex, lengths, offsets);
  return offsets;
}

/// y - x
struct difference {
  RAVEL_HD index_t operator()(index_t x, index_t y) const { return y - x; }
};
///     lengths_of([0 3 3 5])            [3 0 2]
template <class Ex>
indices<Ex> lengths_of(Ex const& ex, indices<Ex> const& offsets) {
  auto const ends = view_of(offsets).slice(1, size_of(offsets) - 1);
  return mapped<index_t>(ex, difference{}, offsets, ends);
}

/// Where a sequence begins, or no index.
struct begin_unless_empty {
  RAVEL_HD index_t operator()(index_t begin, index_t length) const { return length ? begin : -1; }
};
/// The sequence of each element: its number, written where it begins, and then the greatest so far.
///
///     sequence_of_each([0 3 3 5])      [0 0 0 2 2]
template <class Ex>
indices<Ex> sequence_of_each(Ex const& ex, indices<Ex> const& offsets) {
  auto const lengths = lengths_of(ex, offsets);
  auto const begins = mapped<index_t>(ex, begin_unless_empty{}, offsets, lengths);
  auto sequences = ex.template allocate<index_t>(last(ex, offsets));
  distribute(ex, index_t{0}, sequences);
  scatter(ex, below(ex, size_of(begins)), begins, sequences);
  inclusive_scan(ex, sequences, sequences, maximum{});
  return sequences;
}

/// A scalar of each sequence for each of its elements, as a lambda captures it.
///
///     spread([a b c], [0 3 3 5])       [a a a c c]
template <class Ex, class X>
auto spread(Ex const& ex, X const& scalars, indices<Ex> const& offsets) {
  return at(ex, scalars, sequence_of_each(ex, offsets));
}

/// The index of each element in its sequence.
///
///     index_of_each([0 3 3 5])         [0 1 2 0 1]
template <class Ex>
indices<Ex> index_of_each(Ex const& ex, indices<Ex> const& offsets) {
  return mapped<index_t>(ex, difference{}, spread(ex, offsets, offsets),
                         below(ex, last(ex, offsets)));
}

// ---- each: a map of the elements; their offsets stay ----------------------------------------------

/// A value, beside whether it is the first of its sequence.
template <class T>
struct with_head {
  RAVEL_HD flagged<T> operator()(T const& x, index_t index) const { return {x, index == 0}; }
};
/// The value alone.
template <class T>
struct without_head {
  RAVEL_HD T operator()(flagged<T> const& x) const { return x.value; }
};
/// One scan of values beside heads, which drops its left operand where the right one contains a head.
///
///     scan_each([3 1 2 5 4], [0 3 3 5], plus)      [3 4 6 5 9]
template <class Ex, class X, class M>
auto scan_each(Ex const& ex, X const& x, indices<Ex> const& offsets, M m) {
  using T = element_t<X>;
  auto pairs = mapped<flagged<T>>(ex, with_head<T>{}, x, index_of_each(ex, offsets));
  inclusive_scan(ex, pairs, pairs, segmented{m});
  return mapped<T>(ex, without_head<T>{}, pairs);
}

/// The last element of a sequence, or the identity if it has none.
template <class T, class M>
struct last_or_identity {
  T const* scanned;
  M m;
  RAVEL_HD T operator()(index_t end, index_t length) const {
    return length ? scanned[end - 1] : m.identity();
  }
};
/// The reduction of each sequence: the last element of its scan.
///
///     reduce_each([3 1 2 5 4], [0 3 3 5], plus)    [6 0 9]
template <class Ex, class X, class M>
auto reduce_each(Ex const& ex, X const& x, indices<Ex> const& offsets, M m) {
  using T = element_t<X>;
  auto const scanned = scan_each(ex, x, offsets, m);
  auto const lengths = lengths_of(ex, offsets);
  return mapped<T>(ex, last_or_identity<T, M>{scanned.data(), m},
                   view_of(offsets).slice(1, size_of(lengths)), lengths);
}

// ---- filter, if_, and sequences by number -----------------------------------------------------------

/// Where a flagged element goes, or no index.
struct place_if {
  RAVEL_HD index_t operator()(bool flag, index_t before) const { return flag ? before : -1; }
};
/// The flagged elements, and their offsets.
///
///     pack_each([3 1 2 5 4], [0 3 3 5], [1 0 1 0 1])      [3 2 4], [0 2 2 3]
template <class Ex, class X, class Flags>
auto pack_each(Ex const& ex, X const& x, indices<Ex> const& offsets, Flags const& flags) {
  auto const before = offsets_of(ex, flags);
  auto kept = ex.template allocate<element_t<X>>(last(ex, before));
  scatter(ex, x, mapped<index_t>(ex, place_if{}, flags, before), kept);
  return std::pair{std::move(kept), at(ex, before, offsets)};
}

/// not flag
struct negation {
  RAVEL_HD bool operator()(bool flag) const { return !flag; }
};
/// The end of an `if_`, whose branches run for what packs by the flags and by their negation select.
///
///     combine([1 0 1 1], [a c d], [b])     [a b c d]
template <class Ex, class Flags, class X>
X combine(Ex const& ex, Flags const& flags, X const& if_true, X const& if_false) {
  auto const all = below(ex, size_of(flags)), none = below(ex, 1);
  X out = ex.template allocate<element_t<X>>(size_of(flags));
  scatter(ex, if_true, pack_each(ex, all, none, flags).first, out);
  scatter(ex, if_false, pack_each(ex, all, none, mapped<bool>(ex, negation{}, flags)).first, out);
  return out;
}

/// Whole sequences by their numbers, as a lambda captures them.
///
///     sequences_at([3 1 2 5 4], [0 3 3 5], [2 0 2])      [5 4 3 1 2 5 4], [0 2 5 7]
template <class Ex, class X>
auto sequences_at(Ex const& ex, X const& x, indices<Ex> const& offsets, indices<Ex> const& rows) {
  auto bounds = offsets_of(ex, at(ex, lengths_of(ex, offsets), rows));
  auto const begins = spread(ex, at(ex, offsets, rows), bounds);
  auto const places = mapped<index_t>(ex, plus<index_t>{}, begins, index_of_each(ex, bounds));
  return std::pair{at(ex, x, places), std::move(bounds)};
}

}  // namespace ravel::inline v0::calculus
