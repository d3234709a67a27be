/// Selection, multiway merge, string sort and aggregation by hashing on the CPU, compared with the standard library.

#include "support/host.hpp"

#include <ravel/algorithms/group_by_hash.hpp>
#include <ravel/algorithms/merge_segments.hpp>
#include <ravel/algorithms/partial_sort.hpp>
#include <ravel/algorithms/selection.hpp>
#include <ravel/algorithms/string_sort.hpp>
#include <ravel/primitives/merge.hpp>
#include <ravel/primitives/search.hpp>

#ifdef _OPENMP
#  include <parallel/algorithm>
#endif

#include <algorithm>
#include <cstdint>
#include <execution>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace ravel::bench::host {
namespace {

using key = std::uint32_t;

/// The median of each input by an order.
template <class Before>
std::vector<key> medians(inputs<key> const& of, Before before) {
  std::vector<key> all;
  for (int k = 0; k < of.many(); ++k) {
    std::vector<key> some(of.in(k).begin(), of.in(k).end());
    auto const middle = some.begin() + std::ssize(some) / 2;
    std::nth_element(some.begin(), middle, some.end(), before);
    all.push_back(*middle);
  }
  return all;
}

comparison nth(executor const& ex, index_t n) {
  inputs<key> const of(ex, n, reached<key>{});
  auto const out = allocate<key>(ex, 1);
  auto const middle = n / 2;
  auto const expected = medians(of, less{});

  comparison c;
  c.bytes = 8.0 * double(n);
  c.poison = poison(out);
  add_ours(
      ex, c,
      [=](executor const& by) {
        of.next();
        nth_element(by, of.in(), middle, *out);
      },
      [=] { return (*out)[0] == expected[static_cast<std::size_t>(of.latest())]; });
  auto const there = [=] {
    return of.out()[middle] == expected[static_cast<std::size_t>(of.latest())];
  };
  auto const select = [=](auto policy) {
    return [=](key* first, key* last) { std::nth_element(policy, first, first + middle, last); };
  };
  c.contenders.push_back(of.in_place("peer:std::nth_element", select(std::execution::seq), there));
  c.contenders.push_back(of.in_place("peer:libstdc++ par", select(std::execution::par), there));
  add_copy(ex, c);
  return c;
}

comparison smallest(executor const& ex, index_t n, index_t k) {
  auto const in = generate<key>(ex, n, reached<key>{});
  auto const out = allocate<key>(ex, k), expected = allocate<key>(ex, k);
  std::partial_sort_copy(in->begin(), in->end(), expected->begin(), expected->end());
  auto const right = [=] { return all_equal(k, out->data(), element<key>{expected->data()}); };

  comparison c;
  c.bytes = 4.0 * double(n + k);
  c.poison = poison(out);
  add_ours(
      ex, c, [=](executor const& by) { top_k(by, *in, *out); }, right);
  c.contenders.push_back(
      {"peer:std::partial_sort_copy",
       [=] { std::partial_sort_copy(in->begin(), in->end(), out->begin(), out->end()); }, right});
  c.contenders.push_back({"peer:libstdc++ par",
                          [=] {
                            std::partial_sort_copy(std::execution::par, in->begin(), in->end(),
                                                   out->begin(), out->end());
                          },
                          right});
  add_copy(ex, c);
  return c;
}

/// The median by an order of the caller's, which has no digits.
struct by_low_half {
  bool operator()(key x, key y) const { return (x << 16 | x >> 16) < (y << 16 | y >> 16); }
};
comparison nth_by_order(executor const& ex, index_t n) {
  inputs<key> const of(ex, n, reached<key>{});
  auto const out = allocate<key>(ex, 1);
  auto const middle = n / 2;
  auto const expected = medians(of, by_low_half{});

  comparison c;
  c.bytes = 8.0 * double(n);
  c.poison = poison(out);
  add_ours(
      ex, c,
      [=](executor const& by) {
        of.next();
        nth_element(by, of.in(), middle, *out, by_low_half{});
      },
      [=] { return (*out)[0] == expected[static_cast<std::size_t>(of.latest())]; });
  c.contenders.push_back(of.in_place(
      "peer:std::nth_element",
      [=](key* first, key* last) { std::nth_element(first, first + middle, last, by_low_half{}); },
      [=] { return of.out()[middle] == expected[static_cast<std::size_t>(of.latest())]; }));
  add_copy(ex, c);
  return c;
}

/// The 1000 smallest by an order to the front.
comparison partly_sorted(executor const& ex, index_t n) {
  index_t const k = std::min<index_t>(n, 1000);
  inputs<key> const of(ex, n, reached<key>{});
  auto const expected = allocate<key>(ex, k * of.many());
  for (int i = 0; i < of.many(); ++i) {
    std::partial_sort_copy(of.in(i).begin(), of.in(i).end(), expected->begin() + i * k,
                           expected->begin() + (i + 1) * k, by_low_half{});
  }
  auto const right = [=] {
    return all_equal(k, of.out().data(), element<key>{expected->data() + of.latest() * k});
  };
  auto const sort = [=](auto policy) {
    return [=](key* first, key* last) {
      std::partial_sort(policy, first, first + k, last, by_low_half{});
    };
  };

  comparison c;
  c.bytes = 8.0 * double(n);
  c.contenders = {of.in_place(
                      "ravel",
                      [=](key* first, key* last) {
                        partial_sort(ex, view<key>(first, last - first), k, by_low_half{});
                      },
                      right),
                  of.in_place("peer:std::partial_sort", sort(std::execution::seq), right),
                  of.in_place("peer:libstdc++ par", sort(std::execution::par), right)};
  add_copy(ex, c);
  return c;
}

comparison smallest_by_order(executor const& ex, index_t n, index_t k) {
  auto const in = generate<key>(ex, n, reached<key>{});
  auto const out = allocate<key>(ex, k), expected = allocate<key>(ex, k);
  auto const select = [=](auto const& to) {
    std::partial_sort_copy(in->begin(), in->end(), to->begin(), to->end(), by_low_half{});
  };
  select(expected);
  auto const right = [=] { return all_equal(k, out->data(), element<key>{expected->data()}); };

  comparison c;
  c.bytes = 4.0 * double(n + k);
  c.poison = poison(out);
  add_ours(
      ex, c, [=](executor const& by) { top_k(by, *in, *out, by_low_half{}); }, right);
  c.contenders.push_back({"peer:std::partial_sort_copy", [=] { select(out); }, right});
  add_copy(ex, c);
  return c;
}

/// k sorted sequences of equal length, by `merge_by(executor, all, offsets, out)`.  Each call has others,
/// of several MiB in total, so that no branch predictor learns them.
template <class MergeBy>
comparison merge_many(executor const& ex, index_t n, index_t k, MergeBy merge_by) {
  index_t const sets = std::max<index_t>(1, (index_t{1} << 18) / n);
  auto const in = generate<key>(ex, sets * n, reached<key>{});
  auto const out = allocate<key>(ex, n), expected = allocate<key>(ex, sets * n);
  std::copy_n(in->data(), in->size(), expected->data());
  std::vector<index_t> offsets;
  for (index_t s = 0; s <= k; ++s) offsets.push_back(s * n / k);
  for (index_t set = 0; set < sets; ++set) {
    auto const sort = [=](shared<key> const& keys, index_t begin, index_t end) {
      auto const first = keys->begin() + set * n;
      std::sort(std::execution::par, first + begin, first + end);
    };
    sort(expected, 0, n);
    for (index_t s = 0; s < k; ++s) sort(in, s * n / k, (s + 1) * n / k);
  }
  auto const latest = std::make_shared<index_t>(0);
  auto const next = [=] {
    *latest = (*latest + 1) % sets;
    return view<key>(in->data() + *latest * n, n);
  };
  auto const right = [=] {
    return all_equal(n, out->data(), element<key>{expected->data() + *latest * n});
  };

  comparison c;
  c.bytes = 8.0 * double(n);
  c.poison = poison(out);
  add_ours(
      ex, c, [=](executor const& by) { merge_by(by, next(), offsets, *out); }, right);
  if (k == 2) {
    c.contenders.push_back({"peer:std::merge",
                            [=] {
                              auto const all = next();
                              auto const middle = all.begin() + offsets[1];
                              std::merge(all.begin(), middle, middle, all.end(), out->begin());
                            },
                            right});
    c.contenders.push_back({"peer:libstdc++ par",
                            [=] {
                              auto const all = next();
                              auto const middle = all.begin() + offsets[1];
                              std::merge(std::execution::par, all.begin(), middle, middle,
                                         all.end(), out->begin());
                            },
                            right});
  }
#ifdef _OPENMP
  c.contenders.push_back({"peer:libstdc++ multiway",
                          [=] {
                            auto const all = next();
                            std::vector<std::pair<key*, key*>> runs;
                            for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
                              runs.emplace_back(all.begin() + offsets[s],
                                                all.begin() + offsets[s + 1]);
                            }
                            __gnu_parallel::stable_multiway_merge(runs.begin(), runs.end(),
                                                                  out->data(), n, std::less<key>{});
                          },
                          right,
                          {},
                          openmp_rest});
#endif
  c.contenders.push_back({"peer:std::stable_sort",
                          [=] { std::stable_sort(out->begin(), out->end()); }, right,
                          [=] { std::ranges::copy(next(), out->begin()); }});
  add_copy(ex, c);
  return c;
}

