#pragma once

/// Conversions between forms of segment descriptors.
///
/// All of these describe the segments [3 1 2] [] [4 1] [5] of six elements:
///
///     offsets        0 3 3 5 6
///     lengths        3 0 2 1
///     heads          1 0 0 1 0 1      loses the empty segment
///     head bits      0b101001         loses it too
///     segment ids    0 0 0 2 2 3      keeps a gap in its place
///
/// Each conversion takes segments in any form of core/segments.hpp, and writes the form it is named
/// after.

#include <ravel/core/search.hpp>
#include <ravel/primitives/balance.hpp>
#include <ravel/primitives/distribute.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/options.hpp>
#include <ravel/primitives/readable_segments.hpp>
#include <ravel/primitives/scan.hpp>
#include <ravel/primitives/search/cpu.hpp>
#include <ravel/primitives/verify.hpp>

namespace ravel::inline v0 {
namespace detail {

template <class T, class Segments>
struct write_begin {
  T* to;
  Segments segments;
  RAVEL_HD void operator()(index_t s) const { to[s] = static_cast<T>(segments.begin(s)); }
};
template <class T, class Segments>
struct write_length {
  T* to;
  Segments segments;
  RAVEL_HD void operator()(index_t s) const {
    to[s] = static_cast<T>(segments.begin(s + 1) - segments.begin(s));
  }
};

/// The first element of a segment gives its begin.
template <class T>
struct write_begin_at_head {
  T* to;
  index_t capacity;
  RAVEL_HD void operator()(index_t i, index_t s, index_t rank) const {
    if (rank == 0 && s < capacity) to[s] = static_cast<T>(i);
  }
};
/// The last element gives its length.
template <class T, class Segments>
struct write_length_at_tail {
  T* to;
  index_t capacity;
  Segments segments;
  RAVEL_HD void operator()(index_t i, index_t s, index_t rank) const {
    if (segments.tail(i) && s < capacity) to[s] = static_cast<T>(rank + 1);
  }
};

template <class T>
struct write_segment_id {
  T* to;
  RAVEL_HD T of_segment(index_t s, index_t) const { return static_cast<T>(s); }
  RAVEL_HD T load(T s, index_t) const { return s; }
  RAVEL_HD void store(T, index_t i, T s) const { to[i] = s; }
  RAVEL_HD void operator()(index_t i, index_t s, index_t) const { to[i] = static_cast<T>(s); }
  void run(index_t i, index_t end, index_t last, index_t s, index_t) const {
    fill_run(to, i, end, last, static_cast<T>(s));
  }
};

template <class T, class Cursor>
struct write_head {
  T* to;
  Cursor segments;
  RAVEL_HD auto on(tile t) const {
    return write_head<T, on_tile_t<Cursor>>{to, on_tile(segments, t)};
  }
  RAVEL_HD void operator()(index_t i) const { to[i] = static_cast<T>(segments.head(i)); }
};

/// One word per thread: several threads cannot write bits of one word.
template <class W, class Cursor>
struct write_head_bits {
  static constexpr index_t width = bit_set<W>::width;
  W* to;
  index_t n;
  Cursor segments;

