#include <ravel/core/cpu/write_combining.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace ravel::cpu {
namespace {

/// Rows of 4 to 64 bytes, some of which do not fill a cache line.
template <int Words>
struct row {
  std::uint32_t words[Words];
  friend bool operator==(row const&, row const&) = default;
};
template <int Words>
struct read_row {
  row<Words> operator()(index_t i) const {
    row<Words> x;
    for (int k = 0; k < Words; ++k) x.words[k] = static_cast<std::uint32_t>(Words * i + k);
    return x;
  }
};

/// Some of 37 digits never occur, and every third row has digit 5.
struct digit {
  index_t operator()(index_t i) const { return i % 3 == 0 ? 5 : i * 7919 % 37 / 2 * 2; }
};

/// Scatters rows [2, 2 + n), and compares the whole output, including its surroundings.
template <int Words>
void scatters(index_t n, index_t skip, bool far) {
  SCOPED_TRACE(::testing::Message() << n << " rows of " << Words << " words, " << skip
                                    << " past a cache line, " << (far ? "far" : "near"));
  row<Words> const untouched = read_row<Words>{}(1 << 20);
  std::vector<row<Words>> storage(static_cast<std::size_t>(n + 40), untouched);
  auto expected = storage;
  std::vector<index_t> next(38, 0);
  for (index_t i = 2; i < 2 + n; ++i) ++next[static_cast<std::size_t>(digit{}(i) + 1)];
  for (std::size_t d = 1; d < next.size(); ++d) next[d] += next[d - 1];
  auto ends = next;
  for (index_t i = 2; i < 2 + n; ++i) {
    auto const place = ends[static_cast<std::size_t>(digit{}(i))]++;
    expected[static_cast<std::size_t>(skip + place)] = read_row<Words>{}(i);
  }
  scatter_rows({0, 2, 2 + n}, read_row<Words>{}, digit{}, 37, next.data(), storage.data() + skip,
               far);
  EXPECT_EQ(storage, expected);
  EXPECT_EQ(next, ends);
}

TEST(write_combining, puts_every_row_in_its_place_and_nothing_elsewhere) {
  for (bool const far : {false, true}) {
    for (index_t const n : {0, 1, 5, 36, 600, 5000}) {
      for (index_t const skip : {0, 1, 7, 16, 21}) {
        scatters<1>(n, skip, far);
        scatters<2>(n, skip, far);
        scatters<3>(n, skip, far);
        scatters<16>(n, skip, far);
      }
    }
  }
}

/// A thread that writes half of a cache line leaves the other half unchanged.
TEST(write_combining, shares_lines_with_others) {
  std::vector<std::uint32_t> to(100, 0);
  auto const number = [](index_t i) { return static_cast<std::uint32_t>(i + 1); };
  auto const one_place = [](index_t) { return 0; };
  for (tile const t : {tile{2, 73, 100}, tile{0, 0, 5}, tile{1, 5, 73}}) {
    index_t next = t.begin;
    scatter_rows(t, number, one_place, 1, &next, to.data(), true);
    EXPECT_EQ(next, t.end);
  }
  for (index_t i = 0; i < 100; ++i) EXPECT_EQ(to[static_cast<std::size_t>(i)], number(i));
}

}  // namespace
}  // namespace ravel::cpu
