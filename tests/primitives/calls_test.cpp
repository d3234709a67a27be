#include <ravel/core/derived_monoids.hpp>
#include <ravel/primitives/adjacent_difference.hpp>
#include <ravel/primitives/balance.hpp>
#include <ravel/primitives/distribute.hpp>
#include <ravel/primitives/expand.hpp>
#include <ravel/primitives/find_first.hpp>
#include <ravel/primitives/gather.hpp>
#include <ravel/primitives/histogram.hpp>
#include <ravel/primitives/iota.hpp>
#include <ravel/primitives/linear_recurrence.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/merge.hpp>
#include <ravel/primitives/pack.hpp>
#include <ravel/primitives/reduce.hpp>
#include <ravel/primitives/reduce_by_key.hpp>
#include <ravel/primitives/run_length.hpp>
#include <ravel/primitives/scan.hpp>
#include <ravel/primitives/scan_algorithm.hpp>
#include <ravel/primitives/scan_then_pack.hpp>
#include <ravel/primitives/scatter.hpp>
#include <ravel/primitives/search.hpp>
#include <ravel/primitives/searches.hpp>
#include <ravel/primitives/segment_forms.hpp>
#include <ravel/primitives/segmented_pack.hpp>
#include <ravel/primitives/segmented_reduce.hpp>
#include <ravel/primitives/segmented_scan.hpp>
#include <ravel/primitives/split.hpp>
#include <ravel/primitives/split_parts.hpp>
#include <ravel/primitives/unique.hpp>

#include "support/calls.hpp"
#include "support/device_forms.hpp"

#include <array>

