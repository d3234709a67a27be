#include <ravel/distributed/gather_plan.hpp>
#include <ravel/distributed/nested.hpp>
#include <ravel/distributed/spmv.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include "distributed/ranks.hpp"
#include "nested/quicksort.hpp"

namespace ravel::testing::nested_ranks_test {
namespace {

using ints = std::vector<int>;
using rows = std::vector<ints>;

/// Rows of 0 to 9 numbers, and one of a thousand.
rows some_rows(int n) {
  rows all;
  for (int i = 0; i < n; ++i) {
    ints row(static_cast<std::size_t>(i == n / 3 ? 1000 : i * 7 % 10));
    for (std::size_t k = 0; k < row.size(); ++k) row[k] = static_cast<int>((k * 37 + i) % 101) - 50;
    all.push_back(row);
  }
  return all;
}

/// What gather_to gives on its rank, on all.
template <class Ex, class X>
auto everything(Ex const& ex, X const& x) {
  auto all = gather_to(ex, x, 0);
  for (int r = 1; r < ex.ranks().size(); ++r) {
    auto const there = gather_to(ex, x, r);
    if (ex.ranks().rank() == r) all = there;
  }
  return all;
}

TEST(DistributedNested, InstancesAreDistributedByTheirWork) {
  distributed::run_ranks(2, [](auto const& ranks) {
    on_ranks const ex(cpu::sequential(), ranks);
    rows all{{3, 1, 2}, {}, {5, 4}, {1}};
    auto const x = from(ex, all);
    EXPECT_EQ(std::vector<index_t>(x.begins().begin(), x.begins().end()),
              (std::vector<index_t>{0, 2, 4}));
    EXPECT_EQ(to_host(x.local()), ranks.rank() == 0 ? (rows{{3, 1, 2}, {}}) : (rows{{5, 4}, {1}}));
    EXPECT_EQ(everything(ex, x), all);
  });
}

TEST(DistributedNested, EachRunsTheProgramOfOneMachine) {
  auto const program = [](auto const& x) {
    return each(x, [](auto row) { return zip(examples::quicksort<int, 4>(row), row * row); });
  };
  for (int const n : {0, 1, 2, 90}) {
    auto const all = some_rows(n);
    auto const expected = to_host(program(from(cpu::sequential(), all)));
    on_groups([&](auto const& ex) {
      auto const x = from(ex, all);
      auto const before = ex.ranks().sent();
      auto const y = program(x);
      EXPECT_EQ(ex.ranks().sent(), before);
      EXPECT_EQ(everything(ex, y), expected);
      EXPECT_TRUE(std::ranges::equal(y.begins(), x.begins()));
    });
  }
}

TEST(DistributedNested, BalanceSendsEachInstanceToThePartOfItsWork) {
  std::vector<std::vector<std::tuple<std::string, double>>> all(40);
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t k = 0; k < i % 5; ++k) all[i].emplace_back(std::string(i % 4 * k, 'a'), i + k);
  }
  on_groups([&](auto const& ex) {
    index_t const p = ex.ranks().size();
    index_t total = 0, most = 0;
    for (auto const& x : all) {
      index_t const work = distributed::detail::work_of(x);
      total += work;
      most = std::max(most, work);
    }
    for (auto const& begins : placements(40, ex.ranks().size())) {
      auto const r = ex.ranks().rank();
      auto const x =
          from_pieces(ex, std::vector(all.begin() + begins[r], all.begin() + begins[r + 1]));
      EXPECT_TRUE(std::ranges::equal(x.begins(), begins));
      auto const before = ex.ranks().sent();
      auto const y = balance(ex, x);
      // For each row 3 lengths, and for each of its tuples a number and letters of a byte.
      index_t bytes = 0;
      for (auto const& row : to_host(x.local())) {
        bytes += 8;
        for (auto const& [letters, number] : row) bytes += 8 + 8 + std::ssize(letters);
      }
      EXPECT_LE(static_cast<index_t>(ex.ranks().sent() - before),
                bytes + 8 * (p + 8) * 8 * (p - 1));
      EXPECT_EQ(everything(ex, y), all);
      EXPECT_EQ(to_host(replicate(y)), all);
      index_t mine = 0;
      for (auto const& z : to_host(y.local())) mine += distributed::detail::work_of(z);
      EXPECT_LE(mine, total / p + 1 + most);
      EXPECT_TRUE(std::ranges::equal(from(ex, all).begins(), y.begins()));
    }
  });
}

