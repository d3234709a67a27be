/// Cases 101 and 106 to 113 of flattening: hulls, texts, clusters and captures.

#include "flatten/programs.hpp"
#include "nested/clusters.hpp"
#include "nested/multi_pivot_quicksort.hpp"
#include "nested/queens.hpp"
#include "nested/quickhull.hpp"
#include "nested/text.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace ravel::own_programs_test {
namespace {

using testing::flags;
using testing::numbers;
using testing::rows;

template <class Ex>
struct own_programs : testing::on_programs<Ex> {};
TYPED_TEST_SUITE(own_programs, testing::program_executors);

TYPED_TEST(own_programs, case_101_words) {
  this->template expect<std::string>(examples::words, {{{std::string("A   NESL program . ")},
                                                        "[\"A\",\"NESL\",\"program\",\".\"]"},
                                                       {{std::string()}, "[]"}});
}

TYPED_TEST(own_programs, case_106_quickhull) {
  using points = std::vector<examples::point>;
  points const nine{{0, 0}, {4, 0}, {4, 4}, {0, 4}, {2, 2}, {1, 1}, {3, 1}, {2, 5}, {-1, 2}};
  points const triangle{{0, 0}, {1, 0}, {0, 1}};
  this->template expect<points>(
      examples::quickhull,
      {{{nine}, "[(-1,2),(0,4),(2,5),(4,4),(4,0),(0,0)]"}, {{triangle}, "[(0,0),(0,1),(1,0)]"}});
  this->template expect<points>([](auto p) { return len(examples::quickhull(p)); },  // case 107
                                {{{nine}, "6"}, {{triangle}, "3"}});
}

TYPED_TEST(own_programs, case_109_lines_and_words) {
  std::string const text = "the quick  brown\n\nfox jumps\nover";
  this->template expect<std::string>(examples::line_lengths,
                                     {{{text}, "[16,0,9,4]"}, {{std::string()}, "[0]"}});
  this->template expect<std::string>(examples::words_per_line,  // case 110
                                     {{{text}, "[3,0,2,1]"},
                                      {{std::string("a b\nc")}, "[2,1]"},
                                      {{std::string()}, "[0]"},
                                      {{std::string("\n")}, "[0,0]"}});
}

TYPED_TEST(own_programs, case_111_nearest) {
  using points = std::vector<std::pair<double, double>>;
  using clusters = std::vector<points>;
  this->template expect<clusters>(
      examples::nearest,
      {{{clusters{{{0, 0}, {1, 0}, {5, 5}, {5, 6}}, {}, {{2, 2}, {9, 9}, {3, 3}}}},
        "[[1,0,3,2],[],[2,2,0]]"},
       {{clusters{}}, "[]"}});
}

TYPED_TEST(own_programs, places_queens) {
  this->template expect<index_t>(examples::queens,
                                 {{{1}, "1"}, {{3}, "0"}, {{4}, "2"}, {{6}, "4"}});
}

TYPED_TEST(own_programs, sorts_by_many_pivots) {
  rows unsorted;
  std::uint64_t x = 1;
  for (auto const& [length, values] : {std::pair<int, index_t>{3000, 1'000'000'007},
                                       {0, 1},
                                       {47, 1000},
                                       {48, 1000},
                                       {1, 1},
                                       {2500, 1},
                                       {700, 2},
                                       {5000, 40}}) {
    auto& row = unsorted.emplace_back();
    for (int i = 0; i < length; ++i) {
      x = x * 6364136223846793005u + 1442695040888963407u;
      row.push_back(static_cast<index_t>(x >> 33) % values);
    }
  }
  auto const sorted = each(this->of(unsorted), examples::multi_pivot_quicksort<index_t>);
  for (auto& row : unsorted) std::sort(row.begin(), row.end());
  EXPECT_EQ(to_host(sorted), unsorted);
}

TYPED_TEST(own_programs, sequences_that_are_captured_twice_are_as_long_twice) {
  this->template expect<rows, rows>(
      [](auto a, auto b) {
        // All rows of a are summed, and then used once for each element of b.
        auto const sums = each(a, [](auto v) { return sum(each(v, [](auto x) { return x; })); });
        auto const again = each(a, b, [](auto v, auto w) {
          return flatten(each(w, [&](auto y) {
            return if_(
                y > 0, [&] { return drop(v, 0); }, [&] { return reverse(v); });
          }));
        });
        return tup(sums, again);
      },
      {{{rows{{1, 2, 3}, {4}, {}}, rows{{0, 1}, {}, {1}}}, "([6,4,0],[[3,2,1,1,2,3],[],[]])"}});
}

TYPED_TEST(own_programs, case_112_capture_of_two_levels) {
  this->template expect<numbers, numbers>(
      [](auto as, auto bs) {
        return each(as, [&](auto a) {
          return each(bs, [&](auto b) { return each(iota(a), [&](auto c) { return a + b + c; }); });
        });
      },
      {{{numbers{1, 2}, numbers{10, 20}}, "[[[11],[21]],[[12,13],[22,23]]]"},
       {{numbers{}, numbers{1}}, "[]"}});
}

TYPED_TEST(own_programs, case_113_captured_sequence_returned) {
  this->template expect<numbers, numbers>(
      [](auto a, auto b) { return each(a, [&](auto) { return b; }); },
      {{{numbers{1, 2}, numbers{7, 8}}, "[[7,8],[7,8]]"}, {{numbers{}, numbers{7}}, "[]"}});
}

}  // namespace
}  // namespace ravel::own_programs_test
