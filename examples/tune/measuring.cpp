#include "tune/measuring.hpp"

#include "support/backend.hpp"
#include "support/command_line.hpp"
#include "support/timing.hpp"

#ifdef __CUDACC__
#  include <ravel/algorithms/radix_sort.hpp>
#  include <ravel/core/cuda/tuning.hpp>
#  include <ravel/primitives/map.hpp>
#  include <ravel/primitives/pack.hpp>
#  include <ravel/primitives/run_length.hpp>
#  include <ravel/primitives/scan.hpp>
#  include <ravel/primitives/segmented_scan.hpp>
#  include <ravel/primitives/split.hpp>

#  include <cstdint>
#  include <utility>
#endif

namespace ravel::examples {

#ifdef __CUDACC__

namespace {

using word = std::uint32_t;

/// The bits of i, mixed.
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

/// Composition of x -> a x + b, a monoid that no form for numbers knows.
struct affine {
  word a, b;
};
struct then {
  static RAVEL_HD affine identity() { return {1, 0}; }
  RAVEL_HD affine operator()(affine f, affine g) const { return {f.a * g.a, f.b * g.a + g.b}; }
};

/// Sizes of so many bytes, or elements, with halves between powers of two.
struct size_range {
  index_t least, most;
};

/// Times call(ex, n) at each size, first as if all were short and then as if all were long.
template <class Call>
measured_size compare(cuda::executor const& ex, std::string name, std::string work,
                      index_t cuda::tuning::*size, index_t bytes_each, size_range sizes,
                      int repeats, Call call) {
  auto const tuned = [&](index_t to) {
    cuda::executor made = ex;
    cuda::tuning changed;
    changed.*size = to;
    made.tune(changed);
    return made;
  };
  bool const has_most = size == &cuda::tuning::streamed_bytes;
  index_t const never = has_most ? cuda::tuning::most_streamed_bytes : index_t{1} << 60;
  cuda::executor const as_short = tuned(never), as_long = tuned(1);
  measured_size m{std::move(name), std::move(work), {}, 0};
  index_t s = sizes.least;
  for (; s <= sizes.most && s < never; s = s % 3 == 0 ? s / 3 * 4 : s / 2 * 3) {
    index_t const n = s / bytes_each;
    m.times.push_back({s, median_seconds(as_short, repeats, [&] { call(as_short, n); }),
                       median_seconds(as_long, repeats, [&] { call(as_long, n); })});
  }
  m.best = crossover(m.times, s);
  return m;
}

}  // namespace

template <class Backend>
measured_device measure(int repeats) {
  auto const ex = Backend::executor(0);
  cudaDeviceProp what;
  cuda::check(cudaGetDeviceProperties(&what, ex.device()), "asking what the device is");

  constexpr index_t most = index_t{1} << 24;  // elements, of 4 bytes or twice as many
  auto const in = ex.template allocate<word>(most);
  auto const out = ex.template allocate<word>(most);
  auto const heads = ex.template allocate<std::uint8_t>(most);
  auto const lengths = ex.template allocate<word>(most);
  auto const maps = ex.template allocate<affine>(most);
  auto const composed = ex.template allocate<affine>(most);
  for_each_index(ex, most, random_word{in.data()});
  for_each_index(ex, 2 * most, random_word{reinterpret_cast<word*>(maps.data())});
  for_each_index(ex, most, now_and_then{heads.data()});
  auto const first = [](auto const& of, index_t n) { return view_of(of).slice(0, n); };

  using cuda::executor;
  using cuda::tuning;
  size_range const bytes{index_t{1} << 17, 4 * most}, elements{index_t{1} << 14, most};
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
                     segmented_inclusive_scan(on, first(in, n), by_heads(first(heads, n)),
                                              first(out, n));
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
          compared("large_tiles", "scan of a struct of 8 bytes", &tuning::large_tiles, 1,
                   [&](executor const& on, index_t n) {
                     inclusive_scan(on, first(maps, n), first(composed, n), then{});
                   }),
          compared(
              "bucketed", "radix sort of u32", &tuning::bucketed, 1,
              [&](executor const& on, index_t n) { radix_sort(on, first(in, n), first(out, n)); }),
      }};
}

#else

template <class Backend>
measured_device measure(int) {
  throw bad_input("ravel-tune: there is nothing to tune on the CPU");
}

#endif

template measured_device measure<backend>(int);

}  // namespace ravel::examples