TEST(DistributedNested, RowsByLengthsAndOffsets) {
  for (auto const& all : {some_rows(30), rows{}, rows{{}, {}}, rows(7, ints(4, 2))}) {
    ints values, lengths;
    std::vector<std::int64_t> offsets{0};
    for (auto const& row : all) {
      values.insert(values.end(), row.begin(), row.end());
      lengths.push_back(static_cast<int>(row.size()));
      offsets.push_back(std::ssize(values));
    }
    on_groups([&](auto const& ex) {
      int const p = ex.ranks().size();
      auto const shapes = placements(std::ssize(values), p);
      auto const shapes_of_rows = placements(std::ssize(lengths), p);
      auto const shapes_of_offsets = placements(std::ssize(offsets), p);
      for (std::size_t s = 0; s < shapes.size(); ++s) {
        auto const x = placed(ex, values, shapes[s]);
        auto const by_length = from_lengths(ex, x, placed(ex, lengths, shapes_of_rows[s]));
        EXPECT_EQ(everything(ex, by_length), all);
        EXPECT_TRUE(std::ranges::equal(by_length.begins(), from(ex, all).begins()));
        EXPECT_EQ(everything(ex, from_offsets(ex, x, placed(ex, offsets, shapes_of_offsets[s]))),
                  all);
      }
    });
  }
}

TEST(DistributedNested, ReductionsAreOverAllRanks) {
  auto const all = some_rows(50);
  index_t longest = 0;
  int sum_of_all = 0, positive = 0;
  for (auto const& row : all) {
    longest = std::max<index_t>(longest, std::ssize(row));
    sum_of_all += std::accumulate(row.begin(), row.end(), 0);
    positive += std::accumulate(row.begin(), row.end(), 0) > 0;
  }
  on_groups([&](auto const& ex) {
    auto const x = from(ex, all);
    auto const sums = each(x, [](auto row) { return sum(row); });
    index_t const others = ex.ranks().size() - 1;
    auto const sends = [&](index_t bytes, auto const& call) {
      auto const before = ex.ranks().sent();
      call();
      EXPECT_EQ(static_cast<index_t>(ex.ranks().sent() - before), bytes * others);
    };
    sends(sizeof(int), [&] { EXPECT_EQ(to_host(sum(sums)), sum_of_all); });
    sends(8, [&] { flatten(x); });
    sends(8, [&] { filter(x, [](auto row) { return sum(row) > 0; }); });
    sends(0, [&] { zip(x, sums); });
    sends(0, [&] { elements(sums); });
    EXPECT_EQ(to_host(max(each(x, [](auto row) { return len(row); }))), longest);
    EXPECT_EQ(to_host(min(each(x, [](auto row) { return len(row); }))), 0);
    EXPECT_EQ(to_host(sum(flatten(x))), sum_of_all);
    EXPECT_EQ(to_host(any(each(sums, [](auto s) { return s > 1000000; }))), false);
    EXPECT_EQ(len(filter(x, [](auto row) { return sum(row) > 0; })), positive);
    // A result over all ranks is a value of other programs.
    auto const total = sum(sums);
    EXPECT_EQ(to_host(sum(each(sums, [&](auto s) { return s + total; }))), 51 * sum_of_all);
    // As a distributed sequence it is an operand of other calls.
    auto const y = elements(sums);
    EXPECT_EQ(to_host(sum(borrow(ex, y))), sum_of_all);
  });
}