/// Strings of 4 to 23 letters out of 8, stored contiguously.
struct length_of_string {
  index_t operator()(index_t s) const { return 4 + random_below(2, s, 20); }
};
struct letter {
  char operator()(index_t i) const { return static_cast<char>('a' + random_below(3, i, 8)); }
};

comparison strings(executor const& ex, index_t n) {
  std::vector<index_t> offsets{0};
  for (index_t s = 0; s < n; ++s) offsets.push_back(offsets.back() + length_of_string{}(s));
  auto const text = generate<char>(ex, offsets.back(), letter{});
  auto const order = allocate<std::int32_t>(ex, n);
  auto const views = std::make_shared<std::vector<std::string_view>>();
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    views->emplace_back(text->data() + offsets[s],
                        static_cast<std::size_t>(offsets[s + 1] - offsets[s]));
  }
  auto const before = [of = views->data()](std::int32_t x, std::int32_t y) {
    return of[x] < of[y];
  };
  auto const in_order = [=] { return std::is_sorted(order->begin(), order->end(), before); };
  auto const count_up = [order, n, views] {  // `before` compares by these indices
    for (index_t s = 0; s < n; ++s) (*order)[s] = static_cast<std::int32_t>(s);
  };
  count_up();
  std::stable_sort(order->begin(), order->end(), before);
  std::vector<std::int32_t> const expected(order->begin(), order->end());

  comparison c;
  c.bytes = double(offsets.back()) + 12.0 * double(n);
  c.poison = poison(order);
  add_ours(
      ex, c,
      [=](executor const& by) { string_argsort_sync(by, *text, by_offsets(offsets), *order); },
      [=] { return std::equal(order->begin(), order->end(), expected.begin()); });
  c.contenders.push_back({"peer:std::stable_sort",
                          [=] { std::stable_sort(order->begin(), order->end(), before); }, in_order,
                          count_up});
  c.contenders.push_back({"peer:std::sort",
                          [=] { std::sort(order->begin(), order->end(), before); }, in_order,
                          count_up});
  c.contenders.push_back(
      {"peer:libstdc++ par",
       [=] { std::stable_sort(std::execution::par, order->begin(), order->end(), before); },
       in_order, count_up});
  add_copy(ex, c);
  return c;
}

