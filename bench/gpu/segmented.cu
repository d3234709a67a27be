/// Segmented scan and segmented reduce on the GPU, compared with CUB.

#include "support/segments.cuh"

#include <ravel/primitives/segmented_reduce.hpp>
#include <ravel/primitives/segmented_scan.hpp>

#include <cub/device/device_segmented_reduce.cuh>
#include <cuda/std/functional>

#include <functional>
#include <string>

namespace ravel::bench::on_gpu {
namespace {

using T = std::int32_t;

/// A form of descriptor: the bytes it moves, and how the scan receives it.
struct form {
  std::string name;
  std::function<double(segments const&)> bytes;
  std::function<void(gpu::executor const&, segments const&, gpu::buffer<T> const& in,
                     gpu::buffer<T> const& out)>
      scan;
};

std::vector<form> forms() {
  return {
      {"bits", [](segments const& s) { return double(s.n) / 8; },
       [](auto& ex, auto& s, auto& in, auto& out) {
         segmented_inclusive_scan(ex, in, by_head_bits(*s.bits, s.n), out);
       }},
      {"offsets", [](segments const& s) { return 4.0 * double(s.count + 1); },
       [](auto& ex, auto& s, auto& in, auto& out) {
         segmented_inclusive_scan(ex, in, by_offsets(*s.offsets), out);
       }},
      {"flags", [](segments const& s) { return double(s.n); },
       [](auto& ex, auto& s, auto& in, auto& out) {
         auto const heads = device_view(s.heads->data(), s.n);
         segmented_inclusive_scan(ex, in, by_heads(heads), out);
       }},
      {"keys", [](segments const& s) { return 4.0 * double(s.n); },
       [](auto& ex, auto& s, auto& in, auto& out) {
         segmented_inclusive_scan(ex, in, by_keys(*s.keys), out);
       }},
  };
}

comparison segmented_scan(gpu::executor const& ex, index_t n, lengths const& l, form const& f) {
  auto const s = std::make_shared<segments>(make_segments(ex, n, l));
  auto const in = generate<T>(ex, n, step_in_segment<T>{s->heads->data()});
  auto const out = allocate<T>(ex, n);
  auto const right = [=] { return all_equal(ex, n, out->data(), reached<T>{}); };

  comparison c;
  c.bytes = 8.0 * double(n) + f.bytes(*s);
  c.poison = poison(ex, out);
  add_ours(ex, c, right, [=](auto& on) { f.scan(on, *s, *in, *out); });
  c.contenders.push_back({"peer:cub by key",
                          with_scratch(ex,
                                       [=](void* scratch, std::size_t& bytes) {
                                         return cub::DeviceScan::InclusiveSumByKey(
                                             scratch, bytes, s->keys->data(), in->data(),
                                             out->data(), int(n), ::cuda::std::equal_to<>{},
                                             ex.stream());
                                       }),
                          right});
  add_copies(ex, c);
  return c;
}

/// The expected result of a segment: the value reached at its last element.
struct reached_at_last {
  std::int32_t const* offsets;
  RAVEL_HD T operator()(index_t s) const {
    return offsets[s] == offsets[s + 1] ? T(0) : reached<T>{}(offsets[s + 1] - 1);
  }
};

comparison segmented_sum(gpu::executor const& ex, index_t n, lengths const& l) {
  auto const s = std::make_shared<segments>(make_segments(ex, n, l));
  auto const in = generate<T>(ex, n, step_in_segment<T>{s->heads->data()});
  s->heads.reset();
  s->bits.reset();
  s->keys.reset();
  auto const out = allocate<T>(ex, s->count);
  auto const right = [=] {
    return all_equal(ex, s->count, out->data(), reached_at_last{s->offsets->data()});
  };

  comparison c;
  c.bytes = 4.0 * double(n) + 8.0 * double(s->count);
  c.poison = poison(ex, out);
  add_ours(ex, c, right,
           [=](auto& on) { segmented_reduce(on, *in, by_offsets(*s->offsets), *out); });
  c.contenders.push_back({"peer:cub",
                          with_scratch(ex,
                                       [=](void* scratch, std::size_t& bytes) {
                                         return cub::DeviceSegmentedReduce::Sum(
                                             scratch, bytes, in->data(), out->data(), s->count,
                                             s->offsets->data(), s->offsets->data() + 1,
                                             ex.stream());
                                       }),
                          right});
  add_read(ex, c);
  return c;
}

suite all(gpu::executor const& ex) {
  suite s = make_suite("gpu.segmented", ex);
  constexpr index_t whole = index_t{1} << 28;
  lengths const power_law{lengths::power_law, 0, "power_law"};
  lengths const beside_giant{lengths::giant, 0, "giant"};

  for (auto const& f : forms()) {
    std::string const id = "gpu.segmented_scan." + f.name + '.';
    std::string const work = "segmented scan i32 by " + f.name + ", ";
    auto const add = [&](lengths const& l, std::string const& size, index_t n,
                         std::string const& what) {
      s.rows.push_back({id + l.name + size, work + what, n,
                        [=](index_t m) { return segmented_scan(ex, m, l, f); }});
    };
    for (index_t const mean : {1, 10, 33, 100, 1000, 10'000, 100'000, 1'000'000}) {
      auto const digits = std::to_string(mean);
      lengths const l{mean == 1 ? lengths::equal : lengths::about, mean, "len" + digits};
      add(l, "", whole, "mean length " + digits);
      if (mean != 33 || f.name != "bits") continue;
      for (int const log : {12, 16, 20, 24}) {  // one form at several sizes, for the plot
        add(l, ".2^" + std::to_string(log), index_t{1} << log, "mean length " + digits);
      }
    }
    add(power_law, "", whole, "power-law lengths with one of half of all elements");
    add(beside_giant, "", 3 * whole / 2, "one of 2^28 beside 2^27 of one");
  }

  auto const add = [&](lengths const& l, std::string const& what, index_t n) {
    s.rows.push_back({"gpu.segmented_reduce." + l.name, "segmented sum i32 by offsets, " + what, n,
                      [=](index_t m) { return segmented_sum(ex, m, l); }});
  };
  for (index_t const length : {1, 4, 10, 33, 100, 1000, 10'000, 100'000, 1'000'000}) {
    auto const digits = std::to_string(length);
    add({lengths::equal, length, "len" + digits}, "length " + digits, whole);
  }
  add(power_law, "power-law lengths with one of half of all elements", whole);
  add(beside_giant, "one of 2^28 beside 2^27 of one", 3 * whole / 2);
  return s;
}

}  // namespace
}  // namespace ravel::bench::on_gpu

int main(int argc, char** argv) {
  using namespace ravel::bench::on_gpu;
  return run_suite(all, argc, argv);
}
