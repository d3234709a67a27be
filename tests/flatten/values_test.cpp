/// Lifted values as C++ objects: moves, structured bindings, and the number of calls.

#include "flatten/programs.hpp"

#include <boost/hana/adapt_struct.hpp>

#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace ravel::testing {

struct entry {
  int column;
  double weight;
};

}  // namespace ravel::testing
BOOST_HANA_ADAPT_STRUCT(ravel::testing::entry, column, weight);

namespace ravel::values_test {
namespace {

using testing::entry;
using testing::numbers;
using testing::rows;

template <class Ex>
using program_values = testing::on_programs<Ex>;
TYPED_TEST_SUITE(program_values, testing::program_executors);

TYPED_TEST(program_values, moved_from_are_what_they_were) {
  auto sequence = this->of(rows{{3, 1}, {}, {2}});
  auto const taken = std::move(sequence);
  EXPECT_EQ(this->show(sequence), "[[3,1],[],[2]]");
  EXPECT_EQ(this->show(each(sequence, [](auto row) { return sum(row); })), "[4,0,2]");
  EXPECT_EQ(this->show(taken), "[[3,1],[],[2]]");

  auto pair = this->of(std::tuple{index_t{3}, 'a'});
  auto other = this->of(std::tuple{index_t{4}, 'b'});
  other = std::move(pair);
  EXPECT_EQ(this->show(fst(pair) + fst(other)), "6");

  auto const inside = each(taken, [](auto row) {
    auto length = len(row);
    auto const same = std::move(length);
    return length + same;
  });
  EXPECT_EQ(this->show(inside), "[4,0,2]");
  static_assert(!std::is_default_constructible_v<decltype(pair)>);
}

TYPED_TEST(program_values, structured_bindings_of_records_are_their_members) {
  auto const [number, letter] = this->of(std::tuple{index_t{3}, 'a'});
  EXPECT_EQ(this->show(number * 2), "6");
  EXPECT_EQ(to_host(letter), 'a');

  auto const entries = this->of(std::vector<entry>{{2, 0.5}, {1, 4.0}});
  EXPECT_EQ(this->show(each(entries,
                            [](auto e) {
                              auto [column, weight] = e;
                              return column * weight;
                            })),
            "[1,4]");
  auto const& [columns, weights] = entries;  // two sequences, of a sequence of records
  EXPECT_EQ(this->show(columns), "[2,1]");
  EXPECT_EQ(to_host(sum(weights)), 4.5);

  auto const nested_pairs = this->of(
      std::vector<std::tuple<std::tuple<int, int>, numbers>>{{{1, 2}, {3, 4}}, {{5, 6}, {}}});
  EXPECT_EQ(this->show(each(nested_pairs,
                            [](auto x) {
                              auto [pair, row] = x;
                              auto [a, b] = pair;
                              return a * 10 + b + sum(row);
                            })),
            "[19,56]");
  auto [sums, lengths] =
      each(this->of(rows{{3, 1}, {}, {2}}), [](auto row) { return tup(sum(row), len(row)); });
  EXPECT_EQ(this->show(sums - lengths), "[2,0,1]");
}

/// The lambda is called once, and so are its calls on the host.
TYPED_TEST(program_values, effects_in_a_lambda_are_those_of_one_call) {
  int calls = 0;
  auto const numbered = each(this->of(numbers{5, 6, 7}), [&](auto x) { return x * 10 + ++calls; });
  EXPECT_EQ(this->show(numbered), "[51,61,71]");
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace ravel::values_test
