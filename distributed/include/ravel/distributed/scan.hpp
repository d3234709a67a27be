#pragma once

/// Scan over all ranks: inclusive_scan, exclusive_scan and linear_recurrence of distributed
/// sequences.
///
///     inclusive_scan(ex, x, y);
///     exclusive_scan(ex, x, y, maximum{}, backward, from(3), total_to(ex.replicate<int>(1)));
///     linear_recurrence(ex, x, coefficients{1.5f, -0.75f}, y);
///
/// `x` and `y` have the same pieces, in which elements stay.  The last piece of `y` may have one
/// element more in an exclusive scan, which receives the total; backward, the first piece.  `error` if
/// another piece has one more.
/// Options  from(...), backward, total_to(...), of_order<q> and of_tuples<s>.  A total goes to an element
///          on each rank.  Tuples may lie over any number of ranks.
/// Order    `m` is applied in the order of elements and need not be commutative.  The grouping is
///          fixed by the pieces and by the local executor.
/// Cost     Each rank reads its piece twice, the last one, backward the first, once if there is no total;
///          and writes it once.
/// Volume   One value of the monoid to each other rank: of order q 2 q values, of a recurrence of
///          order k with coefficients{...} k + k^2, and with a sequence of them 2; of tuples at most s times
///          as many, and 8 bytes.

#include <ravel/distributed/carries.hpp>
#include <ravel/distributed/executor.hpp>
#include <ravel/primitives/reduce.hpp>
#include <ravel/primitives/scan.hpp>
#include <ravel/primitives/scan_visits.hpp>

