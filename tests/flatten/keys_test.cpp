/// Words, other sequences and records as keys, beside the order of the standard library.

#include "flatten/programs.hpp"
#include "support/device_forms.hpp"

#include <ravel/algorithms/cuda/comparison_sort.cuh>
#include <ravel/algorithms/cuda/radix_sort.cuh>
#include <ravel/algorithms/cuda/segmented_sort.cuh>

#include <boost/hana/adapt_struct.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

/// A key of a user: a name, and a number.
struct person {
  std::string name;
  int year;
  friend bool operator<(person const& a, person const& b) {
    return std::tie(a.name, a.year) < std::tie(b.name, b.year);
  }
};
BOOST_HANA_ADAPT_STRUCT(person, name, year);

namespace ravel::keys_test {
namespace {

using testing::numbers;
using words = std::vector<std::string>;

template <class Ex>
struct keys : testing::on_programs<Ex> {
  std::mt19937 random{1};
  index_t below(index_t n) { return static_cast<index_t>(random() % static_cast<unsigned>(n)); }

  std::string word(index_t most) {
    std::string letters;
    for (index_t k = below(most); k > 0; --k) letters += static_cast<char>("ab\xe9\0"[below(4)]);
    return letters;
  }
  /// Few and many rows, of none and of equal keys.
  template <class Make>
  auto rows_of(Make make) {
    std::vector<std::vector<decltype(make())>> all;
    for (index_t const length : {0, 1, 60, 0, 7, 2}) {
      auto& row = all.emplace_back();
      for (index_t k = 0; k < length; ++k) row.push_back(make());
    }
    return all;
  }
  template <class K>
  static std::vector<K> distinct(std::vector<K> row) {
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    return row;
  }
  /// What is made of the order of keys, for rows of them, and for one sequence of them.
  template <class K>
  void expect_ordered(std::vector<std::vector<K>> const& all) const {
    auto const seen = to_host(each(this->of(all), [](auto row) {
      return tup(sort_order(row), sort(row), unique(row), dense_rank(row),
                 collect(row, indices(row)));
    }));
    for (std::size_t s = 0; s < all.size(); ++s) {
      auto const& row = all[s];
      numbers order(row.size()), ranks;
      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(), order.end(), [&](index_t i, index_t j) {
        return row[static_cast<std::size_t>(i)] < row[static_cast<std::size_t>(j)];
      });
      auto const once = distinct(row);
      std::vector<std::tuple<K, numbers>> groups;
      for (K const& key : once) groups.push_back({key, {}});
      for (std::size_t i = 0; i < row.size(); ++i) {
        auto const place = std::lower_bound(once.begin(), once.end(), row[i]) - once.begin();
        ranks.push_back(place);
        std::get<1>(groups[static_cast<std::size_t>(place)]).push_back(static_cast<index_t>(i));
      }
      auto sorted = row;
      std::sort(sorted.begin(), sorted.end());
      EXPECT_EQ(seen[s], std::tuple(order, sorted, once, ranks, groups)) << s;
      if (row.size() > 10) {
        EXPECT_EQ(to_host(sort_order(this->of(row))), order);
      }
    }
  }
};
TYPED_TEST_SUITE(keys, testing::program_executors_and_device_if_thorough);

TYPED_TEST(keys, are_words) {
  auto const x = this->of(words{"fox", "dog", "", "fox", "do"});
  EXPECT_EQ(to_host(sort_order(x)), (numbers{2, 4, 1, 0, 3}));
  EXPECT_EQ(to_host(sort(x)), (words{"", "do", "dog", "fox", "fox"}));
  EXPECT_EQ(to_host(unique(x)), (words{"", "do", "dog", "fox"}));
  EXPECT_EQ(to_host(rank(x)), (numbers{3, 2, 0, 4, 1}));
  EXPECT_EQ(to_host(dense_rank(x)), (numbers{3, 2, 0, 3, 1}));
  EXPECT_EQ(to_host(run_lengths(sort(x))), (numbers{1, 1, 1, 2}));
  EXPECT_EQ(this->show(collect(x, this->of(numbers{1, 2, 3, 4, 5}))),
            "[(\"\",[3]),(\"do\",[5]),(\"dog\",[2]),(\"fox\",[1,4])]");
  auto const y = this->of(words{"ox", "fox", "ox"});
  EXPECT_EQ(to_host(union_(x, y)), (words{"", "do", "dog", "fox", "ox"}));
  EXPECT_EQ(to_host(intersect(x, y)), (words{"fox"}));
  EXPECT_EQ(to_host(merge(sort(x), sort(y))),
            (words{"", "do", "dog", "fox", "fox", "fox", "ox", "ox"}));
  EXPECT_EQ(to_host(each(y, [&](auto word) { return lower_bound(sort(x), word); })),
            (numbers{5, 3, 5}));
  EXPECT_EQ(to_host(each(y, [&](auto word) { return upper_bound(sort(x), word); })),
            (numbers{5, 5, 5}));
}

TYPED_TEST(keys, are_words_of_any_bytes) {
  this->expect_ordered(this->rows_of([&] { return this->word(6); }));
  this->expect_ordered(this->rows_of([&] { return "a long beginning of " + this->word(30); }));
}

TYPED_TEST(keys, are_sequences) {
  auto const x = this->of(std::vector<std::vector<int>>{{3, 1}, {}, {-2}, {3}});
  EXPECT_EQ(to_host(sort_order(x)), (numbers{1, 2, 3, 0}));
  this->expect_ordered(this->rows_of([&] {
    numbers key;
    for (index_t k = this->below(4); k > 0; --k) key.push_back(this->below(3) - 1);
    return key;
  }));
}

TYPED_TEST(keys, are_sequences_of_numbers_of_any_type) {
  auto const of_type = [&]<class T>(std::vector<T> const& values) {
    this->expect_ordered(this->rows_of([&] {
      std::vector<T> key;
      for (index_t k = this->below(4); k > 0; --k) {
        key.push_back(values[static_cast<std::size_t>(this->below(std::ssize(values)))]);
      }
      return key;
    }));
  };
  of_type(std::vector<double>{-1e300, -1, 0, 1e-9, 256});
#ifndef RAVEL_TEST_BRIEFLY
  of_type(std::vector<std::int8_t>{-128, -1, 0, 1, 127});
#endif
}

TYPED_TEST(keys, are_sequences_of_words_and_of_records) {
  this->expect_ordered(this->rows_of([&] { return words{this->word(3), this->word(3)}; }));
#ifndef RAVEL_TEST_BRIEFLY
  this->expect_ordered(this->rows_of([&] {
    return std::vector<std::tuple<int, double>>{{static_cast<int>(this->below(2)), this->below(2)},
                                                {0, this->below(3)}};
  }));
#endif
}

TYPED_TEST(keys, are_records) {
  auto const people =
      this->of(std::vector<person>{{"Bo", 1990}, {"Al", 2000}, {"Bo", 1980}, {"Al", 2000}});
  EXPECT_EQ(to_host(sort_order(people)), (numbers{1, 3, 2, 0}));
  EXPECT_EQ(to_host(dense_rank(people)), (numbers{2, 0, 1, 0}));
  EXPECT_EQ(to_host(get<1>(unique(people))), (std::vector<int>{2000, 1980, 1990}));
  EXPECT_EQ(to_host(snd(collect(people, indices(people)))),
            (std::vector<numbers>{{1, 3}, {2}, {0}}));
  EXPECT_EQ(
      to_host(each(people,
                   [&](auto const& one) {
                     return count(each(people, [&](auto const& p) { return precedes(p, one); }));
                   })),
      (numbers{3, 0, 2, 0}));
}

TYPED_TEST(keys, are_tuples) {
  this->expect_ordered(this->rows_of(
      [&] { return std::tuple(this->word(3), static_cast<char>('a' + this->below(3))); }));
#ifndef RAVEL_TEST_BRIEFLY
  this->expect_ordered(
      this->rows_of([&] { return std::tuple(static_cast<int>(this->below(3)), this->word(3)); }));
  this->expect_ordered(this->rows_of([&] { return std::tuple(this->below(3), this->below(2)); }));
#endif
}

/// Words that several instances share, or that are parts of others.
TYPED_TEST(keys, are_captured_and_sliced) {
  words const all{"banana", "ananas", "an", "bandana"};
  auto const x = this->of(all);
  auto const ends = each(x, [](auto word) { return drop(word, 1); });
  EXPECT_EQ(to_host(sort(ends)), (words{"anana", "andana", "n", "nanas"}));
  EXPECT_EQ(to_host(each(indices(x), [&](auto i) { return at(sort(take(x, i + 1)), 0); })),
            (words{"banana", "ananas", "an", "an"}));
  EXPECT_EQ(to_host(each(indices(x), [&](auto i) { return sort(drop(ends, i)); }))[1],
            (words{"andana", "n", "nanas"}));
}

TYPED_TEST(keys, compare) {
  auto const all = this->rows_of([&] { return std::tuple(this->word(3), this->word(2)); })[2];
  auto const x = this->of(all);
  auto const seen = to_host(each(x, [&](auto const& a) {
    return each(x, [&](auto const& b) {
      return tup(precedes(a, b), equals(a, b), precedes(fst(a), fst(b)), equals(fst(a), fst(b)));
    });
  }));
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t k = 0; k < all.size(); ++k) {
      auto const &a = all[i], &b = all[k];
      EXPECT_EQ(seen[i][k], std::tuple(a < b, a == b, std::get<0>(a) < std::get<0>(b),
                                       std::get<0>(a) == std::get<0>(b)));
    }
  }
}

