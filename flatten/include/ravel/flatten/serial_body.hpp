#pragma once

/// Serial bodies: a nested function that one thread runs as plain loops, for each instance.

#include <ravel/core/cpu/worker.hpp>
#include <ravel/core/grain.hpp>
#include <ravel/core/std_memory.hpp>
#include <ravel/flatten/compute.hpp>
#include <ravel/flatten/each.hpp>
#include <ravel/flatten/loop.hpp>
#include <ravel/flatten/optimiser.hpp>
#include <ravel/flatten/plain_apply.hpp>
#include <ravel/flatten/plain_by_index.hpp>
#include <ravel/flatten/plain_deferred.hpp>
#include <ravel/flatten/plain_order.hpp>
#include <ravel/flatten/plain_reshape.hpp>
#include <ravel/flatten/plain_sequences.hpp>
#include <ravel/flatten/plain_sharing.hpp>
#include <ravel/flatten/plain_value.hpp>
#include <ravel/flatten/plain_words.hpp>

#include <atomic>
#include <optional>
#include <tuple>
#include <vector>

namespace ravel::inline v0 {
namespace flattening {

// The value of instance i of a column.

template <class T>
plain_value<T> plain_of(cells<leaf<T>> const& x, index_t i) {
  return {x.e(i)};
}
template <class R, class... S>
plain_value<R> plain_of(fields<R, S...> const& x, index_t i) {
  return std::apply([&](auto const&... s) { return plain_value<R>{{plain_of(s, i)...}}; },
                    x.members);
}
/// Rows [begin, end) of numbers, where they are.  None owns memory, so that none is noted as made.
template <class T>
plain_value<nested<nested<T>>> rows_in_place(T const* data, extents where, index_t begin,
                                             index_t end) {
  using row = plain_value<nested<T>>;
  room<row> memory(end - begin);
  auto const fill = [=](row* __restrict out, auto const& first, auto const& last) {
    for (index_t k = begin; k < end; ++k) {
      index_t const offset = first(k);
      ::new (static_cast<void*>(out + (k - begin))) row{data + offset, last(k) - offset};
    }
  };
  if (where.begins && where.at.is_identity()) {
    fill(
        memory.data(), [=](index_t k) { return where.begins[k]; },
        [=](index_t k) { return where.ends[k]; });
  } else {
    fill(
        memory.data(), [=](index_t k) { return where.begin(k); },
        [=](index_t k) { return where.end(k); });
  }
  row const* const rows = memory.data();
  return {rows, end - begin, std::move(memory)};
}
template <class Ex, class S>
auto plain_of(ragged<Ex, S> const& x, index_t i) {
  auto const where = x.d->where();
  index_t const begin = where.begin(i), end = where.end(i);
  if constexpr (is_cells<S>) {
    if (x.child.e.at.is_identity()) {
      return plain_value<nested<typename S::element>>{x.child.e.data + begin, end - begin};
    }
  }
  if constexpr (is_rows_of_cells<S>) {
    auto const& e = x.child.child.e;
    if (e.at.is_identity()) return rows_in_place(e.data, x.child.d->where(), begin, end);
  }
  return sequence_of(end - begin, [&](index_t k) { return plain_of(x.child, begin + k); });
}

using rooms = std::vector<std::shared_ptr<void>>;
/// Moves the memory that x has into `kept`, so that several threads may copy x.
void lend(auto&, rooms&) {}
template <class... T>
void lend(std::tuple<T...>& x, rooms& kept) {
  std::apply([&](auto&... member) { (lend(member, kept), ...); }, x);
}
template <class T>
void lend(plain_value<T>& x, rooms& kept) {
  if constexpr (host_record<T>) {
    lend(x.members, kept);
  } else if constexpr (is_nested<T>::value) {
    if (!x.memory.is_only_owner()) return;
    if constexpr (!std::is_trivially_copyable_v<typename plain_value<T>::stored>) {
      for (index_t i = 0; i < x.memory.made(); ++i) lend(x.memory.data()[i], kept);
    }
    using memory = std::remove_cvref_t<decltype(x.memory)>;
    kept.push_back(std::make_shared<memory>(std::move(x.memory)));
    x.memory = {};
  }
}

/// An argument of a serial body: a column, and its value if that is the same for all instances.
template <class S>
struct serial_argument {
  using value = decltype(plain_of(std::declval<S const&>(), 0));
  S s;
  std::optional<value> shared = {};
  rooms kept = {};

