/// Sorts, and what is made of them, of rows of any mix of lengths, beside plain loops.

#include "flatten/programs.hpp"
#include "support/device_forms.hpp"

#include <ravel/algorithms/cuda/segmented_sort.cuh>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

namespace ravel::sorts_test {
namespace {

using testing::numbers;
using testing::rows;

template <class Ex>
struct sorts : testing::on_programs<Ex> {
  std::mt19937 random{1};

  /// Rows of these lengths, of numbers below `most`.
  template <class T = index_t>
  std::vector<std::vector<T>> rows_of(std::vector<int> const& lengths, unsigned most) {
    std::vector<std::vector<T>> all;
    for (int const length : lengths) {
      auto& row = all.emplace_back(length);
      for (T& x : row) x = static_cast<T>(random() % most) - static_cast<T>(most / 3);
    }
    return all;
  }
  /// Shapes of one row, of none, of one length, and of a long row among short ones.
  std::vector<std::vector<int>> const shapes{
      {}, {0}, {1}, {300}, {0, 0}, {4, 4, 4, 4, 4}, {0, 3, 1, 0, 3'000, 2, 0, 33, 1, 64, 0}};

  template <class T>
  static numbers order_of(std::vector<T> const& row) {
    numbers order(row.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](index_t i, index_t j) {
      return row[static_cast<std::size_t>(i)] < row[static_cast<std::size_t>(j)];
    });
    return order;
  }
  /// f of each row, by a loop.
  template <class T, class F>
  static auto of_each(std::vector<std::vector<T>> const& a, F f) {
    std::vector<decltype(f(a.front()))> result;
    for (auto const& row : a) result.push_back(f(row));
    return result;
  }
  template <class T>
  static std::vector<T> sorted(std::vector<T> row) {
    std::sort(row.begin(), row.end());
    return row;
  }
  template <class T>
  static std::vector<T> distinct(std::vector<T> row) {
    row = sorted(std::move(row));
    row.erase(std::unique(row.begin(), row.end()), row.end());
    return row;
  }
};
TYPED_TEST_SUITE(sorts, testing::program_executors_and_device);

/// What a device in software sorts by the same forms.
template <class Ex>
struct other_sorts : sorts<Ex> {};
TYPED_TEST_SUITE(other_sorts, testing::program_executors_and_device_if_thorough);

TYPED_TEST(sorts, order_the_elements_of_each_row) {
  for (auto const& shape : this->shapes) {
    auto const a = this->rows_of(shape, 1000);
    auto const x = this->of(a);
    EXPECT_EQ(to_host(each(x, [](auto row) { return sort(row); })),
              this->of_each(a, this->template sorted<index_t>));
    EXPECT_EQ(to_host(each(x, [](auto row) { return sort_order(row); })),
              this->of_each(a, this->template order_of<index_t>));
    EXPECT_EQ(to_host(each(x, [](auto row) { return sort(-row); })),
              this->of_each(a, [&](numbers row) {
                for (index_t& v : row) v = -v;
                return this->sorted(row);
              }));
  }
  auto const one = this->rows_of({5'000}, 100).front();
  EXPECT_EQ(to_host(sort(this->of(one))), this->sorted(one));
  EXPECT_EQ(to_host(sort_order(this->of(one))), this->order_of(one));
}

TYPED_TEST(sorts, select_the_least_of_each_row) {
  auto const least_of = [this](index_t k, auto const& key) {
    return [this, k, key](numbers row) {
      numbers keys;
      for (index_t const v : row) keys.push_back(key(v));
      auto order = this->order_of(keys);
      order.resize(std::min<std::size_t>(order.size(), static_cast<std::size_t>(k)));
      return order;
    };
  };
  for (auto const& shape : this->shapes) {
    auto const a = this->rows_of(shape, 20);  // with many equal elements
    auto const x = this->of(a);
    for (index_t const k : {0, 7, 40, 10'000}) {
      auto const least = [&](auto row) { return top_k_order(row, min(len(row), k)); };
      EXPECT_EQ(to_host(each(x, least)), this->of_each(a, least_of(k, std::identity{}))) << k;
    }
    auto const with_nan = [](auto row) { return sqrt(cast<double>(row % 10 - 3)); };
    auto const least = [&](auto row) { return top_k_order(with_nan(row), min(len(row), 9)); };
    auto const first = [&](auto row) { return take(sort_order(with_nan(row)), min(len(row), 9)); };
    EXPECT_EQ(to_host(each(x, least)), to_host(each(x, first)));
  }
  auto const one = this->rows_of({5'000}, 100).front();
  EXPECT_EQ(to_host(top_k_order(-this->of(one), 9)), least_of(9, std::negate{})(one));
  EXPECT_THROW(to_host(top_k_order(this->of(one), 5'001)), index_error);
  auto const many = this->rows_of({100'000}, 1'000).front();
  for (index_t const k : {index_t{0}, index_t{1}, index_t{16}, index_t{70}, index_t{60'000}}) {
    EXPECT_EQ(to_host(top_k_order(this->of(many), k)), least_of(k, std::identity{})(many));
    EXPECT_EQ(to_host(top_k_order(-drop(this->of(many), 1), k)),
              least_of(k, std::negate{})(numbers(many.begin() + 1, many.end())));
  }
}

/// Rows that are slices of one sequence, and rows that several instances share.
TYPED_TEST(sorts, of_slices) {
  auto const a = this->rows_of({50}, 100).front();
  numbers const first{3, 0, 40, 3, 50};
  auto const x = this->of(a);
  rows wanted;
  for (index_t const i : first) {
    wanted.push_back(
        this->sorted(numbers(a.begin() + i, a.begin() + std::min<index_t>(i + 20, 50))));
  }
  EXPECT_EQ(
      to_host(each(this->of(first),
                   [&](auto i) { return sort(slice(x, i, select(i > 30, len(x), i + 20))); })),
      wanted);
}

TYPED_TEST(other_sorts, keep_all_elements_if_some_are_no_numbers) {
  double const nan = std::numeric_limits<double>::quiet_NaN();
  auto const x =
      this->of(std::vector<std::vector<double>>{{nan, 2, -nan, -1}, {}, {0.0, -0.0, nan}});
  EXPECT_EQ(to_host(each(x, [](auto row) { return sort_order(row); })),
            (rows{{3, 1, 0, 2}, {}, {0, 1, 2}}));
  auto const seen = to_host(each(x, [](auto row) { return sort(row); }));
  EXPECT_EQ(seen[0][0], -1);
  EXPECT_EQ(seen[0][1], 2);
  EXPECT_TRUE(std::isnan(seen[0][2]) && std::isnan(seen[0][3]));
  EXPECT_FALSE(std::signbit(seen[2][0]));
  EXPECT_TRUE(std::signbit(seen[2][1]));
  // A value that equals none is distinct from all.
  EXPECT_EQ(to_host(each(x, [](auto row) { return len(unique(row)); })), (numbers{4, 0, 2}));
  EXPECT_EQ(to_host(each(x, [](auto row) { return len(union_(row, row)); })), (numbers{6, 0, 3}));
  EXPECT_EQ(to_host(each(x, [](auto row) { return len(intersect(row, row)); })),
            (numbers{2, 0, 1}));
}

TYPED_TEST(sorts, of_records_are_lexicographic) {
  for (auto const& shape : this->shapes) {
    auto const a = this->rows_of(shape, 5), b = this->rows_of(shape, 3);
    std::vector<std::vector<std::pair<index_t, index_t>>> both;
    for (std::size_t s = 0; s < a.size(); ++s) {
      both.emplace_back();
      for (std::size_t i = 0; i < a[s].size(); ++i) both.back().push_back({a[s][i], b[s][i]});
    }
    auto const x = this->of(a), y = this->of(b);
    EXPECT_EQ(to_host(each(x, y, [](auto v, auto w) { return sort_order(zip(v, w)); })),
              this->of_each(both, [&](auto const& row) { return this->order_of(row); }));
    EXPECT_EQ(to_host(each(x, y,
                           [](auto v, auto w) {
                             return each(sort(zip(v, w)),
                                         [](auto const& one) { return fst(one) * 10 + snd(one); });
                           })),
              this->of_each(both, [&](auto row) {
                numbers result;
                for (auto const& [v, w] : this->sorted(row)) result.push_back(v * 10 + w);
                return result;
              }));
  }
}

TYPED_TEST(other_sorts, make_sets) {
  for (auto const& shape : this->shapes) {
    for (unsigned const most : {4u, 10'000u}) {
      auto const a = this->template rows_of<std::int32_t>(shape, most);
      auto b = a;
      for (auto& row : b) {
        for (auto& v : row) v = this->random() % 2 ? v : v + 1;
        row.resize(row.size() / (this->random() % 3 + 1));
      }
      auto const check = [&](auto const& a, auto const& b) {
        auto const x = this->of(a), y = this->of(b);
        std::vector<std::vector<std::int32_t>> common, all, one_of;
        for (std::size_t s = 0; s < a.size(); ++s) {
          auto const v = this->distinct(a[s]), w = this->distinct(b[s]);
          one_of.push_back(v);
          std::set_intersection(v.begin(), v.end(), w.begin(), w.end(),
                                std::back_inserter(common.emplace_back()));
          std::set_union(v.begin(), v.end(), w.begin(), w.end(),
                         std::back_inserter(all.emplace_back()));
        }
        EXPECT_EQ(to_host(each(x, [](auto v) { return unique(v); })), one_of);
        EXPECT_EQ(to_host(each(x, y, [](auto v, auto w) { return intersect(v, w); })), common);
        EXPECT_EQ(to_host(each(x, y, [](auto v, auto w) { return intersect(w, v); })), common);
        EXPECT_EQ(to_host(each(x, y, [](auto v, auto w) { return union_(v, w); })), all);
        EXPECT_EQ(to_host(each(x, y, [](auto v, auto w) { return merge(sort(v), sort(w)); })),
                  to_host(each(x, y, [](auto v, auto w) { return sort(append(v, w)); })));
      };
      check(a, b);
      check(this->of_each(a, this->template distinct<std::int32_t>), b);
      check(this->of_each(a, this->template distinct<std::int32_t>),
            this->of_each(b, this->template distinct<std::int32_t>));
    }
  }
}

/// The triangles of a graph: rows in order, each used by many instances.
TYPED_TEST(other_sorts, count_triangles) {
  rows graph(60);
  for (auto& row : graph) {
    for (index_t v = 0; v < 60; ++v) {
      if (this->random() % 5 == 0) row.push_back(v);
    }
  }
  index_t wanted = 0;
  std::vector<std::pair<index_t, index_t>> edges;
  numbers from, to;
  for (index_t u = 0; u < 60; ++u) {
    for (index_t const v : graph[static_cast<std::size_t>(u)]) {
      from.push_back(u);
      to.push_back(v);
      numbers common;
      auto const &a = graph[static_cast<std::size_t>(u)], &b = graph[static_cast<std::size_t>(v)];
      std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
      wanted += std::ssize(common);
    }
  }
  auto const g = this->of(graph);
  EXPECT_EQ(to_host(sum(each(this->of(from), this->of(to),
                             [&](auto u, auto v) { return len(intersect(at(g, u), at(g, v))); }))),
            wanted);
}

TYPED_TEST(other_sorts, group_values_by_keys) {
  for (auto const& shape : this->shapes) {
    auto const k = this->rows_of(shape, 7), v = this->rows_of(shape, 1000);
    std::vector<std::vector<std::tuple<index_t, numbers>>> wanted;
    for (std::size_t s = 0; s < k.size(); ++s) {
      auto& groups = wanted.emplace_back();
      for (index_t const key : this->distinct(k[s])) {
        auto& values = std::get<1>(groups.emplace_back(key, numbers{}));
        for (std::size_t i = 0; i < k[s].size(); ++i) {
          if (k[s][i] == key) values.push_back(v[s][i]);
        }
      }
    }
    EXPECT_EQ(to_host(each(this->of(k), this->of(v),
                           [](auto keys, auto values) { return collect(keys, values); })),
              wanted);
  }
}

}  // namespace
}  // namespace ravel::sorts_test
