/// Histograms on the GPU, compared with CUB, for few bins and many and keys of every distribution.

#include "support/gpu.cuh"

#include <ravel/primitives/histogram.hpp>

#include <cub/device/device_histogram.cuh>

#include <cmath>
#include <cstdint>
#include <functional>
#include <string>

namespace ravel::bench::on_gpu {
namespace {

using key = std::uint32_t;
using tally = std::uint32_t;

struct uniform_bin {
  key bins;
  RAVEL_HD key operator()(index_t i) const {
    return static_cast<key>(random_bits(1, i) >> 32) % bins;
  }
};
struct skewed_bin {
  key bins;
  RAVEL_HD key operator()(index_t i) const {
    return uniform_bin{bins}(i) & static_cast<key>(random_bits(2, i) >> 32) % bins;
  }
};
/// Bin b is as frequent as 1 / b.
struct zipf_bin {
  key bins;
  RAVEL_HD key operator()(index_t i) const {
    return static_cast<key>(std::exp(random_fraction(1, i) * std::log(double(bins)))) % bins;
  }
};
struct equal_bin {
  key bins;
  RAVEL_HD key operator()(index_t) const { return bins / 3; }
};
struct sorted_bin {
  key bins;
  index_t n;
  RAVEL_HD key operator()(index_t i) const {
    return static_cast<key>(double(i) / double(n) * double(bins));
  }
};

template <class Keys>
comparison count_bins(gpu::executor const& ex, index_t n, key bins, Keys keys) {
  auto const in = generate<key>(ex, n, keys);
  auto const out = allocate<tally>(ex, bins), expected = allocate<tally>(ex, bins);
  auto const peer_to = [=](shared<tally> const& to) {
    return with_scratch(ex, [=](void* scratch, std::size_t& bytes) {
      return cub::DeviceHistogram::HistogramEven(scratch, bytes, in->data(), to->data(),
                                                 static_cast<int>(bins) + 1, key{0}, bins, n,
                                                 ex.stream());
    });
  };
  peer_to(expected)();
  auto const right = [=] {
    return all_equal(ex, bins, out->data(), element<tally>{expected->data()});
  };

  comparison c;
  c.bytes = 4.0 * double(n);
  c.poison = poison(ex, out);
  add_ours(ex, c, right, [=](auto& on) { histogram(on, *in, *out); });
  c.contenders.push_back({"peer:cub", peer_to(out), right});
  add_read(ex, c);
  return c;
}

suite all(gpu::executor const& ex) {
  suite s = make_suite("gpu.histogram", ex);
  for (int const log : {8, 12, 16, 20}) {
    key const bins = key{1} << log;
    auto const name = log == 20 ? std::string("2^20") : std::to_string(bins);
    auto const add = [&](std::string const& kind, std::function<comparison(index_t)> const& make) {
      s.rows.push_back({"gpu.histogram." + name + "." + kind,
                        "histogram of u32 in " + name + " bins, " + kind, index_t{1} << 28, make});
    };
    add("uniform", [=](index_t n) { return count_bins(ex, n, bins, uniform_bin{bins}); });
    add("skewed", [=](index_t n) { return count_bins(ex, n, bins, skewed_bin{bins}); });
    add("zipf", [=](index_t n) { return count_bins(ex, n, bins, zipf_bin{bins}); });
    add("equal", [=](index_t n) { return count_bins(ex, n, bins, equal_bin{bins}); });
    add("sorted", [=](index_t n) { return count_bins(ex, n, bins, sorted_bin{bins, n}); });
  }
  for (int const log : {16, 20, 24}) {
    s.rows.push_back({"gpu.histogram.256.uniform.2^" + std::to_string(log),
                      "histogram of u32 in 256 bins, uniform", index_t{1} << log,
                      [=](index_t n) { return count_bins(ex, n, 256, uniform_bin{256}); }});
  }
  return s;
}

}  // namespace
}  // namespace ravel::bench::on_gpu

int main(int argc, char** argv) {
  using namespace ravel::bench::on_gpu;
  return run_suite(all, argc, argv);
}