/// n strings, of which some 2^16 are distinct or all, and how often each occurs.
comparison counts_of_strings(executor const& ex, index_t n, bool repeated) {
  auto const words = std::make_shared<std::vector<std::string>>();
  for (index_t i = 0; i < n; ++i) {
    words->emplace_back("w").append(std::to_string(repeated ? random_below(4, i, 1 << 16) : i));
  }
  auto const keys = allocate<std::string_view>(ex, n), out = allocate<std::string_view>(ex, n);
  auto const counts = allocate<std::int32_t>(ex, n);
  std::copy(words->begin(), words->end(), keys->begin());
  auto const often = std::make_shared<std::unordered_map<std::string_view, std::int32_t>>();
  auto const count = [=] {
    often->clear();
    for (auto const& key : *keys) ++(*often)[key];
  };
  count();
  auto const expected = *often;

  comparison c;
  c.bytes = 16.0 * double(n);
  c.poison = poison(counts);
  add_ours(
      ex, c, [=](executor const& by) { histogram_by_key_sync(by, *keys, *out, *counts); },
      [=, w = words] {
        for (std::size_t s = 0; s < expected.size(); ++s) {
          auto const at = expected.find(out->begin()[s]);
          if (at == expected.end() || at->second != counts->begin()[s]) return false;
        }
        return true;
      });
  c.contenders.push_back({"peer:std::unordered_map", count, [=] { return *often == expected; }});
  add_copy(ex, c);
  return c;
}

