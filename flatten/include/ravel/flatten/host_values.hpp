#pragma once

/// Copies of host values as columns, and of columns as host values.

#include <ravel/core/cpu/buffer.hpp>
#include <ravel/core/cpu/worker.hpp>
#include <ravel/core/function_ref.hpp>
#include <ravel/core/range_copy.hpp>
#include <ravel/core/std_memory.hpp>
#include <ravel/core/std_ranges.hpp>
#include <ravel/flatten/columns.hpp>
#include <ravel/flatten/compute.hpp>

#include <iterator>
#include <optional>
#include <tuple>
#include <vector>

namespace ravel::inline v0::flattening {

/// A range that can be iterated once.
template <class R>
concept single_pass = std::ranges::input_range<R&> && !std::ranges::forward_range<R&>;

/// What each part of an array of the host calls, of one type for all arrays.
using call_of_part = ravel::detail::function_ref<void(index_t, index_t)>;
struct call_with_part {
  static constexpr bool divisible = true;
  call_of_part f;
  void operator()(auto const&, tile t) const { f(t.begin, t.end); }
};

/// A copy of host data in the memory of `ex`.
template <class T, class Ex>
held<T const> sent(Ex const& ex, T const* host, index_t n) {
  auto const out = hold<T>(ex, n);
  if (n > 0) {
    ex.copy(host, out.data, n);
    ex.wait();
  }
  return out.shared();
}

/// Calls f(begin, end) for parts of [0, n): on a host by all threads, and otherwise once.
template <class Ex>
void each_part(Ex const& ex, index_t n, call_of_part f) {
  if constexpr (cpu::host_executor<Ex>) {
    ex.for_each_tile(n, call_with_part{f});
    ex.wait();
  } else if constexpr (requires { ex.own(); }) {  // checked, same_everywhere
    each_part(ex.own(), n, f);
  } else {
    f(index_t{0}, n);
  }
}

/// n elements in the memory of `ex`, which fill(out) writes: there, or on the host before a copy.
template <class T, class Ex, class Fill>
held<T const> filled(Ex const& ex, index_t n, Fill const& fill) {
  if constexpr (cpu::host_executor<Ex>) {
    auto const out = hold<T>(ex, n);
    fill(out.data);
    return out.shared();
  } else {
    cpu::buffer<T> host(n);
    fill(host.data());
    return sent<T>(ex, host.data(), n);
  }
}

/// Calls copy(j, begin, count) for parts of the ranges at(0), at(1), ... of which that at `begin` is
/// the j-th element of all: by all threads where a range has random access, or is a container.
/// Parameters are of plain types, since g++ 13 refuses that of a buffer as nvcc spells it.
template <class R, class Ex, class At, class Copy>
void each_part_of_ranges(Ex const& ex, index_t n, index_t const* offsets, At const& at,
                         Copy const& copy) {
  constexpr bool by_index = ravel::detail::read_by_index<R>;
  auto const part = [&](index_t first, index_t last) {
    index_t i = std::upper_bound(offsets, offsets + n + 1, first) - offsets - 1;
    for (; i < n && offsets[i] < last; ++i) {
      if constexpr (by_index) {
        index_t const begin = std::max(first, offsets[i]), end = std::min(last, offsets[i + 1]);
        using difference = std::ranges::range_difference_t<R>;
        copy(begin, std::ranges::begin(at(i)) + static_cast<difference>(begin - offsets[i]),
             end - begin);
      } else if (offsets[i] >= first) {
        copy(offsets[i], std::ranges::begin(at(i)), offsets[i + 1] - offsets[i]);
      }
    }
  };
  if constexpr (by_index || !std::ranges::view<std::remove_const_t<R>>) {
    each_part(ex, offsets[n], part);
  } else {
    part(0, offsets[n]);
  }
}

/// Sequences on the executor between n + 1 offsets on the host.
template <class Ex>
descriptor_ptr<Ex> sent_rows(Ex const& ex, index_t n, index_t const* offsets) {
  index_t const first = n > 0 ? offsets[1] : 0;
  index_t i = 0;
  while (i < n && offsets[i + 1] - offsets[i] == first) ++i;
  if (i == n) return uniform_rows<Ex>(n, first);
  return dense_rows<Ex>(n, offsets[n], sent<index_t>(ex, offsets, n + 1));
}
/// The offsets of the sequences of which `inner` has the elements, on the host.
template <class Ex>
std::vector<index_t> offsets_on_host(context<Ex> const& inner) {
  index_t const n = inner.up->n;
  std::vector<index_t> offsets(static_cast<std::size_t>(n) + 1);
  if (inner.begins.is_uniform()) {
    for (index_t i = 0; i <= n; ++i) offsets[static_cast<std::size_t>(i)] = i * inner.begins.length;
  } else {
    inner.ex().copy(inner.begins.offsets.data, offsets.data(), n + 1);
  }
  return offsets;
}

template <class R, class Ex, class Each>
auto imported_elements(Ex const& ex, index_t total, Each const& visit);

/// The values at(0), ..., at(n - 1), each a reference to a value of the host, as columns.
template <class H, class Ex, class At>
auto imported_at(Ex const& ex, index_t n, At const& at) {
  using T = model_t<H>;
  if constexpr (atom<T>) {
    return leaf_of(filled<T>(ex, n, [&](T* out) {
      each_part(ex, n, [&](index_t begin, index_t end) {
        for (index_t i = begin; i < end; ++i) out[i] = at(i);
      });
    }));
  } else if constexpr (host_record<std::remove_const_t<H>>) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      auto const part = [&]<std::size_t K>(std::integral_constant<std::size_t, K>) {
        using M = std::remove_reference_t<decltype(member<K>(at(0)))>;
        return imported_at<M>(ex, n, [&](index_t i) -> M& { return member<K>(at(i)); });
      };
      return column_t<Ex, T>{{part(std::integral_constant<std::size_t, I>{})...}};
    }
    (member_indices<T>{});
  } else {
    using K = std::ranges::range_value_t<H>;
    cpu::buffer<index_t> offsets(n + 1);
    offsets[0] = 0;
    for (index_t i = 0; i < n; ++i) {
      offsets[i + 1] = offsets[i] + static_cast<index_t>(std::ranges::distance(at(i)));
    }
    index_t const total = offsets[n];
    auto const d = sent_rows(ex, n, offsets.data());
    auto const visit = [&](auto const& copy) {
      each_part_of_ranges<H>(ex, n, offsets.data(), at, copy);
    };
    if constexpr (atom<model_t<K>>) {
      return column_t<Ex, T>{d, leaf_of(filled<K>(ex, total, [&](K* out) {
                               visit([out](index_t j, auto begin, index_t count) {
                                 if constexpr (std::contiguous_iterator<decltype(begin)>) {
                                   std::copy_n(std::to_address(begin), count, out + j);
                                 } else {
                                   for (index_t i = j; i < j + count; ++i, ++begin) out[i] = *begin;
                                 }
                               });
                             }))};
    } else {
      return column_t<Ex, T>{d, imported_elements<H>(ex, total, visit)};
    }
  }
}
template <class H, class Ex>
auto imported(Ex const& ex, H* const* values, index_t n) {
  return imported_at<H>(ex, n, [values](index_t i) -> H& { return *values[i]; });
}

