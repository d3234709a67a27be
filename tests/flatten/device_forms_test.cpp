/// Nested programs on a device take the forms of the library's own calls, the same kernels by the shapes of
/// their grids, and wait where the host needs a number.

#include "support/device_forms.hpp"
#include "nested/graph.hpp"

#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/core/explain.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/flatten/flatten.hpp>
#include <ravel/primitives/pack.hpp>
#include <ravel/primitives/segmented_reduce.hpp>
#include <ravel/primitives/segmented_scan.hpp>
#include <ravel/software_device/observer.hpp>

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

namespace ravel::device_forms_test {
namespace {

/// A device that takes its forms for long inputs, whatever the size.
gpu::executor device() {
  gpu::executor ex;
  auto sizes = ex.tuned();
  sizes.streamed_bytes = sizes.carried_bytes = sizes.reduced_bytes = sizes.packed_bytes = 1;
  sizes.bucketed = 1;
  sizes.nested = 1;
  ex.tune(sizes);
  return ex;
}
gpu::executor const ex = device();

/// The grid of each kernel that f launches, in order: blocks, threads, bytes of shared memory.
template <class F>
std::vector<std::string> launches_of(F const& f) {
  struct : software::observer {
    std::vector<std::string> seen;
    void begins(software::shape const& s) override {
      seen.push_back(std::to_string(s.blocks) + " x " + std::to_string(s.threads) + ", " +
                     std::to_string(s.shared_bytes));
    }
  } launches;
  auto* const before = software::observe(&launches);
  f();
  ex.wait();
  software::observe(before);
  return launches.seen;
}

/// Rows of 0 to 9 numbers; or `rows` of one length.
struct ragged {
  std::vector<index_t> lengths, offsets{0};
  std::vector<float> values;

  explicit ragged(std::vector<index_t> all) : lengths(std::move(all)) {
    for (index_t const n : lengths) offsets.push_back(offsets.back() + n);
    values.resize(static_cast<std::size_t>(offsets.back()));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 7);
  }
  static ragged of_any_length() {
    std::vector<index_t> lengths(700);
    for (std::size_t k = 0; k < lengths.size(); ++k) lengths[k] = static_cast<index_t>(k * k % 10);
    return ragged(lengths);
  }
};

struct twice {
  RAVEL_HD float operator()(float x) const { return x + x; }
};

/// The steps of the library's own calls, beside which those of a program are counted.
struct own_calls {
  ragged const a = ragged::of_any_length();
  gpu::buffer<float> const values = to(ex, a.values);
  gpu::buffer<index_t> const offsets = to(ex, a.offsets);
  gpu::buffer<float> const out = ex.allocate<float>(values.size());
  gpu::buffer<float> const sums = ex.allocate<float>(offsets.size() - 1);

