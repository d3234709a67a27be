#include "textbook/compaction.hpp"
#include "textbook/exclusive_scan_by_sweeps.hpp"
#include "textbook/inclusive_scan_by_sweeps.hpp"
#include "textbook/lexing.hpp"
#include "textbook/list_ranking_by_jumping.hpp"
#include "textbook/list_ranking_by_splitters.hpp"
#include "textbook/naive_scan.hpp"
#include "textbook/polynomial.hpp"
#include "textbook/quicksort_by_levels.hpp"
#include "textbook/reduction.hpp"
#include "textbook/run_length_encoding.hpp"
#include "textbook/scan_by_doubling.hpp"
#include "textbook/segmented_scan_by_mindex.hpp"
#include "textbook/segmented_scan_by_pairs.hpp"
#include "textbook/sparse_product.hpp"
#include "textbook/split_radix_sort.hpp"
#include "textbook/string_comparison.hpp"

#include <ravel/algorithms/comparison_sort.hpp>
#include <ravel/algorithms/list_ranking.hpp>
#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/algorithms/spmv.hpp>
#include <ravel/core/cpu/executor.hpp>
#include <ravel/primitives/linear_recurrence.hpp>
#include <ravel/primitives/pack.hpp>
#include <ravel/primitives/reduce.hpp>
#include <ravel/primitives/run_length.hpp>
#include <ravel/primitives/scan.hpp>
#include <ravel/primitives/scan_algorithm.hpp>
#include <ravel/primitives/segmented_scan.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <numeric>
#include <ostream>
#include <random>
#include <string>
#include <vector>

