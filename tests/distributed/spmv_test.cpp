#include <ravel/algorithms/transpose.hpp>
#include <ravel/distributed/gather.hpp>
#include <ravel/distributed/spmv.hpp>
#include <ravel/distributed/transpose.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "distributed/keys.hpp"
#include "distributed/ranks.hpp"

namespace ravel::testing::spmv_test {
namespace {

using host_csr = csr<std::vector<index_t>, std::vector<int>, std::vector<double>>;

/// How many distinct values of `at` are outside of [first, first + size).
template <class At>
index_t distinct_remote(At const& at, index_t first, index_t size) {
  std::set<index_t> remote;
  for (index_t const i : at) {
    if (i < first || i >= first + size) remote.insert(i);
  }
  return std::ssize(remote);
}

TEST(DistributedGather, TakesElementsByGlobalIndex) {
  distributed::run_ranks(2, [](auto const& ranks) {
    on_ranks const ex(cpu::sequential(), ranks);
    auto const in = distributed::from(ex, std::vector{'a', 'b', 'c', 'd'});
    auto const at = placed(ex, std::vector{3, 0, 0, 2, 1}, {0, 2, 5});
    distributed::sequence<char, on_ranks> out(ex, at);
    ravel::gather(ex, in, at, out);
    EXPECT_EQ(everywhere(ex, out), (std::vector{'d', 'a', 'a', 'c', 'b'}));
  });
}

TEST(DistributedGather, SendsEachDistinctRemoteElementOnce) {
  for (index_t const n : {1, 40, 3000, 100'000}) {  // in the last, indices are sorted
    auto const all = random_keys(n, 1 << 30);
    auto const at = random_keys(2000, static_cast<std::uint32_t>(n), 2);
    std::vector<std::uint32_t> expected;
    for (auto const i : at) expected.push_back(all[i]);
    on_groups([&](auto const& ex) {
      index_t const p = ex.ranks().size();
      for (auto const& shape : placements(n, ex.ranks().size())) {
        for (auto const& shape_of_at : placements(2000, ex.ranks().size())) {
          auto const x = placed(ex, all, shape);
          auto const where = placed(ex, at, shape_of_at);
          distributed::sequence<std::uint32_t, on_ranks> y(ex, where);
          auto const before = ex.ranks().sent();
          ravel::gather(ex, x, where, y);
          auto const sent = distributed::gather_values(ex.ranks(), ex.ranks().sent() - before);
          auto const wanted = distributed::gather_values(
              ex.ranks(), distinct_remote(where.local(), x.first(), x.size()));
          index_t sum = 0, bound = 8 * p * p * (p - 1);
          for (index_t r = 0; r < p; ++r) {
            sum += static_cast<index_t>(sent[r]);
            bound += (4 + 4) * wanted[r];
          }
          EXPECT_EQ(sum, bound);
          EXPECT_EQ(everywhere(ex, y), expected);
        }
      }
    });
  }
}

/// Where each rank reads most of the others' elements, all of these cross without an index; of few distinct
/// indices, however often they occur, none of the others.
TEST(DistributedGather, OfMostElementsSendsAllOnce) {
  index_t const n = 40'001, m = index_t{1} << 17;
  auto const all = random_keys(n, 1 << 30);
  auto const most = random_keys(m, n, 2);
  std::vector<std::uint32_t> few;
  for (auto const i : most) few.push_back(i / 400 * 400);
  on_groups([&](auto const& ex) {
    int const p = ex.ranks().size();
    auto const shapes = placements(n, p);
    for (bool const reads_most : {true, false}) {
      auto const where = from(ex, reads_most ? most : few);
      for (auto const& shape : shapes) {
        auto const x = placed(ex, all, shape);
        distributed::sequence<double, on_ranks> y(ex, where);
        auto const before = ex.ranks().sent();
        ravel::gather(ex, x, where, y);
        auto const sent = static_cast<index_t>(ex.ranks().sent() - before);
        if (reads_most && p <= 3 && shape == shapes.front()) {
          EXPECT_EQ(sent, (4 * x.size() + 1) * (p - 1));  // and whether most are read
        }
        if (!reads_most) {
          index_t const distinct = distinct_remote(where.local(), x.first(), x.size());
          EXPECT_LE(sent, 4 * distinct + 4 * (p - 1) * (n / 400 + 1) + (8 * p + 4) * (p - 1));
        }
        for (index_t i = 0; i < y.size(); ++i) ASSERT_EQ(y.data()[i], all[where.data()[i]]);
      }
    }
  });
  EXPECT_EQ(error_of([&] {
              distributed::run_ranks(2, [&](auto const& ranks) {
                on_ranks const ex(cpu::sequential(), ranks);
                auto const x = from(ex, all);
                auto wrong = most;
                wrong[m - 7] = static_cast<std::uint32_t>(n);
                auto const at = from(ex, wrong);
                distributed::sequence<std::uint32_t, on_ranks> y(ex, at);
                ravel::gather(ex, x, at, y);
              });
            }),
            "rank 1: gather: index 40001 is outside [0, 40001)");
}

TEST(DistributedGather, AnIndexOutsideIsASentence) {
  for (int const n : {4, 1000}) {
    for (int const wrong : {-1, n}) {
      auto const said = error_of([&] {
        distributed::run_ranks(2, [&](auto const& ranks) {
          on_ranks const ex(cpu::sequential(), ranks);
          auto const in = distributed::from(ex, std::vector<int>(n));
          auto const at = distributed::from(ex, std::vector{3, 0, wrong, 1});
          distributed::sequence<int, on_ranks> out(ex, at);
          ravel::gather(ex, in, at, out);
        });
      });
      EXPECT_EQ(said, "rank 1: gather: index " + std::to_string(wrong) + " is outside [0, " +
                          std::to_string(n) + ")");
    }
  }
}

TEST(DistributedGather, OfRanksWithSeveralThreads) {
  auto const all = random_keys(5000, 1 << 30), at = random_keys(20'000, 5000, 2);
  distributed::run_ranks(2, [&](auto const& ranks) {
    distributed::executor const ex(cpu::threads(2).with_grain(64), ranks);
    auto const x = from(ex, all);
    auto const where = from(ex, at);
    distributed::sequence<std::uint32_t, std::remove_const_t<decltype(ex)>> y(ex, where);
    ravel::gather(ex, x, where, y);
    for (index_t i = 0; i < y.size(); ++i) ASSERT_EQ(y.data()[i], all[where.data()[i]]);
  });
}

TEST(DistributedScatter, WritesElementsByGlobalIndex) {
  distributed::run_ranks(2, [](auto const& ranks) {
    on_ranks const ex(cpu::sequential(), ranks);
    auto const in = distributed::from(ex, std::vector{'a', 'b', 'c'});
    auto const at = distributed::from(ex, std::vector{4, 0, 1});
    auto out = distributed::from(ex, std::vector{'-', '-', '-', '-', '-'});
    ravel::scatter(ex, in, at, out);
    EXPECT_EQ(everywhere(ex, out), (std::vector{'b', 'c', '-', '-', 'a'}));
  });
}

TEST(DistributedScatter, AnyPiecesAndIndicesOutside) {
  index_t const n = 1500;
  std::vector<std::int64_t> at(n);
  for (index_t i = 0; i < n; ++i) at[i] = i % 10 == 3 ? i - 2 * n : i % 10 == 7 ? 2 * n + i : i;
  std::ranges::shuffle(at, std::mt19937(5));
  auto const values = random_keys(n, 1 << 30);
  std::vector<std::uint32_t> expected(n + 20, 1);
  for (index_t i = 0; i < n; ++i) {
    if (at[i] >= 0 && at[i] < n) expected[at[i]] = values[i];
  }
  on_groups([&](auto const& ex) {
    index_t const p = ex.ranks().size();
    for (auto const& shape : placements(n, ex.ranks().size())) {
      for (auto const& shape_out : placements(n + 20, ex.ranks().size())) {
        auto const x = placed(ex, values, shape);
        auto const where = placed(ex, at, shape);
        auto y = placed(ex, std::vector<std::uint32_t>(n + 20, 1), shape_out);
        auto const before = ex.ranks().sent();
        ravel::scatter(ex, x, where, y);
        EXPECT_LE(ex.ranks().sent() - before, (8 + 4) * x.size() + 8 * p * (p - 1));
        EXPECT_EQ(everywhere(ex, y), expected);
      }
    }
  });
}

/// The rows [first, first + count) of a matrix.
host_csr rows_of_matrix(host_csr const& a, index_t first, index_t count) {
  host_csr block{count, a.cols, {}, {}, {}};
  index_t const begin = a.offsets[first], end = a.offsets[first + count];
  for (index_t r = first; r <= first + count; ++r) block.offsets.push_back(a.offsets[r] - begin);
  block.columns.assign(a.columns.begin() + begin, a.columns.begin() + end);
  block.values.assign(a.values.begin() + begin, a.values.begin() + end);
  return block;
}

/// Rows of 0 to 9 entries in random columns; integers, so that sums are exact in any order.
host_csr random_matrix(index_t rows, index_t cols) {
  std::mt19937 random(7);
  host_csr a{rows, cols, {0}, {}, {}};
  for (index_t r = 0; r < rows; ++r) {
    for (auto k = cols > 0 ? random() % 10 : 0; k > 0; --k) {
      a.columns.push_back(static_cast<int>(random() % static_cast<unsigned>(cols)));
      a.values.push_back(static_cast<double>(random() % 9) - 4);
    }
    a.offsets.push_back(std::ssize(a.columns));
  }
  return a;
}

host_csr tridiagonal(index_t n) {
  host_csr a{n, n, {0}, {}, {}};
  for (index_t r = 0; r < n; ++r) {
    for (index_t c = std::max<index_t>(r - 1, 0); c < std::min(r + 2, n); ++c) {
      a.columns.push_back(static_cast<int>(c));
      a.values.push_back(r == c ? 2 : -1);
    }
    a.offsets.push_back(std::ssize(a.columns));
  }
  return a;
}

TEST(DistributedSpmv, Example) {
  distributed::run_ranks(2, [](auto const& ranks) {
    on_ranks const ex(cpu::sequential(), ranks);
    host_csr const a{4, 4, {0, 2, 4, 5, 6}, {0, 2, 1, 3, 0, 2}, {1, 2, 3, 4, 5, 6}};
    distributed::csr const mine(ex, rows_of_matrix(a, 2 * ranks.rank(), 2));
    spmv_plan const plan(ex, mine);
    auto const x = distributed::from(ex, std::vector<double>{1, 2, 3, 4});
    auto y = ex.template allocate<double>(4);
    ravel::spmv(ex, plan, x, y);
    EXPECT_EQ(everywhere(ex, y), (std::vector<double>{7, 22, 5, 18}));
  });
}

TEST(DistributedSpmv, SendsDistinctRemoteColumnsOnce) {
  for (auto const& a : {random_matrix(300, 200), random_matrix(50, 3000), random_matrix(40, 0),
                        random_matrix(0, 50), tridiagonal(1000)}) {
    std::vector<double> all_x(a.cols), all_y(a.rows), twice(a.rows);
    for (index_t i = 0; i < a.cols; ++i) all_x[i] = static_cast<double>(i % 13);
    ravel::spmv(cpu::sequential(), a, all_x, all_y);
    for (index_t i = 0; i < a.rows; ++i) twice[i] = 2 * all_y[i] + 3 * all_y[i];
    on_groups([&](auto const& ex) {
      auto const shapes = placements(a.rows, ex.ranks().size());
      auto const shapes_of_x = placements(a.cols, ex.ranks().size());
      for (std::size_t s = 0; s < shapes.size(); ++s) {
        index_t const first = shapes[s][ex.ranks().rank()];
        index_t const count = shapes[s][ex.ranks().rank() + 1] - first;
        auto const x = placed(ex, all_x, shapes_of_x[s]);
        distributed::csr const mine(ex, rows_of_matrix(a, first, count), x.begins());
        spmv_plan const plan(ex, mine);
        distributed::sequence<double, on_ranks> y(ex, mine.rows);
        auto const before = ex.ranks().sent();
        ravel::spmv(ex, plan, x, y);
        auto const sent = distributed::gather_values(ex.ranks(), ex.ranks().sent() - before);
        auto const wanted = distributed::gather_values(
            ex.ranks(), distinct_remote(mine.block.columns, x.first(), x.size()));
        index_t sum = 0, bound = 0;
        for (int r = 0; r < ex.ranks().size(); ++r) {
          sum += static_cast<index_t>(sent[r]);
          bound += 8 * wanted[r];
        }
        EXPECT_EQ(sum, bound);
        EXPECT_EQ(everywhere(ex, y), all_y);
        ravel::spmv(ex, 2, plan, x, 3, y);
        EXPECT_EQ(everywhere(ex, y), twice);
      }
    });
  }
}

TEST(DistributedSpmm, SendsTheRowsOfDistinctRemoteColumnsOnce) {
  for (auto const& a : {random_matrix(60, 50), random_matrix(40, 0), tridiagonal(100)}) {
    for (index_t const k : {0, 1, 3}) {
      std::vector<double> all_x(static_cast<std::size_t>(a.cols * k));
      std::vector<double> all_y(static_cast<std::size_t>(a.rows * k));
      for (std::size_t i = 0; i < all_x.size(); ++i) all_x[i] = static_cast<double>(i % 13);
      ravel::spmm(cpu::sequential(), a, k, all_x, all_y);
      auto const rows_of_k = [k](std::vector<index_t> begins) {
        for (index_t& b : begins) b *= k;
        return begins;
      };
      on_groups([&](auto const& ex) {
        int const rank = ex.ranks().rank();
        auto const shapes = placements(a.rows, ex.ranks().size());
        auto const shapes_of_x = placements(a.cols, ex.ranks().size());
        for (std::size_t s = 0; s < shapes.size(); ++s) {
          index_t const first = shapes[s][rank], count = shapes[s][rank + 1] - first;
          auto const x = placed(ex, all_x, rows_of_k(shapes_of_x[s]));
          distributed::csr const mine(ex, rows_of_matrix(a, first, count), shapes_of_x[s]);
          spmv_plan const plan(ex, mine);
          distributed::sequence<double, on_ranks> y(ex, rows_of_k(shapes[s]));
          auto const before = ex.ranks().sent();
          ravel::spmm(ex, plan, k, x, y);
          auto const sent = distributed::gather_values(ex.ranks(), ex.ranks().sent() - before);
          auto const wanted = distributed::gather_values(
              ex.ranks(), distinct_remote(mine.block.columns, shapes_of_x[s][rank],
                                          shapes_of_x[s][rank + 1] - shapes_of_x[s][rank]));
          EXPECT_EQ(std::accumulate(sent.begin(), sent.end(), index_t{}),
                    8 * k * std::accumulate(wanted.begin(), wanted.end(), index_t{}));
          EXPECT_EQ(everywhere(ex, y), all_y);
        }
      });
    }
  }
}

TEST(DistributedSpmm, RowsThatAreCutAreASentence) {
  auto const said = error_of([] {
    distributed::run_ranks(2, [](auto const& ranks) {
      on_ranks const ex(cpu::sequential(), ranks);
      distributed::csr const mine(ex, rows_of_matrix(tridiagonal(4), 2 * ranks.rank(), 2));
      spmv_plan const plan(ex, mine);
      auto const x = placed(ex, std::vector<double>(8), {0, 3, 8});
      auto y = ex.template allocate<double>(8);
      ravel::spmm(ex, plan, 2, x, y);
    });
  });
  EXPECT_EQ(said.substr(6), ": spmm: x is not in the pieces that the matrix has for its columns");
}

TEST(DistributedSpmv, PiecesThatDoNotFitAreASentence) {
  auto const said = error_of([] {
    distributed::run_ranks(2, [](auto const& ranks) {
      on_ranks const ex(cpu::sequential(), ranks);
      distributed::csr const mine(ex, rows_of_matrix(tridiagonal(4), 2 * ranks.rank(), 2));
      spmv_plan const plan(ex, mine);
      auto const x = placed(ex, std::vector<double>(4), {0, 1, 4});
      auto y = ex.template allocate<double>(4);
      ravel::spmv(ex, plan, x, y);
    });
  });
  EXPECT_EQ(said.substr(6), ": spmv: x is not in the pieces that the matrix has for its columns");
}

TEST(DistributedTranspose, ColumnsBecomeRowsOnTheirRanks) {
  distributed::run_ranks(2, [](auto const& ranks) {
    on_ranks const ex(cpu::sequential(), ranks);
    host_csr const a{3, 3, {0, 2, 2, 3}, {0, 2, 1}, {1, 2, 3}};
    bool const is_first = ranks.rank() == 0;
    auto const t =
        transpose(ex, distributed::csr(ex, rows_of_matrix(a, is_first ? 0 : 2, is_first ? 2 : 1)));
    EXPECT_EQ(to_host(ex.local(), t.block.offsets),
              (is_first ? std::vector<index_t>{0, 1, 2} : std::vector<index_t>{0, 1}));
    EXPECT_EQ(to_host(ex.local(), t.block.columns),
              (is_first ? std::vector{0, 2} : std::vector{0}));
    EXPECT_EQ(to_host(ex.local(), t.block.values),
              (is_first ? std::vector<double>{1, 3} : std::vector<double>{2}));
  });
}

TEST(DistributedTranspose, IsThatOfOneMachineInAnyPieces) {
  for (host_csr const& a : {random_matrix(60, 25), random_matrix(25, 60), random_matrix(0, 5)}) {
    auto const expected = transpose(cpu::sequential(), a);
    on_groups([&](auto const& ex) {
      int const p = ex.ranks().size(), rank = ex.ranks().rank();
      auto const shapes = placements(a.rows, p), shapes_of_columns = placements(a.cols, p);
      for (std::size_t s = 0; s < shapes.size(); ++s) {
        auto const& columns = shapes_of_columns[shapes.size() - 1 - s];
        index_t const first = shapes[s][rank];
        distributed::csr const mine(ex, rows_of_matrix(a, first, shapes[s][rank + 1] - first),
                                    columns);
        auto const before = ex.ranks().sent();
        auto const t = transpose(ex, mine);
        EXPECT_LE(ex.ranks().sent() - before, 16 * mine.block.nnz() + 16 * p * p);
        EXPECT_EQ(t.rows, columns);
        EXPECT_EQ(t.columns, shapes[s]);
        index_t const begin = columns[rank], end = columns[rank + 1];
        auto const offsets = to_host(ex.local(), t.block.offsets);
        ASSERT_EQ(std::ssize(offsets), end - begin + 1);
        for (index_t r = begin; r <= end; ++r) {
          EXPECT_EQ(offsets[r - begin], expected.offsets[r] - expected.offsets[begin]);
        }
        for (index_t k = 0; k < t.block.nnz(); ++k) {
          EXPECT_EQ(t.block.columns[k], expected.columns[expected.offsets[begin] + k]);
          EXPECT_EQ(t.block.values[k], expected.values[expected.offsets[begin] + k]);
        }
      }
    });
  }
}

TEST(DistributedTranspose, ColumnsOutsideAreASentence) {
  EXPECT_EQ(error_of([] {
              distributed::run_ranks(2, [](auto const& ranks) {
                on_ranks const ex(cpu::sequential(), ranks);
                host_csr const a{1, 3, {0, 1}, {ranks.rank() == 0 ? 2 : 3}, {1}};
                transpose(ex, distributed::csr(ex, a));
              });
            }),
            "rank 1: transpose: a column is outside [0, 3)");
}

}  // namespace
}  // namespace ravel::testing::spmv_test
