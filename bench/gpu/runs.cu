/// Sums and lengths of the runs of equal keys on the GPU, compared with CUB, for runs of every
/// length; and of equal keys anywhere, compared with CUB's sort and sums of runs.

#include "support/gpu.cuh"

#include <ravel/algorithms/group_by_hash.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/primitives/reduce_by_key.hpp>
#include <ravel/primitives/run_length.hpp>

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>

#include <cstdint>
#include <functional>
#include <string>

namespace ravel::bench::on_gpu {
namespace {

using key = std::uint32_t;
using value = std::int32_t;

struct keys_of_runs {
  index_t length;
  RAVEL_HD key operator()(index_t i) const { return static_cast<key>(i / length); }
};

struct sum {
  RAVEL_HD value operator()(value x, value y) const { return x + y; }
};

/// Whether `count`, and the keys and values before it, are those expected.
template <class T>
auto same_runs(gpu::executor const& ex, index_t runs, shared<index_t> count, shared<key> keys,
               shared<T> values, shared<key> expected_keys, shared<T> expected_values) {
  return [=] {
    return at_sync(ex, *count) == runs &&
           all_equal(ex, runs, keys->data(), element<key>{expected_keys->data()}) &&
           all_equal(ex, runs, values->data(), element<T>{expected_values->data()});
  };
}

comparison sum_runs(gpu::executor const& ex, index_t n, index_t length) {
  auto const keys = generate<key>(ex, n, keys_of_runs{length});
  auto const values = generate<value>(ex, n, reached<value>{});
  index_t const runs = div_up(n, length);
  auto const out_keys = allocate<key>(ex, runs), expected_keys = allocate<key>(ex, runs);
  auto const out = allocate<value>(ex, runs), expected = allocate<value>(ex, runs);
  auto const count = allocate<index_t>(ex, 1);
  auto const peer_to = [=](shared<key> const& to_keys, shared<value> const& to) {
    return with_scratch(ex, [=](void* scratch, std::size_t& bytes) {
      return cub::DeviceReduce::ReduceByKey(scratch, bytes, keys->data(), to_keys->data(),
                                            values->data(), to->data(), count->data(), sum{},
                                            static_cast<int>(n), ex.stream());
    });
  };
  peer_to(expected_keys, expected)();
  auto const right = same_runs(ex, runs, count, out_keys, out, expected_keys, expected);

  comparison c;
  c.bytes = 8.0 * double(n + runs);
  c.poison = poison(ex, out_keys, out, count);
  add_ours(ex, c, right, [=](auto& on) {
    reduce_by_key(on, *keys, *values, *out_keys, *out, plus<>{}, total_to(*count));
  });
  c.contenders.push_back({"peer:cub", peer_to(out_keys, out), right});
  add_copies(ex, c);
  return c;
}

comparison measure_runs(gpu::executor const& ex, index_t n, index_t length) {
  auto const keys = generate<key>(ex, n, keys_of_runs{length});
  index_t const runs = div_up(n, length);
  auto const out_keys = allocate<key>(ex, runs), expected_keys = allocate<key>(ex, runs);
  auto const out = allocate<value>(ex, runs), expected = allocate<value>(ex, runs);
  auto const count = allocate<index_t>(ex, 1);
  auto const peer_to = [=](shared<key> const& to_keys, shared<value> const& to) {
    return with_scratch(ex, [=](void* scratch, std::size_t& bytes) {
      return cub::DeviceRunLengthEncode::Encode(scratch, bytes, keys->data(), to_keys->data(),
                                                to->data(), count->data(), static_cast<int>(n),
                                                ex.stream());
    });
  };
  peer_to(expected_keys, expected)();
  auto const right = same_runs(ex, runs, count, out_keys, out, expected_keys, expected);

  comparison c;
  c.bytes = 4.0 * double(n) + 8.0 * double(runs);
  c.poison = poison(ex, out_keys, out, count);
  add_ours(ex, c, right,
           [=](auto& on) { run_length_encode(on, *keys, *out_keys, *out, total_to(*count)); });
  c.contenders.push_back({"peer:cub", peer_to(out_keys, out), right});
  add_copies(ex, c);
  return c;
}

/// The distinct keys of n: some 2^16, 16, a quarter of n, or all.
enum class repetition { many, most, some, none };
struct key_of_group {
  repetition repeated;
  index_t n;
  RAVEL_HD key operator()(index_t i) const {
    switch (repeated) {
      case repetition::many:
        return static_cast<key>(random_below(5, i, 1 << 16));
      case repetition::most:
        return static_cast<key>(random_below(5, i, 16)) * 0x9e3779b1u;
      case repetition::some:
        return static_cast<key>(random_below(5, i, n / 4)) * 0x9e3779b1u;
      default:
        return static_cast<key>(i) * 0x9e3779b1u;  // an odd factor: none occurs twice
    }
  }
};

struct sum_of_words {
  RAVEL_HD std::int64_t operator()(std::int64_t x, std::int64_t y) const { return x + y; }
};

/// The peer gives sums in the order of keys, ours in that of their first occurrences.
comparison sum_by_hash(gpu::executor const& ex, index_t n, repetition repeated) {
  using sum_t = std::int64_t;
  auto const keys = generate<key>(ex, n, key_of_group{repeated, n});
  auto const values = generate<sum_t>(ex, n, reached<sum_t>{});
  auto const sorted_keys = allocate<key>(ex, n), expected_keys = allocate<key>(ex, n);
  auto const sorted_values = allocate<sum_t>(ex, n), expected = allocate<sum_t>(ex, n);
  auto const out_keys = allocate<key>(ex, n), peer_keys = allocate<key>(ex, n);
  auto const out = allocate<sum_t>(ex, n), peer_sums = allocate<sum_t>(ex, n);
  auto const count = allocate<index_t>(ex, 1);
  auto const sort_to = [=](shared<key> const& from_keys, shared<sum_t> const& from, index_t many,
                           shared<key> const& to_keys, shared<sum_t> const& to) {
    return with_scratch(ex, [=](void* scratch, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortPairs(scratch, bytes, from_keys->data(), to_keys->data(),
                                             from->data(), to->data(), many, 0, 32, ex.stream());
    });
  };
  auto const sort = sort_to(keys, values, n, sorted_keys, sorted_values);
  auto const sum_runs_to = [=](shared<key> const& to_keys, shared<sum_t> const& to) {
    return with_scratch(ex, [=](void* scratch, std::size_t& bytes) {
      return cub::DeviceReduce::ReduceByKey(scratch, bytes, sorted_keys->data(), to_keys->data(),
                                            sorted_values->data(), to->data(), count->data(),
                                            sum_of_words{}, static_cast<int>(n), ex.stream());
    });
  };
  sort();
  sum_runs_to(expected_keys, expected)();
  index_t const groups = at_sync(ex, *count);
  auto const found = std::make_shared<index_t>();
  auto const sort_ours = sort_to(out_keys, out, groups, sorted_keys, sorted_values);
  auto const same = [=](shared<key> const& some_keys, shared<sum_t> const& some) {
    return all_equal(ex, groups, some_keys->data(), element<key>{expected_keys->data()}) &&
           all_equal(ex, groups, some->data(), element<sum_t>{expected->data()});
  };

  comparison c;
  c.bytes = 12.0 * double(n + groups);
  c.poison = poison(ex, out_keys, out, peer_keys, peer_sums);
  c.contenders.push_back(
      {"ours", [=] { *found = reduce_by_hash_sync(ex, *keys, *values, *out_keys, *out); },
       [=] {
         sort_ours();
         return *found == groups && same(sorted_keys, sorted_values);
       }});
  c.contenders.push_back({"peer:cub sort and sums",
                          [sort, sums = sum_runs_to(peer_keys, peer_sums)] {
                            sort();
                            sums();
                          },
                          [=] { return same(peer_keys, peer_sums); }});
  add_copies(ex, c);
  return c;
}

/// The peer gives keys and counts in the order of keys, ours in that of their first occurrences.
/// Without counts ours leaves out what repeats, and the peer counts all the same.
comparison count_by_hash(gpu::executor const& ex, index_t n, repetition repeated, bool counted) {
  auto const keys = generate<key>(ex, n, key_of_group{repeated, n});
  auto const sorted = allocate<key>(ex, n), expected_keys = allocate<key>(ex, n);
  auto const out_keys = allocate<key>(ex, n), peer_keys = allocate<key>(ex, n);
  auto const out = allocate<value>(ex, n), expected = allocate<value>(ex, n);
  auto const sorted_counts = allocate<value>(ex, n), peer_counts = allocate<value>(ex, n);
  auto const count = allocate<index_t>(ex, 1);
  auto const sort = with_scratch(ex, [=](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(scratch, bytes, keys->data(), sorted->data(), n, 0, 32,
                                          ex.stream());
  });
  auto const count_to = [=](shared<key> const& to_keys, shared<value> const& to) {
    return with_scratch(ex, [=](void* scratch, std::size_t& bytes) {
      return cub::DeviceRunLengthEncode::Encode(scratch, bytes, sorted->data(), to_keys->data(),
                                                to->data(), count->data(), static_cast<int>(n),
                                                ex.stream());
    });
  };
  sort();
  count_to(expected_keys, expected)();
  index_t const groups = at_sync(ex, *count);
  auto const found = std::make_shared<index_t>();
  auto const sort_ours = with_scratch(ex, [=](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(scratch, bytes, out_keys->data(), sorted->data(),
                                           out->data(), sorted_counts->data(), groups, 0, 32,
                                           ex.stream());
  });
  auto const same = [=](shared<key> const& some_keys, shared<value> const& some, bool counts) {
    return all_equal(ex, groups, some_keys->data(), element<key>{expected_keys->data()}) &&
           (!counts || all_equal(ex, groups, some->data(), element<value>{expected->data()}));
  };

  comparison c;
  c.bytes = 4.0 * double(n) + (counted ? 8.0 : 4.0) * double(groups);
  c.poison = poison(ex, out_keys, out, peer_keys, peer_counts);
  c.contenders.push_back({"ours",
                          [=] {
                            *found = counted ? histogram_by_key_sync(ex, *keys, *out_keys, *out)
                                             : remove_duplicates_sync(ex, *keys, *out_keys);
                          },
                          [=] {
                            sort_ours();
                            return *found == groups && same(sorted, sorted_counts, counted);
                          }});
  c.contenders.push_back({"peer:cub sort and run lengths",
                          [sort, count = count_to(peer_keys, peer_counts)] {
                            sort();
                            count();
                          },
                          [=] { return same(peer_keys, peer_counts, true); }});
  add_copies(ex, c);
  return c;
}

suite all(gpu::executor const& ex) {
  suite s = make_suite("gpu.runs", ex);
  constexpr index_t whole = index_t{1} << 27;
  for (index_t const length : {index_t{1}, index_t{3}, index_t{1000}, whole}) {
    auto const name = length == whole ? std::string("one") : std::to_string(length);
    s.rows.push_back({"gpu.reduce_by_key.run" + name,
                      "sums of runs of keys u32, values i32, runs of " + name, whole,
                      [=](index_t n) { return sum_runs(ex, n, length); }});
    s.rows.push_back({"gpu.rle.run" + name, "run lengths of u32, runs of " + name, whole,
                      [=](index_t n) { return measure_runs(ex, n, length); }});
  }
  for (int const log : {16, 20, 24}) {
    s.rows.push_back({"gpu.reduce_by_key.run3.2^" + std::to_string(log),
                      "sums of runs of keys u32, values i32, runs of 3", index_t{1} << log,
                      [=](index_t n) { return sum_runs(ex, n, 3); }});
  }
  struct kind {
    repetition repeated;
    char const *name, *keys;
  };
  for (auto const& [repeated, name, keys] :
       {kind{repetition::many, "repeated", "2^16 keys u32"},
        kind{repetition::most, "few", "16 keys u32"},
        kind{repetition::some, "fours", "keys u32, each about four times"},
        kind{repetition::none, "distinct", "distinct keys u32"}}) {
    auto const add = [&](std::string const& call, std::string const& what, auto measure) {
      for (int const log : {16, 20, 26}) {
        s.rows.push_back(
            {"gpu." + call + "." + name + (log == 26 ? "" : ".2^" + std::to_string(log)),
             what + " of " + keys, index_t{1} << log, measure});
      }
    };
    auto const counts = [&](bool counted) {
      return [=](index_t n) { return count_by_hash(ex, n, repeated, counted); };
    };
    add("reduce_by_hash", "sums of values i64",
        [=](index_t n) { return sum_by_hash(ex, n, repeated); });
    add("histogram_by_key", "counts", counts(true));
    add("remove_duplicates", "first ones", counts(false));
  }
  return s;
}

}  // namespace
}  // namespace ravel::bench::on_gpu

int main(int argc, char** argv) {
  using namespace ravel::bench::on_gpu;
  return run_suite(all, argc, argv);
}
