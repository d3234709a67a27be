/// Filter, split, unique, run-length encoding and replication on the GPU, compared with CUB.

#include "support/gpu.cuh"

#include <ravel/core/transfer.hpp>
#include <ravel/primitives/expand.hpp>
#include <ravel/primitives/pack.hpp>
#include <ravel/primitives/run_length.hpp>
#include <ravel/primitives/split.hpp>
#include <ravel/primitives/split_parts.hpp>
#include <ravel/primitives/unique.hpp>

#include <thrust/iterator/counting_iterator.h>
#include <cub/device/device_partition.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_select.cuh>

#include <bit>
#include <functional>
#include <string>
#include <utility>

namespace ravel::bench::on_gpu {
namespace {

using T = std::uint32_t;

/// Accepts a given percentage of random values.
struct below_share {
  T limit;
  RAVEL_HD bool operator()(T x) const { return x < limit; }
};
/// Half of all flags, at random.
struct is_flagged {
  RAVEL_HD std::uint8_t operator()(index_t i) const {
    return static_cast<std::uint8_t>(random_below(9, i, 2));
  }
};
below_share share(int percent) {
  return {static_cast<T>((std::uint64_t{1} << 32) * static_cast<unsigned>(percent) / 100)};
}

/// Whether `out` and `expected` agree on their first elements, and on how many there are.
auto same_prefix(gpu::executor const& ex, shared<T> out, shared<T> expected, shared<index_t> count,
                 index_t expected_count) {
  return [=] {
    return at_sync(ex, *count) == expected_count &&
           all_equal(ex, expected_count, out->data(), element<T>{expected->data()});
  };
}

comparison keep_some(gpu::executor const& ex, index_t n, int percent) {
  auto const in = generate<T>(ex, n, reached<T>{});
  auto const out = allocate<T>(ex, n);
  auto const expected = allocate<T>(ex, n);
  auto const count = allocate<index_t>(ex, 1);
  auto const keep = share(percent);
  auto const peer_to = [=](shared<T> const& to) {
    return with_scratch(ex, [=](void* scratch, std::size_t& bytes) {
      return cub::DeviceSelect::If(scratch, bytes, in->data(), to->data(), count->data(), n, keep,
                                   ex.stream());
    });
  };
  peer_to(expected)();
  index_t const kept = at_sync(ex, *count);
  auto const right = same_prefix(ex, out, expected, count, kept);

  comparison c;
  c.bytes = 4.0 * double(n + kept);
  c.poison = poison(ex, out, count);
  add_ours(ex, c, right, [=](auto& on) { filter(on, *in, keep, *out, total_to(*count)); });
  c.contenders.push_back({"peer:cub", peer_to(out), right});
  add_copies(ex, c);
  return c;
}

/// Elements of another size, or that begin one beyond a multiple of 16 bytes.
template <class U>
struct below_half {
  RAVEL_HD bool operator()(U x) const { return x < static_cast<U>(U{1} << (8 * sizeof(U) - 1)); }
};
template <class U>
comparison keep_half(gpu::executor const& ex, index_t n, index_t from) {
  auto const in = generate<U>(ex, n + from, reached<U>{});
  auto const out = allocate<U>(ex, n);
  auto const expected = allocate<U>(ex, n);
  auto const count = allocate<index_t>(ex, 1);
  auto const peer_to = [=](shared<U> const& to) {
    return with_scratch(ex, [=](void* scratch, std::size_t& bytes) {
      return cub::DeviceSelect::If(scratch, bytes, in->data() + from, to->data(), count->data(), n,
                                   below_half<U>{}, ex.stream());
    });
  };
  peer_to(expected)();
  index_t const kept = at_sync(ex, *count);
  auto const right = [=] {
    return at_sync(ex, *count) == kept &&
           all_equal(ex, kept, out->data(), element<U>{expected->data()});
  };
  comparison c;
  c.bytes = double(sizeof(U)) * double(n + kept);
  c.poison = poison(ex, out, count);
  add_ours(ex, c, right, [=](auto& on) {
    filter(on, view_of(*in).slice(from, n), below_half<U>{}, *out, total_to(*count));
  });
  c.contenders.push_back({"peer:cub", peer_to(out), right});
  add_copies(ex, c);
  return c;
}

/// Keeps the elements whose flags are set.  CUB reads them from `from`; `call` issues ours, from elements
/// of `read` bytes.
template <class E, class From, class Call>
comparison keep_flagged(gpu::executor const& ex, index_t n, double read, From from, Call call) {
  auto const flags = generate<std::uint8_t>(ex, n, is_flagged{});
  auto const out = allocate<E>(ex, n);
  auto const expected = allocate<E>(ex, n);
  auto const count = allocate<index_t>(ex, 1);
  auto const peer_to = [=](shared<E> const& to) {
    return with_scratch(ex, [=](void* scratch, std::size_t& bytes) {
      return cub::DeviceSelect::Flagged(scratch, bytes, from, flags->data(), to->data(),
                                        count->data(), n, ex.stream());
    });
  };
  peer_to(expected)();
  index_t const kept = at_sync(ex, *count);
  auto const right = [=] {
    return at_sync(ex, *count) == kept &&
           all_equal(ex, kept, out->data(), element<E>{expected->data()});
  };
  comparison c;
  c.bytes = (read + 1) * double(n) + 4.0 * double(kept);
  c.poison = poison(ex, out, count);
  add_ours(ex, c, right, [=](auto& on) { call(on, *flags, *out, total_to(*count)); });
  c.contenders.push_back({"peer:cub", peer_to(out), right});
  add_copies(ex, c);
  return c;
}
comparison keep_by_flags(gpu::executor const& ex, index_t n) {
  auto const in = generate<T>(ex, n, reached<T>{});
  return keep_flagged<T>(ex, n, 4, in->data(),
                         [in](auto& on, auto const& flags, auto const& out, auto total) {
                           pack(on, *in, flags, out, total);
                         });
}
comparison keep_indices(gpu::executor const& ex, index_t n) {
  return keep_flagged<std::int32_t>(ex, n, 0, thrust::counting_iterator<std::int32_t>(0),
                                    [](auto& on, auto const& flags, auto const& out, auto total) {
                                      pack_index(on, flags, out, total);
                                    });
}

/// The low bits of a value.
struct low_bits {
  T mask;
  RAVEL_HD int operator()(T x) const { return static_cast<int>(x & mask); }
};
struct is_even {
  RAVEL_HD bool operator()(T x) const { return x % 2 == 0; }
};
struct is_odd {
  RAVEL_HD bool operator()(T x) const { return x % 2 != 0; }
};

template <int Ways>
comparison split_ways(gpu::executor const& ex, index_t n) {
  auto const in = generate<T>(ex, n, reached<T>{});
  auto const out = allocate<T>(ex, n);
  auto const expected = allocate<T>(ex, n);
  auto const count = allocate<index_t>(ex, 1);
  with_scratch(ex, [=](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(scratch, bytes, in->data(), expected->data(), n, 0,
                                          std::bit_width(unsigned{Ways} - 1), ex.stream());
  })();
  auto const right = [=] { return all_equal(ex, n, out->data(), element<T>{expected->data()}); };

  comparison c;
  c.bytes = 8.0 * double(n);
  c.poison = poison(ex, out);
  add_ours(ex, c, right, [=](auto& on) { split<Ways>(on, *in, low_bits{Ways - 1}, *out); });
  if constexpr (Ways == 2) {  // it reverses the second part, so its result is not checked
    c.contenders.push_back(
        {"peer:cub partition", with_scratch(ex, [=](void* scratch, std::size_t& bytes) {
           return cub::DevicePartition::If(scratch, bytes, in->data(), out->data(), count->data(),
                                           n, is_even{}, ex.stream());
         })});
  } else {
    c.contenders.push_back({"peer:cub radix sort of the digit",
                            with_scratch(ex,
                                         [=](void* scratch, std::size_t& bytes) {
                                           return cub::DeviceRadixSort::SortKeys(
                                               scratch, bytes, in->data(), out->data(), n, 0,
                                               std::bit_width(unsigned{Ways} - 1), ex.stream());
                                         }),
                            right});
  }
  add_copies(ex, c);
  return c;
}

/// Calls f with an output for each of `Ways` parts, each of which receives about the same number of
/// n elements.
template <int Ways, class F>
void to_parts(gpu::buffer<T>& out, F f) {
  index_t const room = out.size() / Ways;
  [&]<int... D>(std::integer_sequence<int, D...>) {
    f(parts(view_of(out).slice(D * room, room)...));
  }
  (std::make_integer_sequence<int, Ways>{});
}

/// A split with an output for each part, which need not know the lengths of preceding parts.
template <int Ways>
comparison split_to_parts(gpu::executor const& ex, index_t n) {
  auto const in = generate<T>(ex, n, reached<T>{});
  index_t const room = div_up(n, 128 * Ways) * 256;  // twice the average part, in whole cache lines
  auto const out = allocate<T>(ex, Ways * room);
  auto const expected = allocate<T>(ex, n);
  auto const counts = allocate<index_t>(ex, Ways);
  auto const peer_counts = allocate<index_t>(ex, 2);
  auto const bits = [=](shared<T> const& to) {
    return with_scratch(ex, [=](void* scratch, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortKeys(scratch, bytes, in->data(), to->data(), n, 0,
                                            std::bit_width(unsigned{Ways} - 1), ex.stream());
    });
  };
  bits(expected)();
  auto const right = [=] {
    index_t begin = 0;
    for (int d = 0; d < Ways; ++d) {
      index_t const many = at_sync(ex, *counts, d);
      if (many > room || begin + many > n ||
          !all_equal(ex, many, out->data() + d * room, element<T>{expected->data() + begin})) {
        return false;
      }
      begin += many;
    }
    return begin == n;
  };

  comparison c;
  c.bytes = 8.0 * double(n);
  c.poison = poison(ex, out, counts);
  add_ours(ex, c, right, [=](auto& on) {
    to_parts<Ways>(*out,
                   [&](auto to) { split(on, *in, low_bits{Ways - 1}, to, counts_to(*counts)); });
  });
  if constexpr (Ways == 2) {  // the third part is empty
    auto const odd = [=](void* scratch, std::size_t& bytes) {
      return cub::DevicePartition::If(scratch, bytes, in->data(), out->data(), out->data() + room,
                                      expected->data(), peer_counts->data(), n, is_even{}, is_odd{},
                                      ex.stream());
    };
    c.contenders.push_back({"peer:cub three-way partition", with_scratch(ex, odd)});
  } else {
    c.contenders.push_back({"peer:cub radix sort of the digit, to one output", bits(out)});
  }
  add_copies(ex, c);
  return c;
}

/// Two random bits: runs of 4/3 elements on average.
struct short_runs {
  RAVEL_HD T operator()(index_t i) const { return static_cast<T>(random_bits(1, i) >> 62); }
};

comparison drop_repeated(gpu::executor const& ex, index_t n) {
  auto const in = generate<T>(ex, n, short_runs{});
  auto const out = allocate<T>(ex, n);
  auto const expected = allocate<T>(ex, n);
  auto const count = allocate<index_t>(ex, 1);
  auto const peer_to = [=](shared<T> const& to) {
    return with_scratch(ex, [=](void* scratch, std::size_t& bytes) {
      return cub::DeviceSelect::Unique(scratch, bytes, in->data(), to->data(), count->data(), n,
                                       ex.stream());
    });
  };
  peer_to(expected)();
  index_t const runs = at_sync(ex, *count);
  auto const right = same_prefix(ex, out, expected, count, runs);

  comparison c;
  c.bytes = 4.0 * double(n + runs);
  c.poison = poison(ex, out, count);
  add_ours(ex, c, right, [=](auto& on) { unique(on, *in, *out, total_to(*count)); });
  c.contenders.push_back({"peer:cub", peer_to(out), right});
  add_copies(ex, c);
  return c;
}

comparison encode_runs(gpu::executor const& ex, index_t n) {
  auto const in = generate<T>(ex, n, short_runs{});
  auto const values = allocate<T>(ex, n), lengths = allocate<T>(ex, n);
  auto const expected_values = allocate<T>(ex, n), expected_lengths = allocate<T>(ex, n);
  auto const count = allocate<index_t>(ex, 1);
  auto const peer_to = [=](shared<T> const& to_values, shared<T> const& to_lengths) {
    return with_scratch(ex, [=](void* scratch, std::size_t& bytes) {
      return cub::DeviceRunLengthEncode::Encode(scratch, bytes, in->data(), to_values->data(),
                                                to_lengths->data(), count->data(), n, ex.stream());
    });
  };
  peer_to(expected_values, expected_lengths)();
  index_t const runs = at_sync(ex, *count);
  auto const right_values = same_prefix(ex, values, expected_values, count, runs);
  auto const right_lengths = same_prefix(ex, lengths, expected_lengths, count, runs);
  auto const right = [=] { return right_values() && right_lengths(); };

  comparison c;
  c.bytes = 4.0 * double(n) + 8.0 * double(runs);
  c.poison = poison(ex, values, lengths, count);
  add_ours(ex, c, right,
           [=](auto& on) { run_length_encode(on, *in, *values, *lengths, total_to(*count)); });
  c.contenders.push_back({"peer:cub", peer_to(values, lengths), right});
  add_copies(ex, c);
  return c;
}

/// Each segment begins somewhere in its range of eight elements.
struct begin_of_about_eight {
  index_t segments, n;
  RAVEL_HD std::int32_t operator()(index_t s) const {
    index_t const at = s == 0 ? 0 : 8 * s + random_below(2, s, 8);
    return static_cast<std::int32_t>(s == segments || at > n ? n : at);
  }
};
struct is_not_copied {
  T const* in;
  std::int32_t const* offsets;
  T const* out;
  __device__ bool operator()(index_t s) const {
    for (index_t i = offsets[s]; i < offsets[s + 1]; ++i) {
      if (out[i] != in[s]) return true;
    }
    return false;
  }
};

/// Decodes values and lengths, without stored run begins.
comparison decode_runs(gpu::executor const& ex, index_t n) {
  auto const in = generate<T>(ex, n, short_runs{});
  auto const out = allocate<T>(ex, n);
  auto const values = allocate<T>(ex, n);
  auto const lengths = allocate<std::int32_t>(ex, n);
  auto const count = allocate<index_t>(ex, 1);
  run_length_encode(ex, *in, *values, *lengths, total_to(*count));
  index_t const runs = at_sync(ex, *count);
  auto const right = [=] { return all_equal(ex, n, out->data(), element<T>{in->data()}); };

  comparison c;
  c.bytes = 4.0 * double(n) + 8.0 * double(runs);
  c.poison = poison(ex, out);
  add_ours(ex, c, right, [=](auto& on) {
    run_length_decode(on, view_of(*values).slice(0, runs), view_of(*lengths).slice(0, runs), *out);
  });
  add_copies(ex, c);
  return c;
}

/// Replicates each element by the length of its segment: 8 on average.
comparison copies_of_each(gpu::executor const& ex, index_t n) {
  index_t const segments = div_up(n, index_t{8});
  auto const in = generate<T>(ex, segments, reached<T>{});
  auto const offsets = generate<std::int32_t>(ex, segments + 1, begin_of_about_eight{segments, n});
  auto const out = allocate<T>(ex, n);
  auto const right = [=] {
    return none(ex, segments, is_not_copied{in->data(), offsets->data(), out->data()});
  };

  comparison c;
  c.bytes = 4.0 * double(n) + 8.0 * double(segments);
  c.poison = poison(ex, out);
  add_ours(ex, c, right, [=](auto& on) { replicate(on, *in, by_offsets(*offsets), *out); });
  add_copies(ex, c);
  return c;
}

suite all(gpu::executor const& ex) {
  suite s = make_suite("gpu.pack", ex);
  auto const add = [&](std::string const& id, std::string const& work,
                       std::function<comparison(index_t)> const& make) {
    for (int const log : {16, 20, 24}) {
      s.rows.push_back({id + ".2^" + std::to_string(log), work, index_t{1} << log, make});
    }
    s.rows.push_back({id, work, index_t{1} << 28, make});
  };
  for (int const percent : {10, 50, 90}) {
    auto const digits = std::to_string(percent);
    add("gpu.pack." + digits, "filter u32 by predicate, " + digits + " % kept",
        [=](index_t n) { return keep_some(ex, n, percent); });
  }
  add("gpu.pack.u8", "filter u8, half kept",
      [=](index_t n) { return keep_half<std::uint8_t>(ex, n, 0); });
  add("gpu.pack.unaligned", "filter u32 from its second element on, half kept",
      [=](index_t n) { return keep_half<std::uint32_t>(ex, n, 1); });
  add("gpu.pack.flags", "pack u32 by u8 flags, half set",
      [=](index_t n) { return keep_by_flags(ex, n); });
  add("gpu.pack_index", "indices of u8 flags, half set",
      [=](index_t n) { return keep_indices(ex, n); });
  add("gpu.split2", "stable two-way split u32", [=](index_t n) { return split_ways<2>(ex, n); });
  add("gpu.split8", "stable 8-way split u32", [=](index_t n) { return split_ways<8>(ex, n); });
  add("gpu.split2.parts", "stable two-way split u32, an output for each part",
      [=](index_t n) { return split_to_parts<2>(ex, n); });
  add("gpu.split8.parts", "stable 8-way split u32, an output for each part",
      [=](index_t n) { return split_to_parts<8>(ex, n); });
  add("gpu.unique", "unique u32", [=](index_t n) { return drop_repeated(ex, n); });
  add("gpu.rle", "run-length encode u32", [=](index_t n) { return encode_runs(ex, n); });
  add("gpu.rle_decode", "run-length decode u32", [=](index_t n) { return decode_runs(ex, n); });
  add("gpu.replicate", "copies of each u32, 8 on average, by offsets",
      [=](index_t n) { return copies_of_each(ex, n); });
  return s;
}

}  // namespace
}  // namespace ravel::bench::on_gpu

int main(int argc, char** argv) {
  using namespace ravel::bench::on_gpu;
  return run_suite(all, argc, argv);
}
