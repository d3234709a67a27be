#pragma once

/// Segment descriptors: several ways to specify where segments begin.
///
/// All of these describe the segments [3 1 2] [4 1] [5] of six elements:
///
///     by_offsets    0 3 5 6        segment s is [offsets[s], offsets[s + 1])
///     by_lengths    3 2 1
///     by_heads      1 0 0 1 0 1    nonzero where a segment begins
///     by_head_bits  0b101001       bit i of the words, the lowest first
///     by_keys       7 7 7 4 4 7    a segment is a run of equal keys
///
/// and `uniform(k, length)` describes k segments of the same length, `chunks(n, length)` segments
/// over n elements, the last of which has the rest.  The forms with offsets, lengths and a uniform
/// length can have empty segments, which keep their position in every result; in the others each
/// segment has an element, and element 0 is always a head.
///
/// A descriptor is a view: it does not own its operands.

#include <ravel/core/flags.hpp>
#include <ravel/core/search.hpp>

namespace ravel::inline v0 {

/// A descriptor tests, through a cursor made by `on(tile)`, where segments begin and end:
///
///     cursor.head(i)       whether a segment begins at element i
///     cursor.tail(i)       whether a segment ends with element i
///
/// and if it is `numbered`, that is if segments have numbers without a scan,
///
///     cursor.segment(i)    the segment that element i is in
///     cursor.begin(s)      where segment s begins, also as begin(s) for any segment
///     count()              the number of segments
template <class S>
concept segment_descriptor = requires(S const& s, tile t, index_t i) {
  { s.on(t).head(i) } -> std::convertible_to<bool>;
  { s.on(t).tail(i) } -> std::convertible_to<bool>;
  { S::numbered } -> std::convertible_to<bool>;
  s.expect_elements(i, "");
};

namespace detail {

/// The begin of a segment from an offset in memory: an offset outside of [0, elements] counts as
/// `elements`, so that nothing outside of them is read or written.
template <class T>
RAVEL_HD constexpr index_t bounded(T offset, index_t elements) {
  auto const begin = static_cast<index_t>(offset);
  return static_cast<std::uint64_t>(begin) < static_cast<std::uint64_t>(elements) ? begin
                                                                                  : elements;
}
/// The number of elements of segments until a call sets it.
inline constexpr index_t any_elements = std::numeric_limits<index_t>::max();

/// Finds the segment of an element, among the segments of a tile, starting from the last one found:
/// a walk over adjacent elements costs O(1) a step.
template <class Begins>
struct segment_walk {
  Begins begins;
  index_t first, last;
  mutable index_t here;

  RAVEL_HD index_t begin(index_t s) const { return begins(s); }
  RAVEL_HD index_t segment(index_t i) const {
    if (i < begin(here)) {
      here = begins.segment(first + 1, here, i);
    } else if (here < last && i >= begin(here + 1)) {
      ++here;  // usually the next segment, unless it ends here too
      if (here < last && i >= begin(here + 1)) here = begins.segment(here + 1, last + 1, i);
    }
    return here;
  }
  RAVEL_HD bool head(index_t i) const { return begin(segment(i)) == i; }
  RAVEL_HD bool tail(index_t i) const { return begin(segment(i) + 1) == i + 1; }
};
/// A walk over those of `count` segments that overlap a tile.
template <class Begins>
RAVEL_HD segment_walk<Begins> walk_on(Begins const& begins, index_t count, tile t) {
  index_t const first = begins.segment(0, count, t.begin);
  index_t const last = begins.segment(first + 1, count, t.end - 1);
  index_t const start = first < 0 ? 0 : first;
  return {begins, start, last < 0 ? 0 : last, start};
}

/// Segment begins, by offsets.
template <class T>
struct begins_by_offsets {
  T const* offsets;
  index_t elements = any_elements;

  RAVEL_HD index_t operator()(index_t s) const { return bounded(offsets[s], elements); }
  /// The last of the segments [low, high) that begins at or before element i, or low - 1.
  RAVEL_HD index_t segment(index_t low, index_t high, index_t i) const {
    return partition_point(low, high, at_most<T>{offsets, i}) - 1;
  }
};
/// The same, or, without offsets, segments of one length.
template <class T>
struct begins_in_either_way {
  T const* offsets;
  index_t length;
  index_t elements = any_elements;

