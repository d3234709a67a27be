/// Nested programs on a device take the forms of the library's own calls: the same kernels, by the shapes
/// of their grids.

#include "support/device_forms.hpp"

#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/core/explain.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/flatten/flatten.hpp>
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
  sizes.streamed_bytes = sizes.carried_bytes = sizes.reduced_bytes = sizes.bucketed = 1;
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

}  // namespace
}  // namespace ravel::device_forms_test
