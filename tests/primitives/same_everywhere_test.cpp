#include <ravel/core/derived_monoids.hpp>
#include <ravel/core/same_everywhere.hpp>

#include <ravel/core/monoid.hpp>
#include <ravel/core/plan.hpp>
#include <ravel/core/segments.hpp>
#include <ravel/primitives/reduce.hpp>
#include <ravel/primitives/scan.hpp>
#include <ravel/primitives/segmented_reduce.hpp>
#include <ravel/primitives/segmented_scan.hpp>

#include "support/executors.hpp"
#include "support/segment_shapes.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <random>
#include <vector>

namespace ravel::same_everywhere_test {
namespace {

// The order documented in core/same_everywhere.hpp, as loops over vectors.

/// x[0] * x[1] * ... over each group of `width` elements.
template <class T, class M>
std::vector<T> groups(std::vector<T> const& x, std::size_t width, M m) {
  std::vector<T> of_group;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (i % width == 0) {
      of_group.push_back(x[i]);
    } else {
      of_group.back() = m(of_group.back(), x[i]);
    }
  }
  return of_group;
}

/// The totals of tiles, each from the identity.
template <class T, class M>
std::vector<T> tiles(std::vector<T> const& x, M m) {
  std::vector<T> const blocks = groups(groups(x, 16, m), 16, m);
  std::vector<T> of_tile;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    if (b % 8 == 0) of_tile.push_back(m.identity());
    of_tile.back() = m(of_tile.back(), blocks[b]);
  }
  return of_tile;
}

template <class T, class M>
T reduced(std::vector<T> const& x, M m, T init) {
  if (x.size() > 2048) return reduced(tiles(x, m), m, init);
  for (T const& block : groups(groups(x, 16, m), 16, m)) init = m(init, block);
  return init;
}

template <class T>
struct scanned {
  std::vector<T> before, through;
};

template <class T, class M>
scanned<T> scan(std::vector<T> const& x, M m, T init) {
  std::vector<T> const runs = groups(x, 16, m);
  std::vector<T> const blocks = groups(runs, 16, m);
  std::vector<T> ahead_of_tile{init};
  if (x.size() > 2048) {
    for (T const& through : scan(tiles(x, m), m, T(m.identity())).through) {
      ahead_of_tile.push_back(m(init, through));
    }
  }
  std::vector<T> ahead_of_block, ahead_of_run;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    ahead_of_block.push_back(b % 8 == 0 ? ahead_of_tile[b / 8]
                                        : m(ahead_of_block[b - 1], blocks[b - 1]));
  }
  for (std::size_t r = 0; r < runs.size(); ++r) {
    ahead_of_run.push_back(r % 16 == 0 ? ahead_of_block[r / 16]
                                       : m(ahead_of_run[r - 1], runs[r - 1]));
  }
  scanned<T> all;
  for (std::size_t i = 0; i < x.size(); ++i) {
    all.before.push_back(i % 16 == 0 ? ahead_of_run[i / 16] : all.through[i - 1]);
    all.through.push_back(m(all.before[i], x[i]));
  }
  return all;
}

/// Elements with the heads of their segments, combined with `init` at heads.
template <class T, class M>
std::vector<flagged<T>> with_heads(std::vector<T> const& x, std::vector<index_t> const& lengths,
                                   M m, T init) {
  std::vector<flagged<T>> pairs;
  for (T const& value : x) pairs.push_back({value, false});
  std::size_t begin = 0;
  for (index_t const length : lengths) {
    if (length > 0) pairs[begin] = {m(init, x[begin]), true};
    begin += static_cast<std::size_t>(length);
  }
  return pairs;
}

template <class T>
std::vector<T> values_of(std::vector<flagged<T>> const& pairs) {
  std::vector<T> values;
  for (auto const& pair : pairs) values.push_back(pair.value);
  return values;
}

// The inputs.

/// Numbers of many magnitudes and both signs, whose sums round.
template <class T>
std::vector<T> numbers(std::size_t n) {
  std::mt19937 random(n);
  std::vector<T> x(n);
  for (T& value : x) {
    T const scale = T(1u << random() % 20);
    value = (T(random() % 2001) - T(1000)) * scale / T(7);
  }
  return x;
}

