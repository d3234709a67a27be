#pragma once

/// Segmented sort over all ranks: each rank sorts the segments of its piece, and those on several ranks are
/// merged.

#include <ravel/algorithms/segmented_sort.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/distributed/exchange.hpp>
#include <ravel/distributed/executor.hpp>
#include <ravel/distributed/operands.hpp>
#include <ravel/distributed/segment_forms.hpp>
#include <ravel/distributed/sequence.hpp>
#include <ravel/distributed/sort.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/pack.hpp>
#include <ravel/primitives/rows.hpp>

#include <algorithm>
#include <vector>

namespace ravel::inline v0 {
namespace distributed::detail {

template <class T>
struct in_segment {
  index_t segment;
  T x;
};
template <class Before>
struct before_in_segments {
  Before before;
  template <class T>
  RAVEL_HD bool operator()(in_segment<T> const& a, in_segment<T> const& b) const {
    return a.segment != b.segment ? a.segment < b.segment : before(a.x, b.x);
  }
};

/// What a rank has of segments on several ranks: its first `head` elements, and those from `tail` on.
struct shared_parts {
  index_t head, tail;
  index_t segment;  // of the head; the tail is of the next one

  RAVEL_HD index_t place(index_t i) const { return i < head ? i : tail + i - head; }
  RAVEL_HD index_t segment_of(index_t i) const { return i < head ? segment : segment + 1; }
};
/// The same of this rank, and where the parts of all ranks begin, one after another.  Segments begin in
/// this piece from `first` to `last`; both are its size n if none does.
auto find_shared_parts(auto const& ex, index_t n, index_t first, index_t last) {
  struct of_rank {
    index_t n, first, last;
  };
  struct {
    shared_parts mine;
    std::vector<index_t> begins{0};
  } found;
  auto const ranks = gather_values(ex.ranks(), of_rank{n, first, last});
  index_t segment = 0;
  for (int r = 0; r < ex.ranks().size(); ++r) {
    int const next = next_rank(ranks, r, [](of_rank const& x) { return x.n > 0; });
    bool const goes_on = next < ex.ranks().size() && ranks[next].first > 0;
    shared_parts const parts{ranks[r].first, goes_on ? ranks[r].last : ranks[r].n, segment};
    if (r == ex.ranks().rank()) found.mine = parts;
    found.begins.push_back(found.begins.back() + parts.head + ranks[r].n - parts.tail);
    segment += ranks[r].first < ranks[r].n;
  }
  return found;
}

/// Copies rows of the shared parts of a piece, with the number of their segment, or back.
template <class K, class V>
struct take_shared {
  shared_parts parts;
  rows<K const, V const> piece;
  rows<in_segment<K>, V> to;
  RAVEL_HD void operator()(index_t i) const {
    index_t const at = parts.place(i);
    to.keys[i] = {parts.segment_of(i), piece.keys[at]};
    if constexpr (rows<K, V>::has_values) to.values[i] = piece.values[at];
  }
};
template <class K, class V>
struct put_shared {
  shared_parts parts;
  rows<in_segment<K> const, V const> from;
  rows<K, V> piece;
  RAVEL_HD void operator()(index_t i) const {
    index_t const at = parts.place(i);
    piece.keys[at] = from.keys[i].x;
    if constexpr (rows<K, V>::has_values) piece.values[at] = from.values[i];
  }
};

/// The segments of the piece of a rank by offsets: the first is what an earlier rank began, or empty.
template <class Buffer>
struct offsets_in_piece {
  Buffer offsets;
  index_t begun;  // segments that begin here
};
template <class Ex, class X, class S>
auto find_offsets_in_piece(Ex const& ex, char const* call, X const& x, S const& segments) {
  auto const& local = ex.local();
  if constexpr (listed_segments<S, Ex>) {
    auto found = begin_segments(ex, x.begins(), offset_sequence(ex, segments));
    return offsets_in_piece<decltype(found.offsets)>{std::move(found.offsets), found.count};
  } else {
    auto const heads = head_flags_of(ex, call, x, segments);
    auto offsets = local.template allocate<index_t>(x.size() + 2);
    index_t const begun =
        pack_index_sync(local, heads.local(), view_of(offsets).slice(1, x.size()));
    index_t const ends[] = {0, x.size()};
    local.copy(ends, offsets.data(), 1);
    local.copy(ends + 1, offsets.data() + begun + 1, 1);
    local.wait();  // for `ends`
    return offsets_in_piece<decltype(offsets)>{std::move(offsets), begun};
  }
}

/// Where the first and the last segment begin that begin in a piece; its size if none does.
struct begun_segments {
  index_t first, last;
};
/// Calls sort_here(begin, size, segments) for the segments of a piece, or those of parts of it.
template <class Ex, class X, class S, class SortHere>
begun_segments sort_segments_of_piece(Ex const& ex, char const* call, X const& x, S const& segments,
                                      SortHere const& sort_here) {
  index_t const n = x.size();
  if constexpr (std::same_as<S, uniform_segments>) {
    segments.expect_elements(x.total_size(), call);
    if (n == 0) return {n, n};
    index_t const length = segments.length;
    index_t const first = std::min(n, div_up(x.first(), length) * length - x.first());
    if (first > 0) sort_here(0, first, chunks(first, first));
    if (first == n) return {n, n};
    sort_here(first, n - first, chunks(n - first, length));
    return {first, first + (n - first - 1) / length * length};
  } else {
    auto const found = find_offsets_in_piece(ex, call, x, segments);
    view<index_t const, typename Ex::space::local> const offsets(found.offsets.data(),
                                                                 found.begun + 2);
    sort_here(0, n, by_offsets(offsets));
    if (found.begun == 0) return {n, n};
    return {at_sync(ex.local(), offsets, 1), at_sync(ex.local(), offsets, found.begun)};
  }
}

/// Sorts the segments of each piece, and merges the parts of those that are on several ranks.
template <class Ex, class K, class V, class S, class Digits>
void sort_pieces(Ex const& ex, char const* call, sequence<K, Ex> const& keys, V const* values,
                 S const& segments, K* keys_out, V* values_out, Digits const& digits) {
  using Space = typename Ex::space::local;
  using row = in_segment<K>;
  auto const& local = ex.local();
  index_t const n = keys.size();
  auto const sort_here = [&](index_t begin, index_t size, auto const& of_piece) {
    auto const in = keys.local().slice(begin, size);
    view<K, Space> const sorted(keys_out + begin, size);
    ravel::detail::call_with(
        [&](auto const&... option) {
          if constexpr (rows<K, V>::has_values) {
            segmented_sort_pairs(local, in, view<V const, Space>(values + begin, size), of_piece,
                                 sorted, view<V, Space>(values_out + begin, size), option...);
          } else {
            segmented_sort(local, in, of_piece, sorted, option...);
          }
        },
        digits.options);
  };
  auto const begun = sort_segments_of_piece(ex, call, keys, segments, sort_here);
  auto const parts = find_shared_parts(ex, n, begun.first, begun.last);
  if (parts.begins.back() == 0) return;
  int const rank = ex.ranks().rank();
  index_t const m = parts.begins[rank + 1] - parts.begins[rank];
  auto const rows_in = local.template scratch<row>(m), rows_out = local.template scratch<row>(m);
  index_t const with_values = rows<K, V>::has_values ? m : 0;
  auto const values_of_in = local.template scratch<V>(with_values),
             values_of_out = local.template scratch<V>(with_values);
  rows<row, V> const in{rows_in.data(), values_of_in.data()};
  rows<row, V> const out{rows_out.data(), values_of_out.data()};
  for_each_index(local, m, take_shared<K, V>{parts.mine, {keys_out, values_out}, in});
  using before = before_in_segments<decltype(digits.before)>;
  place_sorted(ex, m, in.read(), parts.begins.back(), out, parts.begins,
               by_comparison<before>{call, {digits.before}});
  for_each_index(local, m, put_shared<K, V>{parts.mine, out.read(), {keys_out, values_out}});
}

/// The same, and moves elements to the pieces of the outputs.
template <class Ex, class K, class S, class Digits>
void sort_in_segments(Ex const& ex, char const* call, sequence<K, Ex> const& keys,
                      S const& segments, sequence<K, Ex>& keys_out, Digits const& digits) {
  together(ex, call, [&] {
    no_value* const none = nullptr;
    if (std::ranges::equal(keys.begins(), keys_out.begins())) {
      return sort_pieces<Ex, K, no_value>(ex, call, keys, none, segments, keys_out.data(), none,
                                          digits);
    }
    sequence<K, Ex> sorted(ex, keys);
    sort_pieces<Ex, K, no_value>(ex, call, keys, none, segments, sorted.data(), none, digits);
    move_pieces(ex, sorted, keys_out);
  });
}
template <class Ex, class K, class V, class S, class Digits>
void sort_in_segments(Ex const& ex, char const* call, sequence<K, Ex> const& keys,
                      sequence<V, Ex> const& values, S const& segments, sequence<K, Ex>& keys_out,
                      sequence<V, Ex>& values_out, Digits const& digits) {
  together(ex, call, [&] {
    if (std::ranges::equal(keys.begins(), keys_out.begins())) {
      return sort_pieces(ex, call, keys, values.data(), segments, keys_out.data(),
                         values_out.data(), digits);
    }
    sequence<K, Ex> sorted(ex, keys);
    sequence<V, Ex> beside(ex, values);
    sort_pieces(ex, call, keys, values.data(), segments, sorted.data(), beside.data(), digits);
    move_pieces(ex, sorted, keys_out);
    move_pieces(ex, beside, values_out);
  });
}

}  // namespace distributed::detail

/// Sorts each segment of `in` to the same segment of `out`, stably:
///
///     ranks      0     1       2
///     in         3 1 | 2 4 1 | 5
///     lengths    3 0 | 2     | 1
///     out        1 2 | 3 1 4 | 5           segmented_sort(ex, in, by_lengths(lengths), out)
///
/// Shapes   in[n], out[n], each in pieces of any sizes, and segments in any form, as for
///          segmented_reduce; a segment may lie over any number of ranks.  Elements and options as for
///          radix_sort; `out` may be `in`.
/// Cost     A local segmented_sort, by offsets, for which heads, head bits and keys are packed, or of segments
///          of one length; of what a rank has of segments on several ranks, the rounds, the exchange and the
///          merge passes of radix_sort, with scratch for it four times over, and 8 bytes for each element.
/// Volume   Of segments on several ranks each element that another rank gets, once, with 8 bytes.  If in
///          and out have other pieces, each element that another rank gets, once more.  Besides as
///          radix_sort, and for offsets and heads as segmented_reduce.
/// Errors   contract_error if the sizes differ; `error` if offsets do not ascend from 0 to n.
template <distributed::some_executor Ex, distributed::operand_of<Ex> In,
          distributed::detail::rank_segments<Ex> S, class T, class... Options>
void segmented_sort(Ex const& ex, In const& in, S segments, distributed::sequence<T, Ex>& out,
                    Options... options) {
  using namespace distributed::detail;
  auto const& x = written<T>(ex, in);
  expect_equal_sizes("segmented_sort", x, out);
  sort_in_segments(ex, "segmented_sort", x, segments, out,
                   radix_order<T>("segmented_sort", options...));
}

/// Sorts keys within segments, and moves the value of each key with it.
///
///     keys       3 1 | 2 4 1        keys_out      1 2 | 3 1 4
///     values     a b | c d e        values_out    b c | a e d        by_lengths 3 2
///
/// Shapes   As for segmented_sort; keys and values are in the same pieces, and so are the outputs.
template <distributed::some_executor Ex, distributed::operand_of<Ex> Keys,
          distributed::operand_of<Ex> Values, distributed::detail::rank_segments<Ex> S, class K,
          class V, class... Options>
void segmented_sort_pairs(Ex const& ex, Keys const& keys, Values const& values, S segments,
                          distributed::sequence<K, Ex>& keys_out,
                          distributed::sequence<V, Ex>& values_out, Options... options) {
  using namespace distributed::detail;
  auto const& x = written<K>(ex, keys);
  auto const& y = written<V>(ex, values);
  expect_equal_sizes("segmented_sort_pairs", x, keys_out);
  expect_same_pieces("segmented_sort_pairs", x, y);
  expect_same_pieces("segmented_sort_pairs", keys_out, values_out);
  sort_in_segments(ex, "segmented_sort_pairs", x, y, segments, keys_out, values_out,
                   radix_order<K>("segmented_sort_pairs", options...));
}

}  // namespace ravel::inline v0
