/// Sums and lengths of the runs of equal keys on the GPU, compared with CUB, for runs of every
/// length; and of equal keys anywhere, compared with CUB's sort and sums of runs, and with both and a
/// sort of the groups by their first elements.

#include "support/gpu.cuh"

#include <ravel/algorithms/group_by_hash.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/primitives/reduce_by_key.hpp>
#include <ravel/primitives/run_length.hpp>

#include <cub/device/device_for.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_select.cuh>

#include <thrust/iterator/transform_iterator.h>

#include <bit>
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

/// The value of a group, and where its first element is.
template <class T>
struct group {
  T value;
  std::uint32_t first;
};
template <class T>
struct join_groups {
  RAVEL_HD group<T> operator()(group<T> const& x, group<T> const& y) const {
    return {x.value + y.value, x.first};
  }
};
/// The group that an element is by itself: its value, or 1.
template <class T>
struct group_of_place {
  T const* values;
  RAVEL_HD group<T> operator()(std::uint32_t i) const { return {values ? values[i] : T(1), i}; }
};
template <class T>
struct take_first {
  group<T> const* groups;
  std::uint32_t* firsts;
  __device__ void operator()(index_t s) const { firsts[s] = groups[s].first; }
};
template <class T>
struct move_group {
  key const* keys;
  group<T> const* groups;
  std::uint32_t const* order;
  key* to_keys;
  T* to;
  __device__ void operator()(index_t s) const {
    to_keys[s] = keys[order[s]];
    to[s] = groups[order[s]].value;
  }
};

struct place_of {
  RAVEL_HD std::uint32_t operator()(index_t i) const { return static_cast<std::uint32_t>(i); }
};
/// What the peers share: keys, sorted with their places.
struct keys_by_cub {
  shared<key> keys, sorted;
  shared<std::uint32_t> places, sorted_places;
  shared<index_t> count;
  std::function<void()> sort, sort_alone;

  keys_by_cub(gpu::executor const& ex, index_t n, repetition repeated)
      : keys(generate<key>(ex, n, key_of_group{repeated, n})),
        sorted(allocate<key>(ex, n)),
        places(generate<std::uint32_t>(ex, n, place_of{})),
        sorted_places(allocate<std::uint32_t>(ex, n)),
        count(allocate<index_t>(ex, 1)) {
    sort = with_scratch(ex, [=, *this](void* scratch, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortPairs(scratch, bytes, keys->data(), sorted->data(),
                                             places->data(), sorted_places->data(), n, 0, 32,
                                             ex.stream());
    });
    sort_alone = with_scratch(ex, [=, *this](void* scratch, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortKeys(scratch, bytes, keys->data(), sorted->data(), n, 0, 32,
                                            ex.stream());
    });
  }
  index_t groups(gpu::executor const& ex) const {
    sort_alone();
    auto const runs = allocate<value>(ex, sorted->size());
    auto const found = allocate<key>(ex, sorted->size());
    with_scratch(ex, [&](void* scratch, std::size_t& bytes) {
      return cub::DeviceRunLengthEncode::Encode(scratch, bytes, sorted->data(), found->data(),
                                                runs->data(), count->data(),
                                                static_cast<int>(sorted->size()), ex.stream());
    })();
    return at_sync(ex, *count);
  }
};

/// CUB's groups in the order of their first elements, as ours are: runs of sorted keys are reduced, and
/// then sorted by the places of their first elements.
template <class T>
std::function<void()> groups_by_cub(gpu::executor const& ex, index_t n, index_t groups,
                                    keys_by_cub const& all, T const* values,
                                    shared<key> const& to_keys, shared<T> const& to) {
  auto const found_keys = allocate<key>(ex, groups);
  auto const found = allocate<group<T>>(ex, groups);
  auto const firsts = allocate<std::uint32_t>(ex, groups),
             sorted_firsts = allocate<std::uint32_t>(ex, groups),
             order = allocate<std::uint32_t>(ex, groups);
  auto const each = thrust::make_transform_iterator(
      static_cast<std::uint32_t const*>(all.sorted_places->data()), group_of_place<T>{values});
  auto const reduce = with_scratch(ex, [=](void* scratch, std::size_t& bytes) {
    return cub::DeviceReduce::ReduceByKey(scratch, bytes, all.sorted->data(), found_keys->data(),
                                          each, found->data(), all.count->data(), join_groups<T>{},
                                          static_cast<int>(n), ex.stream());
  });
  auto const sort_firsts = with_scratch(ex, [=](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(
        scratch, bytes, firsts->data(), sorted_firsts->data(), all.places->data(), order->data(),
        groups, 0, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n))), ex.stream());
  });
  return [=, &ex] {
    all.sort();
    reduce();
    index_t const many = at_sync(ex, *all.count);
    cub::DeviceFor::Bulk(many, take_first<T>{found->data(), firsts->data()}, ex.stream());
    sort_firsts();
    cub::DeviceFor::Bulk(many,
                         move_group<T>{found_keys->data(), found->data(), order->data(),
                                       to_keys->data(), to->data()},
                         ex.stream());
  };
}
/// CUB's distinct keys in the order of their first elements.
std::function<void()> firsts_by_cub(gpu::executor const& ex, index_t n, index_t groups,
                                    keys_by_cub const& all, shared<key> const& to_keys) {
  auto const found_keys = allocate<key>(ex, groups);
  auto const firsts = allocate<std::uint32_t>(ex, groups),
             sorted_firsts = allocate<std::uint32_t>(ex, groups);
  auto const unique = with_scratch(ex, [=](void* scratch, std::size_t& bytes) {
    return cub::DeviceSelect::UniqueByKey(scratch, bytes, all.sorted->data(),
                                          all.sorted_places->data(), found_keys->data(),
                                          firsts->data(), all.count->data(), n, ex.stream());
  });
  auto const sort_firsts = with_scratch(ex, [=](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(
        scratch, bytes, firsts->data(), sorted_firsts->data(), found_keys->data(), to_keys->data(),
        groups, 0, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n))), ex.stream());
  });
  return [=, &ex] {
    all.sort();
    unique();
    at_sync(ex, *all.count);
    sort_firsts();
  };
}

