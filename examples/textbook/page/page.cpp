/// The textbook in a web page: what page.html calls, compiled to WebAssembly by scripts/textbook_page.

#include "textbook/compaction.hpp"
#include "textbook/exclusive_scan_by_sweeps.hpp"
#include "textbook/inclusive_scan_by_sweeps.hpp"
#include "textbook/lexing.hpp"
#include "textbook/list_ranking_by_jumping.hpp"
#include "textbook/list_ranking_by_splitters.hpp"
#include "textbook/naive_scan.hpp"
#include "textbook/polynomial.hpp"
#include "textbook/quicksort_by_levels.hpp"
#include "textbook/reduction.hpp"
#include "textbook/run_length_encoding.hpp"
#include "textbook/scan_by_doubling.hpp"
#include "textbook/segmented_scan_by_mindex.hpp"
#include "textbook/segmented_scan_by_pairs.hpp"
#include "textbook/sparse_product.hpp"
#include "textbook/split_radix_sort.hpp"
#include "textbook/string_comparison.hpp"

#include <algorithm>
#include <bit>
#include <climits>
#include <functional>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace textbook;
using numbers = std::vector<int>;

/// A matrix of these rows, whose entries are in columns 0, 1, ..., times 1, 2, 3, ...
numbers product(numbers const& x, numbers const& lengths) {
  std::vector<size_t> offsets{0}, columns;
  numbers factors;
  for (int const n : lengths) {
    offsets.push_back(offsets.back() + static_cast<size_t>(n));
    for (int i = 0; i < n; ++i) columns.push_back(static_cast<size_t>(i));
  }
  for (size_t i = 0; i < x.size(); ++i) factors.push_back(static_cast<int>(i) + 1);
  return sparse_product(offsets, columns, x, factors);
}

numbers ranks(numbers const& links, bool by_jumping) {
  std::vector<size_t> const next(links.begin(), links.end());
  auto const found = by_jumping ? rank_by_jumping(next) : rank_by_splitters(next, 2);
  return {found.begin(), found.end()};
}

std::string tokens(std::string const& text) {
  static char const* const kinds[] = {"blank", "name", "number", "string"};
  std::string out;
  for (token const& t : lex(text))
    out += std::string(kinds[t.kind]) + " at " + std::to_string(t.begin) + ' ';
  return out;
}

numbers heads_of(numbers const& lengths) {
  numbers heads;
  for (int const n : lengths) {
    for (int i = 0; i < n; ++i) heads.push_back(i == 0);
  }
  return heads;
}

template <class Op>
numbers by_name(std::string_view name, numbers const& x, numbers const& lengths, int identity,
                Op op) {
  if (name == "naive_scan") return naive_scan(x, op);
  if (name == "scan_by_doubling") return scan_by_doubling(x, op);
  if (name == "exclusive_scan_by_sweeps") return exclusive_scan_by_sweeps(x, identity, op);
  if (name == "inclusive_scan_by_sweeps") return inclusive_scan_by_sweeps(x, op);
  if (name == "reduce") return {reduce(x, identity, op)};
  if (name == "compact") {
    return compact(x, tabulate(x.size(), [&](size_t i) { return size_t{x[i] % 2 != 0}; }));
  }
  if (name == "split_radix_sort") {
    int const most = *std::max_element(x.begin(), x.end());
    return split_radix_sort(x, std::bit_width(static_cast<unsigned>(most)));
  }
  if (name == "quicksort_by_levels") return quicksort_by_levels(x);
  if (name == "segmented_scan_by_pairs") return segmented_scan_by_pairs(heads_of(lengths), x, op);
  if (name == "segmented_scan_by_mindex") return segmented_scan_by_mindex(heads_of(lengths), x, op);
  if (name == "sparse_product") return product(x, lengths);
  if (name == "evaluate") return {evaluate(x, 2)};
  if (name == "compare_prefixes") {
    std::string const both(x.begin(), x.end());
    auto const n = static_cast<size_t>(lengths[0]);
    return compare_prefixes(both.substr(0, n), both.substr(n));
  }
  if (name == "rank_by_jumping" || name == "rank_by_splitters")
    return ranks(x, name == "rank_by_jumping");
  return run_length_encode(x).values;
}

struct maximum {
  int operator()(int a, int b) const { return std::max(a, b); }
};

}  // namespace

/// A line of results, and one of the steps and the work.  Numbers are not negative, and there is one
/// at least; segments have these lengths; links are of lists, and characters of one text or two.  The
/// text lives until the next call.
extern "C" char const* run(char const* name, char const* op, int const* values, int const* lengths,
                           int segments) {
  static std::string text;
  numbers const of_segments(lengths, lengths + segments);
  numbers const x(values, values + std::accumulate(lengths, lengths + segments, 0));
  machine = {};
  text.clear();
  if (name == std::string_view("lex")) {
    text = tokens({x.begin(), x.end()});
  } else {
    for (int const r : std::string_view(op) == "max"
                           ? by_name(name, x, of_segments, INT_MIN, maximum{})
                           : by_name(name, x, of_segments, 0, std::plus{})) {
      text += std::to_string(r) + ' ';
    }
  }
  auto const [steps, work, backward] = machine;
  text += '\n' + std::to_string(steps) + " steps, work " + std::to_string(work);
  return text.c_str();
}