  value operator()(index_t i) const { return shared ? *shared : plain_of(s, i); }
};
template <class T>
struct serial_argument<plain_value<T>> {
  plain_value<T> x;
  plain_value<T> operator()(index_t) const { return x; }
};
template <class Ex, class X>
auto serial_argument_of(context_ptr<Ex> const& c, X const& x) {
  if constexpr (lifted_value<X>) {
    auto const s = column(c, storage_in(c, x));
    serial_argument<std::remove_const_t<decltype(s)>> argument{s};
    if (x.c->n == 1 && c->n > 0) {
      run_deferred_steps();
      argument.shared = plain_of(s, 0);
      lend(*argument.shared, argument.kept);
    }
    return argument;
  } else {
    return serial_argument<plain_value<X>>{{x}};
  }
}

/// The n values of type T that visit_all(visit) visits in order, as a column.
template <class T, class Ex, class VisitAll>
column_t<Ex, T> column_of_stored(Ex const& ex, index_t n, VisitAll const& visit_all) {
  if constexpr (is_nested<T>::value) {
    using U = typename nested_type<T>::of;
    auto const offsets = hold<index_t>(ex, n + 1);
    index_t k = 0, total = 0;
    offsets.data[0] = 0;
    visit_all([&](auto const& row) { offsets.data[++k] = total += row.n; });
    auto const elements = [&](auto const& visit) {
      visit_all([&](auto const& row) {
        for (index_t i = 0; i < row.n; ++i) visit(row.data[i]);
      });
    };
    return {n == 1 ? uniform_rows<Ex>(1, total) : dense_rows<Ex>(n, total, offsets.shared()),
            column_of_stored<U>(ex, total, elements)};
  } else if constexpr (host_record<T>) {
    auto const member = [&]<std::size_t K>(std::integral_constant<std::size_t, K>) {
      auto const visit_members = [&](auto const& visit) {
        visit_all([&](auto const& record) { visit(std::get<K>(record)); });
      };
      return column_of_stored<typename members_of<T>::template type<K>>(ex, n, visit_members);
    };
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return column_t<Ex, T>{{member(std::integral_constant<std::size_t, I>{})...}};
    }
    (member_indices<T>{});
  } else {
    auto const out = hold<T>(ex, n);
    T* dst = out.data;
    visit_all([&](T const& x) { *dst++ = x; });
    return leaf_of(out.shared());
  }
}

/// Whether T is a sequence of atoms, or of records of them.
template <class T>
inline constexpr bool is_sequence_of_atoms = false;
template <atom U>
inline constexpr bool is_sequence_of_atoms<nested<U>> = true;
template <class... U>
inline constexpr bool is_sequence_of_atoms<nested<std::tuple<U...>>> = (atom<U> && ...);
/// The atom, or member I of the record, that an element in memory is.
template <std::size_t I, class X>
auto const& member_of_stored(X const& x) {
  if constexpr (requires { std::get<I>(x); }) {
    return std::get<I>(x);
  } else {
    return x;
  }
}
/// The sequences of all results, which threads copy, as a column.
template <class T, class Ex, class Result, class U = typename nested_type<T>::of>
column_t<Ex, T> column_of_sequences(Ex const& ex, std::vector<Result> const& results) {
  auto const n = static_cast<index_t>(results.size());
  auto const offsets = hold<index_t>(ex, n + 1);
  index_t const length = results.front().value.n;
  bool are_alike = true;
  index_t total = 0, k = 0;
  for (auto const& one : results) {
    are_alike = are_alike && one.value.n == length;
    offsets.data[k++] = total;
    total += one.value.n;
  }
  offsets.data[n] = total;
  auto const with_members = [&]<std::size_t... I>(std::index_sequence<I...>) {
    using element = stored_element<U>;
    std::tuple const out{
        hold<std::remove_cvref_t<decltype(member_of_stored<I>(std::declval<element const&>()))>>(
            ex, total)...};
    auto const copy = [dst = std::tuple{std::get<I>(out).data...}](element const* src, index_t size,
                                                                   index_t place) {
      for (index_t i = 0; i < size; ++i) {
        ((std::get<I>(dst)[place + i] = member_of_stored<I>(src[i])), ...);
      }
    };
    if (n == 1) {
      auto const* const src = results.front().value.data;
      for_each_index(ex, total, [=](index_t i) { copy(src + i, 1, i); });
    } else {
      for_each_index(ex, n, [&, src = results.data(), begins = offsets.data](index_t i) {
        copy(src[i].value.data, src[i].value.n, begins[i]);
      });
    }
    if constexpr (host_record<U>) {
      return column_t<Ex, U>{{leaf_of(std::get<I>(out).shared())...}};
    } else {
      return leaf_of(std::get<0>(out).shared());
    }
  };
  auto const rows =
      are_alike ? uniform_rows<Ex>(n, length) : dense_rows<Ex>(n, total, offsets.shared());
  if constexpr (host_record<U>) {
    return {rows, with_members(member_indices<U>{})};
  } else {
    return {rows, with_members(std::index_sequence<0>{})};
  }
}

/// The results of f for the instances of c, of which one thread runs each as a loop; none if a loop
/// was left.
template <class T, class Ex, class F, class... A>
std::optional<column_t<Ex, T>> results_of_loops(context_ptr<Ex> const& c, F const& f,
                                                A const&... argument) {
  struct result {
    stored_element<T> value{};
  };
  struct until_end {
    ~until_end() { spare_blocks_of_thread.end_instance(); }
  } const of_results;  // destroyed after them
  std::vector<result> results(static_cast<std::size_t>(c->n));
  std::atomic<bool> has_left = false;
  count_step("loops", c->n, text_of_type<F>());
  divided_work work{nullptr, 1};
  index_t const threads = cpu::detail::threads_of(c->ex());
  if constexpr (std::same_as<Ex, cpu::threads>) {
    if (c->n < threads) work = {&c->ex(), div_up(4 * threads, c->n)};
  }
  index_t const together = std::clamp(c->n / (64 * threads), index_t{1}, index_t{64});
  auto const run = [&, out = results.data()](index_t part) {
    if (has_left.load(std::memory_order_relaxed)) return;
    try {
      dividing_work const scope(work);
      index_t const end = std::min((part + 1) * together, c->n);
      for (index_t i = part * together; i < end; ++i) {
        {
          auto value = settled_plain(f(argument(i)...));
          expect_value(value);
          out[i].value = stored_of(std::move(value));
        }
        spare_blocks_of_thread.end_instance();
      }
    } catch (left_loop const&) {
      has_left.store(true, std::memory_order_relaxed);
    }
    spare_blocks_of_thread.end_instance();
  };
  for_each_index(with_grain(c->ex(), grain(1)), div_up(c->n, together), run);
  if (has_left) return {};
  if constexpr (is_sequence_of_atoms<T>) {
    return column_of_sequences<T>(c->ex(), results);
  } else {
    return column_of_stored<T>(c->ex(), c->n, [&](auto const& visit) {
      for (auto const& one : results) visit(one.value);
    });
  }
}

/// Whether n instances are enough for loops, each by one thread.
bool are_for_loops(auto const& ex, index_t n, index_t most_threads) {
  return n > 0 && div_up(index_t{cpu::detail::threads_of(ex)}, n) <= most_threads;
}

/// The body of a recursion whose calls run as loops, each by one thread, once they are enough.
template <class F>
struct serial_recursive_body {
  F f;
  index_t most_threads;

