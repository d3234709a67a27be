/// Radix and comparison sort on the CPU, compared with libstdc++, Boost, Thrust, Highway, and with the
/// projects of peers/sorts.hpp.

#include "support/key_sorts.hpp"

#include <ravel/algorithms/comparison_sort.hpp>
#include <ravel/algorithms/segmented_sort.hpp>

#include <tbb/parallel_sort.h>

#include <algorithm>
#include <execution>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

namespace ravel::bench::host {
namespace {

comparison sort_by_order(executor const& ex, index_t n) {
  using K = std::uint32_t;
  inputs<K> const of(ex, n, reached<K>{});
  auto const right = is_sorted_copy(of);
  comparison c;
  c.bytes = 8.0 * double(n);
  c.poison = of.poison();
  add_ours(
      ex, c,
      [=](executor const& by) {
        of.next();
        comparison_sort(by, of.in(), of.out(), by_halves{});
      },
      right);
  auto const add = [&](char const* name, auto f) {
    c.contenders.push_back(of.in_place(name, f, right));
  };
  add("peer:libstdc++ par",
      [](K* first, K* last) { std::sort(std::execution::par, first, last, by_halves{}); });
  add("peer:libstdc++ par stable",
      [](K* first, K* last) { std::stable_sort(std::execution::par, first, last, by_halves{}); });
  add("peer:oneTBB", [](K* first, K* last) { tbb::parallel_sort(first, last, by_halves{}); });
#ifdef RAVEL_BENCH_BOOST_SORT
  auto const threads = static_cast<std::uint32_t>(ex.concurrency());
  add("peer:Boost block indirect", [=](K* first, K* last) {
    boost::sort::block_indirect_sort(first, last, by_halves{}, threads);
  });
#endif
  add_sorts(ex, c, peers::sorts_by_halves(), of, right);
  add_copy(ex, c);
  return c;
}

struct make_keyed {
  keyed operator()(index_t i) const {
    return {reached<std::uint32_t>{}(i), static_cast<std::uint32_t>(i)};
  }
};
struct index_of {
  std::uint32_t operator()(index_t i) const { return static_cast<std::uint32_t>(i); }
};

comparison sort_pairs(executor const& ex, index_t n) {
  using K = std::uint32_t;
  auto const keys = generate<K>(ex, n, reached<K>{});
  auto const values = generate<K>(ex, n, index_of{});
  auto const keys_out = allocate<K>(ex, n), values_out = allocate<K>(ex, n);
  inputs<keyed> const pairs(ex, n, make_keyed{});
  comparison c;
  c.bytes = 16.0 * double(n);
  c.poison = poison(keys_out, values_out);
  // Values are the original positions of their keys: ascending among equal keys shows that the sort
  // is stable and complete.
  auto const right = [=] {
    return all_of(n, [=](index_t i) {
      K const key = (*keys_out)[i], value = (*values_out)[i];
      if ((*keys)[value] != key) return false;
      if (i == 0) return true;
      K const before = (*keys_out)[i - 1];
      return before < key || (before == key && (*values_out)[i - 1] < value);
    });
  };
  add_ours(
      ex, c,
      [=](executor const& by) { radix_sort_pairs(by, *keys, *values, *keys_out, *values_out); },
      right);
  auto const in_order = [=] {  // peers need not be stable
    view<keyed> const out = pairs.out();
    return std::is_sorted(std::execution::par, out.begin(), out.end()) &&
           std::all_of(std::execution::par, out.begin(), out.end(),
                       [](keyed const& x) { return reached<std::uint32_t>{}(x.value) == x.key; });
  };
  auto const add = [&](char const* name, auto f) {
    c.contenders.push_back(pairs.in_place(name, f, in_order));
  };
  add("peer:libstdc++ par",
      [](keyed* first, keyed* last) { std::sort(std::execution::par, first, last); });
#ifdef RAVEL_BENCH_BOOST_SORT
  auto const threads = static_cast<std::uint32_t>(ex.concurrency());
  add("peer:Boost block indirect",
      [=](keyed* first, keyed* last) { boost::sort::block_indirect_sort(first, last, threads); });
#endif
#ifdef RAVEL_BENCH_THRUST
  auto const copy_both = [=] {
    std::copy_n(std::execution::par, keys->data(), n, keys_out->data());
    std::copy_n(std::execution::par, values->data(), n, values_out->data());
  };
  c.contenders.push_back({"peer:Thrust-TBB",
                          [=] {
                            thrust::stable_sort_by_key(thrust::tbb::par, keys_out->begin(),
                                                       keys_out->end(), values_out->begin());
                          },
                          right, copy_both});
#endif
  add_sorts(ex, c, peers::sorts<keyed>(), pairs, in_order);
  add_copy(ex, c);
  return c;
}

/// Segments of 0 to 3 keys.
comparison sort_short_segments(executor const& ex, index_t n) {
  using K = std::uint32_t;
  auto const in = generate<K>(ex, n, reached<K>{});
  auto const out = allocate<K>(ex, n), expected = allocate<K>(ex, n);
  auto const offsets = std::make_shared<std::vector<index_t>>(1, 0);
  for (index_t i = 0; offsets->back() < n; ++i) {
    offsets->push_back(std::min(n, offsets->back() + reached<K>{}(i) % 4));
  }
  auto const sort_each = [=](auto const& to) {
    std::copy_n(in->data(), n, to->data());
    for (std::size_t s = 1; s < offsets->size(); ++s) {
      std::sort(to->data() + (*offsets)[s - 1], to->data() + (*offsets)[s]);
    }
  };
  sort_each(expected);
  auto const right = [=] { return all_equal(n, out->data(), element<K>{expected->data()}); };
  comparison c;
  c.bytes = 8.0 * double(n) + 8.0 * double(offsets->size());
  c.poison = poison(out);
  add_ours(
      ex, c, [=](executor const& by) { segmented_sort(by, *in, by_offsets(*offsets), *out); },
      right);
  c.contenders.push_back({"peer:std::sort", [=] { sort_each(out); }, right});
  add_copy(ex, c);
  return c;
}

suite all(executor const& ex) {
  suite s = make_suite("cpu.sort", ex);
  note_sorts(s);
  constexpr index_t whole = index_t{1} << 26;
  auto const add = [&]<class K>(std::string const& type, std::initializer_list<int> logs, K,
                                auto make) {
    add_sizes(s, "cpu.radix_sort." + type, "radix sort keys " + type, logs, whole,
              [=](index_t n) { return sort_keys<K>(ex, n, make); });
  };
  using u32 = std::uint32_t;
  using u64 = std::uint64_t;
  add("u32", {6, 8, 10, 12, 14, 17, 20, 23}, u32{}, reached<u32>{});
  add("u64", {12, 16, 20}, u64{}, reached<u64>{});
  add_sizes(s, "cpu.radix_sort.u32u32", "radix sort pairs u32 with u32", {12, 16, 20}, whole,
            [ex](index_t n) { return sort_pairs(ex, n); });
  add_sizes(s, "cpu.comparison_sort.any.u32", "sort u32 by an order of the caller's", {12, 16, 20},
            whole / 4, [ex](index_t n) { return sort_by_order(ex, n); });
  add_sizes(s, "cpu.segmented_sort.short.u32", "sort segments of 0 to 3 keys u32", {12, 16, 20},
            whole / 4, [ex](index_t n) { return sort_short_segments(ex, n); });
  return s;
}

}  // namespace
}  // namespace ravel::bench::host

int main(int argc, char** argv) {
  using namespace ravel::bench::host;
  return run_suite(all, argc, argv);
}
