/// The calculus of flattening: its examples, and the same programs by nested values, whose optimiser
/// must not change what they return.

#include <ravel/flatten/calculus.hpp>
#include <ravel/flatten/flatten.hpp>

#include "support/executors.hpp"

#include <random>

namespace ravel::calculus_test {
namespace {

using numbers = std::vector<index_t>;
using rows = std::vector<numbers>;

/// Rows of random lengths, of which many are empty.
rows random_rows(unsigned seed) {
  std::mt19937 random(seed);
  rows all(100);
  for (auto& row : all) {
    row.resize(random() % 3 == 0 ? 0 : random() % 20);
    for (auto& x : row) x = static_cast<index_t>(random() % 100);
  }
  return all;
}

template <class Ex>
struct calculus : ::testing::Test {
  Ex ex;
  auto there(numbers const& x) const { return to(ex, x); }
  auto flags(std::vector<int> const& of) const {
    auto out = ex.template allocate<bool>(size_of(of));
    auto const from = to(ex, of);
    map(ex, identity_of_flag{}, out, from);
    return out;
  }
  template <class X>
  auto here(X const& x) const {
    return to_host(ex, x);
  }
  /// The sequences of elements and offsets.
  template <class X, class O>
  rows closed(X const& x, O const& o) const {
    auto const elements = here(x), offsets = here(o);
    rows all;
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
      all.emplace_back(elements.begin() + offsets[s], elements.begin() + offsets[s + 1]);
    }
    return all;
  }
  struct identity_of_flag {
    RAVEL_HD bool operator()(int x) const { return x != 0; }
  };
};
TYPED_TEST_SUITE(calculus, testing::executors);

TYPED_TEST(calculus, gives_the_examples_in_the_header) {
  auto const& ex = this->ex;
  auto const x = this->there({3, 1, 2, 5, 4}), offsets = this->there({0, 3, 3, 5});
  using namespace ravel::calculus;
  EXPECT_EQ(this->here(offsets_of(ex, this->there({3, 0, 2}))), (numbers{0, 3, 3, 5}));
  EXPECT_EQ(this->here(lengths_of(ex, offsets)), (numbers{3, 0, 2}));
  EXPECT_EQ(this->here(sequence_of_each(ex, offsets)), (numbers{0, 0, 0, 2, 2}));
  EXPECT_EQ(this->here(index_of_each(ex, offsets)), (numbers{0, 1, 2, 0, 1}));
  EXPECT_EQ(this->here(spread(ex, this->there({7, 8, 9}), offsets)), (numbers{7, 7, 7, 9, 9}));
  EXPECT_EQ(this->here(scan_each(ex, x, offsets, plus<index_t>{})), (numbers{3, 4, 6, 5, 9}));
  EXPECT_EQ(this->here(reduce_each(ex, x, offsets, plus<index_t>{})), (numbers{6, 0, 9}));

  auto const packed = pack_each(ex, x, offsets, this->flags({1, 0, 1, 0, 1}));
  EXPECT_EQ(this->closed(packed.first, packed.second), (rows{{3, 2}, {}, {4}}));
  EXPECT_EQ(
      this->here(combine(ex, this->flags({1, 0, 1, 1}), this->there({1, 3, 4}), this->there({2}))),
      (numbers{1, 2, 3, 4}));
  auto const taken = sequences_at(ex, x, offsets, this->there({2, 0, 2}));
  EXPECT_EQ(this->closed(taken.first, taken.second), (rows{{5, 4}, {3, 1, 2}, {5, 4}}));
}

TYPED_TEST(calculus, of_no_sequences_and_of_no_elements) {
  auto const& ex = this->ex;
  using namespace ravel::calculus;
  for (index_t const k : {0, 1, 3}) {
    auto const offsets = this->there(numbers(static_cast<std::size_t>(k + 1)));
    auto const none = this->there({});
    EXPECT_EQ(size_of(sequence_of_each(ex, offsets)), 0);
    EXPECT_EQ(this->here(reduce_each(ex, none, offsets, plus<index_t>{})),
              numbers(static_cast<std::size_t>(k)));
    EXPECT_EQ(size_of(pack_each(ex, none, offsets, this->flags({})).first), 0);
  }
}

struct is_above {
  RAVEL_HD bool operator()(index_t x, index_t bound) const { return x > bound; }
};

/// The sum of the elements of each row that are above its mean, twice where it is odd.
TYPED_TEST(calculus, says_what_nested_programs_mean) {
  auto const& ex = this->ex;
  for (unsigned const seed : {1u, 2u, 3u}) {
    rows const all = random_rows(seed);
    auto const value = from(ex, all);
    auto const x = elements(flatten(value));
    auto const lengths = elements(each(value, [](auto row) { return len(row); }));
    auto const nested = to_host(each(value, [](auto row) {
      auto const mean = sum(row) / max(len(row), 1);
      auto const above = filter(row, [&](auto e) { return e > mean; });
      return tup(sum(above), len(above));
    }));

    using namespace ravel::calculus;
    auto const values = this->there(this->here(x));
    auto const offsets = offsets_of(ex, this->there(this->here(lengths)));
    numbers means = this->here(reduce_each(ex, values, offsets, plus<index_t>{}));
    for (std::size_t s = 0; s < means.size(); ++s) {
      means[s] /= std::max<index_t>(1, static_cast<index_t>(all[s].size()));
    }
    auto const flags = ravel::calculus::mapped<bool>(ex, is_above{}, values,
                                                     spread(ex, this->there(means), offsets));
    auto const above = pack_each(ex, values, offsets, flags);
    auto const sums = this->here(reduce_each(ex, above.first, above.second, plus<index_t>{}));
    auto const counts = this->here(lengths_of(ex, above.second));
    for (std::size_t s = 0; s < all.size(); ++s) {
      EXPECT_EQ((std::tuple{sums[s], counts[s]}), nested[s]) << seed << ", row " << s;
    }
  }
}

}  // namespace
}  // namespace ravel::calculus_test
