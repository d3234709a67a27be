/// Scan and segmented scan on the CPU, compared with oneTBB, libstdc++ and Thrust.

#include "support/host.hpp"
#include "support/thrust.hpp"

#include <ravel/primitives/scan.hpp>
#include <ravel/primitives/segmented_scan.hpp>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_scan.h>

#ifdef RAVEL_BENCH_THRUST
#  include <thrust/scan.h>
#endif
#ifdef _OPENMP
#  include <parallel/numeric>
#endif

#include <execution>
#include <functional>
#include <numeric>

namespace ravel::bench::host {
namespace {

/// The textbook use of tbb::parallel_scan.
template <class T>
void scan_by_onetbb(index_t n, T const* in, T* out) {
  tbb::parallel_scan(
      tbb::blocked_range<index_t>(0, n), T(0),
      [=](tbb::blocked_range<index_t> const& r, T sum, bool is_final) {
        for (index_t i = r.begin(); i < r.end(); ++i) {
          sum += in[i];
          if (is_final) out[i] = sum;
        }
        return sum;
      },
      std::plus<T>());
}

template <class T>
void scan_by_loop(index_t n, T const* in, T* out) {
  T sum = 0;
  for (index_t i = 0; i < n; ++i) out[i] = sum += in[i];
}

/// The unsigned type of an integer, whose overflow is defined.
template <class T>
using summed_t = typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>,
                                             std::type_identity<T>>::type;

template <class T>
comparison forward_scan(executor const& ex, index_t n) {
  using U = summed_t<T>;
  auto const in = generate<U>(ex, n, step<U>{});
  auto const out = allocate<U>(ex, n);
  auto const right = [=] { return all_equal(n, out->data(), reached<U>{}); };

  comparison c;
  c.bytes = 2.0 * double(n) * sizeof(T);
  c.poison = poison(out);
  auto const add = [&](char const* name, auto f) {
    c.contenders.push_back({name, [=] { f(in->begin(), in->end(), out->begin()); }, right});
  };
  add_ours(
      ex, c, [=](executor const& by) { inclusive_scan(by, *in, *out); }, right);
  if (n <= index_t{1} << 12) {
    add("peer:serial loop", [=](U const* from, U const*, U* to) { scan_by_loop(n, from, to); });
  } else {
    add("peer:oneTBB", [=](U const* from, U const*, U* to) { scan_by_onetbb(n, from, to); });
    add("peer:libstdc++ par", [](U const* from, U const* end, U* to) {
      std::inclusive_scan(std::execution::par_unseq, from, end, to);
    });
#ifdef _OPENMP
    if (n >= index_t{1} << 24) {  // for fewer elements, waiting for its threads dominates
      add("peer:GNU parallel",
          [](U const* from, U const* end, U* to) { __gnu_parallel::partial_sum(from, end, to); });
    }
#endif
#ifdef RAVEL_BENCH_THRUST
    add("peer:Thrust-TBB", [](U const* from, U const* end, U* to) {
      thrust::inclusive_scan(thrust::tbb::par, from, end, to);
    });
#endif
  }
  add_copy(ex, c);
  return c;
}

/// One head in 33, at random.
struct random_head {
  std::uint8_t operator()(index_t i) const { return i == 0 || random_below(2, i, 33) == 0; }
};
struct gather_bits {
  std::uint8_t const* heads;
  index_t n;
  std::uint64_t operator()(index_t word) const {
    std::uint64_t bits = 0;
    for (int k = 0; k < 64 && word * 64 + k < n; ++k) {
      bits |= std::uint64_t{heads[word * 64 + k]} << k;
    }
    return bits;
  }
};

comparison segmented_scan(executor const& ex, index_t n) {
  using T = std::uint32_t;
  auto const heads = generate<std::uint8_t>(ex, n, random_head{});
  auto const bits = generate<std::uint64_t>(ex, div_up(n, 64), gather_bits{heads->data(), n});
  auto const keys = allocate<std::int32_t>(ex, n);
  inclusive_scan(ex, *heads, *keys);
  auto const in = generate<T>(ex, n, step_in_segment<T>{heads->data()});
  auto const out = allocate<T>(ex, n);
  auto const right = [=] { return all_equal(n, out->data(), reached<T>{}); };

  comparison c;
  c.bytes = 8.125 * double(n);
  c.poison = poison(out);
  add_ours(
      ex, c,
      [=](executor const& by) { segmented_inclusive_scan(by, *in, by_head_bits(*bits, n), *out); },
      right);
  if (n <= index_t{1} << 12) {
    auto const by_loop = [=] {
      auto const* const head = heads->data();
      T const* const from = in->data();
      T* const to = out->data();
      T sum = 0;
      for (index_t i = 0; i < n; ++i) to[i] = sum = head[i] != 0 ? from[i] : sum + from[i];
    };
    c.contenders.push_back({"peer:serial loop", by_loop, right});
  }
#ifdef RAVEL_BENCH_THRUST
  c.contenders.push_back({"peer:Thrust-TBB by key",
                          [=] {
                            thrust::inclusive_scan_by_key(thrust::tbb::par, keys->begin(),
                                                          keys->end(), in->begin(), out->begin());
                          },
                          right});
#endif
  add_copy(ex, c);
  return c;
}

/// Compares a scan ours(ex, in, out) with peer(in, out) and loop(in, out), which defines the
/// correct result.
template <class T = std::uint32_t, class Ours, class Peer, class Loop>
comparison beside_loop(executor const& ex, index_t n, Ours const& ours, char const* peer_is,
                       Peer const& peer, Loop const& loop) {
  auto const in = generate<T>(ex, n, step<T>{});
  auto const out = allocate<T>(ex, n), expected = allocate<T>(ex, n);
  loop(*in, *expected);
  auto const right = [=] { return all_equal(n, out->data(), element<T>{expected->data()}); };
  comparison c;
  c.bytes = 2.0 * double(n) * sizeof(T);
  c.poison = poison(out);
  add_ours(
      ex, c, [=](executor const& by) { ours(by, *in, *out); }, right);
  c.contenders.push_back({peer_is, [=] { peer(*in, *out); }, right});
  c.contenders.push_back({"peer:serial loop", [=] { loop(*in, *out); }, right});
  add_copy(ex, c);
  return c;
}

/// Second-order sums.
comparison scan_of_order_2(executor const& ex, index_t n) {
  return beside_loop(
      ex, n,
      [](executor const& by, auto const& in, auto& out) {
        inclusive_scan(by, in, out, plus{}, of_order<2>);
      },
      "peer:libstdc++ par, twice",
      [](auto const& in, auto& out) {
        auto const par = std::execution::par_unseq;
        std::inclusive_scan(par, in.begin(), in.end(), out.begin());
        std::inclusive_scan(par, out.begin(), out.end(), out.begin());
      },
      [](auto const& in, auto& out) {
        std::uint32_t sum = 0, sum_of_sums = 0;
        for (index_t i = 0; i < in.size(); ++i) out[i] = sum_of_sums += sum += in[i];
      });
}

/// Sums of every third element.
struct triple {
  std::uint32_t x, y, z;
  friend triple operator+(triple const& a, triple const& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
  }
};
comparison scan_of_triples(executor const& ex, index_t n) {
  return beside_loop(
      ex, n / 3 * 3,
      [](executor const& by, auto const& in, auto& out) {
        inclusive_scan(by, in, out, plus{}, of_tuples<3>);
      },
      "peer:libstdc++ par of structs",
      [](auto const& in, auto& out) {
        auto const* const from = reinterpret_cast<triple const*>(in.data());
        std::inclusive_scan(std::execution::par_unseq, from, from + in.size() / 3,
                            reinterpret_cast<triple*>(out.data()), std::plus<>{});
      },
      [](auto const& in, auto& out) {
        for (index_t i = 0; i < in.size(); ++i) out[i] = i < 3 ? in[i] : out[i - 3] + in[i];
      });
}

/// A sum that the library does not know.
struct sum_of_caller {
  static double identity() { return 0; }
  double operator()(double x, double y) const { return x + y; }
};
comparison scan_by_caller(executor const& ex, index_t n) {
  return beside_loop<double>(
      ex, n,
      [](executor const& by, auto const& in, auto& out) {
        inclusive_scan(by, in, out, sum_of_caller{});
      },
      "peer:libstdc++ par",
      [](auto const& in, auto& out) {
        std::inclusive_scan(std::execution::par_unseq, in.begin(), in.end(), out.begin(),
                            sum_of_caller{});
      },
      [](auto const& in, auto& out) { scan_by_loop(in.size(), in.data(), out.data()); });
}
comparison segmented_scan_by_caller(executor const& ex, index_t n) {
  constexpr index_t length = 100;
  auto const scan_row = [](auto const& in, auto& out, index_t s) {
    index_t const begin = s * length, end = std::min(begin + length, in.size());
    scan_by_loop(end - begin, in.data() + begin, out.data() + begin);
  };
  return beside_loop<double>(
      ex, n,
      [](executor const& by, auto const& in, auto& out) {
        segmented_inclusive_scan(by, in, chunks(in.size(), length), out, sum_of_caller{});
      },
      "peer:oneTBB rows",
      [=](auto const& in, auto& out) {
        tbb::parallel_for(tbb::blocked_range<index_t>(0, div_up(in.size(), length), 16),
                          [&](auto const& rows) {
                            for (index_t s = rows.begin(); s < rows.end(); ++s)
                              scan_row(in, out, s);
                          });
      },
      [=](auto const& in, auto& out) {
        for (index_t s = 0; s * length < in.size(); ++s) scan_row(in, out, s);
      });
}

template <class T>
void add_scans(suite& s, executor const& ex, std::string const& type,
               std::initializer_list<int> logs) {
  add_sizes(s, "cpu.scan." + type, "inclusive scan " + type, logs, index_t{1} << 27,
            [ex](index_t n) { return forward_scan<T>(ex, n); });
}

suite all(executor const& ex) {
  suite s = make_suite("cpu.scan", ex);
  note_thrust(s);
  s.rows.push_back({"cpu.scan.small", "inclusive scan i32", 1 << 10,
                    [ex](index_t n) { return forward_scan<std::int32_t>(ex, n); }});
  add_scans<std::int32_t>(s, ex, "i32", {0, 3, 6, 9, 12, 14, 16, 17, 18, 19, 20, 21, 22, 24});
  add_scans<float>(s, ex, "f32", {6, 9, 12, 14, 17, 18, 19, 20, 21, 22, 24});
  add_scans<double>(s, ex, "f64", {12, 17, 20, 22, 24});
  constexpr index_t whole = index_t{1} << 27;
  add_sizes(s, "cpu.segmented_scan.bits", "segmented scan i32 by bits, mean length 33",
            {12, 14, 17, 18, 20, 22, 24}, whole,  // smaller sizes: cpu.small
            [ex](index_t n) { return segmented_scan(ex, n); });
  add_sizes(s, "cpu.order2.i32", "sums of order 2, i32", {3, 6, 9, 12, 14, 17, 20, 22, 24}, whole,
            [ex](index_t n) { return scan_of_order_2(ex, n); });
  add_sizes(s, "cpu.tuple3.i32", "sums of tuples of 3, i32", {3, 6, 9, 12, 14, 17, 20, 22, 24},
            whole, [ex](index_t n) { return scan_of_triples(ex, n); });
  add_sizes(s, "cpu.scan.any.f64", "inclusive scan f64 by an operator of the caller",
            {6, 10, 14, 18, 22}, index_t{1} << 26,
            [ex](index_t n) { return scan_by_caller(ex, n); });
  add_sizes(s, "cpu.segmented_scan.any.f64", "the same in segments of 100", {6, 10, 14, 18, 22},
            index_t{1} << 26, [ex](index_t n) { return segmented_scan_by_caller(ex, n); });
  return s;
}

}  // namespace
}  // namespace ravel::bench::host

int main(int argc, char** argv) {
  using namespace ravel::bench::host;
  return run_suite(all, argc, argv);
}
