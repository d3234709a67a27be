/// Filter, unique and split on the CPU, compared with libstdc++ and Thrust.

#include "support/host.hpp"
#include "support/thrust.hpp"

#include <ravel/primitives/pack.hpp>
#include <ravel/primitives/split.hpp>
#include <ravel/primitives/unique.hpp>

#ifdef RAVEL_BENCH_THRUST
#  include <thrust/copy.h>
#  include <thrust/unique.h>
#endif

#include <algorithm>
#include <execution>
#include <string>

namespace ravel::bench::host {
namespace {

using T = std::uint32_t;

/// Accepts a given percentage of random values.
struct below_share {
  T limit;
  bool operator()(T x) const { return x < limit; }
};

comparison keep_some(executor const& ex, index_t n, int percent) {
  auto const in = generate<T>(ex, n, reached<T>{});
  auto const out = allocate<T>(ex, n);
  auto const expected = allocate<T>(ex, n);
  auto const count = allocate<index_t>(ex, 1);
  below_share const keep{
      static_cast<T>((std::uint64_t{1} << 32) * static_cast<unsigned>(percent) / 100)};
  index_t const kept =
      std::copy_if(in->begin(), in->end(), expected->begin(), keep) - expected->begin();
  auto const right = [=] {
    return (*count)[0] == kept && all_equal(kept, out->data(), element<T>{expected->data()});
  };

  comparison c;
  c.bytes = 4.0 * double(n + kept);
  c.poison = poison(out, count);
  auto const add = [&](char const* name, auto f) {
    c.contenders.push_back(
        {name, [=] { (*count)[0] = f(in->begin(), in->end(), out->begin()) - out->begin(); },
         right});
  };
  add_ours(
      ex, c, [=](executor const& by) { filter(by, *in, keep, *out, total_to(*count)); }, right);
  if (n <= index_t{1} << 12) {
    add("peer:serial loop",
        [=](T const* from, T const* end, T* to) { return std::copy_if(from, end, to, keep); });
  }
  add("peer:libstdc++ par", [=](T const* from, T const* end, T* to) {
    return std::copy_if(std::execution::par_unseq, from, end, to, keep);
  });
#ifdef RAVEL_BENCH_THRUST
  add("peer:Thrust-TBB", [=](T const* from, T const* end, T* to) {
    return thrust::copy_if(thrust::tbb::par, from, end, to, keep);
  });
#endif
  add_copy(ex, c);
  return c;
}

/// Pairs, half of which have equal values.
struct value_of_run {
  T operator()(index_t i) const { return static_cast<T>(i - random_below(3, i / 2, 2) * (i % 2)); }
};

comparison one_of_each_run(executor const& ex, index_t n) {
  auto const in = generate<T>(ex, n, value_of_run{});
  auto const out = allocate<T>(ex, n), expected = allocate<T>(ex, n);
  auto const count = allocate<index_t>(ex, 1);
  index_t const kept =
      std::unique_copy(in->begin(), in->end(), expected->begin()) - expected->begin();
  auto const right = [=] {
    return (*count)[0] == kept && all_equal(kept, out->data(), element<T>{expected->data()});
  };
  comparison c;
  c.bytes = 4.0 * double(n + kept);
  c.poison = poison(out, count);
  add_ours(
      ex, c, [=](executor const& by) { unique(by, *in, *out, total_to(*count)); }, right);
  auto const add = [&](char const* name, auto f) {
    c.contenders.push_back(
        {name, [=] { (*count)[0] = f(in->begin(), in->end(), out->begin()) - out->begin(); },
         right});
  };
  add("peer:libstdc++ par", [](T const* from, T const* end, T* to) {
    return std::unique_copy(std::execution::par_unseq, from, end, to);
  });
#ifdef RAVEL_BENCH_THRUST
  add("peer:Thrust-TBB", [](T const* from, T const* end, T* to) {
    return thrust::unique_copy(thrust::tbb::par, from, end, to);
  });
#endif
  add("peer:serial loop",
      [](T const* from, T const* end, T* to) { return std::unique_copy(from, end, to); });
  add_copy(ex, c);
  return c;
}

struct is_odd {
  bool operator()(T x) const { return x % 2 != 0; }
};
struct is_even {
  bool operator()(T x) const { return x % 2 == 0; }
};

comparison split_in_two(executor const& ex, index_t n) {
  auto const in = generate<T>(ex, n, reached<T>{});
  auto const out = allocate<T>(ex, n), expected = allocate<T>(ex, n);
  index_t const even =
      std::copy_if(in->begin(), in->end(), expected->begin(), is_even{}) - expected->begin();
  std::copy_if(in->begin(), in->end(), expected->begin() + even, is_odd{});
  auto const right = [=] { return all_equal(n, out->data(), element<T>{expected->data()}); };
  comparison c;
  c.bytes = 8.0 * double(n);
  c.poison = poison(out);
  add_ours(
      ex, c, [=](executor const& by) { split(by, *in, is_odd{}, *out); }, right);
  auto const add = [&](char const* name, auto f) {
    c.contenders.push_back({name, [=] { f(in->begin(), in->end(), out->begin()); }, right});
  };
  add("peer:libstdc++ par, whose middle is known", [=](T const* from, T const* end, T* to) {
    std::partition_copy(std::execution::par_unseq, from, end, to, to + even, is_even{});
  });
  add("peer:serial loop", [=](T const* from, T const* end, T* to) {
    std::copy_if(from, end, std::copy_if(from, end, to, is_even{}), is_odd{});
  });
  add_copy(ex, c);
  return c;
}

suite all(executor const& ex) {
  suite s = make_suite("cpu.pack", ex);
  note_thrust(s);
  constexpr index_t whole = index_t{1} << 27;
  // Smaller sizes are in cpu.small, with new data for each call.
  auto const add = [&](int percent, std::initializer_list<int> logs) {
    auto const digits = std::to_string(percent);
    add_sizes(s, "cpu.pack." + digits, "filter u32, " + digits + " % kept", logs, whole,
              [=](index_t n) { return keep_some(ex, n, percent); });
  };
  add(10, {});
  add(50, {12, 14, 17, 18, 20, 22, 24});
  add(90, {});
  add_sizes(s, "cpu.unique", "unique u32, of pairs of which half are equal",
            {12, 14, 17, 18, 20, 22, 24}, whole,
            [ex](index_t n) { return one_of_each_run(ex, n); });
  add_sizes(s, "cpu.split2", "split u32 in two", {12, 14, 17, 18, 20, 22, 24}, whole,
            [ex](index_t n) { return split_in_two(ex, n); });
  return s;
}

}  // namespace
}  // namespace ravel::bench::host

int main(int argc, char** argv) {
  using namespace ravel::bench::host;
  return run_suite(all, argc, argv);
}
