#include <ravel/core/explain.hpp>
#include <ravel/core/launches.hpp>
#include <ravel/primitives/reduce_by_key.hpp>
#include <ravel/primitives/run_length.hpp>
#include <ravel/primitives/unique.hpp>

#include "support/device_forms.hpp"
#include "support/executors.hpp"
#include "support/segment_shapes.hpp"
#include "support/streams.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <string>
#include <vector>

namespace ravel::run_length_test {
namespace {

template <class Ex>
struct run_length : testing::on_executor<Ex> {};
TYPED_TEST_SUITE(run_length, testing::executors_and_device);

TYPED_TEST(run_length, gives_the_examples_in_the_header) {
  auto const in = this->there(std::vector{7, 7, 7, 4, 4, 7});
  auto values = this->template allocate_results<int>(in, 3);
  auto lengths = this->template allocate_results<int>(in, 3);
  EXPECT_EQ(run_length_encode_sync(this->ex(), in, values, lengths), 3);
  EXPECT_EQ(this->here(values), (std::vector{7, 4, 7}));
  EXPECT_EQ(this->here(lengths), (std::vector{3, 2, 1}));
}

LOCAL_TYPED_TEST(run_length, decodes_the_example_in_the_header) {
  auto const some = this->there(std::vector{7, 4, 9, 7});
  auto const times = this->there(std::vector{3, 2, 0, 1});
  auto out = this->template allocate<int>(6);
  run_length_decode(this->ex(), some, times, out);
  EXPECT_EQ(this->here(out), (std::vector{7, 7, 7, 4, 4, 7}));
}

TYPED_TEST(run_length, decodes_every_shape_and_encodes_it_again) {
  for (auto const& shape : testing::segment_shapes()) {
    SCOPED_TRACE(shape);
    std::vector<int> run_values;
    std::vector<int> expanded;
    std::vector<int> nonempty_values;
    std::vector<index_t> nonempty_lengths;
    for (std::size_t s = 0; s < shape.lengths.size(); ++s) {
      run_values.push_back(static_cast<int>(s));
      expanded.insert(expanded.end(), static_cast<std::size_t>(shape.lengths[s]),
                      static_cast<int>(s));
      if (shape.lengths[s] == 0) continue;
      nonempty_values.push_back(static_cast<int>(s));
      nonempty_lengths.push_back(shape.lengths[s]);
    }
    auto out = this->there(expanded);
    if constexpr (!testing::has_ranks<TypeParam>) {
      auto const values = this->there(run_values);
      auto const lengths = this->there(shape.lengths);
      out = this->template allocate<int>(std::ssize(expanded));
      run_length_decode(this->ex(), values, lengths, out);
      EXPECT_EQ(this->here(out), expanded);
    }

    auto const runs = std::ssize(nonempty_values);
    auto again = this->template allocate_results<int>(out, runs);
    auto of_length = this->template allocate_results<index_t>(out, runs);
    EXPECT_EQ(run_length_encode_sync(this->ex(), out, again, of_length), runs);
    EXPECT_EQ(this->here(again), nonempty_values);
    EXPECT_EQ(this->here(of_length), nonempty_lengths);
  }
}

/// Long enough to be streamed on a device.
template <class T, class Length, class Test>
void expect_coded(Test const& test, index_t n, unsigned mean) {
  SCOPED_TRACE(::testing::Message() << n << " elements, mean length " << mean);
  auto const heads = random_heads(n, mean);
  std::vector<T> in;
  std::vector<T> run_values;
  std::vector<Length> run_lengths;
  for (index_t i = 0; i < n; ++i) {
    if (i == 0 || heads[static_cast<std::size_t>(i)]) {
      run_values.push_back(static_cast<T>(run_values.size() % 3));
      run_lengths.push_back(0);
    }
    in.push_back(run_values.back());
    ++run_lengths.back();
  }
  auto const there = test.there(in);
  index_t const runs = std::ssize(run_values);
  for (index_t const few : {runs, runs / 2}) {
    auto values = test.there(std::vector<T>(static_cast<std::size_t>(runs), T(9)));
    auto lengths = test.there(std::vector<Length>(static_cast<std::size_t>(runs), Length(9)));
    auto const first = [](auto& all, index_t n) { return decltype(view_of(all))(all.data(), n); };
    EXPECT_EQ(run_length_encode_sync(test.ex(), there, first(values, few),
                                     first(lengths, runs - few / 3)),
              runs);
    auto some_values = run_values;
    std::fill(some_values.begin() + few, some_values.end(), T(9));
    auto some_lengths = run_lengths;
    std::fill(some_lengths.end() - few / 3, some_lengths.end(), Length(9));
    EXPECT_EQ(test.here(values), some_values);
    EXPECT_EQ(test.here(lengths), some_lengths);
  }
}

LOCAL_TYPED_TEST(run_length, encodes_many_elements) {
  constexpr index_t many = 3 * gpu::tuning{}.coded_bytes / 4 + 123;
  for (unsigned const mean : {1u, 2u, 40u, 5000u}) {
    expect_coded<int, int>(*this, many, mean);
    expect_coded<std::int64_t, index_t>(*this, many, mean);
  }
}

/// All spellings of `in` take the same form: const elements are streamed too.
THOROUGH_LOCAL_TYPED_TEST(run_length, takes_one_form_of_every_spelling) {
  constexpr index_t n = 3 * gpu::tuning{}.coded_bytes / 4;
  std::vector<unsigned> on_host(static_cast<std::size_t>(n));
  for (index_t i = 0; i < n; ++i) {
    on_host[static_cast<std::size_t>(i)] = static_cast<unsigned>(i / 3);
  }
  auto const in = this->there(on_host);
  auto values = this->template allocate<unsigned>(n / 3);
  auto lengths = this->template allocate<int>(n / 3);
  auto total = this->template allocate<index_t>(1);
  using space = typename TypeParam::space;
  auto const expect_same = [&](auto const& spelled) {
    auto const call = describe_run_lengths(spelled, values, lengths, total_to(total));
    auto const buffered = describe_run_lengths(in, values, lengths, total_to(total));
    EXPECT_EQ(explain(this->ex(), call).text(), explain(this->ex(), buffered).text());
    [[maybe_unused]] auto const before = detail::launches_of_thread;
    run_length_encode(this->ex(), spelled, values, lengths, total_to(total));
    if constexpr (std::same_as<TypeParam, gpu::executor>) {
      if (explain(this->ex(), call).form == std::string("stream_lengths")) {
        EXPECT_EQ(detail::launches_of_thread - before, 1);
      } else {
        EXPECT_LT(this->ex().machine().capability, 90);
      }
    }
    EXPECT_EQ(this->here(total), (std::vector{n / 3}));
    EXPECT_EQ(this->here(lengths), std::vector<int>(static_cast<std::size_t>(n / 3), 3));
  };
  view<unsigned, space> const mutable_view(const_cast<unsigned*>(in.data()), n);
  view<unsigned const, space> const const_view(in.data(), n);
  expect_same(mutable_view);
  expect_same(const_view);
  expect_same(map_source(const_view, identity_function{}));
  expect_same(mirror_source(mirror_source(in)));
  ravel::reduce_by_key(this->ex(), const_view, compute_source(n, constant_of<1>{}), values, lengths,
                       plus{}, total_to(total));
  EXPECT_EQ(this->here(lengths), std::vector<int>(static_cast<std::size_t>(n / 3), 3));
}

/// Keys that no form recognises, whose runs go to a function.
struct half_of_index {
  RAVEL_HD int operator()(index_t i) const { return static_cast<int>(i / 2); }
};
template <class Out>
struct write_length_and_begin {
  Out* out;
  RAVEL_HD void operator()(index_t run, paired<index_t, index_t> const& x) const {
    out[run] = static_cast<Out>(10 * x.second + x.first);
  }
};

LOCAL_TYPED_TEST(run_length, takes_any_keys_and_any_visit) {
  auto out = this->template allocate<int>(3);
  encode_runs_on(this->ex(), compute_source(5, half_of_index{}), equal_to{},
                 write_length_and_begin<int>{out.data()});
  EXPECT_EQ(this->here(out), (std::vector{2, 22, 41}));
}

#ifndef __CUDACC__
/// An equality of unknown cost, such as that of strings.
template <class T>
struct counted_equality {
  std::atomic<index_t>* calls;
  bool operator()(T const& x, T const& y) const {
    ++*calls;
    return x == y;
  }
};

struct coordinates {
  long x;
  double y;
  bool operator==(coordinates const&) const = default;
};
template <class K>
K nth_key(index_t k) {
  if constexpr (std::same_as<K, std::string>) {
    return "a key that is long enough for the heap " + std::to_string(k % 100);
  } else if constexpr (std::same_as<K, coordinates>) {
    return {k % 100, 0.5};
  } else {
    return static_cast<K>(k % 100);
  }
}
/// Does not commute.
struct append {
  static std::string identity() { return {}; }
  std::string operator()(std::string const& x, std::string const& y) const { return x + y; }
};
struct same_half {
  bool operator()(double x, double y) const { return std::floor(x / 2) == std::floor(y / 2); }
};

/// n keys in runs whose lengths `next_length` returns.
template <class K, class Length>
std::vector<K> keys_in_runs(index_t n, Length next_length) {
  std::vector<K> keys;
  for (index_t s = 0; std::ssize(keys) < n; ++s) {
    index_t const length = std::min<index_t>(next_length(), n - std::ssize(keys));
    keys.insert(keys.end(), static_cast<std::size_t>(length), nth_key<K>(s));
  }
  return keys;
}

/// Runs of `keys`, and sums by key of `values`, are those of a loop.
template <class K, class V, class Ex, class M, class Equal>
void expect_runs(Ex const& ex, std::vector<K> const& keys, std::vector<V> const& values, M m,
                 Equal equal) {
  std::vector<K> heads;
  std::vector<V> sums, firsts;
  std::vector<int> lengths;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i == 0 || !equal(keys[i - 1], keys[i])) {
      heads.push_back(keys[i]);
      firsts.push_back(values[i]);
      sums.push_back(m.identity());
      lengths.push_back(0);
    }
    sums.back() = m(sums.back(), values[i]);
    ++lengths.back();
  }
  auto const runs = std::ssize(heads);
  std::vector<K> out_keys(heads.size());
  std::vector<V> out(heads.size());
  std::vector<int> out_lengths(heads.size());
  EXPECT_EQ(reduce_by_key_sync(ex, keys, values, out_keys, out, m, equal_by(equal)), runs);
  EXPECT_TRUE(out_keys == heads);
  EXPECT_TRUE(out == sums);
  out_keys.assign(heads.size(), K{});
  EXPECT_EQ(run_length_encode_sync(ex, keys, out_keys, out_lengths, equal_by(equal)), runs);
  EXPECT_TRUE(out_keys == heads);
  EXPECT_TRUE(out_lengths == lengths);
  out_keys.assign(heads.size(), K{});
  EXPECT_EQ(unique_sync(ex, keys, out_keys, equal_by(equal)), runs);
  EXPECT_TRUE(out_keys == heads);
  out_keys.assign(heads.size(), K{});
  EXPECT_EQ(unique_by_key_sync(ex, keys, values, out_keys, out, equal_by(equal)), runs);
  EXPECT_TRUE(out_keys == heads);
  EXPECT_TRUE(out == firsts);
}

