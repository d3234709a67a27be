/// Random pipelines of up to six stages against plain loops.
///
/// Which stages follow each other is drawn when this is compiled, for each is a type; what
/// they are told, and on what they run, when it is run.

#include <ravel/pipelines/pipelines.hpp>

#include "support/device_forms.hpp"
#include "support/executors.hpp"

#include <array>
#include <cstdint>
#include <random>

namespace ravel {
namespace {

using T = std::uint32_t;
using values = std::vector<T>;
using dice = std::minstd_rand;

/// Of the stages, what is applied to an element.
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

/// A stage with what it is told: what to add to a pipeline, and the same as a loop.
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
  index_t what, n;
  explicit drawn(dice& d) : what(d() % 3), n(static_cast<index_t>(d() % 40)) {}
  auto stage() const { return what == 0 ? take(50 * n) : what == 1 ? drop(n) : stride(n / 8 + 1); }
  void loop(values& x) const {
    values y;
    for (index_t i = 0; i < std::ssize(x); ++i) {
      bool const in = what == 0 ? i < 50 * n : what == 1 ? i >= n : i % (n / 8 + 1) == 0;
      if (in) y.push_back(x[static_cast<std::size_t>(i)]);
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
  auto stage() const { return difference(differ{}); }
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
constexpr unsigned kinds = 9;

/// The k-th stage of the s-th pipeline.
constexpr unsigned kind_at(unsigned s, unsigned k) {
  unsigned x = 2654435761u * (s * 8 + k + 1);
  x ^= x >> 15;
  x *= 2246822519u;
  return (x ^ x >> 13) % kinds;
}
constexpr unsigned stages_of(unsigned s) { return s % 6 + 1; }

/// Runs the rest of pipeline s, of which k stages are there, and the loops beside it.
template <unsigned s, unsigned k = 0, class P>
void run(P const& p, values& expected, dice& d, std::string const& told) {
  if constexpr (k < stages_of(s)) {
    drawn<static_cast<int>(kind_at(s, k))> const next(d);
    next.loop(expected);
    run<s, k + 1>(p | next.stage(), expected, d, told);
  } else {
    ASSERT_EQ(p | to_vector(), expected) << told << '\n' << explain(p).text();
  }
}

template <class Ex>
struct random_pipelines : testing::on_executor<Ex> {
  template <unsigned s>
  void run_shape(int cases) {
    for (int seed = 0; seed < cases; ++seed) {
      dice d(static_cast<unsigned>(seed) * 100 + s + 1);
      d.discard(3);
      // Most are short, and some are many tiles.
      auto const n = d() % (d() % 40 == 0 ? 100'000 : d() % 4 == 0 ? 3'000 : 70);
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

/// 10^4 cases on the threads of the host, and fewer of fewer where time runs slower.
TYPED_TEST(random_pipelines, agree_with_plain_loops) {
  if constexpr (std::same_as<TypeParam, cpu::threads>) {
    this->run_shapes(420, std::make_integer_sequence<unsigned, 24>{});
  } else {
    this->run_shapes(this->on_host ? 420 : 20, std::integer_sequence<unsigned, 5, 9, 10, 17, 23>{});
  }
}

}  // namespace
}  // namespace ravel
