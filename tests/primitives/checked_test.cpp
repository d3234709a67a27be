#include <ravel/core/checked.hpp>
#include <ravel/core/plan.hpp>
#include <ravel/core/same_everywhere.hpp>
#include <ravel/primitives/gather.hpp>
#include <ravel/primitives/histogram.hpp>
#include <ravel/primitives/run_length.hpp>
#include <ravel/primitives/scatter.hpp>
#include <ravel/primitives/segmented_scan.hpp>
#include <ravel/primitives/split.hpp>

#include "laws/executor.hpp"
#include "support/executors.hpp"
#include "support/said_by.hpp"

#include <string>
#include <vector>

namespace ravel {
namespace {

using testing::said_by;

template <class Ex>
struct a_checked_executor : testing::on_executor<Ex> {
  auto verifying() const { return checked(this->ex()); }
};
TYPED_TEST_SUITE(a_checked_executor, testing::executors_and_device);

TYPED_TEST(a_checked_executor, keeps_the_laws_of_executors) {
  testing::expect_executor_laws(this->verifying());
}

/// Calls on 9000 elements, more than a tile of any executor, of which one, at a first, a middle and the last
/// position, is wrong.
constexpr int many = 9000;
constexpr int positions[] = {0, 4321, many - 1};

template <class T>
std::vector<T> iota_of(T first) {
  std::vector<T> x(many);
  for (T& each : x) each = first++;
  return x;
}

TYPED_TEST(a_checked_executor, names_an_index_that_is_outside) {
  auto const in = this->there(iota_of<int>(0));
  auto out = this->there(std::vector<int>(many, -1));
  for (int const at : positions) {
    std::string const where = " at position " + std::to_string(at) + " is outside [0, 9000)";
    auto indices = iota_of<std::int64_t>(0);
    indices[static_cast<std::size_t>(at)] = -7;
    auto const below = this->there(indices);
    indices[static_cast<std::size_t>(at)] = many;
    auto const above = this->there(indices);
    EXPECT_EQ(said_by([&] { scatter(this->verifying(), in, below, out); }),
              "scatter: index -7" + where);
    EXPECT_EQ(said_by([&] { scatter(this->verifying(), in, above, out); }),
              "scatter: index 9000" + where);
    EXPECT_EQ(said_by([&] { permute(this->verifying(), in, above, out); }),
              "permute: index 9000" + where);
    EXPECT_EQ(said_by([&] { gather(this->verifying(), in, below, out); }),
              "gather: index -7" + where);
  }
  EXPECT_EQ(this->here(out), std::vector<int>(many, -1)) << "nothing was written";
}

TYPED_TEST(a_checked_executor, names_an_index_that_another_position_has) {
  auto const in = this->there(iota_of<int>(0));
  auto out = this->there(std::vector<int>(many, -1));
  for (int const at : positions) {
    if (at == 0) continue;
    auto indices = iota_of<unsigned>(0);
    indices[static_cast<std::size_t>(at)] = 3;
    EXPECT_EQ(said_by([&] { permute(this->verifying(), in, this->there(indices), out); }),
              "permute: index 3 at position " + std::to_string(at) + " is at position 3 already");
  }
  EXPECT_EQ(this->here(out), std::vector<int>(many, -1)) << "nothing was written";
}

TYPED_TEST(a_checked_executor, names_an_offset_that_is_less_than_the_one_before_it) {
  auto const in = this->there(std::vector<int>(20000, 1));
  auto out = this->there(std::vector<int>(20000, -1));
  auto const scan = [&](std::vector<int> const& offsets) {
    auto const there = this->there(offsets);
    return said_by(
        [&] { segmented_inclusive_scan(this->verifying(), in, by_offsets(there), out); });
  };
  EXPECT_EQ(scan({0, 15000, 100, 20000}),
            "segmented_inclusive_scan: offset 2 is 100, less than offset 1, which is 15000");
  EXPECT_EQ(scan({0, -9000000, 100, 20000}),
            "segmented_inclusive_scan: offset 1 is -9000000, less than offset 0, which is 0");
  EXPECT_EQ(scan({0, 100, 30000, 20000}),
            "segmented_inclusive_scan: offset 3 is 20000, less than offset 2, which is 30000");
  EXPECT_EQ(scan({5, 100, 20000}), "segmented_inclusive_scan: the first offset is 5 and must be 0");
  EXPECT_EQ(scan({0, 100, 19999}),
            "segmented_inclusive_scan: the last offset is 19999, and there are 20000 elements");
  EXPECT_EQ(this->here(out), std::vector<int>(20000, -1)) << "nothing was written";
  EXPECT_EQ(scan({0, 100, 100, 20000}), "nothing");
}

TYPED_TEST(a_checked_executor, names_a_length_that_is_negative) {
  auto const values = this->there(std::vector{7, 8, 9});
  auto out = this->there(std::vector<int>(14, -1));
  auto const decode = [&](std::vector<int> const& lengths) {
    return said_by(
        [&] { run_length_decode(this->verifying(), values, this->there(lengths), out); });
  };
  EXPECT_EQ(decode({10, -8, 12}), "run_length_decode: length 1 is -8 and must not be negative");
  EXPECT_EQ(decode({2, 15, -3}), "run_length_decode: length 1 is 15, and there are 14 elements");
  EXPECT_EQ(decode({2, 10, 1}),
            "run_length_decode: the lengths add up to 13, and there are 14 elements");
  EXPECT_EQ(this->here(out), std::vector<int>(14, -1)) << "nothing was written";
  EXPECT_EQ(decode({2, 0, 12}), "nothing");
}

struct identity_of_number {
  RAVEL_HD int operator()(int x) const { return x; }
};

TYPED_TEST(a_checked_executor, names_a_part_that_is_none) {
  auto out = this->there(std::vector<int>(many, -1));
  for (int const at : positions) {
    std::vector<int> parts(many, 2);
    parts[static_cast<std::size_t>(at)] = 3;
    auto const in = this->there(parts);
    EXPECT_EQ(said_by([&] { split<3>(this->verifying(), in, identity_of_number{}, out); }),
              "split: part 3 at position " + std::to_string(at) + " is outside [0, 3)");
  }
  EXPECT_EQ(this->here(out), std::vector<int>(many, -1)) << "nothing was written";
}

TYPED_TEST(a_checked_executor, names_an_edge_that_is_less_than_the_one_before_it) {
  auto const in = this->there(std::vector{1.0, 2.0});
  auto counts = this->there(std::vector{-1, -1});
  auto const edges = this->there(std::vector{0.0, 4.5, 3.0});
  EXPECT_EQ(said_by([&] { histogram(this->verifying(), in, counts, by_edges(edges)); }),
            "histogram: edge 2 is 3, less than edge 1, which is 4.5");
  EXPECT_EQ(this->here(counts), (std::vector{-1, -1})) << "nothing was written";
}

TYPED_TEST(a_checked_executor, is_in_other_ways_the_executor_it_was_made_of) {
  auto const in = this->there(std::vector<float>(many, 0.1f));
  auto const offsets = this->there(std::vector{0, 5000, many});
  auto own = this->template allocate<float>(many), verified = this->template allocate<float>(many);
  auto const same = [&](auto const& ex) {
    segmented_inclusive_scan(ex, in, by_offsets(offsets), own);
    segmented_inclusive_scan(checked(ex), in, by_offsets(offsets), verified);
    EXPECT_EQ(this->here(own), this->here(verified));
  };
  same(this->ex());
  same(same_everywhere(this->ex()));
}

TYPED_TEST(a_checked_executor, can_be_planned) {
  auto const in = this->there(iota_of<int>(0));
  auto const offsets = this->there(std::vector{0, 5000, many});
  auto const wrong = this->there(std::vector{0, 9005, many});
  auto out = this->template allocate<int>(many);
  auto const scan = [&](auto const& by) {
    return [&](auto const& ex) { segmented_inclusive_scan(ex, in, by_offsets(by), out); };
  };
  plan const planned(this->verifying(), "a scan", scan(offsets));
  auto const scratch = this->template allocate<std::byte>(planned.bytes());
  planned(scratch);
  EXPECT_EQ(this->here(out)[5000], 5000);
  EXPECT_EQ(said_by([&] { scan(wrong)(with_scratch(this->verifying(), scratch)); }),
            "segmented_inclusive_scan: offset 2 is 9000, less than offset 1, which is 9005");
}

}  // namespace
}  // namespace ravel
