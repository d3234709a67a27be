#include <ravel/primitives/expand.hpp>

#include "support/executors.hpp"
#include "support/segment_shapes.hpp"
#include "support/segmentations.hpp"

namespace ravel::expand_test {
namespace {

struct ten_times_and_rank {
  RAVEL_HD index_t operator()(int x, index_t rank) const { return 10 * x + rank; }
};

/// The reference.
template <class T, class F>
std::vector<T> oracle(testing::segment_shape const& shape, std::vector<int> const& in, F f) {
  std::vector<T> out;
  for (std::size_t s = 0; s < shape.lengths.size(); ++s) {
    for (index_t r = 0; r < shape.lengths[s]; ++r) out.push_back(static_cast<T>(f(in[s], r)));
  }
  return out;
}

template <class Ex>
struct expand : testing::on_executor<Ex> {};
TYPED_TEST_SUITE(expand, testing::executors);

TYPED_TEST(expand, gives_the_examples_in_the_header) {
  auto const& ex = this->ex();
  auto const lengths = this->there(std::vector{2, 0, 3});
  auto const in = this->there(std::vector{3, 8, 5});
  auto out = this->template allocate<int>(5);
  ravel::expand(ex, ten_times_and_rank{}, in, by_lengths(lengths), out);
  EXPECT_EQ(this->here(out), (std::vector{30, 31, 50, 51, 52}));

  auto const other_lengths = this->there(std::vector{3, 0, 2});
  auto const other = this->there(std::vector{7, 8, 9});
  ravel::replicate(ex, other, by_lengths(other_lengths), out);
  EXPECT_EQ(this->here(out), (std::vector{7, 7, 7, 9, 9}));
  segmented_iota(ex, by_lengths(other_lengths), out);
  EXPECT_EQ(this->here(out), (std::vector{0, 1, 2, 0, 1}));
}

TYPED_TEST(expand, agrees_with_the_loop_on_every_shape_and_form) {
  auto const& ex = this->ex();
  for (auto const& shape : testing::segment_shapes()) {
    SCOPED_TRACE(shape);
    index_t const n = testing::offsets_of(shape).back();
    auto out = this->template allocate<index_t>(n);
    auto const check = [&](auto const& segments, testing::segment_shape const& numbered) {
      std::vector<int> host;
      for (int s = 0; s < std::ssize(numbered.lengths); ++s) host.push_back(s * 7 % 13 - 6);
      auto const in = this->there(host);
      ravel::expand(ex, ten_times_and_rank{}, in, segments, out);
      EXPECT_EQ(this->here(out), (oracle<index_t>(numbered, host, ten_times_and_rank{})));
      ravel::replicate(ex, in, segments, out);
      EXPECT_EQ(this->here(out),
                (oracle<index_t>(numbered, host, [](int x, index_t) { return x; })));
      segmented_iota(ex, segments, out);
      EXPECT_EQ(this->here(out),
                (oracle<index_t>(numbered, host, [](int, index_t r) { return r; })));
    };
    testing::for_each_numbered_form(*this, shape,
                                    [&](auto const& segments) { check(segments, shape); });
    auto const nonempty = testing::without_empty(shape);
    testing::for_each_unnumbered_form(*this, shape,
                                      [&](auto const& segments) { check(segments, nonempty); });
  }
}

TYPED_TEST(expand, refuses_sizes_that_differ) {
  auto const& ex = this->ex();
  auto const in = this->template allocate<int>(3);
  auto out = this->template allocate<int>(4);
  EXPECT_THROW(ravel::replicate(ex, in, uniform(2, 2), out), contract_error);
  EXPECT_THROW(ravel::replicate(ex, in, uniform(3, 2), out), contract_error);
  EXPECT_THROW(ravel::expand(ex, ten_times_and_rank{}, in, uniform(2, 2), out), contract_error);
  EXPECT_THROW(segmented_iota(ex, uniform(3, 2), out), contract_error);
}

#ifndef __CUDACC__

TEST(fill_run, may_write_what_the_caller_writes_after_it) {
  std::vector<int> out(17, 9);
  fill_run(out.data(), 0, 2, 16, 7);
  fill_run(out.data(), 2, 16, 16, 8);
  std::vector<int> expected(16, 8);
  expected[0] = expected[1] = 7;
  expected.push_back(9);
  EXPECT_EQ(out, expected);
}

#endif

}  // namespace
}  // namespace ravel::expand_test
