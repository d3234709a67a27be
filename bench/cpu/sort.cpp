/// Radix and comparison sort on the CPU, compared with libstdc++, Boost, Thrust and Highway.

#include "support/host.hpp"
#include "support/thrust.hpp"

#include <ravel/algorithms/comparison_sort.hpp>
#include <ravel/algorithms/radix_sort.hpp>

#if __has_include(<boost/sort/block_indirect_sort/block_indirect_sort.hpp>)
#  define RAVEL_BENCH_BOOST_SORT 1
#  include <boost/sort/block_indirect_sort/block_indirect_sort.hpp>
#  include <boost/version.hpp>
#endif
#ifdef RAVEL_BENCH_HIGHWAY
#  define HWY_COMPILE_ONLY_STATIC  // vqsort is linked, not compiled here
#  include <hwy/contrib/sort/vqsort.h>
#  include <hwy/highway.h>
#endif
#ifdef RAVEL_BENCH_THRUST
#  include <thrust/sort.h>
#endif

#include <tbb/parallel_sort.h>

#include <algorithm>
#include <execution>
#include <functional>
#include <initializer_list>
#include <numeric>
#include <string>

namespace ravel::bench::host {
namespace {

/// Peers sort in place, so each gets a copy before it is timed.
template <class T>
std::function<void()> copying(shared<T> const& from, shared<T> const& to) {
  return [=] { std::copy_n(std::execution::par, from->data(), from->size(), to->data()); };
}

/// A checksum that does not depend on the order of elements.
template <class T>
std::uint64_t fingerprint(ravel::cpu::buffer<T> const& elements) {
  return std::transform_reduce(std::execution::par, elements.begin(), elements.end(),
                               std::uint64_t{0}, std::plus<>(),
                               [](T const& x) { return random_bits(7, static_cast<index_t>(x)); });
}

/// Keys that are easy for some sorts and hard for others.
struct ascending_key {
  std::uint32_t operator()(index_t i) const { return static_cast<std::uint32_t>(i); }
};
struct same_key {
  std::uint32_t operator()(index_t) const { return 7; }
};
/// Half of the keys below 2^16, and half of the rest below 2^8.
struct skewed_key {
  std::uint32_t operator()(index_t i) const {
    auto const x = reached<std::uint32_t>{}(i);
    auto const kind = random_below(5, i, 4);
    return kind < 2 ? x : kind == 2 ? x >> 16 : x >> 24;
  }
};

template <class K, class Make>
comparison sort_keys(executor const& ex, index_t n, Make make) {
  auto const in = generate<K>(ex, n, make);
  auto const out = allocate<K>(ex, n);
  auto const all = fingerprint(*in);
  auto const right = [=] {
    return std::is_sorted(std::execution::par, out->begin(), out->end()) &&
           fingerprint(*out) == all;
  };

  comparison c;
  c.bytes = 2.0 * double(n) * sizeof(K);
  c.poison = poison(out);
  auto const add = [&](char const* name, auto f) {
    c.contenders.push_back({name, [=] { f(out->begin(), out->end()); }, right, copying(in, out)});
  };
  add_ours(
      ex, c, [=](executor const& by) { radix_sort(by, *in, *out); }, right);
  add("peer:libstdc++ par", [](K* first, K* last) { std::sort(std::execution::par, first, last); });
#ifdef RAVEL_BENCH_BOOST_SORT
  auto const threads = static_cast<std::uint32_t>(ex.concurrency());
  add("peer:Boost block indirect",
      [=](K* first, K* last) { boost::sort::block_indirect_sort(first, last, threads); });
#endif
#ifdef RAVEL_BENCH_THRUST
  add("peer:Thrust-TBB", [](K* first, K* last) { thrust::sort(thrust::tbb::par, first, last); });
#endif
#ifdef RAVEL_BENCH_HIGHWAY
  auto const sorter = std::make_shared<hwy::Sorter>();
  add("peer:Highway vqsort, 1 thread", [=](K* first, K* last) {
    (*sorter)(first, static_cast<std::size_t>(last - first), hwy::SortAscending());
  });
#endif
  add_copy(ex, c);
  return c;
}

/// An order that the library does not recognise as that of integers.
struct by_halves {
  bool operator()(std::uint32_t x, std::uint32_t y) const {
    return (x >> 16) != (y >> 16) ? (x >> 16) < (y >> 16) : (x & 0xffff) < (y & 0xffff);
  }
};
comparison sort_by_order(executor const& ex, index_t n) {
  using K = std::uint32_t;
  auto const in = generate<K>(ex, n, reached<K>{});
  auto const out = allocate<K>(ex, n);
  auto const all = fingerprint(*in);
  auto const right = [=] {
    return std::is_sorted(std::execution::par, out->begin(), out->end()) &&
           fingerprint(*out) == all;
  };
  comparison c;
  c.bytes = 8.0 * double(n);
  c.poison = poison(out);
  add_ours(
      ex, c, [=](executor const& by) { comparison_sort(by, *in, *out, by_halves{}); }, right);
  auto const add = [&](char const* name, auto f) {
    c.contenders.push_back({name, [=] { f(out->begin(), out->end()); }, right, copying(in, out)});
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
  add_copy(ex, c);
  return c;
}

/// A key and its value, for peers that sort such records.
struct keyed {
  std::uint32_t key, value;
  friend bool operator<(keyed const& a, keyed const& b) { return a.key < b.key; }
};
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
  auto const pairs = generate<keyed>(ex, n, make_keyed{});
  auto const pairs_out = generate<keyed>(ex, n, make_keyed{});
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
  auto const add = [&](char const* name, auto f) {
    auto const in_order = [=] {  // peers need not be stable
      return std::is_sorted(std::execution::par, pairs_out->begin(), pairs_out->end()) &&
             std::all_of(std::execution::par, pairs_out->begin(), pairs_out->end(),
                         [&](keyed const& x) { return (*keys)[x.value] == x.key; });
    };
    c.contenders.push_back({name, [=] { f(pairs_out->begin(), pairs_out->end()); }, in_order,
                            copying(pairs, pairs_out)});
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
    copying(keys, keys_out)();
    copying(values, values_out)();
  };
  c.contenders.push_back({"peer:Thrust-TBB",
                          [=] {
                            thrust::stable_sort_by_key(thrust::tbb::par, keys_out->begin(),
                                                       keys_out->end(), values_out->begin());
                          },
                          right, copy_both});
#endif
  add_copy(ex, c);
  return c;
}

suite all(executor const& ex) {
  suite s = make_suite("cpu.sort", ex);
  note_thrust(s);
#ifdef RAVEL_BENCH_BOOST_SORT
  s.context["boost"] = BOOST_LIB_VERSION;
#endif
#ifdef RAVEL_BENCH_HIGHWAY
  s.context["highway"] =
      std::to_string(HWY_MAJOR) + '.' + std::to_string(HWY_MINOR) + '.' + std::to_string(HWY_PATCH);
#endif
  constexpr index_t whole = index_t{1} << 26;
  auto const add = [&]<class K>(std::string const& type, std::initializer_list<int> logs, K,
                                auto make) {
    add_sizes(s, "cpu.radix_sort." + type, "radix sort keys " + type, logs, whole,
              [=](index_t n) { return sort_keys<K>(ex, n, make); });
  };
  using u32 = std::uint32_t;
  using u64 = std::uint64_t;
  add("u32", {6, 10, 14, 17, 20, 23}, u32{}, reached<u32>{});
  add("u32.skewed", {}, u32{}, skewed_key{});
  add("u32.sorted", {}, u32{}, ascending_key{});
  add("u32.equal", {}, u32{}, same_key{});
  add("u64", {12, 16, 20}, u64{}, reached<u64>{});
  add_sizes(s, "cpu.radix_sort.u32u32", "radix sort pairs u32 with u32", {12, 16, 20}, whole,
            [ex](index_t n) { return sort_pairs(ex, n); });
  add_sizes(s, "cpu.comparison_sort.any.u32", "sort u32 by an order of the caller's", {12, 16, 20},
            whole / 4, [ex](index_t n) { return sort_by_order(ex, n); });
  return s;
}

}  // namespace
}  // namespace ravel::bench::host

int main(int argc, char** argv) {
  using namespace ravel::bench::host;
  return run_suite(all, argc, argv);
}
