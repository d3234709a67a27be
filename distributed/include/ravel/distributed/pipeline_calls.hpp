#pragma once

/// Stages of pipelines that are calls of their own over all ranks: sort, top_k, unique, take, drop, slice,
/// adjacent and adjacent_difference.
///
/// The stages before them run into a sequence, of which the call makes another; stages after them read
/// its pieces.

#include <ravel/core/member.hpp>
#include <ravel/distributed/exchange.hpp>
#include <ravel/distributed/executor.hpp>
#include <ravel/distributed/runs.hpp>
#include <ravel/distributed/sequence.hpp>
#include <ravel/distributed/sort.hpp>
#include <ravel/pipelines/pipelines.hpp>
#include <ravel/primitives/options.hpp>

#include <algorithm>
#include <tuple>
#include <vector>

namespace ravel::inline v0::distributed::detail {

template <class Ex, class Node>
auto results_of_ranks(Ex const& ex, Node const& node);  // pipelines.hpp

/// A node that makes a call of the results of another: call(ex, x) makes a sequence of the sequence x,
/// with at most as many elements on each rank, and with as many if it `keeps_sizes`.
template <class Ex, class Node, class Call>
struct called {
  static constexpr bool is_pass = false;
  static constexpr bool sized = Node::sized && Call::keeps_sizes;
  using input = sequence<piping::element_of_node<Node>, Ex>;
  using output =
      decltype(std::declval<Call const&>()(std::declval<Ex const&>(), std::declval<input>()));
  using view = piping::in_memory<typename output::value_type, typename Ex::space>;
  Node node;
  Call call;

  auto open(Ex const& ex, auto const& k) const {
    auto const results =
        together(ex, Call::name, [&] { return call(ex, results_of_ranks(ex, node)); });
    return k(view{{results.data()}, results.size()});
  }
  index_t most() const { return node.most(); }
};

/// A sort in place, with the options or by the order of `op`.
template <class Op>
struct sort_call {
  static constexpr char const* name = "sort";
  static constexpr bool keeps_sizes = true;
  Op op;

  template <class Ex, class T>
  auto operator()(Ex const& ex, sequence<T, Ex> x) const {
    if constexpr (requires { op.before; }) {
      comparison_sort(ex, x, op.before);
    } else {
      sort_by(ex, x, op.options);
    }
    return x;
  }

 private:
  template <class Ex, class T, class... Options>
  static void sort_by(Ex const& ex, sequence<T, Ex>& x, std::tuple<Options...> const& options) {
    if constexpr (piping::sorts_by_digits<T, Options...>) {
      ravel::detail::call_with([&](auto... option) { radix_sort(ex, x, option...); }, options);
    } else {
      comparison_sort(ex, x, std::make_from_tuple<typename Op::order>(options));
    }
  }
};

/// The first elements in order, in the pieces that the first k had.
template <class... Order>
struct top_k_call {
  static constexpr char const* name = "top_k";
  static constexpr bool keeps_sizes = false;
  index_t k;
  std::tuple<Order...> order;

  template <class Ex, class T>
  auto operator()(Ex const& ex, sequence<T, Ex> const& x) const {
    static_assert(
        piping::selects_by_digits<T, Order...>,
        "distributed: top_k of a pipeline has no form for several ranks with an order: sort "
        "and take have");
    expects(k >= 0, "the number of elements is ", k);
    sequence<T, Ex> y(ex, begins_up_to(x.begins(), k));
    ravel::detail::call_with([&](auto... option) { top_k(ex, x, y, option...); }, order);
    return y;
  }
};

template <class Eq>
struct unique_call {
  static constexpr char const* name = "unique";
  static constexpr bool keeps_sizes = false;
  Eq eq;

  template <class Ex, class T>
  auto operator()(Ex const& ex, sequence<T, Ex> const& x) const {
    sequence<T, Ex> y(ex, x);
    unique_sync(ex, x, y, equal_by(eq));
    return y;
  }
};

/// `count` elements of all ranks from `first` on, where they are.
template <class Called>
struct slice_call : Called {
  static constexpr bool keeps_sizes = false;
  index_t first, count;
  slice_call(index_t f, index_t n) : first(f), count(n) {}

