/// Reductions, segmented reductions, histograms and heavy maps on the CPU, compared with oneTBB,
/// OpenMP and libstdc++.

#include "peers/best_sum.hpp"
#include "peers/sorts.hpp"
#include "support/host.hpp"

#include <ravel/core/parallel.hpp>
#include <ravel/primitives/find_first.hpp>
#include <ravel/primitives/histogram.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/searches.hpp>
#include <ravel/primitives/segmented_reduce.hpp>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <array>
#include <execution>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

namespace ravel::bench::host {
namespace {

/// A one in sixteen random numbers: few enough that every sum is exact in float.
template <class T>
struct rare_one {
  T operator()(index_t i) const { return static_cast<T>(random_below(4, i, 16) == 0 ? 1 : 0); }
};

template <class T>
comparison sum(executor const& ex, index_t n) {
  auto const in = generate<T>(ex, n, rare_one<T>{});
  auto const out = allocate<T>(ex, 1);
  T const expected = static_cast<T>(std::accumulate(in->begin(), in->end(), 0.0));
  auto const right = [=] { return (*out)[0] == expected; };

  comparison c;
  c.bytes = double(n) * sizeof(T);
  c.poison = poison(out);
  add_ours(
      ex, c, [=](executor const& by) { reduce(by, *in, *out); }, right);
  c.contenders.push_back(
      {"peer:oneTBB",
       [=] {
         (*out)[0] = tbb::parallel_reduce(
             tbb::blocked_range<T const*>(in->begin(), in->end()), T(0),
             [](auto const& r, T x) { return std::accumulate(r.begin(), r.end(), x); },
             std::plus<T>());
       },
       right});
  c.contenders.push_back(
      {"peer:libstdc++ par",
       [=] { (*out)[0] = std::reduce(std::execution::par_unseq, in->begin(), in->end()); }, right});
  c.contenders.push_back({"peer:serial loop",
                          [=] { (*out)[0] = std::accumulate(in->begin(), in->end(), T(0)); },
                          right});
  return c;
}

/// The greatest sum of consecutive elements: a reduction of structs, which does not commute.
struct best_of_one {
  best_sum operator()(index_t i) const {
    auto const x = static_cast<std::int32_t>(random_below(6, i, 201)) - 100;
    auto const some = std::max(x, 0);
    return {x, some, some, some};
  }
};
comparison greatest_sum(executor const& ex, index_t n) {
  auto const in = generate<best_sum>(ex, n, best_of_one{});
  auto const out = allocate<best_sum>(ex, 1);
  auto const identity = join_best_sums::identity();
  auto const loop = [=] {
    return std::accumulate(in->begin(), in->end(), identity, join_best_sums{});
  };
  auto const right = [=, expected = loop()] { return (*out)[0] == expected; };

  comparison c;
  c.bytes = double(n) * sizeof(best_sum);
  c.poison = poison(out);
  add_ours(
      ex, c, [=](executor const& by) { reduce(by, *in, *out, join_best_sums{}); }, right);
#ifdef RAVEL_PEER_PARLAYLIB
  c.contenders.push_back(
      {"peer:ParlayLib",
       [=] { (*out)[0] = peers::parlaylib_best_sum(in->begin(), in->end(), ex.concurrency()); },
       right,
       {},
       peers::parlay_rest});
#endif
  c.contenders.push_back({"peer:oneTBB",
                          [=] {
                            (*out)[0] = tbb::parallel_reduce(
                                tbb::blocked_range<best_sum const*>(in->begin(), in->end()),
                                identity,
                                [](auto const& r, best_sum const& x) {
                                  return std::accumulate(r.begin(), r.end(), x, join_best_sums{});
                                },
                                join_best_sums{});
                          },
                          right});
  c.contenders.push_back({"peer:serial loop", [=] { (*out)[0] = loop(); }, right});
  return c;
}

/// Segments of 1 to 65 elements.
struct length_of_segment {
  index_t first;
  std::int32_t operator()(index_t s) const {
    return static_cast<std::int32_t>(1 + random_below(2, first + s, 65));
  }
};

/// Sums of segments, which each call divides otherwise, so that no branch predictor learns them.
comparison sums_of_segments(executor const& ex, index_t segments) {
  using T = float;
  index_t const sets = std::max<index_t>(1, (index_t{1} << 15) / segments);
  auto const divisions = std::make_shared<std::vector<ravel::cpu::buffer<std::int32_t>>>();
  index_t n = 0;
  for (index_t set = 0; set < sets; ++set) {
    auto const lengths = generate<std::int32_t>(ex, segments, length_of_segment{set * segments});
    auto const& offsets = divisions->emplace_back(segments + 1);
    exclusive_scan(ex, *lengths, offsets);
    n = std::max<index_t>(n, offsets[segments]);
  }
  auto const in = generate<T>(ex, n, rare_one<T>{});
  auto const out = allocate<T>(ex, segments);
  auto const latest = std::make_shared<std::size_t>(0);
  auto const next = [=]() -> auto const& {
    *latest = (*latest + 1) % divisions->size();
    return (*divisions)[*latest];
  };
  auto const row = [=](auto const& offsets) {
    return [in = in->data(), at = offsets.data()](index_t s) {
      return std::accumulate(in + at[s], in + at[s + 1], T(0));
    };
  };
  auto const right = [=] { return all_equal(segments, out->data(), row((*divisions)[*latest])); };

  comparison c;
  c.bytes = 4.0 * double(n) + 8.0 * double(segments);
  c.poison = poison(out);
  add_ours(
      ex, c,
      [=](executor const& by) {
        auto const& offsets = next();
        segmented_reduce(by, view<T const>(in->data(), offsets[segments]), by_offsets(offsets),
                         *out);
      },
      right);
  c.contenders.push_back(
      {"peer:oneTBB rows",
       [=] {
         tbb::parallel_for(index_t{0}, segments,
                           [sum = row(next()), to = out->data()](index_t s) { to[s] = sum(s); });
       },
       right});
  c.contenders.push_back({"peer:serial loop",
                          [=] {
                            auto const sum = row(next());
                            for (index_t s = 0; s < segments; ++s) (*out)[s] = sum(s);
                          },
                          right});
  add_copy(ex, c);
  return c;
}

comparison histogram_of_bytes(executor const& ex, index_t n) {
  constexpr std::size_t bins = 256;
  using counts = std::array<std::int64_t, bins>;
  auto const in = generate<std::uint8_t>(ex, n, reached<std::uint8_t>{});
  auto const out = allocate<std::int64_t>(ex, bins), expected = allocate<std::int64_t>(ex, bins);
  auto const by_loop = [=](std::int64_t* to) {
    std::fill_n(to, bins, 0);
    for (std::uint8_t const x : *in) ++to[x];
  };
  by_loop(expected->data());
  auto const right = [=] {
    return all_equal(bins, out->data(), element<std::int64_t>{expected->data()});
  };

  comparison c;
  c.bytes = double(n);
  c.poison = poison(out);
  add_ours(
      ex, c, [=](executor const& by) { histogram(by, *in, *out); }, right);
  c.contenders.push_back({"peer:oneTBB",
                          [=] {
                            auto const all = tbb::parallel_reduce(
                                tbb::blocked_range<std::uint8_t const*>(in->begin(), in->end()),
                                counts{},
                                [](auto const& r, counts some) {
                                  for (std::uint8_t const x : r) ++some[x];
                                  return some;
                                },
                                [](counts x, counts const& y) {
                                  for (std::size_t k = 0; k < bins; ++k) x[k] += y[k];
                                  return x;
                                });
                            std::copy(all.begin(), all.end(), out->begin());
                          },
                          right});
  c.contenders.push_back({"peer:serial loop", [=] { by_loop(out->data()); }, right});
  return c;
}

/// Zeros, followed by a one.
struct is_one {
  bool operator()(std::int32_t x) const { return x == 1; }
};
struct one_at {
  index_t last;
  std::int32_t operator()(index_t i) const { return i == last ? 1 : 0; }
};

comparison last_found(executor const& ex, index_t n) {
  auto const in = generate<std::int32_t>(ex, n, one_at{n - 1});
  auto const out = allocate<index_t>(ex, 1);
  auto const right = [=] { return (*out)[0] == n - 1; };
  auto const place_of = [=](auto const& found) { (*out)[0] = found - in->begin(); };

  comparison c;
  c.bytes = 4.0 * double(n);
  c.poison = poison(out);
  add_ours(
      ex, c, [=](executor const& by) { find_first(by, *in, is_one{}, *out); }, right);
  c.contenders.push_back(
      {"peer:libstdc++ par",
       [=] { place_of(std::find_if(std::execution::par_unseq, in->begin(), in->end(), is_one{})); },
       right});
  c.contenders.push_back({"peer:serial loop",
                          [=] { place_of(std::find_if(in->begin(), in->end(), is_one{})); },
                          right});
  return c;
}

/// Of random numbers the least, at any place.
comparison least_found(executor const& ex, index_t n) {
  auto const in = generate<std::int32_t>(ex, n, reached<std::int32_t>{});
  auto const out = allocate<index_t>(ex, 1);
  auto const expected = std::min_element(in->begin(), in->end()) - in->begin();
  auto const right = [=] { return (*out)[0] == expected; };

  comparison c;
  c.bytes = 4.0 * double(n);
  c.poison = poison(out);
  add_ours(
      ex, c, [=](executor const& by) { min_element(by, *in, *out); }, right);
  c.contenders.push_back({"peer:libstdc++ par",
                          [=] {
                            auto const least =
                                std::min_element(std::execution::par_unseq, in->begin(), in->end());
                            (*out)[0] = least - in->begin();
                          },
                          right});
  c.contenders.push_back(
      {"peer:serial loop",
       [=] { (*out)[0] = std::min_element(in->begin(), in->end()) - in->begin(); }, right});
  return c;
}

/// Equal sequences up to the last element.
comparison mismatch_found(executor const& ex, index_t n) {
  auto const a = generate<std::int32_t>(ex, n, one_at{n - 1});
  auto const b = generate<std::int32_t>(ex, n, one_at{n});
  auto const out = allocate<index_t>(ex, 1);
  auto const right = [=] { return (*out)[0] == n - 1; };
  auto const place_of = [=](auto const& pair) { (*out)[0] = pair.first - a->begin(); };

  comparison c;
  c.bytes = 8.0 * double(n);
  c.poison = poison(out);
  add_ours(
      ex, c, [=](executor const& by) { mismatch(by, *a, *b, *out); }, right);
  c.contenders.push_back({"peer:libstdc++ par",
                          [=] {
                            place_of(std::mismatch(std::execution::par_unseq, a->begin(), a->end(),
                                                   b->begin(), b->end()));
                          },
                          right});
  c.contenders.push_back(
      {"peer:serial loop",
       [=] { place_of(std::mismatch(a->begin(), a->end(), b->begin(), b->end())); }, right});
  return c;
}

/// A function of a few microseconds: terms of a series.
struct heavy {
  double operator()(double x) const {
    double sum = 0;
    for (int k = 1; k <= 2000; ++k) sum += x / (k * (k + x));
    return sum;
  }
};

comparison map_of_heavy(executor const& ex, index_t n) {
  auto const in = generate<double>(ex, n, rare_one<double>{});
  auto const out = allocate<double>(ex, n);
  auto const right = [=] {
    return std::ranges::equal(*in, *out, {}, [](double x) { return x == 0 ? 0.0 : heavy{}(1); });
  };

  comparison c;
  c.bytes = 16.0 * double(n);
  c.poison = poison(out);
  add_ours(
      ex, c, [=](executor const& by) { map(by, heavy{}, *out, *in); }, right);
  c.contenders.push_back({"named:grain(1)", [=] { map(ex, heavy{}, *out, *in, grain(1)); }, right});
  auto const one = [=](index_t i) { (*out)[i] = heavy{}((*in)[i]); };
  c.contenders.push_back({"named:parallel_for", [=] { parallel_for(ex, n, one); }, right});
  c.contenders.push_back({"peer:oneTBB", [=] { tbb::parallel_for(index_t{0}, n, one); }, right});
#ifdef _OPENMP
  c.contenders.push_back({"peer:OpenMP",
                          [=] {
#  pragma omp parallel for schedule(dynamic)
                            for (index_t i = 0; i < n; ++i) one(i);
                          },
                          right,
                          {},
                          openmp_rest});
#endif
  c.contenders.push_back({"peer:serial loop",
                          [=] { std::transform(in->begin(), in->end(), out->begin(), heavy{}); },
                          right});
  return c;
}

template <class T>
void add_sums(suite& s, executor const& ex, std::string const& type) {
  add_sizes(s, "cpu.reduce." + type, "sum " + type, {0, 3, 6, 9, 12, 14, 17, 18, 20, 22, 24},
            index_t{1} << 27, [ex](index_t n) { return sum<T>(ex, n); });
}

suite all(executor const& ex) {
  suite s = make_suite("cpu.reduce", ex);
  add_sums<std::uint32_t>(s, ex, "u32");
  add_sums<float>(s, ex, "f32");
  add_sizes(s, "cpu.reduce.struct", "the greatest sum of consecutive i32", {6, 12, 16, 20},
            index_t{1} << 25, [ex](index_t n) { return greatest_sum(ex, n); });
  add_sizes(s, "cpu.segmented_reduce.offsets", "sums of segments f32, mean length 33",
            {9, 12, 15, 18}, index_t{1} << 22,  // smaller sizes: cpu.small
            [ex](index_t segments) { return sums_of_segments(ex, segments); });
  add_sizes(s, "cpu.histogram.u8", "histogram of bytes", {3, 6, 9, 12, 14, 16, 17, 18, 20, 24},
            index_t{1} << 28, [ex](index_t n) { return histogram_of_bytes(ex, n); });
  add_sizes(s, "cpu.map.heavy", "map of a few microseconds each", {0, 3, 6, 9}, index_t{1} << 13,
            [ex](index_t n) { return map_of_heavy(ex, n); });
  add_sizes(s, "cpu.find_first", "find first, i32, the last", {3, 6, 9, 12, 16, 20, 24},
            index_t{1} << 27, [ex](index_t n) { return last_found(ex, n); });
  add_sizes(s, "cpu.min_element", "least element, i32", {3, 6, 9, 12, 16, 20, 24}, index_t{1} << 27,
            [ex](index_t n) { return least_found(ex, n); });
  add_sizes(s, "cpu.mismatch", "mismatch, i32, the last", {3, 6, 9, 12, 16, 20, 24},
            index_t{1} << 27, [ex](index_t n) { return mismatch_found(ex, n); });
  return s;
}

}  // namespace
}  // namespace ravel::bench::host

int main(int argc, char** argv) {
  using namespace ravel::bench::host;
  return run_suite(all, argc, argv);
}
