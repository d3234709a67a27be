#include "tune/measuring.hpp"

#include "support/backend.hpp"
#include "support/command_line.hpp"
#include "support/timing.hpp"

#ifdef __CUDACC__
#  include <ravel/algorithms/radix_sort.hpp>
#  include <ravel/core/cuda/tuning.hpp>
#  include <ravel/flatten/flatten.hpp>
#  include <ravel/primitives/iota.hpp>
#  include <ravel/primitives/map.hpp>
#  include <ravel/primitives/pack.hpp>
#  include <ravel/primitives/run_length.hpp>
#  include <ravel/primitives/scan.hpp>
#  include <ravel/primitives/scan_algorithm.hpp>
#  include <ravel/primitives/segmented_reduce.hpp>
#  include <ravel/primitives/segmented_scan.hpp>
#  include <ravel/primitives/split.hpp>

#  include <cstdint>
#  include <utility>
#  include <vector>
#endif

namespace ravel::examples {

#ifdef __CUDACC__

namespace {

using word = std::uint32_t;

/// A hash of i.
struct random_word {
  word* to;
  RAVEL_HD void operator()(index_t i) const {
    auto x = static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15;
    x = (x ^ x >> 31) * 0xbf58476d1ce4e5b9;
    to[i] = static_cast<word>(x >> 32);
  }
};
struct now_and_then {
  std::uint8_t* to;
  RAVEL_HD void operator()(index_t i) const { to[i] = i * 7919 % 31 == 0; }
};
struct is_odd {
  RAVEL_HD bool operator()(word x) const { return x % 2 != 0; }
};
struct alike {
  RAVEL_HD bool operator()(word x, word y) const { return x % 4 == y % 4; }
};

/// The monoid of affine maps x -> a x + b, with values too large to be streamed.
struct affine {
  std::uint64_t a, b;
};
struct then {
  static RAVEL_HD affine identity() { return {1, 0}; }
  RAVEL_HD affine operator()(affine f, affine g) const { return {f.a * g.a, f.b * g.a + g.b}; }
};

/// Halves a number until it is 0: on average half of the instances remain at each level.
struct some_bits {
  RAVEL_HD index_t operator()(index_t i) const { return (index_t{1} << 39) >> i % 40; }
};
auto const halvings = rec<index_t(index_t)>([](auto self, auto n) {
  return if_(
      n == 0, [&] { return n; }, [&] { return 1 + self(n / 2); });
});

struct size_range {
  index_t least, most;
};

/// Seconds of a call on an idle device.
template <class Call>
double seconds_of(gpu::executor const& ex, Call const& call) {
  stopwatch const watch;
  call();
  ex.wait();
  return watch.seconds();
}

/// Times call(ex, n) at each size with both forms, alternating.
template <class Call>
measured_size compare(gpu::executor const& ex, std::string name, std::string work,
                      index_t gpu::tuning::*size, index_t bytes_each, size_range sizes, int repeats,
                      Call call) {
  auto const tuned = [&](index_t to) {
    gpu::executor made = ex;
    gpu::tuning changed;
    changed.*size = to;
    made.tune(changed);
    return made;
  };
  bool const has_most = size == &gpu::tuning::streamed_bytes;
  index_t const never = has_most ? gpu::tuning::most_streamed_bytes : index_t{1} << 60;
  gpu::executor const as_short = tuned(never), as_long = tuned(1);
  measured_size m{std::move(name), std::move(work), {}, 0};
  index_t s = sizes.least;
  for (index_t power = s; s <= sizes.most && s < never; s += power / 4) {
    if (s == 2 * power) power = s;
    std::vector<double> of_short, of_long;
    for (int k = 0; k <= repeats; ++k) {
      double const x = seconds_of(ex, [&] { call(as_short, s / bytes_each); });
      double const y = seconds_of(ex, [&] { call(as_long, s / bytes_each); });
      if (k == 0) continue;  // warm-up: kernels are loaded on first use
      of_short.push_back(x);
      of_long.push_back(y);
    }
    m.times.push_back({s, median(of_short), median(of_long)});
  }
  m.best = crossover(m.times, s);
  return m;
}

/// Scans `in` by local sums, with each number of rows in turn, as the installer of SAM does.
template <int... Rows, class In, class Out>
std::vector<timing_of_rows> times_of_rows(gpu::executor const& ex, In const& in, Out const& out,
                                          int repeats) {
  auto const timed = [&]<int R>(std::integral_constant<int, R>) {
    std::vector<double> times;
    for (int k = 0; k <= repeats; ++k) {
      double const x = seconds_of(ex, [&] {
        inclusive_scan(ex, in, out, plus{}, scan_algorithm::local_sums.of_rows<R>());
      });
      if (k > 0) times.push_back(x);  // the first loads the kernel
    }
    return timing_of_rows{R, median(times)};
  };
  return {timed(std::integral_constant<int, Rows>{})...};
}

}  // namespace

template <class Backend>
measured_device measure(int repeats) {
  auto const ex = Backend::executor(0);
  cudaDeviceProp what;
  gpu::check(cudaGetDeviceProperties(&what, ex.device()), "reading the device's properties");

  constexpr index_t most = index_t{1} << 24;  // elements
  constexpr index_t length = 32;              // of a segment
  auto const in = ex.template allocate<word>(most);
  auto const out = ex.template allocate<word>(most);
  auto const heads = ex.template allocate<std::uint8_t>(most);
  auto const lengths = ex.template allocate<word>(most);
  auto const offsets = ex.template allocate<word>(most / length + 1);
  auto const sums = ex.template allocate<word>(most / length);
  auto const maps = ex.template allocate<affine>(most);
  auto const composed = ex.template allocate<affine>(most);
  for_each_index(ex, most, random_word{in.data()});
  for_each_index(ex, 4 * most, random_word{reinterpret_cast<word*>(maps.data())});
  for_each_index(ex, most, now_and_then{heads.data()});
  iota(ex, offsets, word{0}, word{length});
  auto const first = [](auto const& of, index_t n) { return view_of(of).slice(0, n); };

  using gpu::executor;
  using gpu::tuning;
  size_range const bytes{index_t{1} << 15, 4 * most}, elements{index_t{1} << 14, most};
  size_range const sorted{index_t{1} << 20, most};  // fewer are sorted in one launch
  size_range const nested{index_t{1} << 10, index_t{1} << 15};
  auto const compared = [&](char const* name, char const* work, index_t tuning::*size,
                            index_t bytes_each, auto call) {
    return compare(ex, name, work, size, bytes_each, bytes_each > 1 ? bytes : elements, repeats,
                   call);
  };
  return {
      what.name,
      std::to_string(what.major) + "." + std::to_string(what.minor),
      {
          compared("streamed_bytes", "scan of u32", &tuning::streamed_bytes, sizeof(word),
                   [&](executor const& on, index_t n) {
                     inclusive_scan(on, first(in, n), first(out, n));
                   }),
          compared("carried_bytes", "segmented scan of u32 by heads", &tuning::carried_bytes,
                   sizeof(word),
                   [&](executor const& on, index_t n) {
                     auto const marks = first(heads, n);
                     segmented_inclusive_scan(on, first(in, n), by_heads(marks), first(out, n));
                   }),
          compared("reduced_bytes", "segmented reduce of u32 by offsets", &tuning::reduced_bytes,
                   sizeof(word),
                   [&](executor const& on, index_t n) {
                     auto const ends = first(offsets, n / length + 1);
                     segmented_reduce(on, first(in, n), by_offsets(ends), first(sums, n / length));
                   }),
          compared("carried_bytes", "scan of u32, of order 2", &tuning::carried_bytes, sizeof(word),
                   [&](executor const& on, index_t n) {
                     inclusive_scan(on, first(in, n), first(out, n), plus{}, of_order<2>);
                   }),
          compared("carried_bytes", "scan of u32, of tuples of 3", &tuning::carried_bytes,
                   sizeof(word),
                   [&](executor const& on, index_t n) {
                     inclusive_scan(on, first(in, n), first(out, n), plus{}, of_tuples<3>);
                   }),
          compared("packed_bytes", "filter of u32", &tuning::packed_bytes, sizeof(word),
                   [&](executor const& on, index_t n) {
                     filter(on, first(in, n), is_odd{}, first(out, n));
                   }),
          compared("split_bytes", "split of u32 to two", &tuning::split_bytes, sizeof(word),
                   [&](executor const& on, index_t n) {
                     split(on, first(in, n), is_odd{}, first(out, n));
                   }),
          compared("coded_bytes", "run-length coding of u32", &tuning::coded_bytes, sizeof(word),
                   [&](executor const& on, index_t n) {
                     run_length_encode(on, first(in, n), first(out, n), first(lengths, n),
                                       equal_by(alike{}));
                   }),
          compared("large_tiles", "scan of a struct of 16 bytes", &tuning::large_tiles, 1,
                   [&](executor const& on, index_t n) {
                     inclusive_scan(on, first(maps, n), first(composed, n), then{});
                   }),
          compare(
              ex, "bucketed", "radix sort of u32", &tuning::bucketed, 1, sorted, repeats,
              [&](executor const& on, index_t n) { radix_sort(on, first(in, n), first(out, n)); }),
          compare(ex, "nested", "recursion of a nested program, of 40 levels", &tuning::nested, 1,
                  nested, repeats,
                  [&](executor const& on, index_t n) {
                    each(lift(some_bits{})(iota(from(on, n))), halvings);
                  }),
      },
      times_of_rows<7, 15, 23, 31, 39>(ex, in, out, repeats)};
}

#else

template <class Backend>
measured_device measure(int) {
  throw bad_input("ravel-tune: there is nothing to tune on the CPU");
}

#endif

template measured_device measure<backend>(int);

}  // namespace ravel::examples
