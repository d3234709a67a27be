#pragma once

/// The indices of the least and the greatest element of each sequence, and of the first for which something holds.

#include <ravel/flatten/each.hpp>
#include <ravel/flatten/fold.hpp>
#include <ravel/flatten/lift.hpp>

namespace ravel::inline v0 {
namespace flattening {

template <class T>
struct value_at {
  template <class E>
  struct load {
    E e;
    RAVEL_HD indexed<T> operator()(index_t i) const { return {e(i), i}; }
  };
  struct store {
    index_t* out;
    starts begins;
    fault fails;
    RAVEL_HD void operator()(index_t s, indexed<T> const& best) const {
      bool const none = begins[s] == begins[s + 1];
      if (none) fails(s, 0, 0);
      out[s] = none ? 0 : best.index - begins[s];
    }
  };
};

template <class X, class M>
auto index_of_best(X const& x, M m, fault_of what) {
  using T = inner_t<X>;
  auto const o = opened_scalars(x);
  auto const out = hold<index_t>(o.inner->ex(), o.outer->n);
  using E = decltype(o.elements.e);
  reduce_segments(
      o.inner, typename value_at<T>::template load<E>{o.elements.e}, m,
      typename value_at<T>::store{out.data, o.inner->begins.seen(), o.inner->on->next_fault(what)});
  return lift_storage(o.outer, leaf_of(out.shared()));
}

/// The index of the first true element of a sequence, or -1, by a loop of one thread of the host.
template <class E>
struct first_true {
  using value_type = index_t;
  starts begins;
  E e;
  RAVEL_HD index_t operator()(index_t s) const {
    index_t const first = begins[s], last = begins[s + 1];
    for (index_t i = first; i < last; ++i) {
      if (e(i)) return i - first;
    }
    return -1;
  }
};
/// The same by a reduction, of sequences that all threads share.
auto first_true_of(auto const& flags) {
  auto const none = bounds<index_t>::highest();
  auto const first = min(each(flags, indices(flags), [&](auto const& flag, auto const& i) {
    return select(flag, i, none);
  }));
  return select(first == none, index_t{-1}, first);
}

}  // namespace flattening

/// The index of the least element, the first if several are equal.
///
/// Errors   domain_error if there are no elements, thrown by the next call that waits.
template <lifted_sequence X>
auto min_index(X const& x) {
  return flattening::index_of_best(x, arg_min<flattening::inner_t<X>>{},
                                   flattening::fault_of::min_index);
}
/// The index of the greatest element, the first if several are equal.
///
///     max_index([2 11 4 7 14 6 9 14])      4
///
/// Errors   domain_error if there are no elements, thrown by the next call that waits.
template <lifted_sequence X>
auto max_index(X const& x) {
  return flattening::index_of_best(x, arg_max<flattening::inner_t<X>>{},
                                   flattening::fault_of::max_index);
}

/// The index of the first element for which p returns true, or -1.
///
///     find([3 8 5 8], a > 4)      1
///
/// Cost     A step.  On the host, of at least four instances for each thread, one thread searches an instance up
///          to that element, and of one instance all threads do.  Else a reduction of all elements.
template <sequence_operand X, class P>
auto find(X const& x, P&& p) {
  using namespace flattening;
  auto const flags = each(x, p);
  if constexpr (are_on_host<X>) {
    using Ex = executor_of_t<X>;
    auto const c = resolve(flags);
    if (c->n != 1 && c->n < 4 * index_t{cpu::detail::threads_of(c->ex())}) {
      return keep(first_true_of(flags));
    }
    auto const o = opened_scalars(flags);
    index_t const n = o.inner->n;
    auto const out = hold<index_t>(c->ex(), c->n);
    auto const run = [&]<class Form>(Form const& e) {
      load_as<bool, Form> const is_true{e};
      if (c->n == 1) {
        find_first(*c->on, n, is_true, out.data);
        if (*out.data == n) *out.data = -1;
      } else {
        count_step("map", n + c->n, text_of_type<Form>());
        using search = first_true<load_as<bool, Form>>;
        visit_indices(c->ex(), c->n,
                      evaluate<search, index_t>{{o.inner->begins.seen(), is_true}, out.data});
      }
    };
    straightened<Ex>(n, run, o.elements.e);
    return lift_storage(c, leaf_of(out.shared()));
  } else {
    return first_true_of(flags);
  }
}

}  // namespace ravel::inline v0