  RAVEL_HD index_t element(index_t word) const { return word * width < n ? word * width : n; }
  RAVEL_HD auto on(tile t) const {
    return write_head_bits<W, on_tile_t<Cursor>>{
        to, n, on_tile(segments, tile{t.id, element(t.begin), element(t.end)})};
  }
  RAVEL_HD void operator()(index_t word) const {
    W bits = 0;
    for (index_t i = element(word); i < element(word + 1); ++i) {
      if (segments.head(i)) bits = static_cast<W>(bits | W(1) << i % width);
    }
    to[word] = bits;
  }
};

/// Whether the i-th of ascending ids is below `bound`.
template <class T>
struct id_below {
  T const* ids;
  index_t bound;
  RAVEL_HD bool operator()(index_t i) const { return static_cast<index_t>(ids[i]) < bound; }
};
template <class T, class U>
struct write_first_of_id {
  T* to;
  U const* ids;
  index_t n;
  RAVEL_HD id_below<U> is(index_t s) const { return {ids, s}; }
  RAVEL_HD index_t place(index_t s) const { return partition_point(0, n, is(s)); }
  RAVEL_HD void found(index_t s, index_t place) const { to[s] = static_cast<T>(place); }
  RAVEL_HD void operator()(index_t s) const { found(s, place(s)); }
};

/// The options of a conversion: a total if segments must be counted.
template <class S, class... Options>
inline constexpr bool are_count_options =
    are_options<takes<option::total>, Options...> &&
    !(has<option::total, Options...> && requires(S const& s) { s.count(); });

}  // namespace detail

/// Writes the begin of each segment, and the end of the last one.
///
///     offsets_of(ex, by_lengths(lengths), offsets)      3 0 2 1      ->  0 3 3 5 6
///     offsets_of(ex, by_keys(keys), offsets)            7 7 7 4 4 7  ->  0 3 5 6 6 6
///
/// Shapes   offsets[k + 1] for k segments, of an integer type that holds the number of elements.
///          By heads, head bits and keys, k is known only when the call is done, and goes to the
///          option `total_to`.  If there are more offsets, the rest equal the number of elements,
///          which makes the additional segments empty; if there are fewer, the last segments are
///          left out.
/// Cost     O(k) work and O(1) span from offsets and uniform, O(log k) from
///          lengths; O(n) and O(log n) by heads, head bits and keys.
/// Errors   contract_error if the sizes do not fit.  Issued, not awaited.
template <local_executor Ex, class S, class Offsets, class... Options>
void offsets_of(Ex const& ex, S segments, Offsets&& offsets, Options... options) {
  RAVEL_EXPECT_SEGMENTS(S, Ex, "offsets_of");
  RAVEL_EXPECT_WRITABLE(Offsets, Ex, "offsets_of: offsets");
  static_assert(detail::are_count_options<S, Options...> && detail::options_on<Ex, Options...>,
                "offsets_of: the only option is total_to(...), once, in the executor's memory, "
                "where segments are by heads, head bits or keys");
  using T = element_t<Offsets>;
  static_assert(std::integral<T>, "offsets_of: offsets must be integers");
  auto const dst = view_of(offsets);
  if constexpr (requires { segments.count(); }) {
    expects(dst.size() == segments.count() + 1, "offsets_of: ", segments.count(),
            " segments have one offset more than that, and there is room for ", dst.size());
  } else {
    expects(dst.size() > 0, "offsets_of: there is no room for any offset");
  }
  detail::verify_segments(ex, "offsets_of", segments, detail::any_elements);

  if constexpr (detail::is_lengths<S>::value) {
    exclusive_scan(ex, segments.lengths, dst);
  } else if constexpr (S::numbered) {
    for_each_index(ex, dst.size(), detail::write_begin<T, S>{dst.data(), segments});
  } else {
    index_t const n = segments.elements;
    distribute(ex, static_cast<T>(n), dst);
    for_each_in_segments(ex, n, segments, detail::write_begin_at_head<T>{dst.data(), dst.size()},
                         options...);
  }
}

/// Writes the length of each segment.
///
///     lengths_of(ex, by_offsets(offsets), lengths)      0 3 3 5 6    ->  3 0 2 1
///     lengths_of(ex, by_keys(keys), lengths)            7 7 7 4 4 7  ->  3 2 1 0 0
///
/// Shapes   lengths[k] for k segments, of an integer type that holds the longest.  By heads, head
///          bits and keys, k is known only when the call is done, and goes to the option
///          `total_to`.  If there are more lengths, the rest are 0; if there are fewer, the last
///          segments are left out.
/// Cost     O(k) work and O(1) span from offsets, lengths and uniform; O(n) and
///          O(log n) by heads, head bits and keys.
/// Errors   contract_error if the sizes do not fit.  Issued, not awaited.
template <local_executor Ex, class S, class Lengths, class... Options>
void lengths_of(Ex const& ex, S segments, Lengths&& lengths, Options... options) {
  RAVEL_EXPECT_SEGMENTS(S, Ex, "lengths_of");
  RAVEL_EXPECT_WRITABLE(Lengths, Ex, "lengths_of: lengths");
  static_assert(detail::are_count_options<S, Options...> && detail::options_on<Ex, Options...>,
                "lengths_of: the only option is total_to(...), once, in the executor's memory, "
                "where segments are by heads, head bits or keys");
  using T = element_t<Lengths>;
  static_assert(std::integral<T>, "lengths_of: lengths must be integers");
  auto const dst = view_of(lengths);
  if constexpr (requires { segments.count(); }) {
    expects(dst.size() == segments.count(), "lengths_of: there are ", segments.count(),
            " segments, and room for the lengths of ", dst.size());
  }
  detail::verify_segments(ex, "lengths_of", segments, detail::any_elements);

  if constexpr (detail::is_lengths<S>::value) {
    map(ex, identity_function{}, dst, segments.lengths);
  } else if constexpr (S::numbered) {
    for_each_index(ex, dst.size(), detail::write_length<T, S>{dst.data(), segments});
  } else {
    distribute(ex, T(0), dst);
    for_each_in_segments(ex, segments.elements, segments,
                         detail::write_length_at_tail<T, S>{dst.data(), dst.size(), segments},
                         options...);
  }
}

/// Writes 1 for the first element of each segment, and 0 for the others.
///
///     heads_of(ex, by_lengths(lengths), heads)          3 0 2 1      ->  1 0 0 1 0 1
///
/// Empty segments are lost.
///
/// Shapes   heads[n] for segments of n elements, of bool or any integer type.
/// Cost     As for_each_in_segments with offsets, in every form but lengths,
///          which are scanned before.
/// Errors   contract_error if the sizes do not fit.  Issued, not awaited.
template <local_executor Ex, class S, class Heads>
void heads_of(Ex const& ex, S segments, Heads&& heads) {
  RAVEL_EXPECT_SEGMENTS(S, Ex, "heads_of");
  RAVEL_EXPECT_WRITABLE(Heads, Ex, "heads_of: heads");
  using T = element_t<Heads>;
  static_assert(std::integral<T>, "heads_of: head flags must be bools or integers");
  auto const dst = view_of(heads);
  detail::readable_segments<Ex, S> const readable(ex, segments, dst.size(), "heads_of");
  auto const cursor = readable.get();
  for_each_index(ex, dst.size(),
                 detail::write_head<T, std::remove_const_t<decltype(cursor)>>{dst.data(), cursor});
}

/// Writes the heads of n elements as bits: bit i is bit i mod w of word i / w, lowest first, for
/// words of w bits.
///
///     head_bits_of(ex, by_lengths(lengths), words, 6)   3 0 2 1      ->  0b101001
///
/// Empty segments are lost.
///
/// Shapes   words[ceil(n / w)], or more, of an unsigned type.  Bits after the n-th in its word are
///          0; words after it are not changed.
/// Cost     As heads_of.
/// Errors   contract_error if the sizes do not fit.  Issued, not awaited.
template <local_executor Ex, class S, class Words>
void head_bits_of(Ex const& ex, S segments, Words&& words, index_t n) {
  RAVEL_EXPECT_SEGMENTS(S, Ex, "head_bits_of");
  RAVEL_EXPECT_WRITABLE(Words, Ex, "head_bits_of: words");
  using W = element_t<Words>;
  static_assert(std::unsigned_integral<W>, "head_bits_of: the words must be unsigned integers");
  auto const dst = view_of(words);
  index_t const used = div_up_of_any(n, bit_set<W>::width);
  expects(n >= 0 && used <= dst.size(), "head_bits_of: ", dst.size(), " words are too few for ", n,
          " elements");
  detail::readable_segments<Ex, S> const readable(ex, segments, n, "head_bits_of");
  auto const cursor = readable.get();
  using Cursor = std::remove_const_t<decltype(cursor)>;
  for_each_index(ex, used, detail::write_head_bits<W, Cursor>{dst.data(), n, cursor});
}

/// Writes the number of the segment that each element is in.
///
///     segment_ids_of(ex, by_lengths(lengths), ids)      3 0 2 1      ->  0 0 0 2 2 3
///     segment_ids_of(ex, by_keys(keys), ids)            7 7 7 4 4 7  ->  0 0 0 1 1 2
///
/// Shapes   ids[n] for segments of n elements, of an integer type that holds their number.  By
///          heads, head bits and keys that number is known only when the call is done, and goes to
///          the option `total_to`.
/// Cost     As for_each_in_segments.
/// Errors   contract_error if the sizes do not fit.  Issued, not awaited.
/// See also replicate, which writes a value of the segment instead.
template <local_executor Ex, class S, class Ids, class... Options>
void segment_ids_of(Ex const& ex, S segments, Ids&& ids, Options... options) {
  RAVEL_EXPECT_SEGMENTS(S, Ex, "segment_ids_of");
  RAVEL_EXPECT_WRITABLE(Ids, Ex, "segment_ids_of: ids");
  static_assert(detail::are_count_options<S, Options...> && detail::options_on<Ex, Options...>,
                "segment_ids_of: the only option is total_to(...), once, in the executor's memory, "
                "where segments are by heads, head bits or keys");
  using T = element_t<Ids>;
  static_assert(std::integral<T>, "segment_ids_of: ids must be integers");
  auto const dst = view_of(ids);
  detail::for_each_in_segments_for(ex, "segment_ids_of", dst.size(), segments,
                                   detail::write_segment_id<T>{dst.data()},
                                   detail::total_of(options...));
}

/// Writes the offsets of the segments with given ids: the inverse of segment_ids_of, which restores
/// empty segments.
///
///     offsets_of_segment_ids(ex, ids, offsets)          0 0 0 2 2 3  ->  0 3 3 5 6
///
/// Shapes   ids[n] of any integer type, ascending, in [0, k) for k segments;
///          offsets[k + 1] of an integer type that holds n.
/// Cost     O(k log n) work, O(log n) span.  On the host a search begins at the previous offset.
/// Errors   contract_error if there is no room for any offset.  Issued, not
///          awaited.
template <local_executor Ex, class Ids, class Offsets>
void offsets_of_segment_ids(Ex const& ex, Ids const& ids, Offsets&& offsets) {
  static_assert(
      sequence_on<Ids const&, Ex>,
      "offsets_of_segment_ids: ids is not a contiguous sequence in the executor's memory");
  RAVEL_EXPECT_WRITABLE(Offsets, Ex, "offsets_of_segment_ids: offsets");
  using T = element_t<Offsets>;
  using U = element_t<Ids const&>;
  static_assert(std::integral<T> && std::integral<U>,
                "offsets_of_segment_ids: ids and offsets must be integers");
  auto const src = view_of(ids);
  auto const dst = view_of(offsets);
  expects(dst.size() > 0, "offsets_of_segment_ids: there is no room for any offset");
  detail::verify_indices(ex, "offsets_of_segment_ids", src, dst.size() - 1, "id");
  detail::verify_ascending(ex, "offsets_of_segment_ids", "id", src);
  using Search = detail::write_first_of_id<T, U>;
  Search const search{dst.data(), src.data(), src.size()};
  if constexpr (auto const& own = detail::own(ex); cpu::host_executor<detail::own_t<Ex>>) {
    own.for_each_tile(dst.size(), cpu::detail::search_tile<Search>{search});
  } else {
    for_each_index(ex, dst.size(), search);
  }
}

}  // namespace ravel::inline v0
