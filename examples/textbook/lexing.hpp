#pragma once

/// Lexing by a scan of state maps: the state of a lexer at each character, without walking there.
///
///     (f . g)(s) = g(f(s)): maps from states to states compose associatively, and
///     state[i] = (f0 . f1 . ... . fi)(blank), with fi(s) the state after s and character i
///
///     text      x  =  ' '  "  a  1  "  4  2
///     state     n  .   .   s  s  s  .  d  d     name, number (d), string, and blank for all else
///     tokens    name at 0, string at 3, number at 7
///
/// A processor at a character does not know whether it is in a string; so it computes the next state
/// for each of the four.  The second quote leads to blank.
///
/// Work     less than 6 n + 2 (m - 1), for m = n rounded up to a power of two
/// Steps    at most 2 log2 n + 2 log2 m + 4
/// Source   Ladner and Fischer, "Parallel Prefix Computation", J. ACM 27(4), 1980; Hillis and
///          Steele, "Data Parallel Algorithms", Comm. ACM 29(12), 1986, for lexing.

#include "compaction.hpp"
#include "inclusive_scan_by_sweeps.hpp"

#include <array>
#include <cctype>
#include <string_view>

namespace textbook {

enum lexeme : unsigned char { blank, name, number, string };
struct token {
  lexeme kind;
  size_t begin;
  friend bool operator==(token const&, token const&) = default;
};

inline lexeme next_state(lexeme state, unsigned char c) {
  if (c == '"') return state == string ? blank : string;
  if (state == string) return string;
  if (std::isdigit(c)) return state == name ? name : number;
  return std::isalpha(c) ? name : blank;
}

inline std::vector<token> lex(std::string_view text) {
  using map = std::array<lexeme, 4>;
  auto const maps = tabulate(text.size(), [&](size_t i) {
    auto const c = static_cast<unsigned char>(text[i]);
    return map{next_state(blank, c), next_state(name, c), next_state(number, c),
               next_state(string, c)};
  });
  auto const until = inclusive_scan_by_sweeps(maps, [](map f, map g) {
    return map{g[f[0]], g[f[1]], g[f[2]], g[f[3]]};
  });
  auto const states = tabulate(text.size(), [&](size_t i) { return token{until[i][blank], i}; });
  auto const begins = tabulate(text.size(), [&](size_t i) {
    lexeme const before = i == 0 ? blank : states[i - 1].kind;
    return size_t{states[i].kind != blank && states[i].kind != before};
  });
  return compact(states, begins);
}

}  // namespace textbook