  template <class... X>
  requires std::is_invocable_v<F const&, X...>
  auto operator()(X&&... x) const { return f(std::forward<X>(x)...); }

  template <class R, class... A, class Ex, class... S>
  requires(cpu::host_executor<Ex>&& traces_loops) std::optional<column_t<Ex, R>> results_of_loops(
      recursive_call<R(A...), serial_recursive_body> const& self, context_ptr<Ex> const& here,
      S const&... argument)
  const {
    if (!are_for_loops(here->ex(), here->n, most_threads)) return {};
    run_deferred_steps();
    return flattening::results_of_loops<R>(here, self.in_loop(), serial_argument<S>{argument}...);
  }
};
template <class F>
inline constexpr bool captures_nothing<serial_recursive_body<F>> = captures_nothing<F>;

template <class F>
struct serial_body {
  F f;
  index_t most_threads;

  serial_recursive_body<F> in_recursion() const { return {f, most_threads}; }

  template <class... X>
  auto operator()(X const&... x) const {
    if constexpr ((plain_operand<X> || ...)) {
      return f(x...);
    } else {
      using Ex = executor_of_t<X...>;
      if constexpr (cpu::host_executor<Ex> && traces_loops) {
        auto const c = ambient(x...);
        (level_of(c, x), ...);
        using T = element_of<decltype(f(serial_argument_of(c, x)(0)...))>;
        if (are_for_loops(c->ex(), c->n, most_threads)) {
          if (auto const results = [&](auto const&... argument) {
                run_deferred_steps();
                return results_of_loops<T>(c, f, argument...);
              }(serial_argument_of(c, x)...)) {
            return lift_storage(c, *results);
          }
        }
        return lift_storage(c, column_t<Ex, T>(column(c, storage_in(c, f(x...)))));
      } else {
        return f(x...);
      }
    }
  }
};

}  // namespace flattening

/// f, each instance of which is run by one thread as a loop over plain numbers, where its steps would
/// pass over short sequences again and again:
///
///     each(a, b, serially(edit_distance))           a pair of words for each instance
///     each(systems, serially(gauss_jordan))
///     serially(random_mate, 1)(n, edges)            one instance: loops by one thread, steps by more
///
/// The operations of f are those of nested programs.  f is compiled a second time, with a
/// `plain_value` in place of each lifted value, so that a step over all instances becomes a loop over
/// the sequence of one.  Results and failures are those of f.
///
/// Shapes   f captures no lifted value: it takes as arguments what it reads, also what all instances
///          share, as in `[&](auto v) { return serially(f)(v, graph); }`.  It has a const call
///          operator, which several threads call.
/// Order    Sums of floating-point numbers may be rounded differently.
/// Cost     One step.  Where instances are fewer than threads, threads share calls `each(x, self)` of a
///          recursion whose body captures nothing.  On a device, in files that nvcc compiles, and where each
///          instance has more than `most_threads` threads, by default never, f runs as steps, which all
///          threads share; also, from the beginning, where an instance fails, to report it.  By one thread
///          steps take twice as long as loops where they pass over long sequences: then most_threads is best
///          1 or 2.  They take 4 to 500 times as long where sequences are short.
/// See also serially of a sequence and a function of its memory.
template <class F>
requires(!operand<F>) constexpr auto serially(
    F f, index_t most_threads = std::numeric_limits<index_t>::max()) {
  return flattening::serial_body<F>{std::move(f), most_threads};
}

}  // namespace ravel::inline v0
