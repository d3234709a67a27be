#pragma once

/// Structure: the sources and sinks of a call, as plain values whose types state how they access
/// memory.
///
/// A source is called with an index and returns an element; a sink is called with an index and a
/// value.  All are aggregates of public members that can be copied into kernels.  They correspond
/// to fancy iterators:
///
///     contiguous<T>        in[i]              elements of memory, const or not
///     constant_of<V>       V                  one value, known to the compiler
///     counted<T>           first + i * step   a counting iterator
///     computed<F>          f(i)               any function of an index
///     mapped<S, F>         f(source(i))       a transform iterator
///     mirrored<S>          source(last - i)   a reverse iterator
///     gathered<S, I>       source(index(i))   a permutation iterator
///     zipped<A, B>         paired{a(i), b(i)} a zip iterator
///
/// A function of an index that has a member on(tile) is replaced, in each tile, by what that returns; so
/// are sources over it.
///
///     into_contiguous<T>   out[i] = x
///     into_mapped<F, K>    to(i, f(x))
///     into_mirrored<K>     to(last - i, x)
///     into_function<F>     f(i, x)
///
/// core/operands.hpp brings every spelling of an operand to one normal form of these.

#include <ravel/core/derived_monoids.hpp>
#include <ravel/core/std_ranges.hpp>

