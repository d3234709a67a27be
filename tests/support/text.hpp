#pragma once

/// Nested host values as a line of text: [[1,2],[],[3]], (1,'a'), "text", t, f.

#include <concepts>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

namespace ravel::testing {

inline void write(std::ostream& out, bool x) { out << (x ? 't' : 'f'); }
inline void write(std::ostream& out, std::string const& x) { out << '"' << x << '"'; }
template <class T>
requires std::integral<T> || std::floating_point<T>
void write(std::ostream& out, T x) { out << x; }
template <class... T>
void write(std::ostream& out, std::tuple<T...> const& x);
template <class T>
void write(std::ostream& out, std::vector<T> const& x) {
  out << '[';
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (i > 0) out << ',';
    write(out, T(x[i]));
  }
  out << ']';
}
template <class... T>
void write(std::ostream& out, std::tuple<T...> const& x) {
  out << '(';
  bool first = true;
  std::apply(
      [&](auto const&... part) {
        ((first ? void(first = false) : void(out << ','), write(out, part)), ...);
      },
      x);
  out << ')';
}

template <class T>
std::string text(T const& x) {
  std::ostringstream out;
  write(out, x);
  return out.str();
}

}  // namespace ravel::testing