  template <class Ex, class T>
  auto operator()(Ex const& ex, sequence<T, Ex> x) const {
    index_t const offset = x.data() - x.memory().data(), before = x.first(), n = x.size();
    index_t const begin = std::clamp(first - before, index_t{0}, n);
    index_t const end =
        begin + std::min(n - begin, count - std::min(count, before + begin - first));
    x.keep_piece(ex, offset + begin, std::max(begin, end) - begin);
    return x;
  }
};

/// The first and the last element of each rank, and how many it has.
template <class Ex, class T>
std::vector<edges<T, no_value>> ends_of_all(Ex const& ex, sequence<T, Ex> const& x) {
  static_assert(can_be_sent<T>, "adjacent: elements that are sent are trivially copyable");
  edges<T, no_value> ends{x.size(), {}, {}, {}, {}};
  if (x.size() > 0) {
    ends.first_key = at_sync(ex.local(), x.local(), 0);
    ends.last_key = at_sync(ex.local(), x.local(), x.size() - 1);
  }
  return gather_values(ex.ranks(), ends);
}

/// Writes what a stage makes of two elements, but for the first `dropped` results.
template <class Local, class T, class Stage, class To>
void write_last_of(Local const& local, T const& a, T const& b, Stage const& stage, index_t dropped,
                   To const& out) {
  T const both[2] = {a, b};
  auto const two = local.template scratch<T>(2);
  local.copy(both, two.data(), 2);
  view<T const, space_of_t<Local>> const in(two.data(), 2);
  ravel::on(local, in) | stage | ravel::drop(dropped) | ravel::into(out);
  local.wait();
}

template <class F>
struct adjacent_call {
  static constexpr char const* name = "adjacent";
  static constexpr bool keeps_sizes = false;
  piping::adjacent_stage<F> stage;

  template <class Ex, class T>
  auto operator()(Ex const& ex, sequence<T, Ex> const& x) const {
    using Of = std::remove_const_t<decltype(monoid_on<T>(stage.f))>;
    using U = std::remove_cvref_t<std::invoke_result_t<Of const&, T const&, T const&>>;
    auto const& local = ex.local();
    auto const ends = ends_of_all(ex, x);
    sequence<U, Ex> y(ex, begins_up_to(x.begins(), std::max<index_t>(0, x.total_size() - 1)));
    if (x.size() > 1)
      ravel::on(local, x.local()) | stage | ravel::into(y.local().slice(0, x.size() - 1));
    if (y.size() > 0 && y.size() == x.size()) {  // the last of this rank, beside the next
      int const next = next_rank(ends, ex.ranks().rank(), has_runs);
      write_last_of(local, ends[ex.ranks().rank()].last_key, ends[next].first_key, stage, 0,
                    y.local().slice(y.size() - 1, 1));
    }
    return y;
  }
};

template <class F>
struct difference_call {
  static constexpr char const* name = "adjacent_difference";
  static constexpr bool keeps_sizes = true;
  piping::difference_stage<F> stage;

  template <class Ex, class T>
  auto operator()(Ex const& ex, sequence<T, Ex> const& x) const {
    auto const& local = ex.local();
    auto const ends = ends_of_all(ex, x);
    sequence<T, Ex> y(ex, x);
    ravel::on(local, x.local()) | stage | ravel::into(y.local());
    int const rank = ex.ranks().rank(), before = previous_rank(ends, rank, has_runs);
    if (x.size() > 0 && before >= 0) {
      write_last_of(local, ends[before].last_key, ends[rank].first_key, stage, 1,
                    y.local().slice(0, 1));
    }
    return y;
  }
};

// The call of each stage.
template <class... Options>
auto call_of(piping::own_pass_stage<piping::sort_op<Options...>> const& s, piping::spot) {
  return sort_call<piping::sort_op<Options...>>{s.op};
}
template <class Before>
auto call_of(piping::own_pass_stage<piping::sort_by_order_op<Before>> const& s, piping::spot) {
  return sort_call<piping::sort_by_order_op<Before>>{s.op};
}
template <class... Order>
auto call_of(piping::own_pass_stage<piping::selection_op<piping::as_top_k, Order...>> const& s,
             piping::spot) {
  return top_k_call<Order...>{s.op.count, s.op.order};
}
template <class Eq>
auto call_of(piping::unique_stage<Eq> const& s, piping::spot) {
  return unique_call<Eq>{s.eq};
}
template <class Called>
auto call_of(piping::step_stage<piping::slice_step<Called>> const& s, piping::spot where) {
  s.step.verify(where);
  return slice_call<Called>(s.step.first, s.step.count);
}
template <class F>
auto call_of(piping::adjacent_stage<F> const& s, piping::spot) {
  return adjacent_call<F>{s};
}
template <class F>
auto call_of(piping::difference_stage<F> const& s, piping::spot) {
  return difference_call<F>{s};
}

}  // namespace ravel::inline v0::distributed::detail
