// Primitives called without a using-directive, with elements, operators and predicates of another
// namespace.

#include <ravel/core/cpu/executor.hpp>
#include <ravel/core/derived_monoids.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/primitives/adjacent_difference.hpp>
#include <ravel/primitives/distribute.hpp>
#include <ravel/primitives/expand.hpp>
#include <ravel/primitives/find_first.hpp>
#include <ravel/primitives/gather.hpp>
#include <ravel/primitives/histogram.hpp>
#include <ravel/primitives/iota.hpp>
#include <ravel/primitives/linear_recurrence.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/merge.hpp>
#include <ravel/primitives/pack.hpp>
#include <ravel/primitives/reduce.hpp>
#include <ravel/primitives/reduce_by_key.hpp>
#include <ravel/primitives/run_length.hpp>
#include <ravel/primitives/scan.hpp>
#include <ravel/primitives/scatter.hpp>
#include <ravel/primitives/search.hpp>
#include <ravel/primitives/searches.hpp>
#include <ravel/primitives/segment_forms.hpp>
#include <ravel/primitives/segmented_apply.hpp>
#include <ravel/primitives/segmented_pack.hpp>
#include <ravel/primitives/segmented_reduce.hpp>
#include <ravel/primitives/segmented_scan.hpp>
#include <ravel/primitives/split.hpp>
#include <ravel/primitives/unique.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace stranger {
namespace {

/// A user's number type.
struct money {
  int cents = 0;
  friend bool operator==(money, money) = default;
};
struct add_money {
  static money identity() { return {}; }
  money operator()(money x, money y) const { return {x.cents + y.cents}; }
};
struct is_odd {
  bool operator()(money x) const { return x.cents % 2 != 0; }
};
struct cheaper {
  bool operator()(money x, money y) const { return x.cents < y.cents; }
};
struct cents {
  ravel::index_t operator()(money x) const { return x.cents; }
};
struct doubled {
  money operator()(money x) const { return {2 * x.cents}; }
};
struct subtract {
  money operator()(money x, money y) const { return {x.cents - y.cents}; }
};
struct repeated {
  money operator()(money x, ravel::index_t) const { return x; }
};

using ints = std::vector<int>;
using monies = std::vector<money>;

monies of(ints const& x) {
  monies result;
  for (int const c : x) result.push_back({c});
  return result;
}

ravel::cpu::sequential const ex;
monies const six = of({3, 1, 2, 4, 1, 5});
ints const lengths{3, 2, 1};
ints const offsets{0, 3, 5, 6};
ints const places{5, 4, 3, 2, 1, 0};

/// The n elements that call(out) writes.
template <class T = money, class Call>
std::vector<T> written(std::size_t n, Call const& call) {
  std::vector<T> out(n);
  call(out);
  return out;
}

TEST(qualified, scans_and_reductions) {
  EXPECT_EQ(written(6, [](auto& out) { ravel::inclusive_scan(ex, six, out, add_money{}); }),
            of({3, 4, 6, 10, 11, 16}));
  EXPECT_EQ(written(6,
                    [](auto& out) {
                      ravel::exclusive_scan(ex, six, out, add_money{}, ravel::from(money{1}),
                                            ravel::backward);
                    }),
            of({14, 13, 11, 7, 6, 1}));
  EXPECT_EQ(ravel::reduce_sync(ex, six, add_money{}), money{16});
  EXPECT_EQ(written(1, [](auto& out) { ravel::reduce(ex, six, out, add_money{}); }), of({16}));
  EXPECT_EQ(written(3,
                    [](auto& out) {
                      ravel::segmented_reduce(ex, six, ravel::by_lengths(lengths), out,
                                              add_money{});
                    }),
            of({6, 5, 5}));
  EXPECT_EQ(written(6,
                    [](auto& out) {
                      ravel::segmented_inclusive_scan(ex, six, ravel::by_offsets(offsets), out,
                                                      add_money{});
                    }),
            of({3, 4, 6, 4, 5, 5}));
  EXPECT_EQ(written(6,
                    [](auto& out) {
                      ravel::segmented_exclusive_scan(ex, six, ravel::by_keys(places), out,
                                                      add_money{});
                    }),
            of({0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(
      written<int>(3,
                   [](auto& out) {
                     ravel::linear_recurrence(ex, ints{1, 0, 0}, ravel::coefficients{1, 1}, out);
                   }),
      (ints{1, 1, 2}));
}

TEST(qualified, selections) {
  EXPECT_EQ(written(4, [](auto& out) { ravel::filter(ex, six, is_odd{}, out); }), of({3, 1, 1, 5}));
  monies out(6);
  EXPECT_EQ(ravel::filter_sync(ex, six, is_odd{}, out), 4);
  EXPECT_EQ(ravel::pack_sync(ex, six, ints{1, 0, 0, 0, 0, 1}, out), 2);
  EXPECT_EQ(ravel::unique_sync(ex, six, out), 6);
  EXPECT_EQ(ravel::find_first_sync(ex, six, is_odd{}), 0);
  EXPECT_TRUE(ravel::any_of_sync(ex, six, is_odd{}));
  EXPECT_TRUE(ravel::equal_sync(ex, six, six));
  EXPECT_EQ(ravel::search_sync(ex, six, six), 0);
  ints indices(6);
  EXPECT_EQ(ravel::pack_index_sync(ex, ints{0, 0, 1, 0, 0, 1}, indices), 2);
  EXPECT_EQ(written(6, [](auto& to) { ravel::split(ex, six, is_odd{}, to); }),
            of({2, 4, 3, 1, 1, 5}));
  ints to_offsets(4);
  ravel::segmented_pack(ex, six, ints{1, 0, 1, 0, 1, 1}, ravel::by_offsets(offsets), out,
                        to_offsets);
  EXPECT_EQ(to_offsets, (ints{0, 2, 3, 4}));
}

TEST(qualified, maps_and_moves) {
  EXPECT_EQ(written(6, [](auto& out) { ravel::map(ex, doubled{}, out, six); }),
            of({6, 2, 4, 8, 2, 10}));
  EXPECT_EQ(written(6, [](auto& out) { ravel::gather(ex, six, places, out); }),
            of({5, 1, 4, 2, 1, 3}));
  EXPECT_EQ(written(6, [](auto& out) { ravel::scatter(ex, six, places, out); }),
            of({5, 1, 4, 2, 1, 3}));
  EXPECT_EQ(written(6, [](auto& out) { ravel::permute(ex, six, places, out); }),
            of({5, 1, 4, 2, 1, 3}));
  EXPECT_EQ(written(2, [](auto& out) { ravel::distribute(ex, money{7}, out); }), of({7, 7}));
  EXPECT_EQ(written<int>(3, [](auto& out) { ravel::iota(ex, out, 5, 2); }), (ints{5, 7, 9}));
  EXPECT_EQ(written(6, [](auto& out) { ravel::adjacent_difference(ex, six, out, subtract{}); }),
            of({3, -2, 1, 2, -3, 4}));
  EXPECT_EQ(written(6,
                    [](auto& out) {
                      ravel::expand(ex, repeated{}, of({7, 8, 9}), ravel::by_lengths(lengths), out);
                    }),
            of({7, 7, 7, 8, 8, 9}));
  EXPECT_EQ(written(6,
                    [](auto& out) {
                      ravel::replicate(ex, of({7, 8, 9}), ravel::by_lengths(lengths), out);
                    }),
            of({7, 7, 7, 8, 8, 9}));
  EXPECT_EQ(written<int>(6, [](auto& out) { ravel::histogram(ex, six, out, cents{}); }),
            (ints{0, 2, 1, 1, 1, 1}));
}

TEST(qualified, what_is_in_order) {
  auto const a = of({1, 3, 5}), b = of({2, 3});
  EXPECT_EQ(written(5, [&](auto& out) { ravel::merge(ex, a, b, out, cheaper{}); }),
            of({1, 2, 3, 3, 5}));
  EXPECT_EQ(written<int>(2, [&](auto& out) { ravel::lower_bound(ex, b, a, out, cheaper{}); }),
            (ints{1, 1}));
  EXPECT_EQ(written<int>(2, [&](auto& out) { ravel::upper_bound(ex, b, a, out, cheaper{}); }),
            (ints{1, 2}));
  monies keys(6), sums(6);
  EXPECT_EQ(ravel::reduce_by_key_sync(ex, of({1, 1, 2, 2, 2, 1}), six, keys, sums, add_money{}), 3);
  ints runs(6);
  EXPECT_EQ(ravel::run_length_encode_sync(ex, of({7, 7, 8}), keys, runs), 2);
  EXPECT_EQ(written(3,
                    [](auto& out) {
                      ravel::run_length_decode(ex, of({7, 8}), ints{2, 1}, out);
                    }),
            of({7, 7, 8}));
}

TEST(qualified, descriptors_of_segments) {
  auto const by_lengths = ravel::by_lengths(lengths);
  EXPECT_EQ(written<int>(4, [&](auto& out) { ravel::offsets_of(ex, by_lengths, out); }), offsets);
  EXPECT_EQ(
      written<int>(3, [](auto& out) { ravel::lengths_of(ex, ravel::by_offsets(offsets), out); }),
      lengths);
  EXPECT_EQ(written<int>(6, [](auto& out) { ravel::heads_of(ex, ravel::uniform(3, 2), out); }),
            (ints{1, 0, 1, 0, 1, 0}));
  EXPECT_EQ(written<int>(6, [](auto& out) { ravel::segment_ids_of(ex, ravel::chunks(6, 4), out); }),
            (ints{0, 0, 0, 0, 1, 1}));
}

}  // namespace
}  // namespace stranger
