/// Filters by comparisons: mutually exclusive ones are fused into one split on a device, and
/// results equal those of separate packs, for all other uses of the results.

#include "flatten/programs.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace ravel::comparisons_test {
namespace {

using testing::numbers;
using testing::rows;

index_t count_of(std::string const& step, std::string const& text) {
  index_t n = 0;
  for (auto at = text.find(step); at != std::string::npos; at = text.find(step, at + 1)) ++n;
  return n;
}

template <class Ex>
struct comparisons : testing::on_programs<Ex> {
  static constexpr bool splits = !cpu::host_executor<Ex>;

  template <class T>
  static std::vector<std::vector<T>> some_rows() {
    std::vector<std::vector<T>> all;
    unsigned x = 1;
    for (std::size_t length : {0, 3, 1, 700, 0, 33, 64, 2, 5}) {
      auto& row = all.emplace_back();
      while (row.size() < length) row.push_back(static_cast<T>((x = x * 1103515245 + 12345) >> 28));
    }
    return all;
  }
};
TYPED_TEST_SUITE(comparisons, testing::program_executors);

/// Three filters by comparison with a number of the row.
template <class T>
struct three_ways {
  template <class Row, class P>
  auto operator()(Row const& row, P const& p) const {
    auto const less = filter(row, [&](auto x) { return x < p; });
    auto const greater = filter(row, [&](auto x) { return x > p; });
    auto const both = list(less, greater);
    return tup(both, filter(row, [&](auto x) { return x == p; }));
  }
};
template <class T>
auto three_ways_by_loop(std::vector<std::vector<T>> const& all, std::vector<T> const& pivots) {
  std::vector<std::tuple<std::vector<std::vector<T>>, std::vector<T>>> result;
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto& [both, same] = result.emplace_back();
    both.resize(2);
    for (T const x : all[i]) {
      if (x < pivots[i]) both[0].push_back(x);
      if (x > pivots[i]) both[1].push_back(x);
      if (x == pivots[i]) same.push_back(x);
    }
  }
  return result;
}

TYPED_TEST(comparisons, of_one_sequence_are_one_split) {
  auto const check = [&]<class T>(T) {
    auto const all = this->template some_rows<T>();
    std::vector<T> pivots;
    for (auto const& row : all) pivots.push_back(row.empty() ? T(0) : row[row.size() / 2]);
    auto const a = this->of(all);
    auto const p = this->of(pivots);
    auto const program = [&] { return each(a, p, three_ways<T>{}); };
    EXPECT_EQ(to_host(program()), three_ways_by_loop(all, pivots));
    auto const said = explain(program);
    EXPECT_EQ(count_of("split   ", said), this->splits ? 1 : 0) << said;
    EXPECT_EQ(count_of("pack   ", said), this->splits ? 0 : 3) << said;

    // The same for slices, which are read in place.
    auto const dropped = [&] { return each(drop(a, 1), drop(p, 1), three_ways<T>{}); };
    EXPECT_EQ(to_host(dropped()),
              three_ways_by_loop(std::vector<std::vector<T>>(all.begin() + 1, all.end()),
                                 std::vector<T>(pivots.begin() + 1, pivots.end())));
    // Steps for the rows and for the pivots; for numbers as large as an index also for their map.
    auto const steps = explain(dropped);
    if (this->splits && sizeof(T) < sizeof(index_t)) {
      EXPECT_EQ(count_of("map of elements", steps), 2) << steps;
      EXPECT_EQ(count_of("each element", steps), 0) << steps;
    }
  };
  check(int{});
  check(index_t{});
  check(double{});
}

TYPED_TEST(comparisons, with_the_same_for_all_are_one_split) {
  auto const all = this->template some_rows<int>();
  auto const a = this->of(all);
  auto const five = this->of(5);
  auto const by_constant = each(a, [](auto row) {
    return list(filter(row, [](auto x) { return x >= 5; }),
                filter(row, [](auto x) { return x < 5; }));
  });
  auto const by_number = each(a, [&](auto row) {
    return list(filter(row, [&](auto x) { return x >= five; }),
                filter(row, [&](auto x) { return x < five; }));
  });
  EXPECT_EQ(to_host(by_constant), to_host(by_number));
  std::vector<std::vector<std::vector<int>>> wanted;
  for (auto const& row : all) {
    auto& both = wanted.emplace_back(2);
    for (int const x : row) both[x < 5].push_back(x);
  }
  EXPECT_EQ(to_host(by_constant), wanted);
}

TYPED_TEST(comparisons, that_a_reduction_reads_are_part_of_it) {
  auto const a = this->of(rows{{3, 1, 2, 5}, {}, {4, 4, 1}});
  auto const p = this->of(numbers{2, 0, 3});
  auto const sums = [&] {
    return each(a, p, [](auto row, auto pivot) {
      return tup(sum(filter(row, [&](auto x) { return x < pivot; })),
                 sum(filter(row, [&](auto x) { return x > pivot; })));
    });
  };
  EXPECT_EQ(this->show(sums()), "[(1,8),(0,0),(1,8)]");
  auto const said = explain(sums);
  EXPECT_EQ(count_of("pack   ", said) + count_of("split   ", said), 0) << said;
  EXPECT_EQ(count_of("segmented reduce   ", said), 2) << said;
  auto const also_kept = [&] {
    return each(a, p, [](auto row, auto pivot) {
      auto const less = filter(row, [&](auto x) { return x < pivot; });
      auto more = filter(row, [&](auto x) { return x > pivot; });
      auto const same = more;
      auto const total = sum(std::move(more));
      return tup(total, less, same);
    });
  };
  EXPECT_EQ(this->show(also_kept()), "[(8,[1],[3,5]),(0,[],[]),(8,[1],[4,4])]");
}

