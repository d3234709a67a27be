/// The textbook in a web page: what page.html calls, compiled to WebAssembly by scripts/textbook_page.

#include "textbook/compaction.hpp"
#include "textbook/exclusive_scan_by_sweeps.hpp"
#include "textbook/inclusive_scan_by_sweeps.hpp"
#include "textbook/naive_scan.hpp"
#include "textbook/quicksort_by_levels.hpp"
#include "textbook/reduction.hpp"
#include "textbook/run_length_encoding.hpp"
#include "textbook/scan_by_doubling.hpp"
#include "textbook/split_radix_sort.hpp"

#include <algorithm>
#include <bit>
#include <climits>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace textbook;
using numbers = std::vector<int>;

template <class Op>
numbers by_name(std::string_view name, numbers const& x, int identity, Op op) {
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
  return run_length_encode(x).values;
}

struct maximum {
  int operator()(int a, int b) const { return std::max(a, b); }
};

}  // namespace

/// A line of results, and one of the steps and the work.  Numbers are not negative, and there is one
/// at least.  The text lives until the next call.
extern "C" char const* run(char const* name, char const* op, int const* values, int n) {
  static std::string text;
  numbers const x(values, values + n);
  machine = {};
  numbers const results = std::string_view(op) == "max" ? by_name(name, x, INT_MIN, maximum{})
                                                        : by_name(name, x, 0, std::plus{});
  auto const [steps, work, backward] = machine;
  text.clear();
  for (int const r : results) text += std::to_string(r) + ' ';
  text += '\n' + std::to_string(steps) + " steps, work " + std::to_string(work);
  return text.c_str();
}
