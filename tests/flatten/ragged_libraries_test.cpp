/// Cases 45 to 60 of flattening: common operations of libraries for ragged arrays.

#include "flatten/programs.hpp"

namespace ravel::ragged_libraries_test {
namespace {

using testing::flags;
using testing::numbers;
using testing::rows;

template <class Ex>
struct ragged_libraries : testing::on_programs<Ex> {};
TYPED_TEST_SUITE(ragged_libraries, testing::program_executors);

TYPED_TEST(ragged_libraries, case_45_row_sums) {
  this->template expect<rows>(
      [](auto a) { return each(a, [](auto v) { return sum(v); }); },
      {{{rows{{1, 2, 3}, {4, 5}, {}, {6}}}, "[6,9,0,6]"}, {{rows{}}, "[]"}});
}

TYPED_TEST(ragged_libraries, case_46_row_and_scalar) {
  auto const add = [](auto a, auto b) {
    return each(a, b, [](auto row, auto x) { return row + x; });
  };
  this->template expect<rows, numbers>(
      add, {{{rows{{1, 2, 3}, {}, {4, 5}}, numbers{10, 20, 30}}, "[[11,12,13],[],[34,35]]"},
            {{rows{{1, 2, 3}, {}, {4, 5}, {}}, numbers{10, 20, 30, 40}},
             "[[11,12,13],[],[34,35],[]]"}});  // case 47
}

TYPED_TEST(ragged_libraries, case_48_lengths_differ) {
  auto const a = this->of(rows{{1, 2, 3}, {4, 5}});
  EXPECT_THROW(each(a, this->of(numbers{10, 20, 30}), [](auto row, auto x) { return row + x; }),
               shape_error);
}

TYPED_TEST(ragged_libraries, case_49_column_sums) {
  this->template expect<rows>(
      [](auto a) {
        auto const longest = max(each(a, [](auto row) { return len(row); }));
        return each(iota(longest), [&](auto j) {
          return sum(each(a, [&](auto row) { return select(j < len(row), at(row, j), 0); }));
        });
      },
      {{{rows{{1, 2, 3}, {10, 20}, {100, 200, 300, 400}}}, "[111,222,303,400]"},
       {{rows{{}}}, "[]"}});
}

TYPED_TEST(ragged_libraries, case_50_segmented_sums_of_rows) {
  numbers const lengths{1, 4, 0, 3};
  rows matrix(5, numbers(10));
  for (std::size_t i = 0; i < 50; ++i) matrix[i / 10][i % 10] = static_cast<index_t>(i);
  this->template expect<rows, numbers>(
      [](auto m, auto l) {
        return each(m, [&](auto row) {
          return each(unflatten(take(row, sum(l)), l), [](auto v) { return sum(v); });
        });
      },
      {{{matrix, lengths}, "[[0,10,0,18],[10,50,0,48],[20,90,0,78],[30,130,0,108],[40,170,0,138]]"},
       {{rows{}, numbers{}}, "[]"}});
}

TYPED_TEST(ragged_libraries, case_51_ragged_gather) {
  using deep = std::vector<rows>;
  this->template expect<deep, numbers>(
      [](auto a, auto i) { return gather(a, i); },
      {{{deep{{{10, 11, 12}}, {}, {{}, {13, 14}, {15, 16, 17, 18}, {19}}},
         numbers{1, 2, 0, 1, 1, 2}},
        "[[],[[],[13,14],[15,16,17,18],[19]],[[10,11,12]],[],[],[[],[13,14],[15,16,17,18],[19]]]"},
       {{deep{}, numbers{}}, "[]"}});
}

TYPED_TEST(ragged_libraries, case_52_local_index) {
  this->template expect<rows>(
      [](auto a) { return each(a, [](auto v) { return indices(v); }); },
      {{{rows{{9, 9, 9}, {9, 9}, {9}}}, "[[0,1,2],[0,1],[0]]"}, {{rows{{}}}, "[[]]"}});
}

TYPED_TEST(ragged_libraries, case_53_run_lengths) {
  this->template expect<numbers>(
      [](auto a) { return run_lengths(a); },
      {{{numbers{1, 1, 1, 3, 3, 2, 4, 4, 4}}, "[3,2,1,3]"}, {{numbers{}}, "[]"}});
}

TYPED_TEST(ragged_libraries, case_54_unflatten_strings) {
  using strings = std::vector<std::string>;
  this->template expect<strings, numbers>(
      [](auto a, auto l) { return unflatten(a, l); },
      {{{strings{"Do", "re", "mi", "fa", "so", "la"}, numbers{1, 2, 2, 1}},
        "[[\"Do\"],[\"re\",\"mi\"],[\"fa\",\"so\"],[\"la\"]]"},
       {{strings{}, numbers{}}, "[]"}});
}

TYPED_TEST(ragged_libraries, case_55_cartesian) {
  this->template expect<rows, rows>(
      [](auto a, auto b) {
        return each(a, b, [](auto x, auto y) {
          return flat_each(x, [&](auto p) { return each(y, [&](auto q) { return tup(p, q); }); });
        });
      },
      {{{rows{{1, 2}, {}, {3}}, rows{{10, 20}, {30}, {}}}, "[[(1,10),(1,20),(2,10),(2,20)],[],[]]"},
       {{rows{}, rows{}}, "[]"}});
}

TYPED_TEST(ragged_libraries, case_56_combinations) {
  this->template expect<rows>(
      [](auto a) {
        return each(a, [](auto v) {
          return flat_each(indices(v), [&](auto i) {
            return each(drop(v, i + 1), [&](auto q) { return tup(at(v, i), q); });
          });
        });
      },
      {{{rows{{1, 2, 3}, {4}, {}}}, "[[(1,2),(1,3),(2,3)],[],[]]"}, {{rows{}}, "[]"}});
}

TYPED_TEST(ragged_libraries, case_57_greatest_two) {
  this->template expect<rows>(
      [](auto a) {
        return each(a, [](auto v) {
          auto const down = reverse(sort(v));
          return take(down, select(len(v) < 2, len(v), 2));
        });
      },
      {{{rows{{5, 1, 9, 7}, {2}, {}, {3, 8, 8}}}, "[[9,7],[2],[],[8,8]]"}, {{rows{}}, "[]"}});
}

}  // namespace
}  // namespace ravel::ragged_libraries_test
