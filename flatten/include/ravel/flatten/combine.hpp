#pragma once

/// Merges values of several contexts into those of one: used by
/// conditionals, loops, and append.

#include <ravel/core/function_ref.hpp>
#include <ravel/core/std_functional.hpp>
#include <ravel/core/std_memory.hpp>
#include <ravel/flatten/compute.hpp>
#include <ravel/primitives/balance.hpp>

#include <optional>
#include <tuple>
#include <vector>

namespace ravel::inline v0::flattening {

/// The instance of the result for each of n values: map[i], or first + i step if
/// there is no map.
struct targets {
  index_t n;
  indices_held map = {};
  index_t first = 0, step = 1;

  targets(indices_held const& indices) : n(indices.n), map(indices) {}
  targets(index_t count, index_t first_target, index_t distance)
      : n(count), first(first_target), step(distance) {}

  struct target {
    index_t const* map;
    index_t first, step;
    RAVEL_HD index_t operator()(index_t i) const { return map ? map[i] : first + i * step; }
  };
  target of() const { return {map.data, first, step}; }
};

/// The place of the elements of each sequence in the result: `offset` after the beginning of its
/// target sequence.
struct destination {
  starts begins;
  targets::target target;
  index_t offset;
  RAVEL_HD index_t operator()(index_t s) const { return begins[target(s)] + offset; }
  /// Whether it is in no memory that a step may still have to write.
  bool is_known() const { return begins.offsets == nullptr && target.map == nullptr; }
};

/// Values, and the instance of the result for each.
template <class S>
struct source {
  S s;
  targets to;
};
template <class S>
source(S, targets) -> source<S>;
template <class S>
source(S, indices_held) -> source<S>;

/// Calls f for each source: one, a vector of one type, or a tuple of these.
void for_each_source(auto const& one, auto const& f) { f(one); }
template <class S, class F>
void for_each_source(std::vector<S> const& several, F const& f) {
  for (auto const& one : several) for_each_source(one, f);
}
template <class... S, class F>
void for_each_source(std::tuple<S...> const& several, F const& f) {
  ravel::detail::call_with([&](auto const&... part) { (for_each_source(part, f), ...); }, several);
}

/// Applies f to each source.
auto map_sources(auto const& one, auto const& f) { return f(one); }
template <class S, class F>
auto map_sources(std::vector<S> const& several, F const& f) {
  std::vector<decltype(map_sources(several.front(), f))> result;
  result.reserve(several.size());
  for (auto const& one : several) result.push_back(map_sources(one, f));
  return result;
}
template <class... S, class F>
auto map_sources(std::tuple<S...> const& several, F const& f) {
  return ravel::detail::call_with(
      [&](auto const&... part) { return std::make_tuple(map_sources(part, f)...); }, several);
}

template <class E, class T>
struct put {
  E e;
  targets::target to;
  T* out;
  RAVEL_HD void operator()(index_t i) const { out[to(i)] = static_cast<T>(e(i)); }
};
struct put_length {
  extents where;
  targets::target to;
  index_t* out;
  RAVEL_HD void operator()(index_t i) const { out[to(i)] = where.length(i); }
};

/// Sequences, and where in the result the elements of each go.
template <class Ex, class S>
struct placed {
  ragged<Ex, S> s;
  destination to;
  std::shared_ptr<void const> owner;
};
template <class Ex, class S>
placed(ragged<Ex, S>, destination, std::shared_ptr<void const>) -> placed<Ex, S>;

template <class E, class T>
struct put_element {
  E e;
  extents where;
  destination to;
  T* out;
  RAVEL_HD from_to of_segment(index_t s, index_t begin) const {
    return {where.begin(s) - begin, to(s) - begin};
  }
  RAVEL_HD T load(from_to shift, index_t i) const { return static_cast<T>(e(shift.from + i)); }
  RAVEL_HD void store(from_to shift, index_t i, T const& x) const { out[shift.to + i] = x; }
  RAVEL_HD void operator()(index_t i, index_t s, index_t rank) const {
    from_to const shift = of_segment(s, i - rank);
    store(shift, i, load(shift, i));
  }
  void run(index_t i, index_t end, index_t s, index_t rank) const {
    index_t const first = where.begin(s) + rank;
    T* const dst = out + to(s) + rank;
    if constexpr (std::same_as<E, leaf<T>>) {
      if (e.at.is_identity()) {
        std::copy(e.data + first, e.data + first + (end - i), dst);
        return;
      }
    }
    for (index_t k = 0; k < end - i; ++k) dst[k] = static_cast<T>(e(first + k));
  }
};
/// Copies the elements of sequences to their places.
template <class Ex, class E, class T>
void place_elements(machine<Ex> const& on, placed<Ex, cells<E>> const& src, T* out) {
  auto const& d = *src.s.d;
  if (src.to.is_known() && evaluated_whole(on, d, src.s.child.e, out + src.to(0))) return;
  visit_elements(on, d, put_element<E, T>{src.s.child.e, d.where(), src.to, out});
}
struct place_of_element {
  destination to;
  index_t* out;
  RAVEL_HD void operator()(index_t i, index_t s, index_t rank) const { out[i] = to(s) + rank; }
};

/// The elements of sequences as separate values, and where each goes.
template <class Ex, class S>
source<S> elements_to_place(context_ptr<Ex> const& c, placed<Ex, S> const& src) {
  measure(*c->on, *src.s.d);
  auto const places = hold<index_t>(c->ex(), src.s.d->total);
  visit_elements(*c->on, *src.s.d, place_of_element{src.to, places.data});
  return {elements_of(c, src.s), places.shared()};
}

/// The total number of elements in the sequences of all sources.
template <class Ex, class Sources>
index_t total_of(machine<Ex> const& on, Sources const& sources) {
  std::vector<descriptor<Ex> const*> rows;
  for_each_source(sources, [&](auto const& src) { rows.push_back(src.s.d.get()); });
  return measure_all(on, rows);
}

/// The length of the sequences of all sources, if it is uniform and known.
std::optional<index_t> length_of_all(auto const& sources) {
  std::optional<index_t> length;
  bool is_uniform = true;
  for_each_source(sources, [&](auto const& src) {
    auto const& d = *src.s.d;
    if (d.n == 0) return;
    is_uniform = is_uniform && d.is_uniform() && (!length || *length == d.uniform);
    length = d.uniform;
  });
  return is_uniform ? std::optional(length.value_or(0)) : std::nullopt;
}

/// Bounds of the sequences of several sources, each in one of several arrays.
template <int Room>
struct put_bounds {
  struct one {
    extents where;
    index_t ahead;  // the offset of that array from the common base
    targets::target to;
    index_t first, end;  // the numbers of its sequences
  };
  one from[Room];
  index_t *begins, *ends;