namespace ravel::inline v0 {
namespace distributed {
namespace detail {

/// Which call a scan is, by what it writes for each element.
template <class Visit>
inline constexpr int kind_of_scan = 2;
template <class T>
inline constexpr int kind_of_scan<write_through<T>> = 0;
template <class T>
inline constexpr int kind_of_scan<write_before<T>> = 1;
template <class Visit>
inline constexpr int kind_of_scan<ravel::detail::mirrored_visit<Visit>> = kind_of_scan<Visit>;
template <class C, int S, class Visit>
inline constexpr int kind_of_scan<ravel::detail::visit_run<C, S, Visit>> = kind_of_scan<Visit>;
template <class T, int K, int S, class Visit>
inline constexpr int
    kind_of_scan<ravel::detail::visit_run<ravel::detail::carried_results<T, K>, S, Visit>> = 3;
template <class Out>
inline constexpr int kind_of_scan<ravel::detail::write_image<Out>> = 3;
template <int S, class Visit>
inline constexpr int kind_of_scan<ravel::detail::visit_tuple<S, Visit>> = kind_of_scan<Visit>;

inline constexpr char const* scan_names[] = {"inclusive_scan", "exclusive_scan", "scan",
                                             "linear_recurrence"};

/// What receives the total besides an element after the results, which one rank has.
template <class Total>
struct without_far_end {
  using type = Total;
};
template <class T, class Total>
struct without_far_end<ravel::detail::both_totals<ravel::detail::store_total<T>, Total>> {
  using type = Total;
};
template <class C, class Total>
struct without_far_end<ravel::detail::total_of_run<C, Total>> {
  using type = decltype(ravel::detail::total_of_runs<C>(
      std::declval<typename without_far_end<Total>::type>()));
};
template <class Total>
inline constexpr bool has_far_end = !std::same_as<Total, typename without_far_end<Total>::type>;

/// Whether what a visit does with a result does not depend on its index.
template <class Visit>
inline constexpr bool visits_elementwise = true;
template <class Visit>
inline constexpr bool visits_elementwise<ravel::detail::mirrored_visit<Visit>> =
    visits_elementwise<Visit>;

template <class S>
inline constexpr bool loads_tuples = false;
template <int S, class Load, class M>
inline constexpr bool loads_tuples<ravel::detail::load_tuple<S, Load, M>> =
    is_elementwise<Load> || is_backward_elementwise<Load>;
template <class C, int S, class Load>
inline constexpr bool loads_tuples<ravel::detail::load_run<C, S, Load>> =
    S > 1 && (is_elementwise<Load> || is_backward_elementwise<Load>);

/// A scan of tuples, by what it does at each place: its load and visit of elements, and its monoid.
template <class Load, class Visit, class M, class Seed>
struct scan_of_places {
  Load load;
  Visit visit;
  M m;
  Seed seed;  // of a tuple
};
template <int S, class Load, class M, class Visit, class Seed>
scan_of_places<Load, Visit, M, Seed> by_places(ravel::detail::load_tuple<S, Load, M> const& load,
                                               ravel::detail::visit_tuple<S, Visit> const& visit,
                                               Seed const& seed) {
  return {load.load, visit.visit, load.m, seed};
}
/// Of an order: places have carries of their own, as a rank may have more elements of one than of another.
template <int S, class C, class Load, class Visit, class Seed>
auto by_places(ravel::detail::load_run<C, S, Load> const& load,
               ravel::detail::visit_run<C, S, Visit> const& visit,
               ravel::detail::seed_run<C, S, Seed> const& seed) {
  using each = ravel::detail::join_runs<C, 1>;
  using first =
      ravel::detail::seed_tuple<S, ravel::detail::run<C, 1>, ravel::detail::seed_run<C, 1, Seed>>;
  return scan_of_places<ravel::detail::load_run<C, 1, Load>, ravel::detail::visit_run<C, 1, Visit>,
                        each, first>{
      {load.of, load.load, load.n}, {visit.visit, visit.n}, {load.of}, {{seed.seed}}};
}

/// The elements of a piece that begins within a tuple, after the places of other ranks in it.
template <class Load, class M>
struct load_after {
  Load load;
  M m;
  index_t others;
  RAVEL_HD carrier_t<M> operator()(index_t i) const {
    return i < others ? carrier_t<M>(m.identity()) : carrier_t<M>(load(i - others));
  }
};
template <class Visit>
struct visit_after {
  static constexpr bool only_through = ravel::detail::only_through<Visit>;
  Visit visit;
  index_t others;
  template <class T>
  RAVEL_HD void operator()(index_t i, T const& before, T const& through) const {
    if (i >= others) visit(i - others, before, through);
  }
};

}  // namespace detail

/// Writes the combination of the totals of the ranks before this one to *before, and that of all ranks to
/// `total`, where write(p, n) issues the work that writes that of the first n elements of this rank to *p.
/// Backward, before this one are those after it.  No rank needs that of the last one if there is no
/// `total`, and then its n is 0.
template <bool Backward, class Ex, class M, class Seed, class T, class Write,
          class Total = ravel::detail::no_total>
void combine_before_piece(Ex const& ex, index_t n, M m, Seed seed, T* before, Write const& write,
                          Total total = {}) {
  auto const& local = ex.local();
  constexpr bool needs_all = !std::same_as<Total, ravel::detail::no_total>;
  index_t const ranks = ex.ranks().size(), rank = ex.ranks().rank();
  index_t const ranks_before = Backward ? ranks - 1 - rank : rank;
  auto const totals = ex.template scratch<T>(ranks);
  gather_carries(ex, totals.local(),
                 [&](T* sum) { write(sum, needs_all || ranks_before + 1 < ranks ? n : 0); });
  auto const in_order = detail::in_order_of_scan<Backward>(totals.data(), ranks);
  reduce_on(local, ranks_before, in_order, m, seed, ravel::detail::store_total<T>{before});
  if constexpr (needs_all) reduce_on(local, ranks, in_order, m, seed, total);
}

/// The same of the elements of each rank.
template <bool Backward, class Ex, class Load, class M, class Seed, class T,
          class Total = ravel::detail::no_total>
void total_before_piece(Ex const& ex, index_t n, Load load, M m, Seed seed, T* before,
                        Total total = {}) {
  combine_before_piece<Backward>(
      ex, n, m, seed, before,
      [&](T* sum, index_t count) {
        reduce_on(ex.local(), count, load, m, ravel::detail::seed_identity<M>{m},
                  ravel::detail::store_total<T>{sum});
      },
      total);
}

/// A scan over the pieces of all ranks, each of which has described the scan of its own: totals are
/// gathered, and each rank starts from those before it.  Backward, from the last rank to the first.
template <bool Backward, class Ex, class Call>
void scan_pieces(Ex const& ex, char const* name, Call const& c) {
  using Total = decltype(c.total);
  using Near = typename detail::without_far_end<Total>::type;
  using Compared =
      scan_call<decltype(c.load), decltype(c.visit), decltype(c.m), decltype(c.seed), Near>;
  together<Compared>(ex, name, [&] {
    using T = typename Call::value_type;
    if constexpr (detail::has_far_end<Total>) {
      int const rank = ex.ranks().rank(), last = Backward ? 0 : ex.ranks().size() - 1;
      expects(rank == last, "out has one element more than in on rank ", rank,
              ", and the total is on rank ", last);
    }
    auto const before = ex.template scratch<T>(1);
    total_before_piece<Backward>(ex, c.n, c.load, c.m, c.seed, before.data(), c.total);
    run_call(ex.local(),
             describe_scan_on(c.n, c.load, c.visit, c.m, detail::read_one<T>{before.data()}));
  });
}

struct scan_by_carries {
  static constexpr auto name = "by_carries";
  static constexpr auto why =
      "Each rank reduces its piece; all gather the totals, and each scans its piece from the total "
      "of the ranks before it.";
  template <class Call>
  static constexpr auto types = [] {
    using Load = decltype(Call::load);
    return needs(need{Call::shape.backward ? detail::is_backward_elementwise<Load>
                                           : detail::is_elementwise<Load>,
                      "sequences, or maps and zips of them, by single elements"},
                 need{detail::visits_elementwise<decltype(Call::visit)>,
                      "results that do not depend on their places"},
                 need{can_be_sent<typename Call::value_type>, detail::can_be_sent_needs});
  }();
  template <class Ex, class Call>
  static void run(Ex const& ex, Call const& c) {
    scan_pieces<Call::shape.backward>(
        ex, detail::scan_names[detail::kind_of_scan<decltype(c.visit)>], c);
  }
};

struct scan_of_tuples_by_carries {
  static constexpr auto name = "of_tuples_by_carries";
  static constexpr auto why =
      "As by_carries, if each piece begins with a tuple; else places of other ranks in the first "
      "tuple "
      "of a piece have the identity.";
  template <class Call>
  static constexpr auto types = needs(need{detail::loads_tuples<decltype(Call::load)>,
                                           "tuples of sequences, or of maps and zips of them"},
                                      need{can_be_sent<typename Call::value_type>,
                                           detail::can_be_sent_needs});
  template <class Ex, class Call>
  static void run(Ex const& ex, Call const& c) {
    constexpr bool backward = Call::shape.backward;
    auto const name = detail::scan_names[detail::kind_of_scan<decltype(c.visit)>];
    together(ex, name, [&] {
      constexpr index_t tuples = Call::shape.tuples;
      index_t const n = c.load.n, p = ex.ranks().size(), rank = ex.ranks().rank();
      auto const sizes = gather_values(ex.ranks(), n);
      index_t others = 0, all = 0;
      bool begin_with_tuples = true;
      for (index_t k = 0; k < p; ++k) {
        index_t const r = backward ? p - 1 - k : k;
        if (r == rank && n > 0) others = all % tuples;
        begin_with_tuples = begin_with_tuples && (sizes[r] == 0 || all % tuples == 0);
        all += sizes[r];
      }
      if (begin_with_tuples) return scan_pieces<backward>(ex, name, c);
      scan_after<tuples, backward>(ex, name, detail::by_places(c.load, c.visit, c.seed), n, others);
    });
  }

 private:
  template <int S, bool Backward, class Ex, class Load, class Visit, class M, class Seed>
  static void scan_after(Ex const& ex, char const* name,
                         detail::scan_of_places<Load, Visit, M, Seed> const& c, index_t n,
                         index_t others) {
    using namespace ravel::detail;
    using after = detail::load_after<Load, M>;
    using visit_after = detail::visit_after<Visit>;
    index_t const all = n + others;
    scan_pieces<Backward>(
        ex, name,
        make_scan_call(div_up(all, S), load_tuple<S, after, M>{{c.load, c.m, others}, c.m, all},
                       visit_tuple<S, visit_after>{{c.visit, others}, all}, tuple_monoid<M, S>{c.m},
                       c.seed, no_total{}));
  }
};

}  // namespace distributed

template <>
struct form_table<scan_family, distributed::machine>
    : forms<distributed::scan_by_carries, distributed::scan_of_tuples_by_carries,
            distributed::not_distributed> {};

}  // namespace ravel::inline v0
