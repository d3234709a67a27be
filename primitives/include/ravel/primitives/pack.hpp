#pragma once

/// Pack: the elements that are flagged, in order.

#include <ravel/core/transfer.hpp>
#include <ravel/primitives/options.hpp>
#include <ravel/primitives/pack/call.hpp>
#include <ravel/primitives/pack/cpu.hpp>
#include <ravel/primitives/pack/cuda.hpp>
#include <ravel/primitives/pack/steps.hpp>

#ifdef RAVEL_KERNELS
#  include <ravel/primitives/cuda/pack.cuh>  // define the forms that pack/cuda.hpp declares
#  include <ravel/primitives/cuda/unique.cuh>
#endif

namespace ravel::inline v0 {

namespace detail {

/// Calls call(total_to(...)), and returns the total on the host.
index_t total_sync(auto const& ex, auto call) {
  return one_sync<index_t>(ex, [&](auto const& total) { call(total_to(total)); });
}

}  // namespace detail

/// Visits each i of [0, n) that is kept, with the number kept before it.
///
/// For each i with keep(i), calls visit(i, place) once, in any order, with
///
///     place = #{j < i : keep(j)}
///
/// and total(#{j : keep(j)}) once.  Each keep(i) is called once or twice and must return the same
/// both times: visit(i, ...) may overwrite what keep(i) reads, but nothing that another keep
/// reads.  A visit that writes several sequences packs them all at once.  If a keep or a visit has
/// a member on(tile), each tile uses its result instead.
///
/// Function objects that declare what they read and write by structure(), such as the keeps and
/// visits of primitives/pack/call.hpp, take the forms of pack, filter and unique (docs/forms.md).
///
/// Cost     O(n) work, O(log n) span.  Reads the input of `keep` twice; on the host once from
///          memory.
/// Source   Blelloch, "Prefix Sums and Their Applications", CMU-CS-90-190, 1990.
template <executor Ex, class Keep, class Visit, class Total = detail::no_total>
[[gnu::always_inline]] inline void pack_on(Ex const& ex, index_t n, Keep keep, Visit visit,
                                           Total total = {}) {
  run_call(detail::own(ex), describe_pack_on(n, keep, visit, total));
}

/// Keeps the flagged elements of `in`, in order:
///
///     out[#{j < i : flags[j]}] = in[i]        for each i with flags[i]
///
///     in       a b c d e f
///     flags    1 0 0 1 0 1             or by_bits(words, 6)
///     out      a d f
///
/// The option `total_to` receives the number of elements kept.
///
/// Shapes   in[n], and n flags, bools or integers or by_bits, in the memory of `ex`.  `out` is
///          there too, of any size: elements that it has no room for are counted and not written,
///          and elements after the last one kept are not changed.  `out` overlaps nothing.  n may
///          be 0.
/// Order    Stable.
/// Cost     O(n) work, O(log n) span.  Reads the flags twice, and moves twice the
///          elements that are kept.
/// Errors   contract_error if there are not n flags.
/// Source   Blelloch, "Prefix Sums and Their Applications", CMU-CS-90-190, 1990.
/// See also pack_sync, which waits and returns the number kept; split, which moves the other
///          elements to the end.
template <local_executor Ex, class In, class Flags, class Out, class... Options>
inline void pack(Ex const& ex, In const& in, Flags const& flags, Out&& out,
                 Options... options) {  // inline, so that g++ inlines it for few elements
  RAVEL_EXPECT_RANGE(In, Ex, "pack: in");
  static_assert(flag_range_on<Flags, Ex>,
                "pack: flags is not a sequence of bools or integers, or by_bits(...), in the "
                "executor's memory");
  RAVEL_EXPECT_WRITABLE(Out, Ex, "pack: out");
  RAVEL_EXPECT_OPTIONS("pack: the only option is total_to(...)", Ex,
                       detail::takes<detail::option::total>);
  run_call(detail::own(ex), describe_pack(detail::sequence_of(ex, "pack", in),
                                          detail::flags_of(ex, "pack", flags), out, options...));
}

/// pack, and the number of elements kept.  Waits for it.
template <executor Ex, class In, class Flags, class Out>
index_t pack_sync(Ex const& ex, In const& in, Flags const& flags, Out&& out) {
  return detail::total_sync(ex, [&](auto total) { pack(ex, in, flags, out, total); });
}

/// The indices of the flagged elements, in order:
///
///     out[#{j < i : flags[j]}] = i            for each i with flags[i]
///
///     flags    1 0 0 1 0 1
///     out      0 3 5
///
/// With them `gather` packs any number of sequences.
///
/// Shapes   n flags, bools or integers or by_bits; out of any size and integer
///          type; all as for pack.
/// Cost     O(n) work, O(log n) span.  Reads the flags twice, and moves as many
///          indices as are kept.
template <local_executor Ex, class Flags, class Out, class... Options>
void pack_index(Ex const& ex, Flags const& flags, Out&& out, Options... options) {
  static_assert(flag_range_on<Flags, Ex>,
                "pack_index: flags is not a sequence of bools or integers, or by_bits(...), in the "
                "executor's memory");
  RAVEL_EXPECT_WRITABLE(Out, Ex, "pack_index: out");
  static_assert(std::integral<element_t<Out>>, "pack_index: the indices must be integers");
  RAVEL_EXPECT_OPTIONS("pack_index: the only option is total_to(...)", Ex,
                       detail::takes<detail::option::total>);
  auto const& keep = detail::flags_of(ex, "pack_index", flags);
  auto const dst = view_of(out);
  pack_on(ex, flag_count(keep), flag_at(keep),
          detail::write_packed_index<element_t<Out>>{dst.data(), dst.size()},
          detail::total_of(options...));
}

/// pack_index, and the number of indices.  Waits for it.
template <executor Ex, class Flags, class Out>
index_t pack_index_sync(Ex const& ex, Flags const& flags, Out&& out) {
  return detail::total_sync(ex, [&](auto total) { pack_index(ex, flags, out, total); });
}

/// Keeps the elements of `in` that `keep` accepts, in order:
///
///     in     3  1  2  4  1  5
///     out    3  1  1  5            with keep(x) = x is odd
///
/// keep is called once or twice for each element, in any order, and must return the same both
/// times.  All else is as for pack, with flags[i] = keep(in[i]).
///
/// Cost     O(n) work, O(log n) span.  Reads `in` twice, and moves twice the
///          elements that are kept.
template <local_executor Ex, class In, class Keep, class Out, class... Options>
void filter(Ex const& ex, In const& in, Keep keep, Out&& out, Options... options) {
  RAVEL_EXPECT_RANGE(In, Ex, "filter: in");
  auto const& src = detail::sequence_of(ex, "filter", in);
  using T = element_t<decltype(src)>;
  static_assert(std::is_invocable_r_v<bool, Keep&, T const&>,
                "filter: keep is not a predicate on the elements of in");
  RAVEL_EXPECT_WRITABLE(Out, Ex, "filter: out");
  RAVEL_EXPECT_OPTIONS("filter: the only option is total_to(...)", Ex,
                       detail::takes<detail::option::total>);
  run_call(detail::own(ex), describe_filter(src, keep, out, options...));
}

/// filter, and the number of elements kept.  Waits for it.
template <executor Ex, class In, class Keep, class Out>
index_t filter_sync(Ex const& ex, In const& in, Keep keep, Out&& out) {
  return detail::total_sync(ex, [&](auto total) { filter(ex, in, keep, out, total); });
}

}  // namespace ravel::inline v0