/// y -> max(y + add, least), which does not commute.
template <class T>
struct raise {
  T add, least;
};
template <class T>
struct then {
  static RAVEL_HD raise<T> identity() { return {T(0), bounds<T>::lowest()}; }
  RAVEL_HD raise<T> operator()(raise<T> const& f, raise<T> const& g) const {
    T const least = f.least + g.add;
    return {f.add + g.add, least < g.least ? g.least : least};
  }
};
template <class T>
std::vector<raise<T>> raises(std::size_t n) {
  std::vector<T> const x = numbers<T>(2 * n);
  std::vector<raise<T>> both;
  for (std::size_t i = 0; i < n; ++i) both.push_back({x[i], x[n + i]});
  return both;
}

template <class T>
::testing::AssertionResult same_bits(std::vector<T> const& a, std::vector<T> const& b) {
  using bits = std::array<std::byte, sizeof(T)>;
  if (a.size() != b.size()) return ::testing::AssertionFailure() << a.size() << ", " << b.size();
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::bit_cast<bits>(a[i]) != std::bit_cast<bits>(b[i])) {
      return ::testing::AssertionFailure() << "they differ at " << i << " of " << a.size();
    }
  }
  return ::testing::AssertionSuccess();
}

std::vector<std::size_t> sizes() {
  return {0, 1, 2, 15, 16, 17, 255, 256, 257, 1000, 2047, 2048, 2049, 4097, 10'007};
}

template <class Ex>
struct same_everywhere : testing::on_executor<Ex> {
  ravel::same_everywhere<Ex> same() const { return ravel::same_everywhere(this->ex()); }

  template <class T, class M>
  void is_in_order(std::vector<T> const& x, M m, T init) {
    auto const in = this->there(x);
    auto const out = this->template allocate<T>(in.size());
    auto const one = this->template allocate<T>(1);
    auto const expected = scan(x, m, init);

    inclusive_scan(same(), in, out, m, from(init));
    EXPECT_TRUE(same_bits(this->here(out), expected.through)) << "inclusive scan";
    exclusive_scan(same(), in, out, m, from(init));
    EXPECT_TRUE(same_bits(this->here(out), expected.before)) << "exclusive scan";
    reduce(same(), in, one, m, from(init));
    EXPECT_TRUE(same_bits(this->here(one), {reduced(x, m, init)})) << "reduction";
  }
};
TYPED_TEST_SUITE(same_everywhere, testing::device_if_thorough);

TYPED_TEST(same_everywhere, is_an_executor) {
  static_assert(executor<ravel::same_everywhere<TypeParam>>);
}

TYPED_TEST(same_everywhere, scans_and_reduces_in_the_order_of_the_header) {
  for (std::size_t const n : sizes()) {
    SCOPED_TRACE(n);
    this->is_in_order(numbers<float>(n), plus<float>{}, -0.0f);
    this->is_in_order(numbers<double>(n), plus<double>{}, 0.5);
  }
}

TYPED_TEST(same_everywhere, keeps_the_order_of_a_monoid_that_does_not_commute) {
  for (std::size_t const n : {1, 17, 257, 2049, 5000}) {
    SCOPED_TRACE(n);
    this->is_in_order(raises<float>(n), then<float>{}, raise<float>{1, 2});
    this->is_in_order(raises<double>(n), then<double>{}, raise<double>{1, 2});
  }
}

/// A block combines 2048 elements together if they have up to 16 bytes, fewer if they are larger,
/// and none of more than 128 bytes.
template <int W>
void is_in_order_side_by_side(auto& fixture) {
  std::vector<double> const x = numbers<double>(2500 * W);
  std::vector<side_by_side<double, W>> wide(2500);
  for (std::size_t i = 0; i < x.size(); ++i) wide[i / W].of[i % W] = x[i];
  fixture.is_in_order(wide, each_of<plus<double>, W>{}, wide[7]);
}
TYPED_TEST(same_everywhere, has_one_order_for_elements_of_any_size) {
  is_in_order_side_by_side<3>(*this);
  is_in_order_side_by_side<16>(*this);
  is_in_order_side_by_side<17>(*this);
}

TYPED_TEST(same_everywhere, goes_backward_in_the_same_order) {
  std::vector<float> x = numbers<float>(5000);
  auto const in = this->there(x);
  auto const out = this->template allocate<float>(in.size());
  inclusive_scan(this->same(), in, out, plus{}, backward);

  std::reverse(x.begin(), x.end());
  auto expected = scan(x, plus<float>{}, 0.0f).through;
  std::reverse(expected.begin(), expected.end());
  EXPECT_TRUE(same_bits(this->here(out), expected));
}

TYPED_TEST(same_everywhere, may_write_over_its_input) {
  std::vector<double> const x = numbers<double>(5000);
  auto const data = this->there(x);
  inclusive_scan(this->same(), data, data);
  EXPECT_TRUE(same_bits(this->here(data), scan(x, plus<double>{}, 0.0).through));
}

TYPED_TEST(same_everywhere, scans_and_reduces_segments_in_the_order_of_the_header) {
  for (auto const& shape : testing::segment_shapes()) {
    index_t n = 0;
    for (index_t const length : shape.lengths) n += length;
    if (n > 20'000) continue;  // slow in software
    SCOPED_TRACE(shape.name);
    float const init = 0.1f;
    auto const x = numbers<float>(static_cast<std::size_t>(n));
    segmented<plus<float>> const lifted{};
    auto const expected = values_of(
        scan(with_heads(x, shape.lengths, plus<float>{}, init), lifted, lifted.identity()).through);
    std::vector<float> of_segment;
    std::size_t end = 0;
    for (index_t const length : shape.lengths) {
      end += static_cast<std::size_t>(length);
      of_segment.push_back(length > 0 ? expected[end - 1] : init);
    }

    auto const in = this->there(x);
    auto const lengths = this->there(shape.lengths);
    auto const out = this->template allocate<float>(n);
    auto const sums = this->template allocate<float>(lengths.size());
    segmented_inclusive_scan(this->same(), in, by_lengths(lengths), out, plus{}, from(init));
    EXPECT_TRUE(same_bits(this->here(out), expected));
    segmented_reduce(this->same(), in, by_lengths(lengths), sums, plus{}, from(init));
    EXPECT_TRUE(same_bits(this->here(sums), of_segment));
  }
}

TYPED_TEST(same_everywhere, gives_the_bits_of_one_thread) {
  std::vector<float> const x = numbers<float>(30'000);
  std::vector<float> on_one(x.size());
  inclusive_scan(ravel::same_everywhere(cpu::sequential()), x, on_one);
  auto const in = this->there(x);
  auto const out = this->template allocate<float>(in.size());
  inclusive_scan(this->same(), in, out);
  EXPECT_TRUE(same_bits(this->here(out), on_one));
}

TYPED_TEST(same_everywhere, can_be_planned) {
  auto const in = this->there(numbers<float>(5000));
  auto const out = this->template allocate<float>(in.size());
  plan const sums(this->same(), "sums", [&](auto const& ex) { inclusive_scan(ex, in, out); });
  EXPECT_GT(sums.bytes(), 0);
  auto const scratch = this->template allocate<std::byte>(sums.bytes());
  sums(scratch);
  EXPECT_TRUE(same_bits(this->here(out), scan(numbers<float>(5000), plus<float>{}, 0.0f).through));
}

TEST(same_everywhere_on_threads, is_the_same_for_any_number_of_them) {
  std::size_t const n = 2048 * 2049 + 77;  // more tiles than a tile has elements
  std::vector<float> const x = numbers<float>(n);
  auto const expected = scan(x, plus<float>{}, 0.25f);
  std::vector<float> out(n), one(1);
  for (int threads = 1; threads <= 4; ++threads) {
    SCOPED_TRACE(threads);
    ravel::same_everywhere const same{cpu::threads(threads)};
    inclusive_scan(same, x, out, plus{}, from(0.25f));
    EXPECT_TRUE(same_bits(out, expected.through));
    reduce(same, x, one, plus{}, from(0.25f));
    EXPECT_TRUE(same_bits(one, {reduced(x, plus<float>{}, 0.25f)}));
  }
}

TEST(same_everywhere_on_threads, is_not_the_order_of_a_loop) {
  std::vector<float> const x = numbers<float>(10'000);
  std::vector<float> out(x.size()), loop;
  float sum = 0;
  for (float const value : x) loop.push_back(sum += value);
  inclusive_scan(ravel::same_everywhere(cpu::sequential()), x, out);
  EXPECT_FALSE(same_bits(out, loop));
}

}  // namespace
}  // namespace ravel::same_everywhere_test
