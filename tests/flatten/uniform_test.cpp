/// Sequences of one length: no descriptor is stored for them, and results equal
/// those for sequences of varying lengths.

#include "flatten/programs.hpp"

#include <sstream>
#include <string>
#include <vector>

namespace ravel::uniform_test {
namespace {

using testing::numbers;
using testing::rows;

template <class Ex>
struct uniform_rows : testing::on_programs<Ex> {
  /// n rows of k numbers.
  static rows matrix(index_t n, index_t k) {
    rows all(static_cast<std::size_t>(n), numbers(static_cast<std::size_t>(k)));
    index_t x = 7;
    for (auto& row : all) {
      for (index_t& y : row) y = x = (x * 31 + 11) % 101 - 50;
    }
    return all;
  }
  /// The same values with lengths not known to be equal: as a part of more rows.
  auto hidden(rows all) const {
    all.insert(all.begin(), numbers{1});
    return drop(this->of(all), 1);
  }
  /// Expects the same result of f for each row, with and without a known length.
  template <class F>
  void expect_same(F const& f) const {
    for (index_t const n : {0, 1, 2, 70}) {
      for (index_t const k : {0, 1, 3, 64, 1000}) {
        if (n * k > 8000) continue;
        SCOPED_TRACE(::testing::Message() << n << " rows of " << k);
        rows const all = matrix(n, k);
        EXPECT_EQ(to_host(each(this->of(all), f)), to_host(each(hidden(all), f)));
      }
    }
  }
};
TYPED_TEST_SUITE(uniform_rows, testing::program_executors);

TYPED_TEST(uniform_rows, are_computed_with_as_any_are) {
  this->expect_same([](auto row) { return row * len(row) - sum(row); });
  this->expect_same([](auto row) {
    auto const least = min_or(row, 0);
    return tup(filter(row, [&](auto x) { return x > least; }), inclusive_scan(row), sort(row));
  });
  this->expect_same([](auto row) { return gather(row, reverse(indices(row))); });
  this->expect_same([](auto row) { return each(row, [&](auto x) { return row - x; }); });
}

TYPED_TEST(uniform_rows, are_put_together_and_taken_apart) {
  this->expect_same([](auto row) { return append(row, row + 1, take(row, len(row) / 2)); });
  this->expect_same([](auto row) { return flatten(list(row, row * 2)); });
  this->expect_same([](auto row) {
    return if_(
        sum(row) % 2 == 0, [&] { return row; }, [&] { return row * -1; });
  });
  this->expect_same([](auto row) { return histogram(row % 3, 3); });
  this->expect_same([](auto row) {
    return write(row, take(indices(row), len(row) / 2), take(row, len(row) / 2));
  });
  this->expect_same([](auto row) {
    return tup(lower_bound(sort(row), 3), select(len(row) > 0, at(row, len(row) / 2), 0));
  });
}

TYPED_TEST(uniform_rows, are_cut) {
  auto const x = this->of(numbers{2, 1, 7, 3, 0, 4});
  EXPECT_EQ(this->show(unflatten(x, 2)), "[[2,1],[7,3],[0,4]]");
  EXPECT_EQ(this->show(unflatten(unflatten(x, 3), 1)), "[[[2,1,7]],[[3,0,4]]]");
  EXPECT_EQ(this->show(flatten(unflatten(x, 3))), "[2,1,7,3,0,4]");
  EXPECT_EQ(this->show(unflatten(this->of(numbers{}), 4)), "[]");
  auto const ragged = this->of(rows{{1, 2, 3, 4}, {}, {5, 6}});
  EXPECT_EQ(this->show(each(ragged, [](auto row) { return unflatten(row, 2); })),
            "[[[1,2],[3,4]],[],[[5,6]]]");
  EXPECT_THROW(unflatten(x, 4), shape_error);
  EXPECT_THROW(unflatten(x, 0), shape_error);
  EXPECT_THROW(each(ragged, [](auto row) { return unflatten(row, 4); }), shape_error);
}

TYPED_TEST(uniform_rows, differ_in_length_from_others_as_any_do) {
  auto const message = [](auto const& program) {
    try {
      program();
    } catch (shape_error const& e) {
      return std::string(e.what());
    }
    return std::string("nothing");
  };
  auto const a = this->of(this->matrix(3, 2)), b = this->of(this->matrix(3, 4));
  auto const c = this->of(rows{{1, 2}, {3}, {4, 5}});
  EXPECT_EQ(message([&] { a + b; }), "each: the sequences differ in length at instance 0: 2 and 4");
  EXPECT_EQ(message([&] { a + c; }), "each: the sequences differ in length at instance 1: 2 and 1");
}

/// The steps of a program, without contexts and sizes.
std::string steps_of(auto const& program) {
  std::string text;
  std::istringstream lines(explain(program));
  for (std::string line; std::getline(lines, line);) {
    line.erase(0, line.find_first_not_of(' '));
    if (!line.starts_with("context")) text += line.substr(0, line.find("  ")) + '\n';
  }
  return text;
}

TEST(uniform_rows_cost, is_that_of_what_is_computed) {
  cpu::sequential const ex;
  auto const x = from(ex, numbers(600, 2));
  EXPECT_EQ(steps_of([&] {
              each(unflatten(x, 20), [](auto row) { return keep(row * sum(row) - max(row)); });
            }),
            "segmented reduce\nsegmented reduce\nmap\n");
  EXPECT_EQ(steps_of([&] {
              each(x, [](auto v) {
                return sum(each(indices(dist(v, 4)), [&](auto i) { return sum(dist(i * v, 5)); }));
              });
            }),
            "segmented reduce\nsegmented reduce\n");
  EXPECT_EQ(steps_of([&] {
              each(flatten(unflatten(unflatten(x, 2), 3)),
                   [](auto row) { return append(row, list(sum(row), max(row)), iota(len(row))); });
            }),
            "segmented reduce\nsegmented reduce\nmap\nmap\n"
            "map of elements\nmap of elements\nmap of elements\n");
}

}  // namespace
}  // namespace ravel::uniform_test
