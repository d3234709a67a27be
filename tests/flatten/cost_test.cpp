/// Cases 37, 105, 122 and 124 of flattening: the work of programs, counted.

#include <ravel/core/cpu/executor.hpp>
#include <ravel/flatten/flatten.hpp>

#include "nested/multi_pivot_quicksort.hpp"
#include "nested/quicksort.hpp"
#include "nested/sparse.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <regex>
#include <string>
#include <vector>

namespace ravel::cost_test {
namespace {

using numbers = std::vector<index_t>;
cpu::sequential const ex;

program_stats cost_of(auto const& program) {
  reset_stats();
  to_host(program());
  return stats();
}

index_t steps_of(auto const& program) {
  reset_stats();
  auto const result = program();
  return stats().steps;
}

double per_n_log_n(program_stats const& cost, index_t n) {
  return static_cast<double>(cost.elements) / (static_cast<double>(n) * std::log2(n));
}

numbers random_numbers(index_t n) {
  numbers result(static_cast<std::size_t>(n));
  std::uint32_t x = 1;
  for (auto& v : result) {
    x = x * 1664525u + 1013904223u;
    v = x >> 8;
  }
  return result;
}

/// x^n by squaring, with the recursive call outside of both branches.
auto const power = rec<index_t(index_t, index_t)>([](auto self, auto x, auto n) {
  return if_(
      n == 0, [&] { return index_t{1}; },
      [&] {
        auto const half = self(x, n / 2);
        return half * half * select(n % 2 == 1, x, 1);
      });
});

TEST(program_cost, case_37_steps_grow_with_the_depth_of_recursion) {
  index_t last = 100;
  for (index_t const n : {64, 1024, 16384}) {
    auto const count = from(ex, n);
    auto const program = [&] { return sum(each(iota(count), [](auto i) { return power(1, i); })); };
    EXPECT_EQ(to_host(program()), n);
    auto const steps = cost_of(program).steps;
    EXPECT_LE(steps, last + 100) << n;
    last = steps;
  }
}

/// Looks up each index in a shared table, by recursion on the halves of a sequence of
/// indices.
auto const tree_lookup =
    rec<nested<index_t>(nested<index_t>, nested<index_t>)>([](auto self, auto table, auto xs) {
      return if_(
          len(xs) <= 1, [&] { return gather(table, xs); },
          [&] {
            auto const half = len(xs) / 2;
            return flat_each(list(take(xs, half), drop(xs, half)),
                             [&](auto part) { return self(table, part); });
          });
    });

TEST(program_cost, case_105_a_shared_table_is_not_copied) {
  for (index_t const n : {64, 256, 1024}) {
    numbers table(static_cast<std::size_t>(n));
    std::iota(table.begin(), table.end(), 0);
    auto const t = from(ex, table);
    EXPECT_EQ(to_host(tree_lookup(t, t)), table);
    EXPECT_LE(per_n_log_n(cost_of([&] { return tree_lookup(t, t); }), n), 20) << n;
  }
}

TEST(program_cost, case_122_what_all_share_is_done_once) {
  auto const big = from(ex, numbers(10'000, 1));
  auto const instances = iota(from(ex, index_t{500}));
  auto const in_all = [&] { return each(instances, [&](auto i) { return sum(big) + i; }); };
  EXPECT_EQ(to_host(in_all()).back(), 10'499);
  EXPECT_LE(cost_of(in_all).elements, 3 * 10'500);

  auto const in_a_branch = [&] {
    return each(instances, [&](auto i) {
      return if_(
          i % 2 == 0, [&] { return sum(big) + i; }, [&] { return i + 0; });
    });
  };
  EXPECT_LE(cost_of(in_a_branch).elements, 3 * 10'500);
  auto const in_no_branch = [&] {
    return each(instances, [&](auto i) {
      return if_(
          i < 0, [&] { return sum(big) + i; }, [&] { return i + 0; });
    });
  };
  EXPECT_LE(cost_of(in_no_branch).elements, 3'000);
}

TEST(program_cost, case_124_quicksort_does_n_log_n_work) {
  for (index_t const n : {1'000, 4'000, 16'000}) {
    auto const unsorted = random_numbers(n);
    auto sorted = unsorted;
    std::sort(sorted.begin(), sorted.end());
    auto const a = from(ex, unsorted);
    EXPECT_EQ(to_host(examples::quicksort<index_t>(a)), sorted);
    EXPECT_LE(per_n_log_n(cost_of([&] { return examples::quicksort<index_t>(a); }), n), 15) << n;
    auto const by_pivots = [&] { return examples::multi_pivot_quicksort<index_t>(a); };
    EXPECT_EQ(to_host(by_pivots()), sorted);
    EXPECT_LE(per_n_log_n(cost_of(by_pivots), n), 5) << n;
  }
}

/// The later of two numbers, of which 0 counts as none: a monoid that does not commute.
struct later {
  static constexpr index_t identity() { return 0; }
  constexpr index_t operator()(index_t x, index_t y) const { return y == 0 ? x : y; }
};

/// Each thread reads its part of the values, or shares it with others if rows of bins are long.
TEST(program_cost, threads_combine_by_index_in_rows_of_bins) {
  cpu::threads const four(4);
  index_t const n = 50'000;
  auto at = random_numbers(n + 3);
  for (auto& k : at) k -= 1'000'000;
  numbers values(static_cast<std::size_t>(n));
  std::iota(values.begin(), values.end(), index_t{1});
  struct expected {
    index_t bins, rows;
  };
  for (auto const [bins, rows] : {expected{7, 4}, {100'000, 2}, {1'000'000, 1}}) {
    numbers last(static_cast<std::size_t>(bins));
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (index_t const k = at[i + 3] % (bins + 2); 0 <= k && k < bins)
        last[static_cast<std::size_t>(k)] = values[i];
    }
    auto const index = drop(from(four, at), 3), x = from(four, values);
    auto const stored = keep(index % (bins + 2));
    for (auto const& found : {reduce_by_index(stored, x, bins, later{}),
                              reduce_by_index(index % (bins + 2), x, bins, later{})}) {
      EXPECT_EQ(to_host(found), last) << bins;
    }
    reset_stats();
    auto const found = reduce_by_index(stored, x, bins, later{});
    index_t const compared = 1;  // the lengths of both sequences
    EXPECT_EQ(stats().elements, compared + n + bins + (rows > 1 ? rows * bins : 0)) << bins;
  }
}

TEST(program_cost, sparse_product_is_one_reduction) {
  using row = std::vector<std::pair<index_t, double>>;
  auto const a = from(ex, std::vector<row>(100, row{{0, 1.0}, {1, 2.0}}));
  auto const x = from(ex, std::vector<double>{1, 2});
  auto const cost = cost_of([&] { return examples::spmv(a, x); });
  EXPECT_LE(cost.steps, 4);
  EXPECT_LE(cost.elements, 700);
}

/// Row i of `rows` has the elements of 1, 2, ... from i width on, modulo 17.
template <class T>
std::vector<std::vector<T>> numbered_rows(index_t rows, index_t width) {
  std::vector<std::vector<T>> all(static_cast<std::size_t>(rows));
  for (index_t i = 0; i < rows * width; ++i) {
    all[static_cast<std::size_t>(i / width)].push_back(static_cast<T>((i + 1) % 17 - 5));
  }
  return all;
}

auto const products = [](auto const& rows, auto const& columns) {
  return each(rows, [&](auto const& row) {
    return each(columns, [&](auto const& column) { return sum(row * column); });
  });
};

template <class T, class Ex>
void expect_products(Ex const& on, index_t rows, index_t columns, index_t width) {
  auto const a = numbered_rows<T>(rows, width), b = numbered_rows<T>(columns, width);
  std::vector<std::vector<T>> sums, uses, tails;
  for (auto const& row : a) {
    sums.emplace_back();
    uses.emplace_back();
    tails.emplace_back();
    for (auto const& column : b) {
      T const sum = std::inner_product(row.begin(), row.end(), column.begin(), T{0});
      T greatest = row[0] * column[0];
      for (std::size_t k = 0; k < row.size(); ++k)
        greatest = std::max(greatest, row[k] * column[k]);
      sums.back().push_back(sum);
      uses.back().push_back(static_cast<T>(2 * sum + greatest));
      tails.back().push_back(static_cast<T>(sum - row[0] * column[0]));
    }
  }
  auto const x = from(on, a), y = from(on, b);
  EXPECT_EQ(to_host(products(x, y)), sums) << rows << ' ' << columns << ' ' << width;
  // A reduction, a scan, which makes the copies, and two more reductions.
  EXPECT_EQ(to_host(each(x,
                         [&](auto const& row) {
                           return each(y, [&](auto const& column) {
                             auto const both = row * column;
                             auto const first = sum(both);
                             auto const running = inclusive_scan(both, plus{});
                             return first + max(both) + at(running, len(running) - 1);
                           });
                         })),
            uses);
  // Memory of copies that were not made is used again.
  EXPECT_EQ(to_host(each(x,
                         [&](auto const& row) {
                           return each(y, [&](auto const& column) {
                             auto const first = sum(row * column);
                             auto const squares = keep(row * row);
                             return first + sum(squares * column) - sum(row * row * column);
                           });
                         })),
            sums);
  // Slices, which are copied.
  auto const tail = [](auto const& row) { return drop(row, 1); };
  EXPECT_EQ(to_host(products(each(x, tail), each(y, tail))), tails);
}

TEST(program_cost, products_of_rows_by_columns_are_read_in_place) {
  index_t const n = 64;
  auto const a = from(ex, numbered_rows<double>(n, n));
  auto const program = [&] { return products(a, a); };
  index_t const bytes = stats().bytes;
  auto const text = explain(program, costs_shown{});
  EXPECT_EQ(text.find("copy"), std::string::npos) << text;
  EXPECT_NE(text.find("(double * double)"), std::string::npos) << text;
  reset_stats();
  auto const found = program();
  EXPECT_EQ(stats().most_bytes - bytes, 2 * 8 * n * n);  // the result, and numbers of columns

  cpu::threads const three(3);
  for (auto const& shape : {std::array<index_t, 3>{3, 5, 7},
                            {1, 4, 2},
                            {70, 80, 100},
                            {9, 2, 20'000},
                            {2, 2, 200'000}}) {
    expect_products<double>(ex, shape[0], shape[1], shape[2]);
    expect_products<double>(three, shape[0], shape[1], shape[2]);
    expect_products<int>(three, shape[0], shape[1], shape[2]);
  }
}

TEST(program_cost, reductions_of_slices_read_them_in_place) {
  std::vector<numbers> rows;
  for (index_t k = 0; k < 3'000; ++k) {
    numbers row(static_cast<std::size_t>(k == 1'000 ? 30'000 : 1 + k * 7 % 13));
    for (auto& v : row) v = (&v - row.data()) * 37 % 101 - 50 + k;
    rows.push_back(row);
  }
  numbers sums, greatest, differences, windows;
  for (auto const& row : rows) {
    sums.push_back(std::accumulate(row.begin() + 1, row.end(), index_t{0}));
    auto const least = std::numeric_limits<index_t>::lowest();
    greatest.push_back(std::accumulate(row.begin(), row.end() - 1, least,
                                       [](auto x, auto y) { return std::max(x, y); }));
    index_t total = 0;
    for (std::size_t i = 1; i < row.size(); ++i) total += (row[i] - row[i - 1]) * row[i];
    differences.push_back(total);
  }
  for (std::size_t i = 0; i < 1'000; ++i) {
    auto const first = rows[1'000].begin() + static_cast<index_t>(i);
    windows.push_back(std::accumulate(first, first + static_cast<index_t>(i % 9), index_t{0}));
  }
  for (int const threads : {1, 3}) {
    cpu::threads const on(threads);
    auto const x = from(on, rows);
    auto const is = [&](auto const& program, numbers const& wanted) {
      EXPECT_EQ(to_host(program()), wanted) << threads;
      auto const text = explain(program, costs_shown{});
      EXPECT_EQ(text.find("copy"), std::string::npos) << text;
    };
    is([&] { return each(x, [](auto row) { return sum(drop(row, 1)); }); }, sums);
    is([&] { return each(x, [](auto row) { return max(take(row, len(row) - 1)); }); }, greatest);
    is(
        [&] {
          return each(x, [](auto row) {
            auto const after = drop(row, 1);
            return sum((after - take(row, len(row) - 1)) * after);
          });
        },
        differences);
    auto const longest = from(on, rows[1'000]);
    is(
        [&] {
          return each(iota(from(on, index_t{1'000})),
                      [&](auto i) { return sum(slice(longest, i, i + i % 9)); });
        },
        windows);
    // As many rows and elements as the slices, but other lengths: the copy is made.
    auto const same_many = from(on, std::vector<numbers>{{1, 2, 3}, {4}});
    auto const other = each(same_many, [](auto row) { return drop(row, 0); });
    EXPECT_EQ(to_host(each(unflatten(flatten(other), from(on, numbers{1, 3})),
                           [](auto row) { return sum(row); })),
              (numbers{1, 9}));
    EXPECT_THROW(to_host(each(x, [](auto row) { return sum(drop(row, 2)); })), index_error);
  }
}

TEST(program_cost, reductions_at_indices_in_ragged_rows_read_them_in_place) {
  std::vector<std::size_t> lengths{0, 1, 0, 0, 3, 40, 7, 20'000, 0, 31, 32, 0};
  for (std::size_t k = 0; k < 5000; ++k) lengths.push_back(k * 7 % 13);
  std::vector<numbers> rows;
  numbers own, smallest, sums, squares;
  auto const count = static_cast<index_t>(lengths.size());
  auto const far = random_numbers(count);
  auto const at_k = [](auto const& all, index_t k) { return all[static_cast<std::size_t>(k)]; };
  for (auto const length : lengths) {
    rows.emplace_back(length);
    for (auto& v : rows.back()) v = (&v - rows.back().data() + std::ssize(rows) * 11) % count;
  }
  for (index_t k = 0; k < 3 * count; ++k) own.push_back((k * k + 5) % count);
  for (auto const k : own) {
    index_t least = std::numeric_limits<index_t>::max(), total = 0, of_squares = 0;
    for (auto const v : at_k(rows, k)) {
      least = std::min(least, at_k(far, v));
      total += at_k(far, v);
      of_squares += v * v;
    }
    smallest.push_back(least);
    sums.push_back(total);
    squares.push_back(of_squares);
  }
  auto const each_row = [](auto const& vertices, auto const& graph, auto const& f) {
    return each(vertices, [&](auto k) { return f(at(graph, k)); });
  };
  for (int const threads : {1, 3}) {
    cpu::threads const on(threads);
    auto const x = from(on, far), vertices = from(on, own);
    auto const graph = from(on, rows);
    auto const least = [&](auto const& row) { return min(gather(x, row)); };
    auto const total = [&](auto const& row) { return sum(gather(x, row)); };
    EXPECT_EQ(to_host(each_row(vertices, graph, least)), smallest);
    EXPECT_EQ(to_host(each_row(vertices, graph, total)), sums);
    EXPECT_EQ(to_host(each_row(vertices, graph, [](auto const& row) { return sum(row * row); })),
              squares);
    auto const text = explain([&] { return each_row(vertices, graph, least); }, costs_shown{});
    EXPECT_EQ(text.find("copy"), std::string::npos) << text;
    // Rows that something else reads too, and few of them.
    EXPECT_EQ(to_host(each_row(vertices, graph,
                               [&](auto const& row) { return total(row) + sum(row) - sum(row); })),
              sums);
    auto const few = from(on, numbers(own.begin(), own.begin() + 9));
    EXPECT_EQ(to_host(each_row(few, graph, total)), numbers(sums.begin(), sums.begin() + 9));

    for (std::size_t const row : {4u, 7u}) {  // in a short row, and in a long one
      auto wrong = rows;
      wrong[row].back() = count;
      auto const there = from(on, wrong);
      auto const all = keep(indices(there));
      EXPECT_THROW(to_host(each_row(all, there, total)), index_error);
    }
  }
}

/// What docs/flattening.md says of operations in a row.
TEST(program_cost, of_chains_in_passes) {
  auto const x = from(ex, random_numbers(100));
  auto const places = from(ex, [] {
    numbers all(100);
    std::iota(all.rbegin(), all.rend(), index_t{0});
    return all;
  }());
  auto const is_large = [](auto v) { return v > 1 << 23; };
  auto const selected = [&] {
    return sum(each(x, [&](auto v) { return select(is_large(v), v, 0); }));
  };
  auto const filtered = [&] { return sum(filter(x, is_large)); };
  EXPECT_EQ(to_host(selected()), to_host(filtered()));
  EXPECT_EQ(steps_of(selected), 1);
  EXPECT_EQ(steps_of(filtered), 1);  // without the pack, whose length would be waited for
  EXPECT_EQ(stats().waits, 0);
  EXPECT_EQ(explain(filtered),
            "segmented reduce                     101   ((long > constant int) ? long : constant "
            "long)\n");
  auto const kept = [&] {
    auto const large = filter(x, is_large);
    return sum(large) + len(large);
  };
  EXPECT_EQ(steps_of(kept), 2);
  EXPECT_EQ(stats().waits, 1);
  EXPECT_EQ(steps_of([&] { return max(inclusive_scan(x, plus{})); }), 2);
  // A copy of x, to which the products are written.
  EXPECT_EQ(steps_of([&] { return write(x, places, each(x, [](auto v) { return 2 * v; })); }), 2);
  auto const pairs = [&] { return flat_each(x, [](auto v) { return list(v, v + 1); }); };
  EXPECT_EQ(steps_of([&] { return filter(pairs(), is_large); }), steps_of(pairs) + 1);
}

TEST(program_cost, a_branch_that_all_take_is_not_copied) {
  auto const x = from(ex, numbers{3, 1, 2});
  EXPECT_EQ(explain([&] {
              each(x, [](auto v) {
                return switch_(
                    v * 0 + 1, [&] { return v; }, [&] { return v + 1; }, [&] { return -v; });
              });
            }),
            "context: elements                      3\n"
            "  split instances                      3   ((long * constant int) + constant int)\n"
            "  map                                  3   (long + constant int)\n");
}

TEST(program_cost, branches_that_are_expressions_are_one_loop) {
  auto const x = from(ex, std::vector<numbers>{{3, -1, 0}, {}, {5, -2}});
  using rows = std::vector<numbers>;
  auto const steps_per = [&](auto const& f) {
    auto const program = [&] {
      return each(x, [&](auto row) { return each(row, [&](auto v) { return f(row, v); }); });
    };
    return std::pair{to_host(program()), steps_of(program)};
  };
  auto const of_elements = [](auto, auto v) {
    return if_(
        v > 0, [&] { return v * 2; }, [&] { return 1 - v; });
  };
  EXPECT_EQ(steps_per(of_elements), (std::pair{rows{{6, 2, 1}, {}, {10, 3}}, index_t{2}}));
  // A scalar of a row, for each element: no map from the instances of a branch to rows.
  auto const of_rows = [](auto row, auto v) {
    return if_(
        v > len(row) - 3, [&] { return v - at(row, 0); }, [&] { return 10 / (v + 3) + len(row); });
  };
  EXPECT_EQ(steps_per(of_rows), (std::pair{rows{{0, 8, 6}, {}, {0, 12}}, index_t{2}}));
  // An instance that fails does so if it takes the branch.
  auto const guarded = [](auto, auto v) {
    return if_(
        v != 0, [&] { return 10 / v; }, [&] { return index_t{7}; });
  };
  EXPECT_EQ(steps_per(guarded), (std::pair{rows{{3, -10, 7}, {}, {2, -5}}, index_t{2}}));
  auto const failing = [](auto, auto v) {
    return if_(
        v < 1, [&] { return 10 / v; }, [&] { return v + 0; });
  };
  EXPECT_THROW(steps_per(failing), domain_error);
  // A branch that runs a step, or one inside of another, splits.
  auto const with_step = [](auto row, auto v) {
    return if_(
        v > 0, [&] { return v + 0; }, [&] { return sum(take(row, 1)) * 100 + v; });
  };
  EXPECT_EQ(steps_per(with_step).first, (rows{{3, 299, 300}, {}, {5, 498}}));
  auto const nested_in_branch = [](auto row, auto v) {
    return if_(
        v > 0, [&] { return v + 0; },
        [&] {
          return if_(
              v < len(row) - 3, [&] { return v - len(row); }, [&] { return v * 0; });
        });
  };
  EXPECT_EQ(steps_per(nested_in_branch).first, (rows{{3, -4, 0}, {}, {5, -4}}));
  auto const of_records = [](auto row, auto v) {
    auto const both = if_(
        v > 0, [&] { return tup(v, cast<double>(len(row))); }, [&] { return tup(v - 1, 0.5); });
    return fst(both) * 10 + cast<index_t>(snd(both) * 2);
  };
  EXPECT_EQ(steps_per(of_records).first, (rows{{36, -19, -9}, {}, {54, -29}}));
  // Each branch is called once.
  int calls = 0;
  auto const counted = [&](auto, auto v) {
    return if_(
        v > 0, [&] { return ++calls, v + 0; }, [&] { return ++calls, v * 2; });
  };
  to_host(each(x, [&](auto row) { return each(row, [&](auto v) { return counted(row, v); }); }));
  EXPECT_EQ(calls, 2);
}

TEST(program_cost, memory_of_values_is_counted) {
  reset_stats();
  index_t const before = stats().bytes;
  {
    auto const squares = keep(iota(from(ex, index_t{1000})) * 2);
    EXPECT_GE(stats().bytes, before + 8'000);
  }
  EXPECT_EQ(stats().bytes, before);
  EXPECT_GE(stats().most_bytes, before + 8'000);
}

/// The outer branch is for all instances, so that their context is executed a second time.
TEST(program_cost, a_sequence_moved_to_a_branch_is_opened_once_for_several_operations) {
  auto const rows = from(ex, std::vector<std::vector<int>>{{3, 1, 2}, {}, {5, 4}});
  auto const parts = [](auto a) {
    return if_(
        len(a) > 0,
        [&] {
          auto const first = at(a, 0);
          return append(filter(a, [&](auto x) { return x < first; }),
                        filter(a, [&](auto x) { return x == first; }));
        },
        [&] { return a; });
  };
  auto const program = [&] {
    return each(rows, [&](auto a) {
      return if_(
          len(a) < 9, [&] { return parts(a); }, [&] { return a; });
    });
  };
  EXPECT_EQ(to_host(program()), (std::vector<std::vector<int>>{{1, 2, 3}, {}, {4, 5}}));
  auto const text = explain(program);
  std::string const opened = "context: elements, of slices";
  auto const first = text.find(opened);
  ASSERT_NE(first, std::string::npos) << text;
  EXPECT_EQ(text.find(opened, first + 1), std::string::npos) << text;
}

TEST(program_cost, explained_step_by_step) {
  auto const rows = from(ex, std::vector<std::vector<int>>{{3, 1, 2}, {}, {5, 4}});
  EXPECT_EQ(explain([&] { each(rows, [](auto row) { return sum(row * row); }); }),
            "context: elements                      3\n"
            "  context: elements, by offsets        5\n"
            "  segmented reduce                     8   (int * int)\n");
  EXPECT_EQ(explain([&] { gather(rows, filter(indices(rows), [](auto i) { return i > 0; })); }),
            "pack                                   4   ((index - begin) > constant int)\n"
            "context: elements                      2\n"
            "  map                                  2   fetch_bounds\n");
  auto const second_half = [](auto row) { return drop(row, len(row) / 2); };
  EXPECT_EQ(explain([&] {
              each(rows,
                   [&](auto row) { return sum(each(second_half(row), [](auto x) { return x; })); });
            }),
            "  map                                  3   slice_bounds\n"
            "  offsets                              3   length\n"
            "  context: elements, of slices         3\n"
            "  segmented reduce                     6   int\n");
  auto const pairs = unflatten(from(ex, std::vector{1, 2, 3, 4}), 2);
  EXPECT_EQ(explain([&] { each(pairs, [](auto pair) { return sum(pair); }); }),
            "context: elements                      2\n"
            "  context: elements, of one length     4\n"
            "  segmented reduce                     6   int\n");
}

TEST(program_cost, explained_with_what_each_step_wrote) {
  std::vector<std::vector<int>> const rows{{3, 1}, {}, {2, 4, 5}};
  EXPECT_EQ(explain([&] { each(from(ex, rows), [](auto row) { return sum(row * row); }); },
                    values_shown{}),
            "input\n"
            "  -> 0 2 2 5\n"
            "  -> 3 1 2 4 5\n"
            "context: elements                      3\n"
            "  context: elements, by offsets        5\n"
            "  segmented reduce                     8   (int * int)\n"
            "    -> 10 0 45\n");
  // Numbers of any type, and of a long array the first elements and the last.
  EXPECT_EQ(explain([&] { each(from(ex, std::string("ravel")), [](auto x) { return x + 1; }); },
                    values_shown{4}),
            "input\n"
            "  -> r a v ... l\n"
            "context: elements                      5\n");
  auto const wrote = [&](auto const& program) {
    auto const text = explain([&] { to_host(program()); }, values_shown{4});
    auto const last = text.rfind("-> ");
    return last == std::string::npos ? std::string() : text.substr(last + 3);
  };
  EXPECT_EQ(wrote([&] { return from(ex, std::vector{0.5, -2.0, 1e100}); }), "0.5 -2 1e+100\n");
  EXPECT_EQ(wrote([&] { return from(ex, std::vector{1.5f}); }), "1.5\n");
  EXPECT_EQ(wrote([&] { return from(ex, std::vector<std::int8_t>{-1}); }), "-1\n");
  EXPECT_EQ(wrote([&] { return from(ex, std::vector<std::uint16_t>{65535}); }), "65535\n");
  EXPECT_EQ(wrote([&] { return from(ex, std::vector{~0u}); }), "4294967295\n");
  EXPECT_EQ(wrote([&] { return from(ex, std::vector{~0ull}); }), "18446744073709551615\n");
  EXPECT_EQ(wrote([&] {
              return each(from(ex, std::vector{1, 4, 2}), [](auto x) { return x > 2; });
            }),
            "F T F\n");
  // Distances of arrays in memory are not shown.
  auto const parts = explain(
      [&] {
        each(from(ex, rows), [](auto row) {
          auto const less = filter(row, [](auto x) { return x < 3; });
          auto const more = filter(row, [](auto x) { return x > 3; });
          return each(list(less, more), [](auto part) { return sum(part); });
        });
      },
      values_shown{});
  auto const bounds = parts.rfind("put_bounds\n");
  ASSERT_NE(bounds, std::string::npos) << parts;
  EXPECT_EQ(parts.find("->", bounds), parts.find("->", parts.find('\n', bounds + 11))) << parts;
}

TEST(program_cost, numbers_below_a_length_share_its_offsets) {
  auto const rows = from(ex, std::vector<numbers>{{3, 1, 2, 5}, {}, {1}, {4, 4}});
  auto const add_places = [](auto row) {
    auto const few = filter(row, [](auto x) { return x > 1; });
    return keep(few + dist(index_t{10}, len(few)) * iota(len(few)));
  };
  auto const all = [&] { return each(rows, add_places); };
  auto const first = [&] { return add_places(at(rows, 0)); };
  EXPECT_EQ(to_host(all()), (std::vector<numbers>{{3, 12, 25}, {}, {}, {4, 14}}));
  EXPECT_EQ(to_host(first()), (numbers{3, 12, 25}));
  EXPECT_LE(cost_of(all).steps, 4);  // the pack, numbers of sequences, the map, and to_host

  numbers const values{3, 1, 2, 5, 1, 4, 4}, offsets{0, 4, 4, 5, 7};  // in memory of the caller
  auto const borrowed = from_offsets(ex, values, offsets);
  auto const places = [](auto const& x) {
    return [&] { return each(x, [](auto row) { return keep(iota(len(row))); }); };
  };
  EXPECT_EQ(to_host(places(borrowed)()), to_host(places(rows)()));
  EXPECT_EQ(cost_of(places(borrowed)).steps, cost_of(places(rows)).steps);
}

TEST(program_cost, explained_with_times_bytes_copies_and_waits) {
  auto const rows = from(ex, std::vector<std::vector<int>>{{3, 1, 2}, {}, {5, 4}});
  auto const text = explain(
      [&] {
        auto const tails = keep(filter(rows, [](auto row) { return len(row) > 0; }));
        return to_host(each(tails, [](auto row) { return sum(inclusive_scan(drop(row, 1))); }));
      },
      costs_shown{});
  EXPECT_TRUE(std::regex_search(text, std::regex("pack +4 .* ms, [0-9]+ bytes, 1 wait\n"))) << text;
  EXPECT_TRUE(std::regex_search(text, std::regex("map of elements +3   int .* bytes, copy")))
      << text;
  EXPECT_TRUE(std::regex_search(text, std::regex("segmented reduce +5 .* bytes\n"))) << text;

  reset_stats();
  EXPECT_EQ(stats().waits, 0);
  to_host(sum(from(ex, numbers{1, 2})));
  EXPECT_EQ(stats().waits, 1);
}

TEST(program_cost, explained_by_rounds_and_parts) {
  auto const start = from(ex, numbers{5, 1, 7});
  auto const program = [&] {
    return while_([](auto x) { return sum(x) < 1000; },
                  [](auto x) {
                    part_of_program const now("grow");
                    return keep(x + max(x));
                  },
                  start);
  };
  auto const line = std::to_string(__LINE__ - 5);
  auto const text = explain(program);
  EXPECT_NE(text.find("grow: cost_test.cpp:" + line + "\n"), std::string::npos) << text;
  EXPECT_NE(text.find(" more rounds of "), std::string::npos) << text;
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 20) << text;
}

}  // namespace
}  // namespace ravel::cost_test
