/// Cases 87 to 92 of flattening: the loops in the tests of Futhark's flattening.

#include "flatten/programs.hpp"

namespace ravel::futhark_loops_test {
namespace {

using testing::flags;
using testing::numbers;
using testing::rows;

template <class Ex>
struct futhark_loops : testing::on_programs<Ex> {};
TYPED_TEST_SUITE(futhark_loops, testing::program_executors);

TYPED_TEST(futhark_loops, case_87_shrinking_filter) {
  this->template expect<numbers>(
      [](auto a) {
        return each(a, [](auto x) {
          return len(
              while_([](auto v) { return len(v) > 0; },
                     [](auto v) { return filter(drop(v, 1), [](auto e) { return e % 2 == 1; }); },
                     iota(x)));
        });
      },
      {{{numbers{3, 7, 9, 1, 7}}, "[0,0,0,0,0]"}, {{numbers{}}, "[]"}});
}

TYPED_TEST(futhark_loops, case_88_doubling) {
  this->template expect<numbers>(
      [](auto a) {
        return each(a, [](auto n) {
          return len(while_([&](auto v) { return len(v) < n; }, [](auto v) { return append(v, v); },
                            list(n * 0)));
        });
      },
      {{{numbers{1, 4, 8, 16}}, "[1,4,8,16]"}, {{numbers{0, 3}}, "[1,4]"}});
}

TYPED_TEST(futhark_loops, case_89_neighbours) {
  this->template expect<numbers>(
      [](auto a) {
        return each(a, [](auto n) {
          auto const ys = iota(n + 1);
          return sum(each(iota(n), [&](auto i) { return at(ys, i) + at(ys, i + 1); }));
        });
      },
      {{{numbers{1, 4, 0, 3}}, "[1,16,0,9]"}, {{numbers{}}, "[]"}});
  this->template expect<numbers>(
      [](auto a) {
        return each(a, [](auto n) {
          auto const ys = inclusive_scan(iota(n + 1));
          return sum(each(iota(n), [&](auto i) { return at(ys, i) + at(ys, i + 1); }));
        });
      },
      {{{numbers{1, 4, 0, 3}}, "[1,30,0,14]"}, {{numbers{}}, "[]"}});
}

TYPED_TEST(futhark_loops, case_90_sum_of_the_rest) {
  this->template expect<rows, numbers>(
      [](auto a, auto i) { return each(a, i, [](auto row, auto k) { return sum(drop(row, k)); }); },
      {{{rows{{0, 1, 5}, {-2, 9, 1}}, numbers{0, 1}}, "[6,10]"}, {{rows{}, numbers{}}, "[]"}});
}

TYPED_TEST(futhark_loops, case_91_strided_update) {
  using settings = std::vector<std::tuple<index_t, index_t, index_t, index_t, index_t>>;
  this->template expect<settings>(
      [](auto all) {
        return each(all, [](auto s) {
          auto const x = get<0>(s), v = get<1>(s), first = get<2>(s), last = get<3>(s),
                     step = get<4>(s);
          return sum(write(iota(x), range(first, last, step), iota(v)));
        });
      },
      {{{settings{{5, 2, 3, 5, 1}, {6, 3, 1, 6, 2}, {7, 1, 2, 3, 3}}}, "[4,9,19]"},
       {{settings{}}, "[]"}});
}

TYPED_TEST(futhark_loops, case_92_inner_array_of_varying_size) {
  this->template expect<numbers>(
      [](auto a) {
        return each(a, [](auto n) {
          auto const m = 2 * n;
          auto const done =
              while_([](auto i, auto) { return i < 10; },
                     [&](auto i, auto x) { return tup(i + 1, at(dist(i + x + m, m), 6)); },
                     tup(n * 0, n * 0 + 5));
          return get<1>(done) + n;
        });
      },
      {{{numbers{7, 14, 14}}, "[197,344,344]"}, {{numbers{}}, "[]"}});
}

}  // namespace
}  // namespace ravel::futhark_loops_test
