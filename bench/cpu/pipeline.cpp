/// Pipelines on the CPU, compared with one call per stage, and those of one and two stages with the
/// equivalent primitive.

#include "support/fusions.hpp"
#include "support/host.hpp"

#include <ravel/pipelines/pipelines.hpp>

#include <algorithm>
#include <concepts>
#include <execution>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace ravel::bench::host {
namespace {

using fusions::divisible_by_3;
using fusions::T;
using fusions::twice_and_one;

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
  add_ours(
      ex, c, [=](executor const& by) { (*count)[0] = (on(by, *in) | stages | into(*out)).get(); },
      right);
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

/// The sum of a third of the elements, and their sums up to each: a pass, beside <numeric> and a loop.
comparison filter_sum(executor const& ex, index_t n) {
  auto const in = generate<T>(ex, n, reached<T>{});
  auto const sum = std::make_shared<T>();
  auto const loop = [=] {
    T all = 0;
    for (T const x : *in) {
      if (divisible_by_3{}(x)) all += x;
    }
    return all;
  };
  auto const right = [sum, expected = loop()] { return *sum == expected; };
  comparison c;
  c.bytes = 4.0 * double(n);
  c.poison = [=] { *sum = 0; };
  add_ours(
      ex, c,
      [=](executor const& by) {
        *sum = (on(by, *in) | filter(divisible_by_3{}) | reduce(plus{})).get();
      },
      right);
  auto const kept_or_0 = [](T x) { return divisible_by_3{}(x) ? x : T(0); };
  c.contenders.push_back({"peer:libstdc++ par",
                          [=] {
                            *sum = std::transform_reduce(std::execution::par_unseq, in->begin(),
                                                         in->end(), T(0), std::plus<>{}, kept_or_0);
                          },
                          right});
  c.contenders.push_back({"peer:serial loop", [=] { *sum = loop(); }, right});
  return c;
}
comparison filter_scan(executor const& ex, index_t n) {
  auto const in = generate<T>(ex, n, reached<T>{});
  auto const out = allocate<T>(ex, n), expected = allocate<T>(ex, n);
  auto const loop = [=](shared<T> const& to) {
    index_t kept = 0;
    T sum = 0;
    for (T const x : *in) {
      if (divisible_by_3{}(x)) (*to)[kept++] = sum += x;
    }
    return kept;
  };
  index_t const kept = loop(expected);
  auto const right = [=] { return all_equal(kept, out->data(), element<T>{expected->data()}); };
  comparison c;
  c.bytes = 4.0 * double(n + kept);
  c.poison = poison(out);
  add_ours(
      ex, c,
      [=](executor const& by) {
        on(by, *in) | filter(divisible_by_3{}) | inclusive_scan(plus{}) | into(*out);
      },
      right);
  c.contenders.push_back({"peer:libstdc++ par",
                          [=] {
                            auto const par = std::execution::par_unseq;
                            auto const end = std::copy_if(par, in->begin(), in->end(), out->begin(),
                                                          divisible_by_3{});
                            std::inclusive_scan(par, out->begin(), end, out->begin());
                          },
                          right});
  c.contenders.push_back({"peer:serial loop", [=] { loop(out); }, right});
  return c;
}

/// Compares a pipeline with the equivalent primitive: ours(in, out) returns a number, a deferred
/// result or a value; by_hand(in, out, count) writes it first.
template <class Ours, class ByHand>
comparison beside_primitive(executor const& ex, index_t n, Ours ours, ByHand by_hand) {
  auto const in = generate<T>(ex, n, reached<T>{});
  auto const out = allocate<T>(ex, n);
  auto const expected = allocate<T>(ex, n);
  auto const count = allocate<index_t>(ex, 1);
  auto const run_by_hand = [=](shared<T> const& to) {
    by_hand(view_of(*in), view_of(*to), view_of(*count));
  };
  using Made = decltype(ours(view_of(*in), view_of(*out)));
  auto const run_ours = [=] {
    auto const made = ours(view_of(*in), view_of(*out));
    if constexpr (std::same_as<Made, deferred<executor, T>>) {
      (*out)[0] = made.get();
      return index_t{1};
    } else if constexpr (std::integral<Made>) {
      return made;
    } else {
      return made.get();
    }
  };
  run_by_hand(expected);
  index_t const made = run_ours();
  if constexpr (std::same_as<Made, deferred<executor, index_t>>) {
    expects((*count)[0] == made, "there are ", made, " elements, and by hand ", (*count)[0]);
  }
  auto const right = [=] { return all_equal(made, out->data(), element<T>{expected->data()}); };
  comparison c;
  c.bytes = 4.0 * double(n + made);
  c.poison = poison(out);
  c.contenders.push_back({"ours", [=] { run_ours(); }, right});
  c.contenders.push_back({"peer:the primitive", [=] { run_by_hand(out); }, right});
  add_copy(ex, c);
  return c;
}

/// Compares a search with that of <algorithm>: both return a position, theirs(policy, begin, end) as
/// an iterator.
template <class Ours, class Theirs>
comparison search(executor const& ex, index_t n, Ours ours, Theirs theirs) {
  auto const in = generate<T>(ex, n, reached<T>{});
  (*in)[in->size() - 1] = 0;  // what is searched for is found last
  for (index_t i = 0; i + 1 < in->size(); ++i) (*in)[i] |= 1;
  auto const found = std::make_shared<index_t>();
  auto const right = [=] { return *found == n - 1; };
  comparison c;
  c.bytes = 4.0 * double(n);
  c.poison = [=] { *found = -1; };
  add_ours(
      ex, c, [=](executor const& by) { *found = (on(by, *in) | ours).get(); }, right);
  auto const add_theirs = [&](char const* name, auto const& policy) {
    c.contenders.push_back(
        {name, [=] { *found = theirs(policy, in->begin(), in->end()) - in->begin(); }, right});
  };
  add_theirs("peer:libstdc++ par", std::execution::par_unseq);
  add_theirs("peer:libstdc++", std::execution::seq);
  return c;
}

/// A map whose results `sink` returns, in an Out that is new in each call.
template <class Out, class Sink>
comparison map_to(executor const& ex, index_t n, Sink sink) {
  auto const in = generate<T>(ex, n, reached<T>{});
  auto const out = std::make_shared<Out>();
  auto const right = [=] { return std::ranges::equal(*in, *out, {}, twice_and_one{}); };
  comparison c;
  c.bytes = 8.0 * double(n);
  c.poison = [=] { *out = {}; };
  add_ours(
      ex, c, [=](executor const& by) { *out = on(by, *in) | map(twice_and_one{}) | sink; }, right);
  auto const kept = allocate<T>(ex, n);
  c.contenders.push_back({"peer:own into",
                          [=] { on(ex, *in) | map(twice_and_one{}) | into(*kept); },
                          [=] { return std::ranges::equal(*in, *kept, {}, twice_and_one{}); }});
  return c;
}

comparison map_to_vector(executor const& ex, index_t n) {
  auto const in = generate<T>(ex, n, reached<T>{});
  auto const out = std::make_shared<std::vector<T>>();
  auto const right = [=] { return std::ranges::equal(*in, *out, {}, twice_and_one{}); };
  comparison c = map_to<std::vector<T>>(ex, n, to_vector());
  c.contenders.push_back({"peer:libstdc++ par",
                          [=] {
                            std::vector<T> made(in->size());
                            std::transform(std::execution::par_unseq, in->begin(), in->end(),
                                           made.begin(), twice_and_one{});
                            *out = std::move(made);
                          },
                          right});
  c.contenders.push_back({"peer:serial loop",
                          [=] {
                            std::vector<T> made;
                            made.reserve(in->size());
                            for (T const x : *in) made.push_back(twice_and_one{}(x));
                            *out = std::move(made);
                          },
                          right});
  return c;
}

suite all(executor const& ex) {
  suite s = make_suite("cpu.pipeline", ex);
  index_t const n = index_t{1} << 27;
  add_sizes(s, "cpu.pipeline.map_scan_filter", "map, scan, filter u32, a third kept",
            {12, 14, 17, 20, 22, 24}, n, [ex](index_t m) { return map_scan_filter(ex, m); });
  add_sizes(s, "cpu.pipeline.filter_sum", "filter, sum of u32, a third kept", {12, 16, 20},
            index_t{1} << 26, [ex](index_t m) { return filter_sum(ex, m); });
  add_sizes(s, "cpu.pipeline.filter_sums", "filter, scan of u32, a third kept", {12, 16, 20},
            index_t{1} << 26, [ex](index_t m) { return filter_scan(ex, m); });
  add_sizes(s, "cpu.pipeline.to_vector", "map u32 to a new vector", {12, 16, 20}, index_t{1} << 23,
            [ex](index_t m) { return map_to_vector(ex, m); });
  add_sizes(s, "cpu.pipeline.to_buffer", "map u32 to a new buffer", {12, 16, 20}, index_t{1} << 23,
            [ex](index_t m) { return map_to<cpu::buffer<T>>(ex, m, to_buffer()); });
  add_sizes(s, "cpu.pipeline.find_if", "find the last of u32", {12, 20}, n, [ex](index_t m) {
    return search(ex, m, find_if(fusions::is_even{}), [](auto policy, auto begin, auto end) {
      return std::find_if(policy, begin, end, fusions::is_even{});
    });
  });
  add_sizes(s, "cpu.pipeline.min_element", "position of the least u32", {12, 20}, n,
            [ex](index_t m) {
              return search(ex, m, min_element(), [](auto policy, auto begin, auto end) {
                return std::min_element(policy, begin, end);
              });
            });
  auto const add = [&](char const* name, auto ours, auto by_hand) {
    s.rows.push_back({std::string("cpu.pipeline.") + name, std::string(name) + " u32", n,
                      [=](index_t m) { return beside_primitive(ex, m, ours, by_hand); }});
  };
  fusions::each_of_one_stage(ex, add);
  add(
      "sort", [=](auto in, auto out) { return on(ex, in) | sort() | into(out); },
      [=](auto in, auto out, auto) { radix_sort(ex, in, out); });
  fusions::each_of_two_stages(ex, add);
  return s;
}

}  // namespace
}  // namespace ravel::bench::host

int main(int argc, char** argv) {
  using namespace ravel::bench::host;
  return run_suite(all, argc, argv);
}
