/// Cases 10 to 44 of flattening: the sequence functions and programs of the NESL 3.1 manual, tutorial and CACM pages.

#include "flatten/programs.hpp"
#include "nested/kth_smallest.hpp"
#include "nested/primes.hpp"
#include "nested/quicksort.hpp"
#include "nested/text.hpp"

namespace ravel::nesl_sequences_test {
namespace {

using testing::flags;
using testing::numbers;
using testing::rows;

template <class Ex>
struct nesl_sequences : testing::on_programs<Ex> {};
TYPED_TEST_SUITE(nesl_sequences, testing::program_executors);

THOROUGH_TYPED_TEST(nesl_sequences, case_10_kth_smallest) {
  this->template expect<numbers, index_t>(examples::kth_smallest<index_t>,
                                          {{{numbers{4, 8, 2, 3, 1, 7, 2}, 0}, "1"},
                                           {{numbers{4, 8, 2, 3, 1, 7, 2}, 3}, "3"},
                                           {{numbers{5}, 0}, "5"}});
  auto const s = this->of(numbers{4, 8, 2, 3, 1, 7, 2});
  EXPECT_EQ(
      this->show(each(iota(len(s)), [&](auto k) { return examples::kth_smallest<index_t>(s, k); })),
      "[1,2,2,3,4,7,8]");
}

TYPED_TEST(nesl_sequences, case_11_quicksort) {
  this->template expect<numbers>(
      examples::quicksort<index_t, 2>,
      {{{numbers{4, 8, 2, 3, 1, 7, 2}}, "[1,2,2,3,4,7,8]"}, {{numbers{}}, "[]"}});
}

THOROUGH_TYPED_TEST(nesl_sequences, case_15_string_search) {
  this->template expect<std::string, std::string>(
      examples::string_search, {{{std::string("foo"), std::string("fobarfoofboofoo")}, "[5,12]"},
                                {{std::string("b"), std::string("bob")}, "[0,2]"},  // case 103
                                {{std::string("long"), std::string("me")}, "[]"}});
}

THOROUGH_TYPED_TEST(nesl_sequences, case_17_primes) {
  this->template expect<index_t>(examples::primes, {{{20}, "[2,3,5,7,11,13,17,19]"},
                                                    {{2}, "[]"},
                                                    {{3}, "[2]"},
                                                    {{4}, "[2,3]"},
                                                    {{10}, "[2,3,5,7]"},
                                                    {{30}, "[2,3,5,7,11,13,17,19,23,29]"}});
}

TYPED_TEST(nesl_sequences, case_25_rotate) {
  numbers const a{0, 1, 2, 3, 4, 5, 6, 7};
  this->template expect<numbers, index_t>(
      [](auto v, auto k) { return rotate(v, k); },
      {{{a, 3}, "[5,6,7,0,1,2,3,4]"}, {{a, -3}, "[3,4,5,6,7,0,1,2]"}, {{numbers{}, 3}, "[]"}});
}

TYPED_TEST(nesl_sequences, case_26_parts) {
  numbers const a{0, 1, 2, 3, 4, 5, 6, 7};
  this->template expect<numbers>([](auto v) { return drop(v, 3); }, {{{a}, "[3,4,5,6,7]"}});
  this->template expect<numbers>([](auto v) { return slice(v, 2, 6); }, {{{a}, "[2,3,4,5]"}});
  this->template expect<numbers>(
      [](auto v) { return take(v, 3); },
      {{{numbers{0, 1, 2, 3, 4}}, "[0,1,2]"}, {{numbers{7, 8, 9}}, "[7,8,9]"}});
}

TYPED_TEST(nesl_sequences, case_27_interleave) {
  this->template expect<numbers, numbers>(
      [](auto a, auto b) { return flatten(each(a, b, [](auto x, auto y) { return list(x, y); })); },
      {{{numbers{0, 1, 2, 3}, numbers{10, 11, 12, 13}}, "[0,10,1,11,2,12,3,13]"},
       {{numbers{}, numbers{}}, "[]"}});
}

TYPED_TEST(nesl_sequences, case_28_unflatten) {
  numbers const a{0, 1, 2, 3, 4, 5, 6, 7};
  this->template expect<numbers, numbers>(
      [](auto v, auto l) { return unflatten(v, l); },
      {{{a, numbers{4, 1, 3}}, "[[0,1,2,3],[4],[5,6,7]]"}, {{numbers{}, numbers{0}}, "[[]]"}});
}

TYPED_TEST(nesl_sequences, case_29_split) {
  numbers const a{0, 1, 2, 3, 4, 5, 6, 7};
  this->template expect<numbers, flags>(
      [](auto v, auto f) { return split(v, f); },
      {{{a, flags{1, 0, 1, 0, 0, 1, 1, 1}}, "[[1,3,4],[0,2,5,6,7]]"},
       {{numbers{}, flags{}}, "[[],[]]"}});
}

TYPED_TEST(nesl_sequences, case_30_transpose) {
  this->template expect<rows>(
      [](auto m) {
        return each(iota(len(at(m, 0))),
                    [&](auto j) { return each(m, [&](auto row) { return at(row, j); }); });
      },
      {{{rows{{2, 3, 4}, {5, 6, 7}}}, "[[2,5],[3,6],[4,7]]"}, {{rows{{}}}, "[]"}});
}

TYPED_TEST(nesl_sequences, case_31_ranges_of_ranges) {
  this->template expect<index_t>(
      [](auto n) { return each(iota(n), [](auto i) { return iota(i); }); },
      {{{4}, "[[],[0],[0,1],[0,1,2]]"}, {{0}, "[]"}});
}

TYPED_TEST(nesl_sequences, case_32_remainder) {
  this->template expect<numbers, numbers>(
      [](auto a, auto b) { return a % b; },
      {{{numbers{5, 5, -5, -5}, numbers{3, -3, 3, -3}}, "[2,2,-2,-2]"},
       {{numbers{}, numbers{}}, "[]"}});
}

TYPED_TEST(nesl_sequences, case_33_rank) {
  this->template expect<numbers>([](auto a) { return rank(a); },
                                 {{{numbers{30, 10, 20, 10}}, "[3,0,2,1]"}, {{numbers{}}, "[]"}});
  this->template expect<numbers>(
      [](auto a) { return permute(a, rank(a)); },
      {{{numbers{30, 10, 20, 10}}, "[10,10,20,30]"}, {{numbers{1}}, "[1]"}});
}

TYPED_TEST(nesl_sequences, case_34_collect) {
  this->template expect<numbers, numbers>([](auto k, auto v) { return collect(k, v); },
                                          {{{numbers{2, 1, 2, 3, 1}, numbers{10, 20, 30, 40, 50}},
                                            "[(1,[20,50]),(2,[10,30]),(3,[40])]"},
                                           {{numbers{}, numbers{}}, "[]"}});
}

TYPED_TEST(nesl_sequences, case_35_lengths_from_flags) {
  this->template expect<flags>(
      [](auto f) {
        auto const first =
            pack(indices(f), each(indices(f), f, [](auto i, auto x) { return i == 0 || x; }));
        return each(indices(first), [&](auto i) {
          return select(i + 1 < len(first), at(first, i + 1), len(f)) - at(first, i);
        });
      },
      {{{flags{1, 0, 0, 1, 0, 1}}, "[3,2,1]"}, {{flags{0, 0}}, "[2]"}});
}

TYPED_TEST(nesl_sequences, case_36_remove_duplicates) {
  this->template expect<numbers>([](auto a) { return unique(a); },
                                 {{{numbers{3, 1, 3, 2, 1}}, "[1,2,3]"}, {{numbers{}}, "[]"}});
}

TYPED_TEST(nesl_sequences, case_38_write) {
  this->template expect<numbers, numbers>(
      [](auto i, auto v) { return write(dist(len(i) * 0, 8), i, v); },
      {{{numbers{4, 2, 5}, numbers{-2, 5, 9}}, "[0,0,5,0,-2,9,0,0]"},
       {{numbers{}, numbers{}}, "[0,0,0,0,0,0,0,0]"}});
}

TYPED_TEST(nesl_sequences, case_39_append_take_reverse) {
  this->template expect<numbers, numbers>(
      [](auto a, auto b) { return append(a, b); },
      {{{numbers{2, 3, 5}, numbers{8, 10, 2, 4}}, "[2,3,5,8,10,2,4]"},
       {{numbers{}, numbers{1}}, "[1]"}});
  this->template expect<std::string>(
      [](auto s) { return reverse(s); },
      {{{std::string("this is a test")}, "\"tset a si siht\""}, {{std::string()}, "\"\""}});
}

TYPED_TEST(nesl_sequences, case_40_squares) {
  this->template expect<numbers>([](auto a) { return a * a; },
                                 {{{numbers{3, -4, -9, 5}}, "[9,16,81,25]"}, {{numbers{}}, "[]"}});
  this->template expect<numbers>(
      [](auto a) {
        auto const positive = filter(a, [](auto x) { return x > 0; });
        return positive * positive;
      },
      {{{numbers{3, -4, -9, 5}}, "[9,25]"}, {{numbers{-1}}, "[]"}});
}

}  // namespace
}  // namespace ravel::nesl_sequences_test
