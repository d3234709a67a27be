/// Programs with a budget give the same results in less memory.

#include <ravel/core/error.hpp>

#include "flatten/programs.hpp"
#include "nested/graph.hpp"
#include "nested/kth_smallest.hpp"
#include "nested/queens.hpp"
#include "nested/quicksort.hpp"
#include "support/device_forms.hpp"

#include <cstddef>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

namespace ravel::budget_test {
namespace {

using testing::numbers;
using testing::rows;

numbers up_to(index_t n) {
  numbers all(static_cast<std::size_t>(n));
  for (index_t i = 0; i < n; ++i) all[static_cast<std::size_t>(i)] = i;
  return all;
}

template <class Ex>
struct program_budget : testing::on_programs<Ex> {
  /// A device in software takes milliseconds for each chunk.
  std::vector<index_t> const budgets = cpu::host_executor<Ex>
                                           ? std::vector<index_t>{1, 1000, 20'000, 1 << 30}
                                           : std::vector<index_t>{8000};

  /// Expects each(x..., f) to have the same result with budgets as without.
  template <class F, class... X>
  void expect_same(char const* what, F const& f, X const&... x) {
    auto const wanted = this->show(each(x..., f));
    for (index_t const bytes : budgets) {
      EXPECT_EQ(this->show(each(x..., f, budget(bytes))), wanted) << what << ", " << bytes;
    }
  }
};
TYPED_TEST_SUITE(program_budget, testing::program_executors_and_device);

TYPED_TEST(program_budget, of_the_docstring) {
  auto const k = this->of(numbers{3, 1, 2, 5});
  auto const sums = each(
      k, [](auto n) { return sum(iota(n)); }, budget(1 << 20));
  EXPECT_EQ(to_host(sums), (numbers{3, 0, 1, 10}));
}

TYPED_TEST(program_budget, does_not_change_results) {
  std::mt19937_64 random{7};
  rows table(40);
  for (std::size_t i = 0; i < table.size(); ++i) {
    for (std::size_t k = 0; k < i * i % 37; ++k) {
      table[i].push_back(static_cast<index_t>(random() % 100));
    }
  }
  auto const x = this->of(table);
  auto const k = this->of(up_to(40));
  auto const b = this->of(up_to(17));
  auto const none = this->of(rows{});

  this->expect_same(
      "numbers", [](auto row) { return sum(row * 2) + len(row); }, x);
  this->expect_same(
      "a captured sequence", [&](auto n) { return sum(b * n) + max(b - n); }, k);
  this->expect_same(
      "sequences", [](auto row, auto n) { return row + n; }, x, k);
  this->expect_same(
      "sequences of one length", [&](auto n) { return b * n; }, k);
  this->expect_same(
      "sequences of sequences",
      [](auto row) { return each(row, [](auto e) { return iota(e % 4); }); }, x);
  this->expect_same(
      "slices", [](auto row, auto n, auto m) { return tup(take(row, len(row) / 2), n * m, row); },
      x, k, k);
  this->expect_same(
      "a constant", [](auto) { return 7; }, k);
  this->expect_same(
      "no elements", [](auto row) { return sum(row); }, none);
  this->expect_same(
      "branches",
      [&](auto n) {
        return if_(
            n % 3 == 0, [&] { return take(b, n % 5); }, [&] { return iota(n); });
      },
      k);
  this->expect_same(
      "loops",
      [](auto n) {
        return while_(
            [](auto i, auto, auto) { return i > 0; },
            [](auto i, auto y, auto row) { return tup(i - 1, y + i, append(row, list(y))); },
            tup(n % 7, n, list(n)));
      },
      k);
  this->expect_same("a recursion", examples::quicksort<index_t, 4>, x);
  this->expect_same(
      "a recursion for each k",
      [&](auto row) {
        return each(indices(row), [&](auto i) { return examples::kth_smallest<index_t>(row, i); });
      },
      x);
}

TYPED_TEST(program_budget, names_errors) {
  EXPECT_THROW(budget(0), contract_error);
  auto const b = this->of(up_to(500));
  auto const k = this->of(numbers{3, 900, 1, 2, 5});
  EXPECT_THROW(to_host(each(
                   k, [&](auto n) { return at(keep(b + n), n); }, budget(2 * 8 * 500))),
               index_error);
  EXPECT_EQ(to_host(sum(b)), 500 * 499 / 2);
}

/// Without a budget they need more than ten times the memory.
TYPED_TEST(program_budget, bounds_memory) {
  bool const is_host = cpu::host_executor<TypeParam>;
  index_t const n = is_host ? 1024 : 64, many = is_host ? 256 : 128;
  auto const b = this->of(up_to(n));
  auto const k = this->of(up_to(many));
  auto const most_of = [&](auto const& program) {
    reset_stats();
    index_t const before = stats().bytes;
    auto const found = to_host(program());
    EXPECT_EQ(stats().bytes, before);
    return std::pair{stats().most_bytes - before, found};
  };
  auto const sums = [&](auto x) {
    auto const products = keep(b * x);
    return sum(products) + max(products);
  };
  index_t const bytes = many / 16 * 8 * n;
  auto const [all, wanted] = most_of([&] { return each(k, sums); });
  auto const [most, found] = most_of([&] { return each(k, sums, budget(bytes)); });
  EXPECT_EQ(found, wanted);
  EXPECT_GT(all, 10 * bytes);
  EXPECT_LE(most, bytes + 8 * 8 * many);  // and of the results, as they grow, and indices

  // Elements of very different sizes: an eighth of them has half of all.
  auto const skewed = [&](auto x) { return sum(keep(iota(x * x) + x)); };
  index_t const largest = 8 * (many - 1) * (many - 1);
  auto const [whole, results] = most_of([&] { return each(k, skewed); });
  auto const [less, same] = most_of([&] { return each(k, skewed, budget(8 * largest)); });
  EXPECT_EQ(same, results);
  EXPECT_GT(whole, 10 * 8 * largest);
  EXPECT_LE(less, 8 * largest + 8 * 8 * many);
}

TYPED_TEST(program_budget, of_the_executor) {
  index_t const n = 64, many = cpu::host_executor<TypeParam> ? 256 : 32, bytes = many / 8 * 8 * n;
  auto const products = [&](auto const& on) {
    auto const b = from(on, up_to(n)), k = from(on, up_to(many));
    reset_stats();
    index_t const before = stats().bytes;
    auto const sums = to_host(each(
        k, [&](auto x) { return sum(keep(b * x)); }, budget()));
    return std::pair{stats().most_bytes - before, sums};
  };
  auto const [all, wanted] = products(this->ex());
  auto const [most, found] = products(with_budget(this->ex(), budget(bytes)));
  EXPECT_EQ(found, wanted);
  EXPECT_GE(all, 8 * n * many);
  EXPECT_LE(most, bytes + 8 * 8 * many);
  EXPECT_THROW(with_budget(this->ex(), budget()), contract_error);
}

/// A function is called once, for the values of all elements, unless its `each` has the option.
TYPED_TEST(program_budget, of_the_executor_is_for_the_option_alone) {
  index_t const n = 64, many = 32, bytes = many / 8 * 8 * n;
  auto const bounded = with_budget(this->ex(), budget(bytes));
  auto const b = from(bounded, up_to(n)), k = from(bounded, up_to(many));
  index_t calls = 0;
  auto const product = [&](auto x) {
    ++calls;
    return sum(keep(b * x));
  };
  auto const most_of = [&](auto const& program) {
    calls = 0;
    reset_stats();
    index_t const before = stats().bytes;
    to_host(program());
    return stats().most_bytes - before;
  };
  EXPECT_GE(most_of([&] { return each(k, product); }), 8 * n * many);
  EXPECT_EQ(calls, 1);
  EXPECT_GE(most_of([&] { return flat_each(k, [&](auto x) { return list(product(x)); }); }),
            8 * n * many);
  EXPECT_EQ(calls, 1);
  auto const rounds = [&](auto x) {
    return while_([](auto i, auto) { return i > 0; },
                  [&](auto i, auto y) { return tup(i - 1, y + product(i)); }, tup(x, x));
  };
  EXPECT_LE(most_of([&] { return each(k, rounds, budget()); }), bytes + 32 * 8 * many);
  EXPECT_GT(calls, 1);
}

/// One element may need more than the budget; an `each` in it with a budget does not.
TYPED_TEST(program_budget, of_one_element_is_that_of_an_each_in_it) {
  index_t const n = 64, many = 256;
  auto const b = this->of(up_to(n));
  auto const counts = this->of(numbers{many, 3});
  auto const sums = [&](auto count) {
    return sum(each(
        iota(count), [&](auto x) { return sum(keep(b * x)); }, budget(4 * 8 * n)));
  };
  reset_stats();
  index_t const before = stats().bytes;
  auto const found = to_host(each(counts, sums, budget(1000)));
  EXPECT_LE(stats().most_bytes - before, 4 * 8 * n + 16 * 8 * many);
  EXPECT_EQ(found, to_host(each(counts, sums)));
}

}  // namespace
}  // namespace ravel::budget_test
