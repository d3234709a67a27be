/// Cases 76 to 92 of flattening: the tests of Futhark's flattening.

#include "flatten/programs.hpp"

namespace ravel::futhark_flattening_test {
namespace {

using testing::flags;
using testing::numbers;
using testing::rows;

template <class Ex>
struct futhark_flattening : testing::on_programs<Ex> {};
TYPED_TEST_SUITE(futhark_flattening, testing::program_executors);

TYPED_TEST(futhark_flattening, case_76_scan_and_reduce) {
  numbers const a{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  this->template expect<numbers, numbers>(
      [](auto v, auto l) {
        return each(unflatten(v, l), [](auto s) { return inclusive_scan(s); });
      },
      {{{a, numbers{3, 3, 4}}, "[[1,3,6],[4,9,15],[7,15,24,34]]"}, {{numbers{}, numbers{}}, "[]"}});
  this->template expect<numbers, numbers>(
      [](auto v, auto l) {
        return each(unflatten(v, l), [](auto s) { return reduce(s, plus{}); });
      },
      {{{a, numbers{3, 3, 4}}, "[6,15,34]"}, {{numbers{}, numbers{0}}, "[0]"}});
}

TYPED_TEST(futhark_flattening, case_77_replicated_iota) {
  this->template expect<numbers>(
      [](auto a) { return flat_each(indices(a), [&](auto i) { return dist(i, at(a, i)); }); },
      {{{numbers{2, 3, 1}}, "[0,0,1,1,1,2]"},
       {{numbers{2, 0, 1}}, "[0,0,2]"},
       {{numbers{0, 0}}, "[]"}});
}

TYPED_TEST(futhark_flattening, case_78_segmented_iota) {
  this->template expect<numbers>(
      [](auto a) { return flat_each(a, [](auto n) { return iota(n); }); },
      {{{numbers{3, 4}}, "[0,1,2,0,1,2,3]"}, {{numbers{}}, "[]"}});
}

TYPED_TEST(futhark_flattening, case_79_expand) {
  auto const multiples = [](auto n) { return each(iota(n), [&](auto i) { return n * i; }); };
  this->template expect<numbers>([&](auto a) { return flat_each(a, multiples); },
                                 {{{numbers{2, 3, 1}}, "[0,2,0,3,6,0]"}, {{numbers{}}, "[]"}});
  this->template expect<numbers>(
      [&](auto a) { return each(a, [&](auto n) { return sum(multiples(n)); }); },
      {{{numbers{2, 0, 3, 1}}, "[2,0,9,0]"}, {{numbers{}}, "[]"}});
}

TYPED_TEST(futhark_flattening, case_80_and_81_sums_of_iota) {
  this->template expect<numbers>(
      [](auto a) { return each(a, [](auto n) { return sum(iota(n)); }); },
      {{{numbers{0, 1, 2, 3, 4, 5}}, "[0,0,1,3,6,10]"}, {{numbers{}}, "[]"}});
  this->template expect<index_t>(
      [](auto n) { return sum(iota(sum(iota(n)))); },
      {{{0}, "0"}, {{1}, "0"}, {{2}, "0"}, {{3}, "3"}, {{4}, "15"}, {{5}, "45"}});
}

TYPED_TEST(futhark_flattening, case_82_irregular_branches) {
  this->template expect<numbers>(
      [](auto a) {
        return each(a, [](auto x) {
          return sum(if_(
              x < 0, [&] { return iota(x * x); }, [&] { return iota(x); }));
        });
      },
      {{{numbers{-5, -3, 4, 2, 0, -1, 3, 1}}, "[300,36,6,1,0,0,3,0]"},
       {{numbers{1, 2, 3, 4, 5}}, "[0,1,3,6,10]"},
       {{numbers{1, -2, -3, -4, -5}}, "[0,6,36,120,300]"},
       {{numbers{}}, "[]"}});
}

TYPED_TEST(futhark_flattening, case_83_and_84_irregular_match) {
  auto const program = [](auto x, auto y) {
    auto const zs = iota(x * y);
    auto const r = if_(
        x == 0,
        [&] {
          return if_(
              y == 0, [&] { return tup(x * 0 + 3, iota(x * 0 + 5)); },
              [&] { return tup(x * 0 + 5, iota(y)); });
        },
        [&] {
          return if_(
              y == 0, [&] { return tup(x + 0, iota(x * 0 + 3)); }, [&] { return tup(x * y, zs); });
        });
    return sum(snd(r)) - fst(r);
  };
  auto const both = [&](auto xs, auto ys) { return each(xs, ys, program); };
  this->template expect<numbers, numbers>(
      both, {{{numbers{0, 0, 0, 1, 1, 1, 2, 2, 2}, numbers{0, 1, 2, 0, 1, 2, 0, 1, 2}},
              "[7,-5,-4,2,-1,-1,1,-1,2]"},
             {{numbers{0, 0, 0, 1, 1, 1, 2, 2, 2}, numbers{2, 2, 2, 1, 1, 1, 0, 0, 0}},
              "[-4,-4,-4,-1,-1,-1,1,1,1]"},
             {{numbers{1, 2, 3}, numbers{4, 5, 6}}, "[2,35,135]"}});
}

TYPED_TEST(futhark_flattening, case_85_recursion_over_all_below) {
  this->template expect<index_t>(rec<index_t(index_t)>([](auto self, auto n) {
                                   return if_(
                                       n == 0, [&] { return index_t{0}; },
                                       [&] { return 1 + max(each(iota(n), self)); });
                                 }),
                                 {{{4}, "4"}, {{0}, "0"}, {{1}, "1"}});
}

TYPED_TEST(futhark_flattening, case_86_nested_sums) {
  this->template expect<numbers, numbers>(
      [](auto a, auto ys) {
        return each(
            a, [&](auto x) { return sum(each(ys, [&](auto y) { return sum(iota(x) + y); })); });
      },
      {{{numbers{2, 3, 5}, numbers{1, 2}}, "[8,15,35]"}, {{numbers{}, numbers{1}}, "[]"}});
}

}  // namespace
}  // namespace ravel::futhark_flattening_test
