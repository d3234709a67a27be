#pragma once

/// @file
/// Segments over all ranks by offsets or lengths, and segmented_reduce of distributed sequences.
///
///     segmented_reduce(ex, x, by_offsets(offsets), y, maximum{});
///     segmented_inclusive_scan(ex, x, by_lengths(lengths), z);
///
/// Elements, descriptors and results are each in pieces of any sizes, and a segment may lie over any
/// number of ranks: each offset goes to the rank that has the element there, and its result back.

#include <ravel/core/config.hpp>
#include <ravel/core/error.hpp>
#include <ravel/core/monoid.hpp>
#include <ravel/core/segments.hpp>
#include <ravel/core/tile.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/core/view.hpp>
#include <ravel/distributed/exchange.hpp>
#include <ravel/distributed/executor.hpp>
#include <ravel/distributed/routes.hpp>
#include <ravel/distributed/scan.hpp>
#include <ravel/distributed/segmented_scan.hpp>
#include <ravel/distributed/sequence.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/search.hpp>
#include <ravel/primitives/segmented_reduce.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace ravel::inline v0 {
namespace distributed {

/// The result of by_offsets of a distributed sequence.
template <class O, class Ex>
struct offset_segments {
  sequence<O, Ex> const* offsets;  // one more than there are segments
};
/// The result of by_lengths of a distributed sequence.
template <class L, class Ex>
struct length_segments {
  sequence<L, Ex> const* lengths;
};

}  // namespace distributed

/// Segment s is [offsets[s], offsets[s + 1]) of the elements of all ranks.
///
///     ranks      0     1        2
///     elements   3 1 | 2 4 1  | 5
///     offsets    0   | 3 5    | 6          [3 1 2] [4 1] [5]
///
/// Shapes   offsets[k + 1] of any integer type for k segments, on all ranks: ascending, from 0 to the
///          number of elements.
template <sequence R>
requires distributed::is_sequence<std::remove_cvref_t<R>>
auto by_offsets(R& offsets) {
  static_assert(std::integral<element_t<R&>>, "by_offsets: offsets must be integers");
  return []<class O, class Ex>(distributed::sequence<O, Ex> const& all) {
    expects(all.total_size() > 0,
            "by_offsets: there must be one offset more than segments, and there is none");
    return distributed::offset_segments<O, Ex>{&all};
  }(offsets);
}

/// Segment s has lengths[s] of the elements of all ranks.
///
/// Cost     A call given lengths scans them to offsets first: 8 bytes each.
template <sequence R>
requires distributed::is_sequence<std::remove_cvref_t<R>>
auto by_lengths(R& lengths) {
  static_assert(std::integral<element_t<R&>>, "by_lengths: lengths must be integers");
  return []<class L, class Ex>(distributed::sequence<L, Ex> const& all) {
    return distributed::length_segments<L, Ex>{&all};
  }(lengths);
}

