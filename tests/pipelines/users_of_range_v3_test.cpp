/// Small programs as users of range-v3 write them, and one of std::views::join: nvcc cannot read them.

#include <ravel/algorithms/comparison_sort.hpp>
#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/pipelines/range_v3.hpp>
#include <ravel/primitives/find_first.hpp>
#include <ravel/primitives/reduce.hpp>
#include <ravel/primitives/run_length.hpp>
#include <ravel/primitives/scan.hpp>
#include <ravel/primitives/unique.hpp>

#include "users.hpp"

#include <gtest/gtest.h>

#include <range/v3/algorithm/max_element.hpp>
#include <range/v3/numeric/accumulate.hpp>
#include <range/v3/range/conversion.hpp>
#include <range/v3/view/adjacent_remove_if.hpp>
#include <range/v3/view/cartesian_product.hpp>
#include <range/v3/view/chunk.hpp>
#include <range/v3/view/chunk_by.hpp>
#include <range/v3/view/concat.hpp>
#include <range/v3/view/cycle.hpp>
#include <range/v3/view/drop_last.hpp>
#include <range/v3/view/enumerate.hpp>
#include <range/v3/view/filter.hpp>
#include <range/v3/view/generate.hpp>
#include <range/v3/view/indirect.hpp>
#include <range/v3/view/intersperse.hpp>
#include <range/v3/view/iota.hpp>
#include <range/v3/view/join.hpp>
#include <range/v3/view/partial_sum.hpp>
#include <range/v3/view/repeat_n.hpp>
#include <range/v3/view/set_algorithm.hpp>
#include <range/v3/view/sliding.hpp>
#include <range/v3/view/split.hpp>
#include <range/v3/view/stride.hpp>
#include <range/v3/view/tail.hpp>
#include <range/v3/view/take.hpp>
#include <range/v3/view/take_exactly.hpp>
#include <range/v3/view/transform.hpp>
#include <range/v3/view/unique.hpp>
#include <range/v3/view/zip.hpp>
#include <range/v3/view/zip_with.hpp>

