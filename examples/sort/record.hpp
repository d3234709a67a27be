#pragma once

/// Lines and their keys.

#include "support/tokens.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace ravel::examples {

/// Follows the refusal of a field that is no number.
inline constexpr char const* words_are_text = "; --type text sorts words";

/// A line, with its key: `text` for text, of which `bits` are the first bytes; else `bits`, an
/// integer in the order of the lines, and `text` is empty.
struct record {
  std::string_view line;
  std::string_view text;
  std::uint64_t bits = 0;
};

/// How lines are keyed and ordered.
class record_order {
  bool is_text_;
  column_choice column_;  // 0: the whole line
  bool downward_;
  std::string (*read_)(std::string_view field, std::uint64_t& bits);

 public:
  /// `type` is "text" or a type of numbers.
  record_order(std::string const& type, column_choice column, bool downward);

  bool is_text() const { return is_text_; }

  /// Whether blank lines are skipped, as they have no columns.
  bool skips_blank() const { return column_.number > 0; }

  /// Finds the key of r.line; returns the reason if there is none.
  std::string find_key(record& r) const;

  /// Whether r comes before s.
  bool operator()(record const& r, record const& s) const {
    if (r.bits != s.bits) return r.bits < s.bits;
    return downward_ ? s.text < r.text : r.text < s.text;
  }
};

}  // namespace ravel::examples
