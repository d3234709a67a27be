#include <ravel/primitives/scatter.hpp>

#include "support/executors.hpp"
#include "support/monoids.hpp"
#include "support/sizes.hpp"

#include <cstdint>

namespace ravel::scatter_test {
namespace {

/// A permutation of n elements.
struct permutation {
  std::vector<testing::affine> in;
  std::vector<index_t> at;
  std::vector<testing::affine> expected;
  explicit permutation(index_t n) : expected(static_cast<std::size_t>(n)) {
    index_t const stride =
        n % 7919 == 0 ? 7907 : 7919;  // primes, so that i stride mod n is a permutation
    for (index_t i = 0; i < n; ++i) {
      in.push_back(testing::nth_affine(static_cast<std::uint32_t>(i)));
      at.push_back(i * stride % n);
      expected[static_cast<std::size_t>(at.back())] = in.back();
    }
  }
};

template <class Ex>
struct scatter : testing::on_executor<Ex> {};
TYPED_TEST_SUITE(scatter, testing::executors);

TYPED_TEST(scatter, gives_the_example_in_the_header) {
  auto const abc = this->there(std::vector{'a', 'b', 'c'});
  auto out = this->there(std::vector(5, '-'));
  ravel::scatter(this->ex(), abc, this->there(std::vector{4, 0, 1}), out);
  EXPECT_EQ(this->here(out), (std::vector{'b', 'c', '-', '-', 'a'}));
}

LOCAL_TYPED_TEST(scatter, permute_gives_the_example_in_the_header) {
  auto const abcd = this->there(std::vector{'a', 'b', 'c', 'd'});
  auto permuted = this->template allocate<char>(4);
  permute(this->ex(), abcd, this->there(std::vector{3, 0, 2, 1}), permuted);
  EXPECT_EQ(this->here(permuted), (std::vector{'b', 'd', 'c', 'a'}));
}

TYPED_TEST(scatter, leaves_what_no_index_names) {
  for (index_t const n : testing::sizes()) {
    SCOPED_TRACE(n);
    std::vector<int> in;
    std::vector<std::uint32_t> at;
    std::vector<int> expected(static_cast<std::size_t>(3 * n), -1);
    for (int i = 0; i < n; ++i) {
      in.push_back(i);
      at.push_back(static_cast<std::uint32_t>(3 * (n - 1 - i) + i % 3));
      expected[at.back()] = i;
    }
    auto out = this->there(std::vector<int>(expected.size(), -1));
    ravel::scatter(this->ex(), this->there(in), this->there(at), out);
    EXPECT_EQ(this->here(out), expected);
  }
}

// From 2^16 elements on, one thread of the host writes to so few places.
TYPED_TEST(scatter, lets_one_of_several_stand) {
  int const places = 97;
  for (int const n : {40000, 100000}) {
    SCOPED_TRACE(n);
    std::vector<std::uint64_t> in;
    std::vector<std::uint16_t> at;
    for (int i = 0; i < n; ++i) {
      // Both halves are equal, so that a torn write would be noticed.
      in.push_back(static_cast<std::uint64_t>(i) << 32 | static_cast<std::uint64_t>(i));
      at.push_back(static_cast<std::uint16_t>(i % places));
    }
    auto out = this->template allocate<std::uint64_t>(places);
    ravel::scatter(this->ex(), this->there(in), this->there(at), out);
    auto const host = this->here(out);
    for (std::size_t k = 0; k < places; ++k) {
      EXPECT_EQ(host[k] >> 32, host[k] & 0xffffffff);
      EXPECT_EQ(host[k] % (std::uint64_t{1} << 32) % places, k);
    }
  }
}

TYPED_TEST(scatter, moves_elements_of_any_type) {
  for (index_t const n : testing::sizes()) {
    SCOPED_TRACE(n);
    permutation const p(n);
    auto out = this->template allocate<testing::affine>(n);
    ravel::scatter(this->ex(), this->there(p.in), this->there(p.at), out);
    EXPECT_EQ(this->here(out), p.expected);
  }
}

LOCAL_TYPED_TEST(scatter, permutes_elements_of_any_type) {
  for (index_t const n : testing::sizes()) {
    SCOPED_TRACE(n);
    permutation const p(n);
    auto out = this->template allocate<testing::affine>(n);
    permute(this->ex(), this->there(p.in), this->there(p.at), out);
    EXPECT_EQ(this->here(out), p.expected);
  }
}

LOCAL_TYPED_TEST(scatter, refuses_sizes_that_differ) {
  auto const four = this->template allocate<int>(4);
  auto three = this->template allocate<int>(3);
  EXPECT_THROW(ravel::scatter(this->ex(), four, three, four), contract_error);
  EXPECT_THROW(permute(this->ex(), four, three, four), contract_error);
  EXPECT_THROW(permute(this->ex(), four, four, three), contract_error);
}

}  // namespace
}  // namespace ravel::scatter_test