#include <array>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <ranges>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace users_test {
namespace {

namespace sv = std::views;
namespace rv = ranges::views;

TEST(users_of_range_v3, sum_of_a_zip_with) {
  EXPECT_EQ(ravel::reduce_sync(ex, rv::zip_with(std::multiplies{}, v, v)), 56);
}
TEST(users_of_range_v3, scan_of_generated_numbers) {
  int n = 0;
  ints out(4);
  ravel::inclusive_scan(ex, rv::generate([&] { return n++; }) | rv::take(4), out);
  EXPECT_EQ(out, (ints{0, 1, 3, 6}));
}
TEST(users_of_range_v3, scan_of_a_concat_and_an_intersperse) {
  ints out(4), five(5);
  ravel::inclusive_scan(ex, rv::concat(one_two, tens), out);
  EXPECT_EQ(out.back(), 33);
  ravel::inclusive_scan(ex, doubled | rv::intersperse(0), five);
  EXPECT_EQ(five, (ints{1, 1, 2, 2, 4}));
}
TEST(users_of_range_v3, sort_of_a_chunk_by) {
  auto const sum = [](auto part) { return ranges::accumulate(part, 0); };
  ints out(3);
  ravel::comparison_sort(ex, v | rv::chunk_by(std::less{}) | rv::transform(sum), out);
  EXPECT_EQ(out, (ints{3, 6, 7}));
}
TEST(users_of_range_v3, sort_of_a_zip) {
  ints const names{0, 1, 2}, keys{5, 3, 4};
  std::vector<std::pair<int, int>> out(3);
  ravel::comparison_sort(ex, rv::zip(keys, names), out);
  EXPECT_EQ(out.front(), (std::pair{3, 1}));
}
TEST(users_of_range_v3, sort_of_a_set_difference) {
  std::set const all{1, 2, 3}, without{2};
  ints out(2);
  ravel::radix_sort(ex, rv::set_difference(all, without), out, ravel::descending);
  EXPECT_EQ(out, (ints{3, 1}));
}
TEST(users_of_range_v3, unique_of_a_join_of_range_v3) {
  std::vector<ints> const rows{{1, 1}, {1, 2}};
  ints out(4);
  EXPECT_EQ(ravel::unique_sync(ex, rows | rv::join, out), 2);
}
TEST(users_of_range_v3, a_part_of_a_view) {
  EXPECT_EQ(v | rv::drop_last(2) | on(ex) | map(square) | to_vector(), (ints{9, 1, 4, 16}));
  EXPECT_EQ(v | rv::tail | on(ex) | take(2) | to_vector(), (ints{1, 2}));
  EXPECT_EQ(v | rv::take_exactly(2) | on(ex) | to_vector(), (ints{3, 1}));
}
TEST(users_of_range_v3, a_cycle_that_ends) {
  EXPECT_EQ(one_two | rv::cycle | rv::take(3) | on(ex) | to_vector(), (ints{1, 2, 1}));
}
TEST(users_of_range_v3, pairs_of_a_product) {
  EXPECT_EQ(rv::cartesian_product(one_two, tens) | on(ex) |
                map([](int x, int y) { return x + y; }) | to_vector(),
            (ints{11, 21, 12, 22}));
}
TEST(users_of_range_v3, windows) {
  EXPECT_EQ(v | rv::sliding(2) | on(ex) | map([](auto w) { return w[1] - w[0]; }) | to_vector(),
            (ints{-2, 1, 2, -3, 4}));
}
TEST(users_of_range_v3, repeated) {
  EXPECT_EQ((rv::repeat_n(7, 3) | on(ex) | reduce(plus{})).get(), 21);
}
TEST(users_of_range_v3, neighbours_removed) {
  EXPECT_EQ(doubled | rv::unique | on(ex) | to_vector(), (ints{1, 2}));
  EXPECT_EQ(doubled | rv::adjacent_remove_if(std::equal_to{}) | on(ex) | to_vector(), (ints{1, 2}));
}
TEST(users_of_range_v3, numbered_by_range_v3) {
  auto const weighted = v | rv::enumerate | on(ex) |
                        map([](auto i, int x) { return static_cast<int>(i) * x; }) | to_vector();
  EXPECT_EQ(weighted, (ints{0, 1, 4, 12, 4, 25}));
}
TEST(users_of_range_v3, pointees) {
  std::vector<std::unique_ptr<int>> owners;
  for (int const x : v) owners.push_back(std::make_unique<int>(x));
  EXPECT_EQ((owners | rv::indirect | on(ex) | filter(odd) | reduce(plus{})).get(), 10);
  EXPECT_EQ(
      owners | sv::transform([](auto const& p) { return *p; }) | on(ex) | sort() | to_vector(),
      (ints{1, 1, 2, 3, 4, 5}));
}
TEST(users_of_range_v3, words_of_range_v3) {
  std::string const text("to be");
  EXPECT_EQ(text | rv::split(' ') | on(ex) | map([](auto word) {
              return static_cast<int>(ranges::distance(word));
            }) | to_vector(),
            (ints{2, 2}));
}
TEST(users_of_range_v3, a_pipeline_in_a_loop_of_range_v3) {
  EXPECT_EQ(ranges::accumulate(v | on(ex) | filter(odd) | rv::transform(square), 0), 36);
  EXPECT_EQ((v | on(ex) | map(square) | ranges::to<std::deque>()).size(), 6u);
  auto const squares = v | on(ex) | map(square) | to_buffer();
  EXPECT_EQ(*ranges::max_element(squares), 25);
}
TEST(users_of_range_v3, words_of_a_stream_counted) {
  std::istringstream in("to be or not to be");
  auto const words = sv::istream<std::string>(in) | on(ex) | sort() | to_vector();
  std::vector<std::string> distinct(6);
  ints counts(6);
  EXPECT_EQ(ravel::run_length_encode_sync(ex, words, distinct, counts), 4);
  EXPECT_EQ(counts[0], 2);
  std::map<std::string, int> found;
  for (auto run : words | rv::chunk_by(std::equal_to{})) {
    found[*run.begin()] = static_cast<int>(ranges::distance(run));
  }
  EXPECT_EQ(found.at("to"), 2);
}
TEST(users_of_range_v3, results_by_range_v3) {
  auto const numbered =
      v | on(ex) | sort() | unique() | rv::enumerate | ranges::to<std::map<std::size_t, int>>();
  EXPECT_EQ(numbered.at(4), 5);
  std::array<int, 3> out{};
  std::array{1, 2, 3} | on(ex) | map(square) | into(out);
  EXPECT_EQ(out[2], 9);
  auto const kept = v | on(ex) | filter(odd) | sv::common;
  EXPECT_EQ(ints(kept.begin(), kept.end()), (ints{3, 1, 1, 5}));
}
TEST(users_of_range_v3, first_of_a_join_view) {
  std::vector<std::string> const words{"to", "be"};
  EXPECT_EQ(ravel::find_first_sync(ex, words | sv::join, [](char c) { return c == 'b'; }), 2);
}

}  // namespace
}  // namespace users_test