  auto rows() const { return from_offsets(ex, values, offsets); }
  std::vector<std::string> scan(auto const& segments) const {
    return launches_of([&] { segmented_inclusive_scan(ex, values, segments, out); });
  }
};

TEST(device_forms, of_scans_of_rows_in_memory_are_those_of_segmented_scan) {
  own_calls const own;
  auto const call = describe_segmented_inclusive_scan(own.values, by_offsets(own.offsets), own.out);
  EXPECT_EQ(explain(ex, call).form, std::string("stream_segments"));

  auto const x = own.rows();
  auto const scans = [&] { each(x, [](auto row) { return inclusive_scan(row); }); };
  scans();  // opens x
  EXPECT_EQ(launches_of(scans), own.scan(by_offsets(own.offsets)));

  auto const lone = from(ex, own.a.values);
  auto const chunks = unflatten(lone, 1);
  auto const of_one_length = [&] { each(chunks, [](auto row) { return inclusive_scan(row); }); };
  EXPECT_EQ(launches_of(of_one_length), own.scan(uniform(own.values.size(), 1)));
  auto const alone = [&] { inclusive_scan(lone); };
  EXPECT_EQ(launches_of(alone), launches_of([&] { inclusive_scan(ex, own.values, own.out); }));
}

TEST(device_forms, of_scans_of_computed_and_captured_rows_are_a_map_and_segmented_scan) {
  own_calls const own;
  auto const x = own.rows();
  auto const scan = own.scan(by_offsets(own.offsets));
  auto const map = launches_of([&] { ravel::map(ex, twice{}, own.out, own.values); });
  auto wanted = map;
  wanted.insert(wanted.end(), scan.begin(), scan.end());
  auto const computed = [&] { each(x, [](auto row) { return inclusive_scan(row + row); }); };
  computed();
  EXPECT_EQ(launches_of(computed), wanted);

  // That of a captured sequence is made once, for all elements.
  auto const row = from(ex, own.a.values);
  auto const many = iota(from(ex, index_t{100}));
  auto const captured = [&] { each(many, [&](auto) { return inclusive_scan(row); }); };
  captured();
  EXPECT_EQ(launches_of(captured), launches_of([&] { inclusive_scan(ex, own.values, own.out); }));
}

TEST(device_forms, of_sums_of_rows_are_those_of_segmented_reduce) {
  own_calls const own;
  auto const call =
      describe_segmented_reduce(own.values, by_offsets(own.offsets), own.sums, plus{});
  EXPECT_EQ(explain(ex, call).form, std::string("rings"));
  auto const wanted = [&](auto const& segments) {
    return launches_of([&] { segmented_reduce(ex, own.values, segments, own.sums, plus{}); });
  };

  auto const x = own.rows();
  auto const sums = [&] { each(x, [](auto row) { return sum(row); }); };
  sums();
  EXPECT_EQ(launches_of(sums), wanted(by_offsets(own.offsets)));
  auto const of_products = [&] { each(x, [](auto row) { return max(row * 2.0f); }); };
  EXPECT_EQ(launches_of(of_products), wanted(by_offsets(own.offsets)));

  auto const chunks = unflatten(from(ex, own.a.values), 1);
  auto const of_one_length = [&] { each(chunks, [](auto row) { return sum(row); }); };
  auto const each_alone = [&] {
    segmented_reduce(ex, own.values, uniform(own.values.size(), 1), own.out, plus{});
  };
  EXPECT_EQ(launches_of(of_one_length), launches_of(each_alone));
}

TEST(device_forms, of_a_sort_of_one_sequence_are_those_of_radix_sort) {
  own_calls const own;
  auto const x = borrow(ex, own.values);
  EXPECT_EQ(launches_of([&] { sort(x); }),
            launches_of([&] { radix_sort(ex, own.values, own.out); }));
}

struct above_three {
  RAVEL_HD bool operator()(float x) const { return x > 3; }
};

TEST(device_forms, of_packs_of_one_sequence_are_those_of_filter_and_pack) {
  own_calls const own;
  auto const x = borrow(ex, own.values);
  auto const flags = keep(x > 3.0f);
  auto const flags_in_memory = elements(flags);
  auto const by_flags = describe_pack(own.values, flags_in_memory, own.out);
  EXPECT_EQ(explain(ex, by_flags).form, std::string("stream_by_flags"));
  auto const by_predicate = describe_filter(own.values, above_three{}, own.out);
  EXPECT_EQ(explain(ex, by_predicate).form, std::string("stream_by_predicate"));

  auto const filtered = [&] { return filter(x, [](auto v) { return v > 3.0f; }); };
  auto const packed = [&] { return pack(x, flags); };
  EXPECT_EQ(to_host(filtered()), to_host(packed()));
  EXPECT_EQ(launches_of([&] {
              auto const result = filtered();
              flattening::run_deferred_steps();
            }),
            launches_of([&] { ravel::filter(ex, own.values, above_three{}, own.out); }));
  EXPECT_EQ(launches_of([&] {
              auto const result = packed();
              flattening::run_deferred_steps();
            }),
            launches_of([&] { ravel::pack(ex, own.values, flags_in_memory, own.out); }));
}

/// The waits of a program.
template <class F>
index_t waits_of(F const& f) {
  reset_stats();
  f();
  return stats().waits;
}

/// Rows of one length stay so where they are taken by number, so that the host knows how many elements
/// all have.
TEST(device_steps, of_rows_of_one_length_taken_by_number_wait_for_nothing) {
  auto const rows = unflatten(from(ex, std::vector<index_t>{3, 1, 2, 5, 4, 6}), 2);
  auto const order = from(ex, std::vector<index_t>{2, 0, 2});
  auto const sums = [&] {
    return each(order, [&](auto i) { return sum(at(rows, i) + at(rows, i)); });
  };
  EXPECT_EQ(waits_of(sums), 0);
  EXPECT_EQ(to_host(sums()), (std::vector<index_t>{20, 8, 20}));
  auto const backward = gather(gather(rows, order), from(ex, std::vector<index_t>{1, 2}));
  EXPECT_EQ(to_host(backward), (std::vector<std::vector<index_t>>{{3, 1}, {4, 6}}));

  // An index out of range takes no element, also of rows of which there are none.
  auto const outside = from(ex, std::vector<index_t>{1, 3});
  EXPECT_THROW(to_host(gather(rows, outside)), index_error);
  auto const none = take(rows, 0);
  EXPECT_THROW(to_host(gather(none, outside)), index_error);
  auto const no_rows = from(ex, std::vector<std::vector<index_t>>{});
  EXPECT_THROW(to_host(gather(no_rows, outside)), index_error);
}

/// A round of a search waits for the number of edges that leave its front, for those whose ends are new,
/// and for the new ends, of which each is once; not for its condition.
TEST(device_steps, of_a_loop_of_one_instance_do_not_wait_for_a_condition_of_lengths) {
  constexpr index_t n = 20;
  std::vector<std::vector<index_t>> path(n);
  for (index_t v = 0; v + 1 < n; ++v) {
    path[static_cast<std::size_t>(v)].push_back(v + 1);
    path[static_cast<std::size_t>(v) + 1].push_back(v);
  }
  auto const graph = from(ex, path);
  auto const start = from(ex, index_t{0});
  std::vector<index_t> wanted(n);
  std::iota(wanted.begin(), wanted.end(), index_t{0});
  EXPECT_EQ(to_host(examples::bfs(graph, start)), wanted);
  EXPECT_LE(waits_of([&] { examples::bfs(graph, start); }), 3 * n);
}

}  // namespace
}  // namespace ravel::device_forms_test
