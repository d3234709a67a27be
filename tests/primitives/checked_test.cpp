#include "support/device_forms.hpp"

#include <ravel/core/checked.hpp>
#include <ravel/core/plan.hpp>
#include <ravel/core/same_everywhere.hpp>
#include <ravel/primitives/expand.hpp>
#include <ravel/primitives/gather.hpp>
#include <ravel/primitives/histogram.hpp>
#include <ravel/primitives/merge.hpp>
#include <ravel/primitives/run_length.hpp>
#include <ravel/primitives/scatter.hpp>
#include <ravel/primitives/search.hpp>
#include <ravel/primitives/segment_forms.hpp>
#include <ravel/primitives/segmented_apply.hpp>
#include <ravel/primitives/segmented_pack.hpp>
#include <ravel/primitives/segmented_reduce.hpp>
#include <ravel/primitives/segmented_scan.hpp>
#include <ravel/primitives/segmented_split.hpp>
#include <ravel/primitives/split.hpp>
#include <ravel/primitives/split_parts.hpp>
#include <ravel/primitives/split_within.hpp>

#include "laws/executor.hpp"
#include "support/executors.hpp"
#include "support/said_by.hpp"

#include <string>
#include <vector>

namespace ravel::checked_test {
namespace {

using testing::said_by;

template <class Ex>
struct a_checked_executor : testing::on_executor<Ex> {
  auto verifying() const { return checked(this->ex()); }
};
TYPED_TEST_SUITE(a_checked_executor, testing::device_if_thorough);

TYPED_TEST(a_checked_executor, keeps_the_laws_of_executors) {
  testing::expect_executor_laws(this->verifying());
}

/// Calls on 9000 elements, more than a tile of any executor, with one wrong element, at the first,
/// a middle or the last position.
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
    EXPECT_EQ(said_by([&] { ravel::scatter(this->verifying(), in, below, out); }),
              "scatter: index -7" + where);
    EXPECT_EQ(said_by([&] { ravel::scatter(this->verifying(), in, above, out); }),
              "scatter: index 9000" + where);
    EXPECT_EQ(said_by([&] { permute(this->verifying(), in, above, out); }),
              "permute: index 9000" + where);
    EXPECT_EQ(said_by([&] { ravel::gather(this->verifying(), in, below, out); }),
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

struct leave_alone {
  RAVEL_HD void operator()(int*, index_t) const {}
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

TYPED_TEST(a_checked_executor, names_what_is_out_of_order) {
  auto const sorted = this->there(std::vector{1, 2, 4}),
             unsorted = this->there(std::vector{1, 4, 2});
  auto out = this->there(std::vector<int>(6, -1));
  auto places = this->there(std::vector{-1, -1, -1});
  auto const ex = this->verifying();
  EXPECT_EQ(said_by([&] { merge(ex, sorted, unsorted, out); }),
            "merge: element 2 of b belongs before element 1");
  EXPECT_EQ(said_by([&] { merge_pairs(ex, unsorted, sorted, sorted, sorted, out, out); }),
            "merge_pairs: element 2 of keys_a belongs before element 1");
  EXPECT_EQ(said_by([&] { lower_bound(ex, sorted, unsorted, places); }),
            "lower_bound: element 2 of the haystack belongs before element 1");
  auto const diagonals = this->there(std::vector{0, 7, 2});
  EXPECT_EQ(said_by([&] { merge_path(ex, sorted, sorted, diagonals, places); }),
            "merge_path: diagonal 7 at position 1 is outside [0, 7)");
  EXPECT_EQ(said_by([&] { offsets_of_segment_ids(ex, unsorted, out); }),
            "offsets_of_segment_ids: id 2 is 2, less than id 1, which is 4");
  EXPECT_EQ(this->here(out), std::vector<int>(6, -1)) << "nothing was written";
  EXPECT_EQ(this->here(places), (std::vector{-1, -1, -1})) << "nothing was written";
}

/// Each call on segments by offsets, one of which descends, and by lengths, one of which is
/// negative.
TYPED_TEST(a_checked_executor, verifies_the_segments_of_every_call) {
  auto const in = this->there(std::vector<int>(6, 1)), three = this->there(std::vector{1, 1, 1});
  auto out = this->there(std::vector<int>(13, -1));
  auto const first = [&](index_t n) { return view_of(out).slice(0, n); };
  auto const ex = this->verifying();
  auto const expect_refusal = [&](char const* call, auto const& run) {
    auto const offsets = this->there(std::vector{0, 5, 3, 6});
    EXPECT_EQ(said_by([&] { run(by_offsets(offsets)); }),
              call + std::string(": offset 2 is 3, less than offset 1, which is 5"));
    auto const lengths = this->there(std::vector{5, -2, 3});
    EXPECT_EQ(said_by([&] { run(by_lengths(lengths)); }),
              call + std::string(": length 1 is -2 and must not be negative"));
  };
  auto const word = this->there(std::vector<unsigned>(1, 7));
  expect_refusal("segmented_inclusive_scan",
                 [&](auto s) { segmented_inclusive_scan(ex, in, s, first(6)); });
  expect_refusal("segmented_exclusive_scan",
                 [&](auto s) { segmented_exclusive_scan(ex, in, s, first(6)); });
  expect_refusal("segmented_reduce", [&](auto s) { segmented_reduce(ex, in, s, first(3)); });
  expect_refusal("segmented_pack",
                 [&](auto s) { ravel::segmented_pack(ex, in, in, s, first(6), first(4)); });
  expect_refusal("segmented_split", [&](auto s) {
    ravel::segmented_split(ex, in, identity_of_number{}, s, parts(first(6), first(6)),
                           parts(first(4), first(4)));
  });
  expect_refusal("split_within", [&](auto s) {
    split_within<2>(ex, in, identity_of_number{}, s, first(6), offsets_to(first(7)));
  });
  expect_refusal("segmented_apply",
                 [&](auto s) { ravel::segmented_apply(ex, in, s, first(6), leave_alone{}); });
  expect_refusal("replicate", [&](auto s) { ravel::replicate(ex, three, s, first(6)); });
  expect_refusal("segmented_iota", [&](auto s) { segmented_iota(ex, s, first(6)); });
  expect_refusal("segment_ids_of", [&](auto s) { segment_ids_of(ex, s, first(6)); });
  expect_refusal("heads_of", [&](auto s) { heads_of(ex, s, first(6)); });
  expect_refusal("head_bits_of", [&](auto s) { head_bits_of(ex, s, view_of(word), 6); });
  expect_refusal("lengths_of", [&](auto s) { lengths_of(ex, s, first(3)); });
  expect_refusal("offsets_of", [&](auto s) { offsets_of(ex, s, first(4)); });

  auto const heads = this->there(std::vector{1, 0, 1, 1, 0, 1});
  EXPECT_EQ(said_by([&] { ravel::replicate(ex, three, by_heads(heads), first(6)); }),
            "replicate: in has 3 elements, and there are 4 segments");
  EXPECT_EQ(this->here(out), std::vector<int>(13, -1)) << "nothing was written";
  EXPECT_EQ(this->here(word), std::vector<unsigned>(1, 7)) << "nothing was written";
}

TYPED_TEST(a_checked_executor, names_a_part_of_a_segment_that_is_none) {
  auto out = this->there(std::vector<int>(6, -1));
  auto begins = this->there(std::vector<int>(7, -1));
  auto const offsets = this->there(std::vector{0, 2, 6});
  auto const in = this->there(std::vector{0, 1, 0, 0, 2, 0});
  EXPECT_EQ(said_by([&] {
              split_within<2>(this->verifying(), in, identity_of_number{}, by_offsets(offsets), out,
                              offsets_to(view_of(begins).slice(0, 5)));
            }),
            "split_within: part 2 at position 4 is outside [0, 2)");
  EXPECT_EQ(this->here(out), std::vector<int>(6, -1)) << "nothing was written";
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
}  // namespace ravel::checked_test