  RAVEL_HD void put(one const& src, index_t i) const {
    if (i < src.first || i >= src.end) return;
    index_t const k = src.to(i - src.first);
    begins[k] = src.where.begin(i - src.first) + src.ahead;
    ends[k] = src.where.end(i - src.first) + src.ahead;
  }
  template <std::size_t... K>
  RAVEL_HD void put_all(index_t i, std::index_sequence<K...>) const {
    (put(from[K], i), ...);
  }
  RAVEL_HD void operator()(index_t i) const { put_all(i, std::make_index_sequence<Room>{}); }
};

template <class U, class Sources>
inline constexpr bool in_memory = false;
template <class U, class Ex>
inline constexpr bool in_memory<U, source<ragged<Ex, cells<leaf<U>>>>> = no_larger_than_index<U>;
template <class U, class S>
inline constexpr bool in_memory<U, std::vector<S>> = in_memory<U, S>;
template <class U, class... S>
inline constexpr bool in_memory<U, std::tuple<S...>> = (in_memory<U, S> && ...);

/// Sequences in more arrays than these are copied to one: each level of a recursion may add
/// an array, and every level above iterates over them.
inline constexpr std::size_t max_arrays_described = 64;

/// The n sequences of all sources without copying them, as bounds relative to a common base, if
/// such a base exists: opening them copies their elements, but many are never opened together.
template <class U, class Ex, class Sources>
std::optional<ragged<Ex, cells<leaf<U>>>> described(context_ptr<Ex> const& c, index_t n,
                                                    Sources const& sources) {
  using address = std::uintptr_t;
  U const* base = nullptr;
  bool in_order = true;
  for_each_source(sources, [&](auto const& src) {
    leaf<U> const& e = src.s.child.e;
    in_order = in_order && e.at.is_identity();
    bool const is_first = base == nullptr || std::less<U const*>{}(e.data, base);
    if (e.data != nullptr && is_first) base = e.data;
  });
  auto const distance = [&](leaf<U> const& e) {
    return e.data ? reinterpret_cast<address>(e.data) - reinterpret_cast<address>(base) : 0;
  };
  index_t sum = 0;
  owners keep;
  for_each_source(sources, [&](auto const& src) {
    in_order = in_order && distance(src.s.child.e) % sizeof(U) == 0;
    keep.add(src.s.child.keep);
    auto const& d = *src.s.d;
    index_t const known = known_total(d);
    sum = sum < 0 || known < 0 ? -1 : sum + known;
  });
  if (!in_order || keep.size() > max_arrays_described) return {};
  auto const& ex = c->ex();
  auto const begins = hold<index_t>(ex, n), ends = hold<index_t>(ex, n);
  constexpr int room = cpu::host_executor<Ex> ? 1 : 4;  // launches dominate on a device
  put_bounds<room> put{{}, begins.data, ends.data};
  int used = 0;
  index_t last = 0;
  auto const step = [&] {
    visit_indices(ex, last, put);
    put = {{}, begins.data, ends.data};
    used = 0;
    last = 0;
  };
  for_each_source(sources, [&](auto const& src) {
    auto const ahead = static_cast<index_t>(distance(src.s.child.e) / sizeof(U));
    put.from[used++] = {src.s.d->where(), ahead, src.to.of(), last, last + src.to.n};
    last += src.to.n;
    if (used == room) step();
  });
  step();
  auto const d = std::make_shared<descriptor<Ex> const>(
      descriptor<Ex>{n, -1, begins.shared(), ends.shared(), false, {}, {}, 0, sum});
  return ragged<Ex, cells<leaf<U>>>{d, {{base, {}}, std::move(keep)}};
}

template <std::size_t I>
struct take_member {
  template <class S>
  auto operator()(source<S> const& src) const {
    return source{std::get<I>(src.s.members), src.to};
  }
  template <class Ex, class S>
  auto operator()(placed<Ex, S> const& src) const {
    auto const& member = std::get<I>(src.s.child.members);
    return placed{ragged<Ex, std::remove_cvref_t<decltype(member)>>{src.s.d, member}, src.to,
                  src.owner};
  }
};

template <class T, class Ex, class Sources>
column_t<Ex, T> combined(context_ptr<Ex> const& c, index_t n, Sources const& sources);

/// The n elements of type T in the sequences of all sources.
///
/// Atoms are copied to their places in one step for each source.
template <class T, class Ex, class Sources>
column_t<Ex, T> combined_elements(context_ptr<Ex> const& c, index_t n, Sources const& sources) {
  if constexpr (is_nested<T>::value) {
    return combined<T>(
        c, n, map_sources(sources, [&](auto const& src) { return elements_to_place(c, src); }));
  } else if constexpr (host_record<T>) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return column_t<Ex, T>{{combined_elements<typename members_of<T>::template type<I>>(
          c, n, map_sources(sources, take_member<I>{}))...}};
    }
    (member_indices<T>{});
  } else {
    auto const out = hold<T>(c->ex(), n);
    for_each_source(sources, [&]<class E>(placed<Ex, cells<E>> const& src) {
      place_elements(*c->on, src, out.data);
    });
    return leaf_of(out.shared());
  }
}

