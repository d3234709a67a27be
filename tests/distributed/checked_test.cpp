#include <ravel/distributed/checked.hpp>
#include <ravel/distributed/map.hpp>
#include <ravel/distributed/reduce.hpp>
#include <ravel/distributed/scan.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "distributed/ranks.hpp"

namespace ravel::testing::checked_test {
namespace {

using checked_ranks = distributed::checked<distributed::in_process>;
using on_checked = distributed::executor<cpu::sequential, checked_ranks>;

/// What three ranks say, without the rank that said it first, where each does f(ex) and rank 1 g(ex).
template <class F, class G>
std::string said(F const& f, G const& g) {
  return error_of([&] {
           distributed::run_ranks(3, [&](distributed::in_process const& ranks) {
             on_checked const ex(cpu::sequential(), checked_ranks{ranks});
             ranks.rank() == 1 ? g(ex) : f(ex);
           });
         })
      .substr(std::string("rank 0: ").size());
}

/// Calls f(ex, x, y) of sequences of three elements.
template <class T, class F>
auto of_three(F const& f) {
  return [f](on_checked const& ex) {
    auto const x = from(ex, std::vector<T>{3, 1, 2});
    auto y = ex.template allocate<T>(3);
    f(ex, x, y);
  };
}

TEST(DistributedChecked, DifferentCallsAreASentenceOfBoth) {
  auto const sums = [](auto const& ex, auto const& x, auto& y) { inclusive_scan(ex, x, y); };
  auto const sum = [](auto const& ex, auto const& x, auto&) { reduce_sync(ex, x); };
  auto const text = said(of_three<int>(sum), of_three<int>(sums));
  EXPECT_TRUE(text.ends_with(": rank 1 calls inclusive_scan, and rank 0 calls reduce")) << text;
}

TEST(DistributedChecked, ValuesGatheredOutsideOfACallAreNotThoseOfIt) {
  auto const sum = [](auto const& ex, auto const& x, auto&) { reduce_sync(ex, x); };
  auto const values = [](auto const& ex, auto const&, auto&) {
    distributed::gather_values(ex.ranks(), 3);
  };
  auto const text = said(of_three<int>(sum), of_three<int>(values));
  EXPECT_TRUE(text.ends_with(": rank 1 calls all_gather_host, and rank 0 calls reduce")) << text;
}

TEST(DistributedChecked, TypesOfOperatorsAndOfElementsAreCompared) {
  auto const sum = [](auto const& ex, auto const& x, auto&) { reduce_sync(ex, x); };
  auto const greatest = [](auto const& ex, auto const& x, auto&) { reduce_sync(ex, x, maximum{}); };
  std::string const others = " with operands, operators or options of other types than rank 0";
  EXPECT_EQ(said(of_three<int>(sum), of_three<int>(greatest)),
            "reduce: rank 1 calls reduce" + others);
  EXPECT_EQ(said(of_three<int>(sum), of_three<float>(sum)), "from: rank 1 calls from" + others);
}

TEST(DistributedChecked, SizesOfSequencesAreCompared) {
  auto const made = [](index_t n) {
    return [n](on_checked const& ex) { from(ex, std::vector<int>(n)); };
  };
  EXPECT_EQ(said(made(3), made(4)), "from: rank 1 has 4 elements, and rank 0 has 3");
  auto const allocated = [](index_t n) {
    return [n](on_checked const& ex) { ex.allocate<int>(n); };
  };
  EXPECT_EQ(said(allocated(4), allocated(3)), "sequence: rank 1 has 3 elements, and rank 0 has 4");
}

TEST(DistributedChecked, EqualCallsGiveTheirResults) {
  distributed::run_ranks(3, [](distributed::in_process const& ranks) {
    on_checked const ex(cpu::sequential(), checked_ranks{ranks});
    auto const x = from(ex, std::vector{3, 1, 2});
    auto y = ex.allocate<int>(3);
    inclusive_scan(ex, x, y);
    map(
        ex, [](int i) { return 2 * i; }, y, y);
    EXPECT_EQ(everywhere(ex, y), (std::vector{6, 8, 12}));
    EXPECT_EQ(reduce_sync(ex, y, maximum{}), 12);
  });
}

}  // namespace
}  // namespace ravel::testing::checked_test