struct matrix {
  std::vector<index_t> offsets{0};
  std::vector<int> columns;
  std::vector<double> values, x, y;
};
matrix some_matrix(int n) {
  matrix a;
  for (int r = 0; r < n; ++r) {
    a.x.push_back(r % 7 - 3);
    for (int k = 0; k < r % 6; ++k) {
      a.columns.push_back((r * 5 + k * 11) % n);
      a.values.push_back(k + 1);
    }
    a.offsets.push_back(std::ssize(a.columns));
  }
  for (int r = 0; r < n; ++r) {
    double sum = 0;
    for (index_t k = a.offsets[r]; k < a.offsets[r + 1]; ++k) {
      sum += a.values[k] * a.x[a.columns[k]];
    }
    a.y.push_back(sum);
  }
  return a;
}

TEST(DistributedNested, SparseProductOfReplicatedAndOfFetchedElements) {
  auto const a = some_matrix(60);
  on_groups([&](auto const& ex) {
    auto const columns =
        from_offsets(ex, distributed::from(ex, a.columns), distributed::from(ex, a.offsets));
    auto const values =
        from_offsets(ex, distributed::from(ex, a.values), distributed::from(ex, a.offsets));
    auto const x = distributed::from(ex, a.x);
    auto const product = [](auto const& cs, auto const& vs, auto const& vector) {
      return each(cs, vs, [&](auto row, auto factors) {
        return sum(each(row, factors, [&](auto c, auto v) { return v * at(vector, c); }));
      });
    };
    auto const everywhere_x = replicate(ex, x);
    EXPECT_EQ(everything(ex, product(columns, values, everywhere_x)), a.y);

    // Of x each rank fetches what its rows read.
    auto const& local = ex.local();
    auto const mine = ravel::elements(ravel::flatten(columns.local()));
    distributed::gather_plan const plan(ex, x.begins(), mine);
    auto const near = local.template allocate<double>(plan.size());
    auto const before = ex.ranks().sent();
    plan.fetch(x, near);
    EXPECT_LE(ex.ranks().sent() - before, 8 * x.size() * (ex.ranks().size() - 1));
    auto const numbers =
        from_pieces(ex, ravel::from_offsets(local, plan.numbers(), row_offsets(columns.local())));
    EXPECT_EQ(everything(ex, product(numbers, values, ravel::borrow(local, near))), a.y);

    // Or after its own, in one memory.
    auto in_place = plan.template allocate<double>();
    std::ranges::copy(x, in_place.begin());
    auto const both = plan.fetch(in_place);
    EXPECT_EQ(both.data(), in_place.data());
    EXPECT_TRUE(std::ranges::equal(both, near));
    EXPECT_EQ(everything(ex, product(numbers, values, ravel::borrow(local, both))), a.y);
  });
}

TEST(DistributedNested, FailuresAndMisuseAreASentenceOnAllRanks) {
  auto const on_two = [](auto const& f) {
    return error_of([&] {
      distributed::run_ranks(2, [&](auto const& ranks) { f(on_ranks(cpu::sequential(), ranks)); });
    });
  };
  EXPECT_EQ(on_two([](auto const& ex) {
              auto const x = from(ex, rows{{1, 2}, {3}});
              gather_to(ex, each(x, [](auto row) { return at(row, 1); }), 0);
            }),
            "rank 1: gather_to: at: index 1 is not in [0, 1), at instance 0");
  EXPECT_EQ(on_two([](auto const& ex) {
              auto const x = from(ex, rows{{1, 2}, {3}});
              each(x, [&](auto row) { return sum(row) + sum(flatten(x)); });
            }).substr(6),
            ": each: flatten: a distributed value within a lambda, whose instances are on other "
            "ranks: give each rank all of it before, by replicate");
  EXPECT_EQ(
      on_two([](auto const& ex) {
        from_lengths(ex, distributed::from(ex, ints{1, 2, 3}), distributed::from(ex, ints{2, 2}));
      }).substr(6),
      ": from_lengths: the lengths add up to 4, and there are 3 values");
  EXPECT_EQ(
      on_two([](auto const& ex) {
        from_lengths(ex, distributed::from(ex, ints{1, 2, 3}), distributed::from(ex, ints{4, -1}));
      }),
      "rank 1: from_lengths: a length is -1");
}

}  // namespace
}  // namespace ravel::testing::nested_ranks_test
