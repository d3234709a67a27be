/// Zip: rows of several sequences, and neighbours of an element.

#include <ravel/core/cpu/executor.hpp>
#include <ravel/pipelines/pipelines.hpp>

#include "show.hpp"

#include <vector>

using namespace ravel;

int main() {
  cpu::threads const ex;
  std::vector<int> const price{5, 2, 8, 3}, amount{2, 10, 1, 4};

  // A function of rows may take their values as separate parameters.
  auto const cost = on(ex, zip(price, amount)) | map(multiplies<int>{});
  show("cost", cost | to_vector(), {10, 20, 8, 12});
  show("dot product", (cost | reduce(plus{})).get(), 50);

  // Zip as a stage, in the middle of a pipeline, without a new pass.
  auto const remaining = [](int sum, int left) { return left - sum; };
  show("left of 60",
       cost | inclusive_scan(plus{}) | zip(constant(60, 4)) | map(remaining) | to_vector(),
       {50, 30, 22, 10});

  // With positions.
  auto const is_cheap = [](index_t, int x) { return x < 15; };
  show("cheap ones", cost | enumerate() | filter(is_cheap) | map(field<0>{}) | to_vector(),
       {0, 2, 3});

  // Rows to several sequences.
  std::vector<index_t> where(4);
  std::vector<int> what(4);
  show("how many", (cost | enumerate() | filter(is_cheap) | into(where, what)).get(), index_t{3});
  show("the second", what[1], 8);

  // Adjacent elements.
  auto const rises = [](int x, int y) { return x < y ? 1 : 0; };
  show("rises", (on(ex, price) | adjacent(rises) | reduce(plus{})).get(), 1);
  show("differences", on(ex, price) | adjacent_difference() | to_vector(), {5, -3, 6, -5});

  // Elements in another order.
  show("backward", on(ex, price) | reverse() | to_vector(), {3, 8, 2, 5});
  show("every second", on(ex, price) | drop(1) | stride(2) | to_vector(), {2, 3});
  show("gathered", on(ex, price) | gather(std::vector{3, 3, 0}) | to_vector(), {3, 3, 5});
}
