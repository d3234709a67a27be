/// Ranges of the standard library before a pipeline, and after it.

#include <ravel/core/cpu/executor.hpp>
#include <ravel/pipelines/pipelines.hpp>

#include "show.hpp"

#include <algorithm>
#include <list>
#include <memory>
#include <ranges>
#include <vector>

using namespace ravel;

int main() {
  cpu::threads const ex;
  std::vector<int> const values{3, 1, 2, 4, 1, 5};
  auto const is_odd = [](int x) { return x % 2 != 0; };

  // A range with random access is read in place; any other is copied once.
  show("after a view", values | std::views::drop(1) | on(ex) | inclusive_scan(plus{}) | to_vector(),
       {1, 3, 7, 8, 13});
  show("of a list", on(ex, std::list{3, 1, 2}) | sort() | to_vector(), {1, 2, 3});

  // Without its source a pipeline is a function of ranges.
  auto const sum_of_odd = on(ex) | filter(is_odd) | reduce(plus{});
  show("sum of the odd ones", (values | std::views::take(4) | sum_of_odd).get(), 4);

  // A pipeline is a range; it runs where iteration begins.
  auto const odd = on(ex, values) | filter(is_odd);
  std::vector<int> two;
  for (int const x : odd | std::views::take(2)) two.push_back(x);
  show("the first two", two, {3, 1});
  show("the greatest", std::ranges::max(odd), 5);
  show("where it is more than 3", (on(ex, values) | find_if([](int x) { return x > 3; })).get(),
       index_t{3});

  // What cannot be copied is moved.
  std::vector<std::unique_ptr<int>> owners;
  for (int const x : values) owners.push_back(std::make_unique<int>(x));
  auto const by_number = [](auto const& p, auto const& q) { return *p < *q; };
  auto const sorted = on(ex, moved(owners)) | filter([](auto const& p) { return *p > 1; }) |
                      sort(by_number) | to_vector();
  show("owned", sorted | std::views::transform([](auto const& p) { return *p; }), {2, 3, 4, 5});
}
