#pragma once

/// @file
/// Checked: stages that look at what they are told in memory ahead of running, which waits.

#include <ravel/core/concepts.hpp>
#include <ravel/core/config.hpp>
#include <ravel/core/error.hpp>
#include <ravel/core/monoid.hpp>
#include <ravel/core/segments.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/pipelines/pass.hpp>
#include <ravel/pipelines/targets.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/reduce.hpp>

#include <type_traits>

namespace ravel::inline v0 {

/// Asks gather, flat_map, expand and in_segments to check what they are told in memory, ahead
/// of running, which waits.
struct checked_t {};
inline constexpr checked_t checked{};

namespace piping {

/// i if something is wrong there, and otherwise the identity of the least.
template <class Wrong>
struct position_if {
  Wrong wrong;
  RAVEL_HD index_t operator()(index_t i) const {
    return wrong(i) ? i : minimum<index_t>::identity();
  }
};

/// Everything combined.  Waits for it.
template <class Ex, class Load, class M>
carrier_t<M> reduced_sync(Ex const& ex, index_t n, Load load, M m) {
  using T = carrier_t<M>;
  auto const result = ex.template scratch<T>(1);
  reduce_on(ex, n, load, m, start<M>{m}, store_total<T>{result.data()});
  return at_sync(ex, result);
}

/// The first i of [0, n) with wrong(i), or n if there is none.  Waits for it.
template <class Ex, class Wrong>
index_t first_wrong_sync(Ex const& ex, index_t n, Wrong wrong) {
  index_t const first = reduced_sync(ex, n, position_if<Wrong>{wrong}, minimum<index_t>{});
  return first < n ? first : n;
}

template <class T>
struct descends {
  T const* offsets;
  RAVEL_HD bool operator()(index_t i) const { return offsets[i + 1] < offsets[i]; }
};
template <class T>
struct below_zero {
  T const* lengths;
  RAVEL_HD bool operator()(index_t i) const {
    return std::is_signed_v<T> && static_cast<index_t>(lengths[i]) < 0;
  }
};
template <class T>
struct as_index {
  T const* lengths;
  RAVEL_HD index_t operator()(index_t i) const { return static_cast<index_t>(lengths[i]); }
};

/// Expects that there are offsets, of segments that are described by offsets.
template <class S>
void expect_offsets(S const& s) {
  if constexpr (requires { s.offsets; }) {
    expects(s.offsets.size() > 0, "there must be one offset more than segments, and there is none");
  }
}

/// Expects of segments that they are of n elements.  Of those that say so without memory
/// being read, who uses them does.
template <class Ex, class S>
void expect_segments_sync(Ex const&, S const&, index_t) {}
template <class Ex, class T, class Space>
void expect_segments_sync(Ex const& ex, offset_segments<T, Space> const& s, index_t n) {
  expect_offsets(s);
  index_t const k = s.count();
  auto const first = static_cast<index_t>(at_sync(ex, s.offsets, 0));
  expects(first == 0, "the first offset is ", first, " and must be 0");
  index_t const at = first_wrong_sync(ex, k, descends<T>{s.offsets.data()});
  expects(at == k, "the offset at position ", at + 1, " is less than the one before it");
  auto const last = static_cast<index_t>(at_sync(ex, s.offsets, k));
  expects(last == n, "the last offset is ", last, ", and there are ", n, " elements");
}
template <class Ex, class T, class Space>
void expect_segments_sync(Ex const& ex, length_segments<T, Space> const& s, index_t n) {
  index_t const k = s.count();
  T const* const lengths = s.lengths.data();
  index_t const at = first_wrong_sync(ex, k, below_zero<T>{lengths});
  expects(at == k, "the length at position ", at, " is negative");
  index_t const all = reduced_sync(ex, k, as_index<T>{lengths}, plus<index_t>{});
  expects(all == n, "the lengths add up to ", all, ", and there are ", n, " elements");
}

}  // namespace piping
}  // namespace ravel::inline v0
