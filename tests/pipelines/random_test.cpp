/// Random pipelines of up to six stages against plain loops.
///
/// The sequence of stages is random but fixed at compile time, as each stage is a type; their
/// parameters, and the executors, are random at run time.

#include <ravel/pipelines/pipelines.hpp>

#include "support/device_forms.hpp"
#include "support/executors.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>

namespace ravel::random_test {
namespace {

using T = std::uint32_t;
using values = std::vector<T>;
using dice = std::minstd_rand;

/// Functions applied to an element by stages.
struct affine {
  T a, b;
  RAVEL_HD T operator()(T x) const { return a * x + b; }
};
struct some_of {
  T shift, modulus, rest;
  RAVEL_HD bool operator()(T x) const { return (x >> shift) % modulus != rest; }
};
struct any_monoid {
  int kind;
  static RAVEL_HD T identity() { return 0; }
  RAVEL_HD T operator()(T x, T y) const {
    return kind == 0 ? x + y : kind == 1 ? (x < y ? y : x) : kind == 2 ? x ^ y : y != 0 ? y : x;
  }
};
struct weigh {
  RAVEL_HD T operator()(index_t i, T x) const { return 3 * static_cast<T>(i) + x; }
};
struct differ {
  RAVEL_HD T operator()(T x, T y) const { return x - 2 * y; }
};
struct alike {
  T shift;
  RAVEL_HD bool operator()(T x, T y) const { return x >> shift == y >> shift; }
};

/// A stage with its parameters: appends it to a pipeline, and does the same as a loop.
template <int Kind>
struct drawn;

template <>
struct drawn<0> {
  affine f;
  explicit drawn(dice& d) : f{static_cast<T>(d()), static_cast<T>(d())} {}
  auto stage() const { return map(f); }
  void loop(values& x) const {
    for (T& y : x) y = f(y);
  }
};
template <>
struct drawn<1> {
  some_of keep;
  explicit drawn(dice& d) : keep{static_cast<T>(d() % 8), static_cast<T>(d() % 5 + 1), 0} {}
  auto stage() const { return filter(keep); }
  void loop(values& x) const {
    values y;
    for (T const z : x) {
      if (keep(z)) y.push_back(z);
    }
    x = y;
  }
};
template <>
struct drawn<2> {
  any_monoid m;
  explicit drawn(dice& d) : m{static_cast<int>(d() % 4)} {}
  auto stage() const { return inclusive_scan(m, from(T(5))); }
  void loop(values& x) const {
    T sum = 5;
    for (T& y : x) y = sum = m(sum, y);
  }
};
template <>
struct drawn<3> {
  any_monoid m;
  explicit drawn(dice& d) : m{static_cast<int>(d() % 4)} {}
  auto stage() const { return exclusive_scan(m, backward); }
  void loop(values& x) const {
    T sum = 0;
    for (std::size_t i = x.size(); i-- > 0;) {
      T const y = x[i];
      x[i] = sum;
      sum = m(y, sum);
    }
  }
};
template <>
struct drawn<4> {
  index_t first = 0, count = 1'000'000, step = 1;
  explicit drawn(dice& d) {
    auto const what = d() % 3;
    auto const n = static_cast<index_t>(d() % 40);
    (what == 0 ? count : what == 1 ? first : step) = what == 0 ? 50 * n : what == 1 ? n : n / 8 + 1;
  }
  auto stage() const { return slice(first, count) | stride(step); }
  void loop(values& x) const {
    values y;
    for (index_t i = first; i < std::min(std::ssize(x), first + count); i += step) {
      y.push_back(x[static_cast<std::size_t>(i)]);
    }
    x = y;
  }
};
template <>
struct drawn<5> {
  explicit drawn(dice&) {}
  auto stage() const { return reverse(); }
  void loop(values& x) const { std::reverse(x.begin(), x.end()); }
};
template <>
struct drawn<6> {
  explicit drawn(dice&) {}
  auto stage() const { return enumerate() | map(weigh{}); }
  void loop(values& x) const {
    for (index_t i = 0; i < std::ssize(x); ++i) {
      x[static_cast<std::size_t>(i)] = weigh{}(i, x[static_cast<std::size_t>(i)]);
    }
  }
};
template <>
struct drawn<7> {
  explicit drawn(dice&) {}
  auto stage() const { return adjacent_difference(differ{}); }
  void loop(values& x) const {
    for (std::size_t i = x.size(); i-- > 1;) x[i] = differ{}(x[i], x[i - 1]);
  }
};
template <>
struct drawn<8> {
  alike eq;
  explicit drawn(dice& d) : eq{static_cast<T>(d() % 32)} {}
  auto stage() const { return unique(equal_by(eq)); }
  void loop(values& x) const {
    values y;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (i == 0 || !eq(x[i - 1], x[i])) y.push_back(x[i]);
    }
    x = y;
  }
};
/// Zipped with another pipeline with as many elements, which runs first.
template <>
struct drawn<9> {
  T first;
  explicit drawn(dice& d) : first(static_cast<T>(d())) {}
  void loop(values& x) const {
    T sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = differ{}(x[i], sum += first + T(i));
  }
  template <class P, class K>
  void then(P const& p, K const& k) const {
    k(p | zip(on(p.on(), iota(first, p.most())) | inclusive_scan(plus{})) | map(differ{}));
  }
};
template <>
struct drawn<10> {
  values other;
  explicit drawn(dice& d) : other(d() % 50) {
    for (T& y : other) y = static_cast<T>(d());
    std::sort(other.begin(), other.end());
  }
  void loop(values& x) const {
    x.insert(x.end(), other.begin(), other.end());
    std::sort(x.begin(), x.end());
  }
  template <class P, class K>
  void then(P const& p, K const& k) const {
    auto const there = to(p.on(), other);
    k(p | sized_sync() | sort() | merge_with(there));
  }
};
template <>
struct drawn<11> {
  explicit drawn(dice&) {}
  void loop(values& x) const {
    for (int times = 0; times < 2; ++times) std::partial_sum(x.begin(), x.end(), x.begin());
  }
  template <class P, class K>
  void then(P const& p, K const& k) const {
    k(p | sized_sync() | inclusive_scan(plus{}, of_order<2>));
  }
};
template <>
struct drawn<12> {
  explicit drawn(dice&) {}
  void loop(values& x) const {
    for (std::size_t i = 3; i < x.size(); ++i) x[i] += x[i - 3];
  }
  template <class P, class K>
  void then(P const& p, K const& k) const {
    k(p | sized_sync() | inclusive_scan(plus{}, of_tuples<3>));
  }
};
/// Segments of all elements, some of them empty.
struct drawn_lengths {
  dice d;
  std::vector<int> lengths;
  explicit drawn_lengths(dice& seed) : d(seed()) {}
  void draw(std::size_t n) {
    for (std::size_t left = n; left > 0; left -= static_cast<std::size_t>(lengths.back())) {
      lengths.push_back(static_cast<int>(std::min<std::size_t>(left, d() % 9 * (d() % 9))));
    }
  }
  /// f(each segment of x), concatenated.
  template <class F>
  values each(values const& x, F const& f) const {
    values all;
    for (auto [at, s] = std::pair(x.begin(), std::size_t{0}); s < lengths.size(); ++s) {
      values const y = f(values(at, at + lengths[s]));
      all.insert(all.end(), y.begin(), y.end());
      at += lengths[s];
    }
    return all;
  }
  /// k(p in these segments)
  template <class P, class K>
  void then(P const& p, K const& k) const {
    auto const there = to(p.on(), lengths);
    k(p | sized_sync() | in_segments(by_lengths(there)));
  }
};
template <>
struct drawn<13> {
  drawn_lengths of;
  drawn<1> kept;
  drawn<2> scanned;
  explicit drawn(dice& d) : of(d), kept(d), scanned(d) {}
  void loop(values& x) {
    of.draw(x.size());
    x = of.each(x, [&](values y) {
      kept.loop(y);
      std::sort(y.begin(), y.end());
      scanned.loop(y);
      return y;
    });
  }
  template <class P, class K>
  void then(P const& p, K const& k) const {
    of.then(p, [&](auto const& q) { k(q | kept.stage() | sort() | scanned.stage() | join()); });
  }
};
template <>
struct drawn<14> {
  drawn_lengths of;
  drawn<0> mapped;
  drawn<3> scanned;
  explicit drawn(dice& d) : of(d), mapped(d), scanned(d) {}
  void loop(values& x) {
    of.draw(x.size());
    x = of.each(x, [&](values y) {
      mapped.loop(y);
      scanned.loop(y);
      return values{std::accumulate(y.begin(), y.end(), T(1))};
    });
  }
  template <class P, class K>
  void then(P const& p, K const& k) const {
    of.then(p, [&](auto const& q) {
      k(q | mapped.stage() | scanned.stage() | reduce(plus{}, from(T(1))));
    });
  }
};
struct as_value {
  RAVEL_HD T operator()(index_t x) const { return static_cast<T>(x); }
};
template <>
struct drawn<15> {
  drawn_lengths of;
  drawn<1> kept;
  explicit drawn(dice& d) : of(d), kept(d) {}
  void loop(values& x) {
    of.draw(x.size());
    x = of.each(x, [&](values y) {
      kept.loop(y);
      return values{static_cast<T>(y.size())};
    });
  }
  template <class P, class K>
  void then(P const& p, K const& k) const {
    of.then(p, [&](auto const& q) { k(q | kept.stage() | count() | map(as_value{})); });
  }
};
struct up_to_two {
  RAVEL_HD T operator()(T x) const { return x % 3; }
};
struct weigh_rank {
  RAVEL_HD T operator()(T x, index_t r) const { return weigh{}(r, x); }
};
template <>
struct drawn<16> {
  index_t most;
  explicit drawn(dice& d) : most(static_cast<index_t>(d() % 5'000)) {}
  auto stage() const { return flat_map(up_to_two{}, weigh_rank{}, most); }
  void loop(values& x) const {
    values y;
    for (T const z : x) {
      for (index_t r = 0; r < up_to_two{}(z); ++r) {
        if (std::ssize(y) < most) y.push_back(weigh_rank{}(z, r));
      }
    }
    x = y;
  }
};
template <>
struct drawn<17> {
  drawn<1> kept;
  index_t n;
  explicit drawn(dice& d) : kept(d), n(static_cast<index_t>(d() % 90)) {}
  void loop(values& x) const {
    values y(static_cast<std::size_t>(n));
    std::iota(y.begin(), y.end(), T(0));
    values const all = y;
    kept.loop(y);
    x.insert(x.end(), y.begin(), y.end());
    x.insert(x.end(), all.begin(), all.end());
  }
  template <class P, class K>
  void then(P const& p, K const& k) const {
    k(p | concat(on(p.on(), iota(T(0), n)) | kept.stage(), iota(T(0), n)));
  }
};
template <>
struct drawn<18> {
  any_monoid m;
  explicit drawn(dice& d) : m{static_cast<int>(d() % 4)} {}
  auto stage() const { return adjacent(differ{}) | inclusive_scan(m, backward); }
  void loop(values& x) const {
    if (x.empty()) return;
    for (std::size_t i = 0; i + 1 < x.size(); ++i) x[i] = differ{}(x[i], x[i + 1]);
    x.pop_back();
    T sum = 0;
    for (std::size_t i = x.size(); i-- > 0;) x[i] = sum = m(x[i], sum);
  }
};
struct far_apart {
  index_t step, n;
  RAVEL_HD index_t operator()(index_t i) const { return (i * step + 1) % n; }
};
template <>
struct drawn<19> {
  far_apart at;
  explicit drawn(dice& d) : at{static_cast<index_t>(d() % 9'000), 0} {}
  void loop(values& x) {
    values const from = x;
    at.n = std::ssize(x);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = from[std::size_t(at(index_t(i)))];
  }
  template <class P, class K>
  void then(P const& p, K const& k) const {
    k(p | gather(generate(at.n, at), checked));
  }
};
/// The first kinds, which fuse, are twice as frequent.
constexpr unsigned kinds = 20, fused = 9;

/// The k-th stage of the s-th pipeline.  The seed was chosen such that every kind occurs, and
/// each of map, scan and filter follows each other one.
constexpr unsigned kind_at(unsigned s, unsigned k) {
  unsigned x = 4140492239u * (s * 8 + k + 1);
  x ^= x >> 15;
  x *= 2246822519u;
  unsigned const drawn = (x ^ x >> 13) % (kinds + fused);
  return drawn < kinds ? drawn : drawn - kinds;
}
constexpr unsigned stages_of(unsigned s) { return s % 6 + 1; }

/// The results; of every fourth pipeline as rows.
template <unsigned s, class P>
auto results(P const& p) {
  if constexpr (s % 4 == 3) {
    auto const found = p | enumerate() | unzip();
    auto const& second = std::get<1>(found);
    if constexpr (requires { p.size(); }) {
      return to_host(p.on(), second);
    } else {
      return to_host(p.on(), second.view_sync());
    }
  } else {
    return p | to_vector();
  }
}

/// Runs the rest of pipeline s, after the first k stages, and the reference loops.
template <unsigned s, unsigned k = 0, class P>
void run(P const& p, values& expected, dice& d, std::string const& text) {
  if constexpr (k < stages_of(s)) {
    drawn<static_cast<int>(kind_at(s, k))> next(d);
    next.loop(expected);
    auto const go_on = [&](auto const& q) { run<s, k + 1>(q, expected, d, text); };
    if constexpr (requires { next.stage(); }) {
      go_on(p | next.stage());
    } else {
      next.then(p, go_on);
    }
  } else {
    ASSERT_EQ(results<s>(p), expected) << text << '\n' << explain(p).text();
  }
}

template <class Ex>
struct random_pipelines : testing::on_executor<Ex> {
  template <unsigned s>
  void run_shape(int cases) {
    for (int seed = 0; seed < cases; ++seed) {
      dice d(static_cast<unsigned>(seed) * 100 + s + 1);
      d.discard(3);
      // Most are short, and some have many tiles.
      auto const n = d() % (d() % 100 == 0 ? 100'000 : d() % 4 == 0 ? 3'000 : 70);
      values in(this->on_host ? n : n % 3'000);
      for (T& x : in) x = static_cast<T>(d() >> 4);
      auto const there = this->there(in);
      run<s>(on(this->ex(), there), in, d,
             "shape " + std::to_string(s) + ", seed " + std::to_string(seed));
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
  static constexpr bool on_host =
      std::same_as<Ex, cpu::sequential> || std::same_as<Ex, cpu::threads>;

  template <unsigned... s>
  void run_shapes(int cases, std::integer_sequence<unsigned, s...>) {
    (run_shape<s>(cases), ...);
  }
};
TYPED_TEST_SUITE(random_pipelines, testing::executors_and_device);

/// 10^4 cases on one thread and on all threads of the host, and fewer on a device in software.
TYPED_TEST(random_pipelines, agree_with_plain_loops) {
  if constexpr (std::same_as<TypeParam, cpu::threads>) {
    this->run_shapes(420, std::make_integer_sequence<unsigned, 24>{});
  } else {
    constexpr bool on_device = std::same_as<TypeParam, gpu::executor>;
    this->run_shapes(this->on_host ? 1700
                     : on_device   ? 30
                                   : 60,
                     std::integer_sequence<unsigned, 3, 10, 14, 16, 17, 19>{});
  }
}

}  // namespace
}  // namespace ravel::random_test