namespace distributed::detail {

/// 0, where segments begin in the piece of a rank, and the size of the piece.
template <class O>
struct write_local_offsets {
  O const* begins;
  index_t count, first, size;
  index_t* to;
  RAVEL_HD void operator()(index_t i) const {
    if (i == 0) {
      to[i] = 0;
    } else {
      to[i] = i > count ? size : static_cast<index_t>(begins[i - 1]) - first;
    }
  }
};

/// The segments that begin in the piece of this rank.
template <class Buffer>
struct segments_begun {
  route along;     // of offsets, to the ranks that have the elements there
  index_t count;   // of the segments that begin here
  Buffer offsets;  // in the piece: segment 0 is what an earlier rank began, and count follow
};

/// Expects that a global element, if it is in the piece of this rank, has a value.
template <class Ex, class O>
void expect_offset(Ex const& ex, sequence<O, Ex> const& offsets, index_t at, index_t value) {
  index_t const i = at - offsets.first();
  if (i < 0 || i >= offsets.size()) return;
  auto const found = at_sync(ex.local(), offsets.local(), i);
  expects(std::cmp_equal(found, value), "offset ", at, " is ", +found, ", and must be ", value);
}

/// Sends each offset to the rank whose piece has the element there; to the last one, if all elements
/// are before it.
template <class Ex, class O>
auto begin_segments(Ex const& ex, std::span<index_t const> begins, sequence<O, Ex> const& offsets) {
  auto const& local = ex.local();
  expect_offset(ex, offsets, 0, 0);
  expect_offset(ex, offsets, offsets.total_size() - 1, begins.back());
  auto const found = local.template scratch<index_t>(std::ssize(begins));
  auto const begins_there = to(local, std::vector<index_t>(begins.begin(), begins.end()));
  lower_bound(local, begins_there, offsets.local(), found);
  auto cuts = to_host(local, found);
  cuts.front() = 0;
  cuts.back() = offsets.size();
  expects(std::ranges::is_sorted(cuts), "the offsets do not ascend");
  auto along = route_by(ex, cuts);
  index_t const count = along.total_received();
  auto const received = local.template scratch<O>(count);
  send_along(ex, along, offsets.local(), received);
  auto here = local.template allocate<index_t>(count + 2);
  auto const rank = static_cast<std::size_t>(ex.ranks().rank());
  for_each_index(local, count + 2,
                 write_local_offsets<O>{received.data(), count, begins[rank],
                                        begins[rank + 1] - begins[rank], here.data()});
  return segments_begun<decltype(here)>{std::move(along), count, std::move(here)};
}

/// The value of this rank's last segment, which the ranks after it may continue.
template <class T>
struct open_segment {
  bool any_begins;
  T before_first;  // what continues a segment of an earlier rank
};
template <class T, class M>
T with_continuations(T last, std::vector<open_segment<T>> const& all, int rank, M const& m) {
  for (std::size_t r = static_cast<std::size_t>(rank) + 1; r < all.size(); ++r) {
    last = static_cast<T>(m(last, all[r].before_first));
    if (all[r].any_begins) break;
  }
  return last;
}

/// The offsets of segments; lengths are scanned to theirs.
template <class Ex, class O>
sequence<O, Ex> const& offsets_of(Ex const&, offset_segments<O, Ex> segments) {
  return *segments.offsets;
}
template <class Ex, class L>
sequence<index_t, Ex> offsets_of(Ex const& ex, length_segments<L, Ex> segments) {
  auto const& lengths = *segments.lengths;
  std::vector<index_t> begins(lengths.begins().begin(), lengths.begins().end());
  ++begins.back();
  sequence<index_t, Ex> offsets(ex, std::move(begins));
  exclusive_scan(ex, lengths, offsets);
  return offsets;
}

struct zero_flag {
  template <class T>
  RAVEL_HD std::uint8_t operator()(T const&) const {
    return 0;
  }
};
struct set_head {
  index_t const* begins;
  index_t size;
  std::uint8_t* heads;
  RAVEL_HD void operator()(index_t s) const {
    if (begins[s] < size) heads[begins[s]] = 1;
  }
};

/// A flag for each element of x: whether a segment begins there.
template <class Ex, class T, class O>
sequence<std::uint8_t, Ex> heads_of(Ex const& ex, char const* call, sequence<T, Ex> const& x,
                                    sequence<O, Ex> const& offsets) {
  return together(ex, call, [&] {
    auto const begun = begin_segments(ex, x.begins(), offsets);
    sequence<std::uint8_t, Ex> heads(ex, x);
    map(ex.local(), zero_flag{}, heads.local(), x.local());
    for_each_index(ex.local(), begun.count,
                   set_head{begun.offsets.data() + 1, x.size(), heads.data()});
    return heads;
  });
}

/// The result of by_offsets or by_lengths of sequences on Ex.
template <class S, class Ex>
concept rank_segments = requires(Ex const& ex, S segments) {
  offsets_of(ex, segments);
};

}  // namespace distributed::detail

