/// Cases 93 to 105 of flattening: Blelloch's scans and the programs of SNESL and Data Parallel Haskell.

#include "flatten/programs.hpp"

namespace ravel::scan_programs_test {
namespace {

using testing::flags;
using testing::numbers;
using testing::rows;

struct greater {
  RAVEL_HD index_t operator()(index_t a, index_t b) const { return a < b ? b : a; }
};

template <class Ex>
struct scan_programs : testing::on_programs<Ex> {};
TYPED_TEST_SUITE(scan_programs, testing::program_executors);

TYPED_TEST(scan_programs, case_93_plus_scan) {
  this->template expect<numbers>(
      [](auto a) { return exclusive_scan(a); },
      {{{numbers{2, 1, 2, 3, 5, 8, 13, 21}}, "[0,2,3,5,8,13,21,34]"}, {{numbers{7}}, "[0]"}});
}

TYPED_TEST(scan_programs, case_94_enumerate) {
  this->template expect<flags>(
      [](auto f) { return exclusive_scan(cast<index_t>(f)); },
      {{{flags{1, 0, 0, 1, 0, 1, 1, 0}}, "[0,1,1,1,2,2,3,4]"}, {{flags{}}, "[]"}});
}

TYPED_TEST(scan_programs, case_95_segmented_scans) {
  rows const a{{5, 1}, {3, 4, 3, 9}, {2, 6}};
  this->template expect<rows>(
      [](auto x) { return each(x, [](auto v) { return exclusive_scan(v); }); },
      {{{a}, "[[0,5],[0,3,7,10],[0,2]]"}, {{rows{{}}}, "[[]]"}});
  this->template expect<rows>(
      [](auto x) {
        return each(x, [](auto v) { return exclusive_scan(v, monoid{greater{}, index_t{0}}); });
      },
      {{{a}, "[[0,5],[0,3,4,4],[0,2]]"}, {{rows{}}, "[]"}});
}

TYPED_TEST(scan_programs, case_96_split_radix_sort) {
  auto const by_bit = [](auto a, auto bit) { return flatten(split(a, (a / bit) % 2 == 1)); };
  this->template expect<numbers, index_t>(
      by_bit, {{{numbers{5, 7, 3, 1, 4, 2, 7, 2}, 1}, "[4,2,2,5,7,3,1,7]"},
               {{numbers{4, 2, 2, 5, 7, 3, 1, 7}, 2}, "[4,5,1,2,2,7,3,7]"},
               {{numbers{4, 5, 1, 2, 2, 7, 3, 7}, 4}, "[1,2,2,3,4,5,7,7]"}});
}

TYPED_TEST(scan_programs, case_97_merge) {
  this->template expect<numbers, numbers>(
      [](auto a, auto b) {
        auto const of_a =
            each(a, indices(a), [&](auto x, auto i) { return i + lower_bound(b, x); });
        auto const of_b =
            each(b, indices(b), [&](auto x, auto i) { return i + upper_bound(a, x); });
        return permute(append(a, b), append(of_a, of_b));
      },
      {{{numbers{1, 7, 10, 13, 15, 20}, numbers{3, 4, 9, 22, 23, 26}},
        "[1,3,4,7,9,10,13,15,20,22,23,26]"},
       {{numbers{}, numbers{1}}, "[1]"},
       {{numbers{2, 2}, numbers{2}}, "[2,2,2]"}});
}

TYPED_TEST(scan_programs, case_98_line_of_sight) {
  using heights = std::vector<double>;
  this->template expect<heights>(
      [](auto a) {
        auto const slope =
            keep(each(a, indices(a), [](auto h, auto i) { return h / (cast<double>(i) + 1.0); }));
        return slope > exclusive_scan(slope, maximum{});
      },
      {{{heights{1, 3, 2, 6, 5, 9}}, "[t,t,f,f,f,f]"}, {{heights{}}, "[]"}});
}

TYPED_TEST(scan_programs, case_99_inclusive_sums_by_flags) {
  this->template expect<numbers, flags>(
      [](auto a, auto f) {
        auto const first = pack(indices(f), f);
        auto const lengths = each(indices(first), [&](auto i) {
          return select(i + 1 < len(first), at(first, i + 1), len(f)) - at(first, i);
        });
        return flat_each(unflatten(a, lengths), [](auto v) { return inclusive_scan(v); });
      },
      {{{numbers{1, 2, 3, 4, 5, 6}, flags{1, 0, 0, 1, 0, 1}}, "[1,3,6,4,9,6]"},
       {{numbers{}, flags{}}, "[]"}});
}

TYPED_TEST(scan_programs, case_100_divide_and_conquer_scan) {
  auto const scan = rec<nested<index_t>(nested<index_t>)>([](auto self, auto a) {
    return if_(
        len(a) < 2, [&] { return each(a, [](auto x) { return x * 0; }); },
        [&] {
          auto const half = len(a) / 2;
          auto const both = each(list(take(a, half), drop(a, half)), self);
          auto const ahead = sum(take(a, half));
          return append(at(both, 0), at(both, 1) + ahead);
        });
  });
  this->template expect<numbers>(scan,
                                 {{{numbers{1, 3, 5, 7, 9, 11, 13, 15}}, "[0,1,4,9,16,25,36,49]"},
                                  {{numbers{}}, "[]"},
                                  {{numbers{4}}, "[0]"},
                                  {{numbers{2, 2, 2}}, "[0,2,4]"}});
}

TYPED_TEST(scan_programs, case_102_nested_increment) {
  this->template expect<rows>(
      [](auto a) { return a + 1; },
      {{{rows{{1, 2, 3}, {4}, {5, 6}}}, "[[2,3,4],[5],[6,7]]"}, {{rows{{}}}, "[[]]"}});
}

TYPED_TEST(scan_programs, case_104_quadratic_rank) {
  this->template expect<numbers>(
      [](auto a) {
        return each(a, [&](auto x) { return count(each(a, [&](auto y) { return y < x; })); });
      },
      {{{numbers{30, 10, 20, 10}}, "[3,0,2,0]"}, {{numbers{}}, "[]"}});
}

}  // namespace
}  // namespace ravel::scan_programs_test
