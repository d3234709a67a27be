#pragma once

/// String sort: orders sequences of bytes, of any mix of lengths.

#include <ravel/algorithms/sort_operands.hpp>
#include <ravel/algorithms/sort_options.hpp>
#include <ravel/algorithms/string_sort/call.hpp>
#include <ravel/algorithms/string_sort/cpu.hpp>
#include <ravel/algorithms/string_sort/steps.hpp>
#include <ravel/algorithms/strings.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/primitives/find_first.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/readable_segments.hpp>
#include <ravel/primitives/verify.hpp>

namespace ravel::inline v0 {

namespace detail {

/// Strings that are the segments of a text.
template <class Byte, class S>
struct string_segments {
  Byte const* text;
  S segments;

  RAVEL_HD index_t length(index_t s) const { return segments.begin(s + 1) - segments.begin(s); }
  RAVEL_HD unsigned byte(index_t s, index_t i) const {
    return static_cast<unsigned char>(text[segments.begin(s) + i]);
  }
  RAVEL_HD Byte const* data(index_t s) const { return text + segments.begin(s); }
};

template <class Ex, class Strings, class Out, class... Options>
void sort_strings_sync(Ex const& ex, index_t n, Strings strings, Out* order, Options...) {
  expect_room_for_numbers<Out>("string_argsort_sync", n);
  run_call(ex, string_sort_call<Strings, Out, Options...>{n, strings, order});
}

/// String s is bytes [begin, end) of a text.
struct string_bounds {
  index_t begin, end;
};
/// The bounds of each string, by segments or by begins and ends.
template <class S>
struct bounds_by_segments {
  S segments;
  RAVEL_HD string_bounds operator()(index_t s) const {
    return {segments.begin(s), segments.begin(s + 1)};
  }
};
template <class Begin, class End>
struct bounds_by_places {
  Begin const* begins;
  End const* ends;
  RAVEL_HD string_bounds operator()(index_t s) const {
    return {static_cast<index_t>(begins[s]), static_cast<index_t>(ends[s])};
  }
};

template <class Bounds>
struct is_outside_text {
  Bounds bounds;
  index_t n;
  RAVEL_HD bool operator()(index_t s) const {
    auto const [begin, end] = bounds(s);
    return begin < 0 || end < begin || n < end;
  }
};
template <class Bounds>
struct store_bounds {
  Bounds bounds;
  index_t s;
  string_bounds* to;
  RAVEL_HD void operator()(index_t) const { *to = bounds(s); }
};

/// Expects each of `many` strings to be within a text of n bytes, since the sort reads them.
/// Waits, as the sort does anyway.
template <class Ex, class Bounds>
void expect_in_text_sync(Ex const& ex, index_t many, Bounds bounds, index_t n) {
  index_t const s = verified_sync(ex, many, [&](auto const& first) {
    find_first_on(ex, many, is_outside_text<Bounds>{bounds, n}, store_total<index_t>{first.data()});
  });
  if (s == many) return;
  auto const [begin, end] = one_sync<string_bounds>(ex, [&](auto const& target) {
    for_each_index(ex, 1, store_bounds<Bounds>{bounds, s, target.data()});
  });
  expects(false, "string_argsort_sync: string ", s, " is [", begin, ", ", end, ") of a text of ", n,
          " bytes");
}

template <class Ex, class Text, class Order, class... Options>
void expect_strings() {
  static_assert(sequence_on<Text const&, Ex> && sizeof(element_t<Text const&>) == 1,
                "string_argsort_sync: the text is no sequence of bytes in the executor's memory");
  static_assert(
      writable_on<Order, Ex> && std::integral<element_t<Order>>,
      "string_argsort_sync: order is no writable sequence of integers in the executor's memory");
  static_assert(sizeof...(Options) <= 1 && (std::same_as<Options, descending_t> && ...),
                "string_argsort_sync: the only option is `descending`");
}

}  // namespace detail

/// The stable permutation that sorts strings lexicographically by bytes, compared
/// as numbers from 0 to 255; a proper prefix of a string precedes it:
///
///     text       "pearfigpeachfig"      string_argsort_sync(ex, text, by_lengths(lengths), order)
///     lengths    4 3 5 3
///     order      1 3 2 0                fig fig peach pear
///     order      0 2 1 3                with the option `descending`
///
/// Strings that are not adjacent, or overlap, are given by where each begins and ends:
///
///     text       "banana"               string_argsort_sync(ex, text, begins, ends, order)
///     begins     0 1 2 3 4 5
///     ends       6 6 6 6 6 6
///     order      5 3 1 0 4 2            the suffix array: a ana anana banana na nana
///
/// Shapes   text[n] of bytes; m segments by offsets, lengths or one length, or begins[m] and
///          ends[m] of any integer type with begins[s] <= ends[s]; order[m] of an integer type
///          that can represent m; all in the memory of `ex`.  `order` overlaps nothing.  m may be
///          0, and strings may be empty.
/// Order    That of std::lexicographical_compare on unsigned char, and of `LC_ALL=C sort
///          --stable`.
/// Cost     A segmented radix sort of seven bytes of each string, and then of the next seven
///          of those that are still equal to others.  For m strings that differ within d bytes
///          O(m d) work; on a device those equal in 70 bytes are compared, O(m log m d) beyond
///          there.  Scratch for 7 integers of each string besides that of the sort, on the host 3.
///          Waits, to know whether all strings are in the text and how many remain.
/// Errors   contract_error if the sizes do not fit, if order's type is too narrow, or if a string
///          ends before it begins or is not within the text.
/// Source   McIlroy, Bostic and McIlroy, "Engineering Radix Sort", Computing Systems 6(1),
///          1993: most significant digit first, then each group separately.
/// See also run_length_encode with equal_by(...) and string_equal, which counts the occurrences
///          of each string.
template <local_executor Ex, class Text, class S, class Order, class... Options>
requires(segments_on<S, Ex>) void string_argsort_sync(Ex const& ex, Text const& text, S segments,
                                                      Order&& order, Options... options) {
  detail::expect_strings<Ex, Text, Order, Options...>();
  static_assert(
      requires { segments.count(); },
      "string_argsort_sync: segments by heads or keys cannot be empty; give where each "
      "begins, by_offsets, by_lengths or uniform");
  auto const bytes = view_of(text);
  auto const positions = view_of(order);
  detail::readable_segments<Ex, S> const readable(ex, segments, bytes.size(),
                                                  "string_argsort_sync");
  auto const strings = readable.get();
  expects(strings.count() == positions.size(), "string_argsort_sync: there are ", strings.count(),
          " strings, and order has room for ", positions.size());
  using segments_read = std::remove_const_t<decltype(strings)>;
  if constexpr (requires { strings.offsets; }) {
    auto const offsets = strings.offsets.data();  // unclamped: begin(s) clamps them
    using Offset = element_t<decltype(strings.offsets)>;
    detail::expect_in_text_sync(detail::own(ex), positions.size(),
                                detail::bounds_by_places<Offset, Offset>{offsets, offsets + 1},
                                bytes.size());
  } else if constexpr (!std::same_as<S, uniform_segments>) {
    detail::expect_in_text_sync(detail::own(ex), positions.size(),
                                detail::bounds_by_segments<segments_read>{strings}, bytes.size());
  }
  using all = detail::string_segments<element_t<Text const&>, segments_read>;
  detail::sort_strings_sync(detail::own(ex), positions.size(), all{bytes.data(), strings},
                            positions.data(), options...);
}
template <local_executor Ex, class Text, class Begins, class Ends, class Order, class... Options>
requires(!segments_on<Begins, Ex>) void string_argsort_sync(Ex const& ex, Text const& text,
                                                            Begins const& begins, Ends const& ends,
                                                            Order&& order, Options... options) {
  detail::expect_strings<Ex, Text, Order, Options...>();
  static_assert(sequence_on<Begins const&, Ex> && sequence_on<Ends const&, Ex> &&
                    std::integral<element_t<Begins const&>> &&
                    std::integral<element_t<Ends const&>>,
                "string_argsort_sync: begins or ends is no sequence of integers in the executor's "
                "memory");
  auto const starts = view_of(begins);
  auto const until = view_of(ends);
  auto const positions = view_of(order);
  expects(starts.size() == positions.size() && until.size() == positions.size(),
          "string_argsort_sync: there are ", starts.size(), " begins and ", until.size(),
          " ends, and order has room for ", positions.size());
  using Begin = element_t<Begins const&>;
  using End = element_t<Ends const&>;
  detail::expect_in_text_sync(detail::own(ex), positions.size(),
                              detail::bounds_by_places<Begin, End>{starts.data(), until.data()},
                              size_of(text));
  using all = substrings<element_t<Text const&>, Begin, End>;
  detail::sort_strings_sync(detail::own(ex), positions.size(),
                            all{view_of(text).data(), starts.data(), until.data()},
                            positions.data(), options...);
}

}  // namespace ravel::inline v0
