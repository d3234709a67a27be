#pragma once

/// Operations on segments: scans, sorts and reductions of each, as passes of their own.

#include <ravel/algorithms/segmented_comparison_sort.hpp>
#include <ravel/algorithms/segmented_sort.hpp>
#include <ravel/core/function_ref.hpp>
#include <ravel/pipelines/element.hpp>
#include <ravel/pipelines/loads.hpp>
#include <ravel/pipelines/own_pass_stage.hpp>
#include <ravel/pipelines/scans.hpp>
#include <ravel/pipelines/targets.hpp>
#include <ravel/primitives/scan_visits.hpp>
#include <ravel/primitives/segmented_reduce.hpp>
#include <ravel/primitives/segmented_scan.hpp>

#include <tuple>

namespace ravel::inline v0::piping {

/// Dropped elements keep their positions as empty maybes, and so do segments: this
/// function of a maybe removes the empty ones.
struct of_maybe {
  static constexpr bool partial = true;
  static constexpr int steps = 1;
  template <class T>
  RAVEL_HD maybe<T> operator()(index_t, maybe<T> const& x) const {
    return x;
  }
  template <class T>
  RAVEL_HD bool is(index_t, maybe<T> const& x) const {
    return x.is;
  }
  template <int S, class T>
  RAVEL_HD bool is_step(index_t, maybe<T> const& x) const {
    return x.is;
  }
  template <class T>
  RAVEL_HD T value(index_t, maybe<T> const& x) const {
    return x.value;
  }
};

/// The value of a maybe, or the identity if it is empty.
template <class V, class M>
struct load_there {
  V view;
  M m;
  RAVEL_HD carrier_t<M> operator()(index_t i) const {
    auto const x = view(i);
    return x.is ? carrier_t<M>(x.value) : carrier_t<M>(m.identity());
  }
};

/// Writes a result of a scan with whether its element exists.
template <bool Inclusive, class V, class Out>
struct put_there {
  static constexpr bool only_through = Inclusive;
  V view;
  maybe<Out>* to;
  template <class T>
  RAVEL_HD void operator()(index_t i, T const& before, T const& through) const {
    auto result = maybe<Out>(static_cast<Out>(Inclusive ? through : before));
    result.is = view(i).is;
    to[i] = result;
  }
};

/// Scans each segment; with `Some`, of maybes, those that are not empty.
template <bool Inclusive, bool Some, class S, class M, class... Options>
struct segmented_scan_op : op_of_each {
  static constexpr char const* name =
      Inclusive ? "segmented inclusive_scan" : "segmented exclusive_scan";
  static constexpr bool reads_views = true;
  template <class T>
  using element = typename std::conditional_t<Some, value_of_maybe<T>, std::type_identity<T>>::type;
  template <class T>
  using monoid = std::remove_const_t<decltype(monoid_on<element<T>>(std::declval<M>()))>;
  template <class T>
  using result = typename value_of_maybe<carrier_t<monoid<T>>>::type;
  template <class T>
  using made = std::conditional_t<Some, maybe<result<T>>, result<T>>;
  S segments;
  M m;
  std::tuple<Options...> options;

  void run(auto const& ex, auto const& in, auto const& out, auto const&) const {
    ravel::detail::call_with([&](auto... option) { run_with(ex, in, out, option...); }, options);
  }

 private:
  template <class Ex, class V, class Out, class... Option>
  void run_with(Ex const& ex, V const& in, Out const& out, Option... option) const {
    using T = value_t<V>;
    using R = result<T>;
    index_t const n = in.most();
    monoid<T> const mon = monoid_on<element<T>>(m);
    if constexpr (Some) {
      segmented_scan_on(ex, n, load_there<V, monoid<T>>{in, mon}, segments,
                        put_there<Inclusive, V, R>{in, out.data()}, mon, option...);
    } else if constexpr (is_in_memory<V>::value && Inclusive) {
      segmented_inclusive_scan(ex, sequence_at(ex, in.data, n), segments, out, m, option...);
    } else if constexpr (is_in_memory<V>::value) {
      segmented_exclusive_scan(ex, sequence_at(ex, in.data, n), segments, out, m, option...);
    } else {
      using Write = std::conditional_t<Inclusive, ravel::write_through<R>, ravel::write_before<R>>;
      segmented_scan_on(ex, n, load_from(in, as_it_is{}), segments, Write{out.data()}, mon,
                        option...);
    }
  }
};

/// The key of a maybe's value.
template <class Key>
struct key_of_maybe {
  Key key;
  template <class T>
  RAVEL_HD auto operator()(maybe<T> const& x) const {
    return key(x.value);
  }
};
/// Orders empty maybes last, equal to each other.
template <bool Descending>
struct where_it_is {
  template <class T>
  RAVEL_HD bool operator()(maybe<T> const& x) const {
    return x.is == Descending;
  }
};

/// Orders maybes by their values, and empty ones last.
template <class Before>
struct before_of_maybe {
  Before before;
  template <class T>
  RAVEL_HD bool operator()(maybe<T> const& x, maybe<T> const& y) const {
    return x.is && (!y.is || before(x.value, y.value));
  }
};

/// A sort of each segment by an order.
template <bool Some, class S, class Before>
struct segmented_sort_by_order_op : op_of_each {
  static constexpr char const* name = "segmented sort";
  S segments;
  Before before;