  RAVEL_HD index_t operator()(index_t s) const {
    return bounded(offsets ? static_cast<index_t>(offsets[s]) : s * length, elements);
  }
  RAVEL_HD index_t segment(index_t low, index_t high, index_t i) const {
    if (offsets) return begins_by_offsets<T>{offsets}.segment(low, high, i);
    index_t const s = length > 0 ? i / length : high - 1;
    return s < high ? s : high - 1;
  }
};

}  // namespace detail

/// The result of `by_offsets`.
template <class T, class Space>
struct offset_segments {
  using space = Space;
  static constexpr bool numbered = true;
  view<T const, Space> offsets;             // one more than there are segments
  index_t elements = detail::any_elements;  // the upper bound of offsets

  using cursor = detail::segment_walk<detail::begins_by_offsets<T>>;

  RAVEL_HD index_t count() const { return offsets.size() - 1; }
  RAVEL_HD index_t begin(index_t s) const { return detail::bounded(offsets[s], elements); }
  RAVEL_HD cursor on(tile t) const {
    return detail::walk_on(detail::begins_by_offsets<T>{offsets.data(), elements}, count(), t);
  }
  /// The same, with offsets bounded by n elements.
  RAVEL_HD offset_segments within(index_t n) const { return {offsets, n}; }
  void expect_elements(index_t n, char const* call) const {
    if constexpr (std::same_as<Space, host_space>) {
      auto const first = static_cast<index_t>(offsets[0]);
      auto const last = static_cast<index_t>(offsets[count()]);
      if (first != 0 || last != n) refuse(call, count(), first, last, n);
    } else {
      expects(count() > 0 || n == 0, call, one_offset, n, " elements");
    }
  }

 private:
  static constexpr auto one_offset = ": there is one offset, so no segment, and there are ";

  /// Throws.  Out of line, and by numbers, so that descriptors stay in registers.
  [[noreturn, gnu::noinline, gnu::cold]] static void refuse(char const* call, index_t segments,
                                                            index_t first, index_t last,
                                                            index_t n) {
    expects(segments > 0 || n == 0, call, one_offset, n, " elements");
    expects(first == 0, call, ": the first offset is ", first, " and must be 0");
    detail::broken(call, ": the last offset is ", last, ", and there are ", n, " elements");
  }
};

/// The result of `by_lengths`.  Primitives turn it into offsets first.
template <class T, class Space>
struct length_segments {
  using space = Space;
  view<T const, Space> lengths;
  RAVEL_HD index_t count() const { return lengths.size(); }
};

/// The result of `by_heads`, `by_head_bits` and `by_keys`, from a function that tests whether an
/// element begins a segment.
template <class Begins, class Space>
struct head_segments {
  using space = Space;
  static constexpr bool numbered = false;
  Begins begins;
  index_t elements;

  RAVEL_HD head_segments on(tile) const { return *this; }
  RAVEL_HD bool head(index_t i) const { return i == 0 || begins(i); }
  RAVEL_HD bool tail(index_t i) const { return i + 1 == elements || begins(i + 1); }
  void expect_elements(index_t n, char const* call) const {
    expects(n == elements, call, ": the segment heads are for ", elements,
            " elements, and there are ", n);
  }
};

/// The result of `uniform` and `chunks`: the last segment may be shorter.
struct uniform_segments {
  static constexpr bool numbered = true;
  index_t segments;
  index_t length;
  index_t elements;

