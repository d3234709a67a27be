#include <ravel/distributed/checked.hpp>
#include <ravel/distributed/deferred_scan.hpp>
#include <ravel/distributed/map.hpp>
#include <ravel/distributed/reduce.hpp>
#include <ravel/distributed/scan.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "distributed/ranks.hpp"
#include "support/briefly.hpp"

namespace ravel::testing::scan_test {
namespace {

/// x -> a x + b, composed from left to right: a monoid that is not commutative.
struct affine {
  std::int64_t a = 1, b = 0;
  friend bool operator==(affine const&, affine const&) = default;
};
struct compose {
  affine identity() const { return {}; }
  affine operator()(affine const& f, affine const& g) const { return {f.a * g.a, g.a * f.b + g.b}; }
};

std::vector<affine> functions(index_t n) {
  std::vector<affine> all;
  for (index_t i = 0; i < n; ++i) all.push_back({i % 3 == 0 ? -1 : 1, i % 7 - 3});
  return all;
}
std::vector<int> numbers(index_t n) {
  std::vector<int> all(n);
  for (index_t i = 0; i < n; ++i) all[i] = static_cast<int>(i * 37 % 11) - 4;
  return all;
}

/// f(ex, x, y) for sequences x of `all` and y, in every placement.
template <class T, class F>
void in_placements(std::vector<T> const& all, F const& f) {
  on_groups([&](auto const& ex) {
    auto const n = static_cast<index_t>(all.size());
    for (auto const& begins : placements(n, ex.ranks().size())) {
      auto const x = placed(ex, all, begins);
      distributed::sequence<T, on_ranks> y(ex, x);
      f(ex, x, y);
    }
  });
}

/// What a call on one rank gives.
template <class T, class F>
std::vector<T> on_one(std::vector<T> const& all, F const& f) {
  std::vector<T> out(all.size());
  f(cpu::sequential(), all, out);
  return out;
}

template <class T, class F>
void is_as_on_one(std::vector<T> const& all, F const& call) {
  auto const expected = on_one(all, call);
  in_placements(all, [&](auto const& ex, auto const& x, auto& y) {
    auto const before = ex.ranks().sent();
    call(ex, x, y);
    EXPECT_LE(ex.ranks().sent() - before, sizeof(T) * (ex.ranks().size() - 1));
    EXPECT_EQ(everywhere(ex, y), expected);
  });
}

TEST(DistributedMap, IsThatOfEachPiece) {
  in_placements(numbers(29), [](auto const& ex, auto const& x, auto& y) {
    auto const before = ex.ranks().sent();
    ravel::map(
        ex, [](int a, int b) { return a + 10 * b; }, y, x, x);
    EXPECT_EQ(ex.ranks().sent(), before);
    auto expected = numbers(29);
    for (int& i : expected) i *= 11;
    EXPECT_EQ(everywhere(ex, y), expected);
  });
}

TEST(DistributedReduce, IsOnEachRank) {
  for (index_t const n : {0, 1, 29}) {
    in_placements(functions(n), [&](auto const& ex, auto const& x, auto&) {
      auto const before = ex.ranks().sent();
      EXPECT_EQ(ravel::reduce_sync(ex, x, compose{}),
                ravel::reduce_sync(cpu::sequential(), functions(n), compose{}));
      EXPECT_EQ(ex.ranks().sent() - before, sizeof(affine) * (ex.ranks().size() - 1));
      EXPECT_EQ(ravel::reduce_sync(ex, x, compose{}, from(affine{2, 1})),
                ravel::reduce_sync(cpu::sequential(), functions(n), compose{}, from(affine{2, 1})));
    });
  }
}

TEST(DistributedReduce, TakesMapsOfSequences) {
  on_groups([](auto const& ex) {
    auto const x = distributed::from(ex, std::vector{3, 1, 2, 4});
    auto const twice = map_source(x, [](int i) { return 2 * i; });
    auto const sum = ex.template replicate<int>(1);
    ravel::reduce(ex, twice, sum);
    EXPECT_EQ(*sum.data(), 20);
  });
}

TEST(DistributedScan, Sums) {
  for (index_t const n : {0, 1, 29, 10'000}) {
    is_as_on_one(numbers(n),
                 [](auto const& ex, auto const& x, auto& y) { ravel::inclusive_scan(ex, x, y); });
  }
}

TEST(DistributedScan, AnyMonoidForwardAndBackward) {
  is_as_on_one(functions(29), [](auto const& ex, auto const& x, auto& y) {
    ravel::inclusive_scan(ex, x, y, compose{});
  });
  is_as_on_one(functions(29), [](auto const& ex, auto const& x, auto& y) {
    ravel::exclusive_scan(ex, x, y, compose{}, backward, from(affine{2, 5}));
  });
}

TEST(DistributedScan, TotalsAreOnEachRank) {
  auto const all = functions(29);
  in_placements(all, [&](auto const& ex, auto const& x, auto& y) {
    auto const total = ex.template replicate<affine>(1);
    ravel::exclusive_scan(ex, x, y, compose{}, backward, from(affine{2, 5}), total_to(total));
    std::vector<affine> out(all.size()), expected(1);
    ravel::exclusive_scan(cpu::sequential(), all, out, compose{}, backward, from(affine{2, 5}),
                          total_to(expected));
    EXPECT_EQ(*total.data(), expected[0]);
  });
}

TEST(DistributedScan, InPlace) {
  auto const expected = on_one(numbers(29), [](auto const& ex, auto const& x, auto& y) {
    ravel::exclusive_scan(ex, x, y, maximum{});
  });
  on_groups([&](auto const& ex) {
    auto x = distributed::from(ex, numbers(29));
    ravel::exclusive_scan(ex, x, x, maximum{});
    EXPECT_EQ(everywhere(ex, x), expected);
  });
}

TEST(DistributedScan, OneElementMoreReceivesTheTotal) {
  on_groups([](auto const& ex) {
    auto const lengths = distributed::from(ex, std::vector{3, 1, 2, 4, 1, 5});
    std::vector<index_t> begins(lengths.begins().begin(), lengths.begins().end());
    ++begins.back();
    distributed::sequence<index_t, on_ranks> offsets(ex, begins);
    ravel::exclusive_scan(ex, lengths, offsets);
    EXPECT_EQ(everywhere(ex, offsets), (std::vector<index_t>{0, 3, 4, 6, 10, 11, 16}));
  });
}

/// call(ex, x, y) gives on ranks what it gives on one, and sends `bytes` to each other rank.
template <class T, class F>
void sends(std::uint64_t bytes, std::vector<T> const& all, F const& call) {
  auto const expected = on_one(all, call);
  in_placements(all, [&](auto const& ex, auto const& x, auto& y) {
    auto const before = ex.ranks().sent();
    call(ex, x, y);
    EXPECT_EQ(ex.ranks().sent() - before, bytes * (ex.ranks().size() - 1));
    EXPECT_EQ(everywhere(ex, y), expected);
  });
}

THOROUGH_TEST(DistributedScan, OfAnOrderSendsItsRunningSums) {
  for (index_t const n : {0, 1, 29, 5000}) {
    sends(4 * sizeof(int), numbers(n), [](auto const& ex, auto const& x, auto& y) {
      ravel::inclusive_scan(ex, x, y, plus{}, of_order<2>);
    });
  }
  sends(6 * sizeof(int), numbers(29), [](auto const& ex, auto const& x, auto& y) {
    ravel::exclusive_scan(ex, x, y, plus{}, of_order<3>, backward, from(7));
  });
  on_groups([](auto const& ex) {
    auto x = distributed::from(ex, std::vector{1, 2, 3, 4, 5, 6});
    auto const total = ex.template replicate<int>(1);
    ravel::inclusive_scan(ex, x, x, plus{}, of_order<2>, total_to(total));
    EXPECT_EQ(everywhere(ex, x), (std::vector{1, 4, 10, 20, 35, 56}));
    EXPECT_EQ(*total.data(), 56);
  });
}

THOROUGH_TEST(DistributedScan, TuplesMayLieOverAnyRanks) {
  for (index_t const n : {0, 1, 2, 29, 5000}) {
    sends(3 * sizeof(int) + 8, numbers(n), [](auto const& ex, auto const& x, auto& y) {
      ravel::inclusive_scan(ex, x, y, plus{}, of_tuples<3>);
    });
    sends(2 * sizeof(affine) + 8, functions(n), [](auto const& ex, auto const& x, auto& y) {
      ravel::exclusive_scan(ex, x, y, compose{}, of_tuples<2>, backward, from(affine{2, 5}));
    });
  }
}

THOROUGH_TEST(DistributedScan, RecurrencesSendTheirEffect) {
  for (index_t const n : {0, 1, 29, 5000}) {
    sends(6 * sizeof(int), numbers(n), [](auto const& ex, auto const& x, auto& y) {
      linear_recurrence(ex, x, coefficients{1, -2}, y);
    });
    sends(2 * sizeof(int), numbers(n), [](auto const& ex, auto const& x, auto& y) {
      linear_recurrence(ex, x, coefficients{-3}, y, backward, from(2));
    });
    sends(2 * sizeof(int), numbers(n),
          [](auto const& ex, auto const& x, auto& y) { linear_recurrence(ex, x, x, y); });
    sends(2 * sizeof(int), numbers(n), [](auto const& ex, auto const& x, auto& y) {
      linear_recurrence(ex, x, x, y, backward, from(5));
    });
  }
}

TEST(DistributedScan, ADeferredCarryIsCombinedByTheNextCall) {
  auto const all = functions(29);
  auto const expected = on_one(all, [](auto const& ex, auto const& x, auto& y) {
    ravel::inclusive_scan(ex, x, y, compose{});
  });
  in_placements(all, [&](auto const& ex, auto const& x, auto& y) {
    auto const before = ex.ranks().sent();
    auto const scanned = distributed::deferred_inclusive_scan(ex, x, y, compose{});
    EXPECT_EQ(ex.ranks().sent() - before, sizeof(affine) * (ex.ranks().size() - 1));
    auto const total = ex.template replicate<affine>(1);
    ravel::reduce(ex, scanned.source(), total, compose{});
    EXPECT_EQ(*total.data(), ravel::reduce_sync(cpu::sequential(), expected, compose{}));
    distributed::sequence<affine, on_ranks> z(ex, y);
    auto const invert = [](affine const& f) { return affine{-f.a, f.b}; };
    ravel::map(ex, invert, z, scanned.source());
    auto inverted = expected;
    for (affine& f : inverted) f = invert(f);
    EXPECT_EQ(everywhere(ex, z), inverted);
    ravel::inclusive_scan(ex, scanned.source(), z, compose{});
    auto twice = expected;
    ravel::inclusive_scan(cpu::sequential(), twice, twice, compose{});
    EXPECT_EQ(everywhere(ex, z), twice);
    auto const source = scanned.source();
    for (int k = 0; k < 2; ++k) {  // settled twice, and read after each
      scanned.settle();
      EXPECT_EQ(everywhere(ex, y), expected);
      ravel::inclusive_scan(ex, source, z, compose{});
      EXPECT_EQ(everywhere(ex, z), twice);
    }
  });
}

TEST(DistributedScan, ADeferredCarryOfAnExclusiveScan) {
  auto const all = functions(29);
  auto const expected = on_one(all, [](auto const& ex, auto const& x, auto& y) {
    ravel::exclusive_scan(ex, x, y, compose{});
  });
  in_placements(all, [&](auto const& ex, auto const& x, auto& y) {
    auto const scanned = distributed::deferred_exclusive_scan(ex, x, y, compose{});
    distributed::sequence<affine, on_ranks> z(ex, y);
    ravel::map(
        ex, [](affine const& f) { return f; }, z, scanned.source());
    EXPECT_EQ(everywhere(ex, z), expected);
    scanned.settle();
    EXPECT_EQ(everywhere(ex, y), expected);
  });
}

/// Adds, and counts how often.
struct counting : plus<int> {
  static inline std::atomic<int> calls = 0;
  int operator()(int x, int y) const {
    ++calls;
    return x + y;
  }
};

TEST(DistributedScan, ADeferredCarryReadsEachElementOnce) {
  int const n = 1000, p = 4;
  auto const calls_of = [&](auto const& f) {
    counting::calls = 0;
    distributed::run_ranks(p, [&](auto const& ranks) {
      on_ranks const ex(cpu::sequential(), ranks);
      auto const x = distributed::from(ex, numbers(n));
      auto y = ex.template allocate<int>(n);
      f(ex, x, y);
    });
    return counting::calls.load();
  };
  // An addition for each element that is read, and those of carries of p ranks.
  EXPECT_LE(calls_of([](auto const& ex, auto const& x, auto& y) {
              distributed::deferred_inclusive_scan(ex, x, y, counting{});
            }),
            n + p * p);
  EXPECT_GE(calls_of([](auto const& ex, auto const& x, auto& y) {
              ravel::inclusive_scan(ex, x, y, counting{});
            }),
            n + (p - 1) * n / p - 2 * p);  // the last rank reads once
}

TEST(DistributedScan, AnOperatorThatThrowsEndsTheCallOnEachRank) {
  struct picky : plus<int> {
    int operator()(int x, int y) const {
      if (y == 77) throw std::runtime_error("77 is too much");
      return x + y;
    }
  };
  auto all = numbers(24);
  all[20] = 77;  // on the last of 2 and of 3 ranks
  for (int const p : {2, 3}) {
    EXPECT_EQ(error_of([&] {
                distributed::run_ranks(p, [&](auto const& ranks) {
                  on_ranks const ex(cpu::sequential(), ranks);
                  auto x = distributed::from(ex, all);
                  ravel::inclusive_scan(ex, x, x, picky{});
                });
              }),
              "rank " + std::to_string(p - 1) + ": inclusive_scan: 77 is too much");
  }
}

/// numbers(n) over p ranks, and room for its exclusive scan and the total, which is on rank `r`.
template <class... Options>
std::vector<int> scan_with_total_on(int p, int r, Options... options) {
  std::vector<int> all;
  distributed::run_ranks(p, [&](auto const& ranks) {
    distributed::checked const compared(ranks);
    distributed::executor const ex(cpu::sequential(), compared);
    auto const x = distributed::from(ex, numbers(13));
    auto begins = distributed::even_begins(13, p);
    for (auto k = begins.begin() + r + 1; k != begins.end(); ++k) ++*k;
    distributed::sequence<int, std::remove_const_t<decltype(ex)>> y(ex, begins);
    ravel::exclusive_scan(ex, x, y, plus{}, options...);
    auto const found = distributed::gather_to(ex, y, 0);
    if (ranks.rank() == 0) all = found;
  });
  return all;
}

TEST(DistributedScan, TheTotalFollowsTheResultsOfTheLastRank) {
  std::vector<int> forward(14), back(14);
  ravel::exclusive_scan(cpu::sequential(), numbers(13), forward);
  ravel::exclusive_scan(cpu::sequential(), numbers(13), back, plus{}, backward);
  for (int const p : numbers_of_ranks) {
    EXPECT_EQ(scan_with_total_on(p, p - 1), forward);
    EXPECT_EQ(scan_with_total_on(p, 0, backward), back);
  }
}

TEST(DistributedScan, ATotalOnAnotherRankIsRefused) {
  auto const refused = [](int r, int right) {
    auto const rank = std::to_string(r);
    return "rank " + rank + ": exclusive_scan: out has one element more than in on rank " + rank +
           ", and the total is on rank " + std::to_string(right);
  };
  for (int const p : {2, 3, 8}) {
    for (int r = 0; r < p; ++r) {
      if (r != p - 1) {
        EXPECT_EQ(error_of([&] { scan_with_total_on(p, r); }), refused(r, p - 1));
      }
      if (r != 0) {
        EXPECT_EQ(error_of([&] { scan_with_total_on(p, r, backward); }), refused(r, 0));
      }
    }
  }
}

TEST(DistributedScan, MisuseIsASentence) {
  EXPECT_EQ(error_of([] {
              distributed::run_ranks(2, [](auto const& ranks) {
                on_ranks const ex(cpu::sequential(), ranks);
                auto const x = distributed::from(ex, numbers(4));
                auto y = ex.template allocate<int>(5);
                if (ranks.rank() == 1) return;
                ravel::inclusive_scan(ex, x, y);
              });
            }),
            "rank 0: inclusive_scan: out has 3 elements, and in has 2");
}

}  // namespace
}  // namespace ravel::testing::scan_test