template <class Ex, class Length>
void expect_runs_of_all_types(Ex const& ex, index_t n, Length length) {
  std::vector<int> numbers;
  std::vector<float> floats;
  for (index_t i = 0; i < n; ++i) {
    numbers.push_back(static_cast<int>(i * 7 % 11));
    floats.push_back(static_cast<float>(i % 3));
  }
  auto const keys = [&]<class K>(K) { return keys_in_runs<K>(n, length); };
  expect_runs(ex, keys(std::int8_t{}), floats, maximum<float>{}, equal_to{});
  expect_runs(ex, keys(int{}), numbers, plus<int>{}, equal_to{});
  expect_runs(ex, keys(std::int64_t{}), floats, plus<float>{}, equal_to{});
  expect_runs(ex, keys(double{}), numbers, plus<int>{}, equal_to{});
  expect_runs(ex, keys(double{}), floats, plus<float>{}, same_half{});
  expect_runs(ex, keys(coordinates{}), numbers, plus<int>{}, equal_to{});
  if (n > 20'000) return;
  std::vector<std::string> words;
  for (int const x : numbers) words.push_back(std::to_string(x % 10));
  expect_runs(ex, keys(std::string{}), words, append{}, equal_to{});
}

LOCAL_TYPED_TEST(run_length, of_all_types_is_that_of_a_loop_on_the_host) {
  if constexpr (std::same_as<TypeParam, cpu::sequential> || std::same_as<TypeParam, cpu::threads>) {
    for (index_t const n : {0, 1, 2, 3, 63, 64, 65, 129, 1025, 8191, 8192, 8193, 16385, 50'001}) {
      SCOPED_TRACE(n);
      for (index_t const length : {1, 2, 7, 100, 1000, 20'000, 100'000}) {
        SCOPED_TRACE(length);
        expect_runs_of_all_types(this->ex(), n, [&] { return length; });
      }
      for (std::uint32_t const most : {3u, 13u, 300u}) {
        SCOPED_TRACE(most);
        expect_runs_of_all_types(this->ex(), n, [&, random = 1u]() mutable {
          random = random * 1664525 + 1013904223;
          return index_t{1 + (random >> 8) % most};
        });
      }
      // Short runs, then some over several tiles.
      expect_runs_of_all_types(this->ex(), n, [&, s = index_t{0}]() mutable {
        return ++s % 3000 == 0 ? 20'000 : 1 + s * s % 4;
      });
    }
  }
}

LOCAL_TYPED_TEST(run_length, compares_each_pair_of_neighbours_once_on_the_host) {
  if constexpr (std::same_as<TypeParam, cpu::sequential> || std::same_as<TypeParam, cpu::threads>) {
    for (index_t const n : {index_t{0}, index_t{1}, index_t{500}, index_t{200'000}}) {
      std::atomic<index_t> calls = 0;
      std::vector<int> in(static_cast<std::size_t>(n));
      for (index_t i = 0; i < n; ++i) in[static_cast<std::size_t>(i)] = static_cast<int>(i / 3);
      std::vector<int> values(in.size()), lengths(in.size());
      EXPECT_EQ(run_length_encode_sync(this->ex(), in, values, lengths,
                                       equal_by(counted_equality<int>{&calls})),
                (n + 2) / 3);
      EXPECT_EQ(calls, std::max<index_t>(n - 1, 0));
      calls = 0;
      EXPECT_EQ(reduce_by_key_sync(this->ex(), in, in, values, lengths, plus{},
                                   equal_by(counted_equality<int>{&calls})),
                (n + 2) / 3);
      EXPECT_EQ(calls, std::max<index_t>(n - 1, 0));
      if (n >= 6) {
        EXPECT_EQ(values[1], 1);
        EXPECT_EQ(lengths[1], 3);
      }
    }
  }
}
#endif

LOCAL_TYPED_TEST(run_length, counts_the_runs_that_do_not_fit) {
  auto const in = this->there(std::vector{1, 2, 2, 3});
  auto values = this->template allocate<int>(1);
  auto lengths = this->there(std::vector{0, 0});
  EXPECT_EQ(run_length_encode_sync(this->ex(), in, values, lengths), 3);
  EXPECT_EQ(this->here(values), (std::vector{1}));
  EXPECT_EQ(this->here(lengths), (std::vector{1, 2}));
}

LOCAL_TYPED_TEST(run_length, refuses_lengths_of_another_number) {
  auto const values = this->there(std::vector{1, 2});
  auto const lengths = this->there(std::vector{1});
  auto out = this->template allocate<int>(1);
  EXPECT_THROW(run_length_decode(this->ex(), values, lengths, out), contract_error);
}

}  // namespace
}  // namespace ravel::run_length_test
