#include <ravel/core/explain.hpp>
#include <ravel/primitives/reduce_by_key.hpp>

#include "support/device_forms.hpp"
#include "support/executors.hpp"
#include "support/monoids.hpp"
#include "support/segmentations.hpp"

#include <concepts>
#include <cstdint>
#include <string>
#include <vector>

namespace ravel::reduce_by_key_test {
namespace {

using testing::affine;
using testing::then;

template <class Ex>
struct reduce_by_key : testing::on_executor<Ex> {};
TYPED_TEST_SUITE(reduce_by_key, testing::executors_and_device);

TYPED_TEST(reduce_by_key, gives_the_example_in_the_header) {
  auto const keys = this->there(std::vector{7, 7, 7, 4, 4, 7});
  auto const values = this->there(std::vector{3, 1, 2, 4, 1, 5});
  auto out_keys = this->template allocate_results<int>(keys, 3);
  auto out_values = this->template allocate_results<int>(keys, 3);
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
    auto out_keys = this->template allocate_results<int>(keys, std::ssize(run_keys));
    auto out_values = this->template allocate_results<affine>(keys, std::ssize(sums));
    if constexpr (testing::has_ranks<TypeParam>) {
      EXPECT_EQ(
          reduce_by_key_sync(this->ex(), keys, values, out_keys, out_values, then{}, from(init)),
          std::ssize(sums));
    } else {
      auto total = this->template allocate<int>(1);
      ravel::reduce_by_key(this->ex(), keys, values, out_keys, out_values, then{}, from(init),
                           total_to(total));
      EXPECT_EQ(this->here(total).front(), std::ssize(sums));
    }
    EXPECT_EQ(this->here(out_keys), run_keys);
    EXPECT_EQ(this->here(out_values), sums);
  }
}

/// Sums of runs, long enough to be streamed on a device, into room for `room` of them.
template <class Key, class T, class Test, class M>
void expect_sums_of_runs(Test& test, index_t n, index_t length, index_t room, M m,
                         T (*value)(index_t)) {
  SCOPED_TRACE(::testing::Message() << n << " keys, runs of " << length << ", room for " << room);
  std::vector<Key> host_keys, run_keys;
  std::vector<T> host_values, sums;
  for (index_t i = 0; i < n; ++i) {
    host_keys.push_back(static_cast<Key>((i + 5) / length));
    host_values.push_back(value(i));
    if (i == 0 || host_keys[static_cast<std::size_t>(i)] != run_keys.back()) {
      run_keys.push_back(host_keys.back());
      sums.push_back(m.identity());
    }
    sums.back() = m(sums.back(), host_values.back());
  }
  auto const runs = std::ssize(sums);
  index_t const kept = room < runs ? room : runs;
  auto const keys = test.there(host_keys);
  auto const values = test.there(host_values);
  auto out_keys = test.there(std::vector<Key>(static_cast<std::size_t>(room + 8), Key(77)));
  auto out = test.there(std::vector<T>(static_cast<std::size_t>(room + 8), value(-1)));
  auto const total = ravel::reduce_by_key_sync(
      test.ex(), keys, values, view_of(out_keys).slice(0, room), view_of(out).slice(0, room), m);
  EXPECT_EQ(total, runs);
  run_keys.resize(static_cast<std::size_t>(kept));
  sums.resize(static_cast<std::size_t>(kept), value(-1));
  run_keys.resize(static_cast<std::size_t>(room + 8), Key(77));  // nothing is written after them
  sums.resize(static_cast<std::size_t>(room + 8), value(-1));
  EXPECT_EQ(test.here(out_keys), run_keys);
  EXPECT_EQ(test.here(out), sums);
}

LOCAL_TYPED_TEST(reduce_by_key, agrees_with_the_loop_on_long_runs_and_short_ones) {
  auto const number = +[](index_t i) { return static_cast<int>(i * 2654435761 % 1000003); };
  auto const step = +[](index_t i) { return testing::nth_affine(static_cast<std::uint32_t>(i)); };
  for (index_t const length : {1, 2, 3, 7, 33, 100, 1000, 5000, 1 << 20}) {
    for (index_t const n : {8192, 20011}) {
      expect_sums_of_runs<std::uint32_t>(*this, n, length, n, plus<int>{}, number);
    }
    expect_sums_of_runs<std::uint64_t>(*this, 10007, length, 10007, then{}, step);
    expect_sums_of_runs<std::uint32_t>(*this, 20011, length, 1234, plus<int>{}, number);
  }
}

/// Runs whose lengths vary from one thousand elements to the next: nearly all of one element, of a
/// few, of some tens, and of thousands.  The first thousand are of kind `first`.
template <class T, class Test, class M>
void expect_sums_of_varying_runs(Test& test, index_t n, index_t first, M m) {
  SCOPED_TRACE(::testing::Message() << n << " elements, kind " << first);
  std::vector<int> host_keys, run_keys;
  std::vector<T> host_values, sums;
  auto random = static_cast<std::uint32_t>(n + first);
  for (index_t i = 0; i < n; ++i) {
    random = random * 1664525 + 1013904223;
    std::uint32_t const mean[] = {1, 3, 40, 5000, 1, 4}, draw = random >> 8;
    std::uint32_t const here = mean[(first + i / 1000) % 6];
    bool const begins = here == 1 ? draw % 50 != 0 : draw % here == 0;
    host_keys.push_back(i == 0 ? 0 : host_keys.back() + begins);
    host_values.push_back(static_cast<T>(draw % 7));
    if (i == 0 || begins) {
      run_keys.push_back(host_keys.back());
      sums.push_back(m.identity());
    }
    sums.back() = m(sums.back(), host_values.back());
  }
  auto const keys = test.there(host_keys);
  auto const values = test.there(host_values);
  auto out_keys = test.template allocate_results<int>(keys, std::ssize(run_keys));
  auto out = test.template allocate_results<T>(keys, std::ssize(sums));
  EXPECT_EQ(ravel::reduce_by_key_sync(test.ex(), keys, values, out_keys, out, m), std::ssize(sums));
  EXPECT_EQ(test.here(out_keys), run_keys);
  EXPECT_EQ(test.here(out), sums);
}

LOCAL_TYPED_TEST(reduce_by_key, agrees_with_the_loop_where_lengths_vary) {
  for (index_t const n : {63, 64, 65, 127, 128, 129, 256, 300, 1023, 1025, 9000}) {
    for (index_t const first : {0, 1, 2}) {
      expect_sums_of_varying_runs<float>(*this, n, first, plus<float>{});
      expect_sums_of_varying_runs<float>(*this, n, first, minimum<float>{});
      expect_sums_of_varying_runs<double>(*this, n, first, maximum<double>{});
      expect_sums_of_varying_runs<int>(*this, n, first, plus<int>{});
      expect_sums_of_varying_runs<std::int64_t>(*this, n, first, minimum<std::int64_t>{});
    }
  }
}

/// Keys of 16 bytes.
struct alignas(16) wide {
  std::uint64_t high, low;
  wide() = default;
  RAVEL_HD explicit wide(index_t i) : high(7), low(static_cast<std::uint64_t>(i)) {}
  friend RAVEL_HD bool operator==(wide const& x, wide const& y) {
    return x.low == y.low && x.high == y.high;
  }
};

/// Sums of runs of views that begin anywhere: `at` elements after where keys, values, and the results
/// of both do.
template <class Key, class T, class Test>
void expect_sums_of_views(Test& test, index_t n, index_t length, std::vector<index_t> const& at) {
  SCOPED_TRACE(::testing::Message()
               << n << " keys of " << sizeof(Key) << " bytes, runs of " << length << ", from "
               << at[0] << ' ' << at[1] << ' ' << at[2] << ' ' << at[3]);
  auto const room = static_cast<std::size_t>(n);
  auto const begin_of = [&](int k) { return static_cast<std::size_t>(at[k]); };
  std::vector<Key> host_keys(begin_of(0), Key(99)), run_keys(begin_of(2), Key(77));
  std::vector<T> host_values(begin_of(1), T(1000)), sums(begin_of(3), T(55));
  for (index_t i = 0; i < n; ++i) {
    host_keys.push_back(Key((i + 5) / length % 101));
    host_values.push_back(static_cast<T>(i % 5));
    if (i == 0 || !(host_keys.back() == run_keys.back())) {
      run_keys.push_back(host_keys.back());
      sums.push_back(T(0));
    }
    sums.back() = static_cast<T>(sums.back() + host_values.back());
  }
  auto const runs = std::ssize(sums) - at[3];
  auto const keys = test.there(host_keys);
  auto const values = test.there(host_values);
  run_keys.resize(begin_of(2) + room, Key(77));
  sums.resize(begin_of(3) + room, T(55));
  auto out_keys = test.there(std::vector<Key>(begin_of(2) + room, Key(77)));
  auto out = test.there(std::vector<T>(begin_of(3) + room, T(55)));
  EXPECT_EQ(
      reduce_by_key_sync(test.ex(), view_of(keys).slice(at[0], n), view_of(values).slice(at[1], n),
                         view_of(out_keys).slice(at[2], n), view_of(out).slice(at[3], n)),
      runs);
  EXPECT_TRUE(test.here(out_keys) == run_keys);
  EXPECT_EQ(test.here(out), sums);
}

LOCAL_TYPED_TEST(reduce_by_key, agrees_with_the_loop_on_views_that_begin_anywhere) {
  std::vector<std::vector<index_t>> const begins{{0, 0, 0, 0}, {1, 1, 1, 1}, {3, 0, 0, 0},
                                                 {0, 1, 0, 0}, {0, 0, 1, 3}, {13, 3, 5, 7}};
  for (auto const& at : begins) {
    for (index_t const length : {1, 7, 900}) {
      expect_sums_of_views<std::uint32_t, float>(*this, 2999, length, at);
      expect_sums_of_views<std::uint64_t, float>(*this, 2000, length, at);
      expect_sums_of_views<std::uint32_t, double>(*this, 2600, length, at);
      expect_sums_of_views<wide, int>(*this, 700, length, at);
      expect_sums_of_views<wide, double>(*this, 700, length, at);
    }
    expect_sums_of_views<std::uint8_t, float>(*this, 11000, 7, at);
    expect_sums_of_views<std::uint8_t, std::uint8_t>(*this, 11000, 7, at);
    expect_sums_of_views<std::uint16_t, double>(*this, 5500, 7, at);
    expect_sums_of_views<std::uint64_t, std::int16_t>(*this, 1500, 7, at);
  }
}

LOCAL_TYPED_TEST(reduce_by_key, streams_long_keys_of_words_on_a_device) {
  auto const keys = this->template allocate<std::uint32_t>(20000);
  auto const values = this->template allocate<float>(20000);
  auto out_keys = this->template allocate<std::uint32_t>(20000);
  auto out = this->template allocate<float>(20000);
  auto const call = describe_reduce_by_key(keys, values, out_keys, out);
  if constexpr (std::same_as<TypeParam, gpu::executor>) {
    EXPECT_EQ(explain(this->ex(), call).form, std::string("stream_sums"));
    auto const later =
        describe_reduce_by_key(view_of(keys).slice(1, 19990), view_of(values).slice(2, 19990),
                               view_of(out_keys).slice(3, 19990), view_of(out).slice(5, 19990));
    EXPECT_EQ(explain(this->ex(), later).form, std::string("stream_sums"));
  }
}

LOCAL_TYPED_TEST(reduce_by_key, refuses_values_of_another_number) {
  auto const keys = this->there(std::vector{1, 2});
  auto const values = this->there(std::vector{1});
  auto out_keys = this->template allocate<int>(2);
  auto out_values = this->template allocate<int>(2);
  EXPECT_THROW(ravel::reduce_by_key(this->ex(), keys, values, out_keys, out_values),
               contract_error);
}

}  // namespace
}  // namespace ravel::reduce_by_key_test
