#pragma once

/// Segments for benchmarks, on the device, in every form of descriptor.

#include "support/gpu.cuh"

#include <ravel/core/transfer.hpp>

#include <cub/device/device_scan.cuh>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace ravel::bench::on_gpu {

/// The distribution of segment lengths.
struct lengths {
  enum kind { equal, about, power_law, giant } how;
  index_t mean;      // of `equal` and `about`, in elements
  std::string name;  // as in the names of targets
};

/// Segments of `length`; the last may be shorter.
struct equal_offset {
  index_t length, n;
  RAVEL_HD std::int32_t operator()(index_t s) const {
    return static_cast<std::int32_t>(s * length < n ? s * length : n);
  }
};

/// Segments of 1 to 2 mean - 1 elements: each begins at a random position of its range.
struct random_offset {
  index_t mean, count, n;
  RAVEL_HD std::int32_t operator()(index_t s) const {
    if (s == 0 || s >= count) return static_cast<std::int32_t>(s == 0 ? 0 : n);
    index_t const at = s * mean + random_below(2, s, mean);
    return static_cast<std::int32_t>(at < n ? at : n);
  }
};

/// One segment with two thirds of all elements, between two groups of segments of one element.
struct beside_giant {
  index_t ones, n;
  RAVEL_HD std::int32_t operator()(index_t s) const {
    return static_cast<std::int32_t>(s <= ones / 2 ? s : s + n - ones - 1);
  }
};

/// Lengths with a power-law distribution: a share x^-1.2 exceeds x, up to a million; one segment
/// has half of all elements.
inline std::vector<std::int32_t> const& power_law_offsets(index_t n) {
  static std::vector<std::int32_t>
      offsets;  // cached for the last n, since they take seconds to generate
  if (!offsets.empty() && offsets.back() == n) return offsets;
  offsets.assign(1, 0);
  index_t at = 0;
  bool giant = false;
  for (index_t s = 0; at < n; ++s) {
    double const u = std::max(random_fraction(3, s), 0x1p-53);
    auto length = static_cast<index_t>(std::min(1e6, std::pow(u, -1 / 1.2)));
    if (!giant && at >= n / 6) {
      length = n / 2;
      giant = true;
    }
    at = std::min(n, at + length);
    offsets.push_back(static_cast<std::int32_t>(at));
  }
  return offsets;
}

struct set_head {
  std::int32_t const* offsets;
  std::uint8_t* heads;
  RAVEL_HD void operator()(index_t s) const { heads[offsets[s]] = 1; }
};

struct gather_bits {
  std::uint8_t const* heads;
  index_t n;
  RAVEL_HD std::uint32_t operator()(index_t word) const {
    std::uint32_t bits = 0;
    for (int k = 0; k < 32 && word * 32 + k < n; ++k) {
      bits |= std::uint32_t{heads[word * 32 + k]} << k;
    }
    return bits;
  }
};

/// The same segments as offsets, head flags, head bits and keys.  Only the last segment is empty,
/// which a scan does not notice.
struct segments {
  index_t n, count;
  shared<std::int32_t> offsets;
  shared<std::uint8_t> heads;
  shared<std::uint32_t> bits;
  shared<std::int32_t> keys;
};

inline shared<std::int32_t> make_offsets(gpu::executor const& ex, index_t n, lengths const& l) {
  if (l.how == lengths::power_law) {
    return std::make_shared<gpu::buffer<std::int32_t>>(to(ex, power_law_offsets(n)));
  }
  if (l.how == lengths::giant) {
    index_t const ones = n / 3;
    return generate<std::int32_t>(ex, ones + 2, beside_giant{ones, n});
  }
  index_t const count = div_up(n, l.mean);
  if (l.how == lengths::equal) {
    return generate<std::int32_t>(ex, count + 1, equal_offset{l.mean, n});
  }
  return generate<std::int32_t>(ex, count + 1, random_offset{l.mean, count, n});
}

inline segments make_segments(gpu::executor const& ex, index_t n, lengths const& l) {
  segments s;
  s.n = n;
  s.offsets = make_offsets(ex, n, l);
  s.count = s.offsets->size() - 1;
  s.heads = allocate<std::uint8_t>(ex, n + 1);  // the empty segment at the end begins at n
  gpu::check(cudaMemsetAsync(s.heads->data(), 0, static_cast<std::size_t>(n) + 1, ex.stream()),
             "bench: clearing head flags");
  for_each_index(ex, s.count, set_head{s.offsets->data(), s.heads->data()});
  s.bits = generate<std::uint32_t>(ex, div_up(n, 32), gather_bits{s.heads->data(), n});
  s.keys = allocate<std::int32_t>(ex, n);
  with_scratch(ex, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveSum(scratch, bytes, s.heads->data(), s.keys->data(), int(n),
                                         ex.stream());
  })();
  ex.wait();
  return s;
}

}  // namespace ravel::bench::on_gpu
