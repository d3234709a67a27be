#include <ravel/primitives/iota.hpp>
#include <ravel/primitives/merge.hpp>
#include <ravel/primitives/pack.hpp>
#include <ravel/primitives/scan.hpp>
#include <ravel/primitives/segmented_reduce.hpp>
#include <ravel/primitives/segmented_scan.hpp>
#include <ravel/primitives/split.hpp>

#include "support/scratch_test.hpp"

#include <cstdint>
#include <string>

namespace ravel::scratch_size_test {
namespace {

struct is_odd {
  template <class T>
  RAVEL_HD bool operator()(T x) const {
    return static_cast<long long>(x) % 2 != 0;
  }
};
template <int Ways>
struct digit {
  template <class T>
  RAVEL_HD int operator()(T x) const {
    return static_cast<int>(x) & (Ways - 1);
  }
};

/// The scratch and the tile states of calls are at most a five hundredth of their input.
template <class Ex>
struct scratch_size : testing::scratch_test<Ex> {
  template <class Call>
  void expect_little(std::string const& name, index_t bytes_read, Call call,
                     index_t least = 500) const {
    index_t const bytes = this->bytes_of(name, call);
    EXPECT_LE(least * bytes, bytes_read)
        << name << ": " << bytes << " of " << bytes_read << " bytes";
  }

  template <class T>
  void expect_little_of(index_t n) const {
    SCOPED_TRACE(::testing::Message() << n << " elements of " << sizeof(T) << " bytes");
    constexpr index_t each = sizeof(T), length = 64;
    index_t const segments = n / length;
    auto const in = this->template zeros<T>(n), out = this->template zeros<T>(n);
    auto const flags = this->template zeros<std::uint8_t>(n);
    auto const bits = this->template zeros<std::uint64_t>(n / 64);
    auto const keys = this->template zeros<std::uint32_t>(n);
    auto const count = this->template zeros<index_t>(1);
    auto const offsets = this->template zeros<index_t>(segments + 1);
    iota(this->ex(), offsets, index_t{0}, length);

    expect_little("scan", each * n, [&](Ex const& ex) { inclusive_scan(ex, in, out); });
    expect_little("scan backward", each * n,
                  [&](Ex const& ex) { exclusive_scan(ex, in, out, plus{}, backward); });
    expect_little("scan of order 3", each * n,
                  [&](Ex const& ex) { inclusive_scan(ex, in, out, plus{}, of_order<3>); });
    expect_little("scan of tuples of 3", each * n,
                  [&](Ex const& ex) { inclusive_scan(ex, in, out, plus{}, of_tuples<3>); });
    expect_little("pack", (each + 1) * n,
                  [&](Ex const& ex) { pack(ex, in, flags, out, total_to(count)); });
    expect_little("filter", each * n, [&](Ex const& ex) { filter(ex, in, is_odd{}, out); });
    expect_little("split to 2", each * n, [&](Ex const& ex) { split(ex, in, is_odd{}, out); });
    expect_little("split to 4", each * n, [&](Ex const& ex) { split<4>(ex, in, digit<4>{}, out); });
    auto const segmented = [&](std::string const& form, index_t described, auto by,
                               index_t least = 500) {
      expect_little("segmented scan by " + form, each * n + described,
                    [&](Ex const& ex) { segmented_inclusive_scan(ex, in, by, out); });
      expect_little(
          "segmented reduce by " + form, each * n + described,
          [&](Ex const& ex) { segmented_reduce(ex, in, by, out); }, least);
    };
    segmented("heads", n, by_heads(flags));
    segmented("keys", 4 * n, by_keys(keys));
    // A device's tile of 1792 values of 8 bytes, with their bits, publishes 24 bytes.
    segmented("bits", n / 8, by_head_bits(bits, n), each == 8 ? 480 : 500);
    expect_little("segmented scan by offsets", each * n + 8 * segments, [&](Ex const& ex) {
      segmented_inclusive_scan(ex, in, by_offsets(offsets), out);
    });
    expect_little("segmented reduce by offsets", each * n + 8 * segments, [&](Ex const& ex) {
      segmented_reduce(ex, in, by_offsets(offsets), view_of(out).slice(0, segments));
    });
    expect_little("segmented reduce of one length", each * n, [&](Ex const& ex) {
      segmented_reduce(ex, in, uniform(segments, length), view_of(out).slice(0, segments));
    });
  }
};
TYPED_TEST_SUITE(scratch_size, testing::executors_of_full_size);

TYPED_TEST(scratch_size, is_at_most_a_five_hundredth_of_the_input) {
  for (index_t const n : {index_t{1} << 22, index_t{1} << 24}) {
    // The host plans calls by running them.
    if (cpu::host_executor<TypeParam> && n > index_t{1} << 22) continue;
    this->template expect_little_of<std::int32_t>(n);
    this->template expect_little_of<std::int64_t>(n);
  }
}

/// The host searches for the begins of tiles only where there are several.
TYPED_TEST(scratch_size, of_a_merge_of_one_tile_on_the_host_is_nothing) {
  if constexpr (cpu::host_executor<TypeParam>) {
    auto const merge_halves = [&](index_t n) {
      auto const in = this->template zeros<std::int32_t>(n);
      auto const out = this->template zeros<std::int32_t>(n);
      return this->bytes_of("merge", [&](TypeParam const& ex) {
        merge(ex, view_of(in).slice(0, n / 2), view_of(in).slice(n / 2, n - n / 2), out);
      });
    };
    index_t const width = cpu::tile_width;
    EXPECT_EQ(0, merge_halves(1));
    EXPECT_EQ(0, merge_halves(width));
    EXPECT_LT(0, merge_halves(width + 1));
  }
}

}  // namespace
}  // namespace ravel::scratch_size_test
