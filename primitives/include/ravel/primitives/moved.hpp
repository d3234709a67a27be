#pragma once

/// Elements that a call moves from: pack, filter, unique, merge and split of elements that cannot be
/// copied, on the host.
///
/// What is compared is read first, and what is moved is moved once: places are computed from all
/// elements, and then each element goes to its place.

#include <ravel/core/cpu/executor.hpp>
#include <ravel/core/std_functional.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/merge.hpp>
#include <ravel/primitives/moved_elements.hpp>
#include <ravel/primitives/options.hpp>
#include <ravel/primitives/pack.hpp>
#include <ravel/primitives/split.hpp>
#include <ravel/primitives/unique.hpp>

namespace ravel::inline v0 {
namespace detail {

/// The elements of an operand, mutable if they are moved from.
template <class Ex, class In>
auto taken(Ex const&, In const& in) {
  static_assert(std::same_as<space_of_t<Ex>, host_space>,
                "moved: elements are moved on the host alone, and this executor is a device");
  if constexpr (moved_operand<In>) {
    return moved_from(in);
  } else {
    return const_view_of(in);
  }
}
template <class Takes, class... Options>
constexpr void expect_options() {
  static_assert(are_options<Takes, Options...>,
                "a call with moved(...): the options are total_to(...), and of unique "
                "equal_by(...), each once");
}

template <class Ex, class In>
using taken_t = element_t<decltype(taken(std::declval<Ex const&>(), std::declval<In const&>()))>;

/// A visit of pack_on that moves what is kept.
template <class T, class Out>
struct move_kept {
  T* from;
  Out* to;
  index_t room;
  void operator()(index_t i, index_t place) const {
    if (place < room) to[place] = detail::as_assigned<Out>(std::move(from[i]));
  }
};
template <class Out>
constexpr void expect_written() {
  static_assert(writable_on<Out, moved_elements<int>>,
                "a call with moved(...): out is not a writable contiguous sequence of the host");
}
template <class T, class Out>
auto moving_to(view<T> in, Out&& out) {
  expect_written<Out>();
  return move_kept<T, element_t<Out>>{in.data(), view_of(out).data(), size_of(out)};
}

/// A visit of split_on that moves each element to its position.
template <class T, class Out>
struct move_to_place {
  T* from;
  Out* to;
  void operator()(index_t i, int, index_t place) const {
    to[place] = detail::as_assigned<Out>(std::move(from[i]));
  }
};

/// A visit of a merge that writes down which element comes: a[s], or b[s - m].  Two visits, where
/// the order is none, write twice; elements could not be moved twice.
struct record_merged {
  index_t* which;
  index_t m;
  void operator()(index_t d, bool from_b, index_t k) const { which[d] = from_b ? m + k : k; }
};

/// Moves the recorded elements; those of a view of const elements are copied.
template <class A, class B, class Out>
struct move_merged {
  A* a;
  B* b;
  index_t const* which;
  index_t m;
  Out* out;
  void operator()(index_t d) const {
    index_t const s = which[d];
    out[d] = s < m ? static_cast<Out>(std::move(a[s])) : static_cast<Out>(std::move(b[s - m]));
  }
};

/// load(i), a number below 256, for each i.
template <class Ex, class Load>
auto bytes_of(Ex const& ex, index_t n, Load load) {
  auto bytes = ex.template scratch<std::uint8_t>(n);
  map_on(ex, n, load, store<std::uint8_t>{bytes.data()});
  return bytes;
}

template <class A, class B>
bool are_apart(view<A> a, view<B> b) {
  std::less_equal<void const*> const before;
  return a.empty() || b.empty() || before(a.end(), b.begin()) || before(b.end(), a.begin());
}

}  // namespace detail

/// pack, of elements that are moved from.
template <local_executor Ex, detail::moved_operand In, class Flags, class Out, class... Options>
void pack(Ex const& ex, In const& in, Flags const& flags, Out&& out, Options... options) {
  detail::expect_options<detail::takes<detail::option::total>, Options...>();
  auto const src = detail::taken(ex, in);
  expects(flag_count(flags) == src.size(), "pack: there are ", flag_count(flags),
          " flags, and in has ", src.size(), " elements");
  pack_on(ex, src.size(), flag_at(flags), detail::moving_to(src, out),
          detail::total_of(options...));
}

/// filter, of elements that are moved from.
template <local_executor Ex, detail::moved_operand In, class Keep, class Out, class... Options>
void filter(Ex const& ex, In const& in, Keep keep, Out&& out, Options... options) {
  detail::expect_options<detail::takes<detail::option::total>, Options...>();
  auto const src = detail::taken(ex, in);
  using T = detail::taken_t<Ex, In>;
  static_assert(std::is_invocable_r_v<bool, Keep&, T const&>,
                "filter: keep is not a predicate on the elements of in");
  pack_on(ex, src.size(),
          by_predicate<contiguous<T>, function_t<Keep>>{{src.data()}, as_function(keep)},
          detail::moving_to(src, out), detail::total_of(options...));
}

/// unique, of elements that are moved from.
template <local_executor Ex, detail::moved_operand In, class Out, class... Options>
void unique(Ex const& ex, In const& in, Out&& out, Options... options) {
  detail::expect_options<detail::run_options, Options...>();
  auto const src = detail::taken(ex, in);
  auto const equal = detail::equality_of(options...);
  using T = detail::taken_t<Ex, In>;
  using begins_run = by_change<contiguous<T>, std::remove_const_t<decltype(equal)>>;
  auto const first = detail::bytes_of(ex, src.size(), begins_run{{src.data()}, equal});
  pack_on(ex, src.size(), nonzero<std::uint8_t>{first.data()}, detail::moving_to(src, out),
          detail::total_of(options...));
}

/// merge, of elements of which those of a moved operand are moved from.
///
/// Errors   contract_error if `a` and `b` overlap, besides those of merge.
template <executor Ex, class A, class B, class Out, class Before = less>
requires(detail::moved_operand<A> || detail::moved_operand<B>) void merge(Ex const& ex, A const& a,
                                                                          B const& b, Out&& out,
                                                                          Before before = {}) {
  detail::expect_written<Out>();
  auto const x = detail::taken(ex, a);
  auto const y = detail::taken(ex, b);
  auto const dst = view_of(out);
  index_t const m = x.size(), n = m + y.size();
  expects(detail::are_apart(x, y), "merge: a and b overlap, and an element is moved from once");
  expects(dst.size() == n, "merge: out has ", dst.size(), " elements, and what is merged has ", m,
          " and ", y.size());
  detail::verify_sorted(ex, "merge", "a", x, before);
  detail::verify_sorted(ex, "merge", "b", y, before);
  auto const sources = ex.template scratch<index_t>(n);
  run_call(detail::own(ex),
           detail::make_merge_call(detail::const_view_of(x), detail::const_view_of(y), before,
                                   detail::record_merged{sources.data(), m}));
  using X = std::remove_pointer_t<decltype(x.data())>;
  using Y = std::remove_pointer_t<decltype(y.data())>;
  for_each_index(
      ex, n,
      detail::move_merged<X, Y, element_t<Out>>{x.data(), y.data(), sources.data(), m, dst.data()});
}

/// split, of elements that are moved from.
template <int Ways = 2, executor Ex, detail::moved_operand In, class Which, class Out,
          class... Options>
void split(Ex const& ex, In const& in, Which const& which, Out&& out, Options... options) {
  detail::expect_written<Out>();
  auto const src = detail::taken(ex, in);
  using T = std::remove_pointer_t<decltype(src.data())>;
  expects(size_of(out) == src.size(), "split: an output has ", size_of(out),
          " elements, and its input has ", src.size());
  auto const digits = detail::bytes_of(
      ex, src.size(), detail::digit_of<Ways>(ex, "split", detail::const_view_of(src), which));
  split_on<Ways>(ex, src.size(), contiguous<std::uint8_t>{digits.data()},
                 detail::move_to_place<T, element_t<Out>>{src.data(), view_of(out).data()},
                 detail::starts_of<Ways, Ex>("split", options...));
}

}  // namespace ravel::inline v0
