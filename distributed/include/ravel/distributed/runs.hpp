#pragma once

/// Runs of equal elements over all ranks: unique_sync, run_length_encode_sync and
/// reduce_by_key_sync of distributed sequences.
///
///     ranks      0          1        2
///     in         7 7 4      4 4      4 1
///     values     7 4                 1
///     lengths    2 4                 1
///
/// A run may lie over any number of ranks; its result is on the rank where it begins.  Outputs get
/// pieces of new sizes, and have room for the results of each piece of the input, such as that of a
/// sequence with the same pieces.  Inputs may be sources over sequences (distributed/operands.hpp).
///
/// Options  equal_by(...), which is also called on the host; of reduce_by_key_sync also from(...).
/// Order    That of the elements.
/// Cost     As on the local executor.
/// Volume   Of a rank to each other, at each call below.

#include <ravel/core/transfer.hpp>
#include <ravel/distributed/exchange.hpp>
#include <ravel/distributed/executor.hpp>
#include <ravel/distributed/operands.hpp>
#include <ravel/distributed/pack.hpp>
#include <ravel/distributed/sequence.hpp>
#include <ravel/primitives/options.hpp>
#include <ravel/primitives/pack.hpp>
#include <ravel/primitives/reduce_by_key.hpp>
#include <ravel/primitives/run_length.hpp>
#include <ravel/primitives/unique.hpp>

#include <vector>

