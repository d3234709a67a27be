/// Selection and multiway merge on the GPU, compared with CUB's sort and merge.

#include "support/gpu.cuh"

#include <ravel/algorithms/merge_segments.hpp>
#include <ravel/algorithms/selection.hpp>

#include <cub/device/device_merge.cuh>
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>

namespace ravel::bench::on_gpu {
namespace {

using key = std::uint32_t;

enum class kind { uniform, sorted, equal, distinct16, zipf, and4 };
constexpr char const* names_of_kinds[] = {"uniform",    "sorted", "equal",
                                          "distinct16", "zipf",   "and4"};

struct key_of_kind {
  kind of;
  index_t n;
  RAVEL_HD key operator()(index_t i) const {
    auto const random = [&](std::uint64_t seed) { return static_cast<key>(random_bits(seed, i)); };
    switch (of) {
      case kind::sorted:
        return static_cast<key>((static_cast<std::uint64_t>(i) << 32) / n);
      case kind::equal:
        return 7;
      case kind::distinct16:
        return random(1) % 16 * 0x9E3779B9u;
      case kind::zipf:
        return static_cast<key>(std::exp(random_fraction(1, i) * std::log(1e9)));
      case kind::and4:
        return random(1) & random(2) & random(3) & random(4);
      default:
        return random(1);
    }
  }
};

/// By CUB's sort, since CUB has no selection.
std::function<void()> sort_all(gpu::executor const& ex, shared<key> const& in,
                               shared<key> const& out) {
  return with_scratch(ex, [=](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(scratch, bytes, in->data(), out->data(), in->size(), 0,
                                          32, ex.stream());
  });
}

/// Selects the k smallest elements, or only the k-th.
comparison select(gpu::executor const& ex, index_t n, index_t k, bool the_last,
                  kind of = kind::uniform) {
  auto const in = generate<key>(ex, n, key_of_kind{of, n});
  auto const sorted = allocate<key>(ex, n), theirs = allocate<key>(ex, n);
  index_t const first = the_last ? k - 1 : 0, count = k - first;
  auto const out = allocate<key>(ex, count);
  sort_all(ex, in, sorted)();

  comparison c;
  c.bytes = 4.0 * double(n + count);
  c.poison = poison(ex, out, theirs);
  c.contenders.push_back(
      {"ours",
       [=] {
         if (the_last) {
           nth_element(ex, *in, first, *out);
         } else {
           top_k(ex, *in, *out);
         }
       },
       [=] { return all_equal(ex, count, out->data(), element<key>{sorted->data() + first}); }});
  c.contenders.push_back({"peer:cub radix sort", sort_all(ex, in, theirs), [=] {
                            return all_equal(ex, n, theirs->data(), element<key>{sorted->data()});
                          }});
  add_read(ex, c);
  return c;
}

struct multiple_of {
  index_t length, n;
  RAVEL_HD index_t operator()(index_t s) const { return s * length < n ? s * length : n; }
};

/// The first k of each sorted segment of one length.
struct first_of_each {
  key const* sorted;
  index_t length, k;
  RAVEL_HD key operator()(index_t i) const { return sorted[i / k * length + i % k]; }
};

/// Selects the k smallest elements of each of `segments` segments of one length, compared with CUB's
/// sorts of segments, since CUB has no selection.
comparison select_of_each(gpu::executor const& ex, index_t segments, index_t length, index_t k) {
  index_t const n = segments * length;
  auto const offsets = generate<index_t>(ex, segments + 1, multiple_of{length, n});
  auto const in = generate<key>(ex, n, key_of_kind{kind::uniform, n});
  auto const sorted = allocate<key>(ex, n), theirs = allocate<key>(ex, n);
  auto const out = allocate<key>(ex, segments * k);
  auto const radix_sort_each = [=](shared<key> const& to) {
    return with_scratch(ex, [=](void* scratch, std::size_t& bytes) {
      return cub::DeviceSegmentedRadixSort::SortKeys(scratch, bytes, in->data(), to->data(), n,
                                                     segments, offsets->data(), offsets->data() + 1,
                                                     0, 32, ex.stream());
    });
  };
  auto const sort_each = with_scratch(ex, [=](void* scratch, std::size_t& bytes) {
    return cub::DeviceSegmentedSort::SortKeys(scratch, bytes, in->data(), theirs->data(), n,
                                              segments, offsets->data(), offsets->data() + 1,
                                              ex.stream());
  });
  radix_sort_each(sorted)();
  auto const right = [=] { return all_equal(ex, n, theirs->data(), element<key>{sorted->data()}); };

  comparison c;
  c.bytes = 4.0 * double(n + segments * k);
  c.poison = poison(ex, out, theirs);
  c.contenders.push_back(
      {"ours", [=] { segmented_top_k(ex, *in, chunks(n, length), k, key{0}, *out); },
       [=] {
         return all_equal(ex, segments * k, out->data(), first_of_each{sorted->data(), length, k});
       }});
  c.contenders.push_back({"peer:cub segmented radix sort", radix_sort_each(theirs), right});
  c.contenders.push_back({"peer:cub segmented sort", sort_each, right});
  add_read(ex, c);
  return c;
}

struct before {
  RAVEL_HD bool operator()(key x, key y) const { return x < y; }
};

/// k sorted sequences of equal length.  For two the peer is a merge alone: a merge sort takes 15 times as
/// long, and what runs after it 7 % longer.
comparison merge_many(gpu::executor const& ex, index_t n, index_t k) {
  auto const random = generate<key>(ex, n, reached<key>{});
  auto const offsets = generate<index_t>(ex, k + 1, multiple_of{div_up(n, k), n});
  auto const in = allocate<key>(ex, n), out = allocate<key>(ex, n), expected = allocate<key>(ex, n);
  with_scratch(ex, [=](void* scratch, std::size_t& bytes) {
    return cub::DeviceSegmentedSort::SortKeys(scratch, bytes, random->data(), in->data(), n, k,
                                              offsets->data(), offsets->data() + 1, ex.stream());
  })();
  sort_all(ex, in, expected)();
  auto const right = [=] { return all_equal(ex, n, out->data(), element<key>{expected->data()}); };

  comparison c;
  c.bytes = 8.0 * double(n);
  c.poison = poison(ex, out);
  c.contenders.push_back(
      {"ours", [=] { merge_segments(ex, *in, by_offsets(*offsets), *out); }, right});
  if (k == 2) {
    index_t const half = div_up(n, 2);
    c.contenders.push_back({"peer:cub merge",
                            with_scratch(ex,
                                         [=](void* scratch, std::size_t& bytes) {
                                           return cub::DeviceMerge::MergeKeys(
                                               scratch, bytes, in->data(), half, in->data() + half,
                                               n - half, out->data(), before{}, ex.stream());
                                         }),
                            right});
  } else {
    c.contenders.push_back({"peer:cub merge sort",
                            with_scratch(ex,
                                         [=](void* scratch, std::size_t& bytes) {
                                           return cub::DeviceMergeSort::StableSortKeysCopy(
                                               scratch, bytes, in->data(), out->data(), n, before{},
                                               ex.stream());
                                         }),
                            right});
  }
  add_copies(ex, c);
  return c;
}

suite all(gpu::executor const& ex) {
  suite s = make_suite("gpu.selection", ex);
  constexpr index_t whole = index_t{1} << 28;
  s.rows.push_back({"gpu.nth_element.u32", "the median of u32", whole,
                    [=](index_t n) { return select(ex, n, n / 2, true); }});
  for (index_t const k : {10, 1000, 1'000'000}) {
    s.rows.push_back({"gpu.top_k.u32." + std::to_string(k),
                      "the " + std::to_string(k) + " smallest of u32", whole,
                      [=](index_t n) { return select(ex, n, k < n ? k : n, false); }});
  }
  for (auto const of : {kind::sorted, kind::equal, kind::distinct16, kind::zipf, kind::and4}) {
    std::string const name = names_of_kinds[static_cast<int>(of)];
    s.rows.push_back({"gpu.nth_element.u32." + name, "the median of u32, " + name, whole,
                      [=](index_t n) { return select(ex, n, n / 2, true, of); }});
    s.rows.push_back({"gpu.top_k.u32.2^20." + name, "the 2^20 smallest of u32, " + name, whole,
                      [=](index_t n) { return select(ex, n, n / 256, false, of); }});
  }
  for (index_t const k : {50, 1024}) {
    index_t const each = index_t{1} << 17;
    auto const of = std::to_string(whole / each) + "x" + std::to_string(each);
    s.rows.push_back({"gpu.segmented_top_k.u32." + of + "." + std::to_string(k),
                      "the " + std::to_string(k) + " smallest of each of " + of + " u32", whole,
                      [=](index_t n) {
                        index_t const length = std::min(n, each);
                        return select_of_each(ex, n / length, length, std::min(k, length));
                      }});
  }
  for (int const log : {22, 24}) {
    s.rows.push_back({"gpu.top_k.u32.1000.2^" + std::to_string(log), "the 1000 smallest of u32",
                      index_t{1} << log, [=](index_t n) { return select(ex, n, 1000, false); }});
  }
  for (index_t const k : {2, 16, 1000}) {
    s.rows.push_back({"gpu.merge_segments.u32." + std::to_string(k),
                      "merge of " + std::to_string(k) + " sorted sequences u32", whole,
                      [=](index_t n) { return merge_many(ex, n, k); }});
  }
  return s;
}

}  // namespace
}  // namespace ravel::bench::on_gpu

int main(int argc, char** argv) {
  using namespace ravel::bench::on_gpu;
  return run_suite(all, argc, argv);
}
