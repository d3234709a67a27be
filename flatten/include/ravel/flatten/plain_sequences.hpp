#pragma once

/// The operations of nested programs on flat plain sequences, as loops.

#include <ravel/core/std_memory.hpp>
#include <ravel/flatten/extrema.hpp>
#include <ravel/flatten/fold.hpp>
#include <ravel/flatten/pick.hpp>
#include <ravel/flatten/plain_deferred.hpp>
#include <ravel/flatten/plain_memory.hpp>
#include <ravel/flatten/plain_value.hpp>
#include <ravel/flatten/plain_words.hpp>
#include <ravel/flatten/scans.hpp>
#include <ravel/flatten/sequences.hpp>
#include <ravel/flatten/serial.hpp>

namespace ravel::inline v0 {
namespace flattening {

template <class T>
plain_value<nested<T>> part_of(plain_value<nested<T>> const& x, index_t first, index_t last) {
  if (first < 0 || first > last || last > x.n) leave_loop();
  return {x.data + first, last - first, x.memory};
}
template <class T>
plain_range<T> part_of(plain_range<T> const& x, index_t first, index_t last) {
  if (first < 0 || first > last || last > x.n) leave_loop();
  return {element_in(x, first).value, x.step, last - first};
}
template <plain_sequence X>
auto part_of(X const& x, index_t first, index_t last) {
  return part_of(settled_plain(x), first, last);
}
/// The elements that f writes to n places, of which it returns the number that is used.
template <class T, class F>
plain_value<nested<T>> written_by(index_t n, F const& f) {
  using U = stored_element<T>;
  room<U> memory(n);
  U* const out = memory.data();
  if constexpr (!is_plain_memory<U>) {
    std::uninitialized_value_construct_n(out, n);
    memory.has_made(n);
  }
  index_t const used = f(out);
  return {out, used, std::move(memory)};
}
/// The elements of x in memory that nothing else shares: its own if x is moved, else a copy.
template <class X>
auto own_copy(X&& x) {
  using T = inner_t<X>;
  if constexpr (is_moved<X>) {
    // Rows that are not noted as made would not be destroyed after writes.
    if (x.memory.is_only_owner() && (is_plain_memory<stored_element<T>> || x.memory.made() > 0)) {
      return settled_t<X>(std::forward<X>(x));
    }
  }
  return written_by<T>(x.n, [&](auto* out) {
    std::copy_n(x.data, x.n, out);
    return x.n;
  });
}
template <class T>
stored_element<T>* writable(plain_value<nested<T>> const& x) {
  return const_cast<stored_element<T>*>(x.data);
}

}  // namespace flattening

/// The operation of this name, on a plain sequence.
template <plain_sequence X>
plain_value<index_t> len(X const& x) {
  return {x.n};
}
template <plain_sequence X, class I>
auto at(X const& x, I const& i) {
  auto const k = flattening::settled_plain(i);
  auto const place = static_cast<index_t>(k.value);
  bool const inside = 0 <= place && place < x.n && !k.failed;
  using T = flattening::inner_t<X>;
  if constexpr (flattening::is_nested<T>::value || flattening::host_record<T>) {
    if (!inside) [[unlikely]]
      flattening::leave_loop();
    return flattening::element_in(x, place);
  } else {
    if (!inside) [[unlikely]]
      return plain_value<T>{T{}, true};
    return flattening::element_in(x, place);
  }
}
/// Of numbers, which are loaded where they are used.
template <plain_sequence X, plain_sequence I>
requires atom<flattening::inner_t<X>>
auto gather(X const& x, I const& indices) { return plain_gather<X, I>{x, indices, indices.n}; }
template <class A, class B, class S>
requires flattening::any_plain<A, B, S>
auto range(A const& first, B const& last, S const& step) {
  using T = std::common_type_t<element_of<A>, element_of<B>, element_of<S>>;
  auto const stride = flattening::number_of(step);
  if (stride == 0) flattening::leave_loop();
  index_t const n = flattening::length_of_range(flattening::number_of(first),
                                                flattening::number_of(last), stride);
  if (n == flattening::uncountable) flattening::leave_loop();
  return plain_range<T>{static_cast<T>(flattening::number_of(first)), static_cast<T>(stride), n};
}
template <class A, class B>
requires flattening::any_plain<A, B>
auto range(A const& first, B const& last) {
  return range(first, last, std::common_type_t<element_of<A>, element_of<B>>(1));
}
template <plain_operand N>
auto iota(N const& n) {
  using T = element_of<N>;
  return range(T(0), n, T(1));
}
template <plain_sequence X>
plain_range<index_t> indices(X const& x) {
  return {0, 1, x.n};
}
template <class V, class N>
requires flattening::any_plain<V, N>
auto dist(V const& v, N const& n) {
  using namespace flattening;
  auto const one = settled_plain(v);
  using T = element_of<decltype(one)>;
  index_t const count = std::max(index_of(n), index_t{0});
  if constexpr (atom<T>) {
    if (count > 0) expect_value(one);
    return plain_map<T, as_type<T>, plain_value<T>>{{}, {one}, count};
  } else {
    return sequence_of(count, [&](index_t) { return one; });
  }
}
template <plain_sequence X, class A, class B>
auto slice(X const& x, A const& first, B const& last) {
  return flattening::part_of(x, flattening::index_of(first), flattening::index_of(last));
}
template <plain_sequence X, class N>
auto take(X const& x, N const& n) {
  return flattening::part_of(x, 0, flattening::index_of(n));
}
template <plain_sequence X, class N>
auto drop(X const& x, N const& n) {
  return flattening::part_of(x, flattening::index_of(n), x.n);
}

template <plain_sequence X, class M>
auto reduce(X const& x, M const& of_call) {
  using namespace flattening;
  auto const m = monoid_on<inner_t<X>>(of_call);
  using T = carrier_t<std::remove_const_t<decltype(m)>>;
  auto const number = [&](index_t i) { return static_cast<T>(element_in(x, i).value); };
  T total = m.identity();
  index_t i = 0;
  if constexpr (std::same_as<decltype(m), plus<T> const> && std::is_floating_point_v<T>) {
    constexpr index_t lanes = 8;  // of vectors, whatever their width
    if (x.n >= lanes) {
      T sums[lanes] = {};
      for (; i + lanes <= x.n; i += lanes) {
        for (index_t j = 0; j < lanes; ++j) sums[j] += number(i + j);
      }
      // Not a loop over halves, which g++ does not unroll: each load would wait for a store.
      total =
          ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
    }
  } else if constexpr (std::is_floating_point_v<T>) {
    if (x.n >= 8) {  // four chains, as an operation waits for the one before
      index_t const part = x.n / 4;
      T sums[4] = {number(0), number(part), number(2 * part), number(3 * part)};
      for (index_t k = 1; k < part; ++k) {
        for (index_t j = 0; j < 4; ++j) sums[j] = m(sums[j], number(j * part + k));
      }
      total = m(m(sums[0], sums[1]), m(sums[2], sums[3]));
      i = 4 * part;
    }
  }
  for (; i < x.n; ++i) total = m(total, number(i));
  return plain_value<T>{total};
}
namespace flattening {
template <class X, class M>
plain_value<index_t> index_of_best_plain(X const& x, M const& m) {
  if (x.n == 0) return {0, true};
  indexed<inner_t<X>> best{element_in(x, 0).value, 0};
  for (index_t i = 1; i < x.n; ++i) {
    best = m(best, indexed<inner_t<X>>{element_in(x, i).value, i});
  }
  return {best.index};
}
template <bool Inclusive, class X, class M>
auto scanned_plain(X const& x, M const& of_call) {
  auto const m = monoid_on<inner_t<X>>(of_call);
  using T = carrier_t<std::remove_const_t<decltype(m)>>;
  return written_by<T>(x.n, [&](T* __restrict out) {
    T sum = m.identity();
    for (index_t i = 0; i < x.n; ++i) {
      T const through = m(sum, static_cast<T>(element_in(x, i).value));
      out[i] = Inclusive ? through : sum;
      sum = through;
    }
    return x.n;
  });
}
}  // namespace flattening
template <plain_sequence X>
auto min_index(X const& x) {
  return flattening::index_of_best_plain(x, arg_min<flattening::inner_t<X>>{});
}
template <plain_sequence X>
auto max_index(X const& x) {
  return flattening::index_of_best_plain(x, arg_max<flattening::inner_t<X>>{});
}
template <plain_sequence X, class M = plus<>>
auto inclusive_scan(X const& x, M const& m = {}) {
  return flattening::scanned_plain<true>(x, m);
}
template <plain_sequence X, class M = plus<>>
auto exclusive_scan(X const& x, M const& m = {}) {
  return flattening::scanned_plain<false>(x, m);
}

template <plain_sequence X, plain_sequence B>
auto pack(X const& x, B const& flags) {
  using namespace flattening;
  using T = inner_t<X>;
  index_t const n = same_length(x, flags);
  return written_by<T>(n, [&](stored_element<T>* __restrict out) {
    index_t k = 0;
    for (index_t i = 0; i < n; ++i) {
      if constexpr (std::is_arithmetic_v<T>) {
        out[k] = element_in(x, i).value;
        k += element_in(flags, i).value;
      } else {
        if (element_in(flags, i).value) out[k++] = stored_of(element_in(x, i));
      }
    }
    return k;
  });
}
template <plain_sequence X, class P>
auto filter(X const& x, P&& p) {
  using namespace flattening;
  using T = inner_t<X>;
  return written_by<T>(x.n, [&](stored_element<T>* __restrict out) {
    index_t k = 0;
    for (index_t i = 0; i < x.n; ++i) {
      auto const element = element_in(x, i);
      bool const stays = number_of(p(element));
      if constexpr (std::is_arithmetic_v<T>) {
        out[k] = element.value;
        k += stays;
      } else {
        if (stays) out[k++] = stored_of(element);
      }
    }
    return k;
  });
}
template <plain_sequence X, class F>
auto serially(X const& x, F const& f) {
  auto result = flattening::own_copy(flattening::settled_plain(x));
  f(flattening::writable(result), result.n);
  return result;
}

}  // namespace ravel::inline v0
