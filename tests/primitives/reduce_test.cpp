#include <ravel/primitives/reduce.hpp>

#include "support/executors.hpp"
#include "support/monoids.hpp"
#include "support/sizes.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace ravel::reduce_test {
namespace {

using testing::affine;
using testing::then;

/// The reference.
template <class T, class U, class M>
T reduction(std::vector<U> const& in, M m, T init) {
  for (auto const& x : in) init = m(init, T(x));
  return init;
}

std::vector<int> integers(index_t n) {
  std::vector<int> in;
  for (int i = 0; i < n; ++i) in.push_back(i * 7 % 1013 - 500);
  return in;
}
std::vector<affine> maps(index_t n) {
  std::vector<affine> in;
  for (std::uint32_t i = 0; i < n; ++i) in.push_back(testing::nth_affine(i));
  return in;
}

template <class T>
struct read_with_index {
  T const* from;
  RAVEL_HD indexed<T> operator()(index_t i) const { return {from[i], i}; }
};
template <class T>
struct write_indexed {
  indexed<T>* to;
  RAVEL_HD void operator()(indexed<T> const& x) const { *to = x; }
};
template <class M>
struct start_from_identity {
  RAVEL_HD auto operator()() const { return M::identity(); }
};
struct odd_part {  // a load that reads nothing
  RAVEL_HD std::uint64_t operator()(index_t i) const {
    return static_cast<std::uint64_t>(2 * i + 1);
  }
};
struct tile_begin {  // a load that depends on the tile
  index_t begin = -1;
  RAVEL_HD tile_begin on(tile t) const { return {t.begin}; }
  RAVEL_HD index_t operator()(index_t i) const { return i == begin ? 1 : 0; }
};
template <class T>
struct write_to {
  T* to;
  RAVEL_HD void operator()(T const& x) const { *to = x; }
};

struct minus_one {
  RAVEL_HD long operator()(int x) const { return x - 1; }
};

template <class Ex>
struct reduce : testing::on_executor<Ex> {};
TYPED_TEST_SUITE(reduce, testing::executors);

TYPED_TEST(reduce, gives_the_example_in_the_header) {
  auto const in = this->there(std::vector{3, 1, 2, 4, 1, 5});
  auto out = this->template replicate<int>(1);
  ravel::reduce(this->ex(), in, out);
  EXPECT_EQ(this->here(out), std::vector{16});
  EXPECT_EQ(reduce_sync(this->ex(), in), 16);
  EXPECT_EQ(reduce_sync(this->ex(), in, maximum{}), 5);
  EXPECT_EQ(reduce_sync(this->ex(), map_source(in, minus_one{})), 10);
}

LOCAL_TYPED_TEST(reduce, takes_what_is_computed) {
  EXPECT_EQ(reduce_sync(this->ex(), count_source(4, 1.5)), 12);
}

TYPED_TEST(reduce, agrees_with_the_loop_at_every_size) {
  auto sizes = testing::sizes();
  sizes.push_back(300000);  // three levels of tiles of 64 threads
  for (index_t const n : sizes) {
    SCOPED_TRACE(n);
    auto const host = integers(n);
    auto const in = this->there(host);
    EXPECT_EQ(reduce_sync(this->ex(), in), reduction(host, plus<int>{}, 0));
    EXPECT_EQ(reduce_sync(this->ex(), in, minimum{}),
              reduction(host, minimum<int>{}, std::numeric_limits<int>::max()));
  }
}

TYPED_TEST(reduce, keeps_the_order_of_a_monoid_that_does_not_commute) {
  affine const init{3, 5};
  auto const first = this->replicated(std::vector{init});
  for (index_t const n : testing::sizes()) {
    SCOPED_TRACE(n);
    auto const host = maps(n);
    auto const in = this->there(host);
    EXPECT_EQ(reduce_sync(this->ex(), in, then{}), reduction(host, then{}, then::identity()));
    EXPECT_EQ(reduce_sync(this->ex(), in, then{}, from(init)), reduction(host, then{}, init));
    EXPECT_EQ(reduce_sync(this->ex(), in, then{}, from(first)), reduction(host, then{}, init));
  }
}

TYPED_TEST(reduce, of_nothing_is_where_it_starts_from) {
  auto const none = this->template allocate<int>(0);
  EXPECT_EQ(reduce_sync(this->ex(), none), 0);
  EXPECT_EQ(reduce_sync(this->ex(), none, multiplies{}), 1);
  EXPECT_EQ(reduce_sync(this->ex(), none, plus{}, from(42)), 42);
  EXPECT_EQ(reduce_sync(this->ex(), none, maximum{}), std::numeric_limits<int>::lowest());
}

TYPED_TEST(reduce, combines_in_the_type_of_the_monoid) {
  std::vector<std::uint8_t> const host(100000, 255);
  auto const in = this->there(host);
  auto out = this->template replicate<std::uint32_t>(1);
  ravel::reduce(this->ex(), in, out);
  EXPECT_EQ(this->here(out).front(), 25500000u);
  EXPECT_EQ(reduce_sync(this->ex(), in, plus<std::int64_t>{}), 25500000);
  EXPECT_EQ(reduce_sync(this->ex(), in, bit_xor{}), 0);
}

LOCAL_TYPED_TEST(reduce, finds_where_the_least_is_through_a_load) {
  for (index_t const n : {index_t{1}, index_t{64}, index_t{20000}}) {
    SCOPED_TRACE(n);
    auto host = integers(n);
    auto const least = std::min_element(host.begin(), host.end());
    auto const in = this->there(host);
    auto out = this->template allocate<indexed<int>>(1);
    reduce_on(this->ex(), n, read_with_index<int>{in.data()}, arg_min<int>{},
              start_from_identity<arg_min<int>>{}, write_indexed<int>{out.data()});
    EXPECT_EQ(this->here(out).front(), (indexed<int>{*least, least - host.begin()}));
  }
}

LOCAL_TYPED_TEST(reduce, finds_the_first_nan) {
  std::vector<double> host(20000, 1.0);
  host[12345] = host[17000] = std::nan("");
  host[3] = -1;
  auto const in = this->there(host);
  auto out = this->template allocate<indexed<double>>(1);
  reduce_on(this->ex(), 20000, read_with_index<double>{in.data()}, arg_min<double>{},
            start_from_identity<arg_min<double>>{}, write_indexed<double>{out.data()});
  EXPECT_EQ(this->here(out).front().index, 12345);
  EXPECT_TRUE(std::isnan(reduce_sync(this->ex(), in, minimum{})));
}

LOCAL_TYPED_TEST(reduce, reads_no_memory_but_what_its_load_reads) {
  std::uint64_t const n = 100000;
  auto out = this->template allocate<std::uint64_t>(1);
  reduce_on(this->ex(), static_cast<index_t>(n), odd_part{}, plus<std::uint64_t>{},
            start_from_identity<plus<std::uint64_t>>{}, write_to<std::uint64_t>{out.data()});
  EXPECT_EQ(this->here(out).front(), n * n);
}

LOCAL_TYPED_TEST(reduce, gives_a_load_its_tile) {
  auto out = this->template allocate<index_t>(1);
  reduce_on(this->ex(), 40000, tile_begin{}, plus<index_t>{}, start_from_identity<plus<index_t>>{},
            write_to<index_t>{out.data()});
  EXPECT_EQ(this->here(out).front(), this->ex().tile_count(40000));
}

TYPED_TEST(reduce, repeats_bit_for_bit_in_floating_point) {
  std::vector<float> host;
  for (int i = 0; i < 100000; ++i) host.push_back(1.0f / static_cast<float>(i % 1000 + 1));
  auto const in = this->there(host);
  float const first = reduce_sync(this->ex(), in);
  EXPECT_NEAR(first, reduction(host, plus<double>{}, 0.0), 0.01);
  for (int k = 0; k < 5; ++k) EXPECT_EQ(reduce_sync(this->ex(), in), first);
}

LOCAL_TYPED_TEST(reduce, refuses_an_out_that_is_not_one_element) {
  auto const in = this->template allocate<int>(4);
  auto two = this->template allocate<int>(2);
  EXPECT_THROW(ravel::reduce(this->ex(), in, two), contract_error);
  EXPECT_THROW(from(two), contract_error);
}

}  // namespace
}  // namespace ravel::reduce_test