/// The n values of type T of all sources: each instance is in exactly one.
///
/// Cost     Every value of the sources is written once; for sequences of atoms, only their bounds.
///          Other data in the same arrays is not read.
template <class T, class Ex, class Sources>
column_t<Ex, T> combined(context_ptr<Ex> const& c, index_t n, Sources const& sources) {
  auto const& ex = c->ex();
  if constexpr (is_nested<T>::value) {
    auto const length = length_of_all(sources);
    using U = typename nested_type<T>::of;
    if constexpr (in_memory<U, Sources>) {
      if (!length) {
        if (auto const rows = described<U>(c, n, sources)) return *rows;
      }
    }
    auto const d = [&] {
      if (length) return uniform_rows<Ex>(n, *length);
      auto const lengths = hold<index_t>(ex, n);
      for_each_source(sources, [&](auto const& src) {
        visit_indices(ex, src.to.n, put_length{src.s.d->where(), src.to.of(), lengths.data});
      });
      auto const offsets = offsets_of_lengths(ex, n, leaf<index_t>{lengths.data, {}});
      return dense_rows<Ex>(n, total_of(*c->on, sources), offsets.shared());
    }();
    auto const children = map_sources(sources, [&](auto const& src) {
      return placed{src.s, destination{starts_of(d), src.to.of(), 0}, src.to.map.owner};
    });
    return [&]<class U>(std::type_identity<nested<U>>) {
      return column_t<Ex, T>{d, combined_elements<U>(c, d->base, children)};
    }(std::type_identity<T>{});
  } else if constexpr (host_record<T>) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return column_t<Ex, T>{{combined<typename members_of<T>::template type<I>>(
          c, n, map_sources(sources, take_member<I>{}))...}};
    }
    (member_indices<T>{});
  } else {
    auto const out = hold<T>(ex, n);
    for_each_source(sources, [&]<class E>(source<cells<E>> const& src) {
      visit_indices(ex, src.to.n, put<E, T>{src.s.e, src.to.of(), out.data});
    });
    return leaf_of(out.shared());
  }
}

}  // namespace ravel::inline v0::flattening
