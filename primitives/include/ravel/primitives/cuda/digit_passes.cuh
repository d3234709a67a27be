#pragma once

/// Radix sort of rows on a device: a stable pass for each digit, lowest first, which reads and
/// writes memory once (digit_pass.cuh).
///
/// One kernel counts the digits of all passes and plans the passes (digit_plan.cuh): a digit that
/// all rows share needs none.
///
/// Source   Adinets and Merrill, "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs",
///          arXiv 2206.01784, 2022.

#include <ravel/core/cuda/executor.cuh>
#include <ravel/primitives/cuda/digit_pass.cuh>
#include <ravel/primitives/cuda/digit_plan.cuh>
#include <ravel/primitives/cuda/digit_policy.hpp>
#include <ravel/primitives/cuda/digits.hpp>
#include <ravel/primitives/rows.hpp>

namespace ravel::inline v0::gpu {
namespace detail {

/// Launches each pass, with one block for each tile.  With IfWanted, for sorts that are rarely
/// needed, it launches all passes at once with as many blocks as are resident: launches and blocks
/// that exit at once take time too.
template <bool IfWanted, class K, class V, class Bits>
void launch_digit_passes(executor const& ex, index_t n, rows<K const, V const> in, rows<K, V> out,
                         digits<Bits> radix, unsigned const* wanted, rows<K, V> spare) {
  using shape = pass_shape<K, V>;
  int const passes = radix.passes();
  if (n == 0) return;

  // A pass cannot write over its input, so an odd number of passes cannot end in the memory of the
  // input: then the rows are copied to scratch first.
  bool const in_place = share_memory(in, out);
  bool const set_aside = in_place && passes % 2 == 1;
  bool const needs_spare = spare.keys == nullptr && (passes > 1 || set_aside);
  auto const spare_keys = ex.scratch<K>(needs_spare ? n : 0);
  auto const spare_values = ex.scratch<V>(needs_spare && shape::has_values ? n : 0);
  if (spare.keys == nullptr) spare = {spare_keys.data(), spare_values.data()};
  digit_demand demand{1, digit_demand::any};
  if (set_aside || passes == 0) {
    rows<K, V> const target = set_aside ? spare : out;
    if (in.keys != target.keys) ex.copy(in.keys, target.keys, n);
    if constexpr (shape::has_values) {
      if (in.values != target.values) ex.copy(in.values, target.values, n);
    }
    in = target.read();
    demand.number = digit_demand::odd;
  } else if (in_place) {
    bool const aliased = in.keys == out.keys && (!shape::has_values || in.values == out.values);
    demand = {aliased ? 0 : 2, digit_demand::even};
  }
  if (passes == 0) return;

  index_t const tiles = div_up(n, index_t{shape::width});
  auto const plan = ex.scratch<digit_plan>(1);
  auto const states = ex.scratch<word64>(digit_states::size(tiles));
  ex.clear(plan);

  auto const whole = sizeof(unsigned) * static_cast<std::size_t>(digits<Bits>::ways * passes);
  int columns = warp_size;
  while (columns > 1 && columns * whole > ex.most_shared_bytes()) columns /= 2;
  constexpr int threads = digit_policy::counting_threads;
  index_t const blocks = div_up(n, index_t{threads} * digit_policy::counted_at_once);
  ex.launch_sharing<count_digits_kernel<K, Bits>>(
      {std::min(blocks, ex.multiprocessors()), threads, false, columns * whole}, n, in.keys, radix,
      columns, demand, plan.data(), states.data(), states.size(), wanted);
  digit_pass<K, V, Bits> work{n, in, out, spare, radix, 0, plan.data(), {states.data()}};
  if constexpr (IfWanted) {
    constexpr auto kernel = wanted_digit_passes_kernel<K, V, Bits>;
    index_t const room = ex.room_sharing<kernel>(shape::threads, shape::shared_bytes);
    ex.launch({std::min(tiles, room), shape::threads, true, shape::shared_bytes}, kernel, work,
              passes, wanted, ex.gate());
  } else {
    for (; work.pass < passes; ++work.pass) {
      ex.launch_sharing<digit_pass_kernel<K, V, Bits>>(
          grid{tiles, shape::threads, false, shape::shared_bytes}.early(), work);
    }
  }
}

}  // namespace detail

/// Sorts rows to `out` by their digits, stably.  A column of `out` may be that column of `in`;
/// otherwise they must not overlap.
///
/// Cost     O(n passes) work, O(passes log n) span.  Reads the keys once, and moves 2 n rows in
///          each pass.  Scratch for n rows, unless `spare` rows are given, and at most 5 % of that.
template <class K, class V, class Bits>
void sort_by_digits(executor const& ex, index_t n, rows<K const, V const> in, rows<K, V> out,
                    digits<Bits> radix, rows<K, V> spare = {nullptr, nullptr}) {
  detail::launch_digit_passes<false>(ex, n, in, out, radix, nullptr, spare);
}

}  // namespace ravel::inline v0::gpu
