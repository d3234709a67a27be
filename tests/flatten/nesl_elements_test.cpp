/// Cases 1 to 24 of flattening: the element-wise examples of the NESL 3.1 manual.

#include "flatten/programs.hpp"

namespace ravel::nesl_elements_test {
namespace {

using testing::flags;
using testing::numbers;
using testing::rows;

template <class Ex>
struct nesl_elements : testing::on_programs<Ex> {};
TYPED_TEST_SUITE(nesl_elements, testing::program_executors);

TYPED_TEST(nesl_elements, case_1_negate) {
  this->template expect<numbers>([](auto a) { return each(a, [](auto x) { return -x; }); },
                                 {{{numbers{3, -4, -9, 5}}, "[-3,4,9,-5]"}, {{numbers{}}, "[]"}});
}

TYPED_TEST(nesl_elements, case_2_negate_where_below_four) {
  this->template expect<numbers>(
      [](auto a) {
        return each(filter(a, [](auto x) { return x < 4; }), [](auto x) { return -x; });
      },
      {{{numbers{3, -4, -9, 5}}, "[-3,4,9]"}, {{numbers{9}}, "[]"}});
}

TYPED_TEST(nesl_elements, case_3_sum_of_two) {
  this->template expect<numbers, numbers>(
      [](auto a, auto b) { return a + b; },
      {{{numbers{3, -4, -9, 5}, numbers{1, 2, 3, 4}}, "[4,-2,-6,9]"},
       {{numbers{}, numbers{}}, "[]"}});
}

TYPED_TEST(nesl_elements, case_4_factorial) {
  auto const factorial = rec<index_t(index_t)>([](auto self, auto n) {
    return if_(
        n < 2, [&] { return n * 0 + 1; }, [&] { return n * self(n - 1); });
  });
  this->template expect<index_t>(factorial, {{{3}, "6"}, {{1}, "1"}, {{7}, "5040"}});
  EXPECT_EQ(this->show(each(this->of(numbers{3, 1, 7}), factorial)), "[6,1,5040]");
}

TYPED_TEST(nesl_elements, case_5_sum) {
  this->template expect<numbers>(
      [](auto a) { return sum(a); },
      {{{numbers{2, 1, -3, 11, 5}}, "16"}, {{numbers{7, 2, 9, 11, 3}}, "32"}, {{numbers{}}, "0"}});
}

TYPED_TEST(nesl_elements, case_6_permute) {
  this->template expect<std::string, numbers>(
      [](auto a, auto i) { return permute(a, i); },
      {{{std::string("nesl"), numbers{2, 1, 3, 0}}, "\"lens\""},
       {{std::string(), numbers{}}, "\"\""}});
}

TYPED_TEST(nesl_elements, case_7_sum_of_each) {
  this->template expect<rows>([](auto a) { return each(a, [](auto v) { return sum(v); }); },
                              {{{rows{{2, 1}, {7, 3, 0}, {4}}}, "[3,10,4]"}, {{rows{{}}}, "[0]"}});
}

TYPED_TEST(nesl_elements, case_8_flatten) {
  this->template expect<rows>(
      [](auto a) { return flatten(a); },
      {{{rows{{2, 1}, {7, 3, 0}, {4}}}, "[2,1,7,3,0,4]"}, {{rows{}}, "[]"}});
}

TYPED_TEST(nesl_elements, case_9_bottop) {
  auto const bottop = [](auto a) {
    auto const n = len(a);
    auto const half = (n + 1) / 2;
    return unflatten(a, list(half, n - half));
  };
  this->template expect<std::string>(
      bottop, {{{std::string("nested parallelism")}, "[\"nested pa\",\"rallelism\"]"}});
  this->template expect<numbers>(
      bottop, {{{numbers{0, 1, 2, 3, 4, 5, 6}}, "[[0,1,2,3],[4,5,6]]"}, {{numbers{}}, "[[],[]]"}});
}

TYPED_TEST(nesl_elements, case_12_gather) {
  this->template expect<std::string, numbers>(
      [](auto a, auto i) { return gather(a, i); },
      {{{std::string("an example"), numbers{7, 0, 8, 9}}, "\"pale\""},
       {{std::string("x"), numbers{}}, "\"\""}});
}

TYPED_TEST(nesl_elements, case_13_write) {
  this->template expect<std::string, numbers, std::string>(
      [](auto a, auto i, auto v) { return write(a, i, v); },
      {{{std::string("an example"), numbers{4, 2, 3}, std::string("sd ")}, "\"and sample\""},
       {{std::string("x"), numbers{}, std::string()}, "\"x\""}});
}

TYPED_TEST(nesl_elements, case_14_ranges) {
  this->template expect<index_t, index_t, index_t>(
      [](auto a, auto b, auto s) { return range(a, b, s); }, {{{10, 16, 1}, "[10,11,12,13,14,15]"},
                                                              {{10, 25, 3}, "[10,13,16,19,22]"},
                                                              {{4, 15, 3}, "[4,7,10,13]"},
                                                              {{5, 5, 1}, "[]"},
                                                              {{7, 0, -3}, "[7,4,1]"},
                                                              {{0, 7, -3}, "[]"}});
}

TYPED_TEST(nesl_elements, case_16_flatten_of_sieves) {
  this->template expect<numbers, index_t>(
      [](auto p, auto n) { return flat_each(p, [&](auto x) { return range(2 * x, n, x); }); },
      {{{numbers{2, 3}, 20}, "[4,6,8,10,12,14,16,18,6,9,12,15,18]"}, {{numbers{}, 20}, "[]"}});
}

TYPED_TEST(nesl_elements, case_18_lifted_dist) {
  this->template expect<numbers, numbers>(
      [](auto a, auto b) { return each(b, a, [](auto x, auto n) { return dist(x, n); }); },
      {{{numbers{1, 2, 3}, numbers{1, 4, 9}}, "[[1],[4,4],[9,9,9]]"},
       {{numbers{0}, numbers{5}}, "[[]]"}});
}

TYPED_TEST(nesl_elements, case_19_filter_of_a_zip) {
  this->template expect<numbers, numbers>(
      [](auto a, auto b) { return pack(zip(a, b), b == 2 * a); },
      {{{numbers{1, 2, 3}, numbers{2, 4, 9}}, "[(1,2),(2,4)]"}, {{numbers{}, numbers{}}, "[]"}});
}

TYPED_TEST(nesl_elements, case_20_sum_of_pairs) {
  using pairs = std::vector<std::pair<index_t, index_t>>;
  this->template expect<pairs>(
      [](auto a) { return each(a, [](auto p) { return fst(p) + snd(p); }); },
      {{{pairs{{1, 2}, {3, 4}, {5, 6}}}, "[3,7,11]"}, {{pairs{}}, "[]"}});
}

TYPED_TEST(nesl_elements, case_21_exclusive_plus_scan) {
  this->template expect<numbers>(
      [](auto a) { return exclusive_scan(a); },
      {{{numbers{1, 3, 5, 7, 9, 11, 13, 15}}, "[0,1,4,9,16,25,36,49]"}, {{numbers{}}, "[]"}});
}

TYPED_TEST(nesl_elements, case_22_exclusive_max_scan) {
  this->template expect<numbers>(
      [](auto a) { return drop(exclusive_scan(a, maximum{}), 1); },
      {{{numbers{3, 2, 1, 6, 5, 4, 8}}, "[3,3,3,6,6,6]"}, {{numbers{1}}, "[]"}});
  EXPECT_EQ(to_host(at(exclusive_scan(this->of(numbers{3}), maximum{}), 0)),
            bounds<index_t>::lowest());
}

TYPED_TEST(nesl_elements, case_23_count) {
  this->template expect<flags>([](auto a) { return count(a); },
                               {{{flags{1, 0, 1, 1, 0, 1, 0, 1}}, "5"}, {{flags{}}, "0"}});
}

TYPED_TEST(nesl_elements, case_24_max_index) {
  this->template expect<numbers>(
      [](auto a) { return max_index(a); },
      {{{numbers{2, 11, 4, 7, 14, 6, 9, 14}}, "4"}, {{numbers{0, -1}}, "0"}});
}

}  // namespace
}  // namespace ravel::nesl_elements_test