/// n keys, of which some 2^16 are distinct or all; sums of values of each, and the first of each.
struct key_of_group {
  bool repeated;
  key operator()(index_t i) const {
    return repeated ? static_cast<key>(random_below(5, i, 1 << 16))
                    : static_cast<key>(i) * 0x9e3779b1u;  // an odd factor: none occurs twice
  }
};
comparison sums_by_key(executor const& ex, index_t n, bool repeated) {
  auto const keys = generate<key>(ex, n, key_of_group{repeated});
  auto const values = generate<std::int64_t>(ex, n, reached<std::int64_t>{});
  auto const out = allocate<key>(ex, n);
  auto const sums = allocate<std::int64_t>(ex, n);
  auto const table = std::make_shared<std::unordered_map<key, std::int64_t>>();
  auto const by_table = [=] {
    table->clear();
    for (index_t i = 0; i < n; ++i) (*table)[(*keys)[i]] += (*values)[i];
  };
  by_table();
  auto const expected = *table;

  comparison c;
  c.bytes = 12.0 * double(n);
  c.poison = poison(out, sums);
  add_ours(
      ex, c, [=](executor const& by) { reduce_by_hash_sync(by, *keys, *values, *out, *sums); },
      [=] {
        for (std::size_t s = 0; s < expected.size(); ++s) {
          auto const at = expected.find(out->begin()[s]);
          if (at == expected.end() || at->second != sums->begin()[s]) return false;
        }
        return true;
      });
  c.contenders.push_back({"peer:std::unordered_map", by_table, [=] { return *table == expected; }});
  add_copy(ex, c);
  return c;
}

comparison first_of_each_key(executor const& ex, index_t n, bool repeated) {
  auto const keys = generate<key>(ex, n, key_of_group{repeated});
  auto const out = allocate<key>(ex, n);
  auto const kept = std::make_shared<index_t>();
  auto const seen = std::make_shared<std::unordered_set<key>>();
  auto const by_table = [=] {
    seen->clear();
    *kept = 0;
    for (key const x : *keys) {
      if (seen->insert(x).second) (*out)[(*kept)++] = x;
    }
  };
  by_table();
  std::vector<key> const expected(out->begin(), out->begin() + *kept);
  auto const right = [=] {
    return *kept == std::ssize(expected) &&
           std::equal(expected.begin(), expected.end(), out->begin());
  };

  comparison c;
  c.bytes = 4.0 * double(n) + 4.0 * double(expected.size());
  c.poison = poison(out);
  add_ours(
      ex, c, [=](executor const& by) { *kept = remove_duplicates_sync(by, *keys, *out); }, right);
  c.contenders.push_back({"peer:std::unordered_set", by_table, right});
  add_copy(ex, c);
  return c;
}

/// Random needles in a sorted sequence of as many.
comparison searches(executor const& ex, index_t n) {
  auto const haystack = generate<key>(ex, n, reached<key>{});
  auto const needles = allocate<key>(ex, n), out = allocate<key>(ex, n),
             expected = allocate<key>(ex, n);
  for (index_t i = 0; i < n; ++i) (*needles)[i] = (*haystack)[i] * 2654435761u;
  std::sort(std::execution::par, haystack->begin(), haystack->end());
  auto const place = [=](key x) {
    return static_cast<key>(std::lower_bound(haystack->begin(), haystack->end(), x) -
                            haystack->begin());
  };
  auto const search = [=](auto policy, auto const& to) {
    std::transform(policy, needles->begin(), needles->end(), to->begin(), place);
  };
  search(std::execution::par, expected);
  auto const right = [=] { return all_equal(n, out->data(), element<key>{expected->data()}); };

  comparison c;
  c.bytes = 12.0 * double(n);
  c.poison = poison(out);
  add_ours(
      ex, c, [=](executor const& by) { lower_bound(by, *needles, *haystack, *out); }, right);
  c.contenders.push_back(
      {"peer:std::lower_bound", [=] { search(std::execution::seq, out); }, right});
  c.contenders.push_back({"peer:libstdc++ par", [=] { search(std::execution::par, out); }, right});
  add_copy(ex, c);
  return c;
}