struct sum_of_words {
  RAVEL_HD std::int64_t operator()(std::int64_t x, std::int64_t y) const { return x + y; }
};

/// Ours gives sums in the order of first occurrences.  So does one peer; the other, which does less,
/// gives them in the order of keys.
comparison sum_by_hash(gpu::executor const& ex, index_t n, repetition repeated) {
  using sum_t = std::int64_t;
  keys_by_cub const all(ex, n, repeated);
  index_t const groups = all.groups(ex);
  auto const values = generate<sum_t>(ex, n, reached<sum_t>{});
  auto const sorted_values = allocate<sum_t>(ex, n);
  auto const out_keys = allocate<key>(ex, n), expected_keys = allocate<key>(ex, n);
  auto const out = allocate<sum_t>(ex, n), expected = allocate<sum_t>(ex, n);
  auto const by_key = allocate<sum_t>(ex, n), sums = allocate<sum_t>(ex, n);
  auto const sort = with_scratch(ex, [=](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(scratch, bytes, all.keys->data(), all.sorted->data(),
                                           values->data(), sorted_values->data(), n, 0, 32,
                                           ex.stream());
  });
  auto const sum_to = [=](shared<sum_t> const& to) {
    return with_scratch(ex, [=](void* scratch, std::size_t& bytes) {
      return cub::DeviceReduce::ReduceByKey(scratch, bytes, all.sorted->data(), out_keys->data(),
                                            sorted_values->data(), to->data(), all.count->data(),
                                            sum_of_words{}, static_cast<int>(n), ex.stream());
    });
  };
  groups_by_cub<sum_t>(ex, n, groups, all, values->data(), expected_keys, expected)();
  sort();
  sum_to(by_key)();
  auto const found = std::make_shared<index_t>();
  auto const right = [=] {
    return all_equal(ex, groups, out_keys->data(), element<key>{expected_keys->data()}) &&
           all_equal(ex, groups, out->data(), element<sum_t>{expected->data()});
  };

  comparison c;
  c.bytes = 12.0 * double(n + groups);
  c.poison = poison(ex, out_keys, out, sums);
  c.contenders.push_back(
      {"ours", [=] { *found = reduce_by_hash_sync(ex, *all.keys, *values, *out_keys, *out); },
       [=] { return *found == groups && right(); }});
  c.contenders.push_back({"peer:cub in this order",
                          groups_by_cub<sum_t>(ex, n, groups, all, values->data(), out_keys, out),
                          right});
  c.contenders.push_back(
      {"peer:cub sort and sums",
       [sort, sums = sum_to(sums)] {
         sort();
         sums();
       },
       [=] { return all_equal(ex, groups, sums->data(), element<sum_t>{by_key->data()}); }});
  add_copies(ex, c);
  return c;
}

/// Ours gives keys, and counts, in the order of first occurrences.  So does one peer; the other, which
/// does less, gives both in the order of keys.
comparison count_by_hash(gpu::executor const& ex, index_t n, repetition repeated, bool counted) {
  keys_by_cub const all(ex, n, repeated);
  index_t const groups = all.groups(ex);
  auto const out_keys = allocate<key>(ex, n), expected_keys = allocate<key>(ex, n);
  auto const out = allocate<value>(ex, n), expected = allocate<value>(ex, n);
  auto const by_key = allocate<value>(ex, n), counts = allocate<value>(ex, n);
  auto const count_to = [=](shared<value> const& to) {
    return with_scratch(ex, [=](void* scratch, std::size_t& bytes) {
      return cub::DeviceRunLengthEncode::Encode(scratch, bytes, all.sorted->data(),
                                                out_keys->data(), to->data(), all.count->data(),
                                                static_cast<int>(n), ex.stream());
    });
  };
  groups_by_cub<value>(ex, n, groups, all, nullptr, expected_keys, expected)();
  all.sort_alone();
  count_to(by_key)();
  auto const found = std::make_shared<index_t>();
  auto const right = [=] {
    return all_equal(ex, groups, out_keys->data(), element<key>{expected_keys->data()}) &&
           (!counted || all_equal(ex, groups, out->data(), element<value>{expected->data()}));
  };

  comparison c;
  c.bytes = 4.0 * double(n) + (counted ? 8.0 : 4.0) * double(groups);
  c.poison = poison(ex, out_keys, out, counts);
  c.contenders.push_back({"ours",
                          [=] {
                            *found = counted ? histogram_by_key_sync(ex, *all.keys, *out_keys, *out)
                                             : remove_duplicates_sync(ex, *all.keys, *out_keys);
                          },
                          [=] { return *found == groups && right(); }});
  c.contenders.push_back({"peer:cub in this order",
                          counted ? groups_by_cub<value>(ex, n, groups, all, nullptr, out_keys, out)
                                  : firsts_by_cub(ex, n, groups, all, out_keys),
                          right});
  c.contenders.push_back(
      {"peer:cub sort and run lengths",
       [all, count = count_to(counts)] {
         all.sort_alone();
         count();
       },
       [=] { return all_equal(ex, groups, counts->data(), element<value>{by_key->data()}); }});
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
