#pragma once

/// Strings in a text, which may be apart, adjacent or overlapping, and their order.

#include <ravel/core/vocabulary.hpp>

namespace ravel::inline v0 {

/// Strings in a text, which may be apart, adjacent or overlapping: string s is the bytes
/// [begins[s], ends[s]) of it.
///
///     text "banana", begins 1 3, ends 4 6        string 0 is "ana", and so is string 1
///
/// Not owned: the text and the bounds must outlive it.  For use in function objects of host
/// and device code.
template <class Byte, class Begin, class End>
struct substrings {
  Byte const* text;
  Begin const* begins;
  End const* ends;

  RAVEL_HD index_t length(index_t s) const {
    return static_cast<index_t>(ends[s]) - static_cast<index_t>(begins[s]);
  }
  RAVEL_HD unsigned byte(index_t s, index_t i) const {
    return static_cast<unsigned char>(text[static_cast<index_t>(begins[s]) + i]);
  }
  RAVEL_HD Byte const* data(index_t s) const { return text + static_cast<index_t>(begins[s]); }
};

/// Whether string s is lexicographically less than string t; a proper prefix of a string is less
/// than it.  The bytes before `from` are known to be equal.
///
///     substrings of "banana" from 1 to 4 and from 0 to 6: true, "ana" is less than "banana"
///
/// Cost     The bytes from `from` up to the first difference.
template <class Strings>
RAVEL_HD bool string_less(Strings const& strings, index_t s, index_t t, index_t offset = 0) {
  index_t const a = strings.length(s), b = strings.length(t);
  for (index_t i = offset; i < a && i < b; ++i) {
    unsigned const x = strings.byte(s, i), y = strings.byte(t, i);
    if (x != y) return x < y;
  }
  return a < b;
}

/// Whether strings s and t are equal.
///
///     substrings of "banana" from 1 to 4 and from 3 to 6: true
///
/// Cost     The bytes up to the first difference; none where the lengths differ.
template <class Strings>
RAVEL_HD bool string_equal(Strings const& strings, index_t s, index_t t) {
  index_t const n = strings.length(s);
  if (n != strings.length(t)) return false;
  for (index_t i = 0; i < n; ++i) {
    if (strings.byte(s, i) != strings.byte(t, i)) return false;
  }
  return true;
}

}  // namespace ravel::inline v0
