#include <ravel/primitives/unique.hpp>

#include "support/device_forms.hpp"
#include "support/executors.hpp"
#include "support/sizes.hpp"

namespace ravel::unique_test {
namespace {

struct same_tens {
  RAVEL_HD bool operator()(int x, int y) const { return x / 10 == y / 10; }
};

template <class Ex>
struct unique_elements : testing::on_executor<Ex> {};
TYPED_TEST_SUITE(unique_elements, testing::executors_and_device);

TYPED_TEST(unique_elements, gives_the_examples_in_the_header) {
  auto const keys = this->there(std::vector{7, 7, 7, 4, 4, 7});
  auto out_keys = this->template allocate_results<int>(keys, 3);
  EXPECT_EQ(unique_sync(this->ex(), keys, out_keys), 3);
  EXPECT_EQ(this->here(out_keys), (std::vector{7, 4, 7}));
}

LOCAL_TYPED_TEST(unique_elements, by_key_gives_the_example_in_the_header) {
  auto const keys = this->there(std::vector{7, 7, 7, 4, 4, 7});
  auto const values = this->there(std::vector<char>{'a', 'b', 'c', 'd', 'e', 'f'});
  auto out_keys = this->template allocate<int>(3);
  auto out_values = this->template allocate<char>(3);
  EXPECT_EQ(unique_by_key_sync(this->ex(), keys, values, out_keys, out_values), 3);
  EXPECT_EQ(this->here(out_keys), (std::vector{7, 4, 7}));
  EXPECT_EQ(this->here(out_values), (std::vector{'a', 'd', 'f'}));
}

TYPED_TEST(unique_elements, agrees_with_the_loop_at_every_size) {
  for (index_t const n : testing::sizes()) {
    SCOPED_TRACE(n);
    std::vector<int> host;
    // The first run is a single element: 0 1 1 ...
    for (index_t i = 0; i < n; ++i) host.push_back(static_cast<int>((i * i + 49) / 50 % 100));
    std::vector<int> expected;
    std::vector<int> by_tens;
    for (std::size_t i = 0; i < host.size(); ++i) {
      if (i == 0 || host[i] != host[i - 1]) expected.push_back(host[i]);
      if (i == 0 || !same_tens{}(host[i - 1], host[i])) by_tens.push_back(host[i]);
    }
    auto const in = this->there(host);
    auto out = this->template allocate_results<int>(in, std::ssize(expected));
    EXPECT_EQ(unique_sync(this->ex(), in, out), std::ssize(expected));
    EXPECT_EQ(this->here(out), expected);
    auto tens = this->template allocate_results<int>(in, std::ssize(by_tens));
    EXPECT_EQ(unique_sync(this->ex(), in, tens, equal_by(same_tens{})), std::ssize(by_tens));
    EXPECT_EQ(this->here(tens), by_tens);
  }
}

LOCAL_TYPED_TEST(unique_elements, refuses_values_of_another_number) {
  auto const keys = this->there(std::vector{1, 2});
  auto const values = this->there(std::vector{1});
  auto out = this->template allocate<int>(2);
  auto others = this->template allocate<int>(2);
  EXPECT_THROW(unique_by_key(this->ex(), keys, values, out, others), contract_error);
}

}  // namespace
}  // namespace ravel::unique_test
