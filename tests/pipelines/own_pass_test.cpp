#include <ravel/core/checked.hpp>
#include <ravel/pipelines/pipelines.hpp>

#include "support/device_forms.hpp"
#include "support/executors.hpp"
#include "support/said_by.hpp"

#include <cstdint>
#include <regex>
#include <string>

namespace ravel::own_pass_test {
namespace {

using testing::said_by;

using ints = std::vector<int>;

struct negate {
  RAVEL_HD int operator()(int x) const { return -x; }
};
struct is_odd {
  RAVEL_HD bool operator()(int x) const { return x % 2 != 0; }
};
struct even_first {
  RAVEL_HD bool operator()(int x, int y) const { return x % 2 == 0 && y % 2 != 0; }
};
struct less_than_minus_1 {
  RAVEL_HD bool operator()(int x) const { return x < -1; }
};
struct less_than_3 {
  RAVEL_HD bool operator()(int x) const { return x < 3; }
};
struct second_is_odd {
  RAVEL_HD bool operator()(index_t, int x) const { return x % 2 != 0; }
};
struct itself {
  RAVEL_HD int operator()(int x) const { return x; }
};
struct ten_times_and {
  RAVEL_HD int operator()(int x, index_t r) const { return 10 * x + static_cast<int>(r); }
};

/// The text of explain without kernels, which the host does not have.
template <class P>
std::string passes_of(P const& p) {
  static std::regex const kernels(", (several|[0-9]+) kernels?");
  return std::regex_replace(explain(p).text(), kernels, "");
}

template <class Ex>
struct own_passes : testing::on_executor<Ex> {
  template <class Stage>
  auto of_example(Stage const& stage) {
    auto const in = this->there(ints{3, 1, 2, 4, 1, 5});
    return ravel::on(this->ex(), in) | stage | to_vector();
  }
};
TYPED_TEST_SUITE(own_passes, testing::executors);

TYPED_TEST(own_passes, sort_and_merge) {
  EXPECT_EQ(this->of_example(sort()), (ints{1, 1, 2, 3, 4, 5}));
  EXPECT_EQ(this->of_example(map(negate{}) | sort(descending) | unique()),
            (ints{-1, -2, -3, -4, -5}));
  auto const other = this->there(ints{2, 3});
  EXPECT_EQ(this->of_example(stride(2) | sort() | merge_with(other)), (ints{1, 2, 2, 3, 3}));
}

TYPED_TEST(own_passes, sort_and_select_by_an_order) {
  EXPECT_EQ(this->of_example(sort(even_first{})), (ints{2, 4, 3, 1, 1, 5}));
  EXPECT_EQ(this->of_example(top_k(3)), (ints{1, 1, 2}));
  EXPECT_EQ(this->of_example(top_k(3, descending)), (ints{5, 4, 3}));
  EXPECT_EQ(this->of_example(map(negate{}) | top_k(3, even_first{})), (ints{-2, -4, -3}));
  EXPECT_EQ(this->of_example(top_k(9)), (ints{1, 1, 2, 3, 4, 5}));
  EXPECT_EQ(this->of_example(top_k(9, even_first{})), (ints{2, 4, 3, 1, 1, 5}));
  auto const in = this->there(ints{3, 1, 2, 4, 1, 5});
  auto const p = ravel::on(this->ex(), in);
  EXPECT_EQ((p | nth_element(2)).get(), 2);
  EXPECT_EQ((p | nth_element(1, descending)).get(), 4);
  EXPECT_EQ((p | nth_element(1, even_first{})).get(), 4);
  EXPECT_EQ((p | filter(is_odd{}) | sized_sync() | nth_element(3)).get(), 5);
  EXPECT_EQ(said_by([&] { p | nth_element(6, even_first{}); }),
            "pipeline: stage 1, nth_element: nth is 6, and there are 6 elements");
  EXPECT_EQ(said_by([&] { p | nth_element(-1); }),
            "pipeline: stage 1, nth_element: nth is -1, and there are 6 elements");
  EXPECT_EQ(said_by([&] { p | top_k(-1); }),
            "pipeline: stage 1, top_k: the number of elements is -1");
}

#ifndef __CUDACC__  // where strings would be compared on a device
TEST(own_passes_on_the_host, sort_elements_without_keys) {
  std::vector<std::string> const words{"while", "do", "if"};
  EXPECT_EQ(on(cpu::threads{}, words) | sort() | to_vector(),
            (std::vector<std::string>{"do", "if", "while"}));
  EXPECT_EQ(on(cpu::threads{}, words) | top_k(1) | to_vector(), (std::vector<std::string>{"do"}));
}
#endif

#ifndef RAVEL_TEST_BRIEFLY
TYPED_TEST(own_passes, require_the_number_that_a_filter_keeps) {
  auto const odd = filter(is_odd{}) | sized_sync();
  EXPECT_EQ(this->of_example(odd | sort()), (ints{1, 1, 3, 5}));
  EXPECT_EQ(this->of_example(odd | map(negate{}) | sort() | inclusive_scan(plus{})),
            (ints{-5, -8, -9, -10}));
  EXPECT_EQ(this->of_example(odd | sort(descending) | filter(less_than_3{}) | map(negate{})),
            (ints{-1, -1}));
  EXPECT_EQ(this->of_example(unique() | sized_sync() | reverse()), (ints{5, 1, 4, 2, 1, 3}));
  EXPECT_EQ(this->of_example(odd | drop(4) | sort()), ints{});
  EXPECT_EQ(this->of_example(odd | inclusive_scan(plus{}, of_tuples<2>)), (ints{3, 1, 4, 6}));
  auto const other = this->there(ints{2, 3});
  EXPECT_EQ(this->of_example(odd | sort() | merge_with(other)), (ints{1, 1, 2, 3, 3, 5}));
  auto const lengths = this->there(ints{1, 0, 2, 1});
  EXPECT_EQ(this->of_example(odd | expand(ten_times_and{}, by_lengths(lengths), 4)),
            (ints{30, 10, 11, 50}));
  EXPECT_EQ(this->of_example(odd | in_segments(by_lengths(lengths)) | reduce(plus{})),
            (ints{3, 0, 2, 5}));
  auto const keys = this->there(ints{7, 7, 7, 4});
  EXPECT_EQ(this->of_example(odd | in_segments(by_keys(keys)) | sort() | filter(less_than_3{})),
            (ints{1, 1}));
  EXPECT_EQ(this->of_example(odd | in_segments(by_keys(keys)) | reduce(plus{}) | sized_sync() |
                             map(negate{}) | sort()),
            (ints{-5, -5}));
}

TYPED_TEST(own_passes, have_as_many_results_as_the_host_knows) {
  auto const in = this->there(ints{3, 1, 2, 4, 1, 5});
  auto const little = this->there(ints{9, 9, 9});
  auto const room = view_of(little).slice(0, 2);
  auto const odd = on(this->ex(), in) | filter(is_odd{}) | sized_sync();
  EXPECT_EQ((odd | count()).get(), 4);
  EXPECT_EQ((odd | sort() | count()).get(), 4);
  EXPECT_EQ((odd | sort() | reduce(plus{})).get(), 10);
  EXPECT_EQ((odd | sort() | into(room)).get(), 4);
  EXPECT_EQ(this->here(little), (ints{1, 1, 9}));
  EXPECT_EQ((odd | reverse() | inclusive_scan(plus{}) | into(room)).get(), 4);
  EXPECT_EQ(this->here(little), (ints{5, 6, 9}));
  EXPECT_EQ((odd | map(negate{}) | into(room)).get(), 4);
  EXPECT_EQ(this->here(little), (ints{-3, -1, 9}));
  auto const kept = odd | sort() | to_buffer();
  EXPECT_EQ(on(this->ex(), kept) | sized_sync() | sort(descending) | to_vector(),
            (ints{5, 3, 1, 1}));
  EXPECT_EQ(kept.size_sync(), 4);
}
#endif

TYPED_TEST(own_passes, scan_and_reduce_segments) {
  auto const in = this->there(ints{3, 1, 2, 4, 1, 5});
  auto const lengths = this->there(ints{3, 2, 0, 1});
  auto const p = on(this->ex(), in);
  auto const segments = by_lengths(lengths);
  EXPECT_EQ(p | in_segments(segments) | reduce(plus{}) | to_vector(), (ints{6, 5, 0, 5}));
  EXPECT_EQ(p | in_segments(segments) | reduce(plus{}, from(1)) | map(negate{}) | to_vector(),
            (ints{-7, -6, -1, -6}));
  EXPECT_EQ(p | map(negate{}) | in_segments(segments) | inclusive_scan(plus{}) | to_vector(),
            (ints{-3, -4, -6, -4, -5, -5}));
  EXPECT_EQ(p | in_segments(segments) | exclusive_scan(plus{}, backward) | to_vector(),
            (ints{3, 2, 0, 1, 0, 0}));
  EXPECT_EQ(p | chunk(2) | reduce(plus{}) | to_vector(), (ints{4, 6, 6}));
  EXPECT_EQ(p | chunk(4) | reduce(plus{}) | to_vector(), (ints{10, 6}));
  EXPECT_EQ(p | chunk(4) | inclusive_scan(plus{}, backward) | to_vector(),
            (ints{10, 7, 6, 4, 6, 5}));
  EXPECT_EQ(p | take(0) | chunk(4) | reduce(plus{}) | to_vector(), ints{});
  auto const keys = this->there(ints{7, 7, 7, 4, 4, 7});
  EXPECT_EQ(p | in_segments(by_keys(keys)) | reduce(plus{}) | reverse() | to_vector(),
            (ints{5, 5, 6}));
}

TYPED_TEST(own_passes, sort_filter_and_count_segments) {
  auto const lengths = this->there(ints{3, 2, 0, 1});
  auto const segments = in_segments(by_lengths(lengths));
  EXPECT_EQ(this->of_example(segments | sort()), (ints{1, 2, 3, 1, 4, 5}));
  EXPECT_EQ(this->of_example(map(negate{}) | segments | sort(descending) | reverse()),
            (ints{-5, -4, -1, -3, -2, -1}));
  auto const odd = segments | filter(is_odd{});
  EXPECT_EQ(this->of_example(odd | join()), (ints{3, 1, 1, 5}));
  EXPECT_EQ(this->of_example(odd | reduce(plus{}, from(10)) | map(negate{})),
            (ints{-14, -11, -10, -15}));
  EXPECT_EQ(this->of_example(map(negate{}) | odd | filter(less_than_minus_1{}) | reduce(plus{})),
            (ints{-3, 0, 0, -5}));
  auto const in = this->there(ints{3, 1, 2, 4, 1, 5});
  EXPECT_EQ(on(this->ex(), in) | odd | count() | to_vector(), (std::vector<index_t>{2, 1, 0, 1}));
  auto const keys = this->there(ints{7, 7, 7, 4, 4, 7});
  EXPECT_EQ(on(this->ex(), in) | in_segments(by_keys(keys)) | count() | to_vector(),
            (std::vector<index_t>{3, 2, 1}));
}

#ifndef RAVEL_TEST_BRIEFLY
TYPED_TEST(own_passes, do_one_after_the_other_to_each_segment) {
  auto const lengths = this->there(ints{3, 2, 0, 1});
  auto const odd = in_segments(by_lengths(lengths)) | filter(is_odd{});
  EXPECT_EQ(this->of_example(odd | inclusive_scan(plus{})), (ints{3, 4, 1, 5}));
  EXPECT_EQ(this->of_example(odd | exclusive_scan(plus{}, from(7)) | reverse()),
            (ints{7, 7, 10, 7}));
  EXPECT_EQ(this->of_example(odd | inclusive_scan(plus{}, backward) | reduce(maximum{}, from(2))),
            (ints{4, 2, 2, 5}));
  EXPECT_EQ(this->of_example(map(negate{}) | odd | sort() | map(negate{}) | join() | drop(1)),
            (ints{1, 1, 5}));
  EXPECT_EQ(this->of_example(odd | sort() | inclusive_scan(plus{}) | filter(is_odd{})),
            (ints{1, 1, 5}));
  auto const by_minus = odd | sort(by(negate{})) | exclusive_scan(plus{});
  EXPECT_EQ(this->of_example(by_minus), (ints{0, 3, 0, 0}));
  EXPECT_EQ(this->of_example(odd | sort(descending) | inclusive_scan(plus{}) | reduce(plus{})),
            (ints{7, 1, 0, 5}));
  EXPECT_EQ(this->of_example(chunk(4) | sort()), (ints{1, 2, 3, 4, 1, 5}));
  EXPECT_EQ(this->of_example(chunk(3) | map(negate{}) | inclusive_scan(plus{}) | count()),
            (std::vector<index_t>{3, 3}));
  auto const keys = this->there(ints{7, 7, 7, 4, 4, 7});
  auto const in = this->there(ints{3, 1, 2, 4, 1, 5});
  auto const p = on(this->ex(), in) | in_segments(by_keys(keys)) | sort();
  EXPECT_EQ(on(this->ex(), in) | zip(p) | map(minus<int>{}) | to_vector(),
            (ints{2, -1, -1, 3, -3, 0}));
  EXPECT_EQ(passes_of(on(this->ex(), in) | map(negate{}) | odd | inclusive_scan(plus{})),
            "pass 1: memory | map | filter | segmented inclusive_scan\n"
            "  segmented inclusive_scan of 6 elements, reads 24 bytes, writes 48\n"
            "pass 2: memory\n"
            "  pack of 6 elements, reads 48 bytes, writes 24 at most\n"
            "2 passes, 48 bytes of temporary memory\n");
}
#endif

TYPED_TEST(own_passes, scan_orders_and_tuples) {
  EXPECT_EQ(this->of_example(inclusive_scan(plus{}, of_tuples<2>)), (ints{3, 1, 5, 5, 6, 10}));
  EXPECT_EQ(this->of_example(map(negate{}) | inclusive_scan(plus{}, of_order<2>) | take(3)),
            (ints{-3, -7, -13}));
}

TYPED_TEST(own_passes, read_other_pipelines) {
  auto const in = this->there(ints{3, 1, 2, 4, 1, 5});
  auto const p = on(this->ex(), in);
  auto const sums = p | inclusive_scan(plus{});
  EXPECT_EQ(p | zip(sums) | map(minus<int>{}) | to_vector(), (ints{0, -3, -4, -6, -10, -11}));
  EXPECT_EQ(on(this->ex(), zip(sums, p | map(negate{}))) | map(plus<int>{}) | to_vector(),
            (ints{0, 3, 4, 6, 10, 11}));
  EXPECT_EQ(
      sums | zip(p | map(negate{})) | map(plus<int>{}) | inclusive_scan(maximum{}) | to_vector(),
      (ints{0, 3, 4, 6, 10, 11}));
  EXPECT_EQ(sums | gather(p | map(negate{}) | map(negate{}), checked) | to_vector(),
            (ints{10, 4, 6, 11, 4, 16}));
  EXPECT_EQ(on(this->ex(), iota(3)) | merge_with(p | sort()) | to_vector(),
            (ints{0, 1, 1, 1, 2, 2, 3, 4, 5}));
}

TYPED_TEST(own_passes, write_where_results_go) {
  auto const in = this->there(ints{3, 1, 2, 4, 1, 5});
  auto const keys = this->there(ints{7, 7, 7, 4, 4, 7});
  auto const little = this->there(ints{9, 9});
  auto const p = on(this->ex(), in);
  auto const sums = p | in_segments(by_keys(keys)) | reduce(plus{});
  EXPECT_EQ((sums | into(little)).get(), 3);
  EXPECT_EQ(this->here(little), (ints{6, 5}));
  p | sort() | into(in);
  EXPECT_EQ(this->here(in), (ints{1, 1, 2, 3, 4, 5}));
  auto const [index, odd] = p | enumerate() | filter(second_is_odd{}) | unzip();
  EXPECT_EQ(this->here(index.view_sync()), (std::vector<index_t>{0, 1, 3, 5}));
  EXPECT_EQ(this->here(odd.view_sync()), (ints{1, 1, 3, 5}));
  auto const [same, again] = p | zip(p | map(negate{})) | unzip();
  EXPECT_EQ(this->here(same), this->here(in));
  EXPECT_EQ(this->here(again), (ints{-1, -1, -2, -3, -4, -5}));
}

TYPED_TEST(own_passes, expand_and_count) {
  auto const in = this->there(ints{3, 8, 5});
  auto const lengths = this->there(ints{2, 0, 3});
  EXPECT_EQ(on(this->ex(), in) | expand(ten_times_and{}, by_lengths(lengths), 5) | to_vector(),
            (ints{30, 31, 50, 51, 52}));
  auto const many = this->there(ints{3, 1, 0, 3, 3, 7});
  auto const p = on(this->ex(), many);
  using counts = std::vector<std::int64_t>;
  EXPECT_EQ(this->here(p | histogram(4)), (counts{1, 1, 0, 3}));
  EXPECT_EQ(this->here(p | filter(is_odd{}) | histogram(4)), (counts{0, 1, 0, 3}));
  EXPECT_EQ(this->here(p | inclusive_scan(plus{}) | histogram(5)), (counts{0, 0, 0, 1, 2}));
  auto const edges = this->there(ints{0, 1, 4});
  EXPECT_EQ(this->here(p | histogram(2, by_edges(edges))), (counts{1, 4}));
  EXPECT_EQ(said_by([&] { p | histogram(3, by_edges(edges)); }),
            "pipeline: stage 1, histogram: histogram: by_edges has 3 edges, and 3 bins have 4");
}

TYPED_TEST(own_passes, verify_what_they_read_on_a_checked_executor) {
  auto const ex = checked(this->ex());
  auto const in = this->there(ints{3, 1, 2, 4, 1, 5});
  auto const out = this->there(ints{7, 7, 7, 7, 7, 7});
  auto const p = on(ex, in);
  auto const places = this->there(ints{5, 6, 0});
  EXPECT_EQ(said_by([&] { p | gather(places) | into(out); }),
            "pipeline: stage 1, gather: index 6 at position 1 is of none of the 6 elements");
  EXPECT_EQ(
      said_by([&] { p | map(negate{}) | flat_map(itself{}, ten_times_and{}, 6) | into(out); }),
      "pipeline: stage 2, flat_map: length -3 at position 0 is negative");
  EXPECT_EQ(said_by([&] { p | flat_map(itself{}, ten_times_and{}, 6) | into(out); }),
            "pipeline: stage 1, flat_map: there are 16 elements, and room for 6");
  auto const lengths = this->there(ints{10, -8, 4});
  auto const offsets = this->there(ints{0, 4, 3, 6});
  EXPECT_EQ(said_by([&] { p | in_segments(by_lengths(lengths)) | sort() | into(out); }),
            "pipeline: stage 2, segmented sort: segmented_sort: length 0 is 10, and there are 6 "
            "elements");
  EXPECT_EQ(
      said_by([&] { p | in_segments(by_offsets(offsets)) | reduce(plus{}) | into(out); }),
      "pipeline: stage 2, segmented reduce: segmented_reduce: offset 2 is 3, less than offset "
      "1, which is 4");
  EXPECT_EQ(said_by([&] {
              p | in_segments(by_offsets(offsets)) | filter(is_odd{}) | inclusive_scan(plus{}) |
                  join() | into(out);
            }),
            "pipeline: stage 3, segmented inclusive_scan: segmented_scan_on: offset 2 is 3, less "
            "than offset 1, which is 4");
  EXPECT_EQ(
      said_by([&] { p | take(3) | expand(ten_times_and{}, by_lengths(lengths), 6) | into(out); }),
      "pipeline: stage 2, expand: expand: length 0 is 10, and there are 6 elements");
  EXPECT_EQ(this->here(out), (ints{7, 7, 7, 7, 7, 7}));
  EXPECT_EQ(p | inclusive_scan(plus{}) | filter(is_odd{}) | unique() | to_vector(), (ints{3, 11}));
  EXPECT_EQ((p | map(negate{}) | filter(is_odd{}) | reduce(plus{})).get(), -10);
  EXPECT_EQ(p | flat_map(itself{}, ten_times_and{}, 16) | sized_sync() | sort() | first(2),
            (ints{10, 10}));
}

TYPED_TEST(own_passes, flat_map_makes_as_many_as_a_function_says) {
  auto const in = this->there(ints{3, 0, 1, 2});
  auto const p = on(this->ex(), in);
  auto const each = flat_map(itself{}, ten_times_and{}, 9);
  EXPECT_EQ(p | each | to_vector(), (ints{30, 31, 32, 10, 20, 21}));
  EXPECT_EQ((p | each | count()).get(), 6);
  EXPECT_EQ(p | filter(is_odd{}) | map(itself{}) | each | inclusive_scan(plus{}) | to_vector(),
            (ints{30, 61, 93, 103}));
  EXPECT_EQ(p | filter(is_odd{}) | drop(2) | each | to_vector(), ints{});
  EXPECT_EQ(p | take(0) | each | to_vector(), ints{});
  auto const five = this->there(ints{7, 7, 7, 7, 7, 7});
  EXPECT_EQ((p | flat_map(itself{}, ten_times_and{}, 5) | into(five)).get(), 5);
  EXPECT_EQ(this->here(five), (ints{30, 31, 32, 10, 20, 7}));
  EXPECT_EQ((p | flat_map(itself{}, ten_times_and{}, 6, checked) | reduce(plus{})).get(), 144);
  EXPECT_EQ(said_by([&] {
              p | map(itself{}) | flat_map(itself{}, ten_times_and{}, 5, checked) | into(five);
            }),
            "pipeline: stage 2, flat_map: there are 6 elements, and room for 5");
  EXPECT_EQ(said_by([&] { p | flat_map(itself{}, ten_times_and{}, 2, checked) | into(five); }),
            "pipeline: stage 1, flat_map: length 3 at position 0, and room for 2");
  EXPECT_EQ(said_by([&] {
              p | map(negate{}) | flat_map(itself{}, ten_times_and{}, 9, checked) | into(five);
            }),
            "pipeline: stage 2, flat_map: length -3 at position 0 is negative");
  EXPECT_EQ(this->here(five), (ints{30, 31, 32, 10, 20, 7}));
  // Unchecked, lengths whose sum is negative make no elements.
  auto const negative = p | map(negate{}) | flat_map(itself{}, ten_times_and{}, 9);
  EXPECT_EQ(negative | to_vector(), ints{});
  EXPECT_EQ((negative | count()).get(), 0);
  EXPECT_EQ((negative | into(five)).get(), 0);
}

TYPED_TEST(own_passes, concat_puts_sources_in_a_row) {
  auto const in = this->there(ints{3, 1, 2, 4, 1, 5});
  auto const p = on(this->ex(), in);
  EXPECT_EQ(on(this->ex(), concat(in, iota(2), p | take(2))) | inclusive_scan(plus{}) | to_vector(),
            (ints{3, 4, 6, 10, 11, 16, 16, 17, 20, 21}));
  EXPECT_EQ(p | filter(is_odd{}) | concat(p | map(negate{}) | filter(is_odd{}), iota(1)) | drop(1) |
                to_vector(),
            (ints{1, 1, 5, -3, -1, -1, -5, 0}));
  EXPECT_EQ(p | sort() | concat(p | inclusive_scan(plus{})) | slice(5, 2) | to_vector(),
            (ints{5, 3}));
  EXPECT_EQ(passes_of(p | map(negate{}) | concat(p | inclusive_scan(plus{})) | filter(is_odd{})),
            "pass 1: memory | inclusive_scan\n"
            "  scan of 6 elements, reads 24 bytes, writes 24\n"
            "  ends here, for concat wants all of it\n"
            "pass 2: memory | map, then memory | filter\n"
            "  pack of 12 elements, reads 48 bytes, writes 48 at most\n"
            "2 passes, 24 bytes of temporary memory\n");
}

TYPED_TEST(own_passes, say_where_what_they_are_given_does_not_fit) {
  auto const in = this->there(ints{3, 1, 2});
  auto const out = this->there(ints{7, 7, 7});
  auto const keys = this->there(ints{1, 1});
  auto const p = on(this->ex(), in) | map(negate{});
  EXPECT_EQ(said_by([&] { p | expand(ten_times_and{}, uniform(3, 1), -3); }),
            "pipeline: stage 2, expand: there would be -3 elements");
  EXPECT_EQ(said_by([&] { p | chunk(0) | reduce(plus{}); }),
            "pipeline: stage 2, chunk: the length is 0");
  EXPECT_EQ(said_by([&] { p | concat(iota(2), iota(-2)); }),
            "iota: the length is -2 and must be in [0, 2^63)");
  auto const none = this->there(ints{});
  EXPECT_EQ(said_by([&] { p | in_segments(by_offsets(none)); }),
            "by_offsets: there must be one offset more than segments, and there is none");
  EXPECT_EQ(said_by([&] { p | in_segments(by_keys(keys)) | reduce(plus{}) | into(out); }),
            "pipeline: stage 3, segmented reduce: segmented_reduce_on: the segment heads are for 2 "
            "elements, and there are 3");
  EXPECT_EQ(
      said_by([&] { p | in_segments(uniform(2, 2)) | filter(is_odd{}) | sort() | into(out); }),
      "pipeline: stage 4, segmented sort: segmented_sort: uniform(2, 2) has 4 elements, and "
      "there are 3");
  EXPECT_EQ(said_by([&] { p | expand(ten_times_and{}, by_lengths(keys), 3) | into(out); }),
            "pipeline: stage 2, expand: expand: in has 3 elements, and there are 2 segments");
  if constexpr (std::same_as<space_of_t<TypeParam>, host_space>) {  // elsewhere it would wait
    EXPECT_EQ(
        said_by([&] { p | in_segments(by_lengths(keys)) | inclusive_scan(plus{}) | into(out); }),
        "pipeline: stage 3, segmented inclusive_scan: segmented_scan_on: the lengths add up to 2, "
        "and there are 3 elements");
  }
  EXPECT_EQ(this->here(out), (ints{7, 7, 7}));
}

#ifndef RAVEL_TEST_BRIEFLY
TYPED_TEST(own_passes, verify_their_segments_if_checked) {
  auto const in = this->there(ints{3, 1, 2, 4, 1, 5});
  auto const out = this->there(ints{7, 7, 7, 7, 7, 7});
  auto const p = on(this->ex(), in) | map(negate{});
  auto const said_of = [&](auto const& segments) {
    auto const of = p | in_segments(segments, checked) | filter(is_odd{});
    auto const said = said_by([&] { of | reduce(plus{}) | into(out); });
    std::string const reduce_of = "reduce: segmented_reduce_on";
    EXPECT_EQ(
        said_by([&] { of | sort() | inclusive_scan(plus{}) | into(out); }),
        std::string(said).replace(said.find(reduce_of), reduce_of.size(), "sort: segmented_sort"));
    return said;
  };
  auto const by_offsets_of = [&](ints const& offsets) {
    auto const there = this->there(offsets);
    return said_of(by_offsets(there));
  };
  auto const by_lengths_of = [&](ints const& lengths) {
    auto const there = this->there(lengths);
    return said_of(by_lengths(there));
  };
  std::string const stage = "pipeline: stage 4, segmented reduce: segmented_reduce_on: ";
  EXPECT_EQ(by_offsets_of({1, 6}), stage + "the first offset is 1 and must be 0");
  EXPECT_EQ(by_offsets_of({0, 4, 3, 2, 6}),
            stage + "offset 2 is 3, less than offset 1, which is 4");
  EXPECT_EQ(by_offsets_of({0, 4, 5}), stage + "the last offset is 5, and there are 6 elements");
  EXPECT_EQ(by_lengths_of({4, 3, -1}), stage + "length 2 is -1 and must not be negative");
  EXPECT_EQ(by_lengths_of({4, 3}), stage + "the lengths add up to 7, and there are 6 elements");
  EXPECT_EQ(by_lengths_of({}), stage + "the lengths add up to 0, and there are 6 elements");
  auto const lengths = this->there(ints{2, 0, 2});
  EXPECT_EQ(said_by([&] {
              p | take(3) | expand(ten_times_and{}, by_lengths(lengths), 3, checked) | into(out);
            }),
            "pipeline: stage 3, expand: expand: the lengths add up to 4, and there are 3 elements");
  EXPECT_EQ(this->here(out), (ints{7, 7, 7, 7, 7, 7}));
  auto const offsets = this->there(std::vector<unsigned char>{0, 2, 2, 6});
  EXPECT_EQ(p | in_segments(by_offsets(offsets), checked) | reduce(plus{}) | to_vector(),
            (ints{-4, 0, -12}));
  auto const keys = this->there(ints{7, 7, 7, 4, 4, 4});
  EXPECT_EQ(p | in_segments(by_keys(keys), checked) | inclusive_scan(plus{}) | to_vector(),
            (ints{-3, -4, -6, -4, -5, -10}));
  EXPECT_EQ(p | take(3) | expand(ten_times_and{}, by_lengths(lengths), 4, checked) | to_vector(),
            (ints{-30, -29, -20, -19}));
}
#endif

TYPED_TEST(own_passes, explain_what_they_do) {
  auto const in = this->there(ints{3, 1, 2, 4, 1, 5});
  auto const p = on(this->ex(), in);
  EXPECT_EQ(passes_of(p | inclusive_scan(plus{}) | reverse()),
            "pass 1: memory | inclusive_scan\n"
            "  scan of 6 elements, reads 24 bytes, writes 24\n"
            "  ends here, for reverse wants all of it\n"
            "pass 2: memory | reverse\n"
            "  map of 6 elements, reads 24 bytes, writes 24\n"
            "2 passes, 24 bytes of temporary memory\n");
  EXPECT_EQ(passes_of(p | inclusive_scan(plus{}) | inclusive_scan(plus{}, backward)),
            "pass 1: memory | inclusive_scan\n"
            "  scan of 6 elements, reads 24 bytes, writes 24\n"
            "  ends here, for inclusive_scan backward wants all of it\n"
            "pass 2: memory | inclusive_scan backward\n"
            "  scan of 6 elements, reads 24 bytes, writes 24\n"
            "2 passes, 24 bytes of temporary memory\n");
  EXPECT_EQ(passes_of(p | map(negate{}) | sort() | zip(iota(6))),
            "pass 1: memory | map\n"
            "  map of 6 elements, reads 24 bytes, writes 24\n"
            "  ends here, for sort wants all of it\n"
            "pass 2: memory | sort\n"
            "  sort of 6 elements, reads 24 bytes, writes 24\n"
            "pass 3: memory | zip\n"
            "  map of 6 elements, reads 24 bytes, writes 48\n"
            "3 passes, 48 bytes of temporary memory\n");
  EXPECT_EQ(
      passes_of(p | map(negate{}) | inclusive_scan(plus{}) | filter(is_odd{}) | map(negate{})),
      "pass 1: memory | map | inclusive_scan | filter | map\n"
      "  scan_then_pack of 6 elements, reads 24 bytes, writes 24 at most\n"
      "1 pass, 0 bytes of temporary memory\n");
  EXPECT_EQ(passes_of(p | map(negate{}) | flat_map(itself{}, ten_times_and{}, 9)),
            "pass 1: memory | map | flat_map\n"
            "  flat_map of 6 elements, reads 24 bytes, writes 36 at most\n"
            "1 pass, 56 bytes of temporary memory\n");
  EXPECT_EQ(passes_of(p | map(negate{}) | chunk(2) | filter(is_odd{}) | reduce(plus{})),
            "pass 1: memory | map | filter | segmented reduce\n"
            "  segmented reduce of 6 elements, reads 24 bytes, writes 12\n"
            "1 pass, 0 bytes of temporary memory\n");
  EXPECT_EQ(passes_of(p | drop(2) | filter(is_odd{}) | map(negate{}) | filter(less_than_3{}) |
                      filter(is_odd{})),
            "pass 1: memory | drop | filter | map | filter | filter\n"
            "  pack of 4 elements, reads 16 bytes, writes 16 at most\n"
            "1 pass, 0 bytes of temporary memory\n");
  EXPECT_EQ(passes_of(p | zip(p | sort() | reverse())),
            "pass 1: memory | sort\n"
            "  sort of 6 elements, reads 24 bytes, writes 24\n"
            "pass 2: memory | zip\n"
            "  map of 6 elements, reads 48 bytes, writes 48\n"
            "2 passes, 24 bytes of temporary memory\n");
}

#ifndef __CUDACC__  // where launches are not counted
TEST(own_passes_on_a_device, launch_the_kernels_that_explain_reports) {
  gpu::executor const ex;
  ints const in{3, 1, 2, 4, 1, 5};
  auto const there = to(ex, in);
  auto const p = on(ex, there);
  auto const expect = [&](auto const& q, int kernels) {
    auto const report = explain(q);
    int reported = 0;
    for (auto const& pass : report.passes) reported += pass.kernels;
    EXPECT_EQ(reported, kernels) << report.text();
    unsigned const before = software::device::launches();
    auto const results = q | to_buffer();
    auto const launched = software::device::launches() - before;
    EXPECT_EQ(static_cast<int>(launched), kernels) << report.text();
  };
  expect(p | map(negate{}), 1);
  expect(p | map(negate{}) | filter(is_odd{}) | map(negate{}), 1);
  expect(p | unique(), 1);
  expect(p | map(negate{}) | inclusive_scan(plus{}) | filter(is_odd{}) | map(negate{}), 1);
  expect(p | filter(is_odd{}) | inclusive_scan(plus{}) | map(negate{}), 1);
  expect(p | inclusive_scan(plus{}) | inclusive_scan(plus{}, backward), 2);
  expect(p | filter(is_odd{}) | inclusive_scan(plus{}) | reverse() | filter(is_odd{}), 2);
  expect(p | filter(is_odd{}) | reverse(), 3);  // the last pass also counts
  EXPECT_EQ(explain(p | filter(is_odd{}) | reverse() | map(negate{})).text(),
            "pass 1: memory | filter\n"
            "  pack of 6 elements, 1 kernel, reads 24 bytes, writes 24 at most\n"
            "  ends here, for reverse wants all of it\n"
            "pass 2: memory | reverse | map\n"
            "  map of 6 elements, 2 kernels, reads 24 bytes, writes 24 at most\n"
            "2 passes, 24 bytes of temporary memory\n");
  EXPECT_EQ(explain(p | map(negate{}) | sort()).text(),
            "pass 1: memory | map\n"
            "  map of 6 elements, 1 kernel, reads 24 bytes, writes 24\n"
            "  ends here, for sort wants all of it\n"
            "pass 2: memory | sort\n"
            "  sort of 6 elements, several kernels, reads 24 bytes, writes 24\n"
            "2 passes, 24 bytes of temporary memory\n");
}

/// On a device the host would have to wait.
TEST(own_passes_on_the_host, need_not_wait_for_the_number_that_a_filter_keeps) {
  cpu::threads const ex;
  ints const in{3, 1, 2, 4, 1, 5}, keys{7, 7, 4, 4};
  auto const odd = on(ex, in) | filter(is_odd{});
  EXPECT_EQ(odd | sort() | merge_with(ints{2}) | to_vector(), (ints{1, 1, 2, 3, 5}));
  EXPECT_EQ(odd | in_segments(by_keys(keys)) | sort() | reduce(plus{}) | sort() | to_vector(),
            (ints{4, 6}));
  EXPECT_EQ(said_by([&] { odd | in_segments(by_keys(in)) | sort() | to_vector(); }),
            "pipeline: stage 3, segmented sort: segmented_sort: the segment heads are for 6 "
            "elements, and there are 4");
  auto const kept = odd | to_buffer();
  EXPECT_EQ(on(ex, kept) | sort(descending) | to_vector(), (ints{5, 3, 1, 1}));
}
#endif

}  // namespace
}  // namespace ravel::own_pass_test
