#pragma once

/// @file
/// Checked: stages that look at what they are told in memory ahead of running, which waits.

#include <ravel/core/checked.hpp>
#include <ravel/core/concepts.hpp>
#include <ravel/core/config.hpp>
#include <ravel/core/error.hpp>
#include <ravel/core/monoid.hpp>
#include <ravel/core/segments.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/pipelines/pass.hpp>
#include <ravel/pipelines/targets.hpp>
#include <ravel/primitives/find_first.hpp>
#include <ravel/primitives/reduce.hpp>

#include <type_traits>

namespace ravel::inline v0 {

namespace piping {

/// The first i of [0, n) with wrong(i), or n if there is none.  Waits for it.
template <class Ex, class Wrong>
index_t first_wrong_sync(Ex const& ex, index_t n, Wrong wrong) {
  return detail::one_sync<index_t>(ex, [&](auto const& there) {
    find_first_on(ex, n, wrong, store_total<index_t>{there.data()});
  });
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
  using sum = plus<index_t>;
  index_t const all = detail::one_sync<index_t>(ex, [&](auto const& there) {
    reduce_on(ex, k, as_index<T>{lengths}, sum{}, start<sum>{{}},
              store_total<index_t>{there.data()});
  });
  expects(all == n, "the lengths add up to ", all, ", and there are ", n, " elements");
}

}  // namespace piping
}  // namespace ravel::inline v0
