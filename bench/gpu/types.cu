/// Calls on element types that no other suite has, on the GPU, compared with CUB.

#include "support/gpu.cuh"

#include <ravel/algorithms/comparison_sort.hpp>
#include <ravel/algorithms/segmented_sort.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/primitives/adjacent_difference.hpp>
#include <ravel/primitives/gather.hpp>
#include <ravel/primitives/pack.hpp>
#include <ravel/primitives/reduce.hpp>
#include <ravel/primitives/reduce_by_key.hpp>
#include <ravel/primitives/run_length.hpp>
#include <ravel/primitives/scan.hpp>
#include <ravel/primitives/scatter.hpp>
#include <ravel/primitives/searches.hpp>
#include <ravel/primitives/segmented_scan.hpp>
#include <ravel/primitives/unique.hpp>

#include <cub/device/device_adjacent_difference.cuh>
#include <cub/device/device_for.cuh>
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_sort.cuh>
#include <cub/device/device_select.cuh>

#include <cstdint>
#include <functional>
#include <string>

namespace ravel::bench::on_gpu {
namespace {

/// Random numbers; floating-point ones are whole and small, so that sums are exact.
template <class T>
struct number {
  RAVEL_HD T operator()(index_t i) const {
    auto const bits = random_bits(1, i);
    if constexpr (std::is_floating_point_v<T>) return static_cast<T>(bits % 16);
    return static_cast<T>(bits);
  }
};
/// Random numbers between 0 and 1.
template <class T>
struct fraction {
  RAVEL_HD T operator()(index_t i) const { return static_cast<T>(random_fraction(1, i)); }
};
/// Elements of runs of equal ones.
template <class T>
struct of_runs {
  index_t length;
  RAVEL_HD T operator()(index_t i) const { return static_cast<T>(i / length); }
};
struct flag_of {
  RAVEL_HD std::uint8_t operator()(index_t i) const { return random_bits(9, i) & 1; }
};
/// Neighbours exchanged, so that accesses to memory are as those of a copy.
struct near_place {
  index_t n;
  RAVEL_HD std::uint32_t operator()(index_t i) const {
    return static_cast<std::uint32_t>((i ^ 1) < n ? i ^ 1 : i);
  }
};
struct offset_of {
  index_t length, n;
  RAVEL_HD index_t operator()(index_t s) const { return s * length < n ? s * length : n; }
};

struct greater_of {
  template <class T>
  RAVEL_HD T operator()(T x, T y) const {
    return x < y ? y : x;
  }
};
struct sum_of {
  template <class T>
  RAVEL_HD T operator()(T x, T y) const {
    return static_cast<T>(x + y);
  }
};
struct difference_of {
  template <class T>
  RAVEL_HD T operator()(T x, T y) const {
    return static_cast<T>(x - y);
  }
};
struct before {
  template <class T>
  RAVEL_HD bool operator()(T x, T y) const {
    return x < y;
  }
};

/// Ours and a peer, which writes the n elements of `out` as ours does: `peer_to(to)` is a call that
/// writes them to `to`.
template <class T, class Call, class Peer>
comparison beside(gpu::executor const& ex, double bytes, shared<T> const& out, index_t n, Call ours,
                  Peer const& peer_to) {
  auto const expected = allocate<T>(ex, n);
  peer_to(expected)();
  auto const right = [=] { return all_equal(ex, n, out->data(), element<T>{expected->data()}); };
  comparison c;
  c.bytes = bytes;
  c.poison = poison(ex, out);
  add_ours(ex, c, right, ours);
  c.contenders.push_back({"peer:cub", peer_to(out), right});
  if (n == 1) {
    add_read(ex, c);
  } else {
    add_copies(ex, c);
  }
  return c;
}

template <class T>
comparison scan_greatest(gpu::executor const& ex, index_t n) {
  auto const in = generate<T>(ex, n, number<T>{});
  auto const out = allocate<T>(ex, n);
  return beside(
      ex, 2.0 * sizeof(T) * double(n), out, n,
      [=](auto& on) { inclusive_scan(on, *in, *out, maximum{}); },
      [=](shared<T> const& to) {
        return with_scratch(ex, [=](void* scratch, std::size_t& bytes) {
          return cub::DeviceScan::InclusiveScan(scratch, bytes, in->data(), to->data(),
                                                greater_of{}, n, ex.stream());
        });
      });
}
template <class T>
comparison reduce_greatest(gpu::executor const& ex, index_t n) {
  auto const in = generate<T>(ex, n, number<T>{});
  auto const out = allocate<T>(ex, 1);
  return beside(
      ex, 1.0 * sizeof(T) * double(n), out, 1, [=](auto& on) { reduce(on, *in, *out, maximum{}); },
      [=](shared<T> const& to) {
        return with_scratch(ex, [=](void* scratch, std::size_t& bytes) {
          return cub::DeviceReduce::Max(scratch, bytes, in->data(), to->data(), n, ex.stream());
        });
      });
}
template <class T>
comparison place_of_least(gpu::executor const& ex, index_t n) {
  auto const in = generate<T>(ex, n, number<T>{});
  auto const out = allocate<index_t>(ex, 1);
  auto const value = allocate<T>(ex, 1);
  return beside(
      ex, 1.0 * sizeof(T) * double(n), out, 1, [=](auto& on) { min_element(on, *in, *out); },
      [=](shared<index_t> const& to) {
        return with_scratch(ex, [=](void* scratch, std::size_t& bytes) {
          return cub::DeviceReduce::ArgMin(scratch, bytes, in->data(), value->data(), to->data(), n,
                                           ex.stream());
        });
      });
}
template <class T>
comparison differences(gpu::executor const& ex, index_t n) {
  auto const in = generate<T>(ex, n, number<T>{});
  auto const out = allocate<T>(ex, n);
  return beside(
      ex, 2.0 * sizeof(T) * double(n), out, n,
      [=](auto& on) { adjacent_difference(on, *in, *out); },
      [=](shared<T> const& to) {
        return with_scratch(ex, [=](void* scratch, std::size_t& bytes) {
          return cub::DeviceAdjacentDifference::SubtractLeftCopy(
              scratch, bytes, in->data(), to->data(), n, difference_of{}, ex.stream());
        });
      });
}

template <class T>
struct gather_one {
  T const* in;
  std::uint32_t const* at;
  T* out;
  __device__ void operator()(index_t i) const { out[i] = in[at[i]]; }
};
template <class T>
struct scatter_one {
  T const* in;
  std::uint32_t const* at;
  T* out;
  __device__ void operator()(index_t i) const { out[at[i]] = in[i]; }
};
/// A gather or a scatter, compared with a kernel of CUB that calls a function for each element.
template <class T, bool Gathers>
comparison move_near(gpu::executor const& ex, index_t n) {
  auto const in = generate<T>(ex, n, number<T>{});
  auto const at = generate<std::uint32_t>(ex, n, near_place{n});
  auto const out = allocate<T>(ex, n);
  using one = std::conditional_t<Gathers, gather_one<T>, scatter_one<T>>;
  return beside(
      ex, (2.0 * sizeof(T) + 4) * double(n), out, n,
      [=](auto& on) {
        if constexpr (Gathers) {
          gather(on, *in, *at, *out);
        } else {
          scatter(on, *in, *at, *out);
        }
      },
      [=](shared<T> const& to) {
        return [=] {
          gpu::check(cub::DeviceFor::Bulk(n, one{in->data(), at->data(), to->data()}, ex.stream()),
                     "bench: calling CUB");
        };
      });
}

template <class T>
comparison pack_flagged(gpu::executor const& ex, index_t n) {
  auto const in = generate<T>(ex, n, number<T>{});
  auto const flags = generate<std::uint8_t>(ex, n, flag_of{});
  auto const count = allocate<index_t>(ex, 1);
  auto const peer_to = [=](shared<T> const& to) {
    return with_scratch(ex, [=](void* scratch, std::size_t& bytes) {
      return cub::DeviceSelect::Flagged(scratch, bytes, in->data(), flags->data(), to->data(),
                                        count->data(), n, ex.stream());
    });
  };
  peer_to(allocate<T>(ex, n))();
  index_t const kept = at_sync(ex, *count);
  auto const out = allocate<T>(ex, kept);
  return beside(
      ex, sizeof(T) * double(n + kept) + double(n), out, kept,
      [=](auto& on) { pack(on, *in, *flags, *out, total_to(*count)); }, peer_to);
}
template <class T>
comparison first_of_runs(gpu::executor const& ex, index_t n) {
  constexpr index_t length = 7;
  index_t const runs = div_up(n, length);
  auto const in = generate<T>(ex, n, of_runs<T>{length});
  auto const out = allocate<T>(ex, runs);
  auto const count = allocate<index_t>(ex, 1);
  return beside(
      ex, sizeof(T) * double(n + runs), out, runs,
      [=](auto& on) { unique(on, *in, *out, total_to(*count)); },
      [=](shared<T> const& to) {
        return with_scratch(ex, [=](void* scratch, std::size_t& bytes) {
          return cub::DeviceSelect::Unique(scratch, bytes, in->data(), to->data(), count->data(), n,
                                           ex.stream());
        });
      });
}
template <class T>
comparison lengths_of_runs(gpu::executor const& ex, index_t n) {
  constexpr index_t length = 7;
  index_t const runs = div_up(n, length);
  auto const in = generate<T>(ex, n, of_runs<T>{length});
  auto const keys = allocate<T>(ex, runs);
  auto const out = allocate<std::int32_t>(ex, runs);
  auto const count = allocate<index_t>(ex, 1);
  return beside(
      ex, sizeof(T) * double(n + runs) + 4.0 * double(runs), out, runs,
      [=](auto& on) { run_length_encode(on, *in, *keys, *out, total_to(*count)); },
      [=](shared<std::int32_t> const& to) {
        return with_scratch(ex, [=](void* scratch, std::size_t& bytes) {
          return cub::DeviceRunLengthEncode::Encode(scratch, bytes, in->data(), keys->data(),
                                                    to->data(), count->data(), static_cast<int>(n),
                                                    ex.stream());
        });
      });
}
/// A key of 16 bytes.
struct alignas(16) wide {
  std::uint64_t high, low;
  wide() = default;
  RAVEL_HD explicit wide(index_t i) : high(7), low(static_cast<std::uint64_t>(i)) {}
  friend RAVEL_HD bool operator==(wide const& x, wide const& y) {
    return x.low == y.low && x.high == y.high;
  }
};
/// Of keys and values from number `First` on.
template <class K, class V, index_t First = 0>
comparison sums_of_runs(gpu::executor const& ex, index_t n) {
  constexpr index_t length = 7;
  index_t const runs = div_up(n + First, length);
  auto const all_keys = generate<K>(ex, n + First, of_runs<K>{length});
  auto const all_values = generate<V>(ex, n + First, number<V>{});
  auto const keys = [=] { return view_of(*all_keys).slice(First, n); };
  auto const values = [=] { return view_of(*all_values).slice(First, n); };
  auto const out_keys = allocate<K>(ex, runs);
  auto const out = allocate<V>(ex, runs);
  auto const count = allocate<index_t>(ex, 1);
  return beside(
      ex, (sizeof(K) + sizeof(V)) * double(n + runs), out, runs,
      [=](auto& on) {
        reduce_by_key(on, keys(), values(), *out_keys, *out, plus<>{}, total_to(*count));
      },
      [=](shared<V> const& to) {
        return with_scratch(ex, [=](void* scratch, std::size_t& bytes) {
          return cub::DeviceReduce::ReduceByKey(scratch, bytes, keys().data(), out_keys->data(),
                                                values().data(), to->data(), count->data(),
                                                sum_of{}, static_cast<int>(n), ex.stream());
        });
      });
}
template <class T>
comparison scan_segments(gpu::executor const& ex, index_t n) {
  constexpr index_t length = 33;
  auto const in = generate<T>(ex, n, number<T>{});
  auto const offsets = generate<index_t>(ex, div_up(n, length) + 1, offset_of{length, n});
  auto const keys = generate<std::uint32_t>(ex, n, of_runs<std::uint32_t>{length});
  auto const out = allocate<T>(ex, n);
  return beside(
      ex, 2.0 * sizeof(T) * double(n) + 8.0 * double(offsets->size()), out, n,
      [=](auto& on) { segmented_inclusive_scan(on, *in, by_offsets(*offsets), *out); },
      [=](shared<T> const& to) {
        return with_scratch(ex, [=](void* scratch, std::size_t& bytes) {
          return cub::DeviceScan::InclusiveScanByKey(scratch, bytes, keys->data(), in->data(),
                                                     to->data(), sum_of{}, static_cast<int>(n),
                                                     cuda::std::equal_to<>{}, ex.stream());
        });
      });
}
template <class T, class Of>
comparison sort_segments(gpu::executor const& ex, index_t n) {
  constexpr index_t length = 1000;
  auto const in = generate<T>(ex, n, Of{});
  index_t const segments = div_up(n, length);
  auto const offsets = generate<index_t>(ex, segments + 1, offset_of{length, n});
  auto const out = allocate<T>(ex, n);
  return beside(
      ex, 2.0 * sizeof(T) * double(n), out, n,
      [=](auto& on) { segmented_sort(on, *in, by_offsets(*offsets), *out); },
      [=](shared<T> const& to) {
        return with_scratch(ex, [=](void* scratch, std::size_t& bytes) {
          return cub::DeviceSegmentedSort::SortKeys(scratch, bytes, in->data(), to->data(), n,
                                                    segments, offsets->data(), offsets->data() + 1,
                                                    ex.stream());
        });
      });
}
template <class K, class V>
comparison sort_rows(gpu::executor const& ex, index_t n) {
  auto const keys = generate<K>(ex, n, number<K>{});
  auto const values = generate<V>(ex, n, reached<V>{});
  auto const out_keys = allocate<K>(ex, n), peer_keys = allocate<K>(ex, n);
  auto const out = allocate<V>(ex, n);
  return beside(
      ex, 2.0 * (sizeof(K) + sizeof(V)) * double(n), out, n,
      [=](auto& on) { comparison_sort_pairs(on, *keys, *values, *out_keys, *out, before{}); },
      [=](shared<V> const& to) {
        return with_scratch(ex, [=](void* scratch, std::size_t& bytes) {
          gpu::check(cudaMemcpyAsync(peer_keys->data(), keys->data(), sizeof(K) * n,
                                     cudaMemcpyDeviceToDevice, ex.stream()),
                     "bench: copying");
          gpu::check(cudaMemcpyAsync(to->data(), values->data(), sizeof(V) * n,
                                     cudaMemcpyDeviceToDevice, ex.stream()),
                     "bench: copying");
          return cub::DeviceMergeSort::StableSortPairs(scratch, bytes, peer_keys->data(),
                                                       to->data(), n, before{}, ex.stream());
        });
      });
}

constexpr index_t many = index_t{1} << 26;

suite all(gpu::executor const& ex) {
  suite s = make_suite("gpu.types", ex);
  auto const add = [&](std::string const& name, std::string const& work, auto make,
                       index_t n = many) {
    s.rows.push_back({"gpu." + name, work, n, [=](index_t size) { return make(ex, size); }});
  };
  using u8 = std::uint8_t;
  using i16 = std::int16_t;
  using u32 = std::uint32_t;
  using u64 = std::uint64_t;
  add("scan.max.u8", "running maximum of bytes", scan_greatest<u8>);
  add("scan.max.i16", "running maximum of 16 bits", scan_greatest<i16>);
  add("scan.max.f32", "running maximum of floats", scan_greatest<float>);
  add("scan.max.f64", "running maximum of doubles", scan_greatest<double>);
  add("reduce.max.u8", "maximum of bytes", reduce_greatest<u8>);
  add("reduce.max.f32", "maximum of floats", reduce_greatest<float>);
  add("min_element.u8", "place of the least byte", place_of_least<u8>);
  add("min_element.f32", "place of the least float", place_of_least<float>);
  add("min_element.u64", "place of the least of 64 bits", place_of_least<u64>);
  add("adjacent_difference.u8", "differences of bytes", differences<u8>);
  add("adjacent_difference.f32", "differences of floats", differences<float>);
  add("adjacent_difference.f64", "differences of doubles", differences<double>);
  add("gather.u8.near", "gather of bytes by indices near by", move_near<u8, true>);
  add("gather.u32.near", "gather of words by indices near by", move_near<u32, true>);
  add("gather.f64.near", "gather of doubles by indices near by", move_near<double, true>);
  add("scatter.u8.near", "scatter of bytes by indices near by", move_near<u8, false>);
  add("scatter.u32.near", "scatter of words by indices near by", move_near<u32, false>);
  add("scatter.f64.near", "scatter of doubles by indices near by", move_near<double, false>);
  add("pack.flags.u8", "pack of bytes, half of them flagged", pack_flagged<u8>);
  add("pack.flags.i16", "pack of 16 bits, half of them flagged", pack_flagged<i16>);
  add("unique.u8.run7", "first of runs of 7 bytes", first_of_runs<u8>);
  add("rle.u8.run7", "lengths of runs of 7 bytes", lengths_of_runs<u8>);
  add("rle.u16.run7", "lengths of runs of 7 of 16 bits", lengths_of_runs<std::uint16_t>);
  add("reduce_by_key.u32f64.run7", "sums of doubles by runs of 7 words", sums_of_runs<u32, double>);
  add("reduce_by_key.u64f32.run7", "sums of floats by runs of 7 of 64 bits",
      sums_of_runs<u64, float>);
  add("reduce_by_key.u64f64.run7", "sums of doubles by runs of 7 of 64 bits",
      sums_of_runs<u64, double>);
  add("reduce_by_key.u8f32.run7", "sums of floats by runs of 7 bytes", sums_of_runs<u8, float>);
  add("reduce_by_key.w16f32.run7", "sums of floats by runs of 7 structs of 16 bytes",
      sums_of_runs<wide, float>);
  add("reduce_by_key.u32f32.run7.from1", "sums of floats by runs of 7 words, from the second one",
      sums_of_runs<u32, float, 1>);
  add("segmented_scan.u8.len33", "sums of bytes in segments of 33, by offsets", scan_segments<u8>);
  add("segmented_scan.f64.len33", "sums of doubles in segments of 33, by offsets",
      scan_segments<double>);
  add("segmented_sort.f64.len1000", "sort of doubles in segments of 1000",
      sort_segments<double, fraction<double>>, many / 2);
  add("segmented_sort.f64.distinct16.len1000", "sort of 16 doubles in segments of 1000",
      sort_segments<double, number<double>>, many / 2);
  add("comparison_sort_pairs.u32u32.2^22", "sort of pairs by any order", sort_rows<u32, u32>,
      index_t{1} << 22);
  return s;
}

}  // namespace
}  // namespace ravel::bench::on_gpu

int main(int argc, char** argv) {
  using namespace ravel::bench::on_gpu;
  return run_suite(all, argc, argv);
}
