// Wrong values in memory must not make a call write outside of its outputs: random descriptors,
// indices, part numbers and orders, with outputs between guards.

#include "support/device_forms.hpp"

#include <ravel/primitives/expand.hpp>
#include <ravel/primitives/histogram.hpp>
#include <ravel/primitives/merge.hpp>
#include <ravel/primitives/run_length.hpp>
#include <ravel/primitives/scatter.hpp>
#include <ravel/primitives/search.hpp>
#include <ravel/primitives/segment_forms.hpp>
#include <ravel/primitives/segmented_apply.hpp>
#include <ravel/primitives/segmented_pack.hpp>
#include <ravel/primitives/segmented_reduce.hpp>
#include <ravel/primitives/segmented_scan.hpp>
#include <ravel/primitives/segmented_split.hpp>
#include <ravel/primitives/split.hpp>
#include <ravel/primitives/split_parts.hpp>
#include <ravel/primitives/split_within.hpp>

#include "support/executors.hpp"
#include "support/random_word.hpp"

#include <cstdint>
#include <limits>
#include <vector>

namespace ravel::wrong_descriptors_test {
namespace {

/// An output between guards.
template <class Fixture, class T>
class guarded {
  static constexpr index_t guard = 1024;
  static constexpr T unwritten = T(77);
  Fixture const& on_;
  index_t size_;
  decltype(std::declval<Fixture const&>().there(std::vector<T>())) all_;

 public:
  guarded(Fixture const& on, index_t size)
      : on_(on),
        size_(size),
        all_(on.there(std::vector<T>(static_cast<std::size_t>(size + 2 * guard), unwritten))) {}
  auto view() const { return view_of(all_).slice(guard, size_); }