namespace ravel::inline v0 {

/// Whether `S` is `Of<...>`.
template <class S, template <class...> class Of>
inline constexpr bool is_instance = false;
template <class... A, template <class...> class Of>
inline constexpr bool is_instance<Of<A...>, Of> = true;

// ---- sources ------------------------------------------------------------------------------------

/// Source: elements of memory, in[i].
template <class T>
struct contiguous {
  T const* data;
  RAVEL_HD T const& operator()(index_t i) const { return data[i]; }
  RAVEL_HD T const* elements() const { return data; }
  RAVEL_HD T const& of(index_t, T const& x) const { return x; }
};

/// Source: one value, known to the compiler.
template <auto V>
struct constant_of {
  static constexpr auto value = V;
  RAVEL_HD constexpr auto operator()(index_t) const { return V; }
};

/// Source: first + i * step.  Integers wrap around.
template <class T>
struct counted {
  T first, step;
  RAVEL_HD T operator()(index_t i) const {
    using detail::wrapping;
    return static_cast<T>(wrapping(first) + wrapping(static_cast<T>(i)) * wrapping(step));
  }
};

/// Source: f(i), any function of an index.
template <class F>
struct computed {
  F f;
  RAVEL_HD auto operator()(index_t i) const { return f(i); }
  RAVEL_HD auto on(tile t) const { return computed<detail::on_tile_t<F>>{detail::on_tile(f, t)}; }
};

/// Source: f(source(i)).
template <class S, class F>
struct mapped {
  S source;
  F f;
  RAVEL_HD auto operator()(index_t i) const { return f(source(i)); }
  RAVEL_HD auto on(tile t) const {
    return mapped<detail::on_tile_t<S>, F>{detail::on_tile(source, t), f};
  }
  RAVEL_HD auto elements() const requires requires(S const& s) { s.elements(); }
  { return source.elements(); }
  template <class T>
  RAVEL_HD auto of(index_t i, T const& x) const {
    return f(source.of(i, x));
  }
};

/// Source: source(last - i).
template <class S>
struct mirrored {
  S source;
  index_t last;
  RAVEL_HD decltype(auto) operator()(index_t i) const { return source(last - i); }
  RAVEL_HD auto on(tile t) const {
    return mirrored<detail::on_tile_t<S>>{
        detail::on_tile(source, {t.id, last + 1 - t.end, last + 1 - t.begin}), last};
  }
};

/// Source: source(index(i)).
template <class S, class I>
struct gathered {
  S source;
  I index;
  RAVEL_HD decltype(auto) operator()(index_t i) const {
    return source(static_cast<index_t>(index(i)));
  }
  RAVEL_HD auto on(tile t) const {
    return gathered<S, detail::on_tile_t<I>>{source, detail::on_tile(index, t)};
  }
};

/// Source: the pair of first(i) and second(i).
template <class A, class B>
struct zipped {
  A first;
  B second;
  RAVEL_HD auto operator()(index_t i) const {
    return paired<std::remove_cvref_t<decltype(first(i))>,
                  std::remove_cvref_t<decltype(second(i))>>{first(i), second(i)};
  }
  RAVEL_HD auto on(tile t) const {
    return zipped<detail::on_tile_t<A>, detail::on_tile_t<B>>{detail::on_tile(first, t),
                                                              detail::on_tile(second, t)};
  }
};

namespace detail {

template <class S>
inline constexpr bool is_constant_source = false;
template <auto V>
inline constexpr bool is_constant_source<constant_of<V>> = true;

}  // namespace detail

/// `S` is one of these sources.
template <class S>
concept source_structure = detail::is_constant_source<S> || is_instance<S, contiguous> ||
    is_instance<S, counted> || is_instance<S, computed> || is_instance<S, mapped> ||
    is_instance<S, mirrored> || is_instance<S, gathered> || is_instance<S, zipped>;

/// The type of the elements of a source.
template <class S>
using element_of_t = std::remove_cvref_t<decltype(std::declval<S const&>()(index_t{}))>;

// ---- sinks --------------------------------------------------------------------------------------

/// Writes at any index; `has_room` tests whether an index is below `room`.
template <class T>
struct into_contiguous {
  T* data;
  index_t room;
  template <class U>
  RAVEL_HD void operator()(index_t i, U const& x) const {
    data[i] = detail::as_assigned<T>(x);
  }
};

/// Sink: to(i, f(x)).
template <class F, class K>
struct into_mapped {
  F f;
  K to;
  template <class U>
  RAVEL_HD void operator()(index_t i, U const& x) const {
    to(i, f(x));
  }
};

/// Sink: to(last - i, x).
template <class K>
struct into_mirrored {
  K to;
  index_t last;
  template <class U>
  RAVEL_HD void operator()(index_t i, U const& x) const {
    to(last - i, x);
  }
};

/// Sink: f(i, x).
template <class F>
struct into_function {
  F f;
  template <class U>
  RAVEL_HD void operator()(index_t i, U const& x) const {
    f(i, x);
  }
};

/// `K` is one of these sinks.
template <class K>
concept sink_structure = is_instance<K, into_contiguous> || is_instance<K, into_mapped> ||
    is_instance<K, into_mirrored> || is_instance<K, into_function>;

// ---- functions ----------------------------------------------------------------------------------

/// f(x) = x, for values that kernels can read.
struct identity_function {
  template <class T>
  RAVEL_HD constexpr T const& operator()(T const& x) const {
    return x;
  }
};

/// x -> g(f(x))
template <class F, class G>
struct composed {
  F f;
  G g;
  template <class T>
  RAVEL_HD auto operator()(T const& x) const {
    return g(f(x));
  }
};

namespace detail {

template <class F>
inline constexpr bool is_identity_function =
    std::same_as<F, identity_function> || std::same_as<F, std::identity>;

}  // namespace detail

// ---- normal form --------------------------------------------------------------------------------

/// A source or sink as returned by `source_of` and `sink_of`:
///
///     a map by the identity is no map                mapped<S, identity>   ->  S
///     a map of a map is one map                      mapped<mapped<S, F>, G>
///                                                        ->  mapped<S, composed<F, G>>
///     maps are outside of mirrors                    mirrored<mapped<S, F>>
///                                                        ->  mapped<mirrored<S>, F>
///     a count from the other end is a count          mirrored<counted<T>>  ->  counted<T>
///     a mirror of a mirror of memory is memory       mirrored<mirrored<contiguous<T>>>
///                                                        ->  contiguous<T>
template <class S>
constexpr auto normal_form(S const& s) {
  if constexpr (is_instance<S, mapped>) {
    auto const in = normal_form(s.source);
    using In = std::remove_const_t<decltype(in)>;
    if constexpr (detail::is_identity_function<decltype(s.f)>) {
      return in;
    } else if constexpr (is_instance<In, mapped>) {
      return mapped<decltype(in.source), composed<decltype(in.f), decltype(s.f)>>{in.source,
                                                                                  {in.f, s.f}};
    } else {
      return mapped<In, decltype(s.f)>{in, s.f};
    }
  } else if constexpr (is_instance<S, mirrored>) {
    auto const in = normal_form(s.source);
    using In = std::remove_const_t<decltype(in)>;
    if constexpr (detail::is_constant_source<In>) {
      return in;
    } else if constexpr (is_instance<In, mapped>) {
      auto const under = normal_form(mirrored<decltype(in.source)>{in.source, s.last});
      return mapped<std::remove_const_t<decltype(under)>, decltype(in.f)>{under, in.f};
    } else if constexpr (is_instance<In, counted>) {
      return In{in(s.last), static_cast<decltype(in.step)>(-detail::wrapping(in.step))};
    } else if constexpr (is_instance<In, mirrored>) {
      if constexpr (is_instance<decltype(in.source), contiguous>) {
        return decltype(in.source){in.source.data + (in.last - s.last)};
      } else {
        return mirrored<In>{in, s.last};
      }
    } else {
      return mirrored<In>{in, s.last};
    }
  } else if constexpr (is_instance<S, gathered>) {
    return gathered<decltype(normal_form(s.source)), decltype(normal_form(s.index))>{
        normal_form(s.source), normal_form(s.index)};
  } else if constexpr (is_instance<S, zipped>) {
    return zipped<decltype(normal_form(s.first)), decltype(normal_form(s.second))>{
        normal_form(s.first), normal_form(s.second)};
  } else if constexpr (is_instance<S, into_mapped>) {
    auto const target = normal_form(s.to);
    using To = std::remove_const_t<decltype(target)>;
    if constexpr (detail::is_identity_function<decltype(s.f)>) {
      return target;
    } else if constexpr (is_instance<To, into_mapped>) {
      return into_mapped<composed<decltype(s.f), decltype(target.f)>, decltype(target.to)>{
          {s.f, target.f}, target.to};
    } else {
      return into_mapped<decltype(s.f), To>{s.f, target};
    }
  } else if constexpr (is_instance<S, into_mirrored>) {
    auto const target = normal_form(s.to);
    using To = std::remove_const_t<decltype(target)>;
    if constexpr (is_instance<To, into_mapped>) {
      auto const under = normal_form(into_mirrored<decltype(target.to)>{target.to, s.last});
      return into_mapped<decltype(target.f), std::remove_const_t<decltype(under)>>{target.f, under};
    } else {
      return into_mirrored<To>{target, s.last};
    }
  } else {
    return s;
  }
}

// ---- traits -------------------------------------------------------------------------------------

namespace detail {

template <class S>
RAVEL_HD constexpr auto under_maps(S const& s) {
  if constexpr (is_instance<S, mapped>) {
    return s.source;
  } else if constexpr (is_instance<S, into_mapped>) {
    return s.to;
  } else {
    return s;
  }
}
template <class S>
using under_maps_t = decltype(under_maps(std::declval<S const&>()));

template <class S>
struct stored : std::type_identity<void> {};
template <class T>
struct stored<contiguous<T>> : std::type_identity<T> {};
template <class T>
struct stored<into_contiguous<T>> : std::type_identity<T> {};

}  // namespace detail

/// Whether a source or sink in normal form accesses contiguous memory, perhaps through a map.
template <class S>
inline constexpr bool is_in_memory = is_instance<detail::under_maps_t<S>, contiguous> ||
                                     is_instance<detail::under_maps_t<S>, into_contiguous>;

/// The type stored in that memory; void if there is none, so that it can be evaluated for every
/// source.
template <class S>
using stored_t = typename detail::stored<detail::under_maps_t<S>>::type;

/// The type of results computed from `Source` and written to `Sink`: the element type that the sink
/// stores, or, if it is a function, that of the source.
template <class Sink, class Source>
using result_t =
    std::conditional_t<std::is_void_v<stored_t<Sink>>, element_of_t<Source>, stored_t<Sink>>;

/// Whether the memory of a source or sink begins at a multiple of `bytes` bytes.
template <class S>
bool is_aligned(S const& s, std::uintptr_t bytes) {
  return reinterpret_cast<std::uintptr_t>(detail::under_maps(s).data) % bytes == 0;
}

/// Whether a sink has room for the i-th value; always true for a user's function.  Forms test it
/// only where the number of results depends on the data.
template <class K>
RAVEL_HD constexpr bool has_room(K const& sink, index_t i) {
  if constexpr (is_instance<K, into_contiguous>) {
    return i < sink.room;
  } else if constexpr (is_instance<K, into_mapped>) {
    return has_room(sink.to, i);
  } else if constexpr (is_instance<K, into_mirrored>) {
    return has_room(sink.to, sink.last - i);
  } else {
    return true;
  }
}

}  // namespace ravel::inline v0
