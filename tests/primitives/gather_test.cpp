#include <ravel/primitives/gather.hpp>

#include "support/executors.hpp"
#include "support/sizes.hpp"

#include <cstdint>

namespace ravel::gather_test {
namespace {

template <class Ex>
struct gather : testing::on_executor<Ex> {
  /// out[i] = in[7919 i mod the size of in], with indices of type I.
  template <class I>
  void agrees_at_every_size() {
    std::vector<double> in;
    for (int i = 0; i < 120; ++i) in.push_back(0.5 * i);
    auto const there = this->there(in);
    for (index_t const n : testing::sizes()) {
      SCOPED_TRACE(n);
      std::vector<I> at;
      std::vector<double> expected;
      for (index_t i = 0; i < n; ++i) {
        at.push_back(static_cast<I>(i * 7919 % 120));
        expected.push_back(in[static_cast<std::size_t>(at.back())]);
      }
      auto out = this->template allocate<double>(n);
      ravel::gather(this->ex(), there, this->there(at), out);
      EXPECT_EQ(this->here(out), expected);
    }
  }
};
TYPED_TEST_SUITE(gather, testing::executors);

TYPED_TEST(gather, gives_the_example_in_the_header) {
  auto const in = this->there(std::vector{'a', 'b', 'c', 'd'});
  auto const at = this->there(std::vector{3, 0, 0, 2, 1});
  auto out = this->template allocate<char>(5);
  ravel::gather(this->ex(), in, at, out);
  EXPECT_EQ(this->here(out), (std::vector{'d', 'a', 'a', 'c', 'b'}));
}

TYPED_TEST(gather, takes_indices_of_any_integer_type) {
  this->template agrees_at_every_size<index_t>();
  this->template agrees_at_every_size<std::int8_t>();
#ifndef RAVEL_TEST_BRIEFLY
  this->template agrees_at_every_size<std::uint32_t>();
#endif
}

TYPED_TEST(gather, may_write_over_its_indices) {
  auto const in = this->there(std::vector{10, 11, 12});
  auto at = this->there(std::vector{2, 0, 1, 1, 0, 2});
  ravel::gather(this->ex(), in, at, at);
  EXPECT_EQ(this->here(at), (std::vector{12, 10, 11, 11, 10, 12}));
}

TYPED_TEST(gather, converts_to_the_type_of_out) {
  auto const in = this->there(std::vector{1.5, 2.5});
  auto out = this->template allocate<int>(2);
  ravel::gather(this->ex(), in, this->there(std::vector{1, 0}), out);
  EXPECT_EQ(this->here(out), (std::vector{2, 1}));
}

LOCAL_TYPED_TEST(gather, refuses_sizes_that_differ) {
  auto const four = this->template allocate<int>(4);
  auto three = this->template allocate<int>(3);
  EXPECT_THROW(ravel::gather(this->ex(), four, four, three), contract_error);
}

}  // namespace
}  // namespace ravel::gather_test
