#pragma once

/// Passes of pipelines over the pieces of all ranks: which stages they may have, and the primitives that
/// they call.

#include <ravel/distributed/carries.hpp>
#include <ravel/distributed/executor.hpp>
#include <ravel/distributed/scan.hpp>
#include <ravel/pipelines/pipelines.hpp>
#include <ravel/primitives/find_first.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/pack.hpp>
#include <ravel/primitives/scan_then_pack.hpp>
#include <ravel/primitives/scan_visits.hpp>

namespace ravel::inline v0 {

namespace piping {

// A filter alone is a pass as others are: filter and unique have no form for several ranks.
template <class T, class Space, class Keep>
inline constexpr bool
    filters_plainly<in_memory<T, distributed::across<Space>>, sifted<as_it_is, Keep>> = false;
template <class T, class Space, class Eq>
inline constexpr bool
    is_plain_unique<stepped<in_memory<T, distributed::across<Space>>, changes_step<Eq>>,
                    mapped<sifted<as_it_is, field<1>>, field<0>>> = false;

}  // namespace piping

namespace distributed {
namespace detail {

/// Whether a function of an element and its place (pipelines/element.hpp) depends on the element alone.
template <class F>
inline constexpr bool ignores_place = false;
template <>
inline constexpr bool ignores_place<piping::as_it_is> = true;
template <class First, class... Beside>
inline constexpr bool ignores_place<piping::set_beside<First, piping::zip_step<Beside...>>> =
    ignores_place<First>;  // pieces of what is beside are the same
template <class First, class F>
inline constexpr bool ignores_place<piping::mapped<First, F>> = ignores_place<First>;
template <class First, class Keep>
inline constexpr bool ignores_place<piping::sifted<First, Keep>> = ignores_place<First>;

template <class S, class Space>
inline constexpr bool is_elementwise<piping::sized_view<S, Space>> = is_elementwise<S>;
template <class T, class Space>
inline constexpr bool is_elementwise<piping::counted_in_memory<T, Space>> = true;
template <class V, class F>
inline constexpr bool is_elementwise<piping::stepped<V, piping::map_step<F>>> = is_elementwise<V>;
template <class... V>
inline constexpr bool is_elementwise<piping::zipped_views<V...>> = (is_elementwise<V> && ...);
template <class V, class... Beside>
inline constexpr bool is_elementwise<piping::stepped<V, piping::zip_step<Beside...>>> =
    is_elementwise<V> && (is_elementwise<Beside> && ...);
template <class V, class Keep>
inline constexpr bool is_elementwise<piping::stepped<V, piping::keep_step<Keep>>> =
    is_elementwise<V>&& ignores_place<Keep>;
template <class V, class Before>
inline constexpr bool is_elementwise<piping::load_some<V, Before>> =
    is_elementwise<V>&& ignores_place<Before>;
template <class Load, class M>
inline constexpr bool is_elementwise<piping::load_or_identity<Load, M>> = is_elementwise<Load>;
template <class Load>
inline constexpr bool is_elementwise<piping::is_some<Load>> = is_elementwise<Load>;
template <class Load>
inline constexpr bool is_elementwise<piping::is_some_of<Load>> = is_elementwise<Load>;
template <>
inline constexpr bool is_elementwise<piping::is_any> = true;

template <class Scan, class Is, class After, class Target>
inline constexpr bool visits_elementwise<piping::put_scanned<Scan, Is, After, Target>> =
    is_elementwise<Is>&& ignores_place<After>;
template <class Scan, class After, class Out>
inline constexpr bool visits_elementwise<write_made<piping::make_scanned<Scan, After>, Out>> =
    ignores_place<After>;

/// Whether a step of scan_then_pack_on does not depend on places.
template <class Step>
inline constexpr bool keeps_elementwise = false;
template <class Scan, class Is, class After>
inline constexpr bool keeps_elementwise<piping::keep_scanned<Scan, Is, After>> =
    is_elementwise<Is>&& ignores_place<After>;

template <bool Fits>
constexpr void expect_stages_of_ranks() {
  static_assert(
      Fits,
      "distributed: this pipeline has no form for several ranks: stages within a pass are map, "
      "filter, zip, inclusive_scan and exclusive_scan, of single elements");
}

}  // namespace detail

}  // namespace distributed

/// What a pass of a pipeline calls, for the pieces of all ranks.  In ravel, since in distributed these
/// would hide the calls of the same names on local executors from this layer.
template <class Local, class C, class V>
void for_each_index(distributed::executor<Local, C> const& ex, index_t n,
                    piping::store_size<V> const& store) {
  ravel::for_each_index(ex.local(), n, store);
}
template <class Local, class C, class Load, class Visit>
void map_on(distributed::executor<Local, C> const& ex, index_t n, Load load, Visit visit) {
  distributed::detail::expect_stages_of_ranks<distributed::detail::is_elementwise<Load>>();
  distributed::together(ex, "map_on", [&] { ravel::map_on(ex.local(), n, load, visit); });
}
template <class Local, class C, class Keep, class Visit, class Total = ravel::detail::no_total>
void pack_on(distributed::executor<Local, C> const& ex, index_t n, Keep keep, Visit visit,
             Total total = {}) {
  distributed::detail::expect_stages_of_ranks<distributed::detail::is_elementwise<Keep>>();
  distributed::together(ex, "pack_on", [&] { ravel::pack_on(ex.local(), n, keep, visit, total); });
}
template <class Local, class C, class Holds, class Found>
void find_first_on(distributed::executor<Local, C> const& ex, index_t n, Holds holds, Found found) {
  distributed::detail::expect_stages_of_ranks<distributed::detail::is_elementwise<Holds>>();
  distributed::together(ex, "find_first_on",
                        [&] { ravel::find_first_on(ex.local(), n, holds, found); });
}
template <class Local, class C, class Load, class M, class Seed, class Step, class Visit,
          class Total = ravel::detail::no_total>
void scan_then_pack_on(distributed::executor<Local, C> const& ex, index_t n, Load load, M m,
                       Seed seed, Step step, Visit visit, Total total = {}) {
  using T = carrier_t<M>;
  distributed::detail::expect_stages_of_ranks<distributed::detail::is_elementwise<Load> &&
                                              distributed::detail::keeps_elementwise<Step>>();
  static_assert(distributed::can_be_sent<T>,
                "distributed: a scan of a pipeline has no form for several ranks "
                "over values that are not trivially copyable");
  distributed::together(ex, "scan_then_pack_on", [&] {
    auto const before = ex.template scratch<T>(1);
    distributed::total_before_piece<false>(ex, n, load, m, seed, before.data());
    ravel::scan_then_pack_on(ex.local(), n, load, m,
                             distributed::detail::read_one<T>{before.data()}, step, visit, total);
  });
}

}  // namespace ravel::inline v0
