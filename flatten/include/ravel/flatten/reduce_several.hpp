#pragma once

/// Several reductions of one sequence in one pass.

#include <ravel/flatten/fold.hpp>
#include <ravel/flatten/record.hpp>
#include <ravel/flatten/straight.hpp>

#include <tuple>

namespace ravel::inline v0 {
namespace flattening {

template <class A, class B>
struct load_both {
  A a;
  B b;
  RAVEL_HD auto operator()(index_t i) const {
    return paired<std::remove_cvref_t<decltype(a(i))>, std::remove_cvref_t<decltype(b(i))>>{a(i),
                                                                                            b(i)};
  }
};
template <class A, class B>
struct store_both {
  A a;
  B b;
  template <class P>
  RAVEL_HD void operator()(index_t s, P const& x) const {
    a(s, x.first);
    b(s, x.second);
  }
};

/// A reduction that shares a pass: its load, monoid, and store.
template <class Load, class M, class Store>
struct part_of_pass {
  Load load;
  M m;
  Store store;
};
template <class Load, class M, class Store>
part_of_pass(Load, M, Store) -> part_of_pass<Load, M, Store>;

template <class P>
P in_one_pass(P const& last) {
  return last;
}
template <class L, class M, class S, class Next, class... Rest>
auto in_one_pass(part_of_pass<L, M, S> const& first, Next const& next, Rest const&... rest) {
  auto const tail = in_one_pass(next, rest...);
  using O = std::remove_const_t<decltype(tail)>;
  using Load = load_both<L, decltype(O::load)>;
  using Monoid = pair_of<M, decltype(O::m)>;
  using Store = store_both<S, decltype(O::store)>;
  return part_of_pass<Load, Monoid, Store>{
      {first.load, tail.load}, {first.m, tail.m}, {first.store, tail.store}};
}

/// The number of members of a record type; 0 for other types.
template <class R>
constexpr std::size_t member_count() {
  if constexpr (host_record<R>) {
    return members_of<R>::count;
  } else {
    return 0;
  }
}

}  // namespace flattening

/// Combines each member of a sequence of records by its own monoid:
///
///     reduce(zip(x, x * x), plus{}, maximum{})        x = [3 1 2]      (6 9)
///
/// Order    As reduce.
/// Cost     One segmented reduction for all members, where separate reductions would read
///          the elements once each.
template <lifted_sequence X, class M, class N, class... More>
auto reduce(X const& x, M const& first, N const& second, More const&... more) {
  using namespace flattening;
  using R = inner_t<X>;
  static_assert(member_count<R>() == 2 + sizeof...(More),
                "reduce: the elements must be records of as many members as there are monoids");
  using Ex = typename X::executor_type;
  auto const c = resolve(x);
  auto const s = storage_in(c, x);
  auto const inner = open(s.d, c);
  auto const elements = elements_of(c, s);
  auto const monoids = std::tuple{first, second, more...};
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    auto const typed =
        std::tuple{monoid_on<typename members_of<R>::template type<I>>(std::get<I>(monoids))...};
    using All = std::remove_cvref_t<decltype(typed)>;
    static_assert((some_monoid<std::tuple_element_t<I, All>> && ...),
                  "reduce: the operation of a member is not a monoid");
    using Carried = std::tuple<carrier_t<std::tuple_element_t<I, All>>...>;
    auto const out = std::tuple{hold<std::tuple_element_t<I, Carried>>(c->ex(), c->n)...};
    auto const run = [&]<class... E>(E const&... e) {
      auto const pass = in_one_pass(part_of_pass{
          load_as<std::tuple_element_t<I, Carried>, E>{e}, std::get<I>(typed),
          ravel::detail::store<std::tuple_element_t<I, Carried>>{std::get<I>(out).data}}...);
      reduce_segments(inner, pass.load, pass.m, pass.store);
    };
    straightened<Ex>(inner->n, run, std::get<I>(elements.members).e...);
    return lift_storage(c, column_t<Ex, Carried>{{leaf_of(std::get<I>(out).shared())...}});
  }
  (member_indices<R>{});
}

}  // namespace ravel::inline v0