TYPED_TEST(comparisons, that_overlap_or_are_alone_are_packs) {
  auto const a = this->of(rows{{3, 1, 2, 5}, {}, {4, 4, 1}});
  auto const overlapping = [&] {
    return each(a, [](auto row) {
      return list(filter(row, [](auto x) { return x <= 3; }),
                  filter(row, [](auto x) { return x < 4; }),
                  filter(row, [](auto x) { return x != 3; }));
    });
  };
  EXPECT_EQ(this->show(overlapping()), "[[[3,1,2],[3,1,2],[1,2,5]],[[],[],[]],[[1],[1],[4,4,1]]]");
  auto const alone = [&] {
    return each(a, [](auto row) { return filter(row, [](auto x) { return x > 2; }); });
  };
  EXPECT_EQ(this->show(alone()), "[[3,5],[],[4,4]]");
  EXPECT_EQ(count_of("pack   ", explain(alone)), 1);
}

TYPED_TEST(comparisons, with_nan_are_true_for_no_order) {
  double const nan = std::numeric_limits<double>::quiet_NaN();
  auto const a = this->of(std::vector<std::vector<double>>{{1, nan, 3, 2}, {nan}, {2, 2}});
  auto const lengths = each(a, [](auto row) {
    auto const less = filter(row, [](auto x) { return x < 2.0; });
    auto const greater = filter(row, [](auto x) { return x > 2.0; });
    auto const both = list(len(less), len(greater));
    return append(both, list(len(filter(row, [](auto x) { return x == 2.0; })),
                             len(filter(row, [](auto x) { return x != 2.0; }))));
  });
  EXPECT_EQ(this->show(lengths), "[[1,1,1,3],[0,0,0,1],[0,0,2,0]]");
}

TYPED_TEST(comparisons, may_be_read_by_any_step_between) {
  auto const a = this->of(rows{{3, 1, 2, 5}, {}, {4, 4, 1}});
  auto const sums = each(a, [](auto row) {
    auto const pivot = max_or(row, 0);
    auto const less = filter(row, [&](auto x) { return x < pivot; });
    auto const sum_of_less = keep(sum(less));
    auto const same = filter(row, [&](auto x) { return x == pivot; });
    return tup(sum_of_less, sum(same), sum(row * pivot));
  });
  EXPECT_EQ(this->show(sums), "[(6,5,55),(0,0,0),(1,8,36)]");
}

TYPED_TEST(comparisons, at_the_root) {
  auto const a = this->of(numbers{3, 1, 4, 1, 5, 9, 2, 6});
  auto const less = filter(a, [](auto x) { return x < 4; });
  auto const greater = filter(a, [](auto x) { return x > 4; });
  EXPECT_EQ(to_host(greater), (numbers{5, 9, 6}));
  EXPECT_EQ(to_host(less), (numbers{3, 1, 1, 2}));
  EXPECT_EQ(to_host(filter(a, [](auto x) { return x == 4; })), (numbers{4}));
}

TYPED_TEST(comparisons, keep_their_results_for_every_owner) {
  auto const kept = [&] {
    auto const a = this->of(rows{{3, 1, 2, 5}, {4}});
    return each(a, [](auto row) { return filter(row, [](auto x) { return x > 2; }); });
  }();
  EXPECT_EQ(to_host(kept), (rows{{3, 5}, {4}}));
}

#ifndef __CUDACC__
/// The pivots are temporaries, copied for each element by the first filter.
TEST(comparisons_by_steps, keep_their_pivots_until_the_split) {
  software_blocks<64> const ex;
  float const nan = std::numeric_limits<float>::quiet_NaN();
  std::size_t const n = 100;
  std::vector<std::vector<float>> host(n, {3, nan, 1, 2, 5});
  host[0].pop_back();
  auto const program = [](auto const& row, auto const& p) {
    auto const sum_of_less = keep(sum(filter(row, [&](auto x) { return x < p; })));
    auto const at_most = filter(row, [&](auto x) { return x <= p; });
    return tup(sum_of_less, at_most, filter(row, [&](auto x) { return x > p; }));
  };
  auto const results = each(from(ex, host), from(ex, std::vector<float>(n, 3)), program);
  std::vector<decltype(from(ex, std::vector<float>()))> reuse;
  while (reuse.size() < 8) reuse.push_back(from(ex, std::vector<float>(n, 4)));

  std::size_t row = 0;
  for (auto const& [sum_of_less, at_most, greater] : to_host(results)) {
    EXPECT_EQ(sum_of_less, 3);
    EXPECT_EQ(at_most, (std::vector<float>{3, 1, 2}));
    EXPECT_EQ(greater, row++ == 0 ? std::vector<float>{} : std::vector<float>{5});
  }
}

TEST(comparisons_by_steps, store_no_offsets_of_unordered_elements) {
  index_t of_parts[4] = {-1, -1, -1, -1};
  struct {
    flattening::put_offsets_of_parts put;
    index_t* next;
  } const of{{&of_parts[0], &of_parts[1], &of_parts[2]}, &of_parts[3]};
  for (int d = 0; d < 4; ++d) of.put(d, 0, 10 * d);
  EXPECT_EQ(numbers(of_parts, of_parts + 4), (numbers{0, 10, 20, -1}));
}
#endif

}  // namespace
}  // namespace ravel::comparisons_test
