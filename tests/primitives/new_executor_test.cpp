/// An executor unknown to the library: docs/guide/porting_an_executor.md.

#include <ravel/core/explain.hpp>
#include <ravel/core/run_call.hpp>
#include <ravel/core/same_everywhere.hpp>
#include <ravel/primitives/pack.hpp>
#include <ravel/primitives/reduce_by_key.hpp>
#include <ravel/primitives/run_length.hpp>
#include <ravel/primitives/scan.hpp>
#include <ravel/primitives/segmented_scan.hpp>

#include "support/counting.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ravel::new_executor_test {
namespace {

using testing::counting::executor;
static_assert(ravel::executor<executor>);

TEST(new_executor, runs_its_own_form_where_that_fits) {
  executor::counts done;
  executor const ex(done);
  std::vector<int> const keys{7, 7, 4, 7};
  std::vector<int> values(4), lengths(4);
  EXPECT_EQ(run_length_encode_sync(ex, keys, values, lengths), 3);
  EXPECT_EQ(values, (std::vector{7, 4, 7, 0}));
  EXPECT_EQ(lengths, (std::vector{2, 1, 1, 0}));
  EXPECT_EQ(done.steps, 1);
  EXPECT_EQ(done.scratches, 0);

  std::vector<int> const summed{1, 2, 3, 4};
  EXPECT_EQ(reduce_by_key_sync(ex, keys, summed, values, lengths, plus{}, from(10)), 3);
  EXPECT_EQ(lengths, (std::vector{13, 13, 14, 0}));
  EXPECT_EQ(done.steps, 2);

  std::vector<int> const nothing;
  EXPECT_EQ(run_length_encode_sync(ex, nothing, values, lengths), 0);
  EXPECT_EQ(done.steps, 3);
}

TEST(new_executor, runs_everything_else_by_steps) {
  executor::counts done;
  executor const ex(done);
  std::vector<int> keys;
  for (int i = 0; i < 64; ++i) keys.push_back(i / 3);
  std::vector<int> values(22), lengths(22);
  auto const call = describe_run_lengths(keys, values, lengths);
  EXPECT_EQ(explain(ex, call).text(), std::string("by_steps: ") + runs_by_steps::why +
                                          "\n  not one_tile: needs no more keys than a tile has\n");
  run_call(ex, call);
  EXPECT_EQ(values[21], 21);
  EXPECT_EQ(lengths[20], 3);
  EXPECT_EQ(lengths[21], 1);
  int const steps_of_a_scan = 5;  // 64 elements in 16 tiles, those in 4, those in 1: up and down
  EXPECT_EQ(done.steps, steps_of_a_scan);
  EXPECT_EQ(done.scratches, 3);  // totals of the tiles of each level

  std::vector<int> sums(64);
  done = {};
  inclusive_scan(ex, keys, sums);
  EXPECT_EQ(sums[63], 651);
  EXPECT_EQ(done.steps, steps_of_a_scan);
  segmented_inclusive_scan(ex, keys, by_keys(keys), sums);
  EXPECT_EQ(sums[62], 60);
  EXPECT_EQ(filter_sync(
                ex, keys, [](int k) { return k % 2 == 0; }, sums),
            33);
}

TEST(new_executor, is_wrapped_as_others_are) {
  executor::counts done;
  same_everywhere const same{executor(done)};
  std::vector<int> const keys{7, 7, 4, 7};
  std::vector<int> values(3), lengths(3);
  EXPECT_EQ(explain(same, describe_run_lengths(keys, values, lengths)).inner[0].form,
            std::string("one_tile"));
  EXPECT_EQ(run_length_encode_sync(same, keys, values, lengths), 3);
  EXPECT_EQ(done.steps, 1);
}

}  // namespace
}  // namespace ravel::new_executor_test