  ~guarded() {
    auto const now = on_.here(all_);
    index_t touched = 0;
    for (index_t i = 0; i < guard; ++i) {
      touched += now[static_cast<std::size_t>(i)] != unwritten;
      touched += now[static_cast<std::size_t>(guard + size_ + i)] != unwritten;
    }
    EXPECT_EQ(touched, 0);
  }
  guarded(guarded const&) = delete;
  guarded& operator=(guarded const&) = delete;
};

template <class Ex>
struct wrong_descriptors : testing::on_executor<Ex> {
  using executor_type = Ex;
  template <class T>
  auto output(index_t n) const {
    return guarded<wrong_descriptors, T>(*this, n);
  }
};
/// All forms: the host's, the generic steps, and the device's.  cpu::sequential has the host's, and
/// the steps are slow on a device in software.
#ifdef __CUDACC__
using forms = ::testing::Types<gpu::executor>;
#elif defined(RAVEL_TEST_BRIEFLY)
using forms = testing::executors_and_device;
#else
using forms = ::testing::Types<cpu::threads, testing::host_steps, gpu::executor>;
#endif
TYPED_TEST_SUITE(wrong_descriptors, forms);

/// The k-th number of a case.
struct numbers {
  std::uint64_t seed;
  std::uint64_t operator()(index_t k) const {
    return testing::random_word(seed << 32 | static_cast<std::uint64_t>(k));
  }
  /// In [0, below).
  index_t operator()(index_t k, index_t below) const {
    return static_cast<index_t>((*this)(k) % static_cast<std::uint64_t>(below));
  }
};

/// On a device in software fewer elements make several tiles, and it is slower.
template <class Ex>
std::vector<index_t> sizes() {
  if (std::same_as<space_of_t<Ex>, device_space>) return {1, 100, 2500};
  return {1, 20, 100, 3000, 20000, 70000};
}

/// k + 1 offsets from 0 to n, most of which are correct or nearly so; some are far away, negative,
/// or extreme values.
template <class O>
std::vector<O> offsets_of(numbers const& of, index_t n, index_t k) {
  std::vector<O> offsets(static_cast<std::size_t>(k + 1));
  for (index_t s = 0; s <= k; ++s) {
    index_t begin = s * n / k;
    switch (of(2 * s, 12)) {
      case 0:
        begin = of(2 * s + 1, n + 1);
        break;
      case 1:
        begin = of(2 * s + 1, 8 * n) - 4 * n;
        break;
      case 2:
        begin = -1 - of(2 * s + 1, 9000000);
        break;
      case 3:
        begin = n + of(2 * s + 1, 9000000);
        break;
      case 4:
        begin = static_cast<index_t>(of(2 * s + 1));
        break;
      case 5:
        begin = of(2 * s + 1, 2) == 0 ? std::numeric_limits<index_t>::min()
                                      : std::numeric_limits<index_t>::max();
        break;
      default:
        break;
    }
    offsets[static_cast<std::size_t>(s)] = static_cast<O>(begin);
  }
  offsets.front() = 0;
  offsets.back() = static_cast<O>(n);
  return offsets;
}

struct twice {
  RAVEL_HD int operator()(int x, index_t rank) const { return 2 * x + static_cast<int>(rank); }
};
struct any_part {
  RAVEL_HD int operator()(index_t x) const { return static_cast<int>(x); }
};
struct add_one {
  RAVEL_HD void operator()(int* first, index_t n) const {
    for (index_t i = 0; i < n; ++i) ++first[i];
  }
};
/// A monoid without vector loops.
struct keep_right {
  static RAVEL_HD int identity() { return 0; }
  RAVEL_HD int operator()(int x, int y) const { return y == 0 ? x : y; }
};

template <class Fixture>
std::vector<int> ints(Fixture const&, numbers const& of, index_t n) {
  std::vector<int> x(static_cast<std::size_t>(n));
  for (index_t i = 0; i < n; ++i) x[static_cast<std::size_t>(i)] = static_cast<int>(of(i, 5)) - 1;
  return x;
}

/// f(n, k, offsets, numbers) for many cases, with offsets of 32 bits and of 64 in turn.
template <class Fixture, class F>
void for_each_case(Fixture const& on, F f) {
  using Ex = typename Fixture::executor_type;
  bool const is_host = std::same_as<space_of_t<Ex>, host_space>;
  std::uint64_t seed = 0;
  for (index_t const n : sizes<Ex>()) {
    for (index_t const k : {index_t{3}, n / 40 + 2, n + n / 2}) {
      for (int round = 0; round < (is_host ? 6 : 2); ++round) {
        numbers const of{++seed};
        SCOPED_TRACE(::testing::Message() << "n " << n << ", k " << k << ", seed " << seed);
        if (round % 2 == 0) {
          f(n, k, on.there(offsets_of<int>(of, n, k)), of);
        } else {
          f(n, k, on.there(offsets_of<index_t>(of, n, k)), of);
        }
      }
    }
  }
}

TYPED_TEST(wrong_descriptors, lead_no_segmented_scan_outside) {
  for_each_case(*this, [&](index_t n, index_t, auto const& offsets, numbers const& of) {
    auto const in = this->there(ints(*this, of, n));
    auto const out = this->template output<int>(n);
    auto const segments = by_offsets(offsets);
    segmented_inclusive_scan(this->ex(), in, segments, out.view());
    segmented_exclusive_scan(this->ex(), in, segments, out.view(), plus{}, backward);
    segmented_inclusive_scan(this->ex(), in, segments, out.view(), keep_right{});
  });
}

TYPED_TEST(wrong_descriptors, lead_no_segmented_reduce_outside) {
  for_each_case(*this, [&](index_t n, index_t k, auto const& offsets, numbers const& of) {
    auto const in = this->there(ints(*this, of, n));
    auto const out = this->template output<int>(k);
    segmented_reduce(this->ex(), in, by_offsets(offsets), out.view());
    segmented_reduce(this->ex(), in, by_offsets(offsets), out.view(), keep_right{});
  });
}

TYPED_TEST(wrong_descriptors, lead_nothing_that_is_balanced_outside) {
  for_each_case(*this, [&](index_t n, index_t k, auto const& offsets, numbers const& of) {
    auto const in = this->there(ints(*this, of, k));
    auto const out = this->template output<int>(n);
    auto const words = this->template output<std::uint32_t>((n + 31) / 32);
    auto const lengths = this->template output<int>(k);
    auto const segments = by_offsets(offsets);
    ravel::expand(this->ex(), twice{}, in, segments, out.view());
    ravel::replicate(this->ex(), in, segments, out.view());
    segment_ids_of(this->ex(), segments, out.view());
    heads_of(this->ex(), segments, out.view());
    head_bits_of(this->ex(), segments, words.view(), n);
    lengths_of(this->ex(), segments, lengths.view());
  });
}

TYPED_TEST(wrong_descriptors, lead_no_moved_element_outside) {
  for_each_case(*this, [&](index_t n, index_t k, auto const& offsets, numbers const& of) {
    auto const in = this->there(ints(*this, of, n));
    auto const out = this->template output<int>(n), less = this->template output<int>(n / 2);
    auto const begins = this->template output<index_t>(k + 1);
    auto const all_begins = this->template output<index_t>(3 * k + 1);
    auto const other_begins = this->template output<index_t>(k + 1);
    auto const segments = by_offsets(offsets);
    ravel::segmented_pack(this->ex(), in, in, segments, less.view(), begins.view());
    ravel::segmented_split(this->ex(), in, any_part{}, segments, parts(out.view(), less.view()),
                           parts(begins.view(), other_begins.view()));
    split_within<3>(this->ex(), in, any_part{}, segments, out.view(),
                    offsets_to(all_begins.view()));
    if (k > 100) return;  // overlapping segments take as long as all of them together
    ravel::segmented_apply(this->ex(), in, segments, out.view(), add_one{});
  });
}

TYPED_TEST(wrong_descriptors, of_lengths_lead_nothing_outside) {
  std::uint64_t seed = 0;
  for (index_t const n : sizes<TypeParam>()) {
    for (index_t const k : {index_t{2}, n / 10 + 2}) {
      numbers const of{++seed};
      std::vector<int> lengths(static_cast<std::size_t>(k));
      index_t sum = 0;
      for (index_t s = 0; s + 1 < k; ++s) {
        int const length = static_cast<int>(of(s, 40)) - 18;
        lengths[static_cast<std::size_t>(s)] = length;
        sum += length;
      }
      lengths.back() = static_cast<int>(n - sum);
      auto const in = this->there(ints(*this, of, n)), values = this->there(ints(*this, of, k));
      auto const by = this->there(lengths);
      auto const out = this->template output<int>(n), of_segments = this->template output<int>(k);
      run_length_decode(this->ex(), values, by, out.view());
      segmented_inclusive_scan(this->ex(), in, by_lengths(by), out.view());
      segmented_reduce(this->ex(), in, by_lengths(by), of_segments.view());
    }
  }
}

TYPED_TEST(wrong_descriptors, of_places_and_parts_lead_nothing_outside) {
  std::uint64_t seed = 0;
  for (index_t const n : sizes<TypeParam>()) {
    numbers const of{++seed};
    auto const in = this->there(ints(*this, of, n));
    auto const places = this->there(offsets_of<index_t>(of, n, n));
    auto const at = view_of(places).slice(0, n);
    auto const out = this->template output<int>(n), less = this->template output<int>(n / 2);
    ravel::scatter(this->ex(), in, at, less.view());
    permute(this->ex(), in, at, out.view());
    split<2>(this->ex(), in, any_part{}, out.view());
    split<3>(this->ex(), in, any_part{}, out.view());
    auto const moved = this->template output<index_t>(n);
    split<200>(this->ex(), at, any_part{}, moved.view());
    split(this->ex(), in, any_part{}, parts(out.view(), less.view()));
    auto const bins = this->template output<int>(3), many_bins = this->template output<int>(999);
    histogram(this->ex(), at, bins.view());
    histogram(this->ex(), at, many_bins.view());
  }
}

TYPED_TEST(wrong_descriptors, of_orders_lead_nothing_outside) {
  std::uint64_t seed = 0;
  for (index_t const n : sizes<TypeParam>()) {
    numbers const of{++seed};
    auto const a = this->there(ints(*this, of, n)), b = this->there(ints(*this, {99}, 2 * n));
    auto const wild = this->there(offsets_of<index_t>(of, n, n));
    auto const merged = this->template output<int>(3 * n);
    auto const places = this->template output<index_t>(n + 1);
    merge(this->ex(), a, b, merged.view());
    merge_path(this->ex(), a, b, wild, places.view());
    lower_bound(this->ex(), wild, a, places.view());
    upper_bound(this->ex(), wild, a, places.view());
    offsets_of_segment_ids(this->ex(), wild, places.view());
  }
}

}  // namespace
}  // namespace ravel::wrong_descriptors_test