/// out[s] = in[begin of s] m ... m in[end of s - 1] for each segment s of the elements of all ranks:
///
///     ranks      0     1       2
///     in         3 1 | 2 4 1 | 5
///     offsets    0   | 3 5   | 6
///     out        6   | 5 5   |              with plus
///
/// where an empty segment has the identity of `m`.
///
/// Shapes   in[n]; out[k] for k segments by offsets or lengths; each in pieces of any sizes.
/// Order    `m` is applied left to right and need not be commutative; it is called on the host, too.
///          The grouping is fixed by the pieces, the segments and the local executor.
/// Cost     As on the local executor, and a binary search for p + 1 offsets.
/// Volume   Each offset whose element is on another rank, and its result, once; each result once
///          more if `out` has other pieces than the offsets without the last; to each other rank p
///          counts and a value with a flag.
/// Errors   `error` if the first offset is not 0 or the last not n, or if offsets are found not to
///          ascend; contract_error if out has not k elements.
template <class Local, class C, class T,
          distributed::detail::rank_segments<distributed::executor<Local, C>> S, class V,
          class M = plus<>>
void segmented_reduce(distributed::executor<Local, C> const& ex,
                      distributed::sequence<T, distributed::executor<Local, C>> const& in,
                      S segments, distributed::sequence<V, distributed::executor<Local, C>>& out,
                      M m = {}) {
  using namespace distributed::detail;
  auto const& offsets = offsets_of(ex, segments);
  index_t const k = offsets.total_size() - 1;
  expects(out.total_size() == k, "segmented_reduce: there are ", k,
          " segments, and out has room for ", out.total_size());
  distributed::together(ex, "segmented_reduce", [&] {
    auto const& local = ex.local();
    int const rank = ex.ranks().rank();
    auto const begun = begin_segments(ex, in.begins(), offsets);
    auto const results = local.template scratch<V>(begun.count + 1);
    view<V, typename Local::space> const all(results.data(), begun.count + 1);
    segmented_reduce(local, in.local(), by_offsets(begun.offsets), all, m);

    open_segment<V> const mine{begun.count > 0, at_sync(local, all)};
    auto const open = distributed::gather_values(ex.ranks(), mine);
    if (mine.any_begins && rank + 1 < ex.ranks().size()) {
      V const last =
          with_continuations(at_sync(local, all, begun.count), open, rank, monoid_on<V>(m));
      local.copy(&last, all.data() + begun.count, 1);
      local.wait();
    }

    // Back to the ranks of the offsets, and to those of the output; the last offset begins nothing.
    auto const back = local.template scratch<V>(offsets.size());
    send_along(ex, begun.along.reversed(), all.slice(1, begun.count), back);
    std::vector<index_t> begins(offsets.begins().begin(), offsets.begins().end());
    for (index_t& b : begins) b = std::min(b, k);
    distributed::exchange(ex, back, shared_with(begins[rank], begins[rank + 1], out.begins()),
                          out.local(), shared_with(out.first(), out.first() + out.size(), begins));
  });
}

/// segmented_inclusive_scan by offsets or lengths, as by heads.
///
/// Cost     A byte for each element.
/// Volume   Each offset whose element is on another rank, once; p counts to each; as by heads.
template <class Local, class C, class T,
          distributed::detail::rank_segments<distributed::executor<Local, C>> S, class U,
          class M = plus<>, class... Options>
void segmented_inclusive_scan(distributed::executor<Local, C> const& ex,
                              distributed::sequence<T, distributed::executor<Local, C>> const& in,
                              S segments,
                              distributed::sequence<U, distributed::executor<Local, C>>& out,
                              M m = {}, Options... options) {
  using namespace distributed::detail;
  auto const heads = heads_of(ex, "segmented_inclusive_scan", in, offsets_of(ex, segments));
  segmented_inclusive_scan(ex, in, by_heads(heads), out, m, options...);
}
/// segmented_exclusive_scan by offsets or lengths, as by heads.
///
/// Cost and volume are those of segmented_inclusive_scan by offsets.
template <class Local, class C, class T,
          distributed::detail::rank_segments<distributed::executor<Local, C>> S, class U,
          class M = plus<>, class... Options>
void segmented_exclusive_scan(distributed::executor<Local, C> const& ex,
                              distributed::sequence<T, distributed::executor<Local, C>> const& in,
                              S segments,
                              distributed::sequence<U, distributed::executor<Local, C>>& out,
                              M m = {}, Options... options) {
  using namespace distributed::detail;
  auto const heads = heads_of(ex, "segmented_exclusive_scan", in, offsets_of(ex, segments));
  segmented_exclusive_scan(ex, in, by_heads(heads), out, m, options...);
}

}  // namespace ravel::inline v0