namespace ravel::inline v0 {
namespace distributed::detail {

/// The runs of the piece of a rank: how many, and the first and the last of them.
template <class K, class V>
struct edges {
  index_t runs;
  K first_key, last_key;
  V first_value, last_value;
};

/// How the runs of a rank's piece continue those of others.
template <class V>
struct joined {
  bool continues;     // the first run began on a rank before
  bool is_continued;  // the last run began here, and goes on on the next rank
  V value_of_last;    // of the last run with what continues it
};

/// Whether a rank has runs.
inline constexpr auto has_runs = [](auto const& ends) { return ends.runs > 0; };

template <class K, class V, class Eq, class M>
joined<V> join_runs(std::vector<edges<K, V>> const& ranks, int rank, Eq const& equal, M const& m) {
  auto const& self = ranks[rank];
  joined<V> result{false, false, self.last_value};
  if (self.runs == 0) return result;
  int const before = previous_rank(ranks, rank, has_runs);
  result.continues = before >= 0 && equal(ranks[before].last_key, self.first_key);
  if (result.continues && self.runs == 1) return result;
  K last = self.last_key;
  for (std::size_t r = rank + 1; r < ranks.size(); ++r) {
    if (ranks[r].runs == 0) continue;
    if (!equal(last, ranks[r].first_key)) break;
    result.value_of_last = static_cast<V>(m(result.value_of_last, ranks[r].first_value));
    result.is_continued = true;
    if (ranks[r].runs > 1) break;
    last = ranks[r].last_key;
  }
  return result;
}

/// Joins the runs that this rank has found in its piece, their keys and values in the memory of both
/// sequences, to those of the other ranks.  Returns the number of all.
template <class Ex, class K, class V, class Eq, class M>
index_t keep_runs(Ex const& ex, index_t runs, sequence<K, Ex>& keys, sequence<V, Ex>& values,
                  Eq const& equal, M const& m) {
  edges<K, V> ends{};
  ends.runs = runs;
  if (runs > 0) {
    ends = {runs, at_sync(ex.local(), keys.memory(), 0),
            at_sync(ex.local(), keys.memory(), runs - 1), at_sync(ex.local(), values.memory(), 0),
            at_sync(ex.local(), values.memory(), runs - 1)};
  }
  auto const result = join_runs(gather_values(ex.ranks(), ends), ex.ranks().rank(), equal, m);
  if (result.is_continued) {
    ex.local().copy(&result.value_of_last, values.memory().data() + runs - 1, 1);
    ex.local().wait();
  }
  keys.keep_piece(ex, result.continues, runs - result.continues);
  values.keep_piece(ex, result.continues, runs - result.continues);
  return keys.total_size();
}

void expect_room(char const* name, auto& out, index_t runs) {
  expects(runs <= out.memory().size(), name, " has room for ", out.memory().size(),
          " runs, and there are ", runs);
}

}  // namespace distributed::detail

/// The first element of each run.  Returns the number of runs.
///
///     ranks      0       1     2
///     in         7 7 4 | 4 4 | 4 1
///     out        7 4   |     | 1              returns 3
///
/// Cost     O(n / p + p) work of a rank for n elements in even pieces, O(log n + p) span.
/// Volume   16 bytes and two elements.
/// Errors   distributed::error on every rank if a piece of `out` has less room than there are runs.
template <distributed::some_executor Ex, distributed::operand_of<Ex> In, class T, class... Options>
index_t unique_sync(Ex const& ex, In const& in, distributed::sequence<T, Ex>& out,
                    Options... options) {
  using namespace distributed::detail;
  using E = element_of_t<source_t<In>>;
  auto const equal = ravel::detail::equality_of(options...);
  together(ex, "unique_sync", [&] {
    auto const piece = piece_of(in);
    index_t const n = operand_size(piece);
    index_t const runs = [&] {
      if constexpr (distributed::is_sequence<In>) {
        return unique_sync(ex.local(), piece, out.memory(), options...);
      } else {
        using change = by_change<source_t<In>, std::remove_const_t<decltype(equal)>>;
        return pack_source(ex.local(), piece, change{source_of(piece), equal}, out.memory());
      }
    }();
    expect_room("out", out, runs);
    struct ends {
      index_t runs;
      E first, last;
    } own_ends{};
    own_ends.runs = runs;
    if (runs > 0) {
      own_ends.first = piece_element_sync(ex, in, 0);
      own_ends.last = piece_element_sync(ex, in, n - 1);
    }
    auto const all_ends = distributed::gather_values(ex.ranks(), own_ends);
    int const before = previous_rank(all_ends, ex.ranks().rank(), has_runs);
    bool const continues = runs > 0 && before >= 0 && equal(all_ends[before].last, own_ends.first);
    out.keep_piece(ex, continues, runs - continues);
  });
  return out.total_size();
}

/// The value and the length of each run.  Returns the number of runs.
///
///     ranks      0       1     2
///     in         7 7 4 | 4 4 | 4 1
///     values     7 4   |     | 1              returns 3
///     lengths    2 4   |     | 1
///
/// Cost     That of unique_sync, and its Errors.
/// Volume   24 bytes, two elements and two lengths.
template <distributed::some_executor Ex, distributed::operand_of<Ex> In, class T, class L,
          class... Options>
index_t run_length_encode_sync(Ex const& ex, In const& in, distributed::sequence<T, Ex>& values,
                               distributed::sequence<L, Ex>& lengths, Options... options) {
  using namespace distributed::detail;
  return together(ex, "run_length_encode_sync", [&] {
    index_t const runs = run_length_encode_sync(ex.local(), piece_of(in), values.memory(),
                                                lengths.memory(), options...);
    expect_room("values", values, runs);
    expect_room("lengths", lengths, runs);
    return keep_runs(ex, runs, values, lengths, ravel::detail::equality_of(options...), plus<L>{});
  });
}

/// The key of each run, and the combination of its values.  Returns the number of runs.
///
///     ranks      0       1     2
///     keys       7 7 4 | 4 4 | 4 1
///     values     1 2 3 | 4 5 | 6 7
///     out_keys   7 4   |     | 1              returns 3
///     out_values 3 18  |     | 7
///     out_values 4 19  |     | 8              with the option from(1)
///
/// Cost     That of unique_sync, and its Errors; and contract_error if the pieces of keys and values differ.
/// Volume   24 bytes, two keys and two results.
template <distributed::some_executor Ex, distributed::operand_of<Ex> Keys,
          distributed::operand_of<Ex> Values, class K, class V, class M = plus<>, class... Options>
index_t reduce_by_key_sync(Ex const& ex, Keys const& keys, Values const& values,
                           distributed::sequence<K, Ex>& out_keys,
                           distributed::sequence<V, Ex>& out_values, M m = {}, Options... options) {
  using namespace distributed::detail;
  static_assert(ravel::detail::are_options<
                    ravel::detail::takes<ravel::detail::option::equal, ravel::detail::option::from>,
                    Options...>,
                "reduce_by_key_sync: on several ranks the options are equal_by(...) and from(...), "
                "each once");
  if constexpr (distributed::is_sequence<Keys> && distributed::is_sequence<Values>) {
    expect_same_pieces("reduce_by_key_sync", values, keys);
  }  // of sources the local call compares the sizes
  auto const equal = ravel::detail::equality_of(options...);
  return together(ex, "reduce_by_key_sync", [&] {
    index_t const runs =
        reduce_by_key_sync(ex.local(), piece_of(keys), piece_of(values), out_keys.memory(),
                           out_values.memory(), m, equal_by(equal));
    expect_room("out_keys", out_keys, runs);
    expect_room("out_values", out_values, runs);
    index_t const of_all = keep_runs(ex, runs, out_keys, out_values, equal, monoid_on<V>(m));
    combine_with_initial(ex.local(), out_values.local(), monoid_on<V>(m), options...);
    return of_all;
  });
}

}  // namespace ravel::inline v0
