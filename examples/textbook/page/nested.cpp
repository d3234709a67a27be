/// Nested programs in a web page: page.html calls nested(), and shows the programs as they are here.

#include "trace/nested.hpp"

#include <ravel/core/cpu/executor.hpp>
#include <ravel/flatten/flatten.hpp>

#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace ravel;
using trace::number;

auto const squares = [](auto row) { return sum(row * row); };

auto const running_sums = [](auto row) { return inclusive_scan(row); };

auto const odd_values = [](auto row) { return filter(row, [](auto x) { return x % 2 == 1; }); };

auto const scaled = [](auto row) { return row * max(row); };

auto const choice = [](auto row) {
  return if_(
      len(row) > 2, [&] { return max(row); }, [&] { return sum(row); });
};

auto const third = [](auto row) { return at(row, 2); };

template <class T>
auto const quicksort = rec<ravel::nested<T>(ravel::nested<T>)>([](auto self, auto a) {
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

template <class T>
using rows_of = std::vector<std::vector<T>>;

/// The result, what explain says, and the steps drawn from nested to flat, parted by form feeds.
template <class F, class G>
std::string run(std::string const& name, rows_of<int> const& rows, F f, G of_numbers) {
  cpu::sequential const ex;
  std::ostringstream out;
  out << each(from(ex, rows), f) << '\f';
  out << explain([&] { keep(each(from(ex, rows), f)); }, values_shown{}) << '\f';
  out << svg_of(trace::trace_program(name, [&](auto input) {
    rows_of<number> inputs;
    for (auto const& row : rows) {
      inputs.emplace_back();
      for (int const x : row) inputs.back().push_back(input(x));
    }
    return each(from(ex, inputs), of_numbers);
  }));
  return out.str();
}

}  // namespace

/// Runs a program by its name on n values in rows of these lengths.  The text lives until the next call.
extern "C" char const* nested(char const* program, int const* values, int const* lengths,
                              int count) {
  static std::string text;
  rows_of<int> rows;
  for (int k = 0; k < count; values += lengths[k++]) rows.emplace_back(values, values + lengths[k]);
  std::string const name = program;
  text = name == "squares"        ? run(name, rows, squares, squares)
         : name == "running_sums" ? run(name, rows, running_sums, running_sums)
         : name == "odd_values"   ? run(name, rows, odd_values, odd_values)
         : name == "scaled"       ? run(name, rows, scaled, scaled)
         : name == "choice"       ? run(name, rows, choice, choice)
         : name == "third"        ? run(name, rows, third, third)
                                  : run(name, rows, quicksort<int>, quicksort<number>);
  return text.c_str();
}
