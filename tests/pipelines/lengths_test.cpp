// Lengths and numbers at the limits of their types.

#include <ravel/core/checked.hpp>
#include <ravel/pipelines/pipelines.hpp>

#include "support/executors.hpp"
#include "support/said_by.hpp"

#include <cstdint>
#include <limits>
#include <vector>

namespace ravel::lengths_test {
namespace {

using testing::said_by;
using ints = std::vector<int>;

constexpr index_t longest = std::numeric_limits<index_t>::max();
constexpr int int_max = std::numeric_limits<int>::max();
constexpr int int_min = std::numeric_limits<int>::min();

struct equal_to_zero {
  RAVEL_HD bool operator()(index_t x) const { return x == 0; }
};
struct ignored {
  RAVEL_HD void operator()(index_t) const {}
};
struct first_of {
  RAVEL_HD index_t operator()(index_t x, index_t) const { return x; }
};

template <class Ex>
struct lengths : testing::on_executor<Ex> {};
TYPED_TEST_SUITE(lengths, testing::executors);

TYPED_TEST(lengths, numbers_wrap_around) {
  EXPECT_EQ(on(this->ex(), iota(int_max - 1, 4)) | to_vector(),
            (ints{int_max - 1, int_max, int_min, int_min + 1}));
  EXPECT_EQ(on(this->ex(), iota(std::int8_t{126}, 4)) | to_vector(),
            (std::vector<std::int8_t>{126, 127, -128, -127}));
  EXPECT_EQ(on(this->ex(), iota(INT64_MAX, 2)) | to_vector(),
            (std::vector<std::int64_t>{INT64_MAX, INT64_MIN}));
}

TYPED_TEST(lengths, that_are_no_index_are_refused_by_sources) {
  EXPECT_EQ(said_by([] { iota(std::uint64_t{1} << 63); }),
            "iota: the length is 9223372036854775808 and must be in [0, 2^63)");
  EXPECT_EQ(said_by([] { iota(0, ~std::uint64_t{0}); }),
            "iota: the length is 18446744073709551615 and must be in [0, 2^63)");
  EXPECT_EQ(said_by([] { iota(-1); }), "iota: the length is -1 and must be in [0, 2^63)");
  EXPECT_EQ(said_by([] { constant(7, std::uint64_t{1} << 63); }),
            "constant: the length is 9223372036854775808 and must be in [0, 2^63)");
  EXPECT_EQ(said_by([] { generate(-3, random_words{}); }),
            "generate: the length is -3 and must be in [0, 2^63)");
}

TYPED_TEST(lengths, of_endless_sources_are_fine_where_little_is_taken) {
  EXPECT_EQ(on(this->ex(), iota(longest)) | take(3) | to_vector(), (std::vector<index_t>{0, 1, 2}));
  EXPECT_EQ(on(this->ex(), iota(longest)) | drop(longest - 1) | to_vector(),
            (std::vector<index_t>{longest - 1}));
  EXPECT_EQ(on(this->ex(), iota(longest)) | stride(longest) | to_vector(),
            (std::vector<index_t>{0}));
  EXPECT_EQ(on(this->ex(), iota(longest)) | reverse() | first(1),
            (std::vector<index_t>{longest - 1}));
  EXPECT_EQ(on(this->ex(), iota(longest)) | adjacent(plus{}) | count(), longest - 1);
}

TYPED_TEST(lengths, of_sources_in_a_row_are_added_up_or_refused) {
  auto const half = iota(index_t{1} << 62);
  EXPECT_EQ(said_by([&] { concat(half, half); }),
            "there cannot be 4611686018427387904 and 4611686018427387904 elements in a row");
  EXPECT_EQ(said_by([&] { on(this->ex(), half) | concat(half); }),
            "pipeline: stage 1, concat: there cannot be 4611686018427387904 and "
            "4611686018427387904 elements in a row");
  auto const most = concat(half, iota((index_t{1} << 62) - 1));
  EXPECT_EQ(on(this->ex(), most) | count(), longest);
  auto const one = this->there(std::vector<index_t>{1});
  EXPECT_EQ(said_by([&] { on(this->ex(), iota(longest)) | merge_with(one); }),
            "pipeline: stage 1, merge_with: there cannot be 9223372036854775807 and 1 elements in "
            "a row");
}

TYPED_TEST(lengths, that_no_pass_comes_to_the_end_of_are_refused) {
  auto const endless = on(this->ex(), iota(longest));
  std::string const refused = "pipeline: a pass over 9223372036854775807 elements does not end";
  EXPECT_EQ(said_by([&] { endless | reduce(plus{}); }), refused);
  EXPECT_EQ(said_by([&] { endless | filter(equal_to_zero{}) | count(); }), refused);
  EXPECT_EQ(said_by([&] { endless | for_each(ignored{}); }), refused);
  EXPECT_EQ(said_by([&] { endless | histogram(3); }), refused);
  EXPECT_EQ(said_by([&] { endless | flat_map(equal_to_zero{}, first_of{}, 3) | count(); }),
            refused);
  EXPECT_EQ(said_by([&] { explain(endless); }),
            "explain: there are 9223372036854775807 elements of 8 bytes, more than can be counted");
}

TEST(lengths_of_vectors, beyond_memory_are_failed_allocations) {
  auto const all = on(cpu::threads(), iota(index_t{1} << 62));
  auto const said = [&](auto const& f) -> std::string {
    try {
      f();
    } catch (allocation_error const& failed) {
      return failed.what();
    }
    return "no error";
  };
  EXPECT_EQ(said([&] { all | to_vector(); }),
            "to_vector: no host memory for 4611686018427387904 elements of 8 bytes");
  EXPECT_EQ(said([&] { all | take(index_t{1} << 50) | to_vector(); }),
            "to_vector: no host memory for 1125899906842624 elements of 8 bytes");
}

TYPED_TEST(lengths, of_chunks_of_whatever_length) {
  EXPECT_EQ(on(this->ex(), iota(3)) | chunk(longest) | reduce(plus{}) | to_vector(), (ints{3}));
  auto const s = chunks(longest, (index_t{1} << 62) + 1);
  EXPECT_EQ(s.begin(2), longest);
}

struct is_even_int {
  RAVEL_HD bool operator()(int x) const { return x % 2 == 0; }
};
struct is_small {
  RAVEL_HD bool operator()(int x) const { return x < 20; }
};

TEST(loads, drop_elements_past_the_count_in_words_of_flags) {
  std::vector<int> const data(64, 8);
  index_t const count = 40;
  piping::counted_in_memory<int, host_space> const view{data.data(), 64, &count};
  using first = piping::sifted<piping::as_it_is, is_even_int>;
  using both = piping::sifted<first, is_small>;
  piping::is_some<piping::load_some<decltype(view), both>> const kept{{view, {}}};
  EXPECT_EQ(cpu::flag_words<std::remove_cv_t<decltype(kept)>>{kept}(0, 64),
            (std::uint64_t{1} << count) - 1);
}

}  // namespace
}  // namespace ravel::lengths_test
