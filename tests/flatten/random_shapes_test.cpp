/// Nested programs against plain loops, over sequences of random shapes: many are
/// empty, a few are long.

#include "flatten/programs.hpp"
#include "nested/quicksort.hpp"
#include "support/device_forms.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <type_traits>

namespace ravel::random_shapes_test {
namespace {

using testing::numbers;
using testing::rows;

template <class Ex>
struct random_shapes : testing::on_programs<Ex> {
  std::mt19937 random{20'261'121};

  static constexpr int shapes = std::is_same_v<Ex, cpu::threads> ? 10'000 : 100;

  index_t below(index_t n) { return std::uniform_int_distribution<index_t>(0, n - 1)(random); }

  /// Mostly short, often 0, and one in a hundred long enough for several tiles.
  index_t some_length() {
    index_t const dice = below(300);
    if (dice == 0) return below(6'000);
    return dice < 100 ? 0 : below(6);
  }
  numbers some_numbers() {
    numbers result(static_cast<std::size_t>(some_length()));
    for (index_t& x : result) x = below(9) - 4;
    return result;
  }
  /// Up to six rows, of at most `longest` numbers; sometimes all of one length.
  rows some_rows(std::size_t longest = 6'000) {
    rows result(static_cast<std::size_t>(below(7)));
    for (numbers& row : result) {
      row = some_numbers();
      row.resize(std::min(row.size(), longest));
    }
    if (!result.empty() && below(4) == 0) {
      for (numbers& row : result) row.resize(result.front().size());
    }
    return result;
  }

  /// f of each row, by a loop.
  template <class F>
  static auto of_each(rows const& a, F f) {
    std::vector<decltype(f(numbers{}))> result;
    for (numbers const& row : a) result.push_back(f(row));
    return result;
  }
};
TYPED_TEST_SUITE(random_shapes, testing::program_executors_and_device);

/// The number of steps of Collatz's sequence from x to 1, at most 30.
index_t steps_of(index_t x) {
  index_t steps = 0;
  for (; x > 1 && steps < 30; ++steps) x = x % 2 == 0 ? x / 2 : 3 * x + 1;
  return steps;
}

TYPED_TEST(random_shapes, are_reduced_scanned_and_sorted_as_loops_do) {
  for (int k = 0; k < this->shapes; ++k) {
    rows const a = this->some_rows();
    auto const x = this->of(a);
    ASSERT_EQ(to_host(x), a);
    ASSERT_EQ(to_host(each(x, [](auto v) { return sum(v * v) - len(v); })),
              this->of_each(a, [](numbers const& row) {
                index_t sum = 0;
                for (index_t v : row) sum += v * v - 1;
                return sum;
              }));
    ASSERT_EQ(to_host(each(x, [](auto v) { return inclusive_scan(v, maximum{}); })),
              this->of_each(a, [](numbers row) {
                for (std::size_t i = 1; i < row.size(); ++i) row[i] = std::max(row[i], row[i - 1]);
                return row;
              }));
    ASSERT_EQ(to_host(each(x, [](auto v) { return sort(v); })), this->of_each(a, [](numbers row) {
      std::sort(row.begin(), row.end());
      return row;
    }));
    numbers all;
    for (numbers const& row : a) all.insert(all.end(), row.begin(), row.end());
    ASSERT_EQ(to_host(flatten(x)), all);
    ASSERT_EQ(to_host(unflatten(flatten(x), each(x, [](auto v) { return len(v); }))), a);
  }
}

TYPED_TEST(random_shapes, are_filtered_put_together_and_indexed_as_loops_do) {
  for (int k = 0; k < this->shapes; ++k) {
    rows const a = this->some_rows();
    auto const x = this->of(a);
    ASSERT_EQ(to_host(each(x, [](auto v) { return filter(v, [](auto e) { return e > 0; }); })),
              this->of_each(a, [](numbers row) {
                std::erase_if(row, [](index_t e) { return e <= 0; });
                return row;
              }));
    ASSERT_EQ(to_host(each(x, [](auto v) { return append(reverse(v), v); })),
              this->of_each(a, [](numbers const& row) {
                numbers result(row.rbegin(), row.rend());
                result.insert(result.end(), row.begin(), row.end());
                return result;
              }));
    ASSERT_EQ(to_host(each(x,
                           [](auto v) {
                             auto const inside =
                                 each(v, [&](auto e) { return e >= 0 && e < len(v); });
                             return gather(v, pack(v, inside));
                           })),
              this->of_each(a, [](numbers const& row) {
                numbers result;
                for (index_t e : row) {
                  if (e >= 0 && e < std::ssize(row))
                    result.push_back(row[static_cast<std::size_t>(e)]);
                }
                return result;
              }));
    ASSERT_EQ(to_host(each(x, [](auto v) { return histogram(v + 4, 9); })),
              this->of_each(a, [](numbers const& row) {
                numbers counts(9);
                for (index_t e : row) ++counts[static_cast<std::size_t>(e + 4)];
                return counts;
              }));
  }
}

TYPED_TEST(random_shapes, are_as_deep_as_loops_are) {
  for (int k = 0; k < this->shapes / 4; ++k) {
    std::vector<rows> a(static_cast<std::size_t>(this->below(5)));
    for (rows& table : a) table = this->some_rows(50);
    if (!a.empty() && this->below(4) == 0) std::fill(a.begin(), a.end(), a.front());
    auto const x = this->of(a);
    ASSERT_EQ(to_host(x), a);

    std::vector<numbers> sums, joined;
    std::vector<rows> less;
    rows all;
    for (rows const& table : a) {
      auto& sums_here = sums.emplace_back();
      auto& joined_here = joined.emplace_back();
      auto& less_here = less.emplace_back();
      for (numbers const& row : table) {
        index_t const sum = std::accumulate(row.begin(), row.end(), index_t{0});
        sums_here.push_back(sum * std::ssize(table));
        joined_here.insert(joined_here.end(), row.begin(), row.end());
        auto& rest = less_here.emplace_back();
        for (index_t v : row) {
          if (v * std::ssize(row) < sum) rest.push_back(v - sum);
        }
        all.push_back(row);
      }
    }
    ASSERT_EQ(to_host(each(x,
                           [](auto table) {
                             return each(table, [&](auto row) { return sum(row) * len(table); });
                           })),
              sums);
    ASSERT_EQ(to_host(each(x, [](auto table) { return flatten(table); })), joined);
    ASSERT_EQ(to_host(flatten(x)), all);
    ASSERT_EQ(to_host(each(x,
                           [](auto table) {
                             return each(table, [](auto row) {
                               auto const all = sum(row);
                               return filter(row, [&](auto v) { return v * len(row) < all; }) - all;
                             });
                           })),
              less);
  }
}

TYPED_TEST(random_shapes, are_grouped_by_key_as_a_map_does) {
  using groups = std::vector<std::tuple<index_t, numbers>>;
  for (int k = 0; k < this->shapes / 4; ++k) {
    rows const a = this->some_rows();
    auto const x = this->of(a);
    ASSERT_EQ(to_host(each(x, [](auto v) { return collect(v, indices(v)); })),
              this->of_each(a, [](numbers const& row) {
                std::map<index_t, numbers> by_key;
                for (std::size_t i = 0; i < row.size(); ++i) {
                  by_key[row[i]].push_back(static_cast<index_t>(i));
                }
                return groups(by_key.begin(), by_key.end());
              }));
  }
}

TYPED_TEST(random_shapes, branch_and_loop_as_loops_do) {
  for (int k = 0; k < this->shapes / 4; ++k) {
    rows const a = this->some_rows(200);  // some rows are copied for each element
    auto const x = this->of(a);
    ASSERT_EQ(to_host(each(x,
                           [](auto v) {
                             return if_(
                                 sum(v) > 0, [&] { return v; },
                                 [&] { return each(v, [&](auto e) { return e + max(v); }); });
                           })),
              this->of_each(a, [](numbers row) {
                index_t sum = 0, most = bounds<index_t>::lowest();
                for (index_t e : row) {
                  sum += e;
                  most = std::max(most, e);
                }
                if (sum <= 0) {
                  for (index_t& e : row) e += most;
                }
                return row;
              }));
    ASSERT_EQ(to_host(each(x,
                           [](auto v) {
                             return each(v, [](auto e) {
                               return get<1>(while_(
                                   [](auto n, auto steps) { return n > 1 && steps < 30; },
                                   [](auto n, auto steps) {
                                     return tup(select(n % 2 == 0, n / 2, 3 * n + 1), steps + 1);
                                   },
                                   tup(e * e, e * 0)));
                             });
                           })),
              this->of_each(a, [](numbers row) {
                for (index_t& e : row) e = steps_of(e * e);
                return row;
              }));
    ASSERT_EQ(to_host(each(x,
                           [](auto v) {
                             return each(v, [&](auto e) {
                               return switch_((e + 4) % 3, [&] { return iota(e); },
                                              [&] { return take(v, 1); },
                                              [&] { return append(v, list(e)); });
                             });
                           })),
              this->of_each(a, [](numbers const& row) {
                rows result;
                for (index_t e : row) {
                  numbers one;
                  if ((e + 4) % 3 == 0) {
                    for (index_t i = 0; i < e; ++i) one.push_back(i);
                  } else if ((e + 4) % 3 == 1) {
                    one = {row.front()};
                  } else {
                    one = row;
                    one.push_back(e);
                  }
                  result.push_back(one);
                }
                return result;
              }));
    if (k % 10 == 0) {
      ASSERT_EQ(to_host(each(x, examples::quicksort<index_t, 2>)),
                this->of_each(a, [](numbers row) {
                  std::sort(row.begin(), row.end());
                  return row;
                }));
    }
  }
}

}  // namespace
}  // namespace ravel::random_shapes_test
