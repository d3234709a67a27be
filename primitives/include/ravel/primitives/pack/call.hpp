#pragma once

/// The description of a pack: pack, pack_index, filter and unique, and pack_on.
///
/// The predicate and the action on what is kept are function objects, keep(i) and visit(i, place).
/// Those of this header, and those whose structure() returns one of them, declare what they read
/// and write, and reach the forms that move it in bulk.

#include <ravel/core/member.hpp>
#include <ravel/core/operands.hpp>
#include <ravel/core/table.hpp>
#include <ravel/primitives/options.hpp>

namespace ravel::inline v0 {

struct pack_family;

/// For each i of [0, n) with keep(i) calls visit(i, place), where place is the number kept before
/// i; and total(k) with the number kept.
template <class Keep, class Visit, class Total>
struct pack_call {
  using family = pack_family;
  index_t n;
  Keep keep;
  Visit visit;
  Total total;
};

// ---- what is kept -------------------------------------------------------------------------------

/// Keeps the elements of a source that a predicate accepts.
template <class S, class P>
struct by_predicate {
  S source;
  P keep;
  RAVEL_MAY_CALL_HOST
  RAVEL_HD bool operator()(index_t i) const { return static_cast<bool>(keep(source(i))); }
};

/// Keeps the first element, and those that are not equal to the one before.  For flags see nonzero
/// and bit_set (core/flags.hpp).
template <class S, class Equal>
struct by_change {
  S source;
  Equal equal;
  RAVEL_HD bool operator()(index_t i) const { return i == 0 || !equal(source(i - 1), source(i)); }
};

/// A keep that is a predicate of elements of memory: keep(i) is keep.of(x), where x is
/// keep.elements()[i].
template <class Keep>
concept keep_of_elements = requires(Keep const& keep) {
  { keep.of(*keep.elements()) } -> std::convertible_to<bool>;
};

// ---- where it goes ------------------------------------------------------------------------------

/// A visit of a pack in two steps.  Devices do the first for many elements before the second:
///
///     visit(i, place) = visit.put(visit.take(i), place)
///
/// No take reads what a put writes.
template <class Visit>
concept takes_first = requires(Visit const& visit, index_t i) {
  visit.put(visit.take(i), i);
};

/// Writes the kept elements of a source to a sink, as many as there is room for.
template <class S, class K>
struct packed_into {
  S source;
  K to;
  RAVEL_HD auto take(index_t i) const { return source(i); }
  template <class T>
  RAVEL_HD void put(T const& x, index_t place) const {
    if (has_room(to, place)) to(place, x);
  }
  RAVEL_HD void operator()(index_t i, index_t place) const {
    if (has_room(to, place)) to(place, source(i));
  }
};

/// A visit that writes the first `capacity` of the kept elements.
template <class Out>
struct write_kept {
  Out* out;
  index_t capacity;
  template <class T>
  RAVEL_HD void operator()(index_t place, T const& x) const {
    if (place < capacity) out[place] = detail::as_assigned<Out>(x);
  }
};

/// A visit of pack_on that writes the kept elements of `in`, as many as there is room for.
template <class In, class Out>
struct write_packed {
  In const* in;
  Out* out;
  index_t capacity;
  RAVEL_HD In const& take(index_t i) const { return in[i]; }
  RAVEL_HD void put(In const& x, index_t place) const {
    if (place < capacity) out[place] = detail::as_assigned<Out>(x);
  }
  RAVEL_HD void operator()(index_t i, index_t place) const {
    if (place < capacity) out[place] = detail::as_assigned<Out>(in[i]);
  }
};

/// A visit of pack_on that writes make(x) for the kept elements x of `in`, as many as there is room
/// for.
template <class In, class Make, class Out>
struct write_made_of_kept {
  In const* in;
  Make make;
  Out* out;
  index_t capacity;
  RAVEL_HD void operator()(index_t i, index_t place) const {
    if (place < capacity) out[place] = detail::as_assigned<Out>(make(in[i]));
  }
};

namespace detail {

/// Writes kept indices, as many as there is room for.
template <class Out>
struct write_packed_index {
  Out* out;
  index_t capacity;
  RAVEL_HD void operator()(index_t i, index_t place) const {
    if (place < capacity) out[place] = static_cast<Out>(i);
  }
};

/// Writes to two sequences.
template <class A, class B>
struct write_both {
  A a;
  B b;
  RAVEL_HD void operator()(index_t i, index_t place) const {
    a(i, place);
    b(i, place);
  }
};

/// Keeps the elements of memory that a predicate accepts.
template <class In, class Keep>
struct keeps_element {
  static constexpr std::size_t element_bytes = sizeof(In);
  In const* in;
  Keep keep;
  RAVEL_MAY_CALL_HOST
  RAVEL_HD bool operator()(index_t i) const { return static_cast<bool>(keep(in[i])); }

