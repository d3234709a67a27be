#include <ravel/primitives/reduce_by_key.hpp>

#include "support/device_forms.hpp"
#include "support/executors.hpp"
#include "support/monoids.hpp"
#include "support/segmentations.hpp"

#include <cstdint>

namespace ravel {
namespace {

using testing::affine;
using testing::then;

template <class Ex>
struct reduce_by_key : testing::on_executor<Ex> {};
TYPED_TEST_SUITE(reduce_by_key, testing::executors_and_device);

TYPED_TEST(reduce_by_key, gives_the_example_in_the_header) {
  auto const keys = this->there(std::vector{7, 7, 7, 4, 4, 7});
  auto const values = this->there(std::vector{3, 1, 2, 4, 1, 5});
  auto out_keys = this->template allocate<int>(3);
  auto out_values = this->template allocate<int>(3);
  EXPECT_EQ(reduce_by_key_sync(this->ex(), keys, values, out_keys, out_values), 3);
  EXPECT_EQ(this->here(out_keys), (std::vector{7, 4, 7}));
  EXPECT_EQ(this->here(out_values), (std::vector{6, 5, 5}));
}

TYPED_TEST(reduce_by_key, agrees_with_the_loop_on_every_shape) {
  for (auto const& shape : testing::segment_shapes()) {
    SCOPED_TRACE(shape);
    auto const host_keys = testing::keys_of(shape);
    std::vector<affine> host_values;
    for (std::uint32_t i = 0; i < host_keys.size(); ++i)
      host_values.push_back(testing::nth_affine(i));
    affine const init{3, 5};

    std::vector<int> run_keys;
    std::vector<affine> sums;
    for (std::size_t i = 0; i < host_keys.size(); ++i) {
      if (i == 0 || host_keys[i] != host_keys[i - 1]) {
        run_keys.push_back(host_keys[i]);
        sums.push_back(init);
      }
      sums.back() = then{}(sums.back(), host_values[i]);
    }
    auto const keys = this->there(host_keys);
    auto const values = this->there(host_values);
    auto out_keys = this->template allocate<int>(std::ssize(run_keys));
    auto out_values = this->template allocate<affine>(std::ssize(sums));
    auto total = this->template allocate<int>(1);
    ravel::reduce_by_key(this->ex(), keys, values, out_keys, out_values, then{}, from(init),
                         total_to(total));
    EXPECT_EQ(this->here(out_keys), run_keys);
    EXPECT_EQ(this->here(out_values), sums);
    EXPECT_EQ(this->here(total).front(), std::ssize(sums));
  }
}

TYPED_TEST(reduce_by_key, refuses_values_of_another_number) {
  auto const keys = this->there(std::vector{1, 2});
  auto const values = this->there(std::vector{1});
  auto out_keys = this->template allocate<int>(2);
  auto out_values = this->template allocate<int>(2);
  EXPECT_THROW(ravel::reduce_by_key(this->ex(), keys, values, out_keys, out_values),
               contract_error);
}

}  // namespace
}  // namespace ravel