  void run(auto const& ex, auto const& in, auto const& out, auto const&) const {
    if constexpr (Some) {
      segmented_comparison_sort(ex, in, segments, out, before_of_maybe<Before>{before});
    } else {
      segmented_comparison_sort(ex, in, segments, out, before);
    }
  }
};

template <bool Some, class S, class... Options>
struct segmented_sort_op : op_of_each {
  static constexpr char const* name = "segmented sort";
  S segments;
  std::tuple<Options...> options;

  void run(auto const& ex, auto const& in, auto const& out, auto const&) const {
    ravel::detail::call_with(
        [&](auto... option) {
          if constexpr (Some) {
            sort_there(ex, in, out, option...);
          } else {
            segmented_sort(ex, in, segments, out, option...);
          }
        },
        options);
  }

 private:
  static constexpr bool down = (std::same_as<Options, descending_t> || ...);

  template <class Ex, class In, class Out, class... Option>
  void sort_there(Ex const& ex, In const& in, Out const& out, Option const&... option) const {
    static_assert(!(std::same_as<Option, bit_range> || ...),
                  "sort after a filter of segments: bit_range{...} is not among its options");
    auto const by_keys = ravel::detail::call_with(
        [](auto... key) { return by(where_it_is<down>{}, key_of_maybe<decltype(key)>{key}...); },
        keys_of_options(option...));
    if constexpr (down) {
      segmented_sort(ex, in, segments, out, by_keys, descending);
    } else {
      segmented_sort(ex, in, segments, out, by_keys);
    }
  }
  static std::tuple<ravel::detail::the_element> keys_of_options() { return {}; }
  static auto keys_of_options(auto const& option, auto const&... rest) {
    if constexpr (requires { option.all(); }) {
      return option.all();
    } else {
      return keys_of_options(rest...);
    }
  }
};

/// Reduces the results of `Keep`, a function of elements, in each segment: a preceding map or
/// filter is fused into the load.
template <class S, class Keep, class M, class Initial>
struct segmented_reduce_op {
  static constexpr char const* name = "segmented reduce";
  static constexpr bool counted = !requires(S const& s) { s.count(); };
  static constexpr bool reads_views = true;
  template <class T>
  using monoid = std::remove_const_t<decltype(monoid_on<made_of_t<Keep, T>>(std::declval<M>()))>;
  template <class T>
  using made = typename value_of_maybe<carrier_t<monoid<T>>>::type;
  S segments;
  Keep keep;
  M m;
  Initial initial;

  index_t length(index_t n) const {
    if constexpr (counted) {
      return n;
    } else {
      return segments.count();
    }
  }
  template <class Ex, class V, class Out, class Count>
  void run(Ex const& ex, V const& in, Out const& out, [[maybe_unused]] Count const& count) const {
    auto const options = [&](auto const&... extra) {
      if constexpr (std::same_as<Initial, from_identity>) {
        return std::tuple(extra...);
      } else {
        return std::tuple(initial, extra...);
      }
    };
    if constexpr (is_in_memory<V>::value && std::same_as<Keep, as_it_is>) {
      auto const reduce = [&](auto const&... option) {
        segmented_reduce(ex, sequence_at(ex, in.data, in.n), segments, out, m, option...);
      };
      if constexpr (counted) {
        ravel::detail::call_with(reduce, options(total_to(count)));
      } else {
        ravel::detail::call_with(reduce, options());
      }
    } else {
      using Mon = monoid<value_t<V>>;
      Mon const mon = monoid_on<made_of_t<Keep, value_t<V>>>(m);
      auto const run_on = [&](auto const& load) {
        to_memory<element_t<Out const&>> const visit{out.data()};
        if constexpr (counted) {
          segmented_reduce_on(ex, in.most(), load, segments, mon, start_of(mon, initial), visit,
                              store_count{count.data()});
        } else {
          segmented_reduce_on(ex, in.most(), load, segments, mon, start_of(mon, initial), visit);
        }
      };
      auto const load = load_from(in, keep);
      if constexpr (Keep::partial) {
        run_on(load_or_identity<loader<V, Keep>, Mon>{load, mon});
      } else {
        run_on(load);
      }
    }
  }
};

/// 1 for each element that is kept.
template <class Keep>
struct one_of {
  static constexpr bool partial = Keep::partial;
  Keep keep;
  template <class X>
  RAVEL_HD auto operator()(index_t i, X const& x) const {
    if constexpr (partial) {
      return keep.is(i, x) ? maybe<index_t>(1) : maybe<index_t>();
    } else {
      return index_t{1};
    }
  }
  template <class X>
  RAVEL_HD bool is(index_t i, X const& x) const {
    return keep.is(i, x);
  }
  template <class X>
  RAVEL_HD index_t value(index_t, X const&) const {
    return 1;
  }
};

}  // namespace ravel::inline v0::piping