suite all(executor const& ex) {
  suite s = make_suite("cpu.selection", ex);
  constexpr index_t whole = index_t{1} << 24;
  add_sizes(s, "cpu.nth_element.u32", "the median of u32", {12, 16, 20}, whole,
            [ex](index_t n) { return nth(ex, n); });
  auto const add_top = [&](index_t k, std::initializer_list<int> logs) {
    auto const count = std::to_string(k);
    add_sizes(s, "cpu.top_k.u32." + count, "the " + count + " smallest of u32", logs, whole,
              [=](index_t n) { return smallest(ex, n, std::min(n, k)); });
  };
  add_sizes(s, "cpu.lower_bound.u32", "searches for random u32 in as many", {12, 16, 20}, whole,
            [ex](index_t n) { return searches(ex, n); });
  add_top(10, {});
  add_top(1000, {12, 16, 20});
  add_top(1'000'000, {});
  add_sizes(s, "cpu.nth_element.order", "the median of u32 by an order", {20}, whole,
            [ex](index_t n) { return nth_by_order(ex, n); });
  add_sizes(s, "cpu.top_k.order.1000", "the 1000 smallest of u32 by an order", {20}, whole,
            [ex](index_t n) { return smallest_by_order(ex, n, std::min<index_t>(n, 1000)); });
  add_sizes(s, "cpu.partial_sort.order", "the 1000 smallest of u32 by an order to the front", {20},
            whole, [ex](index_t n) { return partly_sorted(ex, n); });
  auto const add_merge = [&](index_t k, std::initializer_list<int> logs) {
    auto const count = std::to_string(k);
    add_sizes(s, "cpu.merge_segments.u32." + count, "merge of " + count + " sorted sequences u32",
              logs, whole, [=](index_t n) {
                return merge_many(ex, n, k,
                                  [](executor const& by, auto all, auto const& offsets, auto& out) {
                                    merge_segments(by, all, by_offsets(offsets), out);
                                  });
              });
  };
  add_sizes(s, "cpu.merge.u32", "merge of two sorted sequences u32", {10, 12, 16, 20, 24},
            4 * whole, [ex](index_t n) {
              return merge_many(
                  ex, n, 2, [](executor const& by, auto all, auto const& offsets, auto& out) {
                    view<key const> const a(all.data(), offsets[1]);
                    merge(by, a, view<key const>(a.end(), all.size() - a.size()), out);
                  });
            });
  add_merge(2, {12, 16, 20});
  add_merge(16, {12, 16, 20});
  add_merge(1000, {});
  add_sizes(s, "cpu.string_sort", "the order of strings of 4 to 23 letters", {10, 12, 16},
            index_t{1} << 20, [ex](index_t n) { return strings(ex, n); });
  for (bool const repeated : {true, false}) {
    add_sizes(s, repeated ? "cpu.histogram_by_key.repeated" : "cpu.histogram_by_key.distinct",
              repeated ? "how often each of 2^16 strings occurs" : "counts of distinct strings",
              {12, 16}, index_t{1} << 20,
              [=](index_t n) { return counts_of_strings(ex, n, repeated); });
    std::string const keys = repeated ? " of 2^16 keys u32" : " of distinct keys u32";
    add_sizes(s, repeated ? "cpu.reduce_by_hash.repeated" : "cpu.reduce_by_hash.distinct",
              "sums of values i64" + keys, {12, 16}, index_t{1} << 22,
              [=](index_t n) { return sums_by_key(ex, n, repeated); });
    add_sizes(s, repeated ? "cpu.remove_duplicates.repeated" : "cpu.remove_duplicates.distinct",
              "the first of each" + keys, {12, 16}, index_t{1} << 22,
              [=](index_t n) { return first_of_each_key(ex, n, repeated); });
  }
  return s;
}

}  // namespace
}  // namespace ravel::bench::host

int main(int argc, char** argv) {
  using namespace ravel::bench::host;
  return run_suite(all, argc, argv);
}
