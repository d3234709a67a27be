/// The rest of a device's recursions and loops, finished on the host once it is small.

#include "flatten/programs.hpp"
#include "nested/games_and_words.hpp"
#include "nested/quicksort.hpp"
#include "nested/serial/games_and_words.hpp"
#include "support/device_forms.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <tuple>
#include <vector>

namespace ravel::finish_test {
namespace {

using testing::numbers;
using testing::rows;

struct finish : testing::on_executor<gpu::executor> {
  /// A device whose programs are finished on the host below a size.
  static gpu::executor finishing_below(index_t size) {
    gpu::executor ex;
    auto sizes = ex.tuned();
    sizes.nested = size;
    ex.tune(sizes);
    return ex;
  }
  /// Expects the same result from a program finished on the host never, entirely, and partly;
  /// in the latter two the host runs steps.
  template <class F>
  static auto expect_same(F const& program) {
    reset_stats();
    auto const wanted = to_host(program(finishing_below(1)));
    EXPECT_EQ(stats().steps_on_host, 0);
    index_t const steps = stats().steps;
    for (index_t const size : {index_t{50}, index_t{1} << 40}) {
      SCOPED_TRACE(size);
      reset_stats();
      EXPECT_EQ(to_host(program(finishing_below(size))), wanted);
      EXPECT_GT(stats().steps_on_host, 0);
      EXPECT_LE(stats().steps_on_host, stats().steps);
      EXPECT_GT(stats().steps, steps / 2);
    }
    return wanted;
  }
};

rows some_rows() {
  std::mt19937 random{20'261'122};
  rows all;
  for (std::size_t const length : {0, 300, 1, 0, 17, 90}) {
    auto& row = all.emplace_back(length);
    for (index_t& x : row) x = static_cast<index_t>(random() % 50);
  }
  return all;
}

/// Not commutative: the first number that is not negative.
struct first {
  using value_type = index_t;
  RAVEL_HD index_t identity() const { return -1; }
  RAVEL_HD index_t operator()(index_t a, index_t b) const { return a < 0 ? b : a; }
};

TEST_F(finish, sorts_what_is_left) {
  rows const a = some_rows();
  auto sorted = a;
  for (auto& row : sorted) std::sort(row.begin(), row.end());
  EXPECT_EQ(expect_same(
                [&](auto const& ex) { return each(from(ex, a), examples::quicksort<index_t, 2>); }),
            sorted);
  EXPECT_EQ(to_host(each(from(finishing_below(1), a), examples::quicksort<index_t>)), sorted);
}

/// Sequences of records of sequences, taken apart and recombined.
using word = std::tuple<index_t, nested<char>>;
auto const by_halves = rec<nested<word>(nested<word>, index_t)>([](auto self, auto a, auto depth) {
  return if_(
      len(a) < 2, [&] { return each(a, [&](auto x) { return tup(fst(x) + depth, snd(x)); }); },
      [&] {
        auto const half = len(a) / 2;
        return append(self(drop(a, half), depth + 1), take(a, half));
      });
});

TEST_F(finish, carries_records_and_sequences_of_sequences) {
  using words = std::vector<std::tuple<index_t, std::string>>;
  std::vector<words> a(3);
  for (index_t i = 0; i < 60; ++i) {
    a[static_cast<std::size_t>(2 * (i % 2))].emplace_back(i,
                                                          std::string(i % 4, 'a' + char(i % 26)));
  }
  auto const halved = expect_same([&](auto const& ex) {
    return each(from(ex, a), [](auto row) { return by_halves(row, 0); });
  });
  EXPECT_EQ(halved[0].front(), (std::tuple{index_t{58 + 5}, std::string("gg")}));
  EXPECT_TRUE(halved[1].empty());
}

/// A loop whose rounds take a reduction; one of scalars alone is a single step.
TEST_F(finish, goes_round_for_those_that_are_left) {
  numbers start(400);
  for (std::size_t i = 0; i < start.size(); ++i) start[i] = static_cast<index_t>(i);
  auto const ends = expect_same([&](auto const& ex) {
    return each(from(ex, start), [](auto n) {
      return while_([](auto x, auto) { return x > 1; },
                    [](auto x, auto k) {
                      auto const next = select(x % 2 == 0, x / 2, 3 * x + 1);
                      return tup(sum(list(next)), k + 1);
                    },
                    tup(n, n * 0));
    });
  });
  EXPECT_EQ(ends[27], (std::tuple{index_t{1}, index_t{111}}));
}

/// A recursion that branches begins with few instances, of which the host would make many.
TEST_F(finish, leaves_to_the_device_what_grows) {
  auto const leaves = rec<index_t(index_t)>([](auto self, auto n) {
    return if_(
        n == 0, [&] { return n + 1; },
        [&] { return sum(each(iota(n * 0 + 3), [&](auto k) { return self(n - 1 + k * 0); })); });
  });
  EXPECT_EQ(expect_same([&](auto const& ex) {
              return each(from(ex, numbers{7, 0, 1}), leaves);
            }),
            (numbers{2187, 1, 3}));
  reset_stats();
  EXPECT_EQ(to_host(each(from(finishing_below(50), numbers{7}), leaves)), numbers{2187});
  index_t const on_device = stats().steps - stats().steps_on_host;
  reset_stats();
  EXPECT_EQ(to_host(each(from(finishing_below(50), numbers{3}), leaves)), numbers{27});
  EXPECT_GT(on_device, 20 * (stats().steps - stats().steps_on_host));
}

TEST_F(finish, leaves_to_the_device_what_captures) {
  auto const ex = finishing_below(index_t{1} << 40);
  auto const table = from(ex, numbers{0, 0, 1, 1, 2, 2, 3, 3, 4, 4});
  auto const descend = rec<index_t(index_t)>([&](auto self, auto i) {
    return if_(
        i == 0, [&] { return i; }, [&] { return 1 + self(at(table, i)); });
  });
  reset_stats();
  EXPECT_EQ(to_host(each(from(ex, numbers{9, 1, 0}), descend)), (numbers{4, 1, 0}));
  EXPECT_EQ(stats().steps_on_host, 0);
}

/// Follows indices: the element at an index is the next index, until it is 0.
auto const follow = rec<index_t(nested<index_t>, index_t)>([](auto self, auto a, auto i) {
  return if_(
      i == 0, [&] { return i; }, [&] { return self(a, at(a, i)); });
});

TEST_F(finish, reports_the_instance_that_fails) {
  auto const error_with = [](index_t size, index_t start) {
    auto const ex = finishing_below(size);
    try {
      auto const a = from(ex, numbers{0, 2, 3, 7});
      auto const first = keep(at(a, from(ex, start)));
      to_host(
          each(from(ex, numbers{1, 0, 2, 3}), [&](auto i) { return follow(a, i + first * 0); }));
    } catch (index_error const& failed) {
      return std::string(failed.what());
    }
    return std::string("nothing");
  };
  constexpr index_t all = index_t{1} << 40;
  EXPECT_EQ(error_with(1, 0), "at: index 7 is not in [0, 4), at instance 2");
  EXPECT_EQ(error_with(all, 0), error_with(1, 0));
  // The device's failure comes first, in program order.
  EXPECT_EQ(error_with(1, 5), "at: index 5 is not in [0, 4), at instance 0");
  EXPECT_EQ(error_with(all, 5), error_with(1, 5));
}

TEST_F(finish, takes_a_straight_program_that_is_a_function_of_rec) {
  auto const program = rec<nested<index_t>(nested<nested<index_t>>)>([](auto, auto all) {
    auto const longest_first = filter(all, [](auto row) { return len(row) > 1; });
    return each(longest_first, [](auto row) { return sum(row) * len(unique(row)); });
  });
  rows const a = some_rows();
  auto const kernels = [&](index_t below) {
    auto const x = from(finishing_below(below), a);
    reset_stats();
    auto const result = program(x);
    index_t const launched = stats().kernels;
    EXPECT_EQ(to_host(result), to_host(program(from(cpu::sequential(), a))));
    return launched;
  };
  EXPECT_LE(kernels(index_t{1} << 40), 2);  // only to read whether an instance has failed
  EXPECT_GT(kernels(1), 10);
}

TEST_F(finish, says_which_primitives_and_how_many_kernels_the_device_took) {
  auto const ex = finishing_below(1);
  auto const a = from(ex, rows{{3, 1, 2}, {}});
  auto const program = [&] { each(a, [](auto row) { return sum(row * row); }); };
  auto const said = explain(program);
  reset_stats();
  program();
  auto const kernels = std::to_string(stats().kernels);
  EXPECT_EQ(said,
            "context: elements                      2\n"
            "  context: elements, by offsets        3\n"
            "  segmented reduce                     5   (long * long)   segmented_reduce, " +
                kernels + (kernels == "1" ? " kernel\n" : " kernels\n"));
}

/// Of one sequence it is not segmented, whose last segment would look back over all before it.
TEST_F(finish, reduces_and_sorts_one_sequence_as_a_whole) {
  auto const ex = finishing_below(1);
  for (std::size_t const n : {0, 1, 5000}) {
    SCOPED_TRACE(n);
    numbers all(n);
    index_t sum_of_squares = 0;
    for (std::size_t i = 0; i < n; ++i) {
      all[i] = static_cast<index_t>(i * 7919 % 5003);
      sum_of_squares += all[i] * all[i];
    }
    auto const x = from(ex, all);
    EXPECT_NE(explain([&] { sum(x * x); }).find("\nreduce "), std::string::npos);
    EXPECT_EQ(to_host(sum(x * x)), sum_of_squares);
    auto const last = reduce(zip(x, indices(x)), plus{}, maximum{});
    EXPECT_EQ(to_host(sum(x)), std::get<0>(to_host(last)));
    EXPECT_EQ(to_host(reduce(x, first{})), n == 0 ? -1 : all[0]);
    auto order = numbers(n);
    std::iota(order.begin(), order.end(), index_t{0});
    std::stable_sort(order.begin(), order.end(), [&](index_t i, index_t j) {
      return all[static_cast<std::size_t>(i)] % 7 < all[static_cast<std::size_t>(j)] % 7;
    });
    EXPECT_EQ(to_host(sort_order(x % 7)), order);
    EXPECT_EQ(explain([&] { sort_order(x); }).find("segmented"), std::string::npos);
    if (n > 0) {
      auto const greatest = std::max_element(all.begin(), all.end()) - all.begin();
      EXPECT_EQ(to_host(max_index(x)), greatest);
    } else {
      EXPECT_THROW(to_host(max_index(x)), domain_error);
    }
  }
}

/// Those of one length greater than 1; slices are copied.
TEST_F(finish, reads_captured_rows_in_place) {
  auto const products = [](auto const& x, auto const& y) {
    return each(x, [&](auto const& row) {
      return each(y, [&](auto const& column) {
        auto const sums = sum(row * column);
        return sums + max(column - row * 2) +
               sum(drop(row, len(row) / 2) * drop(column, len(row) / 2));
      });
    });
  };
  auto const ex = finishing_below(1);
  for (std::size_t const length : {0, 1, 2, 30, 300}) {
    SCOPED_TRACE(length);
    rows a(7, numbers(length)), b(5, numbers(length));
    for (auto* const all : {&a, &b}) {
      for (auto& row : *all) {
        for (auto& x : row)
          x = static_cast<index_t>(&x - row.data()) % 13 -
              (all == &a ? 5 : 3) * (&row - all->data());
      }
    }
    EXPECT_EQ(to_host(products(from(ex, a), from(ex, b))),
              to_host(products(from(cpu::sequential(), a), from(cpu::sequential(), b))));
  }
  index_t const n = 40;
  auto const square = from(ex, rows(n, numbers(n, 3)));
  index_t const before = stats().bytes;
  reset_stats();
  auto const found = each(square, [&](auto const& row) {
    return each(square, [&](auto const& column) { return sum(row * column); });
  });
  EXPECT_LE(stats().most_bytes - before, 4 * 8 * n * n);
  EXPECT_EQ(to_host(found), rows(n, numbers(n, 9 * n)));
}

TEST_F(finish, fills_a_table_of_two_words_by_one_thread) {
  std::vector<std::string> a{"kitten", "", "intention", "abc", "flaw", "\xe9t\xe9"};
  std::vector<std::string> b{"sitting", "abc", "execution", "", "lawn", "ete"};
  std::mt19937 random{7};
  for (auto* const all : {&a, &b}) {
    for (std::size_t i = 0; i < 300; ++i) {
      auto& word = all->emplace_back(random() % 90, 'a');
      for (char& letter : word) letter = static_cast<char>('a' + random() % 3);
    }
  }
  numbers distances;
  for (std::size_t i = 0; i < a.size(); ++i) {
    distances.push_back(examples::serial::edit_distance(a[i], b[i]));
  }
  auto const found = [&](auto const& on) {
    return to_host(each(from(on, a), from(on, b), examples::edit_distance_in_place));
  };
  EXPECT_EQ(found(finishing_below(1)), distances);
  EXPECT_EQ(found(cpu::threads(2)), distances);
}

TEST_F(finish, leaves_to_the_device_to_say_which_index_is_out_of_range) {
  auto const ex = finishing_below(1);
  auto const result_of = [&](std::vector<float> const& table,
                             std::vector<std::vector<int>> const& all) {
    auto const x = from(ex, table);
    auto const sums = each(from(ex, all), [&](auto row) { return sum(gather(x, row)); });
    try {
      return testing::text(to_host(sums));
    } catch (index_error const& error) {
      return std::string(error.what());
    }
  };
  std::vector<std::vector<int>> all(3, std::vector<int>(400, 2));
  EXPECT_EQ(result_of({1, 2, 3}, all), "[1200,1200,1200]");
  all[1][399] = 3;
  all[2][7] = -1;
  EXPECT_EQ(result_of({1, 2, 3}, all), "at: index 3 is not in [0, 3), at instance 799");
  EXPECT_EQ(result_of({}, all), "at: index 2 is not in [0, 0), at instance 0");
  EXPECT_EQ(result_of({}, {{}, {}}), "[0,0]");
}

TEST_F(finish, is_explained) {
  auto const ex = finishing_below(index_t{1} << 40);
  auto const a = from(ex, rows{{3, 1, 2}, {}});
  auto const text = explain([&] { each(a, examples::quicksort<index_t, 2>); });
  EXPECT_NE(text.find("context: on the host"), std::string::npos) << text;
}

}  // namespace
}  // namespace ravel::finish_test
