#pragma once

/// Moves of nested values between ranks: a column at a time, and how much work the instances are.

#include <ravel/core/transfer.hpp>
#include <ravel/distributed/executor.hpp>
#include <ravel/distributed/routes.hpp>
#include <ravel/distributed/sequence.hpp>
#include <ravel/flatten/flatten.hpp>
#include <ravel/primitives/map.hpp>

#include <algorithm>
#include <vector>

namespace ravel::inline v0::distributed::detail {

namespace flat = ravel::flattening;

inline constexpr auto nested_value_name = "a nested value of several ranks";

/// The context of the elements of a sequence outside of lambdas.
template <class Local, class S>
flat::context_ptr<Local> instances_of(lifted<Local, S> const& x) {
  flat::expect_one(nested_value_name, x.c);
  return flat::open(x.s.d, x.c);
}
/// A sequence outside of lambdas of n values.
template <class Local, class S>
auto sequence_of(Local const& local, index_t n, S const& values) {
  return flat::lift_storage(flat::root_on(local),
                            flat::ragged<Local, S>{flat::uniform_rows<Local>(1, n), values});
}

template <class Local, class T>
void copy_elements(Local const& local, T const* in, T* out, index_t n) {
  for_each_index(local, n, flat::evaluate<flat::leaf<T>, T>{{in, {}}, out});
}

/// Moves values of instances to the ranks that get them: those from cuts[r] to cuts[r + 1] to rank r.
template <class Ex>
struct move_by_cuts {
  Ex const& ex;
  std::vector<index_t> cuts;
  route along;

  move_by_cuts(Ex const& on, std::vector<index_t> at)
      : ex(on), cuts(std::move(at)), along(route_by(ex, cuts)) {}

  index_t received() const { return along.total_received(); }
  template <class T>
  auto values(flat::held<T const> const& x) const {
    auto const out = flat::hold<T>(ex.local(), received());
    send_along(ex, along, flat::seen_by(ex.local(), x), flat::seen_by(ex.local(), out));
    return out.shared();
  }
  /// The same for the elements of sequences that begin there.
  move_by_cuts within(auto const& on, flat::starts_held const& begins, index_t) const {
    std::vector<index_t> at(cuts.size());
    std::vector<index_t const*> places;
    for (std::size_t k = 0; k < cuts.size(); ++k) {
      if (begins.is_uniform()) {
        at[k] = cuts[k] * begins.length;
      } else {
        places.push_back(begins.offsets.data + cuts[k]);
      }
    }
    on.read_all(places, at.data());
    return {ex, std::move(at)};
  }
};

/// Gives every rank the values of all.
template <class Ex>
struct copy_to_all {
  Ex const& ex;
  index_t n;  // on all ranks

  copy_to_all(Ex const& on, index_t instances) : ex(on), n(begins_of(on, instances).back()) {}

