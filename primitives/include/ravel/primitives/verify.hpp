#pragma once

/// Verification on checked executors: values in memory, before anything is written.
///
/// Each function here does nothing unless calls on `ex` check (core/checked.hpp).  Otherwise it
/// searches on the executor for the first wrong value, waits, and throws a contract_error that
/// names `call`, the position and the value.  A call that is made of others verifies once, where
/// the caller's executor is known: the rest runs on detail::own(ex).

#include <ravel/core/atomic.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/primitives/distribute.hpp>
#include <ravel/primitives/find_first.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/reduce.hpp>

namespace ravel::inline v0::detail {

template <class Load>
struct is_outside {
  Load load;
  index_t size;
  RAVEL_HD auto on(tile t) const requires requires(Load const& x) { x.on(t); }
  {
    auto const load_here = load.on(t);
    return is_outside<std::remove_const_t<decltype(load_here)>>{load_here, size};
  }
  RAVEL_HD bool operator()(index_t i) const { return !is_index_below(load(i), size); }
};
template <class T>
struct is_greater_than_next {
  T const* values;
  RAVEL_HD bool operator()(index_t i) const { return !(values[i] <= values[i + 1]); }
};
template <class Load, class T>
struct store_one {
  Load load;
  index_t at;
  T* to;
  RAVEL_HD void operator()(index_t) const { *to = on_tile(load, tile{0, at, at + 1})(at); }
};

/// Whether the executor only plans device calls: nothing runs.
bool is_planned(auto const& ex) {
  if constexpr (requires { own(ex).is_planned(); }) {
    return own(ex).is_planned();
  } else {
    return false;
  }
}

/// The number that call(there) writes to memory, on the host.  Waits for it; in a plan it is
/// `planned`.
index_t verified_sync(auto const& ex, index_t planned, auto call) {
  if (is_planned(ex)) {
    call(own(ex).template scratch<index_t>(1));
    return planned;
  }
  return one_sync<index_t>(own(ex), call);
}

/// i where a predicate that depends on the tile is true, and n elsewhere.
template <class Wrong>
struct place_in_tile {
  Wrong wrong;
  index_t n;
  RAVEL_HD auto on(tile t) const { return place_where<on_tile_t<Wrong>>{on_tile(wrong, t), n}; }
};

/// The first i of [0, n) with wrong(i), or n if there is none.
template <class Ex, class Wrong>
index_t first_wrong_sync(Ex const& ex, index_t n, Wrong wrong) {
  return verified_sync(ex, n, [&](auto const& out) {
    store_total<index_t> const found{out.data()};
    if constexpr (requires(tile t) { wrong.on(t); }) {
      reduce_on(own(ex), n, place_in_tile<Wrong>{wrong, n}, minimum<index_t>{}, one_past_last{n},
                found);
    } else {
      find_first_on(own(ex), n, wrong, found);
    }
  });
}

/// load(at), on the host.  Waits for it.
template <class Ex, class Load>
auto loaded_sync(Ex const& ex, Load load, index_t at) {
  using T = std::remove_cvref_t<decltype(on_tile(load, tile{})(at))>;
  return one_sync<T>(own(ex), [&](auto const& out) {
    for_each_index(own(ex), 1, store_one<Load, T>{load, at, out.data()});
  });
}

/// Expects load(i), an integer, to be in [0, size) for each i of [0, n):
///
///     scatter: index 7 at position 12 is outside [0, 5)            what: "index"
template <class Ex, class Load>
void verify_below(Ex const& ex, char const* call, char const* what, index_t n, Load load,
                  index_t size) {
  if constexpr (checks<Ex>) {
    index_t const at = first_wrong_sync(ex, n, is_outside<Load>{load, size});
    if (at >= n) return;
    expects(false, call, ": ", what, " ", +loaded_sync(ex, load, at), " at position ", at,
            " is outside [0, ", size, ")");
  }
}

/// The same for indices in memory.
template <class Ex, class R>
void verify_indices(Ex const& ex, char const* call, R const& indices, index_t size,
                    char const* what = "index") {
  if constexpr (checks<Ex>) {
    auto const v = view_of(indices);
    verify_below(ex, call, what, v.size(), contiguous<element_t<R const&>>{v.data()}, size);
  }
}

/// Keeps the first position of each index.
template <class T>
struct keep_first_position {
  T const* indices;
  index_t* first;
  RAVEL_HD void operator()(index_t i) const {
    keep_least(first + static_cast<index_t>(indices[i]), i);
  }
};
template <class T>
struct is_later_position {
  T const* indices;
  index_t const* first;
  RAVEL_HD bool operator()(index_t i) const { return first[static_cast<index_t>(indices[i])] != i; }
};

/// Expects indices, which are in [0, size), to differ from each other:
///
///     permute: index 3 at position 5 is at position 2 already
template <class Ex, class R>
void verify_distinct(Ex const& ex, char const* call, R const& indices, index_t size) {
  if constexpr (checks<Ex>) {
    using T = element_t<R const&>;
    auto const v = view_of(indices);
    auto const first = own(ex).template scratch<index_t>(size);
    for_each_index(own(ex), size, same_value<index_t>{first.data(), v.size()});
    for_each_index(own(ex), v.size(), keep_first_position<T>{v.data(), first.data()});
    index_t const at = first_wrong_sync(ex, v.size(), is_later_position<T>{v.data(), first.data()});
    if (at >= v.size()) return;
    auto const index = at_sync(own(ex), v, at);
    expects(false, call, ": index ", +index, " at position ", at, " is at position ",
            at_sync(own(ex), view<index_t const, space_of_t<Ex>>(first.data(), size),
                    static_cast<index_t>(index)),
            " already");
  }
}

/// Expects values to ascend:
///
///     histogram: edge 2 is 3, less than edge 1, which is 4         what: "edge"
template <class Ex, class R>
void verify_ascending(Ex const& ex, char const* call, char const* what, R const& values) {
  if constexpr (checks<Ex>) {
    using T = element_t<R const&>;
    auto const v = view_of(values);
    index_t const pairs = v.size() > 0 ? v.size() - 1 : 0;
    index_t const at = first_wrong_sync(ex, pairs, is_greater_than_next<T>{v.data()});
    if (at >= pairs) return;
    if constexpr (std::is_arithmetic_v<T>) {
      expects(false, call, ": ", what, " ", at + 1, " is ", +at_sync(own(ex), v, at + 1),
              ", less than ", what, " ", at, ", which is ", +at_sync(own(ex), v, at));
    } else {
      expects(false, call, ": ", what, " ", at + 1, " is less than ", what, " ", at);
    }
  }
}

template <class T, class Before>
struct is_before_last {
  T const* values;
  Before before;
  RAVEL_HD bool operator()(index_t i) const { return before(values[i + 1], values[i]); }
};

/// Expects values to be sorted by `before`:
///
///     merge: element 3 of a belongs before element 2               what: "a"
template <class Ex, class R, class Before>
void verify_sorted(Ex const& ex, char const* call, char const* what, R const& values,
                   Before const& before) {
  if constexpr (checks<Ex>) {
    using T = element_t<R const&>;
    auto const v = view_of(values);
    index_t const pairs = v.size() > 0 ? v.size() - 1 : 0;
    index_t const at = first_wrong_sync(ex, pairs, is_before_last<T, Before>{v.data(), before});
    expects(at >= pairs, call, ": element ", at + 1, " of ", what, " belongs before element ", at);
  }
}

/// Expects offsets to ascend from 0 to n, or, if n is `any_elements`, to any number:
///
///     segmented_reduce: offset 2 is 100, less than offset 1, which is 15000
template <class Ex, class R>
void verify_offsets(Ex const& ex, char const* call, R const& offsets, index_t n) {
  if constexpr (checks<Ex>) {
    auto const v = view_of(offsets);
    expects(v.size() > 0, call,
            ": by_offsets needs one offset more than there are segments, and got none");
    if (!is_planned(ex)) {
      auto const first = at_sync(own(ex), v, 0);
      expects(first == 0, call, ": the first offset is ", +first, " and must be 0");
    }
    if (!is_planned(ex) && n != any_elements) {
      auto const last = at_sync(own(ex), v, v.size() - 1);
      expects(is_index_below(last, n + 1) && static_cast<index_t>(last) == n, call,
              ": the last offset is ", +last, ", and there are ", n, " elements");
    }
    verify_ascending(ex, call, "offset", offsets);
  }
}

template <class T>
struct as_index {
  T const* from;
  RAVEL_HD index_t operator()(index_t i) const { return static_cast<index_t>(from[i]); }
};

/// Expects no length to be negative, and their sum to be n, or, if n is `any_elements`, any number:
///
///     run_length_decode: length 1 is -8 and must not be negative
template <class Ex, class R>
void verify_lengths(Ex const& ex, char const* call, R const& lengths, index_t n) {
  if constexpr (checks<Ex>) {
    using T = element_t<R const&>;
    using sum = plus<index_t>;
    auto const v = view_of(lengths);
    // None is more than n, so that their sum cannot overflow either.
    index_t const limit = n == any_elements ? n : n + 1;
    index_t const at = first_wrong_sync(ex, v.size(), is_outside<contiguous<T>>{{v.data()}, limit});
    if (at < v.size()) {
      auto const length = at_sync(own(ex), v, at);
      expects(!(length < T(0)), call, ": length ", at, " is ", +length,
              " and must not be negative");
      expects(false, call, ": length ", at, " is ", +length, ", and there are ", n, " elements");
    }
    if (n == any_elements) return;
    index_t const all = verified_sync(ex, n, [&](auto const& out) {
      reduce_on(own(ex), v.size(), as_index<T>{v.data()}, sum{}, seed_identity<sum>{{}},
                store_total<index_t>{out.data()});
    });
    expects(all == n, call, ": the lengths add up to ", all, ", and there are ", n, " elements");
  }
}

template <class S>
struct counts_head {
  S segments;
  RAVEL_HD index_t operator()(index_t i) const { return segments.head(i) ? 1 : 0; }
};

/// Expects heads, head bits or keys to begin at most as many segments as `in` has elements.
template <class Ex, class S>
void verify_heads(Ex const& ex, char const* call, S const& segments, index_t size_of_in) {
  if constexpr (checks<Ex>) {
    using sum = plus<index_t>;
    index_t const heads = verified_sync(ex, 0, [&](auto const& out) {
      reduce_on(own(ex), segments.elements, counts_head<S>{segments}, sum{}, seed_identity<sum>{{}},
                store_total<index_t>{out.data()});
    });
    expects(heads <= size_of_in, call, ": in has ", size_of_in, " elements, and there are ", heads,
            " segments");
  }
}

/// Expects a descriptor to cover n elements according to its values in memory: heads, head bits,
/// keys and uniform segments always do.
template <class Ex, class S>
void verify_segments(Ex const& ex, char const* call, S const& segments, index_t n) {
  if constexpr (requires { segments.offsets; }) {
    verify_offsets(ex, call, segments.offsets, n);
  } else if constexpr (is_lengths<S>::value) {
    verify_lengths(ex, call, segments.lengths, n);
  } else if constexpr (requires { segments.begins.offsets; }) {
    if (segments.begins.offsets) {
      using T = std::remove_cvref_t<decltype(*segments.begins.offsets)>;
      verify_offsets(ex, call,
                     view<T const, space_of_t<S>>(segments.begins.offsets, segments.segments + 1),
                     n);
    }
  }
}

}  // namespace ravel::inline v0::detail
