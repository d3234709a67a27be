#define RAVEL_CHECKED 1  // as the CMake option does for all files of a program

#include "support/device_forms.hpp"

#include <ravel/core/plan.hpp>
#include <ravel/primitives/scatter.hpp>
#include <ravel/primitives/segmented_scan.hpp>

#include "support/executors.hpp"
#include "support/said_by.hpp"

#include <cstddef>
#include <vector>

namespace ravel::always_checked_test {
namespace {

using testing::said_by;

template <class Ex>
struct every_executor : testing::on_executor<Ex> {};
TYPED_TEST_SUITE(every_executor, testing::executors_and_device);

TYPED_TEST(every_executor, verifies_in_a_program_that_is_built_so) {
  auto const in = this->there(std::vector{1, 2, 3}), places = this->there(std::vector{0, 3, 1});
  auto const offsets = this->there(std::vector{0, 4, 3}), right = this->there(std::vector{0, 1, 3});
  auto out = this->there(std::vector{7, 7, 7});
  EXPECT_EQ(said_by([&] { ravel::scatter(this->ex(), in, places, out); }),
            "scatter: index 3 at position 1 is outside [0, 3)");
  EXPECT_EQ(said_by([&] { segmented_inclusive_scan(this->ex(), in, by_offsets(offsets), out); }),
            "segmented_inclusive_scan: offset 2 is 3, less than offset 1, which is 4");
  EXPECT_EQ(this->here(out), (std::vector{7, 7, 7})) << "nothing was written";

  plan const planned(this->ex(), "a scan", [&](auto const& ex) {
    segmented_inclusive_scan(ex, in, by_offsets(right), out);
  });
  planned(this->template allocate<std::byte>(planned.bytes()));
  EXPECT_EQ(this->here(out), (std::vector{1, 2, 5}));
}

}  // namespace
}  // namespace ravel::always_checked_test
