#pragma once

/// Pipelines of one and of two stages, compared with the equivalent primitive, whose load,
/// predicate or visit contains the other stage.

#include <ravel/core/derived_monoids.hpp>
#include <ravel/pipelines/pipelines.hpp>

#include <cstdint>

namespace ravel::bench::fusions {

using T = std::uint32_t;
using sum = plus<T>;

struct twice_and_one {
  RAVEL_HD T operator()(T x) const { return 2 * x + 1; }
};
struct divisible_by_3 {
  RAVEL_HD bool operator()(T x) const { return x % 3 == 0; }
};
struct is_even {
  RAVEL_HD bool operator()(T x) const { return x % 2 == 0; }
};
struct alike {
  RAVEL_HD bool operator()(T x, T y) const { return x / 4 == y / 4; }
};
struct nearby {
  RAVEL_HD index_t operator()(index_t i) const { return i ^ 8; }
};

/// Loads.
struct read_mapped {
  T const* from;
  RAVEL_HD T operator()(index_t i) const { return twice_and_one{}(from[i]); }
};
struct read_wanted {
  T const* from;
  RAVEL_HD T operator()(index_t i) const { return divisible_by_3{}(from[i]) ? from[i] : 0; }
};
struct read_counted {
  T const* from;
  RAVEL_HD paired<index_t, T> operator()(index_t i) const {
    T const x = from[i];
    return divisible_by_3{}(x) ? paired<index_t, T>{1, x} : paired<index_t, T>{0, 0};
  }
};
struct read_reversed {
  T const* from;
  index_t n;
  RAVEL_HD T operator()(index_t i) const { return from[n - 1 - i]; }
};
struct read_nearby {
  T const* from;
  RAVEL_HD T operator()(index_t i) const { return twice_and_one{}(from[nearby{}(i)]); }
};
struct read_plain {
  T const* from;
  RAVEL_HD T operator()(index_t i) const { return from[i]; }
};

/// Predicates.
struct is_wanted {
  T const* from;
  RAVEL_HD bool operator()(index_t i) const { return divisible_by_3{}(from[i]); }
};
struct mapped_is_wanted {
  T const* from;
  RAVEL_HD bool operator()(index_t i) const { return divisible_by_3{}(twice_and_one{}(from[i])); }
};
struct sum_is_wanted {
  T const* from;
  RAVEL_HD bool operator()(index_t i) const { return divisible_by_3{}(from[i] + from[i + 1]); }
};

/// Functions of both stages.
struct mapped_twice {
  RAVEL_HD T operator()(T x) const { return twice_and_one{}(twice_and_one{}(x)); }
};
struct both_want {
  RAVEL_HD bool operator()(T x) const { return divisible_by_3{}(x) && is_even{}(x); }
};
struct if_wanted {
  RAVEL_HD maybe<T> operator()(index_t, T, T through) const {
    return divisible_by_3{}(through) ? maybe<T>(through) : maybe<T>();
  }
};

/// Visits.  Those of packs write as many elements as there is room for.
struct move_mapped {
  T const* from;
  T* to;
  index_t room;
  RAVEL_HD void operator()(index_t i, index_t place) const {
    if (place < room) to[place] = twice_and_one{}(from[i]);
  }
};
struct move_sum {
  T const* from;
  T* to;
  index_t room;
  RAVEL_HD void operator()(index_t i, index_t place) const {
    if (place < room) to[place] = from[i] + from[i + 1];
  }
};
struct write {
  T* to;
  RAVEL_HD void operator()(index_t i, T x) const { to[i] = x; }
};
struct write_sum {
  static constexpr bool only_through = true;
  T* to;
  RAVEL_HD void operator()(index_t i, T, T through) const { to[i] = through; }
};
struct write_mapped_sum {
  static constexpr bool only_through = true;
  T* to;
  RAVEL_HD void operator()(index_t i, T, T through) const { to[i] = twice_and_one{}(through); }
};
struct write_counted_sum {
  T* to;
  index_t room;
  using state = paired<index_t, T>;
  RAVEL_HD void operator()(index_t, state const& before, state const& through) const {
    index_t const place = before.first;
    if (place < through.first && place < room) to[place] = through.second;
  }
};

/// Seeds, and receivers of totals.
struct zero {
  RAVEL_HD T operator()() const { return 0; }
};
struct none_and_zero {
  RAVEL_HD paired<index_t, T> operator()() const { return {0, 0}; }
};
template <class U>
struct give_to {
  U* to;
  RAVEL_HD void operator()(U x) const { *to = x; }
};
struct give_count_to {
  index_t* to;
  RAVEL_HD void operator()(paired<index_t, T> const& x) const { *to = x.first; }
};
using ravel::detail::no_total;  // no kernel runs for an empty scan

/// Calls row(name, ours, by_hand) for each: ours(in, out) runs a pipeline and returns its result;
/// by_hand(in, out, count) writes the number of results to count where it depends on the data.  Of
/// two reductions one is out[0], and the other the pipeline's result.
template <class Ex, class Row>
void each_of_one_stage(Ex const& ex, Row const& row) {
  row(
      "map", [=](auto in, auto out) { return on(ex, in) | map(twice_and_one{}) | into(out); },
      [=](auto in, auto out, auto) { map(ex, twice_and_one{}, out, in); });
  row(
      "scan", [=](auto in, auto out) { return on(ex, in) | inclusive_scan(plus{}) | into(out); },
      [=](auto in, auto out, auto) { inclusive_scan(ex, in, out); });
  row(
      "scan_backward",
      [=](auto in, auto out) { return on(ex, in) | exclusive_scan(plus{}, backward) | into(out); },
      [=](auto in, auto out, auto) { exclusive_scan(ex, in, out, plus{}, backward); });
  row(
      "filter",
      [=](auto in, auto out) { return on(ex, in) | filter(divisible_by_3{}) | into(out); },
      [=](auto in, auto out, auto count) {
        filter(ex, in, divisible_by_3{}, out, total_to(count));
      });
  row(
      "unique",
      [=](auto in, auto out) { return on(ex, in) | unique(equal_by(alike{})) | into(out); },
      [=](auto in, auto out, auto count) {
        unique(ex, in, out, equal_by(alike{}), total_to(count));
      });
  row(
      "difference",
      [=](auto in, auto out) { return on(ex, in) | adjacent_difference() | into(out); },
      [=](auto in, auto out, auto) { adjacent_difference(ex, in, out); });
  row(
      "reduce", [=](auto in, auto) { return on(ex, in) | reduce(plus{}); },
      [=](auto in, auto out, auto) { reduce(ex, in, out.slice(0, 1)); });
  row(
      "segmented_reduce",
      [=](auto in, auto out) {
        return on(ex, in.slice(0, in.size() / 32 * 32)) | chunk(32) | reduce(plus{}) | into(out);
      },
      [=](auto in, auto out, auto) {
        index_t const k = in.size() / 32;
        segmented_reduce(ex, in.slice(0, k * 32), uniform(k, 32), out.slice(0, k));
      });
  row(
      "drop_scan",
      [=](auto in, auto out) { return on(ex, in) | drop(1) | inclusive_scan(plus{}) | into(out); },
      [=](auto in, auto out, auto) {
        index_t const n = in.size() - 1;
        inclusive_scan(ex, in.slice(1, n), out.slice(0, n));
      });
}

/// The same for two stages.
template <class Ex, class Row>
void each_of_two_stages(Ex const& ex, Row const& row) {
  auto const f = map(twice_and_one{});
  auto const keep = filter(divisible_by_3{});
  auto const scan = inclusive_scan(plus{});
  row(
      "map_map", [=](auto in, auto out) { return on(ex, in) | f | f | into(out); },
      [=](auto in, auto out, auto) { map(ex, mapped_twice{}, out, in); });
  row(
      "map_filter", [=](auto in, auto out) { return on(ex, in) | f | keep | into(out); },
      [=](auto in, auto out, auto count) {
        pack_on(ex, in.size(), mapped_is_wanted{in.data()},
                move_mapped{in.data(), out.data(), out.size()}, give_to<index_t>{count.data()});
      });
  row(
      "map_scan", [=](auto in, auto out) { return on(ex, in) | f | scan | into(out); },
      [=](auto in, auto out, auto) {
        scan_on(ex, in.size(), read_mapped{in.data()}, write_sum{out.data()}, sum{}, zero{},
                no_total{});
      });
  row(
      "map_reduce", [=](auto in, auto) { return on(ex, in) | f | reduce(plus{}); },
      [=](auto in, auto out, auto) {
        reduce_on(ex, in.size(), read_mapped{in.data()}, sum{}, zero{}, give_to<T>{out.data()});
      });
  row(
      "map_segmented_reduce",
      [=](auto in, auto out) {
        return on(ex, in.slice(0, in.size() / 32 * 32)) | f | chunk(32) | reduce(plus{}) |
               into(out);
      },
      [=](auto in, auto out, auto) {
        index_t const k = in.size() / 32;
        segmented_reduce_on(ex, k * 32, read_mapped{in.data()}, uniform(k, 32), sum{}, zero{},
                            write{out.data()});
      });
  row(
      "filter_map", [=](auto in, auto out) { return on(ex, in) | keep | f | into(out); },
      [=](auto in, auto out, auto count) {
        pack_on(ex, in.size(), is_wanted{in.data()}, move_mapped{in.data(), out.data(), out.size()},
                give_to<index_t>{count.data()});
      });
  row(
      "filter_filter",
      [=](auto in, auto out) { return on(ex, in) | keep | filter(is_even{}) | into(out); },
      [=](auto in, auto out, auto count) { filter(ex, in, both_want{}, out, total_to(count)); });
  row(
      "filter_scan", [=](auto in, auto out) { return on(ex, in) | keep | scan | into(out); },
      [=](auto in, auto out, auto count) {
        scan_on(ex, in.size(), read_counted{in.data()}, write_counted_sum{out.data(), out.size()},
                pair_of<plus<index_t>, sum>{}, none_and_zero{}, give_count_to{count.data()});
      });
  row(
      "filter_reduce", [=](auto in, auto) { return on(ex, in) | keep | reduce(plus{}); },
      [=](auto in, auto out, auto) {
        reduce_on(ex, in.size(), read_wanted{in.data()}, sum{}, zero{}, give_to<T>{out.data()});
      });
  row(
      "scan_map", [=](auto in, auto out) { return on(ex, in) | scan | f | into(out); },
      [=](auto in, auto out, auto) {
        scan_on(ex, in.size(), read_plain{in.data()}, write_mapped_sum{out.data()}, sum{}, zero{},
                no_total{});
      });
  row(
      "scan_filter", [=](auto in, auto out) { return on(ex, in) | scan | keep | into(out); },
      [=](auto in, auto out, auto count) {
        scan_then_pack_on(ex, in.size(), read_plain{in.data()}, sum{}, zero{}, if_wanted{},
                          write_kept<T>{out.data(), out.size()}, give_to<index_t>{count.data()});
      });
  row(
      "zip_map", [=](auto in, auto out) { return on(ex, zip(in, in)) | map(sum{}) | into(out); },
      [=](auto in, auto out, auto) { map(ex, sum{}, out, in, in); });
  row(
      "gather_map",
      [=](auto in, auto out) {
        return on(ex, in) | gather(generate(in.size() / 16 * 16, nearby{})) | f | into(out);
      },
      [=](auto in, auto out, auto) {
        map_on(ex, in.size() / 16 * 16, read_nearby{in.data()}, write{out.data()});
      });
  row(
      "reverse_scan", [=](auto in, auto out) { return on(ex, in) | reverse() | scan | into(out); },
      [=](auto in, auto out, auto) {
        scan_on(ex, in.size(), read_reversed{in.data(), in.size()}, write_sum{out.data()}, sum{},
                zero{}, no_total{});
      });
  row(
      "adjacent_filter",
      [=](auto in, auto out) { return on(ex, in) | adjacent(sum{}) | keep | into(out); },
      [=](auto in, auto out, auto count) {
        pack_on(ex, in.size() - 1, sum_is_wanted{in.data()},
                move_sum{in.data(), out.data(), out.size()}, give_to<index_t>{count.data()});
      });
}

}  // namespace ravel::bench::fusions
