#pragma once

/// Segmented split on the host: the table of forms and the form.

#include <ravel/core/cpu/executor.hpp>
#include <ravel/core/cpu/host.hpp>
#include <ravel/core/cpu/scratch.hpp>
#include <ravel/core/cpu/wake_up.hpp>
#include <ravel/core/cpu/worker.hpp>
#include <ravel/core/search.hpp>
#include <ravel/primitives/cpu/chunk_counts.hpp>
#include <ravel/primitives/cpu/segmented_pack.hpp>
#include <ravel/primitives/segmented_split/call.hpp>
#include <ravel/primitives/segmented_split/steps.hpp>

#include <array>
#include <utility>

namespace ravel::inline v0 {
namespace cpu {
namespace detail {

template <int Ways, class Segments, class Visit, class Begins>
struct split_segments_apart {
  using counts = std::array<index_t, Ways>;
  Segments segments;
  Visit visit;
  Begins begins;

  /// Adds the elements of each digit in a tile to `next`.  Stores each, and passes the begins of the
  /// segments that begin in the tile to `begins`, if Places.
  template <bool Places>
  void go_over(tile t, counts& next) const {
    index_t const all = segments.count();
    index_t s = partition_point(0, all, begins_before<Segments>{segments, t.begin});
    index_t i = t.begin;
    auto const take = [&](index_t of, index_t end) {
      if (i >= end) return;
      auto const opened = visit.of_segment(of, segments.begin(of));
      for (; i < end; ++i) {
        auto const x = visit.load(opened, i);
        int const d = visit.digit(opened, x);
        index_t const place = next[static_cast<std::size_t>(d)]++;
        if constexpr (Places) visit.store(x, d, place);
      }
    };
    take(s - 1, std::min(segments.begin(s), t.end));
    for (; s < all && segments.begin(s) < t.end; ++s) {
      if constexpr (Places) pass_begins(s, next);
      take(s, std::min(segments.begin(s + 1), t.end));
    }
  }
  void pass_begins(index_t s, counts const& next) const {
    for (int d = 0; d < Ways; ++d) begins(d, s, next[static_cast<std::size_t>(d)]);
  }
};

}  // namespace detail

struct segmented_split_in_chunks {
  static constexpr auto name = "in_chunks";
  static constexpr auto why =
      "A loop over the elements of each segment; of several chunks, a thread counts the digits of "
      "each first.";
  template <class Ex, int Ways, class Segments, class Visit, class Begins>
  static void run(Ex const& ex, segmented_split_call<Ways, Segments, Visit, Begins> const& c) {
    using split = detail::split_segments_apart<Ways, Segments, Visit, Begins>;
    using counts = typename split::counts;
    split const work{c.segments, c.visit, c.begins};
    index_t const width = detail::chunk_of_split(c.n, detail::threads_of(ex));
    index_t const chunks = div_up(c.n, width);
    auto const next = ex.template scratch<counts>(chunks);
    auto const go_over = [&](auto places) {
      ex.for_each_tile_of(
          width, c.n, [&](worker, tile t) { work.template go_over<places>(t, next.data()[t.id]); },
          detail::nanoseconds{c.n});
    };
    for (index_t k = 0; k < chunks; ++k) next.data()[k] = counts{};
    counts before{};
    if (chunks > 1) {
      go_over(std::false_type{});
      for (index_t k = 0; k < chunks; ++k) {
        for (std::size_t d = 0; d < Ways; ++d)
          before[d] += std::exchange(next.data()[k][d], before[d]);
      }
    }
    go_over(std::true_type{});
    if (chunks > 0) before = next.data()[chunks - 1];
    auto const pass = [&](index_t s, counts const& end) { work.pass_begins(s, end); };
    detail::begins_at_end<Segments, decltype(pass)>{c.segments, pass, c.n}(before);
  }
};

}  // namespace cpu

template <>
struct form_table<segmented_split_family, cpu::host> : forms<cpu::segmented_split_in_chunks> {};

}  // namespace ravel::inline v0
