#include <ravel/core/derived_monoids.hpp>
#include <ravel/primitives/scan.hpp>

#include "support/device_forms.hpp"
#include "support/executors.hpp"
#include "support/monoids.hpp"

#include <cstdint>

namespace ravel::scan_test {
namespace {

using testing::affine;
using testing::then;

/// Sizes around a tile, a round and a warp of every executor, and several levels of tiles.
std::vector<index_t> const sizes{0,    1,    2,    31,    32,    33,    63,    64,    65,
                                 255,  256,  511,  512,   513,   2047,  2048,  2049,  4095,
                                 4096, 4097, 8192, 16383, 16384, 20000, 33333, 300000};

/// The references, as loops.
template <class T, class U, class M>
std::vector<T> inclusive_oracle(std::vector<U> const& in, M m, T init) {
  std::vector<T> out;
  for (auto const& x : in) out.push_back(init = m(init, T(x)));
  return out;
}
template <class T, class U, class M>
std::vector<T> exclusive_oracle(std::vector<U> const& in, M m, T init) {
  std::vector<T> out;
  for (auto const& x : in) {
    out.push_back(init);
    init = m(init, T(x));
  }
  out.push_back(init);  // the total, for outputs with room for it
  return out;
}
template <class T, class M>
std::vector<T> backward_inclusive_oracle(std::vector<T> const& in, M m, T init) {
  std::vector<T> out(in.size());
  for (std::size_t i = in.size(); i-- > 0;) out[i] = init = m(in[i], init);
  return out;
}

/// A float made of an int and its index, so that any omission changes it.
struct made_of_int {
  int const* from;
  RAVEL_HD int const* elements() const { return from; }
  RAVEL_HD float of(index_t i, int x) const { return static_cast<float>(3 * x + i % 5); }
  RAVEL_HD float operator()(index_t i) const { return of(i, from[i]); }
};

/// An int made of all arguments of a visit.
struct mixed {
  RAVEL_HD int operator()(index_t i, float before, float through) const {
    return static_cast<int>(2 * through + 4 * before) + static_cast<int>(i % 3);
  }
};

struct triple {
  RAVEL_HD int operator()(int x) const { return 3 * x; }
};
/// A load and a visit of the caller's own, which say what they read and write.
struct loads_tripled {
  int const* from;
  RAVEL_HD int operator()(index_t i) const { return 3 * from[i]; }
  auto structure() const { return mapped<contiguous<int>, triple>{{from}, {}}; }
};
struct writes_through {
  int* to;
  index_t n;
  RAVEL_HD void operator()(index_t i, int, int through) const { to[i] = through; }
  auto structure() const { return through_into<into_contiguous<int>>{{to, n}}; }
};
/// Loads only elements of the tile that it was made for: others are 0.
struct loads_of_tile {
  int const* from;
  index_t end;
  RAVEL_HD loads_of_tile on(tile t) const { return {from, t.end}; }
  RAVEL_HD int operator()(index_t i) const { return i < end ? from[i] : 0; }
};

struct one_half {
  RAVEL_HD float operator()() const { return 0.5f; }
};
struct write_total {
  float* to;
  RAVEL_HD void operator()(float x) const { *to = x; }
};

template <class T, class M>
std::vector<T> backward_exclusive_oracle(std::vector<T> const& in, M m, T init) {
  std::vector<T> out(in.size());
  for (std::size_t i = in.size(); i-- > 0; init = m(in[i], init)) out[i] = init;
  return out;
}

struct last {
  RAVEL_HD int operator()(int, int y) const { return y; }
};

template <class Ex>
struct scan : testing::on_executor<Ex> {
  std::vector<int> numbers(index_t n) const {
    std::vector<int> in(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<int>(i * 7 % 13) - 6;
    return in;
  }
  std::vector<affine> maps(index_t n) const {
    std::vector<affine> in;
    for (std::uint32_t i = 0; i < n; ++i) in.push_back(testing::nth_affine(i));
    return in;
  }
};
TYPED_TEST_SUITE(scan, testing::all_executors);

TYPED_TEST(scan, gives_the_examples_in_the_header) {
  auto const in = this->there(std::vector{3, 1, 2, 4, 1, 5});
  auto out = this->template allocate<int>(6);
  auto offsets = this->template allocate_one_more<int>(in);
  auto const& ex = this->ex();

  inclusive_scan(ex, in, out);
  EXPECT_EQ(this->here(out), (std::vector{3, 4, 6, 10, 11, 16}));
  inclusive_scan(ex, in, out, plus{}, backward);
  EXPECT_EQ(this->here(out), (std::vector{16, 13, 12, 10, 6, 5}));
  exclusive_scan(ex, in, out);
  EXPECT_EQ(this->here(out), (std::vector{0, 3, 4, 6, 10, 11}));
  exclusive_scan(ex, in, offsets);
  EXPECT_EQ(this->here(offsets), (std::vector{0, 3, 4, 6, 10, 11, 16}));
  exclusive_scan(ex, in, out, plus{}, backward);
  EXPECT_EQ(this->here(out), (std::vector{13, 12, 10, 6, 5, 0}));
  auto backward_offsets = this->template allocate_one_more<int>(in, backward);
  exclusive_scan(ex, in, backward_offsets, plus{}, backward);
  EXPECT_EQ(this->here(backward_offsets), (std::vector{16, 13, 12, 10, 6, 5, 0}));
}

TYPED_TEST(scan, agrees_with_the_loop_at_every_size) {
  for (index_t const n : sizes) {
    SCOPED_TRACE(n);
    auto const host = this->numbers(n);
    auto const in = this->there(host);
    auto out = this->template allocate<int>(n);

    inclusive_scan(this->ex(), in, out);
    EXPECT_EQ(this->here(out), inclusive_oracle(host, plus<int>{}, 0));
    inclusive_scan(this->ex(), in, out, maximum{});
    EXPECT_EQ(this->here(out), inclusive_oracle(host, maximum<int>{}, maximum<int>::identity()));

    auto more = this->template allocate_one_more<int>(in);
    exclusive_scan(this->ex(), in, more);
    EXPECT_EQ(this->here(more), exclusive_oracle(host, plus<int>{}, 0));
  }
}

TYPED_TEST(scan, keeps_the_order_of_a_monoid_that_does_not_commute) {
  for (index_t const n : sizes) {
    SCOPED_TRACE(n);
    auto const host = this->maps(n);
    auto const in = this->there(host);
    auto out = this->template allocate<affine>(n);

    inclusive_scan(this->ex(), in, out, then{});
    EXPECT_EQ(this->here(out), inclusive_oracle(host, then{}, then::identity()));
    inclusive_scan(this->ex(), in, out, then{}, backward);
    EXPECT_EQ(this->here(out), backward_inclusive_oracle(host, then{}, then::identity()));
  }
}

TYPED_TEST(scan, starts_from_a_value_of_the_host_or_of_its_own_memory) {
  for (index_t const n : {index_t{0}, index_t{1}, index_t{100}, index_t{20000}}) {
    SCOPED_TRACE(n);
    affine const init{3, 5};
    auto const host = this->maps(n);
    auto const in = this->there(host);
    auto const there = this->replicated(std::vector{init});
    auto out = this->template allocate<affine>(n);
    auto more = this->template allocate_one_more<affine>(in);

    inclusive_scan(this->ex(), in, out, then{}, from(init));
    EXPECT_EQ(this->here(out), inclusive_oracle(host, then{}, init));
    inclusive_scan(this->ex(), in, out, then{}, from(there));
    EXPECT_EQ(this->here(out), inclusive_oracle(host, then{}, init));
    exclusive_scan(this->ex(), in, more, then{}, from(there));
    EXPECT_EQ(this->here(more), exclusive_oracle(host, then{}, init));
    inclusive_scan(this->ex(), in, out, then{}, backward, from(init));
    EXPECT_EQ(this->here(out), backward_inclusive_oracle(host, then{}, init));
  }
}

TYPED_TEST(scan, writes_the_total) {
  for (index_t const n : sizes) {
    SCOPED_TRACE(n);
    auto const host = this->maps(n);
    auto const in = this->there(host);
    auto out = this->template allocate<affine>(n);
    auto total = this->template replicate<affine>(1);

    exclusive_scan(this->ex(), in, out, then{}, total_to(total));
    EXPECT_EQ(this->here(total).front(), exclusive_oracle(host, then{}, then::identity()).back());
    inclusive_scan(this->ex(), in, out, then{}, total_to(total), from(affine{7, 1}), backward);
    auto const expected = backward_inclusive_oracle(host, then{}, affine{7, 1});
    EXPECT_EQ(this->here(total).front(), n == 0 ? (affine{7, 1}) : expected.front());
  }
}

TYPED_TEST(scan, may_write_over_its_input) {
  auto const host = this->numbers(50000);
  auto data = this->there(host);
  inclusive_scan(this->ex(), data, data);
  EXPECT_EQ(this->here(data), inclusive_oracle(host, plus<int>{}, 0));

  data = this->there(host);
  exclusive_scan(this->ex(), data, data, plus{}, backward);
  std::vector<int> expected(host.size());
  for (int i = static_cast<int>(host.size()) - 1, sum = 0; i >= 0; --i) {
    expected[static_cast<std::size_t>(i)] = sum;
    sum += host[static_cast<std::size_t>(i)];
  }
  EXPECT_EQ(this->here(data), expected);
}

LOCAL_TYPED_TEST(scan, reads_and_writes_through_functions_of_elements) {
  plus<float> const sum;  // of numbers so small that none is rounded
  for (index_t const n : {1, 3, 9215, 9216, 10001, 40001}) {
    auto const host = this->numbers(n + 1);
    auto const in = this->there(host);
    auto const sums = this->template allocate<float>(n + 1);
    auto const made = this->template allocate<int>(n + 1);
    auto const total = this->template allocate<float>(1);
    for (index_t const skipped : {0, 1}) {  // devices read and write aligned memory in bulk
      SCOPED_TRACE(std::to_string(n) + " from " + std::to_string(skipped));
      made_of_int const load{in.data() + skipped};
      write_total const give{total.data()};
      write_made<mixed, int> const make{{}, made.data() + skipped};
      std::vector<float> x;
      for (index_t i = 0; i < n; ++i) x.push_back(made_of_int{host.data() + skipped}(i));
      auto const expect = [&](auto const& out, auto const& expected) {
        auto const found = this->here(out);
        EXPECT_EQ(std::vector(found.begin() + skipped, found.begin() + skipped + n), expected);
        EXPECT_EQ(this->here(total).front(), exclusive_oracle(x, sum, 0.5f).back());
      };
      auto const mix = [](std::vector<float> const& before, std::vector<float> const& through) {
        std::vector<int> y;
        for (std::size_t i = 0; i < through.size(); ++i) {
          y.push_back(mixed{}(static_cast<index_t>(i), before[i], through[i]));
        }
        return y;
      };

      auto before = exclusive_oracle(x, sum, 0.5f);
      auto through = inclusive_oracle(x, sum, 0.5f);
      before.pop_back();
      scan_on(this->ex(), n, load, write_through<float>{sums.data() + skipped}, sum, one_half{},
              give);
      expect(sums, through);
      scan_on(this->ex(), n, load, make, sum, one_half{}, give);
      expect(made, mix(before, through));

      before = backward_exclusive_oracle(x, sum, 0.5f);
      through = backward_inclusive_oracle(x, sum, 0.5f);
      scan_backward_on(this->ex(), n, load, write_before<float>{sums.data() + skipped}, sum,
                       one_half{}, give);
      expect(sums, before);
      scan_backward_on(this->ex(), n, load, make, sum, one_half{}, give);
      expect(made, mix(before, through));
    }
  }
}

LOCAL_TYPED_TEST(scan, takes_sources_and_sinks_however_they_are_described) {
  int five = 5;  // what structure() promises
  EXPECT_EQ(loads_tripled{&five}(0), 15);
  writes_through{&five, 1}(0, 0, 7);
  EXPECT_EQ(five, 7);
  plus<int> const sum;
  detail::seed_identity<plus<int>> const zero{sum};
  for (index_t const n : {0, 1, 30, 95, 4097, 40'000}) {
    SCOPED_TRACE(n);
    auto const host = this->numbers(n);
    auto const in = this->there(host);
    auto const out = this->template allocate<int>(n);
    into_contiguous<int> const to{out.data(), n};
    std::vector<int> tripled = host, backward_tripled;
    for (int& x : tripled) x *= 3;
    backward_tripled.assign(tripled.rbegin(), tripled.rend());
    auto const through = inclusive_oracle(tripled, sum, 0);
    auto const through_mirrored = inclusive_oracle(backward_tripled, sum, 0);
    auto before = exclusive_oracle(tripled, sum, 0);
    before.pop_back();

    inclusive_scan(this->ex(), map_source(in, triple{}), out);
    EXPECT_EQ(this->here(out), through);
    exclusive_scan(this->ex(), map_source(in, triple{}), out);
    EXPECT_EQ(this->here(out), before);
    inclusive_scan(this->ex(), mirror_source(map_source(in, triple{})), out);
    EXPECT_EQ(this->here(out), through_mirrored);
    inclusive_scan(this->ex(), map_source(in, triple{}), out, sum, backward);
    EXPECT_EQ(this->here(out), backward_inclusive_oracle(tripled, sum, 0));
    inclusive_scan(this->ex(), map_source(in, triple{}), out, sum, of_tuples<2>);
    auto const tuples = this->here(out);
    for (std::size_t i = 0; i < tuples.size(); ++i) {
      ASSERT_EQ(tuples[i], tripled[i] + (i < 2 ? 0 : tuples[i - 2]));
    }

    scan_on(this->ex(), n, loads_tripled{in.data()}, writes_through{out.data(), n}, sum, zero,
            detail::no_total{});
    EXPECT_EQ(this->here(out), through);
    scan_on(this->ex(), n, loads_tripled{in.data()}, before_into<into_contiguous<int>>{to}, sum,
            zero, detail::no_total{});
    EXPECT_EQ(this->here(out), before);
    // A map of what depends on the tile, and a map of results.
    scan_on(this->ex(), n, mapped<loads_of_tile, triple>{{in.data(), 0}, {}},
            through_into<into_mapped<triple, into_contiguous<int>>>{{{}, to}}, sum, zero,
            detail::no_total{});
    auto expected = through;
    for (int& x : expected) x *= 3;
    EXPECT_EQ(this->here(out), expected);
    // Both from the end, which is a scan backward.
    scan_on(this->ex(), n, mirrored<mapped<contiguous<int>, triple>>{{{in.data()}, {}}, n - 1},
            through_into<into_mirrored<into_contiguous<int>>>{{to, n - 1}}, sum, zero,
            detail::no_total{});
    EXPECT_EQ(this->here(out), backward_inclusive_oracle(tripled, sum, 0));
  }
}

TYPED_TEST(scan, sums_bytes_in_the_type_of_out) {
  std::vector<std::uint8_t> const host(100000, 255);
  auto const in = this->there(host);
  auto out = this->template allocate<std::uint32_t>(std::ssize(host));
  inclusive_scan(this->ex(), in, out);
  EXPECT_EQ(this->here(out), (inclusive_oracle(host, plus<std::uint32_t>{}, std::uint32_t{0})));
}

TYPED_TEST(scan, needs_no_identity_of_an_operator_that_has_none) {
  auto const host = this->numbers(10000);
  auto const in = this->there(host);
  auto out = this->template allocate<int>(10000);
  inclusive_scan(this->ex(), in, out, adjoin_identity<int>(last{}));
  EXPECT_EQ(this->here(out), host);
}

TYPED_TEST(scan, repeats_bit_for_bit_in_floating_point) {
  std::vector<float> host(100000);
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = 1.0f / static_cast<float>(i % 1000 + 1);
  auto const in = this->there(host);
  auto first = this->template allocate<float>(100000);
  auto again = this->template allocate<float>(100000);
  inclusive_scan(this->ex(), in, first);
  for (int k = 0; k < 5; ++k) {
    inclusive_scan(this->ex(), in, again);
    EXPECT_EQ(this->here(again), this->here(first));
  }
}

LOCAL_TYPED_TEST(scan, refuses_sizes_that_differ) {
  auto const in = this->template allocate<int>(4);
  auto out = this->template allocate<int>(3);
  EXPECT_THROW(inclusive_scan(this->ex(), in, out), contract_error);
  EXPECT_THROW(exclusive_scan(this->ex(), in, out), contract_error);
  EXPECT_THROW(from(in), contract_error);
  EXPECT_THROW(total_to(out), contract_error);
}

}  // namespace
}  // namespace ravel::scan_test
