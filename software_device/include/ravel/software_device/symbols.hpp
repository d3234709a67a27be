#pragma once

/// A symbolic monoid, whose results are trees of what was combined: it shows how an algorithm groups
/// its operands, on every executor of a host and on the device in software.
///
///     auto const in = software::symbols(4);                        // a b c d
///     inclusive_scan(ex, in, out, software::symbolic{}, scan_algorithm::brent_kung);
///     software::tree_of(out[3])                                    // ((a b) (c d))

#include <ravel/core/vocabulary.hpp>

#include <mutex>
#include <string>
#include <vector>

namespace ravel::software {

/// A leaf, a combination of two symbols, or by default the identity.
struct symbol {
  index_t node = -1;
  friend bool operator==(symbol const&, symbol const&) = default;
};

namespace detail {

/// All symbols that the program has made: a leaf has a name, and another one two parts.
class all_symbols {
  struct node {
    std::string name;
    symbol left, right;
  };
  std::mutex guard_;
  std::vector<node> nodes_;

  std::string text(symbol s) const {
    if (s.node < 0) return {};
    node const& n = nodes_[static_cast<std::size_t>(s.node)];
    return n.name.empty() ? '(' + text(n.left) + ' ' + text(n.right) + ')' : n.name;
  }

 public:
  symbol add(std::string name, symbol left = {}, symbol right = {}) {
    std::lock_guard const lock(guard_);
    nodes_.push_back({std::move(name), left, right});
    return {static_cast<index_t>(nodes_.size()) - 1};
  }
  std::string tree(symbol s) {
    std::lock_guard const lock(guard_);
    return text(s);
  }
};
inline all_symbols& made_symbols() {
  static all_symbols all;
  return all;
}

}  // namespace detail

/// The leaves a, b, ..., z, x26, x27, ..., n of them.
inline std::vector<symbol> symbols(index_t n) {
  std::vector<symbol> leaves;
  for (index_t i = 0; i < n; ++i) {
    leaves.push_back(detail::made_symbols().add(i < 26 ? std::string(1, static_cast<char>('a' + i))
                                                       : 'x' + std::to_string(i)));
  }
  return leaves;
}

/// The tree of a symbol, with parentheses around each combination; empty for the identity.
inline std::string tree_of(symbol s) { return detail::made_symbols().tree(s); }

/// Combines symbols.  Combinations with the identity are none, and so the result is a tree of
/// elements alone.  Not to be timed: each combination takes a lock, and memory until the program ends.
struct symbolic {
  static symbol identity() { return {}; }
  symbol operator()(symbol a, symbol b) const {
    if (a.node < 0) return b;
    if (b.node < 0) return a;
    return detail::made_symbols().add({}, a, b);
  }
};

}  // namespace ravel::software
