/// Radix sort on the GPU, compared with CUB.

#include "support/comparison_sorts.cuh"
#include "support/radix_sorts.cuh"

#include <ravel/algorithms/segmented_sort.hpp>

#include <thrust/iterator/counting_iterator.h>
#include <cub/device/device_segmented_sort.cuh>
#include <cub/device/device_select.cuh>

#include <string>
#include <type_traits>

namespace ravel::bench::on_gpu {
namespace {

struct multiple_of {
  std::int32_t length;
  index_t n;
  RAVEL_HD std::int32_t operator()(index_t s) const {
    index_t const at = s * length;
    return static_cast<std::int32_t>(at < n ? at : n);
  }
};

/// Segments of keys, with values of 4 bytes.
comparison sort_pairs_in_segments(gpu::executor const& ex, index_t n, std::int32_t length) {
  using K = std::uint32_t;
  index_t const segments = div_up(n, length);
  auto const keys = generate<K>(ex, n, reached<K>{});
  auto const values = generate<K>(ex, n, index_of{});
  auto const offsets = generate<std::int32_t>(ex, segments + 1, multiple_of{length, n});
  auto const keys_out = allocate<K>(ex, n), values_out = allocate<K>(ex, n);
  auto const expected_keys = allocate<K>(ex, n), expected_values = allocate<K>(ex, n);
  auto const peer_to = [=](shared<K> const& to_keys, shared<K> const& to_values) {
    return with_scratch(ex, [=](void* scratch, std::size_t& bytes) {
      return cub::DeviceSegmentedSort::StableSortPairs(
          scratch, bytes, keys->data(), to_keys->data(), values->data(), to_values->data(), n,
          segments, offsets->data(), offsets->data() + 1, ex.stream());
    });
  };
  peer_to(expected_keys, expected_values)();
  auto const right = [=] {
    return all_equal(ex, n, keys_out->data(), element<K>{expected_keys->data()}) &&
           all_equal(ex, n, values_out->data(), element<K>{expected_values->data()});
  };

  comparison c;
  c.bytes = 16.0 * double(n) + 4.0 * double(segments);
  c.poison = poison(ex, keys_out, values_out);
  c.contenders.push_back({"ours",
                          [=] {
                            segmented_sort_pairs(ex, *keys, *values, by_offsets(*offsets),
                                                 *keys_out, *values_out);
                          },
                          right});
  c.contenders.push_back({"peer:cub segmented sort", peer_to(keys_out, values_out), right});
  add_copies(ex, c);
  return c;
}

struct begins_multiple {
  std::int32_t length;
  RAVEL_HD std::uint8_t operator()(index_t i) const { return i % length == 0; }
};
/// By offsets, or by heads, whose positions CUB selects before it sorts.
template <class K>
comparison sort_segments(gpu::executor const& ex, index_t n, std::int32_t length,
                         bool by_their_heads = false) {
  index_t const segments = div_up(n, length);
  auto const heads = generate<std::uint8_t>(ex, by_their_heads ? n : 0, begins_multiple{length});
  auto const in = generate<K>(ex, n, reached<K>{});
  auto const offsets = generate<std::int32_t>(ex, segments + 1, multiple_of{length, n});
  auto const selected = allocate<std::int32_t>(ex, 1);
  auto const out = allocate<K>(ex, n);
  auto const expected = allocate<K>(ex, n);
  auto const peer_to = [=](shared<K> const& to) {
    return with_scratch(ex, [=](void* scratch, std::size_t& bytes) {
      return cub::DeviceSegmentedSort::SortKeys(scratch, bytes, in->data(), to->data(), n, segments,
                                                offsets->data(), offsets->data() + 1, ex.stream());
    });
  };
  auto const select = with_scratch(ex, [=](void* scratch, std::size_t& bytes) {
    return cub::DeviceSelect::Flagged(scratch, bytes, thrust::make_counting_iterator(0),
                                      heads->data(), offsets->data(), selected->data(), n,
                                      ex.stream());
  });
  peer_to(expected)();
  auto const right = [=] { return all_equal(ex, n, out->data(), element<K>{expected->data()}); };

  comparison c;
  c.bytes = 2.0 * sizeof(K) * double(n) + (by_their_heads ? double(n) : 4.0 * double(segments));
  c.poison = poison(ex, out);
  c.contenders.push_back({"ours",
                          [=] {
                            if (by_their_heads) {
                              segmented_sort(ex, *in, by_heads(*heads), *out);
                            } else {
                              segmented_sort(ex, *in, by_offsets(*offsets), *out);
                            }
                          },
                          right});
  c.contenders.push_back(
      {by_their_heads ? "peer:cub select and segmented sort" : "peer:cub segmented sort",
       [=, sort = peer_to(out)] {
         if (by_their_heads) select();
         sort();
       },
       right});
  add_copies(ex, c);
  return c;
}

/// Random keys; of integers of 4 and 8 bytes by the stable form too.
template <class K>
comparison sort_random_keys(gpu::executor const& ex, index_t n) {
  return sort_keys < K, std::is_integral_v<K> && sizeof(K) >= 4 > (ex, n, reached<K>{});
}

suite all(gpu::executor const& ex) {
  suite s = make_suite("gpu.sort", ex);
  constexpr index_t whole = index_t{1} << 28;
  for (int const log : {14, 16, 18, 20, 24}) {
    s.rows.push_back({"gpu.radix_sort.u32.2^" + std::to_string(log), "radix sort keys u32",
                      index_t{1} << log,
                      [=](index_t n) { return sort_random_keys<std::uint32_t>(ex, n); }});
  }
  s.rows.push_back({"gpu.radix_sort.u32", "radix sort keys u32", whole,
                    [=](index_t n) { return sort_random_keys<std::uint32_t>(ex, n); }});
  s.rows.push_back({"gpu.radix_sort.u64", "radix sort keys u64", whole,
                    [=](index_t n) { return sort_random_keys<std::uint64_t>(ex, n); }});
  s.rows.push_back({"gpu.radix_sort.u16", "radix sort keys u16", whole,
                    [=](index_t n) { return sort_random_keys<std::uint16_t>(ex, n); }});
  s.rows.push_back({"gpu.radix_sort.u8", "radix sort keys u8", whole,
                    [=](index_t n) { return sort_random_keys<std::uint8_t>(ex, n); }});
  s.rows.push_back({"gpu.radix_sort.f32", "radix sort keys f32", whole,
                    [=](index_t n) { return sort_random_keys<float>(ex, n); }});
  s.rows.push_back({"gpu.radix_sort.f64", "radix sort keys f64", whole,
                    [=](index_t n) { return sort_random_keys<double>(ex, n); }});
  s.rows.push_back({"gpu.radix_sort.u32u32", "radix sort pairs u32 with u32", whole,
                    [=](index_t n) { return sort_pairs(ex, n, reached<std::uint32_t>{}); }});
  s.rows.push_back({"gpu.comparison_sort.u32", "comparison sort u32 by <", whole, [=](index_t n) {
                      return sort_by_order(ex, n, reached<std::uint32_t>{}, less{});
                    }});
  s.rows.push_back({"gpu.comparison_sort.f64", "comparison sort f64 by <", whole,
                    [=](index_t n) { return sort_by_order(ex, n, reached<double>{}, less{}); }});
  s.rows.push_back({"gpu.comparison_sort.any.u32", "comparison sort u32 by any order", whole,
                    [=](index_t n) { return sort_by_order(ex, n, reached<std::uint32_t>{}); }});
  s.rows.push_back({"gpu.comparison_sort.any.f64", "comparison sort f64 by any order", whole,
                    [=](index_t n) { return sort_by_order(ex, n, reached<double>{}); }});
  for (std::int32_t const length : {10, 100, 1000, 100'000}) {
    s.rows.push_back({"gpu.segmented_sort.len" + std::to_string(length),
                      "segmented sort u32, length " + std::to_string(length), index_t{1} << 26,
                      [=](index_t n) { return sort_segments<std::uint32_t>(ex, n, length); }});
    s.rows.push_back(
        {"gpu.segmented_sort.heads.len" + std::to_string(length),
         "segmented sort u32 by heads, length " + std::to_string(length), index_t{1} << 26,
         [=](index_t n) { return sort_segments<std::uint32_t>(ex, n, length, true); }});
  }
  for (std::int32_t const length :
       {7, 10, 30, 100, 1000, 3000, 5000, 10'000, 20'000, 100'000, 300'000}) {
    std::string const of = std::to_string(length);
    s.rows.push_back({"gpu.segmented_sort.u32u32.len" + of,
                      "segmented sort of pairs u32 with u32, length " + of, index_t{1} << 26,
                      [=](index_t n) { return sort_pairs_in_segments(ex, n, length); }});
  }
  for (std::int32_t const length : {10, 100, 1000, 100'000}) {
    std::string const of = std::to_string(length);
    s.rows.push_back({"gpu.segmented_sort.f32.len" + of, "segmented sort f32, length " + of,
                      index_t{1} << 26,
                      [=](index_t n) { return sort_segments<float>(ex, n, length); }});
    s.rows.push_back({"gpu.segmented_sort.u64.len" + of, "segmented sort u64, length " + of,
                      index_t{1} << 26,
                      [=](index_t n) { return sort_segments<std::uint64_t>(ex, n, length); }});
  }
  s.rows.push_back({"gpu.segmented_sort.f64.len100", "segmented sort f64, length 100",
                    index_t{1} << 26,
                    [=](index_t n) { return sort_segments<double>(ex, n, 100); }});
  return s;
}

}  // namespace
}  // namespace ravel::bench::on_gpu

int main(int argc, char** argv) {
  using namespace ravel::bench::on_gpu;
  return run_suite(all, argc, argv);
}
