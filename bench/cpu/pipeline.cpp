/// Pipelines on the CPU, beside the calls that each stage would be by itself.

#include "support/host.hpp"

#include <ravel/pipelines/pipelines.hpp>

#include <algorithm>
#include <concepts>
#include <execution>
#include <memory>
#include <numeric>
#include <string>

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

struct zero_of_sum {
  T operator()() const { return 0; }
};
struct write_sum {
  static constexpr bool only_through = true;
  T* to;
  void operator()(index_t i, T, T through) const { to[i] = through; }
};

/// What is written by hand: a load, a question, or a visit of a primitive.
struct read_mapped {
  T const* from;
  T operator()(index_t i) const { return twice_and_one{}(from[i]); }
};
struct read_wanted {
  T const* from;
  T operator()(index_t i) const { return divisible_by_3{}(from[i]) ? from[i] : 0; }
};
struct is_wanted {
  T const* from;
  bool operator()(index_t i) const { return divisible_by_3{}(from[i]); }
};
struct mapped_is_wanted {
  T const* from;
  bool operator()(index_t i) const { return divisible_by_3{}(twice_and_one{}(from[i])); }
};
struct move_mapped {
  T const* from;
  T* to;
  void operator()(index_t i, index_t place) const { to[place] = twice_and_one{}(from[i]); }
};
struct write_mapped_sum {
  static constexpr bool only_through = true;
  T* to;
  void operator()(index_t i, T, T through) const { to[i] = twice_and_one{}(through); }
};
struct if_wanted {
  maybe<T> operator()(index_t, T, T through) const {
    return divisible_by_3{}(through) ? maybe<T>(through) : maybe<T>();
  }
};
template <class U>
struct give_to {
  U* to;
  void operator()(U x) const { *to = x; }
};

/// A pipeline, beside calls of primitives: both are functions of where to read, where to write,
/// and how much, and return how much they wrote.
template <class Ours, class ByHand>
comparison beside_primitive(executor const& ex, index_t n, Ours ours, ByHand by_hand) {
  auto const in = generate<T>(ex, n, reached<T>{});
  auto const out = allocate<T>(ex, n);
  auto const expected = allocate<T>(ex, n);
  index_t const made = by_hand(in->data(), expected->data(), n);
  auto const written = std::make_shared<index_t>(0);
  auto const right = [=] {
    return *written == made && all_equal(made, out->data(), element<T>{expected->data()});
  };
  comparison c;
  c.bytes = 4.0 * double(n + made);
  c.poison = poison(out);
  c.contenders.push_back({"ours", [=] { *written = ours(in->data(), out->data(), n); }, right});
  c.contenders.push_back(
      {"peer:the primitive", [=] { *written = by_hand(in->data(), out->data(), n); }, right});
  add_copy(ex, c);
  return c;
}

/// Rows of one stage, and of two.
void add_fusions(suite& s, executor const& ex, index_t n) {
  auto const add = [&](char const* name, auto stages, auto by_hand) {
    auto const ours = [=](T const* in, T* out, index_t m) {
      auto const count = on(ex, view(in, m)) | stages | into(view(out, m));
      if constexpr (std::integral<decltype(count)>) {
        return count;
      } else {
        return count.get();
      }
    };
    s.rows.push_back({std::string("cpu.pipeline.") + name, std::string(name) + " u32", n,
                      [=](index_t m) { return beside_primitive(ex, m, ours, by_hand); }});
  };
  using sum = plus<T>;
  auto const none = [](T) {};
  add("map", map(twice_and_one{}), [=](T const* in, T* out, index_t m) {
    map(ex, twice_and_one{}, view(out, m), view(in, m));
    return m;
  });
  add("scan", inclusive_scan(plus{}), [=](T const* in, T* out, index_t m) {
    inclusive_scan(ex, view(in, m), view(out, m));
    return m;
  });
  add("filter", filter(divisible_by_3{}), [=](T const* in, T* out, index_t m) {
    index_t kept = 0;
    filter(ex, view(in, m), divisible_by_3{}, view(out, m), total_to(view(&kept, 1)));
    return kept;
  });
  add("map_scan", map(twice_and_one{}) | inclusive_scan(plus{}),
      [=](T const* in, T* out, index_t m) {
        scan_on(ex, m, read_mapped{in}, write_sum{out}, sum{}, zero_of_sum{}, none);
        return m;
      });
  add("scan_map", inclusive_scan(plus{}) | map(twice_and_one{}),
      [=](T const* in, T* out, index_t m) {
        scan_on(ex, m, element<T>{in}, write_mapped_sum{out}, sum{}, zero_of_sum{}, none);
        return m;
      });
  add("scan_filter", inclusive_scan(plus{}) | filter(divisible_by_3{}),
      [=](T const* in, T* out, index_t m) {
        index_t kept = 0;
        scan_then_pack_on(ex, m, element<T>{in}, sum{}, zero_of_sum{}, if_wanted{},
                          write_kept<T>{out, m}, give_to<index_t>{&kept});
        return kept;
      });
  add("map_filter", map(twice_and_one{}) | filter(divisible_by_3{}),
      [=](T const* in, T* out, index_t m) {
        index_t kept = 0;
        pack_on(ex, m, mapped_is_wanted{in}, move_mapped{in, out}, give_to<index_t>{&kept});
        return kept;
      });
  add("filter_map", filter(divisible_by_3{}) | map(twice_and_one{}),
      [=](T const* in, T* out, index_t m) {
        index_t kept = 0;
        pack_on(ex, m, is_wanted{in}, move_mapped{in, out}, give_to<index_t>{&kept});
        return kept;
      });

  auto const add_reduce = [&](char const* name, auto stages, auto by_hand) {
    s.rows.push_back(
        {std::string("cpu.pipeline.") + name, std::string(name) + " u32", n, [=](index_t m) {
           auto const ours = [=](T const* in, T* out, index_t k) {
             *out = (on(ex, view(in, k)) | stages | reduce(plus{})).get();
             return 1;
           };
           return beside_primitive(ex, m, ours, by_hand);
         }});
  };
  add_reduce("map_reduce", map(twice_and_one{}), [=](T const* in, T* out, index_t m) {
    reduce_on(ex, m, read_mapped{in}, sum{}, zero_of_sum{}, give_to<T>{out});
    return 1;
  });
  add_reduce("filter_reduce", filter(divisible_by_3{}), [=](T const* in, T* out, index_t m) {
    reduce_on(ex, m, read_wanted{in}, sum{}, zero_of_sum{}, give_to<T>{out});
    return 1;
  });
}

suite all(executor const& ex) {
  suite s = make_suite("cpu.pipeline", ex);
  index_t const n = index_t{1} << 27;
  s.rows.push_back({"cpu.pipeline.map_scan_filter", "map, scan, filter u32, a third kept", n,
                    [=](index_t m) { return map_scan_filter(ex, m); }});
  add_fusions(s, ex, n);
  return s;
}

}  // namespace
}  // namespace ravel::bench::host

int main(int argc, char** argv) {
  using namespace ravel::bench::host;
  return run_suite(all, argc, argv);
}