namespace {

namespace book = textbook;
using std::size_t;
using ints = std::vector<int>;
using sizes = std::vector<size_t>;
using words = std::vector<std::uint64_t>;
ravel::cpu::sequential const ex;

/// The function x -> a x + b, modulo 2^64; their composition does not commute.
struct affine {
  std::uint64_t a = 1, b = 0;
  friend bool operator==(affine const&, affine const&) = default;
};
auto const then = [](affine f, affine g) { return affine{g.a * f.a, g.a * f.b + g.b}; };
ravel::monoid const composition{then, affine{}};

size_t floor_log2(size_t n) { return n == 0 ? 0 : static_cast<size_t>(std::bit_width(n)) - 1; }
size_t ceil_log2(size_t n) { return floor_log2(std::bit_ceil(n)); }

struct cost {
  size_t steps, work;
  friend bool operator==(cost const&, cost const&) = default;
  friend std::ostream& operator<<(std::ostream& out, cost const& c) {
    return out << c.steps << " steps, work " << c.work;
  }
};

/// What the machine counts while f runs, in either order of processors; checks that both give
/// `expected`.
template <class T, class F>
cost cost_of(T const& expected, F f) {
  cost counted[2];
  for (bool const backward : {false, true}) {
    book::machine = {0, 0, backward};
    EXPECT_EQ(f(), expected) << "backward: " << backward;
    counted[backward] = {book::machine.steps, book::machine.work};
  }
  EXPECT_EQ(counted[0], counted[1]);
  return counted[0];
}

/// Calls check(n, random) for sizes from 0 to 300.
template <class Check>
void for_sizes(Check check) {
  std::mt19937 random(1);
  for (size_t n = 0; n <= 300; n += n < 40 ? 1 : 13) {
    SCOPED_TRACE(n);
    check(n, random);
  }
}

template <class Random>
std::vector<affine> random_maps(size_t n, Random& random) {
  std::vector<affine> x(n);
  for (auto& f : x) f = {random(), random()};
  return x;
}

/// n numbers below `bound`.
template <class T = int, class Random>
std::vector<T> random_numbers(size_t n, size_t bound, Random& random) {
  std::vector<T> x(n);
  for (auto& v : x) v = static_cast<T>(random() % bound);
  return x;
}

TEST(textbook_scans, give_the_examples_in_the_headers) {
  ints const x{3, 1, 2, 4, 1, 5}, sums{3, 4, 6, 10, 11, 16};
  EXPECT_EQ(book::naive_scan(x, std::plus{}), sums);
  EXPECT_EQ(book::scan_by_doubling(x, std::plus{}), sums);

  ints eight{3, 1, 2, 4, 1, 5, 2, 3};
  EXPECT_EQ(book::reduce(eight, 0, std::plus{}), 21);
  EXPECT_EQ(book::exclusive_scan_by_sweeps(eight, 0, std::plus{}),
            (ints{0, 3, 4, 6, 10, 11, 16, 18}));
  EXPECT_EQ(book::inclusive_scan_by_sweeps(eight, std::plus{}),
            (ints{3, 4, 6, 10, 11, 16, 18, 21}));
  book::up_sweep(eight, std::plus{});
  EXPECT_EQ(eight, (ints{3, 4, 2, 10, 1, 6, 2, 21}));

  ints const heads{1, 0, 0, 1, 0, 1}, segmented{3, 4, 6, 4, 5, 5};
  EXPECT_EQ(book::segmented_scan_by_pairs(heads, x, std::plus{}), segmented);
  EXPECT_EQ(book::segmented_scan_by_mindex(heads, x, std::plus{}), segmented);
}

TEST(textbook_scans, give_the_results_of_ravel_at_the_cost_that_they_claim) {
  for_sizes([](size_t n, auto& random) {
    auto const x = random_maps(n, random);
    auto through = x, before = x;
    ravel::inclusive_scan(ex, x, through, composition);
    ravel::exclusive_scan(ex, x, before, composition);
    auto by_name = x;
    ravel::inclusive_scan(ex, x, by_name, composition, ravel::scan_algorithm::step_doubling);
    EXPECT_EQ(by_name, through);
    ravel::exclusive_scan(ex, x, by_name, composition, ravel::scan_algorithm::work_efficient);
    EXPECT_EQ(by_name, before);
    size_t const rounds = ceil_log2(n), m = std::bit_ceil(n);

    EXPECT_EQ(cost_of(through, [&] { return book::naive_scan(x, then); }),
              (cost{n, n * (n + 1) / 2}));
    EXPECT_EQ(cost_of(through, [&] { return book::scan_by_doubling(x, then); }),
              (cost{rounds, n * rounds}));
    EXPECT_EQ(cost_of(before, [&] { return book::exclusive_scan_by_sweeps(x, affine{}, then); }),
              (cost{2 * rounds, 2 * (m - 1)}));
    EXPECT_EQ(cost_of(ravel::reduce_sync(ex, x, composition),
                      [&] { return book::reduce(x, affine{}, then); }),
              (cost{rounds, m - 1}));

    auto const sweeps = cost_of(through, [&] { return book::inclusive_scan_by_sweeps(x, then); });
    EXPECT_EQ(sweeps.steps, floor_log2(n) + (n < 3 ? 0 : floor_log2(n / 3) + 1));
    EXPECT_LE(sweeps.work, 2 * n);
    if (std::has_single_bit(n)) {
      EXPECT_EQ(sweeps.work, 2 * n - 2 - floor_log2(n));
    }
  });
}

TEST(textbook_scans, by_doubling_call_the_operator_less_often_than_they_work) {
  for_sizes([](size_t n, auto& random) {
    size_t calls = 0;
    book::scan_by_doubling(random_maps(n, random), [&](affine f, affine g) {
      ++calls;
      return then(f, g);
    });
    EXPECT_EQ(calls, n == 0 ? 0 : n * ceil_log2(n) - std::bit_ceil(n) + 1);
  });
}

TEST(textbook_scans, of_segments_give_the_results_of_ravel_at_the_cost_that_they_claim) {
  for_sizes([](size_t n, auto& random) {
    auto const x = random_maps(n, random);
    for (size_t const length : {1, 2, 7, 1000}) {
      SCOPED_TRACE(length);
      ints heads(n);
      for (size_t i = 0; i < n; ++i) heads[i] = i == 0 || random() % length == 0;
      auto expected = x;
      ravel::segmented_inclusive_scan(ex, x, ravel::by_heads(heads), expected, composition);
      auto by_name = x;
      ravel::segmented_inclusive_scan(ex, x, ravel::by_heads(heads), by_name, composition,
                                      ravel::segmented_algorithm::operator_transform);
      EXPECT_EQ(by_name, expected);

      auto const pairs =
          cost_of(expected, [&] { return book::segmented_scan_by_pairs(heads, x, then); });
      EXPECT_EQ(pairs.steps, n == 0 ? 0 : floor_log2(n) + (n < 3 ? 2 : floor_log2(n / 3) + 3));
      EXPECT_LE(pairs.work, 4 * n);
      size_t const steps = n == 0 ? 0 : 2 * ceil_log2(n) + 1;
      EXPECT_EQ(cost_of(expected, [&] { return book::segmented_scan_by_mindex(heads, x, then); }),
                (cost{steps, n * steps}));
    }
  });
}

TEST(textbook_programs, give_the_examples_in_the_headers) {
  EXPECT_EQ(book::compact(ints{3, 1, 2, 4, 1, 5}, {1, 0, 1, 1, 0, 1}), (ints{3, 2, 4, 5}));

  std::vector<unsigned> const digits{5, 7, 3, 1, 4, 2}, by_bit_0{4, 2, 5, 7, 3, 1},
      by_bit_1{4, 5, 1, 2, 7, 3};
  EXPECT_EQ(book::split(digits, 0), by_bit_0);
  EXPECT_EQ(book::split(by_bit_0, 1), by_bit_1);
  EXPECT_EQ(book::split_radix_sort(digits, 3), (std::vector<unsigned>{1, 2, 3, 4, 5, 7}));
  EXPECT_EQ(book::quicksort_by_levels(ints{3, 1, 5, 4, 1, 6, 2}), (ints{1, 1, 2, 3, 4, 5, 6}));

  sizes const next{4, 2, 2, 0, 1}, ranks{1, 3, 4, 0, 2};
  EXPECT_EQ(book::rank_by_jumping(next), ranks);
  EXPECT_EQ(book::rank_by_splitters(next, 2), ranks);

  EXPECT_EQ(book::sparse_product({0, 2, 2, 3}, {0, 2, 1}, ints{1, 2, 3}, ints{1, 1, 2}),
            (ints{5, 0, 3}));
  auto const runs = book::run_length_encode(ints{7, 7, 7, 4, 4, 7});
  EXPECT_EQ(runs.values, (ints{7, 4, 7}));
  EXPECT_EQ(runs.lengths, (sizes{3, 2, 1}));
  EXPECT_EQ(book::evaluate(ints{3, 1, 2, 4}, 2), 45);

  EXPECT_EQ(book::compare_prefixes("prefix", "pro"), (ints{0, 0, -1, -1, -1, -1}));
  EXPECT_EQ(book::compare("prefix", "pro"), -1);
  using book::name, book::string, book::number;
  EXPECT_EQ(book::lex("x= \"a1\"42"),
            (std::vector<book::token>{{name, 0}, {string, 3}, {number, 7}}));
}

TEST(textbook_programs, compact_as_ravel_does) {
  for_sizes([](size_t n, auto& random) {
    auto const x = random_maps(n, random);
    auto const keep = random_numbers<size_t>(n, 2, random);
    std::vector<affine> kept(n);
    kept.resize(static_cast<size_t>(ravel::pack_sync(ex, x, keep, kept)));
    size_t const m = std::bit_ceil(n);
    EXPECT_EQ(cost_of(kept, [&] { return book::compact(x, keep); }),
              n == 0 ? cost{} : (cost{2 * ceil_log2(n) + 1, n + 2 * (m - 1)}));
  });
}

TEST(textbook_programs, sort_as_ravel_does) {
  for_sizes([](size_t n, auto& random) {
    for (int const bits : {1, 4, 17}) {
      SCOPED_TRACE(bits);
      auto const x = random_numbers<std::uint32_t>(n, size_t{1} << bits, random);
      auto sorted = x;
      ravel::radix_sort(ex, x, sorted);
      auto const b = static_cast<size_t>(bits);
      size_t const m = std::bit_ceil(n);
      EXPECT_EQ(cost_of(sorted, [&] { return book::split_radix_sort(x, bits); }),
                n == 0 ? cost{} : (cost{b * (2 * ceil_log2(n) + 2), b * (2 * n + 2 * (m - 1))}));
    }
  });
}

TEST(textbook_programs, sort_by_levels_as_ravel_does) {
  for_sizes([](size_t n, auto& random) {
    if (n == 0) {
      EXPECT_EQ(book::quicksort_by_levels(ints{}), ints{});
      return;
    }
    size_t const m = std::bit_ceil(n), rounds = ceil_log2(n);
    ints const x(n, 1);
    auto const scan = cost_of(book::segmented_scan_by_pairs(x, x, std::plus{}),
                              [&] { return book::segmented_scan_by_pairs(x, x, std::plus{}); });
    // Rows are made at the beginning, keys at the end, and before both each level and the end
    // comes a reduction that finds whether they are in order.
    cost const rest{rounds + 3, 3 * n + m - 1};
    cost const level{rounds + 4 + scan.steps, 4 * n + m - 1 + scan.work};
    EXPECT_LE(level.work, 8 * n + m);
    EXPECT_LE(level.steps, 2 * floor_log2(n) + rounds + 6);

    for (size_t const bound : {1, 5, 1000000}) {
      SCOPED_TRACE(bound);
      auto const keys = random_numbers<std::uint32_t>(n, bound, random);
      auto sorted = keys;
      ravel::comparison_sort(ex, keys, sorted);
      auto const counted = cost_of(sorted, [&] { return book::quicksort_by_levels(keys); });
      size_t const levels = (counted.steps - rest.steps) / level.steps;
      EXPECT_EQ(counted,
                (cost{rest.steps + levels * level.steps, rest.work + levels * level.work}));
      EXPECT_LE(levels, std::min({n - 1, bound - 1, 4 * rounds}));
    }
  });
}

/// Lists over n nodes in random order, each as long as a geometric distribution says.
template <class Random>
sizes random_lists(size_t n, size_t length, Random& random) {
  sizes order(n), next(n);
  std::iota(order.begin(), order.end(), size_t{0});
  std::shuffle(order.begin(), order.end(), random);
  for (size_t k = 0; k < n; ++k) {
    next[order[k]] = k + 1 == n || random() % length == 0 ? order[k] : order[k + 1];
  }
  return next;
}

/// The nodes of the longest part of a list between two splitters.
size_t longest_sublist(sizes const& next, sizes const& ranks, size_t spacing) {
  size_t longest = 0;
  for (size_t i = 0; i < next.size(); ++i) {
    if (ranks[i] != 0 && i % spacing != 0) continue;
    size_t length = 1;
    for (size_t v = i; next[v] != v && next[v] % spacing != 0; v = next[v]) ++length;
    longest = std::max(longest, length);
  }
  return longest;
}

TEST(textbook_programs, rank_lists_as_ravel_does) {
  for_sizes([](size_t n, auto& random) {
    size_t const m = std::bit_ceil(n), rounds = ceil_log2(n);
    for (size_t const length : {1, 9, 1000}) {
      SCOPED_TRACE(length);
      auto const next = random_lists(n, length, random);
      auto ranks = next;
      ravel::list_rank(ex, next, ranks);
      EXPECT_EQ(cost_of(ranks, [&] { return book::rank_by_jumping(next); }),
                n == 0 ? cost{} : (cost{rounds + 3, n * (rounds + 3)}));

      for (size_t const spacing : {1, 8, 1000}) {
        SCOPED_TRACE(spacing);
        size_t s = 0;
        for (size_t i = 0; i < n; ++i) s += ranks[i] == 0 || i % spacing == 0;
        cost const claimed{2 * rounds + ceil_log2(s) + 4 + longest_sublist(next, ranks, spacing),
                           4 * n + 2 * (m - 1) + s * (ceil_log2(s) + 1)};
        EXPECT_EQ(cost_of(ranks, [&] { return book::rank_by_splitters(next, spacing); }),
                  n == 0 ? cost{} : claimed);
      }
    }
  });
}

TEST(textbook_programs, multiply_sparse_matrices_as_ravel_does) {
  for_sizes([](size_t rows, auto& random) {
    size_t const cols = 50;
    sizes offsets{0};
    for (size_t r = 0; r < rows; ++r) offsets.push_back(offsets.back() + random() % 4);
    size_t const n = offsets.back();
    auto const columns = random_numbers<size_t>(n, cols, random);
    auto const values = random_numbers(n, 100, random), x = random_numbers(cols, 100, random);
    ints y(rows);
    ravel::csr const matrix{std::ssize(y), std::ssize(x), ravel::view_of(offsets),
                            ravel::view_of(columns), ravel::view_of(values)};
    ravel::spmv(ex, matrix, x, y);
    auto const counted =
        cost_of(y, [&] { return book::sparse_product(offsets, columns, values, x); });
    EXPECT_LE(counted.work, 5 * n + 2 * rows);
    EXPECT_LE(counted.steps, 2 * floor_log2(n) + 5);
  });
}

TEST(textbook_programs, encode_runs_as_ravel_does) {
  for_sizes([](size_t n, auto& random) {
    for (size_t const bound : {1, 2, 1000}) {
      SCOPED_TRACE(bound);
      auto const x = random_numbers(n, bound, random);
      ints values(n);
      sizes lengths(n);
      auto const count = static_cast<size_t>(ravel::run_length_encode_sync(ex, x, values, lengths));
      values.resize(count);
      lengths.resize(count);
      auto const counted = cost_of(std::pair(values, lengths), [&] {
        auto const runs = book::run_length_encode(x);
        return std::pair(runs.values, runs.lengths);
      });
      EXPECT_LE(counted.work, 5 * n);
      EXPECT_LE(counted.steps, 2 * floor_log2(n) + 3);
    }
  });
}

TEST(textbook_programs, evaluate_polynomials_as_ravel_does) {
  for_sizes([](size_t n, auto& random) {
    words c(n), sums(n);
    for (auto& v : c) v = random();
    std::uint64_t const x = random();
    ravel::linear_recurrence(ex, c, ravel::coefficients{x}, sums,
                             ravel::backward);  // Horner's rule
    size_t const m = std::bit_ceil(n);
    EXPECT_EQ(cost_of(n == 0 ? 0 : sums[0], [&] { return book::evaluate(c, x); }),
              n == 0 ? cost{} : (cost{3 * ceil_log2(n) + 1, n + 3 * (m - 1)}));
  });
}

ravel::monoid const first_nonzero{book::first_nonzero, 0};

TEST(textbook_programs, compare_strings_as_ravel_does) {
  for_sizes([](size_t n, auto& random) {
    std::string a(n, 'a');
    for (char& c : a) c = static_cast<char>(random());
    std::string changed = a;
    if (n > 0) ++changed[random() % n];
    for (std::string const& b : {a, changed, a.substr(0, n / 2), a + 'b', std::string()}) {
      int const expected = (a > b) - (a < b);
      size_t const longer = std::max(n, b.size()), m = std::bit_ceil(longer);
      EXPECT_EQ(cost_of(expected, [&] { return book::compare(a, b); }),
                longer == 0 ? cost{} : (cost{ceil_log2(longer) + 1, longer + m - 1}));
      EXPECT_EQ(book::compare(b, a), -expected);

      ints const signs = book::signs_of(a, b);
      EXPECT_EQ(ravel::reduce_sync(ex, signs, first_nonzero), expected);
      ints prefixes = signs;
      ravel::inclusive_scan(ex, signs, prefixes, first_nonzero);
      EXPECT_EQ(book::compare_prefixes(a, b), prefixes);
    }
  });
}

using state_map = std::array<book::lexeme, 4>;
auto const first_then = [](state_map f, state_map g) {
  return state_map{g[f[0]], g[f[1]], g[f[2]], g[f[3]]};
};

TEST(textbook_programs, lex_as_ravel_and_a_walk_do) {
  for_sizes([](size_t n, auto& random) {
    std::string text(n, ' ');
    for (char& c : text) c = "ab12 .\""[random() % 7];

    std::vector<book::token> expected;
    book::lexeme state = book::blank;
    std::vector<state_map> maps(n);
    for (size_t i = 0; i < n; ++i) {
      auto const c = static_cast<unsigned char>(text[i]);
      auto const now = book::next_state(state, c);
      if (now != book::blank && now != state) expected.push_back({now, i});
      state = now;
      for (size_t s = 0; s < 4; ++s) maps[i][s] = book::next_state(static_cast<book::lexeme>(s), c);
    }
    auto const counted = cost_of(expected, [&] { return book::lex(text); });
    EXPECT_LE(counted.work, 6 * n + 2 * (std::bit_ceil(n) - 1));
    EXPECT_LE(counted.steps, 2 * floor_log2(n) + 2 * ceil_log2(n) + 4);

    ravel::monoid const composition_of_maps{
        first_then, state_map{book::blank, book::name, book::number, book::string}};
    std::vector<state_map> until(n);
    ravel::inclusive_scan(ex, maps, until, composition_of_maps);
    sizes begins(n), flags(n);
    for (size_t i = 0; i < n; ++i) {
      auto const before = i == 0 ? book::blank : until[i - 1][book::blank];
      flags[i] = until[i][book::blank] != book::blank && until[i][book::blank] != before;
    }
    begins.resize(static_cast<size_t>(ravel::pack_index_sync(ex, flags, begins)));
    ASSERT_EQ(begins.size(), expected.size());
    for (size_t k = 0; k < begins.size(); ++k) {
      EXPECT_EQ(expected[k], (book::token{until[begins[k]][book::blank], begins[k]}));
    }
  });
}

}  // namespace
