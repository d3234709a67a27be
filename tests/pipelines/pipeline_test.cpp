#include <ravel/pipelines/pipelines.hpp>

#include "support/device_forms.hpp"
#include "support/executors.hpp"
#include "support/said_by.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <cstdio>
#include <ranges>
#include <span>
#include <utility>

namespace ravel::pipeline_test {
namespace {

using testing::said_by;

struct square {
  RAVEL_HD long operator()(long x) const { return x * x; }
};
struct is_even {
  RAVEL_HD bool operator()(long x) const { return x % 2 == 0; }
};
struct is_odd {
  RAVEL_HD bool operator()(long x) const { return x % 2 != 0; }
};
struct minus_of {
  RAVEL_HD long operator()(long x, long y) const { return x - y; }
};
struct sum_is_odd {
  RAVEL_HD bool operator()(long x, long y) const { return (x + y) % 2 != 0; }
};

struct same_parity {
  RAVEL_HD bool operator()(long x, long y) const { return (x - y) % 2 == 0; }
};

struct same_ninth {
  RAVEL_HD bool operator()(long x, long y) const { return x / 9 == y / 9; }
};

struct point {
  long x, y;
  bool is_far() const { return x > 1; }
  long times(long by) const { return y * by; }
};

struct store_at {
  long* to;
  RAVEL_HD void operator()(index_t i, long x) const { to[i] = x; }
};
struct mark {
  long* at;
  RAVEL_HD void operator()(long x) const { at[x] = -1; }
};

using longs = std::vector<long>;

template <class Ex>
struct pipeline_of : testing::on_executor<Ex> {
  template <class Stage>
  longs of_example(Stage const& stage) {
    auto const in = this->there(longs{3, 1, 2, 4, 1, 5});
    auto const all = ravel::on(this->ex(), in) | stage;
    if constexpr (testing::has_ranks<Ex>) {
      return this->here(all | to_buffer());
    } else {
      auto const out = all | to_vector();
      return {out.begin(), out.end()};
    }
  }
};
TYPED_TEST_SUITE(pipeline_of, testing::executors_and_device);

TYPED_TEST(pipeline_of, stages_do_what_their_headers_say) {
  auto const is = [&](auto const& stage, longs const& out) {
    EXPECT_EQ(this->of_example(stage), out);
  };
  is(map(square{}), {9, 1, 4, 16, 1, 25});
  is(filter(is_odd{}), {3, 1, 1, 5});
  is(inclusive_scan(plus{}), {3, 4, 6, 10, 11, 16});
  is(exclusive_scan(plus{}), {0, 3, 4, 6, 10, 11});
  is(take(2), {3, 1});
  is(take(9), {3, 1, 2, 4, 1, 5});
  is(drop(4), {1, 5});
  is(drop(9), {});
  is(slice(2, 3), {2, 4, 1});
  is(adjacent(plus{}), {4, 3, 6, 5, 6});
  is(adjacent(minus_of{}), {2, -1, -2, 3, -4});
  is(adjacent_difference(), {3, -2, 1, 2, -3, 4});
  is(adjacent_difference(minus_of{}), {3, -2, 1, 2, -3, 4});
  is(unique(), {3, 1, 2, 4, 1, 5});
}

LOCAL_TYPED_TEST(pipeline_of, stages_of_one_rank_do_what_their_headers_say) {
  auto const is = [&](auto const& stage, longs const& out) {
    EXPECT_EQ(this->of_example(stage), out);
  };
  is(inclusive_scan(plus{}, backward), {16, 13, 12, 10, 6, 5});
  is(inclusive_scan(plus{}, from(10L)), {13, 14, 16, 20, 21, 26});
  is(stride(2), {3, 2, 1});
  is(stride(4), {3, 1});
  is(reverse(), {5, 1, 4, 2, 1, 3});
  is(enumerate() | map(minus_of{}), {-3, 0, 0, -1, 3, 0});
  is(adjacent() | map(minus_of{}), {2, -1, -2, 3, -4});
  is(unique(equal_by(same_parity{})), {3, 2, 1});
  is(gather(iota(1, 3)), {1, 2, 4});
  is(zip(iota(6)) | map(minus_of{}), {3, 0, 0, 1, -3, 0});
}

TYPED_TEST(pipeline_of, passes_follow_each_other) {
  auto const is = [&](auto const& stage, longs const& out) {
    EXPECT_EQ(this->of_example(stage), out);
  };
  is(map(square{}) | inclusive_scan(plus{}) | filter(is_even{}), {10, 14, 30, 56});
  is(inclusive_scan(plus{}) | map(square{}) | filter(is_even{}) | map(square{}),
     {256, 1296, 10000, 65536});
  is(filter(is_odd{}) | inclusive_scan(plus{}), {3, 4, 5, 10});
  is(filter(is_odd{}) | exclusive_scan(plus{}), {0, 3, 4, 5});
  is(filter(is_odd{}) | inclusive_scan(plus{}) | filter(is_even{}), {4, 10});
  is(filter(is_odd{}) | filter(is_even{}), {});
  is(filter(is_odd{}) | adjacent_difference() | filter(is_even{}), {-2, 0, 4});
}

THOROUGH_LOCAL_TYPED_TEST(pipeline_of, passes_of_one_rank_follow_each_other) {
  auto const is = [&](auto const& stage, longs const& out) {
    EXPECT_EQ(this->of_example(stage), out);
  };
  is(filter(is_odd{}) | reverse() | inclusive_scan(plus{}), {5, 6, 7, 10});
  is(filter(is_odd{}) | inclusive_scan(plus{}, backward), {10, 7, 6, 5});
  is(inclusive_scan(plus{}, backward) | filter(is_even{}), {16, 12, 10, 6});
  is(inclusive_scan(plus{}) | inclusive_scan(plus{}, backward), {50, 47, 43, 37, 27, 16});
  is(filter(is_odd{}) | drop(1) | stride(2), {1, 5});
  is(inclusive_scan(plus{}) | enumerate() | map(minus_of{}), {-3, -3, -4, -7, -7, -11});
  is(inclusive_scan(plus{}) | zip(iota(6)) | filter(sum_is_odd{}) | map(minus_of{}),
     {3, 3, 7, 7, 11});
  is(filter(is_odd{}) | zip(iota(6)) | filter(sum_is_odd{}) | map(minus_of{}), {3, -1});
  is(filter(is_odd{}) | gather(constant(1, 3)), {1, 1, 1});
}

LOCAL_TYPED_TEST(pipeline_of, is_long) {
  longs in(10'000), squares_of_odd, runs;
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<long>(i * i / 7 % 1000);
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (in[i] % 2 != 0) squares_of_odd.push_back(in[i] * in[i]);
    if (i == 0 || in[i - 1] / 9 != in[i] / 9) runs.push_back(in[i]);
  }
  auto const there = this->there(in);
  auto const p = on(this->ex(), there);
  EXPECT_EQ(p | filter(is_odd{}) | map(square{}) | to_vector(), squares_of_odd);
  EXPECT_EQ(p | map(square{}) | filter(is_odd{}) | to_vector(), squares_of_odd);
  EXPECT_EQ(p | unique(equal_by(same_ninth{})) | to_vector(), runs);
  auto const little = this->template allocate<long>(3'000);
  EXPECT_EQ((p | filter(is_odd{}) | map(square{}) | into(little)).get(),
            std::ssize(squares_of_odd));
  squares_of_odd.resize(3'000);
  EXPECT_EQ(this->here(little), squares_of_odd);
}

TYPED_TEST(pipeline_of, sinks_take_what_comes) {
  auto const in = this->there(longs{3, 1, 2, 4, 1, 5});
  auto const p = on(this->ex(), in);
  EXPECT_EQ((p | reduce(plus{})).get(), 16);
  EXPECT_EQ((p | filter(is_odd{}) | reduce(maximum{})).get(), 5);
  EXPECT_EQ((p | inclusive_scan(plus{}) | filter(is_even{}) | reduce(plus{})).get(), 36);
  EXPECT_EQ(p | map(square{}) | count(), 6);
  EXPECT_EQ((p | filter(is_odd{}) | count()).get(), 4);
  EXPECT_EQ((p | inclusive_scan(plus{}) | filter(is_even{}) | count()).get(), 4);
  EXPECT_EQ((p | filter(is_odd{}) | inclusive_scan(plus{}) | count()).get(), 4);
  EXPECT_EQ(this->here(p | map(square{}) | to_buffer()), (longs{9, 1, 4, 16, 1, 25}));
}

LOCAL_TYPED_TEST(pipeline_of, sinks_of_one_rank_take_what_comes) {
  auto const in = this->there(longs{3, 1, 2, 4, 1, 5});
  auto const p = on(this->ex(), in);
  EXPECT_EQ((p | reduce(plus{}, from(4L))).get(), 20);
  EXPECT_EQ((p | filter(is_odd{}) | take(3) | count()).get(), 3);
  EXPECT_EQ(p | filter(is_odd{}) | first(3), (longs{3, 1, 1}));
  EXPECT_EQ(p | map(is_even{}) | to_vector(), (std::vector<bool>{0, 0, 1, 1, 0, 0}));
}

LOCAL_TYPED_TEST(pipeline_of, begins_with_what_is_computed) {
  auto const& ex = this->ex();
  EXPECT_EQ(on(ex, generate(4, square{})) | to_vector(), (longs{0, 1, 4, 9}));
  EXPECT_EQ(on(ex, constant(7L, 3)) | inclusive_scan(plus{}) | to_vector(), (longs{7, 14, 21}));
  EXPECT_EQ(on(ex, iota(5L, 3)) | stride(2) | to_vector(), (longs{5, 7}));
  EXPECT_EQ(on(ex, generate(3, random_words{})) | to_vector(),
            (std::vector<std::uint64_t>{0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4,
                                        0x06c45d188009454f}));  // Vigna's splitmix64.c
}

struct second_of {
  template <class R>
  RAVEL_HD auto const& operator()(R const& r) const {
    return get<1>(r);
  }
};
struct itself {
  RAVEL_HD long const& operator()(long const& x) const { return x; }
};
using squares_themselves =
    piping::stepped<piping::sized_view<piping::generated<square>>, piping::map_step<itself>>;
static_assert(std::same_as<decltype(std::declval<squares_themselves const&>()(0)), long>);

LOCAL_TYPED_TEST(pipeline_of, functions_may_give_a_reference_to_what_was_made_for_them) {
  auto const in = this->there(longs{3, 1, 2, 4, 1, 5});
  auto const& ex = this->ex();
  EXPECT_EQ(on(ex, zip(iota(6), in)) | map(second_of{}) | to_vector(), (longs{3, 1, 2, 4, 1, 5}));
  auto const squares = on(ex, in) | map(square{}) | map(itself{});
  EXPECT_EQ(squares | reverse() | to_vector(), (longs{25, 1, 16, 4, 1, 9}));
  EXPECT_EQ(squares | filter(is_even{}) | to_vector(), (longs{4, 16}));
  EXPECT_EQ(squares | inclusive_scan(plus{}) | map(itself{}) | to_vector(),
            (longs{9, 10, 14, 30, 31, 56}));
}

THOROUGH_LOCAL_TYPED_TEST(pipeline_of, functions_may_be_members) {
  auto const in = this->there(std::vector<point>{{3, 1}, {1, 2}, {2, 0}});
  auto const p = on(this->ex(), in);
  EXPECT_EQ(p | map(&point::x) | inclusive_scan(plus{}) | to_vector(), (longs{3, 4, 6}));
  EXPECT_EQ(p | sort(by(&point::y)) | map(&point::x) | to_vector(), (longs{2, 3, 1}));
  EXPECT_EQ(p | filter(&point::y) | map(&point::x) | to_vector(), (longs{3, 1}));
  EXPECT_EQ(to_host(this->ex(), p | histogram(3, &point::y)), (std::vector<std::int64_t>{1, 1, 1}));
}

TEST(pipeline_on_the_host, calls_member_functions) {
  cpu::threads const ex;
  std::vector<point> const in{{3, 1}, {1, 2}, {2, 5}};
  EXPECT_EQ(on(ex, in) | filter(&point::is_far) | map(&point::y) | to_vector(), (longs{1, 5}));
  EXPECT_EQ(on(ex, zip(in, longs{4, 3, 2})) | map(&point::times) | to_vector(), (longs{4, 6, 10}));
}

LOCAL_TYPED_TEST(pipeline_of, gives_each_to_a_function) {
  auto const in = this->there(longs{3, 1, 2, 4, 1, 5});
  auto const out = this->there(longs(17));
  auto const p = on(this->ex(), in);
  p | enumerate() | for_each(store_at{out.data()});
  EXPECT_EQ(this->here(view_of(out).slice(0, 7)), (longs{3, 1, 2, 4, 1, 5, 0}));
  p | filter(is_odd{}) | inclusive_scan(plus{}) | enumerate() | for_each(store_at{out.data()});
  EXPECT_EQ(this->here(view_of(out).slice(0, 7)), (longs{3, 4, 5, 10, 1, 5, 0}));
  p | inclusive_scan(plus{}) | filter(is_even{}) | for_each(mark{out.data()});
  EXPECT_EQ(this->here(view_of(out).slice(9, 8)), (longs{0, -1, 0, 0, 0, 0, 0, -1}));
}

LOCAL_TYPED_TEST(pipeline_of, one_pipeline_feeds_the_next_unawaited) {
  auto const& ex = this->ex();
  auto const in = this->there(longs{3, 1, 2, 4, 1, 5});
  auto const odd = on(ex, in) | filter(is_odd{}) | to_buffer();
  auto const sum = on(ex, odd) | reduce(plus{});
  EXPECT_EQ(on(ex, odd) | inclusive_scan(plus{}, from(sum)) | to_vector(), (longs{13, 14, 15, 20}));
  EXPECT_EQ(odd.size_sync(), 4);
}

LOCAL_TYPED_TEST(pipeline_of, is_a_value_that_runs_again) {
  auto const stages = map(square{}) | inclusive_scan(plus{});
  auto const all = stages | filter(is_even{}) | to_vector();
  auto const data = this->there(longs{1, 2, 3});
  auto const p = on(this->ex(), data) | stages;
  EXPECT_EQ(p | to_vector(), (longs{1, 5, 14}));
  EXPECT_EQ(p | to_vector(), (longs{1, 5, 14}));
  EXPECT_EQ(on(this->ex(), data) | all, (longs{14}));
  EXPECT_EQ(p.size(), 3);
}

LOCAL_TYPED_TEST(pipeline_of, owns_rvalues) {
  auto const make = [&] {
    return on(this->ex(), this->there(longs{1, 2})) | inclusive_scan(plus{}) |
           zip(this->there(longs{5, 6})) | map(minus_of{}) | gather(this->there(longs{1, 1, 0}));
  };
  auto const p = make();
  EXPECT_EQ(p | to_vector(), (longs{-3, -3, -4}));
}

LOCAL_TYPED_TEST(pipeline_of, writes_rows_to_several_sequences) {
  auto const a = this->there(longs{3, 1, 2, 4});
  auto const x = this->template allocate<long>(4);
  auto const y = this->template allocate<int>(3);
  auto const kept = on(this->ex(), a) | enumerate() | filter(sum_is_odd{}) | into(x, y);
  EXPECT_EQ(kept.get(), 2);
  EXPECT_EQ(this->here(x)[0], 0);
  EXPECT_EQ(this->here(y)[0], 3);
  EXPECT_EQ(this->here(x)[1], 3);
  EXPECT_EQ(this->here(y)[1], 4);

  auto const z = this->there(std::vector{7, 7});
  auto const room = view_of(z).slice(0, 1);  // less than in x
  EXPECT_EQ((on(this->ex(), a) | enumerate() | filter(sum_is_odd{}) | into(x, room)).get(), 2);
  EXPECT_EQ(this->here(z), (std::vector{3, 7}));
}

/// Into less room than there are elements, into exactly as much, and into more.
LOCAL_TYPED_TEST(pipeline_of, counts_and_writes_what_there_is_and_has_room) {
  auto const in = this->there(longs{3, 1, 2, 4, 1, 5});
  for (index_t const n : {2, 4, 6}) {
    SCOPED_TRACE(n);
    auto const expect = [&](auto const& stages, longs const& all) {
      auto const out = this->there(longs(7, 7));
      auto const room = view_of(out).slice(0, n);
      EXPECT_EQ((on(this->ex(), in) | stages | into(room)).get(), 4);
      longs expected(7, 7);
      std::copy_n(all.begin(), std::min<index_t>(n, 4), expected.begin());
      EXPECT_EQ(this->here(out), expected);
    };
    expect(filter(is_odd{}), {3, 1, 1, 5});
    expect(inclusive_scan(plus{}) | filter(is_even{}), {4, 6, 10, 16});
    expect(filter(is_odd{}) | inclusive_scan(plus{}), {3, 4, 5, 10});
    expect(filter(is_odd{}) | reverse() | map(square{}), {25, 1, 1, 9});
  }
}

LOCAL_TYPED_TEST(pipeline_of, says_which_stage_was_given_what_it_cannot_do) {
  auto const in = this->there(longs{3, 1, 2});
  auto const out = this->there(longs{7, 7});
  auto const p = on(this->ex(), in) | map(square{});
  EXPECT_EQ(said_by([&] { p | into(out); }),
            "pipeline: stage 2, into: there are 3 elements, and room for 2");
  EXPECT_EQ(this->here(out), (longs{7, 7}));
  EXPECT_EQ(said_by([&] { on(this->ex(), zip(iota(3), iota(4))); }),
            "zip: source 2 has 4 elements, and the first has 3");
  EXPECT_EQ(said_by([&] { p | zip(iota(3), iota(4)); }),
            "pipeline: stage 2, zip: source 2 has 4 elements, and beside it are 3");
  EXPECT_EQ(said_by([&] { p | zip(iota(4)); }),
            "pipeline: stage 2, zip: source 1 has 4 elements, and beside it are 3");
  EXPECT_EQ(said_by([&] { p | drop(-1); }), "pipeline: stage 2, drop: the first position is -1");
  EXPECT_EQ(said_by([&] { p | (reverse() | take(-2)); }),
            "pipeline: stage 3, take: the number of elements is -2");
  EXPECT_EQ(said_by([&] { p | stride(0); }),
            "pipeline: stage 2, stride: the distance between elements is 0");
  EXPECT_EQ(said_by([&] { p | histogram(-1); }), "pipeline: stage 2, histogram: there are -1 bins");
  auto const at = this->there(std::vector{0, 2, 3, 1, -1});
  EXPECT_EQ(said_by([&] { p | gather(at, checked) | first(2); }),
            "pipeline: stage 2, gather: index 3 at position 2 is of none of the 3 elements");
  EXPECT_EQ(p | gather(view_of(at).slice(0, 2), checked) | to_vector(), (longs{9, 4}));
  auto const odd = p | filter(is_odd{});
  EXPECT_EQ(odd | gather(constant(1, 3), checked) | to_vector(), (longs{1, 1, 1}));
  EXPECT_TRUE(said_by([&] {
                odd | gather(at, checked) | first(2);
              }).starts_with("pipeline: stage 3, gather: index 2 at position 1 is of none of the"));
}

struct is_not_7 {
  RAVEL_HD bool operator()(unsigned char x) const { return x != 7; }
};
struct as_double {
  RAVEL_HD double operator()(unsigned char x) const { return 0.5 * x; }
};

LOCAL_TYPED_TEST(pipeline_of, filters_bytes_and_makes_wider_elements_of_them) {
  // The host computes 1024 doubles at a time, up to 8192 bytes.
  std::vector<unsigned char> bytes(30000);
  std::vector<double> expected;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<unsigned char>(i / 100 + i % 100);
    if (bytes[i] != 7) expected.push_back(0.5 * bytes[i]);
  }
  auto const in = this->there(bytes);
  EXPECT_EQ(on(this->ex(), in) | filter(is_not_7{}) | map(as_double{}) | to_vector(), expected);
}

LOCAL_TYPED_TEST(pipeline_of, handles_nothing) {
  auto const in = this->template allocate<long>(0);
  auto const p = on(this->ex(), in);
  EXPECT_EQ(p | map(square{}) | inclusive_scan(plus{}) | filter(is_even{}) | to_vector(), longs{});
  EXPECT_EQ(p | filter(is_even{}) | inclusive_scan(plus{}) | reverse() | to_vector(), longs{});
  EXPECT_EQ((p | filter(is_even{}) | count()).get(), 0);
  EXPECT_EQ((p | reduce(plus{})).get(), 0);
  EXPECT_EQ((p | inclusive_scan(plus{}) | filter(is_even{}) | count()).get(), 0);
}

#if !defined(__CUDACC__) && \
    !defined(RAVEL_TEST_ON_RANKS)  // a device would run iterators of all ranges
TEST(pipeline_on_the_host, reads_ranges_and_feeds_them) {
  cpu::threads const ex;
  longs const in{3, 1, 2};
  EXPECT_EQ(on(ex, in | std::views::reverse) | map(square{}) | to_vector(), (longs{4, 1, 9}));
  EXPECT_EQ(on(ex, std::views::iota(0, 4)) | inclusive_scan(plus{}) | to_vector(),
            (std::vector{0, 1, 3, 6}));
  long sum = 0;
  for (long const x : on(ex, in) | map(square{}) | to_buffer()) sum += x;
  EXPECT_EQ(sum, 14);
}

struct measured {
  int at;
  long value;
};
TEST(pipeline_on_the_host, reads_columns_of_files) {
  cpu::threads const ex;
  std::vector<measured> const rows{{7, 3}, {8, 1}, {9, 2}};
  std::FILE* const file = std::tmpfile();
  ASSERT_EQ(std::fwrite(rows.data(), sizeof(measured), rows.size(), file), rows.size());
  std::fflush(file);
  std::size_t const bytes = rows.size() * sizeof(measured);
  void* const mapped = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, fileno(file), 0);
  ASSERT_NE(mapped, MAP_FAILED);
  std::span const there(static_cast<measured const*>(mapped), rows.size());
  auto const value = [](measured const& row) { return row.value; };
  EXPECT_EQ(on(ex, there) | map(value) | inclusive_scan(plus{}) | to_vector(), (longs{3, 4, 6}));
  EXPECT_EQ(on(ex, there | std::views::transform(&measured::at)) | reverse() | to_vector(),
            (std::vector{9, 8, 7}));
  munmap(mapped, bytes);
  std::fclose(file);
}
#endif

}  // namespace
}  // namespace ravel::pipeline_test
