/// Idioms of other languages and libraries, and their counterparts here: the table of
/// docs/flattening.md, whose right column has every expression of this file.

#include <ravel/core/cpu/executor.hpp>
#include <ravel/flatten/flatten.hpp>

#include "support/text.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace ravel::idioms_test {
namespace {

using numbers = std::vector<index_t>;

std::string page() {
  std::ifstream file(RAVEL_FLATTENING_PAGE);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

#define IDIOM(wanted, ...)                                                \
  EXPECT_EQ(testing::text(to_host(__VA_ARGS__)), wanted) << #__VA_ARGS__; \
  EXPECT_NE(page().find("`" #__VA_ARGS__ "`"), std::string::npos)         \
      << "docs/flattening.md does not say: " #__VA_ARGS__

struct idioms : ::testing::Test {
  cpu::sequential const ex{};
  value<cpu::sequential, nested<index_t>> const a = from(ex, numbers{3, 1, 2});
  value<cpu::sequential, nested<index_t>> const b = from(ex, numbers{10, 20, 30});
  value<cpu::sequential, nested<index_t>> const i = from(ex, numbers{2, 0, 1});
  value<cpu::sequential, nested<index_t>> const k = from(ex, numbers{1, 0, 1});
  value<cpu::sequential, nested<nested<index_t>>> const rows =
      from(ex, std::vector<numbers>{{3, 1, 2}, {}, {5, 4}});
  value<cpu::sequential, index_t> const n = from(ex, index_t{3});
};

auto const f = [](auto x) { return x * x; };
auto const p = [](auto x) { return x > 1; };

TEST_F(idioms, of_nesl) {
  IDIOM("[9,1,4]", each(a, f));
  IDIOM("[3,2]", filter(a, p));
  IDIOM("[13,21,32]", a + b);
  IDIOM("[2,3,1]", gather(a, i));
  IDIOM("[1,3,2]", write(a, list(n - 3, n - 2), list(n - 2, n)));
  IDIOM("[1,2,3]", permute(a, i));
  IDIOM("[[3],[1,2]]", unflatten(a, list(n - 2, n - 1)));
  IDIOM("[[3,1],[2,10],[20,30]]", unflatten(append(a, b), 2));
  IDIOM("[3,1,2,5,4]", flatten(rows));
  IDIOM("3", len(a));
  IDIOM("1", at(a, 1));
  IDIOM("[0,2]", range(0, n, 2));
  IDIOM("[1,2]", slice(a, 1, n));
  IDIOM("[7,7,7]", dist(7, n));
  IDIOM("[0,3,4]", exclusive_scan(a));
  IDIOM("[(0,[20]),(1,[10,30])]", collect(k, b));
  IDIOM("0", max_index(a));
  IDIOM("[3,1,2,10,20,30]", append(a, b));
  IDIOM("[[1],[3,2]]", split(a, each(a, p)));
}

TEST_F(idioms, of_futhark) {
  IDIOM("[30,20,60]", each(a, b, [](auto x, auto y) { return x * y; }));
  IDIOM("6", reduce(a, plus{}));
  IDIOM("(6,9)", reduce(zip(a, a * a), plus{}, maximum{}));
  IDIOM("[3,4,6]", inclusive_scan(a));
  IDIOM("[0,1,2]", iota(n));
  IDIOM("[0,1,2]", indices(a));
  IDIOM("[20,40]", reduce_by_index(k, b, 2, plus{}));
  IDIOM("[1,2]", histogram(k, 2));
  IDIOM("[0,1,2,0,0,1]", flat_each(a, [](auto x) { return iota(x); }));
  IDIOM("256", while_([](auto x) { return x < 100; }, [](auto x) { return x * x; }, n - 1));
}

TEST_F(idioms, of_awkward_array) {
  IDIOM("[3,0,2]", each(rows, [](auto row) { return len(row); }));
  IDIOM("[[0,1,2],[],[0,1]]", each(rows, [](auto row) { return indices(row); }));
  IDIOM("[6,0,9]", each(rows, [](auto row) { return sum(row); }));
  IDIOM("[(3,10),(1,20),(2,30)]", zip(a, b));
  IDIOM("[10,20,30]", snd(zip(a, b)));
  IDIOM("[[1,2,3],[],[4,5]]", each(rows, [](auto row) { return sort(row); }));
  IDIOM("[[1,2,0],[],[1,0]]", each(rows, [](auto row) { return sort_order(row); }));
  IDIOM("[[2,3],[],[4,5]]", each(rows, [](auto row) {
          return drop(sort(row), select(len(row) > 2, len(row) - 2, 0));
        }));
  IDIOM("[[13,23],[11,21]]", each(take(a, 2), [&](auto x) { return take(b, 2) + x; }));
  IDIOM("[1,1,1]", run_lengths(k));
  IDIOM("[10,1,30]", each(k == 1, b, a, [](auto c, auto x, auto y) { return select(c, x, y); }));
  IDIOM("[[13,11,12],[],[35,34]]", each(rows, b, [](auto row, auto x) { return row + x; }));
  IDIOM("[3,5]", each(filter(rows, [](auto row) { return len(row) > 0; }),
                      [](auto row) { return at(row, 0); }));
}

TEST_F(idioms, of_others) {
  IDIOM("[0,3,4,6]", append(exclusive_scan(a), list(sum(a))));
  IDIOM("[0,0,0,1,2,2]", flat_each(indices(a), [&](auto s) { return dist(s, at(a, s)); }));
  IDIOM("[(0,20),(1,40)]",
        each(collect(k, b), [](auto group) { return tup(fst(group), sum(snd(group))); }));
  IDIOM("[1,2,3]", unique(append(a, a)));
  IDIOM("[[],[3,1,2],[5,4]]", sort(rows));
  IDIOM("t", precedes(a, b));
  IDIOM("f", equals(a, b));
  IDIOM("[0,1,2,3]", union_(a, k));
  IDIOM("[1]", intersect(a, k));
  IDIOM("[1,-1,4]", each(rows, [](auto row) { return min_or(row, -1); }));
  IDIOM("2", lower_bound(sort(a), 3));
  IDIOM("2", find(a, [](auto x) { return x == 2; }));
  IDIOM("t", any(each(a, p)));
  IDIOM("2", count(each(a, p)));
  IDIOM("[2,1,3]", reverse(a));
  IDIOM("[2,3,1]", rotate(a, 1));
  IDIOM("[3,1,2]", min(a, b));
  IDIOM("[3,1,2]", abs(-a));
  IDIOM("[3,0,2]", select(a > 1, a, 0));
  IDIOM("[[3,10],[1,20],[2,30]]", transpose(unflatten(append(a, b), 3)));
  IDIOM("[1,2,3,10,20,30]", merge(sort(a), b));
}

}  // namespace
}  // namespace ravel::idioms_test