  static constexpr int steps = predicate_steps<Keep>;
  template <int S>
  RAVEL_HD bool step(index_t i) const {
    return step_holds<S>(keep, in[i]);
  }
};

/// Keeps the heads of segments.
template <class Segments>
struct keeps_head {
  Segments segments;
  RAVEL_HD bool operator()(index_t i) const { return segments.head(i); }
};

/// The predicate of such a keep on an element.
template <class Keep>
struct predicate_of {
  Keep keep;
  template <class T>
  RAVEL_HD bool operator()(T const& x) const {
    return static_cast<bool>(keep.of(x));
  }
};

// ---- normal form: what loops and kernels know --------------------------------------------------

template <class Keep>
auto normal_keep(Keep const& keep, [[maybe_unused]] index_t n) {
  if constexpr (is_instance<Keep, by_predicate>) {
    auto const in = source_of(keep.source);
    using In = std::remove_const_t<decltype(in)>;
    using P = decltype(keep.keep);
    if constexpr (is_instance<In, contiguous>) {
      return keeps_element<stored_t<In>, P>{in.data, keep.keep};
    } else if constexpr (is_in_memory<In>) {
      using F = decltype(in.f);
      return keeps_element<stored_t<In>, composed<F, P>>{in.source.data, {in.f, keep.keep}};
    } else {
      return by_predicate<In, P>{in, keep.keep};
    }
  } else if constexpr (is_instance<Keep, by_change>) {
    auto const in = source_of(keep.source);
    using In = std::remove_const_t<decltype(in)>;
    if constexpr (is_instance<In, contiguous>) {
      using changes = key_changes<stored_t<In>, decltype(keep.equal)>;
      return keeps_head<head_segments<changes, any_space>>{{{in.data, keep.equal}, n}};
    } else {
      return by_change<In, decltype(keep.equal)>{in, keep.equal};
    }
  } else if constexpr (requires { keep.structure(); }) {
    return normal_keep(keep.structure(), n);
  } else {
    return keep;
  }
}

template <class Visit>
auto normal_visit(Visit const& visit) {
  if constexpr (is_instance<Visit, packed_into>) {
    auto const in = source_of(visit.source);
    auto const sink = sink_of(visit.to);
    using In = std::remove_const_t<decltype(in)>;
    using To = std::remove_const_t<decltype(sink)>;
    if constexpr (is_instance<In, contiguous> && is_instance<To, into_contiguous>) {
      return write_packed<stored_t<In>, stored_t<To>>{in.data, sink.data, sink.room};
    } else if constexpr (is_in_memory<In> && is_instance<To, into_contiguous>) {
      return write_made_of_kept<stored_t<In>, decltype(in.f), stored_t<To>>{in.source.data, in.f,
                                                                            sink.data, sink.room};
    } else {
      return packed_into<In, To>{in, sink};
    }
  } else if constexpr (requires { visit.structure(); }) {
    return normal_visit(visit.structure());
  } else {
    return visit;
  }
}

template <class Keep, class Visit, class Total>
auto make_pack_call(index_t n, Keep keep, Visit visit, Total total) {
  return pack_call<Keep, Visit, Total>{n, keep, visit, total};
}

// ---- traits of normal forms ---------------------------------------------------------------------

/// The memory that a predicate, or a comparison with the element before, reads; void for other
/// keeps.
template <class Keep>
struct keep_traits {
  using predicate_of = void;
  using changes_of = void;
};
template <class T, class P>
struct keep_traits<keeps_element<T, P>> {
  using predicate_of = T;
  using changes_of = void;
};
template <keep_of_elements Keep>
struct keep_traits<Keep> {
  using predicate_of = std::remove_cvref_t<decltype(*std::declval<Keep const&>().elements())>;
  using changes_of = void;
};
template <class T, class Equal, class Space>
struct keep_traits<keeps_head<head_segments<key_changes<T, Equal>, Space>>> {
  using predicate_of = void;
  using changes_of = T;
};

template <class T, class P>
T const* elements_of_keep(keeps_element<T, P> const& keep) {
  return keep.in;
}
auto const* elements_of_keep(keep_of_elements auto const& keep) { return keep.elements(); }
template <class T, class Equal, class Space>
T const* elements_of_keep(keeps_head<head_segments<key_changes<T, Equal>, Space>> const& keep) {
  return keep.segments.begins.keys;
}

/// The memory that a visit reads and writes; or that to which it writes indices.
template <class Visit>
struct visit_traits {
  using in = void;
  using out = void;
  using index = void;
  static constexpr bool maps = false;
};
template <class Out>
struct visit_traits<write_packed_index<Out>> : visit_traits<void> {
  using index = Out;
};
template <class In, class Out>
struct visit_traits<write_packed<In, Out>> : visit_traits<void> {
  using in = In;
  using out = Out;
};
template <class In, class Make, class Out>
struct visit_traits<write_made_of_kept<In, Make, Out>> : visit_traits<void> {
  using in = In;
  using out = Out;
  static constexpr bool maps = true;
};

}  // namespace detail

// ---- the calls ----------------------------------------------------------------------------------

/// The call of pack_on with the same arguments.
template <class Keep, class Visit, class Total = detail::no_total>
[[gnu::always_inline]] inline auto describe_pack_on(index_t n, Keep const& keep, Visit const& visit,
                                                    Total total = {}) {
  return detail::make_pack_call(n, detail::normal_keep(keep, n), detail::normal_visit(visit),
                                total);
}

/// The call of pack with the same arguments.
///
/// Errors   contract_error if there are not as many flags as elements.
template <class In, class Flags, class Out, class... Options>
auto describe_pack(In const& in, Flags const& flags, Out&& out, Options... options) {
  expects(flag_count(flags) == operand_size(in), "pack: there are ", flag_count(flags),
          " flags, and in has ", operand_size(in), " elements");
  return describe_pack_on(operand_size(in), flag_at(flags),
                          packed_into<source_t<In>, sink_t<Out>>{source_of(in), sink_of(out)},
                          detail::total_of(options...));
}

/// The call of filter with the same arguments.
template <class In, class Keep, class Out, class... Options>
auto describe_filter(In const& in, Keep keep, Out&& out, Options... options) {
  return describe_pack_on(
      operand_size(in),
      by_predicate<source_t<In>, function_t<Keep>>{source_of(in), as_function(keep)},
      packed_into<source_t<In>, sink_t<Out>>{source_of(in), sink_of(out)},
      detail::total_of(options...));
}

/// The call of unique with the same arguments.
template <class In, class Out, class... Options>
auto describe_unique(In const& in, Out&& out, Options... options) {
  auto const equal = detail::equality_of(options...);
  return describe_pack_on(
      operand_size(in),
      by_change<source_t<In>, std::remove_const_t<decltype(equal)>>{source_of(in), equal},
      packed_into<source_t<In>, sink_t<Out>>{source_of(in), sink_of(out)},
      detail::total_of(options...));
}

}  // namespace ravel::inline v0
