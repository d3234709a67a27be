#include <ravel/core/monoid.hpp>

#include "support/executors.hpp"
#include "support/monoids.hpp"

#include <cstdint>

namespace ravel::team_test {
namespace {

using testing::affine;
using testing::then;

constexpr int ways = 5;

struct load_map {
  affine const* in;
  RAVEL_HD affine operator()(index_t i) const { return in[i]; }
};
struct store_both {
  affine* before;
  affine* through;
  RAVEL_HD void operator()(index_t i, affine const& ahead, affine const& with) const {
    before[i] = ahead;
    through[i] = with;
  }
};
/// Digits with all kinds of runs: constant over whole rounds, and changing within a warp.
struct digit_of {
  RAVEL_HD int operator()(index_t i) const {
    return static_cast<int>(i % 1024 < 512 ? i * i % ways : i / 128 % 3);
  }
};

struct put_in_row {
  index_t* row;
  RAVEL_HD void operator()(int digit, index_t count) const { row[digit] = count; }
};
struct start_of_digit {
  index_t tile;
  RAVEL_HD index_t operator()(int digit) const { return 1000 * tile + 100000 * digit; }
};
struct store_place {
  index_t* places;
  int* digits;
  RAVEL_HD void operator()(index_t i, int digit, index_t place) const {
    places[i] = place;
    digits[i] = digit;
  }
};

struct store_twice {
  affine* out;
  RAVEL_HD void operator()(index_t i, affine const& f) const { out[i] = then{}(f, f); }
};

/// Every operation of a team on its tile, each result in a place of its own.
struct all_verbs {
  affine const* in;
  affine carry;
  affine* mapped;
  affine* reduced;
  affine* scanned;
  affine* before;
  affine* through;
  index_t* counts;
  index_t* places;
  int* digits;

  template <class Team>
  RAVEL_HD void operator()(Team const& team, tile t) const {
    team.map(t, load_map{in}, store_twice{mapped});
    affine const sum = team.reduce(t, load_map{in}, then{}, carry);
    affine const last = team.scan(t, load_map{in}, store_both{before, through}, then{}, carry);
    team.template count<ways>(t, digit_of{}, put_in_row{counts + ways * t.id});
    team.template rank<ways>(t, digit_of{}, start_of_digit{t.id}, store_place{places, digits});
    if (team.leads()) {
      reduced[t.id] = sum;
      scanned[t.id] = last;
    }
  }
};

template <class Ex>
struct team : testing::on_executor<Ex> {};
TYPED_TEST_SUITE(team, testing::executors);

TYPED_TEST(team, does_on_every_tile_what_the_loops_say) {
  for (index_t const n : {1, 31, 32, 33, 64, 65, 500, 512, 513, 4096, 4097, 20000}) {
    SCOPED_TRACE(n);
    index_t const tiles = this->ex().tile_count(n);
    affine const carry{3, 7};
    std::vector<affine> in;
    for (std::uint32_t i = 0; i < n; ++i) in.push_back(testing::nth_affine(i));
    auto const there = this->there(in);
    auto const mapped = this->template allocate<affine>(n);
    auto const reduced = this->template allocate<affine>(tiles);
    auto const scanned = this->template allocate<affine>(tiles);
    auto const before = this->template allocate<affine>(n);
    auto const through = this->template allocate<affine>(n);
    auto const counts = this->template allocate<index_t>(ways * tiles);
    auto const places = this->template allocate<index_t>(n);
    auto const digits = this->template allocate<int>(n);
    this->ex().for_each_tile(
        n, all_verbs{there.data(), carry, mapped.data(), reduced.data(), scanned.data(),
                     before.data(), through.data(), counts.data(), places.data(), digits.data()});

    // The tile width of the executor, from the number of tiles of a large input.
    index_t const much = index_t{1} << 20;
    index_t const width = much / this->ex().tile_count(much);
    std::vector<affine> twice;
    for (affine const& f : in) twice.push_back(then{}(f, f));
    std::vector<affine> sums;
    std::vector<affine> ahead;
    std::vector<affine> with;
    std::vector<index_t> expected_counts;
    std::vector<index_t> expected_places;
    std::vector<int> expected_digits;
    for (index_t begin = 0; begin < n; begin += width) {
      affine sum = carry;
      std::vector<index_t> seen(ways, 0);
      for (index_t i = begin; i < std::min(begin + width, n); ++i) {
        ahead.push_back(sum);
        sum = then{}(sum, in[static_cast<std::size_t>(i)]);
        with.push_back(sum);
        int const digit = digit_of{}(i);
        expected_digits.push_back(digit);
        expected_places.push_back(start_of_digit{begin / width}(digit) +
                                  seen[static_cast<std::size_t>(digit)]++);
      }
      sums.push_back(sum);
      expected_counts.insert(expected_counts.end(), seen.begin(), seen.end());
    }
    EXPECT_EQ(this->here(mapped), twice);
    EXPECT_EQ(this->here(reduced), sums);
    EXPECT_EQ(this->here(scanned), sums);
    EXPECT_EQ(this->here(before), ahead);
    EXPECT_EQ(this->here(through), with);
    EXPECT_EQ(this->here(counts), expected_counts);
    EXPECT_EQ(this->here(places), expected_places);
    EXPECT_EQ(this->here(digits), expected_digits);
  }
}

}  // namespace
}  // namespace ravel::team_test