  RAVEL_HD index_t count() const { return segments; }
  RAVEL_HD uniform_segments on(tile) const { return *this; }
  RAVEL_HD index_t segment(index_t i) const { return i / length; }
  RAVEL_HD index_t begin(index_t s) const { return s < segments ? s * length : elements; }
  RAVEL_HD bool head(index_t i) const { return i % length == 0; }
  RAVEL_HD bool tail(index_t i) const { return (i + 1) % length == 0 || i + 1 == elements; }
  void expect_elements(index_t n, char const* call) const {
    bool const even = segments * length == elements;
    expects(elements == n, call, even ? ": uniform(" : ": chunks(", even ? segments : elements,
            ", ", length, ") has ", elements, " elements, and there are ", n);
  }
};

namespace detail {

template <class T, class Eq>
struct key_changes {
  T const* keys;
  Eq eq;
  RAVEL_HD bool operator()(index_t i) const { return !eq(keys[i - 1], keys[i]); }
};

/// `segments`, with offsets, if it has any, bounded by n elements.
template <class S>
RAVEL_HD S within(S const& segments, index_t n) {
  if constexpr (requires {
                  { segments.within(n) } -> std::same_as<S>;
                }) {
    return segments.within(n);
  } else {
    return segments;
  }
}

template <class S>
struct is_lengths : std::false_type {};
template <class T, class Space>
struct is_lengths<length_segments<T, Space>> : std::true_type {};

}  // namespace detail

/// x == y, for values that kernels can compare.
struct equal_to {
  template <class T>
  RAVEL_HD constexpr bool operator()(T const& x, T const& y) const {
    static_assert(
        requires { x == y; },
        "this call compares by ==, which the elements lack: give it an equality");
    return x == y;
  }
};

/// Segment s is [offsets[s], offsets[s + 1]).
///
/// Shapes   offsets[k + 1] of any integer type for k segments: ascending, from 0
///          to the number of elements.  On the host the first and the last are
///          always checked, and all of them on a checked executor (checked.hpp).
/// Errors   contract_error if there are no offsets.
template <sequence R>
auto by_offsets(R&& offsets) {
  static_assert(std::integral<element_t<R>>, "by_offsets: offsets must be integers");
  static_assert(detail::outlives_the_call<R>, "by_offsets: the offsets are a temporary");
  auto const v = view_of(offsets);
  expects(v.size() > 0,
          "by_offsets: there must be one offset more than segments, and there is none");
  return offset_segments<element_t<R>, space_of_t<R>>{v};
}

/// Segment s has lengths[s] elements.
///
/// Shapes   lengths[k] of any integer type, none negative; their sum is the
///          number of elements.  On the host the sum is always checked, and all of
///          them on a checked executor (checked.hpp).
/// Cost     A primitive given lengths scans them to offsets first: 8 k bytes of scratch.
template <sequence R>
auto by_lengths(R&& lengths) {
  static_assert(std::integral<element_t<R>>, "by_lengths: lengths must be integers");
  static_assert(detail::outlives_the_call<R>, "by_lengths: the lengths are a temporary");
  return length_segments<element_t<R>, space_of_t<R>>{view_of(lengths)};
}

/// A segment begins wherever heads[i] is nonzero, and at 0.
///
/// Shapes   heads[n], of bool or any integer type.
template <sequence R>
auto by_heads(R&& heads) {
  static_assert(std::integral<element_t<R>>, "by_heads: head flags must be bools or integers");
  static_assert(detail::outlives_the_call<R>, "by_heads: the head flags are a temporary");
  auto const v = view_of(heads);
  return head_segments<nonzero<element_t<R>>, space_of_t<R>>{{v.data()}, v.size()};
}

/// A segment begins wherever bit i is set, and at 0.  Bit i is bit i mod w of
/// word i / w, the lowest first, for words of w bits.
///
/// Shapes   words[ceil(n / w)] of an unsigned type for n elements.
template <sequence R>
auto by_head_bits(R&& words, index_t n) {
  using W = element_t<R>;
  static_assert(std::unsigned_integral<W>, "by_head_bits: the words must be unsigned integers");
  static_assert(detail::outlives_the_call<R>, "by_head_bits: the words are a temporary");
  auto const v = view_of(words);
  expects(n >= 0 && div_up_of_any(n, bit_set<W>::width) <= v.size(), "by_head_bits: ", v.size(),
          " words are too few for ", n, " elements");
  return head_segments<bit_set<W>, space_of_t<R>>{{v.data()}, n};
}

/// A segment is a maximal run of keys each equal to the one before.
///
/// Shapes   keys[n]; eq(x, y) must be callable where the elements are.
template <sequence R, class Eq = equal_to>
auto by_keys(R&& keys, Eq eq = {}) {
  static_assert(detail::outlives_the_call<R>, "by_keys: the keys are a temporary");
  auto const v = view_of(keys);
  return head_segments<detail::key_changes<element_t<R>, Eq>, space_of_t<R>>{{v.data(), eq},
                                                                             v.size()};
}

/// `count` segments of `length` elements each.
inline uniform_segments uniform(index_t count, index_t length) {
  constexpr index_t limit = std::numeric_limits<index_t>::max();
  expects(count >= 0 && length >= 0 && (length == 0 || count <= limit / length),
          "uniform: there cannot be ", count, " segments of ", length, " elements");
  return {count, length, count * length};
}

/// n elements in segments of `length` each; the last has the rest.
///
///     chunks(7, 3) has the lengths 3 3 1
inline uniform_segments chunks(index_t n, index_t length) {
  expects(n >= 0 && length > 0, "chunks: there cannot be ", n, " elements in segments of ", length);
  return {div_up_of_any(n, length), length, n};
}

/// Refused: a descriptor reads a sequence in memory, which must outlive the call.
template <class R>
requires(!sequence<R>) uniform_segments by_offsets(R const&) {
  static_assert(sequence<R>, "by_offsets: the offsets are no sequence: to(ex, offsets) makes one");
  return {0, 0, 0};
}
template <class R>
requires(!sequence<R>) uniform_segments by_lengths(R const&) {
  static_assert(sequence<R>, "by_lengths: the lengths are no sequence: to(ex, lengths) makes one");
  return {0, 0, 0};
}
template <class R>
requires(!sequence<R>) uniform_segments by_heads(R const&) {
  static_assert(sequence<R>, "by_heads: the head flags are no sequence: to(ex, heads) makes one");
  return {0, 0, 0};
}
template <class R, class Eq = equal_to>
requires(!sequence<R>) uniform_segments by_keys(R const&, Eq = {}) {
  static_assert(sequence<R>, "by_keys: the keys are no sequence: to(ex, keys) makes one");
  return {0, 0, 0};
}

/// The result of `by_offsets_or_length`.
template <class T, class Space>
struct either_segments {
  using space = Space;
  static constexpr bool numbered = true;
  detail::begins_in_either_way<T> begins;
  index_t segments;

