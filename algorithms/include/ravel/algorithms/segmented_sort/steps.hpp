#pragma once

/// Segmented sort on any executor: a stable sort by key, then a stable sort by segment.

#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/algorithms/segmented_sort/call.hpp>
#include <ravel/primitives/gather.hpp>
#include <ravel/primitives/pack.hpp>
#include <ravel/primitives/rows.hpp>
#include <ravel/primitives/segment_forms.hpp>

namespace ravel::inline v0 {
namespace detail {

/// Segments by packed positions of heads, whose number is in the executor's memory.  There are `n` of
/// them, as far as is known on the host: those after the last head are empty.
struct packed_segments {
  static constexpr bool numbered = true;
  index_t const *begins, *heads;
  index_t n;

  RAVEL_HD index_t count() const { return n; }
  RAVEL_HD index_t begin(index_t s) const { return s < *heads ? begins[s] : n; }
};

/// Calls body(segments), with segments by heads, head bits or keys by their positions.
template <class Ex, class S, class Body>
void with_packed_segments(Ex const& ex, index_t n, S const& segments, Body const& body) {
  auto const begins = ex.template scratch<index_t>(n + 1);
  auto const pack_heads = [&](auto total) {
    pack_on(ex, n, keeps_head<S>{segments}, write_packed_index<index_t>{begins.data(), n}, total);
  };
  if constexpr (cpu::host_executor<Ex>) {
    index_t const count = total_sync(ex, [&](auto total) { pack_heads(total_of(total)); });
    begins.data()[count] = n;
    body(by_offsets(view_of(begins).slice(0, count + 1)));
  } else {
    auto const heads = ex.template scratch<index_t>(1);
    pack_heads(store_total<index_t>{heads.data()});
    body(packed_segments{begins.data(), heads.data(), n});
  }
}

/// order[i] is the index of the i-th sorted element: a stable sort by key, then a stable sort by
/// segment.
template <class Ex, class K, class V, class... Key, class S, class Order>
void order_in_segments(Ex const& ex, radix_sort_call<K, V, Key...> const& c, S const& segments,
                       Order const& order) {
  index_t const n = c.n;
  auto const ids = ex.template scratch<index_t>(n);
  auto const sorted_ids = ex.template scratch<index_t>(n);
  segment_ids_of(ex, segments, ids);
  {
    auto const sorted = ex.template scratch<K>(n);
    for_each_index(ex, n, write_index<index_t>{order.data()});
    run_call(ex, radix_sort_call<K, index_t, Key...>{n,
                                                     {c.in.keys, order.data()},
                                                     {sorted.data(), order.data()},
                                                     {},
                                                     c.descending,
                                                     c.range,
                                                     c.keys});
  }
  gather(ex, ids, order, sorted_ids);
  index_t most_segments = n;  // an upper bound on nonempty segments
  if constexpr (requires { segments.count(); }) most_segments = segments.count();
  int bits = 1;
  while (bits < 63 && index_t{1} << bits < most_segments) ++bits;
  radix_sort_pairs(ex, sorted_ids, order, bit_range{0, bits});
}

/// out[i] = in[at[i]], where `out` may be `in`.
template <class Ex, class T, class At>
void gather_over(Ex const& ex, index_t n, T const* in, At const& at, T* out) {
  using space = space_of_t<Ex>;
  view<T const, space> const source(in, n);
  if (in != out) return gather(ex, source, at, view<T, space>(out, n));
  auto const aside = ex.template scratch<T>(n);
  gather(ex, source, at, aside);
  for_each_index(ex, n, move_row<T, no_value>{{aside.data(), nullptr}, {out, nullptr}});
}

template <class Call>
inline constexpr need segments_have_numbers{bool{decltype(Call::segments)::numbered},
                                            "segments that have numbers"};

}  // namespace detail

struct segmented_sort_by_steps {
  static constexpr auto name = "by_steps";
  static constexpr auto why =
      "Any executor, rows and segments: a stable sort by key, then one by segment, and gathers.";
  template <class Ex, class K, class V, class... Key, class S>
  static void run(Ex const& ex, segmented_sort_call<radix_sort_call<K, V, Key...>, S> const& c) {
    auto const& sort = c.sort;
    auto const order = ex.template scratch<index_t>(sort.n);
    detail::order_in_segments(ex, sort, c.segments, order);
    detail::gather_over(ex, sort.n, sort.in.keys, order, sort.out.keys);
    if constexpr (rows<K, V>::has_values) {
      detail::gather_over(ex, sort.n, sort.in.values, order, sort.out.values);
    }
  }
};

/// A form of the tables of hosts and devices, for segments whose heads are not numbered; also of
/// segmented comparison sorts.
struct segmented_sort_of_heads {
  static constexpr auto name = "of_heads";
  static constexpr auto why = "The heads are packed, and then segments have numbers.";
  template <class Call>
  static constexpr auto types = needs(need{!decltype(Call::segments)::numbered,
                                           "segments by heads, bits or keys"});
  template <class Ex, template <class, class> class Call, class Sort, class S>
  static void run(Ex const& ex, Call<Sort, S> const& c) {
    detail::with_packed_segments(ex, c.sort.n, c.segments, [&]<class P>(P const& packed) {
      run_call(ex, Call<Sort, P>{c.sort, packed});
    });
  }
};

/// The family of calls of segmented sorts.
struct segmented_sort_family : call_family_with_devices<segmented_sort_by_steps> {};

}  // namespace ravel::inline v0