/// Of many instances the host compares by loops, of few by steps over elements.
TYPED_TEST(keys, compare_numbers_alike_of_few_and_of_many) {
  double const none = std::numeric_limits<double>::quiet_NaN();
  using row = std::vector<double>;
  for (auto const& [a, b, is_equal, is_before] :
       {std::tuple(row{1, 2}, row{1, 2}, true, false), std::tuple(row{1}, row{1, 2}, false, true),
        std::tuple(row{1, 2}, row{1}, false, false), std::tuple(row{}, row{}, true, false),
        std::tuple(row{0.0}, row{-0.0}, true, false),
        std::tuple(row{none}, row{none}, false, false),
        std::tuple(row{1, none}, row{1, 3}, false, false),
        std::tuple(row{3}, row{4, 1}, false, true)}) {
    for (std::size_t const many : {1, 100}) {
      auto const seen = to_host(
          each(this->of(std::vector(many, a)), this->of(std::vector(many, b)), [](auto x, auto y) {
            return tup(equals(x, y), precedes(x, y), equals(x, y * 1.0),
                       precedes(drop(x, len(x)), y));
          }));
      EXPECT_EQ(seen, std::vector(many, std::tuple(is_equal, is_before, is_equal, !b.empty())));
    }
  }
}

TYPED_TEST(keys, are_none) {
  auto const x = this->of(std::vector<words>{{}, {}});
  EXPECT_EQ(this->show(each(x,
                            [](auto row) {
                              return tup(sort_order(row), unique(row), dense_rank(row),
                                         collect(row, row));
                            })),
            "[([],[],[],[]),([],[],[],[])]");
  EXPECT_EQ(to_host(sort_order(this->of(words{}))), numbers{});
  // Not a number equals itself within a key, and is the greatest.
  double const nan = std::numeric_limits<double>::quiet_NaN();
  auto const y = this->of(std::vector<std::vector<double>>{{nan}, {1}, {nan}, {nan, 1}});
  EXPECT_EQ(to_host(dense_rank(y)), (numbers{1, 0, 1, 2}));
}

}  // namespace
}  // namespace ravel::keys_test