  RAVEL_HD index_t count() const { return segments; }
  RAVEL_HD index_t begin(index_t s) const { return begins(s); }
  RAVEL_HD auto on(tile t) const { return detail::walk_on(begins, segments, t); }
  RAVEL_HD either_segments within(index_t n) const {
    return {{begins.offsets, begins.length, n}, segments};
  }
  void expect_elements(index_t n, char const* call) const {
    if (begins.offsets) {
      offset_segments<T, Space>{{begins.offsets, segments + 1}, n}.expect_elements(n, call);
    } else {
      uniform(segments, begins.length).expect_elements(n, call);
    }
  }
};

/// by_offsets, or uniform if the offsets are null: the choice is made at run time, so that one
/// kernel serves both.
///
/// Shapes   `count` segments, and count + 1 offsets or none.
template <class T, class Space>
either_segments<T, Space> by_offsets_or_length(view<T const, Space> offsets, index_t count,
                                               index_t length) {
  expects(count >= 0 && length >= 0, "by_offsets_or_length: there cannot be ", count,
          " segments of ", length, " elements");
  return {{offsets.data(), length}, count};
}

/// `S` is any segment descriptor in the memory of executor `Ex`.
template <class S, class Ex>
concept segments_on = (segment_descriptor<S> || detail::is_lengths<S>::value) &&
                      (std::same_as<S, uniform_segments> ||
                       std::same_as<space_of_t<S>, space_of_t<Ex>>);

/// Refuses others; `call` is a literal.
#define RAVEL_EXPECT_SEGMENTS(S, Ex, call)                                           \
  static_assert(segments_on<S, Ex>, call                                             \
                ": segments is not a descriptor (by_offsets, by_lengths, by_heads, " \
                "by_head_bits, by_keys, uniform) in the executor's memory")

namespace detail {

/// Whether, in the merged order of elements and segment ends, the end of segment s is among the
/// first `many`.
template <class Segments>
struct ends_within {
  Segments segments;
  index_t many;
  RAVEL_HD bool operator()(index_t s) const { return segments.begin(s + 1) + s < many; }
};

}  // namespace detail
}  // namespace ravel::inline v0
