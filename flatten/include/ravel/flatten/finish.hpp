#pragma once

/// Finish: the rest of a recursion or a loop runs on the host once it is small.
///
/// A step of a device takes microseconds for any number of elements.  The last
/// instances of a recursion cost as much per level as all of them.  If
/// its body captures nothing, it is compiled a second time, for the host; the values
/// of those instances are copied there, and the results back.  If their values grow there, as those
/// of a recursion that branches do, it runs on the device instead.

#include <ravel/core/cpu/executor.hpp>
#include <ravel/core/function_ref.hpp>
#include <ravel/core/std_memory.hpp>
#include <ravel/flatten/compute.hpp>
#include <ravel/flatten/context.hpp>
#include <ravel/flatten/from.hpp>
#include <ravel/flatten/lifted.hpp>
#include <ravel/flatten/open.hpp>
#include <ravel/flatten/optimiser.hpp>
#include <ravel/flatten/stats.hpp>
#include <ravel/flatten/storage.hpp>

#include <optional>
#include <tuple>

namespace ravel::inline v0::flattening {

/// `Ex` defines the number of elements below which the host is faster.
template <class Ex>
concept far_from_host = requires(Ex const& ex) {
  { ex.tuned().nested } -> std::convertible_to<index_t>;
};

/// A function without captures holds no executor's values, so that it can run on any.
template <class F>
inline constexpr bool captures_nothing = std::is_empty_v<F>;
template <class... F>
inline constexpr bool capture_nothing = (captures_nothing<F> && ...);

/// The total number of instances and elements in the columns of x, or `limit` if it is not
/// below that.  May wait.
template <class Ex, class E>
index_t size_below(index_t limit, context_ptr<Ex> const& c, cells<E> const&) {
  return std::min(limit, c->n);
}
template <class Ex, class S>
index_t size_below(index_t limit, context_ptr<Ex> const& c, ragged<Ex, S> const& x) {
  if (c->n >= limit) return limit;
  measure(*c->on, *x.d);
  if (c->n + x.d->total >= limit) return limit;
  auto const inner = open(x.d, c);
  return std::min(limit, c->n + size_below(limit, inner, elements_of(c, x)));
}
template <class Ex, class R, class... S>
index_t size_below(index_t limit, context_ptr<Ex> const& c, fields<R, S...> const& x) {
  index_t sum = 0;
  ravel::detail::call_with(
      [&](auto const&... s) { ((sum += sum < limit ? size_below(limit, c, s) : 0), ...); },
      x.members);
  return std::min(limit, sum);
}

/// Copies from the memory of one executor to that of another.  Issued, not awaited, by the device.
template <class From, class To, class T>
void copy_between(From const& source_ex, To const& target_ex, T const* x, T* y, index_t n) {
  if constexpr (far_from_host<To>) {
    target_ex.copy(x, y, n);
  } else {
    source_ex.copy(x, y, n);
  }
}

/// Copies x, for the instances of c, to columns in the memory of another executor.  Not awaited.
template <class To, class Ex, class E>
auto carried(To const& ex, context_ptr<Ex> const& c, cells<E> const& x) {
  using T = typename E::value_type;
  auto const values = in_order(c, x);
  auto const out = hold<T>(ex, c->n);
  copy_between(c->ex(), ex, values.data, out.data, c->n);
  return leaf_of(out.shared());
}
template <class To, class Ex, class S>
auto carried(To const& ex, context_ptr<Ex> const& c, ragged<Ex, S> const& x) {
  auto const inner = open(x.d, c);
  auto begins = inner->begins;
  if (!begins.is_uniform()) {
    auto const offsets = hold<index_t>(ex, c->n + 1);
    copy_between(c->ex(), ex, begins.offsets.data, offsets.data, c->n + 1);
    begins.offsets = offsets.shared();
  }
  auto child = carried(ex, inner, elements_of(c, x));
  auto const d = rows_by<To>(c->n, inner->n, begins);
  return ragged<To, decltype(child)>{d, std::move(child)};
}
template <class To, class Ex, class R, class... S>
auto carried(To const& ex, context_ptr<Ex> const& c, fields<R, S...> const& x) {
  return map_members(x, [&](auto const& s) { return carried(ex, c, s); });
}

/// What was too large for the host, as it grew there: of fewer elements something may be tried there again.
struct limit_on_host {
  index_t elements = no_limit;
};
/// The bytes of values beyond which a program of so many elements leaves the host.  At least 64 KB, as short
/// programs have descriptors besides.
inline index_t bytes_grown_on_host(index_t elements) {
  return std::max(index_t{1} << 16, 256 * elements);
}

/// f(x...) for the instances of `here`, evaluated on the host: f returns a column for its arguments.  None if x has
/// too many elements, or the values of f came to have too many.  Waits, and throws the failures of all
/// instances, those on the device first.
template <class Host = cpu::sequential, class Ex, class F, class... S>
auto finished_on_host(context_ptr<Ex> const& here, limit_on_host& max, F const& f, S const&... x) {
  Host const ex;
  auto const run = [&](index_t size) {
    note_step("context: on the host", here->n);
    auto const root = root_on(ex);
    auto const host = std::make_shared<context<Host> const>(
        context<Host>{root->on, root, here->n, 1, {{}, here->n}});
    auto const columns = std::tuple{carried(ex, here, x)...};
    here->on->sync();
    auto const made = [&] {
      counting_on_host const counting;
      within_bytes const small(bytes_grown_on_host(size));
      inside<Host> const scope(host);
      auto const result = ravel::detail::call_with(
          [&](auto const&... s) { return f(lift_storage<Host>(host, s)...); }, columns);
      host->on->sync();
      return result.s;
    }();
    auto const back = carried(here->ex(), host, made);
    here->ex().wait();
    return back;
  };
  std::optional<decltype(run(0))> result;
  if (!finishes_on_host) return result;
  index_t const limit = std::min(here->ex().tuned().nested, max.elements);
  index_t size = 0;
  ((size += size < limit ? size_below(limit, here, x) : 0), ...);
  if (size >= limit) return result;
  run_deferred_steps();
  try {
    result = run(size);
  } catch (over_budget const&) {
    deferred_steps().clear();  // all are of values that ended
    max.elements = size;
  }
  return result;
}

}  // namespace ravel::inline v0::flattening
