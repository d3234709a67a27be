#pragma once

/// Merges by steps that run on any executor, also on one that wraps another.

#include <ravel/core/atomic.hpp>
#include <ravel/core/same_everywhere.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/merge/call.hpp>
#include <ravel/primitives/merge/path.hpp>

namespace ravel::inline v0 {
namespace detail {

/// The number of elements that one walk merges after its search.
inline constexpr index_t walk_of_elements = 16;

/// The step that finds where walks begin: entered[k] of the elements before walk k are from `a`.
template <class A, class B, class Before>
struct enter_walk {
  A a;
  B b;
  Before before;
  index_t* entered;
  index_t* failed;
  RAVEL_HD void operator()(index_t k) const {
    if (k == 0) *failed = 0;
    entered[k] = merge_path_point(a, b, k * walk_of_elements, before);
  }
};

/// The step that merges: the k-th walk along the merge path.  It ends where the next begins if `a`
/// and `b` are sorted by a strict weak order; then each element is taken once.  Elements are named
/// by their source s: a[s], or b[s - a.size()].
template <class A, class B, class Before, class Visit>
struct walk_merged {
  static constexpr index_t length = walk_of_elements;
  A a;
  B b;
  Before before;
  Visit visit;
  index_t const* entered;
  index_t* failed;

  RAVEL_HD index_t size() const { return a.size() + b.size(); }
  RAVEL_HD static constexpr bool is_off() { return false; }

  /// Calls take(d, s) for each element of the walk.
  template <class Take>
  RAVEL_HD void walk(index_t k, Take const& take) const {
    index_t const m = a.size(), n = b.size();
    index_t d = k * length, i = entered[k], j = d - i;
    index_t const end = d + length < m + n ? d + length : m + n;
    using X = element_t<A const&>;
    using Y = element_t<B const&>;
    if constexpr (std::is_trivial_v<X> && std::is_trivial_v<Y> && sizeof(X) + sizeof(Y) <= 16) {
      X x{};  // in registers, so that each element is loaded once
      Y y{};
      if (i < m) x = a[i];
      if (j < n) y = b[j];
      for (; d < end; ++d) {
        if (i == m || (j < n && before(y, x))) {
          take(d, m + j++);
          if (j < n) y = b[j];
        } else {
          take(d, i++);
          if (i < m) x = a[i];
        }
      }
    } else {
      for (; d < end; ++d) {
        bool const from_b = i == m || (j < n && before(b[j], a[i]));
        take(d, from_b ? m + j++ : i++);
      }
    }
    if (end < m + n && i != entered[k + 1]) store_whole(failed, index_t{1});
  }
  RAVEL_HD void store(index_t d, index_t s) const {
    bool const from_b = s >= a.size();
    visit(d, from_b, from_b ? s - a.size() : s);
  }
  RAVEL_HD void operator()(index_t k) const {
    walk(k, [this](index_t d, index_t s) { store(d, s); });
  }
};

/// The step for sequences that are not sorted by a strict weak order: takes all of `a`, then all of
/// `b`.
template <class Walk>
struct append_walked {
  Walk walk;
  RAVEL_HD void operator()(index_t d) const { walk.store(d, d); }
};

/// The searches, and then the walks: calls f(k) for each k of [0, n).
void for_each_search(auto const& ex, index_t n, auto f) { for_each_index(ex, n, f); }
void for_each_walk(auto const& ex, index_t n, auto walk) { for_each_index(ex, n, walk); }

template <class F>
struct call_if {
  index_t const* flag;
  F f;
  RAVEL_HD void operator()(index_t i) const {
    if (*flag != 0) f(i);
  }
};
/// Calls f(i) for each i of [0, n) if *flag is not 0, which is rare.
template <class Ex, class F>
void for_each_if(Ex const& ex, index_t n, index_t const* flag, F f) {
  for_each_index(ex, n, call_if<F>{flag, f});
}

}  // namespace detail

struct merge_by_steps {
  static constexpr auto name = "by_steps";
  static constexpr auto why =
      "Any executor and elements: walks of 16 elements, each from a point of the merge path that a "
      "search finds.";
  static void run(auto const& ex, auto const& c) {
    using namespace detail;
    auto const& [a, b, before, visit] = c;
    using A = std::remove_cvref_t<decltype(a)>;
    using B = std::remove_cvref_t<decltype(b)>;
    using Before = std::remove_cvref_t<decltype(before)>;
    using Visit = std::remove_cvref_t<decltype(visit)>;
    index_t const n = a.size() + b.size(), walks = div_up(n, walk_of_elements);
    if (n == 0) return;
    auto const entered = ex.template scratch<index_t>(walks + 1);
    index_t* const failed = entered.data() + walks;
    walk_merged<A, B, Before, Visit> const walk{a, b, before, visit, entered.data(), failed};
    for_each_search(ex, walks, enter_walk<A, B, Before>{a, b, before, entered.data(), failed});
    for_each_walk(ex, walks, walk);
    for_each_if(ex, n, failed, append_walked<walk_merged<A, B, Before, Visit>>{walk});
  }
};

/// The family of calls of merges.
struct merge_family : call_family_with_devices<merge_by_steps> {};

template <class Machine>
struct form_table<merge_family, same_order<Machine>> : forms<on_own_executor> {};

}  // namespace ravel::inline v0
