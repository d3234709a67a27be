#pragma once

/// What an exercise of the course includes: a machine with as many processors as a step wants, values
/// that know how they were combined, and the functions of which an exercise defines one.
///
///     namespace exercise {
///     value reduce(values x) {
///       for (index d = 1; d < x.size(); d *= 2) for_all(..., [&](index k) { ... combine(a, b) ... });
///       return x[0];
///     }
///     }  // namespace exercise
///
/// scripts/ravel-check grades it.  Work is the number of operations: a processor of a step does one, or as
/// many as it calls combine.  A step takes as long as its slowest processor.

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace exercise {

using index = std::size_t;

#ifdef EXERCISE_TIMED  // plain numbers and loops, for scripts/ravel-check to take the time

using value = std::uint32_t;
inline value combine(value a, value b) { return a + b; }

template <class F>
void for_all(index n, F const& f) {
  for (index i = 0; i < n; ++i) f(i);
}

#else

/// An element, which stands for any type with any associative operation; value{} is the identity.
class value {
  std::uint32_t id_ = 0;
  friend struct history;
  friend value combine(value const& a, value const& b);
  explicit value(std::uint32_t id) : id_(id) {}
  static std::uint32_t combination(std::uint32_t left, std::uint32_t right);

 public:
  value() = default;
  // Not trivial, so that each copy is an access of the member, which is seen.
  value(value const& from) : id_(from.id_) {}
  value& operator=(value const& from) {
    id_ = from.id_;
    return *this;
  }
};

/// a * b: associative, and it does not commute.
inline value combine(value const& a, value const& b) {
  return value(value::combination(a.id_, b.id_));
}

void run_step(index n, void (*processor)(void const*, index), void const* that);

/// One step: processor i of n runs f(i), all at once.
template <class F>
void for_all(index n, F const& f) {
  run_step(
      n, [](void const* that, index i) { (*static_cast<F const*>(that))(i); }, &f);
}

#endif

using values = std::vector<value>;
using flags = std::vector<int>;  // 0 or 1
using indices = std::vector<index>;

/// [f(0), ..., f(n - 1)], in one step, as a new vector.
template <class F>
auto tabulate(index n, F const& f) {
  std::vector<std::decay_t<decltype(f(n))>> out(n);
  for_all(n, [&](index i) { out[i] = f(i); });
  return out;
}

// An exercise defines one or more of these; the others stay null.
#define EXERCISE __attribute__((weak))

/// x[0] * ... * x[n - 1]; of no elements the identity.
EXERCISE value reduce(values x);
/// out[i] = x[0] * ... * x[i]
EXERCISE values inclusive_scan(values x);
/// out[i] = x[0] * ... * x[i - 1], and out[0] is the identity
EXERCISE values exclusive_scan(values x);
/// out[i] = x[s] * ... * x[i], for s the last place up to i with heads[s] = 1, or 0
EXERCISE values segmented_scan(values x, flags heads);
/// The elements x[i] with keep[i] = 1, in order.
EXERCISE values compact(values x, flags keep);
/// How many nodes precede each in its list; the last links to itself.
EXERCISE indices list_ranks(indices next);

/// The work and the steps that are allowed for n elements, n > 1, if not those of the grader.
EXERCISE double allowed_work(double n);
EXERCISE double allowed_steps(double n);

#undef EXERCISE

}  // namespace exercise
