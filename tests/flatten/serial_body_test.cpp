/// Bodies that run as loops give what they give as steps, failures too.

#include <ravel/flatten/flatten.hpp>
#include <ravel/flatten/serial_body.hpp>

#include "nested/games_and_words.hpp"
#include "nested/geometry.hpp"
#include "nested/graph.hpp"
#include "nested/lists_and_indices.hpp"
#include "nested/matrices.hpp"
#include "nested/transforms.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ravel::serial_body_test {
namespace {

using numbers = std::vector<index_t>;
using rows = std::vector<numbers>;

cpu::threads const ex(2);
std::mt19937_64 bits{11};
index_t below(index_t n) { return static_cast<index_t>(bits() % static_cast<std::uint64_t>(n)); }
template <class F>
auto vector_of(index_t n, F const& f) {
  std::vector<decltype(f(n))> all;
  for (index_t i = 0; i < n; ++i) all.push_back(f(i));
  return all;
}
numbers some_numbers(index_t n, index_t limit) {
  return vector_of(n, [=](index_t) { return below(limit); });
}
/// Rows of 0 to 12 numbers.
rows some_rows(index_t n, index_t limit = 20) {
  return vector_of(n, [=](index_t) { return some_numbers(below(13), limit); });
}

/// Whether f runs in one step, as loops.
template <class F, class... X>
bool runs_as_loops(F const& f, X const&... x) {
  reset_stats();
  each(x..., serially(f));
  return stats().steps == 1;
}
/// That each instance gives the same by loops.
template <class F, class... X>
void expect_same(char const* what, F const& f, X const&... x) {
  EXPECT_EQ(to_host(each(x..., serially(f))), to_host(each(x..., f))) << what;
  EXPECT_TRUE(runs_as_loops(f, x...)) << what;
}
#define EXPECT_SAME(...) expect_same(#__VA_ARGS__, __VA_ARGS__)

TEST(serial_body, numbers) {
  auto const x = from(ex, some_numbers(100, 1000));
  auto const y = from(ex, vector_of(100, [](index_t) { return 1 + static_cast<int>(below(9)); }));
  EXPECT_SAME([](auto a, auto b) { return (a + b) * (a - b) - -a; }, x, y);
  EXPECT_SAME([](auto a, auto b) { return a / b + a % 7 + 100 / b; }, x, y);
  EXPECT_SAME([](auto a, auto b) { return (a < 500 && b > 3) || !(a >= 20) || b != 4; }, x, y);
  EXPECT_SAME([](auto a, auto b) { return tup(a <= 500, select(a == b, a, a * 2), min(a, b)); }, x,
              y);
  EXPECT_SAME([](auto a) { return sqrt(cast<double>(abs(a - 500))) + pow(cast<double>(a), 0.5); },
              x);
  EXPECT_SAME([](auto a) { return random_bits(3, a); }, x);
  EXPECT_SAME([](auto) { return 7; }, x);
  EXPECT_SAME(
      [](auto a) {
        return if_(
            a % 2 == 0, [&] { return a / 2; }, [&] { return a * 3 + 1; });
      },
      x);
  EXPECT_SAME(
      [](auto a) {
        return switch_(
            a % 3, [&] { return a; }, [&] { return a * 2; }, [&] { return a * 3; });
      },
      x);
  EXPECT_SAME(
      [](auto a) {
        return while_(
            [](auto n, auto) { return n > 1; },
            [](auto n, auto steps) { return tup(select(n % 2 == 0, n / 2, n * 3 + 1), steps + 1); },
            tup(a + 1, 0));
      },
      x);
  auto const factorial = rec<index_t(index_t)>([](auto self, auto n) {
    return if_(
        n < 2, [&] { return n * 0 + 1; }, [&] { return n * self(n - 1); });
  });
  EXPECT_SAME(factorial, from(ex, some_numbers(50, 15)));
}

TEST(serial_body, sequences) {
  auto const x = from(ex, some_rows(100));
  auto const y = from(ex, some_rows(100));
  EXPECT_SAME([](auto r) { return tup(len(r), sum(r), product(r), min(r), max(r)); }, x);
  EXPECT_SAME(
      [](auto r) {
        return tup(min_or(r, -1), max_or(r, -1), find(r, [](auto a) { return a > 9; }));
      },
      x);
  EXPECT_SAME([](auto r) { return tup(any(r == 3), all(r < 15), count(r != 4)); }, x);
  EXPECT_SAME([](auto r) { return tup(inclusive_scan(r), exclusive_scan(r, maximum{})); }, x);
  EXPECT_SAME([](auto r) { return filter(r + 1, [](auto a) { return a % 2 == 0; }); }, x);
  EXPECT_SAME([](auto r) { return split(r, r > 10); }, x);
  EXPECT_SAME([](auto r) { return tup(sort(r), sort_order(r), rank(r), unique(r)); }, x);
  EXPECT_SAME([](auto r) { return top_k_order(r % 5, len(r) / 2); }, x);
  EXPECT_SAME(
      [](auto r) {  // operators, members and zips that are used several times, and not at all
        auto const z = zip(r * 2, r + indices(r));
        auto const unused = fst(z) / (r - r + 1) == snd(z);
        return tup(fst(z) - snd(z), pack(snd(z), fst(z) > 9), take(drop(fst(z), len(z) / 2), 0),
                   append(fst(z), r, snd(z)), any(snd(z) == 3),
                   filter(z, [](auto e) { return fst(e) < snd(e); }));
      },
      x);
  EXPECT_SAME([](auto r) { return tup(reverse(r), run_lengths(sort(r)), iota(len(r))); }, x);
  EXPECT_SAME([](auto r) { return rotate(append(r, list(len(r))), 2); }, x);
  EXPECT_SAME([](auto r) { return tup(take(r, len(r) / 2), drop(r, len(r) / 2)); }, x);
  EXPECT_SAME([](auto r) { return slice(r * r, len(r) / 3, len(r) / 2); }, x);
  EXPECT_SAME([](auto r) { return each(r, [&](auto n) { return range(n, len(r) * 2, 3); }); }, x);
  EXPECT_SAME([](auto r) { return flat_each(r, [](auto n) { return dist(n, n % 4); }); }, x);
  EXPECT_SAME(
      [](auto r) {
        return flat_each(r, indices(r), r,
                         [](auto a, auto i, auto b) { return dist(a - i, b % 3); });
      },
      x);
  EXPECT_SAME([](auto r) { return unflatten(append(r, r), 2); }, x);
  EXPECT_SAME([](auto r) { return unflatten(r, list(len(r) / 2, len(r) - len(r) / 2)); }, x);
  EXPECT_SAME([](auto r) { return collect(r % 3, r); }, x);
  EXPECT_SAME([](auto r) { return tup(histogram(r, 20), reduce_by_index(r, r * r, 20, plus{})); },
              x);
  EXPECT_SAME(
      [](auto r) { return write(dist(index_t{0}, len(r) + 1), list(len(r)), list(len(r) * 2)); },
      x);
  EXPECT_SAME([](auto r) { return permute(r, reverse(indices(r))); }, x);
  EXPECT_SAME([](auto r) { return select(r > 5, r, 0); }, x);
  EXPECT_SAME([](auto r) { return gather(append(r, list(len(r))), r % (len(r) + 1)); }, x);
  EXPECT_SAME(
      [](auto r) {
        auto const back =
            gather(r, reverse(indices(r)));  // not in memory: read twice, and of r alone
        auto const zeros = write(std::move(r), indices(back), back * 0);
        return append(pack(back, back > 5), zeros, gather(back + 1, indices(zeros)));
      },
      x);
  EXPECT_SAME([](auto a, auto b) { return tup(union_(a, b), intersect(a, b)); }, x, y);
  EXPECT_SAME([](auto a, auto b) { return merge(sort(a), sort(b)); }, x, y);
  EXPECT_SAME(
      [](auto a, auto b) { return each(a, [&](auto n) { return lower_bound(sort(b), n); }); }, x,
      y);
  EXPECT_SAME(
      [](auto a, auto b) { return each(sort(a), [&](auto n) { return upper_bound(sort(b), n); }); },
      x, y);
  EXPECT_SAME([](auto r) { return min_index(append(r, list(len(r)))); }, x);
  EXPECT_SAME([](auto r) { return max_index(append(list(len(r)), r)); }, x);
  auto const rising = [](auto* first, index_t n) {
    for (index_t i = 1; i < n; ++i) first[i] += first[i - 1];
  };
  EXPECT_SAME([&](auto r) { return serially(r, rising); }, x);
}

TEST(serial_body, records_and_nested_sequences) {
  auto const pairs = vector_of(100, [](index_t) {
    return vector_of(below(9), [](index_t) {
      return std::tuple{static_cast<int>(below(5)), static_cast<double>(below(8))};
    });
  });
  auto const x = from(ex, pairs);
  EXPECT_SAME([](auto r) { return tup(sum(snd(r)), fst(r)); }, x);
  EXPECT_SAME([](auto r) { return sort(r); }, x);
  EXPECT_SAME([](auto r) { return zip(fst(r), snd(r), indices(r)); }, x);
  EXPECT_SAME([](auto r) { return unzip(r); }, x);
  EXPECT_SAME([](auto r) { return filter(r, [](auto p) { return fst(p) > 2; }); }, x);
  EXPECT_SAME(
      [](auto r) {
        return each(r, [](auto p) {
          auto const [k, w] = p;
          return tup(w * 2.0, k);
        });
      },
      x);
  EXPECT_SAME(
      [](auto r) {  // records of records, by their members
        auto const both = each(r, [](auto p) { return tup(p, tup(fst(p) + 1, snd(p) * 2.0)); });
        return tup(append(fst(both), snd(both)), append(snd(both), fst(both)), both);
      },
      x);
  auto const boards = vector_of(
      60, [](index_t) { return vector_of(3, [](index_t) { return some_numbers(4, 9); }); });
  auto const b = from(ex, boards);
  EXPECT_SAME([](auto m) { return transpose(m); }, b);
  EXPECT_SAME([](auto m) { return flatten(m + m); }, b);
  EXPECT_SAME([](auto m) { return transpose(m * 2); }, b);
  EXPECT_SAME([](auto m) { return transpose(take(m, len(m) * 0)); }, b);
  EXPECT_SAME(
      [](auto m) {
        auto const sums = keep(m + m);
        auto row = at(sums, 1);
        return append(list(write(std::move(row), list(len(m) * 0), list(len(m)))), sums);
      },
      b);
  EXPECT_SAME([](auto m) { return append(m, list(at(m, 1))); }, b);
  EXPECT_SAME(
      [](auto m) {
        auto const row = list(keep(at(m, 1) + 1));
        return write(std::move(m), list(len(row)), row);
      },
      b);
  EXPECT_SAME([](auto m) { return each(m, [&](auto row) { return sum(row) + len(m); }); }, b);

  auto const long_and_short = vector_of(60, [](index_t) {
    return vector_of(5, [](index_t) { return some_numbers(below(3) * below(900), 9); });
  });
  EXPECT_SAME([](auto m) { return drop(keep(m * 3 + 1), 2); }, from(ex, long_and_short));
  EXPECT_SAME([](auto m) { return sum(each(m, [](auto row) { return sum(cast<double>(row)); })); },
              from(ex, long_and_short));
}

TEST(serial_body, literals_and_sequences_as_keys) {
  auto const x = from(ex, some_rows(100, 3));
  auto const y = from(ex, some_rows(100, 3));
  EXPECT_SAME([](auto r) { return each(iota(from(r, 3)), [&](auto k) { return len(r) + k; }); }, x);
  EXPECT_SAME([](auto r) { return append(r, from(r, numbers{4, 5})); }, x);
  EXPECT_SAME([](auto a, auto b) { return tup(equals(a, b), precedes(a, b)); }, x, y);
  auto const words = vector_of(60, [](index_t) {
    return vector_of(below(9), [](index_t) {
      std::string word;
      for (index_t k = below(4); k > 0; --k) word += static_cast<char>('a' + below(2));
      return word;
    });
  });
  auto const w = from(ex, words);
  EXPECT_SAME([](auto r) { return dense_rank(r); }, w);
  EXPECT_SAME([](auto r) { return tup(sort(r), unique(r), collect(r, indices(r))); }, w);
  EXPECT_SAME([](auto r) { return tup(union_(r, take(r, 0)), intersect(r, r)); }, w);
  EXPECT_SAME(
      [](auto r) {
        auto const pairs = zip(r, indices(r) % 2);
        return tup(sort(pairs), run_lengths(sort(r)),
                   each(r, [&](auto one) { return lower_bound(sort(r), one); }));
      },
      w);
  auto const ranks = to_host(each(w, [](auto r) { return dense_rank(r); }));
  auto const sorted = to_host(each(w, [](auto r) { return gather(r, sort_order(dense_rank(r))); }));
  auto const before = to_host(each(w, [](auto r) {
    return each(r, [&](auto a) {
      return each(r, [&](auto b) { return tup(precedes(a, b), equals(a, b)); });
    });
  }));
  for (std::size_t i = 0; i < words.size(); ++i) {
    auto wanted = words[i];
    std::sort(wanted.begin(), wanted.end());
    EXPECT_EQ(sorted[i], wanted);
    wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
    for (std::size_t k = 0; k < words[i].size(); ++k) {
      auto const place =
          std::lower_bound(wanted.begin(), wanted.end(), words[i][k]) - wanted.begin();
      EXPECT_EQ(ranks[i][k], place);
      for (std::size_t j = 0; j < words[i].size(); ++j) {
        EXPECT_EQ(std::get<0>(before[i][k][j]), words[i][k] < words[i][j]);
        EXPECT_EQ(std::get<1>(before[i][k][j]), words[i][k] == words[i][j]);
      }
    }
  }
}

TEST(serial_body, arguments_that_all_instances_share) {
  auto const graph = from(ex, some_rows(40, 40));
  auto const weighted = from(
      ex, vector_of(40, [](index_t) {
        return vector_of(below(4), [](index_t k) { return std::tuple{k, some_numbers(k, 9)}; });
      }));
  auto const around = [](auto v, auto all) { return sum(at(all, v)); };
  auto const of_lists = [](auto v, auto all) {
    return flat_each(at(all, v), [](auto e) { return snd(e); });
  };
  auto const v = from(ex, vector_of(40, [](index_t i) { return i; }));
  EXPECT_EQ(to_host(each(v, [&](auto i) { return serially(around)(i, graph); })),
            to_host(each(v, [&](auto i) { return around(i, graph); })));
  EXPECT_EQ(to_host(each(v, [&](auto i) { return serially(of_lists)(i, weighted); })),
            to_host(each(v, [&](auto i) { return of_lists(i, weighted); })));
  EXPECT_EQ(to_host(each(
                v, [&](auto i) { return serially([](auto a, auto k) { return a * k; })(i, 3); })),
            to_host(v * 3));
}

TEST(serial_body, failures_are_those_of_steps) {
  auto const x = from(ex, some_rows(100));
  auto const message = [&](auto const& f) {
    try {
      to_host(each(x, f));
    } catch (std::exception const& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  auto const expect_same_failure = [&](auto const& f) {
    EXPECT_NE(message(f), "");
    EXPECT_EQ(message(serially(f)), message(f));
  };
  expect_same_failure([](auto r) { return at(r, 3); });
  expect_same_failure([](auto r) { return top_k_order(r, 3); });
  expect_same_failure([](auto r) { return sum(gather(r, r)); });
  expect_same_failure([](auto r) { return filter(r, [&](auto a) { return at(r, a) > 0; }); });
  expect_same_failure([](auto r) { return pack(r, gather(r, r + 1) == r); });
  expect_same_failure([](auto r) { return sum(r + at(r, 3)); });
  expect_same_failure([](auto r) { return each(r, [](auto a) { return 10 / (a - 5); }); });
  expect_same_failure([](auto r) { return take(r, 5); });
  expect_same_failure([](auto r) { return max_index(r); });
  expect_same_failure([](auto r) { return transpose(list(r, list(len(r)))); });
  expect_same_failure([](auto r) { return transpose(list(list(len(r)), r)); });
  expect_same_failure([](auto r) { return keep(list(r, r) / at(r, 3)); });
  expect_same_failure(
      [](auto r) { return each(r, list(len(r)), [](auto a, auto b) { return a + b; }); });
  expect_same_failure([](auto r) { return write(r, list(len(r)), list(len(r))); });
  // What is not used does not fail.
  EXPECT_SAME([](auto r) { return select(len(r) > 3, at(r, 3), -1); }, x);
  EXPECT_SAME([](auto r) { return (len(r) > 3) && (at(r, 3) > 7); }, x);
  EXPECT_SAME([](auto r) { return select(len(r) > 0, 100 / len(r), 0); }, x);
}

cpu::threads const many_threads(16);

TEST(serial_body, few_instances_for_many_threads_run_as_steps_if_that_is_said) {
  auto const x = from(many_threads, some_rows(2));
  auto const f = [](auto r) { return sum(r); };
  auto const g = [](auto r) { return sum(sort(r)); };
  EXPECT_TRUE(runs_as_loops(g, x));
  EXPECT_TRUE(runs_as_loops(g, from(many_threads, some_rows(1))));
  auto const steps_with = [&](index_t most_threads) {
    reset_stats();
    EXPECT_EQ(to_host(each(x, serially(g, most_threads))), to_host(each(x, serially(g))));
    return stats().steps;
  };
  EXPECT_LT(steps_with(8), steps_with(7));
  EXPECT_EQ(to_host(serially([](auto n) { return n + 1; }, 0)(from(ex, 1))), 2);
  EXPECT_EQ(to_host(each(x, serially(f))), to_host(each(x, f)));
  EXPECT_EQ(to_host(each(from(ex, rows{}), serially(f))), numbers{});
  cpu::sequential const one;
  auto const y = from(one, rows{{3, 1, 2}});
  EXPECT_TRUE(runs_as_loops([](auto r) { return sum(sort(r)); }, y));
  EXPECT_EQ(to_host(serially([](auto all) { return flatten(all); })(y)), (numbers{3, 1, 2}));
}

/// The mark is where the function is defined: each use runs as loops or as steps, and within another
/// such function as a part of its loop.
constexpr auto greatest_gap = serially([](auto r) {
  auto const sorted = sort(r);
  return max(append(list(len(r) * 0), drop(sorted, select(len(r) > 0, 1, 0)) -
                                          take(sorted, select(len(r) > 0, len(r) - 1, 0))));
});
constexpr auto gap_twice = serially([](auto r) { return greatest_gap(r) + greatest_gap(r); });

TEST(serial_body, several_threads_share_recursive_calls_of_one_instance) {
  cpu::threads const four(4), one(1);
  auto const by_both = [&](auto const& f, auto const&... in) {
    EXPECT_EQ(to_host(serially(f)(from(four, in)...)), to_host(serially(f)(from(one, in)...)));
  };
  // Results are parts of arguments, rows of results, and rows of their own.
  by_both(rec<nested<nested<index_t>>(nested<nested<index_t>>)>([](auto self, auto all) {
            return if_(
                len(all) < 2, [&] { return all; },
                [&] {
                  auto const half = keep(len(all) / 2);
                  auto const both = each(list(drop(all, half), take(all, half)), self);
                  auto const last = append(at(at(both, 0), 0), iota(half));
                  return append(at(both, 1), list(last), at(both, 0));
                });
          }),
          some_rows(200));
  // Records of sequences and numbers, of three sequences of arguments.
  using sums = std::tuple<nested<index_t>, index_t>;
  by_both(rec<sums(nested<index_t>, index_t, bool)>([](auto self, auto x, auto k, auto odd) {
            return if_(
                len(x) < 3, [&] { return tup(x, select(odd, k, sum(x))); },
                [&] {
                  auto const n = len(x);
                  auto const parts = each(list(take(x, n / 2), drop(x, n / 2)), list(k, k + 1),
                                          list(odd, !odd), self);
                  return tup(append(fst(at(parts, 1)), fst(at(parts, 0))), sum(snd(parts)));
                });
          }),
          some_numbers(300, 50), index_t{3}, true);
  auto const in_square = [](index_t) { return static_cast<double>(below(10000)) / 500 - 1; };
  by_both(examples::closest_pair, vector_of(2000, [&](index_t i) {
            return std::tuple{in_square(i), in_square(i)};
          }));
  auto const matrix = [&] {
    return vector_of(128, [&](index_t) { return vector_of(128, in_square); });
  };
  by_both(examples::strassen, matrix(), matrix());
  EXPECT_THROW(to_host(serially(rec<index_t(nested<index_t>)>([](auto self, auto x) {
                 return if_(
                     len(x) < 2, [&] { return at(x, at(x, 0)); },
                     [&] {
                       auto const half = len(x) / 2;
                       return sum(each(list(take(x, half), drop(x, half)), self));
                     });
               }))(from(four, numbers{0, 0, 0, 0, 0, 7, 0, 0}))),
               index_error);
}

TEST(serial_body, recursions_run_as_steps_until_their_calls_are_as_many_as_threads) {
  auto const body = [](auto self, auto x, auto k) {
    return if_(
        len(x) <= 2, [&] { return sum(x) * k + at(x, 0); },
        [&] {
          auto const half = keep(len(x) / 2);
          return sum(each(list(half * 0, 1), [&](auto i) {  // captures x
            auto const part = slice(x, i * half, select(i == 0, half, len(x)));
            return self(part, k + half);
          }));
        });
  };
  using type = index_t(nested<index_t>, index_t);
  auto const with_steps = [](auto const& f, cpu::threads const& on, numbers const& x) {
    auto const in = from(on, x);
    auto const k = from(on, index_t{1});
    reset_stats();
    auto const found = to_host(f(in, k));
    return std::pair{found, stats().steps};
  };
  auto const x = some_numbers(300, 50);
  auto const [wanted, all] = with_steps(rec<type>(body), cpu::threads(1), x);
  auto const loops = rec<type>(serially(body, 1));
  index_t before = 0;
  for (int const threads : {1, 2, 16}) {
    auto const [found, steps] = with_steps(loops, cpu::threads(threads), x);
    EXPECT_EQ(found, wanted);
    EXPECT_LT(before, steps);
    EXPECT_LT(steps, all);
    before = steps;
  }
  EXPECT_EQ(with_steps(rec<type>(serially(body)), cpu::threads(6), x).second,
            with_steps(loops, cpu::threads(1), x).second);
  // As part of a loop, and for no instances.
  EXPECT_SAME([&](auto r) { return loops(append(r, list(len(r), 1)), len(r)); },
              from(ex, some_rows(30)));
  EXPECT_EQ(to_host(each(from(ex, rows{}), [&](auto r) { return loops(r, 1); })), numbers{});
  EXPECT_THROW(with_steps(loops, cpu::threads(2), {}), index_error);
  EXPECT_THROW(with_steps(rec<type>(serially(body, 1), depth_limit{3}), cpu::threads(2), x),
               context_error);
}

TEST(serial_body, functions_marked_where_they_are_defined) {
  auto const steps_of = [](auto const& x, auto const& f) {
    reset_stats();
    auto const found = to_host(each(x, f));
    return std::pair{found, stats().steps};
  };
  rows const many(50, {3, 9, 1, 4}), few(2, {3, 9, 1, 4});
  auto const [of_many, loops] = steps_of(from(ex, many), greatest_gap);
  auto const [of_few, loops_of_few] = steps_of(from(many_threads, few), greatest_gap);
  auto const [twice, loops_within] = steps_of(from(ex, many), gap_twice);
  EXPECT_EQ(of_many, numbers(50, 5));
  EXPECT_EQ(of_few, numbers(2, 5));
  EXPECT_EQ(twice, numbers(50, 10));
  EXPECT_EQ(loops, loops_within);
  EXPECT_EQ(loops, loops_of_few);
}

TEST(serial_body, sequences_that_share_or_make_no_elements) {
  auto const x = from(ex, some_rows(40));
  EXPECT_SAME([](auto r) { return dist(len(r) * 2, len(r) % 3); }, x);
  EXPECT_SAME([](auto r) { return sum(dist(100 / len(r), len(r) * 0)); }, from(ex, rows(40, {1})));
  EXPECT_SAME([](auto r) { return tup(dist(r, 2), dist(tup(len(r), 1), 3)); }, x);
  EXPECT_SAME(
      [](auto r) {
        auto one = flat_each(list(len(r)), [&](auto) { return r; });
        auto const zeros = write(std::move(one), indices(r), dist(len(r) * 0, len(r)));
        return append(zeros, r);  // r is as before
      },
      x);
  EXPECT_SAME(
      [](auto r) {
        auto const half = len(r) / 2;
        auto parts = append(take(r, half), slice(r, half, len(r)), drop(r, len(r)));
        auto const negated = write(std::move(parts), indices(r), -r);
        return tup(negated, r, append(drop(r, half), take(r, half)));
      },
      x);
}

TEST(serial_body, programs) {
  auto const words = [](index_t) {
    std::string all;
    for (index_t k = below(12); k > 0; --k) all += static_cast<char>('a' + below(3));
    return all;
  };
  EXPECT_SAME(examples::edit_distance, from(ex, vector_of(60, words)),
              from(ex, vector_of(60, words)));
  EXPECT_SAME(examples::suffix_array, from(ex, vector_of(60, words)));
  EXPECT_SAME([](auto mine) { return examples::minimax(mine, mine * 2); },
              from(ex, std::vector<int>{1, 4, 16, 64, 1, 4, 16, 64}));
  auto const powers =
      vector_of(20, [](index_t i) { return some_numbers(index_t{1} << i % 6, 99); });
  EXPECT_SAME(examples::bitonic_sort, from(ex, powers));
  auto const in_square = [](index_t) { return static_cast<double>(below(1000)) / 500 - 1; };
  auto const points = vector_of(40, [&](index_t i) {
    return vector_of(i, [&](index_t k) { return std::tuple{in_square(k), in_square(k)}; });
  });
  EXPECT_SAME(examples::closest_pair, from(ex, points));
  auto const systems = vector_of(
      20, [&](index_t) { return vector_of(4, [&](index_t) { return vector_of(5, in_square); }); });
  auto const solve = examples::gauss_jordan;
  auto const by_loops = to_host(flatten(each(from(ex, systems), serially(solve))));
  auto const by_steps = to_host(flatten(each(from(ex, systems), solve)));
  for (std::size_t k = 0; k < by_steps.size(); ++k) {
    EXPECT_NEAR(by_loops[k], by_steps[k], 1e-9 * (1 + std::abs(by_steps[k])));
  }
  auto const graphs = vector_of(20, [](index_t i) {
    return vector_of(i + 1, [=](index_t) { return some_numbers(below(4), i + 1); });
  });
  EXPECT_SAME([](auto graph) { return examples::bfs(graph, len(graph) - 1); }, from(ex, graphs));
  auto const parents = vector_of(20, [](index_t i) {
    return vector_of(i + 1, [](index_t k) { return k == 0 ? 0 : below(k); });
  });
  EXPECT_SAME(examples::leaffix, from(ex, parents), from(ex, parents));
  EXPECT_SAME(examples::list_rank, from(ex, parents));
}

}  // namespace
}  // namespace ravel::serial_body_test
