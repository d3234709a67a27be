// Every stage and sink without a using-directive, with functions and
// elements of the program's own namespace.

#include <ravel/core/cpu/executor.hpp>
#include <ravel/pipelines/pipelines.hpp>

#include <gtest/gtest.h>

#include <tuple>
#include <vector>

namespace stranger {
namespace {

using ints = std::vector<int>;

struct doubled {
  int operator()(int x) const { return 2 * x; }
};
struct twice_position {
  int operator()(ravel::index_t i) const { return static_cast<int>(2 * i); }
};
struct is_odd {
  bool operator()(int x) const { return x % 2 != 0; }
};
struct ten_times {
  int operator()(int x, ravel::index_t r) const { return 10 * x + static_cast<int>(r); }
};
struct itself {
  ravel::index_t operator()(int x) const { return x; }
};

ravel::cpu::sequential const ex;
ints const six{3, 1, 2, 4, 1, 5};
ints const lengths{3, 2, 1};

TEST(qualified, stages_are_values) {
  auto const odd_twice = ravel::filter(is_odd{}) | ravel::map(doubled{});
  EXPECT_EQ(ravel::on(ex, six) | odd_twice | ravel::to_vector(), (ints{6, 2, 2, 10}));

  auto const lambdas = ravel::map([](int x) { return x + 1; }) |
                       ravel::filter([](int x) { return x > 2; }) | ravel::reverse();
  EXPECT_EQ(ravel::on(ex, six) | lambdas | ravel::to_vector(), (ints{6, 5, 3, 4}));

  auto const sums = ravel::inclusive_scan(ravel::plus{}) | ravel::to_vector();
  EXPECT_EQ(ravel::on(ex, six) | sums, (ints{3, 4, 6, 10, 11, 16}));
}

TEST(qualified, stages_that_name_no_type_of_ravel_are_values) {
  EXPECT_EQ(ravel::on(ex, six) | (ravel::reverse() | ravel::take(2)) | ravel::to_vector(),
            (ints{5, 1}));
  EXPECT_EQ(ravel::on(ex, six) | (ravel::drop(1) | ravel::slice(1, 3) | ravel::stride(2)) |
                ravel::to_vector(),
            (ints{2, 1}));
  EXPECT_EQ(ravel::on(ex, six) | (ravel::sized_sync() | ravel::count()), 6);
  EXPECT_EQ(ravel::on(ex, six) | (ravel::adjacent() | ravel::count()), 5);
  EXPECT_EQ((ravel::on(ex, six) | (ravel::chunk(2) | ravel::count()) | ravel::to_vector()).size(),
            3u);
  auto const numbered = ravel::enumerate() | ravel::unzip();
  EXPECT_EQ(std::get<1>(ravel::on(ex, six) | numbered).size(), 6);
}

TEST(qualified, every_stage) {
  EXPECT_EQ(ravel::on(ex, six) | (ravel::exclusive_scan(ravel::plus{}) | ravel::reverse()) |
                ravel::to_vector(),
            (ints{11, 10, 6, 4, 3, 0}));
  EXPECT_EQ(
      ravel::on(ex, six) | (ravel::adjacent(ravel::plus{}) | ravel::take(2)) | ravel::to_vector(),
      (ints{4, 3}));
  EXPECT_EQ(
      ravel::on(ex, six) | (ravel::adjacent_difference() | ravel::take(3)) | ravel::to_vector(),
      (ints{3, -2, 1}));
  EXPECT_EQ(ravel::on(ex, six) | (ravel::adjacent_difference(ravel::minus{}) | ravel::take(2)) |
                ravel::to_vector(),
            (ints{3, -2}));
  EXPECT_EQ(ravel::on(ex, six) | (ravel::sort() | ravel::unique()) | ravel::to_vector(),
            (ints{1, 2, 3, 4, 5}));
  EXPECT_EQ(ravel::on(ex, ints{1, 3, 5}) | (ravel::merge_with(lengths) | ravel::take(1)) |
                ravel::to_vector(),
            (ints{1}));
  ints const places{5, 0};
  EXPECT_EQ(
      ravel::on(ex, six) | (ravel::gather(places) | ravel::map(doubled{})) | ravel::to_vector(),
      (ints{10, 6}));
  EXPECT_EQ(
      ravel::on(ex, six) | (ravel::zip(six) | ravel::map(ravel::plus<int>{})) | ravel::to_vector(),
      (ints{6, 2, 4, 8, 2, 10}));
  EXPECT_EQ(ravel::on(ex, ints{1}) | (ravel::concat(ints{2}) | ravel::concat(ints{3})) |
                ravel::to_vector(),
            (ints{1, 2, 3}));
  EXPECT_EQ(ravel::on(ex, ints{1, 2}) |
                (ravel::flat_map(itself{}, ten_times{}, 3) | ravel::reverse()) | ravel::to_vector(),
            (ints{21, 20, 10}));
  EXPECT_EQ(ravel::on(ex, ints{7, 8, 9}) |
                (ravel::expand(ten_times{}, ravel::by_lengths(lengths), 6) | ravel::drop(4)) |
                ravel::to_vector(),
            (ints{81, 90}));
}

TEST(qualified, every_source) {
  EXPECT_EQ(ravel::on(ex, ravel::iota(3)) | ravel::to_vector(), (ints{0, 1, 2}));
  EXPECT_EQ(ravel::on(ex, ravel::iota(5, 2)) | ravel::to_vector(), (ints{5, 6}));
  EXPECT_EQ(ravel::on(ex, ravel::constant(7, 2)) | ravel::to_vector(), (ints{7, 7}));
  EXPECT_EQ(ravel::on(ex, ravel::generate(3, twice_position{})) | ravel::to_vector(),
            (ints{0, 2, 4}));
  EXPECT_EQ(ravel::on(ex, ravel::concat(six, ravel::iota(1))) | ravel::count(), 7);
  EXPECT_EQ(
      ravel::on(ex, ravel::zip(six, six)) | ravel::map(ravel::field<0>{}) | ravel::to_vector(),
      six);
}

TEST(qualified, every_sink) {
  EXPECT_EQ((ravel::on(ex, six) | (ravel::map(doubled{}) | ravel::reduce(ravel::plus{}))).get(),
            32);
  EXPECT_EQ((ravel::on(ex, six) | (ravel::filter(is_odd{}) | ravel::count())).get(), 4);
  EXPECT_EQ(ravel::on(ex, six) | (ravel::filter(is_odd{}) | ravel::first(2)), (ints{3, 1}));
  ints out(6);
  EXPECT_EQ(ravel::on(ex, six) | (ravel::map(doubled{}) | ravel::into(out)), 6);
  EXPECT_EQ(out, (ints{6, 2, 4, 8, 2, 10}));
  EXPECT_EQ((ravel::on(ex, six) | (ravel::reverse() | ravel::to_buffer()))[0], 5);
  EXPECT_EQ((ravel::on(ex, six) | (ravel::take(5) | ravel::histogram(5)))[1], 2);
  int last = 0;
  ravel::on(ex, six) | (ravel::drop(5) | ravel::for_each([&last](int x) { last = x; }));
  EXPECT_EQ(last, 5);
}

TEST(qualified, everything_done_to_segments) {
  auto const in_three = ravel::in_segments(ravel::by_lengths(lengths));
  EXPECT_EQ(ravel::on(ex, six) | in_three | ravel::reduce(ravel::plus{}) | ravel::to_vector(),
            (ints{6, 5, 5}));
  EXPECT_EQ(ravel::on(ex, six) | in_three | ravel::sort() | ravel::join() | ravel::to_vector(),
            (ints{1, 2, 3, 1, 4, 5}));
  EXPECT_EQ(ravel::on(ex, six) | in_three | ravel::filter(is_odd{}) | ravel::map(doubled{}) |
                ravel::inclusive_scan(ravel::plus{}) | ravel::join() | ravel::to_vector(),
            (ints{6, 8, 2, 10}));
  auto const odd_of_each = in_three | ravel::filter(is_odd{}) | ravel::count();
  EXPECT_EQ((ravel::on(ex, six) | odd_of_each | ravel::to_vector())[0], 2);
  EXPECT_EQ(ravel::on(ex, six) | ravel::in_segments(ravel::by_lengths(lengths), ravel::checked) |
                ravel::exclusive_scan(ravel::plus{}) | ravel::join() | ravel::to_vector(),
            (ints{0, 3, 4, 0, 4, 0}));
  EXPECT_EQ(ravel::explain(ravel::on(ex, six) | in_three | ravel::sort()).passes.size(), 1u);
}

}  // namespace
}  // namespace stranger
