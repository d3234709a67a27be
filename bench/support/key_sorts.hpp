#pragma once

/// Radix sort of keys on the CPU, beside its peers.

#include "peers/sorts.hpp"
#include "support/host.hpp"
#include "support/thrust.hpp"

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

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <execution>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

namespace ravel::bench::host {

/// A checksum that does not depend on the order of elements.
template <class T>
std::uint64_t fingerprint(view<T> elements) {
  return std::transform_reduce(std::execution::par, elements.begin(), elements.end(),
                               std::uint64_t{0}, std::plus<>(),
                               [](T const& x) { return random_bits(7, static_cast<index_t>(x)); });
}

/// Whether the latest output has the elements of its input in ascending order.
template <class T>
std::function<bool()> is_sorted_copy(inputs<T> const& of) {
  std::vector<std::uint64_t> all;
  for (int k = 0; k < of.many(); ++k) all.push_back(fingerprint(of.in(k)));
  return [of, all] {
    view<T> const out = of.out();
    return std::is_sorted(std::execution::par, out.begin(), out.end()) &&
           fingerprint(out) == all[static_cast<std::size_t>(of.latest())];
  };
}

/// Adds sorts that are compiled from checkouts.
template <class T>
void add_sorts(executor const& ex, comparison& to, std::vector<peers::sort<T>> const& sorts,
               inputs<T> const& of, std::function<bool()> const& right) {
  for (auto const& some : sorts) {
    to.contenders.push_back(of.in_place(
        some.name,
        [run = some.run, threads = ex.concurrency()](T* first, T* last) {
          run(first, last, threads);
        },
        right, some.rest));
  }
}

/// Records the versions of the peers.
inline void note_sorts(suite& s) {
  note_thrust(s);
#ifdef RAVEL_BENCH_BOOST_SORT
  s.context["boost"] = BOOST_LIB_VERSION;
#endif
#ifdef RAVEL_BENCH_HIGHWAY
  s.context["highway"] =
      std::to_string(HWY_MAJOR) + '.' + std::to_string(HWY_MINOR) + '.' + std::to_string(HWY_PATCH);
#endif
  s.context.merge(peers::versions());
}

/// make(0), ..., make(n - 1), sorted by each.
template <class K, class Make>
comparison sort_keys(executor const& ex, index_t n, Make make) {
  inputs<K> const of(ex, n, make);
  auto const right = is_sorted_copy(of);

  comparison c;
  c.bytes = 2.0 * double(n) * sizeof(K);
  c.poison = of.poison();
  auto const add = [&](char const* name, auto f) {
    c.contenders.push_back(of.in_place(name, f, right));
  };
  add_ours(
      ex, c,
      [=](executor const& by) {
        of.next();
        radix_sort(by, of.in(), of.out());
      },
      right);
  add("named:in place", [=](K* first, K* last) { radix_sort(ex, view<K>(first, last - first)); });
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
  add_sorts(ex, c, peers::sorts<K>(), of, right);
  add_copy(ex, c);
  return c;
}

}  // namespace ravel::bench::host