namespace ravel::calls_test {
namespace {

using testing::call_table;

struct thrice {
  RAVEL_HD int operator()(int x) const { return 3 * x; }
};
struct is_odd {
  RAVEL_HD bool operator()(int x) const { return x % 2 != 0; }
};
struct times_rank {
  RAVEL_HD int operator()(int x, index_t rank) const { return x * static_cast<int>(rank); }
};
struct note_segment {
  int* to;
  RAVEL_HD void operator()(index_t i, index_t s, index_t r) const {
    to[i] = static_cast<int>(s * 1000 + r);
  }
};
struct digit_of_number {
  RAVEL_HD int operator()(int x) const { return x & 7; }
};
struct read_number {
  int const* from;
  RAVEL_HD int operator()(index_t i) const { return from[i]; }
};
struct half_of_even {
  RAVEL_HD maybe<int> operator()(index_t, int, int through) const {
    return through % 2 == 0 ? maybe<int>(through / 2) : maybe<int>();
  }
};
struct write_kept {
  int* to;
  RAVEL_HD void operator()(index_t place, int x) const { to[place] = x; }
};

template <class Ex>
void add_maps(call_table<Ex>& to) {
  auto const& in = to.in;
  index_t const n = in.n;
  to.add("map", [&in, out = to.template room<int>(n)](Ex const& ex) {
    map(ex, thrice{}, out, in.numbers);
  });
  to.add("iota", [out = to.template room<int>(n)](Ex const& ex) { iota(ex, out, 3, 5); });
  to.add("distribute", [out = to.template room<int>(n)](Ex const& ex) { distribute(ex, 7, out); });
  to.add("adjacent_difference", [&in, out = to.template room<int>(n)](Ex const& ex) {
    adjacent_difference(ex, in.numbers, out);
  });
  to.add("gather", [&in, out = to.template room<int>(n)](Ex const& ex) {
    gather(ex, in.numbers, in.places, out);
  });
  auto const order = to.template room<index_t>(n);
  to.add("scatter and permute", [&in, n, order, out = to.template room<int>(n),
                                 put = to.template room<int>(n)](Ex const& ex) {
    iota(ex, order, n - 1, index_t{-1});
    scatter(ex, in.numbers, order, out);
    permute(ex, in.numbers, order, put);
  });
  to.add("histogram", [&in, counts = to.template room<index_t>(8)](Ex const& ex) {
    ravel::histogram(ex, in.digits, counts);
  });
  to.add("merge", [&in, out = to.template room<int>(2 * n)](Ex const& ex) {
    merge(ex, in.sorted, in.also_sorted, out);
  });
  to.add("merge_pairs", [&in, keys = to.template room<int>(2 * n),
                         out = to.template room<int>(2 * n)](Ex const& ex) {
    merge_pairs(ex, in.sorted, in.numbers, in.also_sorted, in.other_numbers, keys, out);
  });
  to.add("merge_path", [&in, out = to.template room<index_t>(n)](Ex const& ex) {
    merge_path(ex, in.sorted, in.also_sorted, in.places, out);
  });
  to.add("find_first", [&in, out = to.template room<index_t>(1)](Ex const& ex) {
    find_first(ex, in.places, is_odd{}, out);
  });
  to.add("searches",
         [&in, found = to.template room<bool>(1), at = to.template room<index_t>(1)](Ex const& ex) {
           any_of(ex, in.places, is_odd{}, found);
           mismatch(ex, in.sorted, in.also_sorted, at);
           min_element(ex, in.numbers, at);
         });
  to.add("lower_bound", [&in, out = to.template room<int>(n)](Ex const& ex) {
    lower_bound(ex, in.other_numbers, in.sorted, out);
  });
  to.add("upper_bound", [&in, out = to.template room<int>(n)](Ex const& ex) {
    upper_bound(ex, in.other_numbers, in.sorted, out);
  });
}

template <class Ex>
void add_scans(call_table<Ex>& to) {
  auto const& in = to.in;
  index_t const n = in.n;
  to.add("reduce from a total on the device",
         [&in, sum = to.template room<int>(1), most = to.template room<int>(1)](Ex const& ex) {
           reduce(ex, in.numbers, sum);
           reduce(ex, in.other_numbers, most, maximum{}, from(sum));
         });
  to.add("inclusive_scan", [&in, out = to.template room<int>(n)](Ex const& ex) {
    inclusive_scan(ex, in.numbers, out);
  });
  to.add("inclusive_scan of floats", [&in, out = to.template room<float>(n)](Ex const& ex) {
    inclusive_scan(ex, in.whole, out);
  });
  to.add("exclusive_scan",
         [&in, out = to.template room<int>(n + 1), sum = to.template room<int>(1)](Ex const& ex) {
           exclusive_scan(ex, in.numbers, out, plus{}, from(100), backward, total_to(sum));
         });
  to.add("inclusive_scan of_order", [&in, out = to.template room<int>(n)](Ex const& ex) {
    inclusive_scan(ex, in.numbers, out, plus{}, of_order<3>);
  });
  to.add("inclusive_scan of_tuples", [&in, out = to.template room<int>(n)](Ex const& ex) {
    inclusive_scan(ex, in.numbers, out, plus{}, of_tuples<3>);
  });
  to.add("linear_recurrence", [&in, out = to.template room<int>(n)](Ex const& ex) {
    linear_recurrence(ex, in.numbers, coefficients{1, 1}, out);
  });
  to.add("linear_recurrence with a coefficient each",
         [&in, out = to.template room<int>(n)](Ex const& ex) {
           linear_recurrence(ex, in.numbers, in.other_numbers, out);
         });
  to.add("scan_then_pack_on",
         [&in, out = to.template room<int>(n), count = to.template room<index_t>(1)](Ex const& ex) {
           scan_then_pack_on(ex, in.n, read_number{in.numbers.data()}, plus<int>{},
                             detail::seed_identity<plus<int>>{}, half_of_even{},
                             write_kept{out.data()}, detail::store_total<index_t>{count.data()});
         });

  auto const by_name = [&](char const* name, auto algorithm) {
    to.add(name, [&in, algorithm, out = to.template room<int>(n)](Ex const& ex) {
      inclusive_scan(ex, in.numbers, out, plus{}, algorithm);
    });
  };
  by_name("step_doubling", scan_algorithm::step_doubling);
  by_name("work_efficient", scan_algorithm::work_efficient);
  by_name("work_efficient_unpadded", scan_algorithm::work_efficient_unpadded);
  if (n < 100'000) by_name("naive", scan_algorithm::naive);  // n^2 / 2 applications
  by_name("brent_kung", scan_algorithm::brent_kung);
  by_name("warp_hierarchical", scan_algorithm::warp_hierarchical);
  by_name("reduce_then_scan", scan_algorithm::reduce_then_scan);
  if constexpr (std::same_as<space_of_t<Ex>, device_space>) {
    by_name("chained_cyclic", scan_algorithm::chained_cyclic);
    by_name("lightscan", scan_algorithm::lightscan);
    by_name("decoupled_look_back", scan_algorithm::decoupled_look_back);
    by_name("local_sums", scan_algorithm::local_sums);
    by_name("look_ahead", scan_algorithm::look_ahead);
  }
}

template <class Ex>
void add_segments(call_table<Ex>& to) {
  auto const& in = to.in;
  index_t const n = in.n;
  auto const each_form = [&](auto add) {
    add("offsets", in.segments, [&in] { return by_offsets(in.offsets); });
    add("lengths", in.segments, [&in] { return by_lengths(in.lengths); });
    add("heads", n, [&in] { return by_heads(in.flags); });
    add("head bits", n, [&in] { return by_head_bits(in.bits, in.n); });
    add("keys", n, [&in] { return by_keys(in.runs); });
    add("one length", n, [&in] { return uniform(in.n, 1); });
  };
  each_form([&](std::string const& form, index_t most, auto segments) {
    to.add("segmented_inclusive_scan by " + form,
           [&in, segments, out = to.template room<int>(n)](Ex const& ex) {
             segmented_inclusive_scan(ex, in.numbers, segments(), out);
           });
    to.add("segmented_reduce by " + form,
           [&in, segments, out = to.template room<int>(most)](Ex const& ex) {
             segmented_reduce(ex, in.numbers, segments(), out);
           });
  });
  to.add("segmented_reduce with its count",
         [&in, out = to.template room<int>(n), count = to.template room<index_t>(1)](Ex const& ex) {
           segmented_reduce(ex, in.numbers, by_heads(in.flags), out, plus{}, total_to(count));
         });
  to.add("segmented_exclusive_scan", [&in, out = to.template room<int>(n)](Ex const& ex) {
    segmented_exclusive_scan(ex, in.numbers, by_heads(in.flags), out, plus{}, from(3), backward);
  });
  to.add("operator_transform", [&in, out = to.template room<int>(n)](Ex const& ex) {
    segmented_inclusive_scan(ex, in.numbers, by_heads(in.flags), out, plus{},
                             segmented_algorithm::operator_transform);
  });
  if constexpr (std::same_as<space_of_t<Ex>, device_space>) {
    to.add("mindex", [&in, out = to.template room<int>(n)](Ex const& ex) {
      segmented_inclusive_scan(ex, in.numbers, by_heads(in.flags), out, plus{},
                               segmented_algorithm::mindex);
    });
  }
  to.add("segmented_pack", [&in, out = to.template room<int>(n),
                            offsets = to.template room<index_t>(in.segments + 1)](Ex const& ex) {
    segmented_pack(ex, in.numbers, in.flags, by_offsets(in.offsets), out, offsets);
  });
  to.add("expand", [&in, out = to.template room<int>(n)](Ex const& ex) {
    expand(ex, times_rank{}, view_of(in.numbers).slice(0, in.segments), by_lengths(in.lengths),
           out);
  });
  to.add("replicate", [&in, out = to.template room<int>(n)](Ex const& ex) {
    replicate(ex, view_of(in.numbers).slice(0, in.segments), by_offsets(in.offsets), out);
  });
  to.add("segmented_iota", [&in, out = to.template room<int>(n)](Ex const& ex) {
    segmented_iota(ex, by_heads(in.flags), out);
  });
  to.add("for_each_in_segments", [&in, out = to.template room<int>(n)](Ex const& ex) {
    for_each_in_segments(ex, in.n, by_lengths(in.lengths), note_segment{out.data()});
  });
  to.add("for_each_in_segments_within, whose n is read on the device",
         [&in, out = to.template room<int>(n)](Ex const& ex) {
           for_each_in_segments_within(ex, in.n, in.offsets, note_segment{out.data()});
         });
  to.add("offsets_of", [&in, out = to.template room<index_t>(n + 1)](Ex const& ex) {
    offsets_of(ex, by_heads(in.flags), out);
  });
  to.add("lengths_of", [&in, out = to.template room<int>(n)](Ex const& ex) {
    lengths_of(ex, by_keys(in.runs), out);
  });
  to.add("heads_of", [&in, out = to.template room<std::uint8_t>(n)](Ex const& ex) {
    heads_of(ex, by_lengths(in.lengths), out);
  });
  to.add("head_bits_of",
         [&in, out = to.template room<std::uint32_t>(div_up(n, index_t{32}))](Ex const& ex) {
           head_bits_of(ex, by_offsets(in.offsets), out, in.n);
         });
  to.add("segment_ids_of and back",
         [&in, ids = to.template room<int>(n),
          out = to.template room<index_t>(in.segments + 1)](Ex const& ex) {
           segment_ids_of(ex, by_offsets(in.offsets), ids);
           offsets_of_segment_ids(ex, ids, out);
         });
}

template <class Ex>
void add_packs(call_table<Ex>& to) {
  auto const& in = to.in;
  index_t const n = in.n;
  to.add("pack by flags",
         [&in, out = to.template room<int>(n), count = to.template room<index_t>(1)](Ex const& ex) {
           pack(ex, in.numbers, in.flags, out, total_to(count));
         });
  to.add("pack by bits", [&in, out = to.template room<int>(n)](Ex const& ex) {
    pack(ex, in.numbers, by_bits(in.bits, in.n), out);
  });
  to.add("pack_index", [&in, out = to.template room<index_t>(n)](Ex const& ex) {
    pack_index(ex, in.flags, out);
  });
  to.add("filter", [&in, out = to.template room<int>(n), count = to.template room<index_t>(1)](
                       Ex const& ex) { filter(ex, in.numbers, is_odd{}, out, total_to(count)); });
  to.add("unique", [&in, out = to.template room<std::uint32_t>(n)](Ex const& ex) {
    unique(ex, in.runs, out);
  });
  to.add("unique_by_key",
         [&in, keys = to.template room<std::uint32_t>(n), out = to.template room<int>(n)](
             Ex const& ex) { unique_by_key(ex, in.runs, in.numbers, keys, out); });
  to.add("reduce_by_key",
         [&in, keys = to.template room<std::uint32_t>(n), out = to.template room<int>(n),
          count = to.template room<index_t>(1)](Ex const& ex) {
           reduce_by_key(ex, in.runs, in.numbers, keys, out, plus{}, total_to(count));
         });
  to.add("run_length_encode",
         [&in, values = to.template room<std::uint32_t>(n), lengths = to.template room<int>(n),
          count = to.template room<index_t>(1)](Ex const& ex) {
           run_length_encode(ex, in.runs, values, lengths, total_to(count));
         });
  to.add("run_length_decode", [&in, out = to.template room<int>(n)](Ex const& ex) {
    run_length_decode(ex, view_of(in.numbers).slice(0, in.segments), in.lengths, out);
  });
  to.add("split by flags", [&in, out = to.template room<int>(n)](Ex const& ex) {
    split(ex, in.numbers, in.flags, out);
  });
  to.add("split to three", [&in, out = to.template room<int>(n)](Ex const& ex) {
    split<3>(ex, in.numbers, around{2}, out);
  });
  to.add("split to eight", [&in, out = to.template room<int>(n),
                            offsets = to.template room<index_t>(9)](Ex const& ex) {
    split<8>(ex, in.numbers, digit_of_number{}, out, offsets_to(offsets));
  });
  to.add("split to two parts, with their counts",
         [&in, even = to.template room<int>(n), odd = to.template room<int>(n),
          counts = to.template room<index_t>(2)](Ex const& ex) {
           split(ex, in.numbers, is_odd{}, parts(even, odd), counts_to(counts));
         });
  to.add("split to eight parts", [&in, out = to.template room<int>(8 * n), n](Ex const& ex) {
    auto const part = [&](index_t d) { return out.slice(d * n, n); };
    split(ex, in.numbers, digit_of_number{},
          parts(part(0), part(1), part(2), part(3), part(4), part(5), part(6), part(7)));
  });
  to.add("split_pairs",
         [&in, keys = to.template room<int>(n), out = to.template room<int>(n)](Ex const& ex) {
           split_pairs<3>(ex, in.numbers, in.other_numbers, around{2}, keys, out);
         });
}

/// Every entry point of this layer that returns before the work is complete.
struct add_primitives {
  template <class Ex>
  void operator()(call_table<Ex>& to) const {
    add_maps(to);
    add_scans(to);
    add_segments(to);
    add_packs(to);
  }
};

#ifdef __CUDACC__
struct calls_of_primitives : ::testing::Test {
  void SetUp() override {
    if (!gpu::available()) GTEST_SKIP() << "no CUDA device";
  }
};
constexpr index_t few = 1003, many = 7'000'003;  // `many` elements are streamed

TEST_F(calls_of_primitives, take_the_scratch_that_their_plans_say) {
  testing::expect_plans<gpu::executor>(few, add_primitives{});
  testing::expect_plans<gpu::executor>(many, add_primitives{});
}
TEST_F(calls_of_primitives, are_captured_and_replayed) {
  testing::expect_captures(few, add_primitives{});
  testing::expect_captures(many, add_primitives{});
}
TEST_F(calls_of_primitives, run_on_several_streams_at_once) {
  testing::expect_streams(few, add_primitives{});
  testing::expect_streams(many, add_primitives{});
}
TEST_F(calls_of_primitives, are_the_same_however_the_device_is_tuned) {
  testing::expect_tunings(few, add_primitives{});
  testing::expect_tunings(many, add_primitives{});
}
#else
template <class Ex>
struct calls_of_primitives : ::testing::Test {};
TYPED_TEST_SUITE(calls_of_primitives, testing::calling_executors);

TYPED_TEST(calls_of_primitives, take_the_scratch_that_their_plans_say) {
  testing::expect_plans<TypeParam>(1, add_primitives{});
  testing::expect_plans<TypeParam>(12'003, add_primitives{});
}

TEST(calls_of_primitives_on_a_device, are_the_same_however_it_is_tuned) {
  testing::expect_tunings(1, add_primitives{});
  testing::expect_tunings(12'003, add_primitives{});
}
#endif

}  // namespace
}  // namespace ravel::calls_test
