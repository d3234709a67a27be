#pragma once

/// segmented_reduce of distributed sequences, in all forms of segments, and segmented scans by offsets,
/// lengths and one length (segment_forms.hpp).
///
///     segmented_reduce(ex, x, by_offsets(offsets), y, maximum{});
///     segmented_reduce(ex, x, by_keys(keys), y, plus{}, total_to(count));
///     segmented_inclusive_scan(ex, x, by_lengths(lengths), z);
///     segmented_exclusive_scan(ex, x, chunks(x.total_size(), 100), z);
///
/// Elements, offsets, lengths and results are each in pieces of any sizes, and a segment may lie over
/// any number of ranks: each offset goes to the rank that has the element there, and its result back.
/// Flags and keys are in the pieces of the elements, and uniform and chunks describe those of all
/// ranks.  Elements may be a source over sequences (distributed/operands.hpp).

#include <ravel/core/transfer.hpp>
#include <ravel/distributed/exchange.hpp>
#include <ravel/distributed/executor.hpp>
#include <ravel/distributed/operands.hpp>
#include <ravel/distributed/routes.hpp>
#include <ravel/distributed/segment_forms.hpp>
#include <ravel/distributed/segmented_scan.hpp>
#include <ravel/distributed/sequence.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/options.hpp>
#include <ravel/primitives/reduce.hpp>
#include <ravel/primitives/segmented_reduce.hpp>

#include <vector>

