/// Cases 61 to 75 of flattening: sequences that are empty, at every level.

#include "flatten/programs.hpp"
#include "nested/clusters.hpp"
#include "nested/quicksort.hpp"

namespace ravel::empty_shapes_test {
namespace {

using testing::flags;
using testing::numbers;
using testing::rows;

template <class Ex>
struct empty_shapes : testing::on_programs<Ex> {};
TYPED_TEST_SUITE(empty_shapes, testing::program_executors);

TYPED_TEST(empty_shapes, case_61_and_62_sums) {
  this->template expect<rows>([](auto a) { return each(a, [](auto v) { return sum(v); }); },
                              {{{rows{}}, "[]"}, {{rows{{}, {}}}, "[0,0]"}});
}

TYPED_TEST(empty_shapes, case_63_flatten) {
  this->template expect<rows>([](auto a) { return flatten(a); },
                              {{{rows{}}, "[]"}, {{rows{{}, {}}}, "[]"}});
}

TYPED_TEST(empty_shapes, case_64_unflatten) {
  this->template expect<numbers, numbers>(
      [](auto a, auto l) { return unflatten(a, l); },
      {{{numbers{}, numbers{}}, "[]"},
       {{numbers{}, numbers{0, 0}}, "[[],[]]"},
       {{numbers{1, 2, 3}, numbers{0, 2, 0, 1, 0}}, "[[],[1,2],[],[3],[]]"}});
}

TYPED_TEST(empty_shapes, case_65_and_66_two_levels) {
  using deep = std::vector<rows>;
  deep const a{{{1}, {2, 3}}, {}, {{}, {4}}};
  this->template expect<deep>(
      [](auto x) { return each(x, [](auto y) { return each(y, [](auto z) { return sum(z); }); }); },
      {{{a}, "[[1,5],[],[0,4]]"}, {{deep{}}, "[]"}});
  this->template expect<deep>([](auto x) { return each(x, [](auto y) { return len(y); }); },
                              {{{a}, "[2,0,2]"}, {{deep{{}}}, "[0]"}});
  this->template expect<deep>([](auto x) { return each(x, [](auto y) { return flatten(y); }); },
                              {{{a}, "[[1,2,3],[],[4]]"}, {{deep{{}, {{}}}}, "[[],[]]"}});
  this->template expect<deep>([](auto x) { return flatten(x); },
                              {{{a}, "[[1],[2,3],[],[4]]"}, {{deep{{}}}, "[]"}});
}

TYPED_TEST(empty_shapes, case_67_scan_and_sort) {
  this->template expect<rows>(
      [](auto a) { return each(a, [](auto v) { return exclusive_scan(v); }); },
      {{{rows{{1, 2}, {}, {3}}}, "[[0,1],[],[0]]"}, {{rows{}}, "[]"}});
  this->template expect<rows>(
      [](auto a) { return each(a, [](auto v) { return sort(v); }); },
      {{{rows{{3, 1, 2}, {}, {2, 2, 1}, {}}}, "[[1,2,3],[],[1,2,2],[]]"}, {{rows{}}, "[]"}});
}

TYPED_TEST(empty_shapes, case_68_nothing_kept) {
  this->template expect<rows>(
      [](auto a) {
        return each(a, [](auto v) { return filter(v, [](auto x) { return x < 0; }); });
      },
      {{{rows{{1, 2}, {3}}}, "[[],[]]"}, {{rows{}}, "[]"}});
}

TYPED_TEST(empty_shapes, case_69_one_branch) {
  this->template expect<numbers>(
      [](auto a) {
        return each(a, [](auto x) {
          return if_(
              x > 0, [&] { return iota(x); }, [&] { return iota(x * 0); });
        });
      },
      {{{numbers{1, 2}}, "[[0],[0,1]]"}, {{numbers{}}, "[]"}, {{numbers{-1}}, "[[]]"}});
}

TYPED_TEST(empty_shapes, case_70_quicksort_of_rows) {
  this->template expect<rows>(
      [](auto a) { return each(a, examples::quicksort<index_t, 2>); },
      {{{rows{{3, 1, 2}, {}, {5}, {9, 8, 7, 6, 5}}}, "[[1,2,3],[],[5],[5,6,7,8,9]]"},
       {{rows{}}, "[]"}});
  using deep = std::vector<rows>;  // case 71
  this->template expect<deep>(
      [](auto a) {
        return each(a, [](auto b) { return each(b, examples::quicksort<index_t, 2>); });
      },
      {{{deep{{{3, 1, 2}, {}}, {}, {{5}, {9, 8, 7, 6, 5}}}}, "[[[1,2,3],[]],[],[[5],[5,6,7,8,9]]]"},
       {{deep{}}, "[]"}});
}

TYPED_TEST(empty_shapes, case_73_histograms) {
  this->template expect<rows, index_t>(
      examples::histograms,
      {{{rows{{0, 1, 1, 3}, {}, {2, 2, 2}, {3}}, 4}, "[[1,2,0,1],[0,0,0,0],[0,0,3,0],[0,0,0,1]]"},
       {{rows{{5, -1}}, 2}, "[[0,0]]"},
       {{rows{}, 0}, "[]"}});
}

TYPED_TEST(empty_shapes, case_75_nothing_to_fail_for) {
  auto const one = this->of(numbers{1});
  EXPECT_EQ(this->show(each(this->of(numbers{}), [&](auto a) { return a + at(one, 0); })), "[]");
}

}  // namespace
}  // namespace ravel::empty_shapes_test
