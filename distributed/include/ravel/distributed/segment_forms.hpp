#pragma once

/// Segments over all ranks by offsets, lengths or one length: how a call is given them, which of them
/// begin in the piece of a rank, and a flag for each element.

#include <ravel/core/cpu/worker.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/distributed/executor.hpp>
#include <ravel/distributed/routes.hpp>
#include <ravel/distributed/scan.hpp>
#include <ravel/distributed/segmented_scan.hpp>
#include <ravel/distributed/sequence.hpp>
#include <ravel/primitives/map.hpp>

#include <algorithm>
#include <span>
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
  return []<class O, class Ex>(distributed::sequence<O, Ex> const& x) {
    expects(x.total_size() > 0,
            "by_offsets: there must be one offset more than segments, and there is none");
    return distributed::offset_segments<O, Ex>{&x};
  }(offsets);
}

/// Segment s has lengths[s] of the elements of all ranks.
///
/// Cost     A call given lengths scans them to offsets first: 8 bytes each.
template <sequence R>
requires distributed::is_sequence<std::remove_cvref_t<R>>
auto by_lengths(R& lengths) {
  static_assert(std::integral<element_t<R&>>, "by_lengths: lengths must be integers");
  return []<class L, class Ex>(distributed::sequence<L, Ex> const& x) {
    return distributed::length_segments<L, Ex>{&x};
  }(lengths);
}

namespace distributed::detail {

/// 0, where `count` segments begin in the piece of a rank, whose first element is `first`, and the size
/// of the piece.
template <class O>
struct write_local_offsets {
  O const* begins;  // among the elements of all ranks
  index_t count, first, size;
  index_t* to;
  RAVEL_HD void operator()(index_t i) const {
    to[i] = i == 0 ? 0 : i > count ? size : static_cast<index_t>(begins[i - 1]) - first;
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
  auto cuts = cuts_by_bounds(local, offsets.local(), begins);
  cuts.front() = 0;
  cuts.back() = offsets.size();
  expects(std::ranges::is_sorted(cuts), "the offsets do not ascend");
  auto along = route_by(ex, cuts);
  index_t const count = along.total_received();
  auto const received = received_along(ex, along, offsets.local());
  auto here = local.template allocate<index_t>(count + 2);
  int const rank = ex.ranks().rank();
  for_each_index(local, count + 2,
                 write_local_offsets<O>{received.data(), count, begins[rank],
                                        begins[rank + 1] - begins[rank], here.data()});
  return segments_begun<decltype(here)>{std::move(along), count, std::move(here)};
}

/// The offsets of segments; lengths are scanned to theirs.
template <class Ex, class O>
sequence<O, Ex> const& offset_sequence(Ex const&, offset_segments<O, Ex> segments) {
  return *segments.offsets;
}
template <class Ex, class L>
sequence<index_t, Ex> offset_sequence(Ex const& ex, length_segments<L, Ex> segments) {
  auto const& lengths = *segments.lengths;
  std::vector<index_t> begins(lengths.begins().begin(), lengths.begins().end());
  ++begins.back();
  sequence<index_t, Ex> offsets(ex, std::move(begins));
  exclusive_scan(ex, lengths, offsets);
  return offsets;
}

struct set_head {
  index_t const* begins;
  index_t size;
  std::uint8_t* heads;
  RAVEL_HD void operator()(index_t s) const {
    if (begins[s] < size) heads[begins[s]] = 1;
  }
};
template <class Segments>
struct copy_head {
  Segments segments;
  std::uint8_t* heads;
  RAVEL_HD void operator()(index_t i) const { heads[i] = segments.head(i); }
};

/// The segments of one length in the piece x of a rank.
template <class Ex, class X>
auto uniform_here(Ex const&, X const& x, uniform_segments segments, char const* call) {
  segments.expect_elements(x.total_size(), call);
  return head_segments<begins_uniformly, typename Ex::space>{
      {x.first(), segments.length, segments.elements}, x.size()};
}

/// Segments that a call of several ranks takes: by offsets or lengths of sequences on Ex, ...
template <class S, class Ex>
concept listed_segments = requires(Ex const& ex, S segments) {
  offset_sequence(ex, segments);
};
/// ... or of one length, ...
template <class S, class Ex>
concept numbered_segments = listed_segments<S, Ex> || std::same_as<S, uniform_segments>;
/// ... or by heads, head bits or keys in the pieces of the elements.
template <class S, class Ex>
concept rank_segments = numbered_segments<S, Ex> || has_heads<S>;

/// A flag for each element of x: whether a segment begins there.
template <class Ex, class X, class S>
sequence<std::uint8_t, Ex> head_flags_of(Ex const& ex, char const* call, X const& x,
                                         S const& segments) {
  auto const& local = ex.local();
  if constexpr (has_heads<S>) segments.expect_elements(x.size(), call);
  return together(ex, call, [&] {
    sequence<std::uint8_t, Ex> heads(ex, x);
    if constexpr (has_heads<S>) {
      auto const piece = segments_here(ex, segments);
      for_each_index(local, x.size(), copy_head<decltype(piece)>{piece, heads.data()});
    } else {
      auto const begun = begin_segments(ex, x.begins(), offset_sequence(ex, segments));
      map_on(local, x.size(), constant_of<0>{}, ravel::detail::store<std::uint8_t>{heads.data()});
      for_each_index(local, begun.count,
                     set_head{begun.offsets.data() + 1, x.size(), heads.data()});
    }
    return heads;
  });
}

/// Calls f with the segments of x by heads; those by offsets and lengths on hosts by a bit for each element, of
/// which a thread sets those of 2^16 elements.
template <class Ex, class X, class S, class F>
void with_heads_of(Ex const& ex, char const* call, X const& x, S const& segments, F const& f) {
  auto const& local = ex.local();
  if constexpr (std::same_as<S, uniform_segments>) {
    f(uniform_here(ex, x, segments, call));
  } else if constexpr (cpu::host_executor<std::remove_cvref_t<decltype(local)>>) {
    auto const words = local.template scratch<std::uint64_t>(div_up(x.size(), 64));
    together(ex, call, [&] {
      auto const begun = begin_segments(ex, x.begins(), offset_sequence(ex, segments));
      auto const begins = view_of(begun.offsets).slice(1, begun.count);
      local.for_each_tile_of(index_t{1} << 16, x.size(), [&](cpu::worker, tile t) {
        std::fill(words.data() + t.begin / 64, words.data() + div_up(t.end, 64), 0);
        for (auto b = std::lower_bound(begins.begin(), begins.end(), t.begin);
             b != begins.end() && t.begin <= *b && *b < t.end; ++b) {
          words[*b / 64] |= std::uint64_t{1} << *b % 64;
        }
      });
    });
    f(head_segments<bit_set<std::uint64_t>, typename Ex::space>{{words.data()}, x.size()});
  } else {
    auto const heads = head_flags_of(ex, call, x, segments);
    f(by_heads(heads));
  }
}

}  // namespace distributed::detail
}  // namespace ravel::inline v0