/// The elements of ranges R, which are records or ranges, where they are; those that a range creates
/// on iteration are stored first.  visit(copy) is each_part_of_ranges.
template <class R, class Ex, class Each>
auto imported_elements(Ex const& ex, index_t total, Each const& visit) {
  using K = std::ranges::range_value_t<R>;
  using reference = std::ranges::range_reference_t<R>;
  if constexpr (std::is_lvalue_reference_v<reference> &&
                std::convertible_to<std::add_pointer_t<reference>, read_as<K>*>) {
    cpu::buffer<read_as<K>*> places(total);
    visit([&](index_t j, auto begin, index_t count) {
      for (auto* place = places.data() + j; count > 0; --count) *place++ = std::addressof(*begin++);
    });
    return imported(ex, places.data(), total);
  } else {
    cpu::buffer<std::optional<K>> made(total);
    visit([&](index_t j, auto begin, index_t count) {
      for (auto* out = made.data() + j; count > 0; --count) (out++)->emplace(*begin++);
    });
    return imported_at<read_as<K>>(ex, total, [&](index_t j) -> read_as<K>& { return *made[j]; });
  }
}

/// The values of the instances of c, on the host.
template <class Ex, class E>
auto exported(context_ptr<Ex> const& c, cells<E> const& x) {
  using T = typename E::value_type;
  auto const values = computed(c->ex(), x, c->n);
  cpu::buffer<T> host(c->n);
  if (c->n > 0) c->ex().copy(values.e.data, host.data(), c->n);
  c->on->sync();
  return std::vector<T>(host.begin(), host.end());
}
template <class R, class... T>
R host_record_of(T&&... members) {
  if constexpr (adapted_struct<R>) {
    R record{};
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      ((member<I>(record) = std::forward<T>(members)), ...);
    }
    (std::index_sequence_for<T...>{});
    return record;
  } else {
    return R{std::forward<T>(members)...};
  }
}
template <class Ex, class S>
auto exported(context_ptr<Ex> const& c, ragged<Ex, S> const& x);
template <class Ex, class R, class... S>
auto exported(context_ptr<Ex> const& c, fields<R, S...> const& x) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    auto columns = std::tuple{exported(c, std::get<I>(x.members))...};
    std::vector<host_t<R>> records;
    records.reserve(static_cast<std::size_t>(c->n));
    for (std::size_t i = 0; i < static_cast<std::size_t>(c->n); ++i) {
      records.push_back(host_record_of<host_t<R>>(std::move(std::get<I>(columns)[i])...));
    }
    return records;
  }
  (std::index_sequence_for<S...>{});
}
template <class Ex, class S>
auto exported(context_ptr<Ex> const& c, ragged<Ex, S> const& x) {
  auto const inner = open(x.d, c);
  auto const offsets = offsets_on_host(*inner);
  auto elements = exported(inner, elements_of(c, x));
  std::vector<host_t<nested<typename S::element>>> sequences;
  sequences.reserve(static_cast<std::size_t>(c->n));
  for (std::size_t i = 0; i < static_cast<std::size_t>(c->n); ++i) {
    sequences.emplace_back(std::make_move_iterator(elements.begin() + offsets[i]),
                           std::make_move_iterator(elements.begin() + offsets[i + 1]));
  }
  return sequences;
}

}  // namespace ravel::inline v0::flattening
