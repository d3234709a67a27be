/// Pipelines on the CPU, beside the calls that each stage would be by itself.

#include "support/host.hpp"

#include <ravel/pipelines/pipelines.hpp>

#include <algorithm>
#include <execution>
#include <numeric>

namespace ravel::bench::host {
namespace {

using T = std::uint32_t;

struct twice_and_one {
  T operator()(T x) const { return 2 * x + 1; }
};
struct divisible_by_3 {
  bool operator()(T x) const { return x % 3 == 0; }
};

/// map, inclusive scan, and a filter that keeps a third: one pass, and three calls.
comparison map_scan_filter(executor const& ex, index_t n) {
  auto const in = generate<T>(ex, n, reached<T>{});
  auto const between = allocate<T>(ex, n);
  auto const scanned = allocate<T>(ex, n);
  auto const out = allocate<T>(ex, n);
  auto const expected = allocate<T>(ex, n);
  auto const count = allocate<index_t>(ex, 1);
  std::transform(in->begin(), in->end(), between->begin(), twice_and_one{});
  std::inclusive_scan(between->begin(), between->end(), scanned->begin());
  index_t const kept =
      std::copy_if(scanned->begin(), scanned->end(), expected->begin(), divisible_by_3{}) -
      expected->begin();
  auto const right = [=] {
    return (*count)[0] == kept && all_equal(kept, out->data(), element<T>{expected->data()});
  };

  comparison c;
  c.bytes = 4.0 * double(n + kept);
  c.poison = poison(out, count);
  auto const stages = map(twice_and_one{}) | inclusive_scan(plus{}) | filter(divisible_by_3{});
  c.contenders.push_back(
      {"ours", [=] { (*count)[0] = (on(ex, *in) | stages | into(*out)).get(); }, right});
  c.contenders.push_back({"named:three calls",
                          [=] {
                            map(ex, twice_and_one{}, *between, *in);
                            inclusive_scan(ex, *between, *scanned);
                            filter(ex, *scanned, divisible_by_3{}, *out, total_to(*count));
                          },
                          right});
  c.contenders.push_back(
      {"peer:libstdc++ par",
       [=] {
         auto const par = std::execution::par_unseq;
         std::transform(par, in->begin(), in->end(), between->begin(), twice_and_one{});
         std::inclusive_scan(par, between->begin(), between->end(), scanned->begin());
         (*count)[0] =
             std::copy_if(par, scanned->begin(), scanned->end(), out->begin(), divisible_by_3{}) -
             out->begin();
       },
       right});
  add_copy(ex, c);
  return c;
}

/// One stage, beside the call of the primitive that it is.
comparison one_stage(executor const& ex, index_t n) {
  auto const in = generate<T>(ex, n, reached<T>{});
  auto const out = allocate<T>(ex, n);
  auto const expected = allocate<T>(ex, n);
  std::inclusive_scan(in->begin(), in->end(), expected->begin());
  auto const right = [=] { return all_equal(n, out->data(), element<T>{expected->data()}); };
  comparison c;
  c.bytes = 8.0 * double(n);
  c.poison = poison(out);
  c.contenders.push_back(
      {"ours", [=] { on(ex, *in) | inclusive_scan(plus{}) | into(*out); }, right});
  c.contenders.push_back({"peer:the primitive", [=] { inclusive_scan(ex, *in, *out); }, right});
  add_copy(ex, c);
  return c;
}

template <class U>
struct read_mapped {
  U const* from;
  U operator()(index_t i) const { return twice_and_one{}(from[i]); }
};
struct zero_of_sum {
  T operator()() const { return 0; }
};
struct write_sum {
  static constexpr bool only_through = true;
  T* to;
  void operator()(index_t i, T, T through) const { to[i] = through; }
};

/// Two stages, beside the primitive with the first written into its load.
comparison two_stages(executor const& ex, index_t n) {
  auto const in = generate<T>(ex, n, reached<T>{});
  auto const out = allocate<T>(ex, n);
  auto const expected = allocate<T>(ex, n);
  std::transform(in->begin(), in->end(), expected->begin(), twice_and_one{});
  std::inclusive_scan(expected->begin(), expected->end(), expected->begin());
  auto const right = [=] { return all_equal(n, out->data(), element<T>{expected->data()}); };
  comparison c;
  c.bytes = 8.0 * double(n);
  c.poison = poison(out);
  c.contenders.push_back(
      {"ours", [=] { on(ex, *in) | map(twice_and_one{}) | inclusive_scan(plus{}) | into(*out); },
       right});
  c.contenders.push_back({"peer:the primitive",
                          [=] {
                            scan_on(ex, n, read_mapped<T>{in->data()}, write_sum{out->data()},
                                    plus<T>{}, zero_of_sum{}, [](T) {});
                          },
                          right});
  add_copy(ex, c);
  return c;
}

suite all(executor const& ex) {
  suite s = make_suite("cpu.pipeline", ex);
  index_t const n = index_t{1} << 27;
  s.rows.push_back({"cpu.pipeline.map_scan_filter", "map, scan, filter u32, a third kept", n,
                    [=](index_t m) { return map_scan_filter(ex, m); }});
  s.rows.push_back(
      {"cpu.pipeline.scan", "scan u32", n, [=](index_t m) { return one_stage(ex, m); }});
  s.rows.push_back(
      {"cpu.pipeline.map_scan", "map, scan u32", n, [=](index_t m) { return two_stages(ex, m); }});
  return s;
}

}  // namespace
}  // namespace ravel::bench::host

int main(int argc, char** argv) {
  using namespace ravel::bench::host;
  return run_suite(all, argc, argv);
}