namespace ravel::inline v0 {
namespace distributed::detail {

/// The value of this rank's last segment, which the ranks after it may continue.
template <class T>
struct open_segment {
  bool any_begins;
  T before_first;  // what continues a segment of an earlier rank
};
template <class T, class M>
T with_continuations(T last, std::vector<open_segment<T>> const& ranks, int rank, M const& m) {
  for (std::size_t r = static_cast<std::size_t>(rank) + 1; r < ranks.size(); ++r) {
    last = static_cast<T>(m(last, ranks[r].before_first));
    if (ranks[r].any_begins) break;
  }
  return last;
}

/// Completes the results of the segments that begin in the piece of this rank: the last one may go
/// on on later ranks, each of which has in `before_first` what continues a segment, and the initial
/// value of the options comes before each.
template <class Ex, class V, class Space, class M, class... Options>
void complete_results(Ex const& ex, view<V, Space> begun, V before_first, M const& m,
                      Options const&... options) {
  auto const& local = ex.local();
  int const rank = ex.ranks().rank();
  auto const open = gather_values(ex.ranks(), open_segment<V>{!begun.empty(), before_first});
  if (!begun.empty() && rank + 1 < ex.ranks().size()) {
    V const last = with_continuations(at_sync(local, begun, begun.size() - 1), open, rank, m);
    local.copy(&last, begun.data() + begun.size() - 1, 1);
    local.wait();
  }
  combine_with_initial(local, begun, m, options...);
}

/// The results of the segments by local offsets, as those of segments_begun; `out` has room for them.
template <class Ex, class In, class Offsets, class V, class Space, class M, class... Options>
view<V, Space> reduce_begun(Ex const& ex, In const& in, Offsets const& offsets, view<V, Space> out,
                            M const& m, Options const&... options) {
  segmented_reduce(ex.local(), in.local(), by_offsets(offsets), out, m);
  auto const begun = out.slice(1, out.size() - 1);
  complete_results(ex, begun, at_sync(ex.local(), out), m, options...);
  return begun;
}

/// Of segments by offsets: results go back to the ranks of the offsets first.
template <class Ex, class In, class O, class V, class M, class... Options>
void reduce_listed(Ex const& ex, In const& in, sequence<O, Ex> const& offsets, sequence<V, Ex>& out,
                   M const& m, Options const&... options) {
  auto const& local = ex.local();
  index_t const k = out.total_size();
  auto const segments = begin_segments(ex, in.begins(), offsets);
  auto const results = local.template scratch<V>(segments.count + 1);
  auto const back = local.template scratch<V>(offsets.size());
  send_along(ex, segments.along.reversed(),
             reduce_begun(ex, in, segments.offsets, view_of(results), m, options...), back);
  // The last offset begins nothing.
  move_between(ex, back, begins_up_to(offsets.begins(), k), out.local(), out.begins());
}

/// The elements of a piece from `first` on.
template <class T, class Space>
view<T, Space> from_element(view<T, Space> piece, index_t first) {
  return piece.slice(first, piece.size() - first);
}
template <class S, class Space>
auto from_element(sized_source<S, Space> const& piece, index_t first) {
  return sized_source<shifted<S>, Space>{{piece.source, first}, piece.n - first};
}

/// Of segments of one length: the rank of each is known to all, and those that begin in a piece have one
/// length, too.
template <class Ex, class In, class V, class M, class... Options>
void reduce_uniform(Ex const& ex, In const& in, uniform_segments segments, sequence<V, Ex>& out,
                    M const& m, Options const&... options) {
  auto const& local = ex.local();
  std::vector<index_t> numbers{0};
  for (std::size_t r = 1; r + 1 < in.begins().size(); ++r) {
    numbers.push_back(segments.length > 0 ? div_up(in.begins()[r], segments.length) : 0);
  }
  numbers.push_back(segments.count());
  int const rank = ex.ranks().rank();
  index_t const count = numbers[rank + 1] - numbers[rank];
  index_t const first = count > 0 ? numbers[rank] * segments.length - in.first() : in.size();
  auto const piece = in.local();
  auto const results = local.template scratch<V>(count + 1);
  V* const continued = results.data() + count;
  reduce_on(local, first, source_of(piece), m, ravel::detail::seed_identity<M>{m},
            ravel::detail::store_total<V>{continued});
  auto const begun = view_of(results).slice(0, count);
  segmented_reduce(local, from_element(piece, first),
                   uniform_segments{count, segments.length, in.size() - first}, begun, m);
  complete_results(ex, begun, at_sync(local, results, count), m, options...);
  move_between(ex, begun, numbers, out.local(), out.begins());
}

/// Of segments by heads: those that begin in the piece of a rank are its next ones.  Returns how many
/// there are on all ranks.
template <class Ex, class In, class Begins, class Space, class V, class M, class... Options>
index_t reduce_flagged(Ex const& ex, In const& in, head_segments<Begins, Space> const& segments,
                       sequence<V, Ex>& out, M const& m, Options const&... options) {
  using Here = typename Space::local;
  auto const& local = ex.local();
  auto const found = local.template scratch<index_t>(1);
  auto const results = local.template scratch<V>(in.size());
  segmented_reduce(local, in.local(),
                   head_segments<Begins, Here>{segments.begins, segments.elements}, results, m,
                   total_to(found));
  auto const piece = segments_here(ex, segments);
  index_t const continues = in.size() > 0 && !piece.first_is_head;
  view<V, Here> const begun(results.data() + continues, at_sync(local, found) - continues);
  V const before = continues > 0 ? at_sync(local, results) : static_cast<V>(m.identity());
  complete_results(ex, begun, before, m, options...);
  auto const numbers = begins_of(ex, begun.size());
  move_between(ex, begun, numbers, out.local(), out.begins());
  return numbers.back();
}

void write_total(auto const&, index_t) {}
template <class Ex, class O, class... Options>
void write_total(Ex const& ex, index_t n, O const& option, Options const&... options) {
  if constexpr (ravel::detail::option_of<O, ravel::detail::option::total>) {
    auto const total = static_cast<std::remove_pointer_t<decltype(option.total)>>(n);
    ex.copy(&total, option.total, 1);
    ex.wait();  // for `total`
  } else {
    write_total(ex, n, options...);
  }
}

}  // namespace distributed::detail

/// out[s] = init m in[begin of s] m ... m in[end of s - 1] for each segment s of the elements of all
/// ranks:
///
///     ranks      0     1       2
///     in         3 1 | 2 4 1 | 5
///     offsets    0   | 3 5   | 6
///     out        6   | 5 5   |              with plus
///
/// where init is the identity of `m`, or the value of the option `from`; it is the result of an empty
/// segment.
///
/// Shapes   in[n]; segments in any form, of which flags, head bits and keys are in the pieces of `in`;
///          out[k] for k segments, in pieces of any sizes.  For flags, bits and keys, as on one
///          machine, the option `total_to` receives the number of segments, on each rank, and those
///          that `out` has no room for are counted.
/// Order    `m` is applied left to right and need not be commutative; it is called on the host, too.
///          The grouping is fixed by the pieces, the segments and the local executor.
/// Cost     As on the local executor; by offsets and lengths a binary search for p + 1 offsets; by
///          flags, bits and keys scratch for a result of each element.
/// Volume   By offsets and lengths each offset whose element is on another rank, and its result,
///          once; each result once more if `out` has other pieces than the offsets without the last;
///          to each other rank p counts and a value with a flag.  In the other forms each result that
///          belongs to another rank, and to each a value with a flag; by flags, bits and keys 8 bytes
///          more, and what segmented_inclusive_scan sends for them.
/// Errors   `error` if the first offset is not 0 or the last not n, or if offsets are found not to
///          ascend; contract_error if out has not k elements, or flags or keys are not as many as
///          elements.
template <distributed::some_executor Ex, distributed::operand_of<Ex> In,
          distributed::detail::rank_segments<Ex> S, class V, class M = plus<>, class... Options>
void segmented_reduce(Ex const& ex, In const& in, S segments, distributed::sequence<V, Ex>& out,
                      M m = {}, Options... options) {
  using namespace distributed::detail;
  namespace option = ravel::detail::option;
  constexpr auto call = "segmented_reduce";
  static_assert(
      ravel::detail::are_options<ravel::detail::takes<option::from, option::total>, Options...>,
      "segmented_reduce: the options are from(...) and total_to(...), each once");
  static_assert(
      has_heads<S> || !ravel::detail::has<option::total, Options...>,
      "segmented_reduce: total_to(...) is for heads, head bits and keys; of these segments "
      "the number is known");
  auto const monoid = monoid_on<V>(m);
  auto const expect_results = [&](index_t k) {
    expects(out.total_size() == k, "segmented_reduce: there are ", k,
            " segments, and out has room for ", out.total_size());
  };
  auto const& x = in_pieces(ex, call, in);
  if constexpr (has_heads<S>) {
    segments.expect_elements(x.size(), call);
    together(ex, call, [&] {
      write_total(ex, reduce_flagged(ex, x, segments, out, monoid, options...), options...);
    });
  } else if constexpr (std::same_as<S, uniform_segments>) {
    segments.expect_elements(x.total_size(), call);
    expect_results(segments.count());
    together(ex, call, [&] { reduce_uniform(ex, x, segments, out, monoid, options...); });
  } else {
    auto const& offsets = offset_sequence(ex, segments);
    expect_results(offsets.total_size() - 1);
    together(ex, call, [&] { reduce_listed(ex, x, offsets, out, monoid, options...); });
  }
}

/// segmented_inclusive_scan by offsets or lengths, uniform(...) or chunks(...) of the elements of all ranks, as by
/// heads.
///
/// Cost     By offsets and lengths a bit for each element on hosts, and a byte on devices.
/// Volume   By offsets and lengths each offset whose element is on another rank, once, and p counts to each;
///          as by heads.
template <distributed::some_executor Ex, distributed::operand_of<Ex> In,
          distributed::detail::numbered_segments<Ex> S, class U, class M = plus<>, class... Options>
void segmented_inclusive_scan(Ex const& ex, In const& in, S segments,
                              distributed::sequence<U, Ex>& out, M m = {}, Options... options) {
  constexpr auto call = "segmented_inclusive_scan";
  distributed::detail::with_heads_of(
      ex, call, distributed::detail::in_pieces(ex, call, in), segments,
      [&](auto const& heads) { segmented_inclusive_scan(ex, in, heads, out, m, options...); });
}
/// segmented_exclusive_scan of such segments, as by heads.
///
/// Cost and volume are those of segmented_inclusive_scan.
template <distributed::some_executor Ex, distributed::operand_of<Ex> In,
          distributed::detail::numbered_segments<Ex> S, class U, class M = plus<>, class... Options>
void segmented_exclusive_scan(Ex const& ex, In const& in, S segments,
                              distributed::sequence<U, Ex>& out, M m = {}, Options... options) {
  constexpr auto call = "segmented_exclusive_scan";
  distributed::detail::with_heads_of(
      ex, call, distributed::detail::in_pieces(ex, call, in), segments,
      [&](auto const& heads) { segmented_exclusive_scan(ex, in, heads, out, m, options...); });
}

}  // namespace ravel::inline v0
