#pragma once

/// Searches for the first place where something holds of elements by position: of one, of two
/// neighbours, of two sequences, or of an occurrence.  All are find_first_on with another predicate;
/// the calls of searches.hpp and the sinks of pipelines run them.

#include <ravel/primitives/find_first.hpp>

#include <cstring>

namespace ravel::inline v0::detail {

/// Elements of memory, with their number.
template <class T, class Space>
struct placed_elements {
  static constexpr bool counted = false;
  T const* data;
  index_t n;
  RAVEL_HD T const& operator()(index_t i) const { return data[i]; }
  RAVEL_HD index_t size() const { return n; }
  index_t most() const { return n; }
};
/// Elements of a source, with their number.
template <class S>
struct placed_source {
  static constexpr bool counted = false;
  S source;
  index_t n;
  RAVEL_HD decltype(auto) operator()(index_t i) const { return source(i); }
  RAVEL_HD index_t size() const { return n; }
  index_t most() const { return n; }
};
template <class Ex, class In>
auto placed_elements_of(Ex const&, In const& in) {
  if constexpr (sequence<In const&>) {
    return placed_elements<element_t<In const&>, space_of_t<Ex>>{view_of(in).data(), size_of(in)};
  } else {
    return placed_source<source_t<In>>{source_of(in), operand_size(in)};
  }
}
/// What a search reads.
template <class Ex, class In>
[[gnu::always_inline]] inline decltype(auto) searched(Ex const& ex, char const* call,
                                                      In const& in) {
  RAVEL_EXPECT_READABLE(In, Ex, "a search: in");
  return operand_of(ex, call, in);
}

/// Stores where a search for a place with `neighbours` after it ended: none is the number of
/// elements.
template <class E, class Out = index_t>
struct store_place {
  E of;
  index_t neighbours;
  Out* to;
  RAVEL_HD void operator()(index_t i) const {
    index_t const n = of.size();
    *to = static_cast<Out>(i + neighbours < n ? i : n);
  }
};
/// Stores whether a search among n positions ended as it was to.
template <class Out = bool>
struct store_whether {
  index_t n;
  bool found;
  Out* to;
  RAVEL_HD void operator()(index_t i) const { *to = (i < n) == found; }
};

template <class Keep>
struct fails_for {
  Keep keep;
  template <class X>
  RAVEL_HD bool operator()(X const& x) const {
    return !static_cast<bool>(keep(x));
  }
};

/// The bytes of an element of E, by which the host chooses how to search.
template <class E>
inline constexpr std::size_t bytes_of_element =
    sizeof(std::remove_cvref_t<decltype(std::declval<E const&>()(index_t{}))>);

/// Whether an element and the next are related.
template <class E, class Related>
struct related_to_next {
  static constexpr std::size_t element_bytes = bytes_of_element<E>;
  E of;
  Related related;
  RAVEL_HD bool operator()(index_t i) const {
    if constexpr (E::counted) {
      if (i + 1 >= of.size()) return false;
    }
    return static_cast<bool>(related(of(i), of(i + 1)));
  }
};
/// Whether the second is before the first.
template <class Before>
struct in_wrong_order {
  Before before;
  template <class T>
  RAVEL_HD bool operator()(T const& x, T const& y) const {
    return before(y, x);
  }
};
template <class Keep>
struct begins_to_keep {
  Keep keep;
  template <class T>
  RAVEL_HD bool operator()(T const& x, T const& y) const {
    bool const kept = static_cast<bool>(keep(x));
    if constexpr (sizeof(T) > 4) {
      return !kept && static_cast<bool>(keep(y));
    } else {
      return kept < static_cast<bool>(keep(y));  // in vectors, unlike &&
    }
  }
};

/// Whether elements are equal if their bytes are.
template <class X, class Y, class Eq>
inline constexpr bool are_equal_bytes = false;
template <class T, class Space>
inline constexpr bool
    are_equal_bytes<placed_elements<T, Space>, placed_elements<T, Space>, equal_to> =
        std::is_integral_v<T> || std::is_enum_v<T> || std::is_pointer_v<T>;

/// Whether two sequences differ at a position.
template <class X, class Y, class Eq>
struct differ_at {
  static constexpr std::size_t element_bytes = bytes_of_element<X>;
  X x;
  Y y;
  Eq eq;
  /// Whether it is false of [begin, end), for a host: memcmp reads more at once than a loop of flags.
  bool is_false_in(index_t begin, index_t end) const requires are_equal_bytes<X, Y, Eq> {
    return std::memcmp(x.data + begin, y.data + begin,
                       static_cast<std::size_t>(end - begin) * element_bytes) == 0;
  }
  RAVEL_HD bool operator()(index_t i) const {
    if constexpr (X::counted || Y::counted) {
      if (i >= x.size() || i >= y.size()) return false;
    }
    return !static_cast<bool>(eq(x(i), y(i)));
  }
};
/// What becomes of the first position where two sequences differ, or of any beyond one's end.
template <class X, class Y, class End, class Out = typename End::result>
struct store_end {
  X x;
  Y y;
  End end;
  Out* to;
  RAVEL_HD void operator()(index_t i) const {
    index_t const n = x.size(), m = y.size(), shorter = n < m ? n : m;
    *to = static_cast<Out>(end.of(i < shorter ? i : shorter, x, y));
  }
};
struct mismatch_end {
  static constexpr char const* name = "mismatch";
  using result = index_t;
  template <class X, class Y>
  RAVEL_HD index_t of(index_t i, X const&, Y const&) const {
    return i;
  }
};
struct equal_end {
  static constexpr char const* name = "equal";
  using result = bool;
  template <class X, class Y>
  RAVEL_HD bool of(index_t i, X const& x, Y const& y) const {
    return i == x.size() && i == y.size();
  }
};
template <class Before>
struct lexicographical_end {
  static constexpr char const* name = "lexicographical_compare";
  using result = bool;
  Before before;
  template <class X, class Y>
  RAVEL_HD bool of(index_t i, X const& x, Y const& y) const {
    if (i == y.size()) return false;
    return i == x.size() || static_cast<bool>(before(x(i), y(i)));
  }
};
template <class Before>
struct neither_before {
  Before before;
  template <class X, class Y>
  RAVEL_HD auto operator()(X const& x, Y const& y) const
      -> decltype(static_cast<bool>(before(x, y)) && static_cast<bool>(before(y, x))) {
    return !static_cast<bool>(before(x, y)) && !static_cast<bool>(before(y, x));
  }
};

template <class Ex, class X, class Y, class Eq, class End, class Out>
void compare_sequences(Ex const& ex, X const& x, Y const& y, Eq eq, End end, Out* out) {
  constexpr bool whole = std::same_as<End, equal_end> && !X::counted && !Y::counted;
  bool const decided = whole && x.most() != y.most();
  find_first_on(ex, decided ? 0 : std::min(x.most(), y.most()), differ_at<X, Y, Eq>{x, y, eq},
                store_end<X, Y, End, Out>{x, y, end, out});
}

/// Whether the other sequence, which has elements, occurs at a position, or, backward, at last() - i.  Its
/// first element is compared before the others, of 64 positions at once.
template <class X, class Y, class Eq, bool Backward>
struct occurs_at {
  // backward g++ makes no vectors of flags, as for wide elements
  static constexpr std::size_t element_bytes = Backward ? 8 : bytes_of_element<X>;
  static constexpr int steps = 2;
  X x;
  Y y;
  Eq eq;
  RAVEL_HD index_t last() const { return x.size() - y.size(); }
  RAVEL_HD index_t place(index_t i) const { return Backward ? last() - i : i; }
  template <int S>
  RAVEL_HD bool step(index_t i) const {
    if constexpr (S == 0) {
      if constexpr (X::counted || Y::counted) {
        if (i > last()) return false;
        if (y.size() == 0) return true;
      }
      return static_cast<bool>(eq(x(place(i)), y(0)));
    } else {
      index_t const start = place(i);
      for (index_t k = 1; k < y.size(); ++k) {
        if (!static_cast<bool>(eq(x(start + k), y(k)))) return false;
      }
      return true;
    }
  }
  RAVEL_HD bool operator()(index_t i) const { return step<0>(i) && step<1>(i); }
};
template <class Occurs, class Out>
struct store_occurrence {
  Occurs occurs;
  Out* to;
  RAVEL_HD void operator()(index_t i) const {
    *to = static_cast<Out>(i <= occurs.last() ? occurs.place(i) : occurs.x.size());
  }
};
template <bool Backward, class Ex, class X, class Y, class Eq, class Out>
void find_occurrence(Ex const& ex, X const& x, Y const& y, Eq eq, Out* out) {
  using Occurs = occurs_at<X, Y, Eq, Backward>;
  index_t const shortest = Y::counted ? 0 : y.most();
  bool const decided = !Y::counted && shortest == 0;  // nothing occurs at the first place
  find_first_on(ex, decided ? 0 : std::max<index_t>(x.most() - shortest + 1, 0), Occurs{x, y, eq},
                store_occurrence<Occurs, Out>{{x, y, eq}, out});
}

}  // namespace ravel::inline v0::detail
