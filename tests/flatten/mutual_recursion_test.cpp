/// Functions that call each other, beside plain functions that do.

#include "flatten/programs.hpp"
#include "support/device_forms.hpp"

#include <ravel/flatten/serial_body.hpp>

#include <tuple>
#include <vector>

namespace ravel::mutual_recursion_test {
namespace {

using testing::numbers;
using testing::rows;

template <class Ex>
struct mutual_recursion : testing::on_programs<Ex> {
  /// Hofstadter's female and male sequences.
  static index_t female(index_t n) { return n == 0 ? 1 : n - male(female(n - 1)); }
  static index_t male(index_t n) { return n == 0 ? 0 : n - female(male(n - 1)); }

  template <class F>
  static numbers of_first(index_t n, F const& f) {
    numbers result;
    for (index_t k = 0; k < n; ++k) result.push_back(f(k));
    return result;
  }
};
TYPED_TEST_SUITE(mutual_recursion, testing::program_executors_and_device_if_thorough);

auto even_and_odd() {
  return rec<bool(int), bool(int)>(
      [](auto, auto is_odd, auto n) {
        return if_(
            n == 0, [&] { return n == n; }, [&] { return is_odd(n - 1); });
      },
      [](auto is_even, auto, auto n) {
        return if_(
            n == 0, [&] { return n != n; }, [&] { return is_even(n - 1); });
      });
}

TYPED_TEST(mutual_recursion, of_even_and_odd) {
  auto const functions = even_and_odd();
  auto const x = this->of(std::vector<int>{3, 4, 0});
  EXPECT_EQ(this->show(each(x, std::get<0>(functions))), "[f,t,t]");
  EXPECT_EQ(this->show(each(x, std::get<1>(functions))), "[t,f,f]");
  EXPECT_EQ(this->show(each(this->of(std::vector<int>{}), std::get<1>(functions))), "[]");
}

TYPED_TEST(mutual_recursion, of_results_of_each_other) {
  auto const functions = rec<index_t(index_t), index_t(index_t)>(
      [](auto female, auto male, auto n) {
        return if_(
            n == 0, [&] { return n + 1; }, [&] { return n - male(female(n - 1)); });
      },
      [](auto female, auto male, auto n) {
        return if_(
            n == 0, [&] { return n; }, [&] { return n - female(male(n - 1)); });
      });
  auto const all = iota(this->of(index_t{7}));
  EXPECT_EQ(to_host(each(all, std::get<0>(functions))), this->of_first(7, this->female));
  EXPECT_EQ(to_host(each(all, std::get<1>(functions))), this->of_first(7, this->male));
}

/// Three functions of different types, of which one captures: 1 + 2 x where brackets alternate.
TYPED_TEST(mutual_recursion, of_several_types_and_captures) {
  auto const step = this->of(index_t{10});
  auto const functions = rec<index_t(nested<index_t>), index_t(index_t, nested<index_t>),
                             nested<index_t>(nested<index_t>)>(
      [](auto, auto add, auto rest, auto x) {
        return if_(
            len(x) == 0, [&] { return len(x); }, [&] { return add(at(x, 0), rest(x)); });
      },
      [&](auto fold, auto, auto, auto first, auto x) { return first * step + fold(x); },
      [](auto, auto, auto, auto x) { return drop(x, 1); });
  EXPECT_EQ(to_host(each(this->of(rows{{1, 2, 3}, {}, {4}}), std::get<0>(functions))),
            (numbers{60, 0, 40}));
}

TEST(mutual_recursion_in_loops, of_even_and_odd) {
  cpu::sequential const ex;
  auto const x = from(ex, std::vector<int>{3, 4, 0});
  auto const is_even = serially([f = even_and_odd()](auto n) { return std::get<0>(f)(n); });
  EXPECT_EQ(to_host(each(x, is_even)), (std::vector<bool>{false, true, true}));
}

}  // namespace
}  // namespace ravel::mutual_recursion_test
