/// Programs of `each`, drawn from nested to flat.

#include "nested.hpp"
#include "programs.hpp"

#include <ravel/core/cpu/executor.hpp>
#include <ravel/flatten/flatten.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace ravel::trace {
namespace {

/// The values in rows of the lengths of the segments.
std::vector<std::vector<number>> rows_of(request const& r) {
  std::vector<int> lengths = r.lengths;
  if (lengths.empty()) {  // by flags
    for (std::size_t i = 0; i < r.heads.size(); ++i) {
      if (i == 0 || r.heads[i] != 0) lengths.push_back(0);
      ++lengths.back();
    }
  }
  std::vector<std::vector<number>> rows;
  auto at = r.values.begin();
  for (int const n : lengths) {
    auto& row = rows.emplace_back();
    for (int i = 0; i < n; ++i) row.push_back(as_input(*at++));
  }
  return rows;
}

template <class F>
picture of_rows(request const& r, F f) {
  return trace_program(r.algorithm,
                       [&](auto) { return each(from(cpu::sequential(), rows_of(r)), f); });
}

}  // namespace

picture nested_sums(request const& r) {
  return of_rows(r, [](auto row) { return sum(row * row); });
}
picture nested_scan(request const& r) {
  return of_rows(r, [](auto row) { return inclusive_scan(row); });
}
picture nested_filter(request const& r) {
  return of_rows(r, [](auto row) { return filter(row, [](auto x) { return x % 2 == 1; }); });
}
picture nested_choice(request const& r) {
  return of_rows(r, [](auto row) {
    return if_(
        len(row) > 2, [&] { return max(row); }, [&] { return sum(row); });
  });
}
picture nested_quicksort(request const& r) {
  auto const quicksort = rec<nested<number>(nested<number>)>([](auto self, auto a) {
    return if_(
        len(a) < 2, [&] { return a; },
        [&] {
          auto const pivot = at(a, len(a) / 2);
          auto const less = filter(a, [&](auto x) { return x < pivot; });
          auto const equal = filter(a, [&](auto x) { return x == pivot; });
          auto const more = filter(a, [&](auto x) { return x > pivot; });
          auto const sorted = each(list(less, more), self);
          return append(at(sorted, 0), equal, at(sorted, 1));
        });
  });
  return of_rows(r, quicksort);
}
picture nested_product(request const& r) {
  return trace_program(r.algorithm, [&](auto input) {
    std::vector<std::vector<std::pair<index_t, number>>> matrix;
    std::size_t columns = 0;
    for (auto const& values : rows_of(r)) {
      auto& row = matrix.emplace_back();
      for (number const& a : values) row.emplace_back(static_cast<index_t>(row.size()), a);
      columns = std::max(columns, row.size());
    }
    std::vector<number> vector;
    for (std::size_t i = 0; i < columns; ++i) vector.push_back(input(static_cast<int>(i) + 1));
    cpu::sequential const ex;
    auto const x = from(ex, vector);
    return each(from(ex, matrix), [&](auto row) { return sum(snd(row) * gather(x, fst(row))); });
  });
}

}  // namespace ravel::trace
