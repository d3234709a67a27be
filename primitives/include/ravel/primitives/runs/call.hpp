#pragma once

/// The description of a call on runs of equal keys: reduce_by_key and run_length_encode.
///
/// A run-length code is the sum by key of ones, so both are one family of calls, and
/// reduce_by_key of `constant_of<1>` is run_length_encode.

#include <ravel/core/operands.hpp>
#include <ravel/core/table.hpp>
#include <ravel/primitives/options.hpp>

namespace ravel::inline v0 {

struct runs_family;

/// Runs are the longest intervals [b, e) of [0, n) with equal(keys(i - 1), keys(i)) for each i of
/// [b + 1, e).  Run number s is given to `out`, with its first key keys(b), where it begins, and
///
///     value = seed() * values(b) * ... * values(e - 1)       writing * for `m`
///
/// `total` is called once with the number of runs.
template <class Keys, class Equal, class Values, class M, class Seed, class Out, class Total>
struct runs_call {
  using family = runs_family;
  using value_type = carrier_t<M>;
  index_t n;
  Keys keys;      ///< a source
  Equal equal;    ///< of adjacent keys, left and right
  Values values;  ///< a source
  M m;
  Seed seed;
  Out out;  ///< runs_into, or into_function
  Total total;
};

/// The destination of runs: the first key of run s to keys(s, key), its value to values(s, value).
template <class Keys, class Values>
struct runs_into {
  Keys keys;      ///< a sink
  Values values;  ///< a sink
};

/// Passes run s to its destination.
template <class Keys, class Out, class T>
RAVEL_HD void put_run(Keys const& keys, Out const& out, index_t s, T const& value, index_t begin) {
  if constexpr (is_instance<Out, runs_into>) {
    if (has_room(out.keys, s)) out.keys(s, keys(begin));
    if (has_room(out.values, s)) out.values(s, value);
  } else {
    out(s, paired<T, index_t>{value, begin});
  }
}

namespace detail {

/// The sinks of runs_into; for other destinations a type that meets no need.
struct no_sink {};
template <class Out>
struct sinks_of_runs {
  using keys = no_sink;
  using values = no_sink;
};
template <class Keys, class Values>
struct sinks_of_runs<runs_into<Keys, Values>> {
  using keys = Keys;
  using values = Values;
};

/// Whether an element begins a run; not called for the first.
template <class S, class Equal>
struct source_changes {
  S source;
  Equal eq;
  RAVEL_HD bool operator()(index_t i) const { return !eq(source(i - 1), source(i)); }
};
template <class S, class Equal>
auto changes_of(S const& source, Equal equal) {
  return source_changes<S, Equal>{source, equal};
}
template <class T, class Equal>
auto changes_of(contiguous<T> const& source, Equal equal) {
  return key_changes<T, Equal>{source.data, equal};
}

/// The runs of a call as segments, in memory of `Space`.
template <class Space, class Call>
auto runs_as_segments(Call const& c) {
  auto const changes = changes_of(c.keys, c.equal);
  return head_segments<std::remove_const_t<decltype(changes)>, Space>{changes, c.n};
}

/// Whether the value of a run is its length.
template <class Call>
inline constexpr bool gives_lengths = false;
template <class Keys, class Equal, auto One, class T, class Out, class Total>
inline constexpr bool gives_lengths<
    runs_call<Keys, Equal, constant_of<One>, plus<T>, seed_identity<plus<T>>, Out, Total>> =
    One == 1 && std::is_integral_v<T>;

template <class Keys, class Equal, class Values, class M, class Seed, class Out, class Total>
auto make_runs_call(index_t n, Keys keys, Equal equal, Values values, M m, Seed seed, Out out,
                    Total total) {
  return runs_call<Keys, Equal, Values, M, Seed, Out, Total>{n, keys, equal, values,
                                                             m, seed, out,   total};
}

}  // namespace detail

/// The call of reduce_by_key with the same arguments.
///
/// Errors   contract_error if there are not as many values as keys.
template <class Keys, class Values, class OutKeys, class OutValues, class M = plus<>,
          class... Options>
auto describe_reduce_by_key(Keys const& keys, Values const& values, OutKeys&& out_keys,
                            OutValues&& out_values, M m = {}, Options... options) {
  auto const monoid = monoid_on<result_t<sink_t<OutValues>, source_t<Values>>>(m);
  expects(operand_size(values) == operand_size(keys), "reduce_by_key: there are ",
          operand_size(values), " values, and ", operand_size(keys), " keys");
  return detail::make_runs_call(
      operand_size(keys), source_of(keys), detail::equality_of(options...), source_of(values),
      monoid, detail::seed_of<carrier_t<decltype(monoid)>>(monoid, options...),
      runs_into<sink_t<OutKeys>, sink_t<OutValues>>{sink_of(out_keys), sink_of(out_values)},
      detail::total_of(options...));
}

namespace detail {

auto lengths_call(auto const& in, auto equal, auto out, auto total) {
  using sum = plus<index_t>;
  return make_runs_call(operand_size(in), source_of(in), equal, constant_of<index_t{1}>{}, sum{},
                        seed_identity<sum>{{}}, out, total);
}

}  // namespace detail

/// The call of run_length_encode with the same arguments.
template <class In, class Values, class Lengths, class... Options>
auto describe_run_lengths(In const& in, Values&& values, Lengths&& lengths, Options... options) {
  return detail::lengths_call(
      in, detail::equality_of(options...),
      runs_into<sink_t<Values>, sink_t<Lengths>>{sink_of(values), sink_of(lengths)},
      detail::total_of(options...));
}

/// The call of encode_runs_on with the same arguments.
template <class In, class Equal, class Visit, class Total = detail::no_total>
auto describe_encode_runs(In const& in, Equal equal, Visit visit, Total total = {}) {
  return detail::lengths_call(in, equal, into_function<Visit>{visit}, total);
}

}  // namespace ravel::inline v0