  index_t received() const { return n; }
  template <class T>
  auto values(flat::held<T const> const& x) const {
    auto const& local = ex.local();
    auto const copies =
        written_by_all<T>(ex, x.n, [&](T* piece) { copy_elements(local, x.data, piece, x.n); });
    auto const out = flat::hold<T>(local, n);
    copy_elements(local, copies.data(), out.data, n);
    return out.shared();
  }
  copy_to_all within(auto const& on, flat::starts_held const& begins, index_t instances) const {
    return {ex, begins.is_uniform() ? instances * begins.length
                                    : on.read(begins.offsets.data, instances)};
  }
};

/// The length of the sequences of all ranks, if they have one; otherwise -1.
template <class Ex, class Local>
index_t length_of_all(Ex const& ex, flat::descriptor<Local> const& d) {
  struct of_rank {
    index_t n, length;
  };
  index_t length = -1;
  for (of_rank const& r :
       gather_values(ex.ranks(), of_rank{d.n, d.is_uniform() ? d.uniform : -1})) {
    if (r.n == 0) continue;
    if (r.length < 0 || (length >= 0 && length != r.length)) return -1;
    length = r.length;
  }
  return length;
}

/// The values of x at the instances of c, moved.
template <class Move, class Local, class E>
auto moved(Move const& move, flat::context_ptr<Local> const& c, flat::cells<E> const& x) {
  static_assert(can_be_sent<typename E::value_type>,
                "nested values that are sent have trivially copyable elements");
  return flat::leaf_of(move.values(flat::in_order(c, x)));
}
template <class Move, class Local, class R, class... S>
auto moved(Move const& move, flat::context_ptr<Local> const& c, flat::fields<R, S...> const& x);
template <class Move, class Local, class S>
auto moved(Move const& move, flat::context_ptr<Local> const& c, flat::ragged<Local, S> const& x) {
  auto const& local = c->ex();
  auto const inner = flat::open(x.d, c);
  index_t const n = move.received(), length = length_of_all(move.ex, *x.d);
  flat::descriptor_ptr<Local> rows = flat::uniform_rows<Local>(n, std::max<index_t>(length, 0));
  if (length < 0) {
    auto const lengths = flat::hold<index_t>(local, c->n);
    flat::visit_indices(local, c->n,
                        flat::evaluate<flat::length_of, index_t>{{x.d->where()}, lengths.data});
    auto const moved = move.values(lengths.shared());
    rows = flat::rows_of_lengths(nested_value_name, *c->on, n, flat::leaf<index_t>{moved.data, {}});
  }
  auto elements = moved(move.within(*c->on, inner->begins, c->n), inner, flat::elements_of(c, x));
  return flat::ragged<Local, decltype(elements)>{rows, std::move(elements)};
}
template <class Move, class Local, class R, class... S>
auto moved(Move const& move, flat::context_ptr<Local> const& c, flat::fields<R, S...> const& x) {
  return flat::map_members(x, [&](auto const& member) { return moved(move, c, member); });
}

/// The same for a sequence outside of lambdas, whose elements are moved.
template <class Move, class Local, class S>
auto moved_elements(Move const& move, lifted<Local, S> const& x) {
  auto const inner = instances_of(x);
  return sequence_of(inner->ex(), move.received(), moved(move, inner, flat::elements_of(x.c, x.s)));
}

// Work: the number of instances, of their elements, of the elements of those, and so on.

struct add_work_of_elements {
  flat::starts begins;
  index_t* at;
  index_t* work;
  RAVEL_HD void operator()(index_t i) const {
    at[i] = begins[at[i]];
    work[i] += at[i];
  }
};

/// Adds to work[i], for the first at[i] instances of c, the work of their elements.
template <class Local, class E>
void add_work(flat::context_ptr<Local> const&, flat::cells<E> const&, flat::held<index_t> const&,
              flat::held<index_t> const&) {}
template <class Local, class R, class... S>
void add_work(flat::context_ptr<Local> const& c, flat::fields<R, S...> const& x,
              flat::held<index_t> const& at, flat::held<index_t> const& work);
template <class Local, class S>
void add_work(flat::context_ptr<Local> const& c, flat::ragged<Local, S> const& x,
              flat::held<index_t> const& at, flat::held<index_t> const& work) {
  auto const inner = flat::open(x.d, c);
  auto const next = flat::hold<index_t>(c->ex(), at.n);
  flat::visit_indices(c->ex(), at.n,
                      flat::evaluate<flat::leaf<index_t>, index_t>{{at.data, {}}, next.data});
  flat::visit_indices(c->ex(), at.n,
                      add_work_of_elements{inner->begins.seen(), next.data, work.data});
  add_work(inner, flat::elements_of(c, x), next, work);
}
template <class Local, class R, class... S>
void add_work(flat::context_ptr<Local> const& c, flat::fields<R, S...> const& x,
              flat::held<index_t> const& at, flat::held<index_t> const& work) {
  ravel::detail::call_with([&](auto const&... member) { (add_work(c, member, at, work), ...); },
                           x.members);
}

/// The work before part r of p equal parts.
inline index_t work_before_part(index_t work, index_t r, index_t p) {
  return work / p * r + div_up(work % p * r, p);
}

/// Where instances are cut into parts of equal work, one for each rank, by the work before each of
/// the instances of this rank, and after the last.  A part begins with the first instance that begins
/// there, so that it has at most the work of one instance too much.
std::vector<index_t> cuts_by_work(auto const& ex, auto const& work) {
  auto const& local = ex.local();
  index_t const p = ex.ranks().size(), n = size_of(work) - 1;
  auto const begins = begins_of(ex, at_sync(local, work, n));
  std::vector<index_t> targets;
  for (index_t r = 0; r < p; ++r) {
    targets.push_back(work_before_part(begins.back(), r, p) - begins[ex.ranks().rank()]);
  }
  auto cuts = cuts_by_bounds(local, work, targets);
  for (index_t& c : cuts) c = std::min(c, n);
  cuts.front() = 0;
  cuts.push_back(n);
  return cuts;
}
template <class Ex, class Local, class S>
std::vector<index_t> balanced_cuts(Ex const& ex, lifted<Local, S> const& x) {
  auto const& local = ex.local();
  auto const inner = instances_of(x);
  index_t const n = inner->n + 1;
  auto const at = flat::hold<index_t>(local, n), work = flat::hold<index_t>(local, n);
  flat::visit_indices(local, n, flat::evaluate<flat::place, index_t>{{}, at.data});
  flat::visit_indices(local, n, flat::evaluate<flat::place, index_t>{{}, work.data});
  add_work(inner, flat::elements_of(x.c, x.s), at, work);
  return cuts_by_work(ex, flat::seen_by(local, work.shared()));
}

/// The work of a value on the host.
template <class H>
index_t work_of(H const& x) {
  using Plain = std::remove_cvref_t<H>;
  if constexpr (flat::host_record<Plain>) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return ((work_of(flat::member<I>(x)) - 1) + ... + 1);
    }
    (flat::member_indices<model_t<Plain>>{});
  } else if constexpr (flat::host_range<Plain>) {
    index_t work = 1;
    for (auto const& element : x) work += work_of(element);
    return work;
  } else {
    return 1;
  }
}

}  // namespace ravel::inline v0::distributed::detail
