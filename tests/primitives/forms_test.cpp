/// The form that runs a call: the same for all spellings of its operands, on every machine; and
/// each form of each table is chosen for some call.  Nothing runs here, so devices are described
/// and need not exist.
///
/// docs/forms.md is written from the tables: RAVEL_WRITE_FORMS=1 primitives.forms

#include <ravel/algorithms/comparison_sort.hpp>
#include <ravel/algorithms/comparison_sort/cuda.hpp>
#include <ravel/algorithms/group_by_hash.hpp>
#include <ravel/algorithms/least_places.hpp>
#include <ravel/algorithms/least_places/cuda.hpp>
#include <ravel/algorithms/list_ranking.hpp>
#include <ravel/algorithms/list_ranking/cuda.hpp>
#include <ravel/algorithms/merge_segments.hpp>
#include <ravel/algorithms/partial_sort.hpp>
#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/algorithms/radix_sort/cuda.hpp>
#include <ravel/algorithms/segmented_comparison_sort.hpp>
#include <ravel/algorithms/segmented_sort.hpp>
#include <ravel/algorithms/segmented_sort/cuda.hpp>
#include <ravel/algorithms/selection.hpp>
#include <ravel/algorithms/selection/cuda.hpp>
#include <ravel/algorithms/spmm.hpp>
#include <ravel/algorithms/spmm/cuda.hpp>
#include <ravel/algorithms/spmv.hpp>
#include <ravel/algorithms/spmv/cuda.hpp>
#include <ravel/algorithms/string_sort.hpp>
#include <ravel/core/cpu/buffer.hpp>
#include <ravel/core/explain.hpp>
#include <ravel/core/same_everywhere.hpp>
#include <ravel/distributed/same_everywhere.hpp>
#include <ravel/distributed/scan.hpp>
#include <ravel/distributed/segmented_scan.hpp>
#include <ravel/primitives/adjacent_difference.hpp>
#include <ravel/primitives/balance.hpp>
#include <ravel/primitives/balance/cuda.hpp>
#include <ravel/primitives/find_first.hpp>
#include <ravel/primitives/find_first/cuda.hpp>
#include <ravel/primitives/histogram.hpp>
#include <ravel/primitives/histogram/cuda.hpp>
#include <ravel/primitives/linear_recurrence.hpp>
#include <ravel/primitives/merge.hpp>
#include <ravel/primitives/merge/cuda.hpp>
#include <ravel/primitives/pack.hpp>
#include <ravel/primitives/reduce.hpp>
#include <ravel/primitives/reduce_by_key.hpp>
#include <ravel/primitives/run_length.hpp>
#include <ravel/primitives/scan.hpp>
#include <ravel/primitives/scan_then_pack.hpp>
#include <ravel/primitives/scan_then_pack/cuda.hpp>
#include <ravel/primitives/search.hpp>
#include <ravel/primitives/search/cuda.hpp>
#include <ravel/primitives/searches.hpp>
#include <ravel/primitives/segmented_apply.hpp>
#include <ravel/primitives/segmented_apply/cuda.hpp>
#include <ravel/primitives/segmented_pack.hpp>
#include <ravel/primitives/segmented_pack/cuda.hpp>
#include <ravel/primitives/segmented_reduce.hpp>
#include <ravel/primitives/segmented_scan.hpp>
#include <ravel/primitives/segmented_split.hpp>
#include <ravel/primitives/segmented_split/cuda.hpp>
#include <ravel/primitives/split.hpp>
#include <ravel/primitives/split/cuda.hpp>
#include <ravel/primitives/split_parts.hpp>
#include <ravel/primitives/split_parts/cuda.hpp>
#include <ravel/primitives/split_within.hpp>
#include <ravel/primitives/split_within/cuda.hpp>
#include <ravel/primitives/unique.hpp>

#include <gtest/gtest.h>

#include <concepts>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <regex>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <tuple>
#include <typeinfo>
#include <utility>
#include <vector>

namespace ravel::forms_test {
namespace {

// ---- operands, as they may be written -----------------------------------------------------------

/// A user's load that declares what it reads.
template <class T>
struct hand_written {
  T const* p;
  T operator()(index_t i) const { return p[i]; }
  auto structure() const { return contiguous<T>{p}; }
};
/// Like thrust::device_vector.
template <class T>
struct fancy_vector {
  using value_type = T;
  struct pointer {
    T* p;
    T* get() const { return p; }
  };
  T* p;
  index_t n;
  pointer data() const { return {p}; }
  index_t size() const { return n; }
};
struct doubled {
  template <class T>
  T operator()(T const& x) const {
    return static_cast<T>(x + x);
  }
};
struct close {
  template <class T>
  bool operator()(T const& x, T const& y) const {
    return x - y <= T(1);
  }
};
struct visit_nothing {
  template <class T>
  void operator()(index_t, T const&) const {}
};

/// n elements, aligned to 64 bytes; they are never read.
template <class T>
struct elements {
  cpu::buffer<T> all;
  explicit elements(index_t n) : all(n) {}

  auto read() const {
    view<T> const plain(const_cast<T*>(all.data()), all.size());
    view<T const> const of_const = plain;
    return std::tuple{plain,
                      of_const,
                      std::span<T>(plain.data(), plain.end()),
                      std::span<T const>(plain.data(), plain.end()),
                      view<T, device_space>(plain.data(), plain.size()),
                      view<T const, device_space>(plain.data(), plain.size()),
                      fancy_vector<T>{plain.data(), plain.size()},
                      sized_source<contiguous<T>, host_space>{{plain.data()}, plain.size()},
                      map_source(of_const, identity_function{}),
                      map_source(map_source(plain, std::identity{}), identity_function{}),
                      mirror_source(mirror_source(of_const)),
                      compute_source<host_space>(plain.size(), hand_written<T>{plain.data()})};
  }
  auto written() {
    view<T> const plain(all.data(), all.size());
    into_contiguous<T> const to{plain.data(), plain.size()};
    return std::tuple{plain,
                      std::span<T>(plain.data(), plain.end()),
                      view<T, device_space>(plain.data(), plain.size()),
                      fancy_vector<T>{plain.data(), plain.size()},
                      to,
                      into_mapped<identity_function, into_contiguous<T>>{{}, to}};
  }
};

/// Sequences, as they may be written; they are never read, and may be longer than their memory.
template <class T>
auto outputs_of(T* p, index_t n) {
  return std::tuple{view<T>(p, n), std::span<T>(p, p + n), view<T, device_space>(p, n),
                    fancy_vector<T>{p, n}};
}
template <class T>
auto sequences_of(T* p, index_t n) {
  return std::tuple_cat(outputs_of(p, n),
                        std::tuple{view<T const>(p, n), std::span<T const>(p, p + n),
                                   view<T const, device_space>(p, n)});
}

/// Calls f on each member of a tuple.
template <class Tuple, class F>
void for_each_of(Tuple&& all, F const& f) {
  std::apply([&](auto&&... x) { (f(x), ...); }, all);
}

// ---- choices ------------------------------------------------------------------------------------

/// Per table and form, the needs that held where it was chosen.
std::map<std::pair<std::string, std::string>, std::vector<need>> reached;
int choices = 0;

template <class Machine, class Call>
std::string choose(std::string const& table, Machine const& machine, Call const& call) {
  ++choices;
  auto const e = explain_on(machine, call);
  EXPECT_NE(e.form, std::string("none"));
  reached.emplace(std::pair{table, std::string(e.form)}, e.considered.back().needs);
  return e.text();
}

/// Expects the same form for all spellings of what a call reads and writes.
template <class Machine, class Read, class Written, class Describe>
void expect_one_choice(std::string const& table, Machine const& machine, Read const& read,
                       Written written, Describe const& describe) {
  auto& first_out = std::get<0>(written);
  std::string const expected = choose(table, machine, describe(std::get<0>(read), first_out));
  for_each_of(read, [&](auto const& in) {
    EXPECT_EQ(choose(table, machine, describe(in, first_out)), expected);
  });
  for_each_of(written, [&](auto& out) {
    EXPECT_EQ(choose(table, machine, describe(std::get<1>(read), out)), expected);
  });
}

struct last_digit {
  int operator()(auto const& x) const { return static_cast<int>(x) & 7; }
};
template <int Ways, class T, class Machine>
void calls_on_splits_of(std::string const& table, Machine const& machine, index_t n) {
  SCOPED_TRACE(::testing::Message() << table << ", " << n << " elements, " << Ways << " ways");
  elements<T> in(n), out(n);
  auto const expected = choose(table, machine, describe_split<Ways>(in.all, last_digit{}, out.all));
  for_each_of(std::tuple{view<T>(in.all.data(), n), view<T const>(in.all.data(), n),
                         std::span<T const>(in.all.data(), in.all.data() + n),
                         fancy_vector<T>{in.all.data(), n}},
              [&](auto const& x) {
                EXPECT_EQ(choose(table, machine, describe_split<Ways>(x, last_digit{}, out.all)),
                          expected);
              });
}
/// A value so large that caches and shared memory hold few.
struct large {
  char bytes[200];
};
/// Splits of elements to parts, and of segments.
struct visits_digits {
  index_t of_segment(index_t s, index_t) const { return s; }
  float load(index_t, index_t) const { return 0; }
  int digit(index_t, float) const { return 0; }
  void store(float, int, index_t) const {}
};
struct takes_digit_begins {
  void operator()(int, index_t, index_t) const {}
};
struct sorts_nothing {
  void operator()(float*, index_t) const {}
};
template <class Machine>
void calls_on_splits_of_segments(std::string const& table, Machine const& machine, index_t n) {
  uniform_segments const tens{n / 10, 10, n};
  elements<float> out(1);
  choose("parts " + table, machine,
         describe_split_apart_on(n, detail::digit_of_element<float, last_digit>{out.all.data(), {}},
                                 out.all.data(), split_places<2, float>{}, no_starts{}));
  choose("parts " + table, machine,
         describe_split_apart_on(
             n, [](index_t) { return 0; }, out.all.data(), split_places<2, int>{}, no_starts{}));
  choose("within " + table, machine,
         describe_split_within_on<3>(n, tens, visits_digits{}, takes_digit_begins{}));
  choose("within " + table, machine,
         describe_split_within_on<40>(n, tens, visits_digits{}, takes_digit_begins{}));
  choose("segmented " + table, machine,
         describe_segmented_split_on<3>(n, tens, visits_digits{}, takes_digit_begins{}));
  choose("segmented " + table, machine,
         describe_segmented_split_on<8>(n, tens, visits_digits{}, takes_digit_begins{}));
  choose("applied " + table, machine,
         describe_segmented_apply_on(tens, visits_digits{}, out.all.data(), sorts_nothing{}));
  elements<large> of_large(1);
  choose("applied " + table, machine,
         describe_segmented_apply_on(tens, visits_digits{}, of_large.all.data(), sorts_nothing{}));
}
template <class Machine>
void calls_on_splits(std::string const& table, Machine const& machine, index_t n) {
  calls_on_splits_of<2, int>(table, machine, n);
  calls_on_splits_of<8, std::uint64_t>(table, machine, n);
  choose(table, machine,
         describe_split_on<2>(
             n, [](index_t i) { return i % 2 == 1; }, [](index_t, int, index_t) {}));
}

template <class Machine>
void calls_on_histograms(std::string const& table, Machine const& machine, index_t n) {
  for (index_t const bins : {256, 5000, 65536, 1 << 20}) {
    SCOPED_TRACE(::testing::Message() << table << ", " << n << " elements, " << bins << " bins");
    elements<std::uint32_t> in(n);
    elements<int> counts(bins);
    auto const expected =
        choose(table, machine, describe_histogram(in.all, counts.all, by_value{}));
    for_each_of(std::tuple{view<std::uint32_t>(in.all.data(), n),
                           view<std::uint32_t const>(in.all.data(), n),
                           std::span<std::uint32_t const>(in.all.data(), in.all.data() + n),
                           fancy_vector<std::uint32_t>{in.all.data(), n}},
                [&](auto const& x) {
                  EXPECT_EQ(choose(table, machine, describe_histogram(x, counts.all, by_value{})),
                            expected);
                });
    choose(table, machine,
           describe_histogram_on(
               n, [](index_t i) { return i % 7; }, counts.all));
  }
}

template <class T, class Length, class Machine>
void calls_on_runs(std::string const& table, Machine const& machine, index_t n) {
  SCOPED_TRACE(::testing::Message() << table << ", " << n << " elements");
  elements<T> in(n), keys(n);
  elements<Length> lengths(n);
  auto const read = in.read();
  view<Length> const to_lengths(lengths.all.data(), n);
  auto const expect_one = [&](auto const& describe) {
    expect_one_choice(table, machine, read, keys.written(), describe);
  };
  expect_one([&](auto const& x, auto& out) { return describe_run_lengths(x, out, to_lengths); });
  expect_one([&](auto const& x, auto& out) {
    return describe_run_lengths(x, out, to_lengths, equal_by(close{}));
  });
  expect_one([&](auto const& x, auto& out) {
    return describe_run_lengths(map_source(x, doubled{}), out, to_lengths);
  });
  expect_one(
      [&](auto const& x, auto&) { return describe_encode_runs(x, equal_to{}, visit_nothing{}); });
  expect_one([&](auto const& x, auto&) {
    return describe_reduce_by_key(x, x, view<T>(keys.all.data(), n), to_lengths);
  });
  if constexpr (std::integral<Length>) {  // sums of ones are lengths, in any description
    auto const as_sums = describe_reduce_by_key(in.all, compute_source(n, constant_of<1>{}),
                                                keys.all, to_lengths, plus{});
    EXPECT_EQ(choose(table, machine, as_sums),
              choose(table, machine, describe_run_lengths(in.all, keys.all, to_lengths)));
  }
}

/// A user's keep and visit that declare what they read and write.
struct odd {
  template <class T>
  bool operator()(T const& x) const {
    return static_cast<long>(x) % 2 != 0;
  }
};
template <class T>
struct keeps_odd {
  T const* p;
  bool operator()(index_t i) const { return odd{}(p[i]); }
  auto structure() const { return by_predicate<contiguous<T>, odd>{{p}, {}}; }
};
template <class T>
struct moves {
  T const* p;
  T* to;
  index_t room;
  void operator()(index_t i, index_t place) const { to[place] = p[i]; }
  auto structure() const { return packed_into<contiguous<T>, into_contiguous<T>>{{p}, {to, room}}; }
};
/// As declared by a pipeline.
template <class T>
struct keeps_odd_elements {
  T const* p;
  bool operator()(index_t i) const { return of(p[i]); }
  T const* elements() const { return p; }
  bool of(T const& x) const { return odd{}(x); }
};
template <class T>
struct keeps_odd_index {
  bool operator()(index_t i) const { return i % 2 != 0; }
};

struct takes_begins {
  void operator()(index_t, index_t) const {}
};
template <class T, class Machine>
void calls_on_segmented_packs(std::string const& table, Machine const& machine, index_t n) {
  SCOPED_TRACE(::testing::Message() << table << ", " << n << " elements");
  elements<T> in(n), out(n);
  expect_one_choice(table, machine, in.read(), out.written(), [n](auto const& x, auto& to) {
    using S = source_t<decltype(x)>;
    return describe_segmented_pack_on(
        n, chunks(n, 3), by_predicate<S, odd>{source_of(x), {}},
        packed_into<S, sink_t<decltype(to)>>{source_of(x), sink_of(to)}, takes_begins{});
  });
}

/// Keeps a result, or nothing.
struct keeps_large {
  template <class T>
  maybe<T> operator()(index_t i, T const&, T const& through) const {
    return i % 2 == 0 ? maybe<T>(through) : maybe<T>();
  }
};
template <class T>
struct loads_index {
  T operator()(index_t i) const { return T(i); }
};
template <class T>
struct zero_of {
  T operator()() const { return T(); }
};
/// Merges of the spellings of sequences, whether they may be written or not.
template <class T, class Machine>
void calls_on_merges(std::string const& table, Machine const& machine, index_t n) {
  elements<T> in(n), other(n), out(2 * n);
  auto const read = sequences_of(in.all.data(), n);
  auto const written = outputs_of(out.all.data(), 2 * n);
  expect_one_choice(table, machine, read, written, [&](auto const& a, auto& to_all) {
    return describe_merge(a, other.all, to_all, less{});
  });
  expect_one_choice(table, machine, read, written, [&](auto const& a, auto& to_all) {
    return describe_merge(other.all, a, to_all, less{});
  });
  expect_one_choice(table, machine, read, written, [&](auto const& a, auto& to_all) {
    return describe_merge_pairs(a, a, other.all, other.all, to_all, out.all, less{});
  });
}

struct first_byte {
  template <class T>
  unsigned char operator()(T const& x) const {
    return reinterpret_cast<unsigned char const&>(x);
  }
};
/// Longer than rows that scratch holds.
struct long_row {
  char bytes[300];
};
template <class K, class Machine>
void calls_on_radix_sorts_of(std::string const& table, Machine const& machine, index_t n) {
  SCOPED_TRACE(::testing::Message() << table << ", " << n << " elements");
  elements<K> in(1), out(1);
  auto const read = sequences_of(in.all.data(), n);
  auto const written = outputs_of(out.all.data(), n);
  expect_one_choice(table, machine, read, written,
                    [](auto const& x, auto& to) { return describe_radix_sort(x, to); });
  expect_one_choice(table, machine, read, written, [](auto const& x, auto& to) {
    return describe_radix_sort_pairs(x, x, to, to, descending);
  });
  auto const& x = std::get<0>(read);
  auto const& to = std::get<0>(written);
  choose(table, machine, describe_radix_sort(x, to, bit_range{1, 7}));
  choose(table, machine, describe_radix_sort(x, to, by(first_byte{}, identity_function{})));
}
template <class Machine>
void calls_on_radix_sorts(std::string const& table, Machine const& machine) {
  for (index_t const n : {10, 5000, 1 << 18, 1 << 22, 1 << 25}) {
    calls_on_radix_sorts_of<std::uint32_t>(table, machine, n);
    calls_on_radix_sorts_of<double>(table, machine, n);
    calls_on_radix_sorts_of<signed char>(table, machine, n);
  }
  elements<long_row> in(1), out(1);
  choose(table, machine, describe_radix_sort(in.all, out.all, by(first_byte{})));
}

template <class Machine>
void calls_on_segmented_sorts(std::string const& table, Machine const& machine, index_t n) {
  elements<std::uint32_t> in(1), out(1);
  auto const read = sequences_of(in.all.data(), n);
  auto const written = outputs_of(out.all.data(), n);
  uniform_segments const fives{n / 5, 5, n};
  expect_one_choice(table, machine, read, written,
                    [&](auto const& x, auto& to) { return describe_segmented_sort(x, fives, to); });
  expect_one_choice(table, machine, read, written, [&](auto const& x, auto& to) {
    return describe_segmented_sort_pairs(x, x, fives, to, to, descending);
  });
  auto const& x = std::get<0>(read);
  auto const& to = std::get<0>(written);
  choose(table, machine, describe_segmented_sort(x, by_keys(x), to));
  choose(table, machine, describe_segmented_sort(x, fives, to, bit_range{0, 0}));
  elements<long_row> of_rows(1), to_rows(1);
  choose(table, machine,
         describe_segmented_sort(of_rows.all, fives, to_rows.all, by(first_byte{})));
}

/// Elements that scratch cannot hold.
struct made_once {
  int key;
  explicit made_once(int k) : key(k) {}
  bool operator<(made_once const& other) const { return key < other.key; }
};
template <class Machine>
void calls_on_comparison_sorts(std::string const& table, Machine const& machine, index_t n) {
  elements<float> in(1), out(1);
  auto const read = sequences_of(in.all.data(), n);
  auto const written = outputs_of(out.all.data(), n);
  expect_one_choice(table, machine, read, written,
                    [](auto const& x, auto& to) { return describe_comparison_sort(x, to); });
  expect_one_choice(table, machine, read, written, [](auto const& x, auto& to) {
    return describe_comparison_sort(x, to, by(first_byte{}));
  });
  std::vector<made_once> some(3, made_once(1));
  choose(table, machine, describe_comparison_sort(some, some));
}

template <class Machine>
void calls_on_segmented_comparison_sorts(std::string const& table, Machine const& machine,
                                         index_t n) {
  elements<float> in(1), out(1);
  auto const read = sequences_of(in.all.data(), n);
  auto const written = outputs_of(out.all.data(), n);
  auto const expect_one = [&](auto const& segments) {
    expect_one_choice(table, machine, read, written, [&](auto const& x, auto& to) {
      return describe_segmented_comparison_sort(x, segments, to, close{});
    });
  };
  expect_one(uniform_segments{n / 5, 5, n});
  expect_one(by_keys(std::get<0>(read)));
}

template <class Machine>
void calls_on_merges_of_segments(std::string const& table, Machine const& machine, index_t n) {
  elements<float> in(1), out(1);
  for (index_t const count : {2, 50}) {
    expect_one_choice(
        table, machine, sequences_of(in.all.data(), n), outputs_of(out.all.data(), n),
        [&](auto const& x, auto& to) {
          return describe_merge_segments(x, uniform_segments{count, n / count, n}, to);
        });
  }
}

template <class Machine>
void calls_on_selections(std::string const& table, Machine const& machine, index_t n) {
  elements<std::uint32_t> in(1), out(1);
  auto const written = outputs_of(out.all.data(), 10);
  expect_one_choice(table, machine, sequences_of(in.all.data(), n), written,
                    [](auto const& x, auto& to) { return describe_top_k(x, to); });
  expect_one_choice(
      table, machine, sequences_of(in.all.data(), n), written,
      [](auto const& x, auto& to) { return describe_nth_element(x, 3, to, descending); });
}
template <class Machine>
void calls_on_selections_of_more(std::string const& table, Machine const& machine, index_t n) {
  elements<std::uint32_t> in(1), out(1);
  view<std::uint32_t> const to(out.all.data(), 10);
  expect_one_choice("ordered " + table, machine, sequences_of(in.all.data(), n),
                    outputs_of(out.all.data(), 10), [](auto const& x, auto& some) {
                      return detail::describe_selection_by_order<host_space>(x, 3, some, less{});
                    });
  for (index_t const each : {0, 7}) {
    using Call =
        segmented_selection_call<std::uint32_t, host_space, uniform_segments, std::uint32_t>;
    choose("segmented " + table, machine,
           Call{{in.all.data(), n}, {64, n / 64, n}, 2, each, 0u, to.data(), false});
  }
  index_t places[1];
  for (index_t const each : {8, 40}) {
    using Call = least_places_call<int, loads_index<int>, uniform_segments>;
    choose("places " + table, machine, Call{n, {}, {2048, n / 2048, n}, each, places});
  }
}

template <class Machine>
void calls_on_sorted_searches(std::string const& table, Machine const& machine, index_t n) {
  elements<std::uint32_t> needles(1);
  elements<float> haystack(1);
  elements<int> out(1);
  auto const written = outputs_of(out.all.data(), n);
  auto const some = sequences_of(needles.all.data(), n);
  view<float> const in(haystack.all.data(), n);
  expect_one_choice(table, machine, some, written,
                    [&](auto const& x, auto& to) { return describe_lower_bound(x, in, to); });
  expect_one_choice(table, machine, sequences_of(haystack.all.data(), n), written,
                    [&](auto const& x, auto& to) {
                      return describe_upper_bound(std::get<0>(some), x, to, std::greater<>{});
                    });
}

/// Products of a matrix whose rows are not read; `rows` of `n` entries each.
struct blocks_of_test {
  template <class T>
  static constexpr bool adds = true;
  static constexpr bool are_cut() { return true; }
};
template <class Machine>
void calls_on_products(std::string const& table, Machine const& machine, index_t n) {
  elements<int> offsets(1), columns(1);
  elements<float> values(1), x(1), y(1);
  auto const written = outputs_of(y.all.data(), n);
  auto const matrix = [n](auto const& of_offsets, auto const& of_columns, auto const& of_values) {
    return csr{n, n, of_offsets, of_columns, of_values};
  };
  auto const some = sequences_of(offsets.all.data(), n + 1);
  auto const expect_one = [&](auto* p, auto const& describe) {
    expect_one_choice(table, machine, sequences_of(p, n), written, describe);
  };
  auto const& of_offsets = std::get<0>(some);
  view<int> const of_columns(columns.all.data(), n);
  view<float> const of_values(values.all.data(), n), of_x(x.all.data(), n);
  expect_one(columns.all.data(), [&](auto const& s, auto& to) {
    return describe_spmv(matrix(of_offsets, s, of_values), of_x, to);
  });
  expect_one(values.all.data(), [&](auto const& s, auto& to) {
    return describe_spmv(matrix(of_offsets, of_columns, s), of_x, to);
  });
  expect_one(x.all.data(), [&](auto const& s, auto& to) {
    return describe_spmv(matrix(of_offsets, of_columns, of_values), s, to, min_plus);
  });
  expect_one_choice(table, machine, some, written, [&](auto const& s, auto& to) {
    return describe_spmv(matrix(s, of_columns, of_values), of_x, to);
  });
  auto const c = describe_spmv(matrix(of_offsets, of_columns, of_values), of_x, y.all);
  blocks_of_test const blocks;
  detail::blocked_matrix<std::remove_const_t<decltype(c.a)>, blocks_of_test> const blocked{c.a,
                                                                                           blocks};
  choose(table, machine, detail::describe_product(blocked, of_x, view_of(y.all), plus_times));
}

/// Calls whose form depends on few of their operands.
struct sublists_of_test {
  struct {
    index_t n;
  } sublists;
};
template <class Machine>
void calls_on_others(std::string const& table, Machine const& machine, index_t n) {
  elements<int> offsets(1), columns(1);
  elements<float> x(1), y(1);
  auto const some = sequences_of(x.all.data(), n);
  auto const written = outputs_of(y.all.data(), n);
  auto const expect_one = [&](char const* calls, auto const& describe) {
    expect_one_choice(calls + table, machine, some, written, describe);
  };
  expect_one("differences ", [](auto const& in, auto& to) {
    return describe_adjacent_difference(in, to, minus<>{});
  });
  choose("balance " + table, machine,
         balance_call<uniform_segments, visit_nothing>{n, {n / 10, 10, n}, {}, {}});
  elements<int> numbers(n);
  auto const runs = by_keys(numbers.all);
  choose("balance " + table, machine,
         balance_call<std::remove_const_t<decltype(runs)>, visit_nothing>{n, runs, {}, {}});
  detail::placed_elements<int, host_space> const integers{numbers.all.data(), n};
  choose("extrema " + table, machine,
         detail::extremum_of(integers, detail::least_wins<less>{}, columns.all.data()));
  choose("extrema " + table, machine,
         detail::extremum_of(integers, detail::greatest_wins<close>{}, columns.all.data()));
  choose("extrema " + table, machine,
         detail::extrema_of(integers, less{}, detail::store_two<int>{columns.all.data()}));
  auto const multiply = [&](auto const& values, index_t k, auto const& in, auto& to) {
    return describe_spmm(
        csr{n, n, view<int>(offsets.all.data(), n + 1), view<int>(columns.all.data(), n), values},
        k, in, to);
  };
  auto const& one = std::get<0>(some);
  for (index_t const k : {2, 20}) {
    expect_one("several products ",
               [&](auto const& values, auto& to) { return multiply(values, k, one, to); });
    expect_one("several products ",
               [&](auto const& in, auto& to) { return multiply(one, k, in, to); });
  }
  for (index_t const k : {n / 10, n}) {
    expect_one("partial sorts ",
               [&](auto const&, auto& data) { return describe_partial_sort(data, k); });
  }
  // so that a partial sort of all is a radix sort, as comparison_sort is of this order
  static_assert(std::same_as<decltype(describe_partial_sort(one, n).before), less>);
  using strings = substrings<char, int, int>;
  choose("strings " + table, machine, string_sort_call<strings, int>{n, {}, nullptr});
  using keys = view<int>;
  using by = detail::radix_bits;
  choose("groups " + table, machine,
         hash_groups_call<int, by, equal_to, keys, keys, void, plus<int>>{});
  choose("group orders " + table, machine,
         hash_order_call<int, by, equal_to, view<index_t>, keys>{});
  choose("list walks " + table, machine, list_walk_call<visit_nothing>{});
  choose("sublists " + table, machine, sublist_ranking_call<sublists_of_test, plus<>>{{{n}}, {}});
  view<int> const next(offsets.all.data(), n);
  using word = std::uint32_t;
  choose("list ranks " + table, machine,
         list_ranking_call<word, detail::splitters, view<int>, view<int>, int>{
             {}, next, next, nullptr, nullptr});
  choose("list ranks " + table, machine,
         list_ranking_call<word, detail::splitters, view<int>, detail::heads_to_find, int>{
             {}, next, {}, nullptr, nullptr});
}

struct add_large {
  static large identity() { return {}; }
  large operator()(large const& x, large const&) const { return x; }
};
struct loads_large {
  large operator()(index_t) const { return {}; }
};

template <class T, class Machine>
void calls_on_scans_then_packs(std::string const& table, Machine const& machine, index_t n) {
  elements<T> in(n), out(n);
  write_kept<T> const to{out.all.data(), n};
  auto const call = [&](auto load, auto m, auto visit) {
    using value = carrier_t<decltype(m)>;
    choose(table, machine,
           describe_scan_then_pack_on(n, load, m, zero_of<value>{}, keeps_large{}, visit));
  };
  call(load_elements<T>{in.all.data()}, plus<T>{}, to);
  call(loads_index<T>{}, plus<T>{}, to);
  call(load_elements<T>{in.all.data()}, plus<T>{}, visit_nothing{});
  call(loads_large{}, add_large{}, visit_nothing{});
}

/// As declared by a pipeline: a load of elements, and a visit that names no sink.
template <class T>
struct loads_doubled {
  T const* p;
  T operator()(index_t i) const { return of(i, p[i]); }
  T const* elements() const { return p; }
  T of(index_t, T const& x) const { return doubled{}(x); }
};
/// A user's visit that declares what it writes.
template <class T>
struct writes_through {
  T* p;
  index_t n;
  void operator()(index_t i, T const&, T const& through) const { p[i] = through; }
  auto structure() const { return through_into<into_contiguous<T>>{{p, n}}; }
};
/// Larger than a tile of a cache.
struct huge {
  char bytes[2000];
};
struct add_huge {
  static huge identity() { return {}; }
  huge operator()(huge const& x, huge const&) const { return x; }
};
struct loads_huge {
  huge operator()(index_t) const { return {}; }
};
struct visits_both {
  template <class T>
  void operator()(index_t, T const&, T const&) const {}
};

template <class T, class Machine>
void calls_on_segmented_scans(std::string const& table, Machine const& machine, index_t n) {
  SCOPED_TRACE(::testing::Message() << table << ", " << n << " elements");
  elements<T> in(n), out(n);
  uniform_segments const twenties{n / 20, 20, n};
  expect_one_choice(table, machine, in.read(), out.written(), [&](auto const& x, auto& to) {
    return describe_segmented_inclusive_scan(x, twenties, to);
  });
  auto const call = [&](auto const& segments, auto m, auto... options) {
    choose(table, machine,
           describe_segmented_exclusive_scan(in.all, segments, out.all, m, options...));
  };
  call(uniform_segments{5 * n, 0, n}, plus{});
  call(twenties, multiplies{});
  call(uniform_segments{n, 1, n}, multiplies{}, backward);
  choose(table, machine,
         describe_segmented_scan_on(n, loads_huge{}, twenties, visits_both{}, add_huge{}));
  // The same call, by each description.
  EXPECT_EQ(typeid(describe_segmented_inclusive_scan(in.all, twenties, out.all)),
            typeid(describe_segmented_scan_on(n, hand_written<T>{in.all.data()}, twenties,
                                              writes_through<T>{out.all.data(), n}, plus<T>{})));
}

template <class T, class Machine>
void calls_on_scans(std::string const& table, Machine const& machine, index_t n) {
  SCOPED_TRACE(::testing::Message() << table << ", " << n << " elements");
  elements<T> in(n), out(n), total(1);
  auto const read = in.read();
  auto const expect_one = [&](auto const& describe) {
    expect_one_choice(table, machine, read, out.written(), describe);
  };
  expect_one([](auto const& x, auto& to) { return describe_inclusive_scan(x, to); });
  expect_one([](auto const& x, auto& to) { return describe_exclusive_scan(x, to, maximum{}); });
  expect_one([](auto const& x, auto& to) { return describe_inclusive_scan(x, to, multiplies{}); });
  expect_one(
      [](auto const& x, auto& to) { return describe_inclusive_scan(x, to, plus{}, backward); });
  expect_one([&](auto const& x, auto& to) {
    return describe_exclusive_scan(x, to, plus{}, from(T(1)), total_to(total.all));
  });
  expect_one([](auto const& x, auto& to) {
    return describe_inclusive_scan(map_source(x, doubled{}), to);
  });
  expect_one([](auto const& x, auto& to) {
    return describe_exclusive_scan(map_source(mirror_source(x), doubled{}), to, plus{}, backward);
  });
  expect_one([](auto const& x, auto& to) {
    return describe_inclusive_scan(x, into_mapped<doubled, sink_t<decltype(to)>>{{}, sink_of(to)});
  });
  expect_one(
      [](auto const& x, auto& to) { return describe_inclusive_scan(x, to, plus{}, of_tuples<3>); });
  expect_one([](auto const& x, auto& to) {
    return describe_inclusive_scan(x, to, plus{}, of_order<2>, backward);
  });
  expect_one(
      [](auto const& x, auto& to) { return describe_exclusive_scan(x, to, plus{}, of_order<8>); });
  // The same call, by each description.
  auto const by_name = [&](auto const& call) {
    return std::pair(std::string(typeid(call).name()), choose(table, machine, call));
  };
  T const* const p = in.all.data();
  T* const to = out.all.data();
  detail::seed_identity<plus<T>> const zero{};
  EXPECT_EQ(
      by_name(describe_inclusive_scan(in.all, out.all)),
      by_name(describe_scan_on(n, hand_written<T>{p}, writes_through<T>{to, n}, plus<T>{}, zero)));
  EXPECT_EQ(
      by_name(describe_inclusive_scan(in.all, out.all)),
      by_name(describe_scan_on(n, load_elements<T>{p}, write_through<T>{to}, plus<T>{}, zero)));
  EXPECT_EQ(
      explain_on(machine, describe_inclusive_scan(map_source(in.all, doubled{}), out.all)).form,
      explain_on(machine,
                 describe_scan_on(n, loads_doubled<T>{p}, write_through<T>{to}, plus<T>{}, zero))
          .form);
  // Recurrences.
  auto const carried = [&](auto of, auto seed) {
    choose(table, machine,
           detail::describe_carried<1>(n, of, load_elements<T>{p}, write_through<T>{to}, seed,
                                       detail::no_total{}));
  };
  using results = detail::carried_results<T, 1>;
  carried(results{{1}}, zero);
  using value = detail::wrapping_t<T>;
  choose(table, machine,
         describe_scan_on(n, detail::load_map<T, T, T>{p, p}, detail::write_image<T>{to},
                          detail::compose_maps<value>{}, zero_of<detail::affine_map<value>>{}));
  choose(table, machine,
         describe_scan_on(n, loads_huge{}, visits_both{}, add_huge{}, zero_of<huge>{}));
}

template <class T, class Machine>
void calls_on_reductions(std::string const& table, Machine const& machine, index_t n) {
  SCOPED_TRACE(::testing::Message() << table << ", " << n << " elements");
  elements<T> in(n), out(1);
  expect_one_choice(table, machine, in.read(), std::tuple{view<T>(out.all.data(), 1)},
                    [](auto const& x, auto& to) { return describe_reduce(x, to); });
  choose(table, machine, describe_reduce(in.all, out.all, multiplies{}, from(T(2))));
  using map = detail::affine_map<detail::wrapping_t<T>>;
  choose(table, machine,
         describe_reduce_on(n, detail::load_map<T, T, T>{in.all.data(), in.all.data()},
                            detail::compose_maps<detail::wrapping_t<T>>{}, zero_of<map>{},
                            detail::store_total<map>{nullptr}));
  auto const choose_total = [&](auto const& scan) {
    using V = typename std::remove_cvref_t<decltype(scan)>::value_type;
    choose(
        table, machine,
        describe_reduce_on(scan.n, scan.load, scan.m, scan.seed, detail::store_total<V>{nullptr}));
  };
  choose_total(describe_inclusive_scan(in.all, in.all, plus<T>{}, of_order<2>));
  choose_total(describe_inclusive_scan(in.all, in.all, plus<T>{}, of_tuples<2>));
}

template <class T, class Machine>
void calls_on_searches(std::string const& table, Machine const& machine, index_t n) {
  elements<T> in(n);
  elements<index_t> out(1);
  T* const p = const_cast<T*>(in.all.data());
  std::tuple const read{view<T>(p, n), view<T const>(p, n), std::span<T const>(p, p + n),
                        fancy_vector<T>{p, n}};
  expect_one_choice(table, machine, read, std::tuple{view<index_t>(out.all.data(), 1)},
                    [](auto const& x, auto& to) { return describe_find_first(x, odd{}, to); });
}

/// A load of elements in turn, as that of a sparse product on a device.
template <class T>
struct loads_in_turn {
  T operator()(index_t i) const { return T(i); }
  T in_turn(index_t i) const { return T(i); }
};
/// A load that finds the elements of a row of 20 at once, as that of rows which a nested program reads in place.
template <class T>
struct loads_rows {
  index_t length = 20;
  loads_index<T> of_segment(index_t) const { return {}; }
  T operator()(index_t i) const { return T(i); }
};
template <class T, class Machine>
void calls_on_segmented_reductions(std::string const& table, Machine const& machine, index_t n) {
  SCOPED_TRACE(::testing::Message() << table << ", " << n << " elements");
  elements<T> in(n), out(n);
  elements<unsigned char> heads(n);
  uniform_segments const twenties{n / 20, 20, n};
  expect_one_choice(table, machine, in.read(), out.written(), [&](auto const& x, auto& to) {
    return describe_segmented_reduce(x, twenties, to);
  });
  choose(table, machine, describe_segmented_reduce(in.all, by_heads(heads.all), out.all));
  auto const call = [&](auto const& load, auto const& segments) {
    choose(
        table, machine,
        describe_segmented_reduce_on(n, load, segments, plus<T>{}, zero_of<T>{}, visit_nothing{}));
  };
  call(loads_index<T>{}, twenties);
  call(loads_rows<T>{}, twenties);
  call(loads_in_turn<T>{}, uniform_segments{n / 4, 4, n});
  constexpr index_t chunk = 32 * gpu::reduce_policy<sizeof(T)>::items;
  for (index_t const longest : {4, 400}) {
    call(loads_index<T>{}, gpu::detail::cut_segments<uniform_segments>{
                               twenties, {chunk, chunk, 1, nullptr}, longest});
  }
}

template <class T, class Machine>
void calls_on_packs(std::string const& table, Machine const& machine, index_t n) {
  SCOPED_TRACE(::testing::Message() << table << ", " << n << " elements");
  elements<T> in(n), out(n);
  elements<unsigned char> bytes(n);
  elements<int> ints(n);
  elements<std::uint32_t> words((n + 31) / 32);
  auto const read = in.read();
  auto const expect_one = [&](auto const& describe) {
    expect_one_choice(table, machine, read, out.written(), describe);
  };
  expect_one([](auto const& x, auto& to) { return describe_filter(x, odd{}, to); });
  expect_one(
      [](auto const& x, auto& to) { return describe_filter(map_source(x, doubled{}), odd{}, to); });
  expect_one([](auto const& x, auto& to) { return describe_unique(x, to); });
  expect_one([](auto const& x, auto& to) { return describe_unique(x, to, equal_by(close{})); });
  expect_one([&](auto const& x, auto& to) { return describe_pack(x, bytes.all, to); });
  expect_one([&](auto const& x, auto& to) { return describe_pack(x, ints.all, to); });
  expect_one([&](auto const& x, auto& to) { return describe_pack(x, by_bits(words.all, n), to); });
  elements<int> places(n);
  for (index_t const first : {0, 1}) {
    choose(table, machine,
           describe_pack_on(n, nonzero<unsigned char>{bytes.all.data()},
                            detail::write_packed_index<int>{places.all.data() + first, n - first}));
  }
  expect_one([&](auto const& x, auto& to) {
    return describe_pack_on(
        n, keeps_odd_index<T>{},
        packed_into<source_t<decltype(x)>, sink_t<decltype(to)>>{source_of(x), sink_of(to)});
  });
  // A filter, by each description.
  std::string const filtered = choose(table, machine, describe_filter(in.all, odd{}, out.all));
  T const* const p = in.all.data();
  T* const to = out.all.data();
  write_packed<T, T> const of_library{p, to, n};
  EXPECT_EQ(filtered,
            choose(table, machine, describe_pack_on(n, keeps_odd<T>{p}, moves<T>{p, to, n})));
  EXPECT_EQ(filtered,
            choose(table, machine, describe_pack_on(n, keeps_odd_elements<T>{p}, of_library)));
  EXPECT_EQ(filtered, choose(table, machine,
                             describe_pack_on(n, by_predicate<contiguous<T>, odd>{{p}, {}},
                                              moves<T>{p, to, n})));
  EXPECT_EQ(explain_on(machine, describe_filter(in.all, odd{}, out.all)).form,
            explain_on(machine, describe_pack_on(n, keeps_odd<T>{p},
                                                 write_made_of_kept<T, doubled, T>{p, {}, to, n}))
                .form);
}

/// Calls of several ranks, in the tables "reduce `ranks`" and "scan `ranks`".
template <class T, class Machine>
void calls_on_ranks(std::string const& ranks, Machine const& machine, index_t n) {
  SCOPED_TRACE(::testing::Message() << ranks << ", " << n << " elements");
  elements<T> in(n), out(n);
  auto const of_index = compute_source(n, loads_index<T>{});
  expect_one_choice("reduce " + ranks, machine, in.read(), std::tuple{view<T>(out.all.data(), 1)},
                    [](auto const& x, auto& to) { return describe_reduce(x, to); });
  choose("reduce " + ranks, machine, describe_reduce(of_index, out.all));
  expect_one_choice("scan " + ranks, machine, in.read(), out.written(),
                    [](auto const& x, auto& to) {
                      return describe_inclusive_scan(map_source(x, doubled{}), to);
                    });
  choose("scan " + ranks, machine, describe_exclusive_scan(of_index, out.all));
  choose("scan " + ranks, machine,
         describe_inclusive_scan(in.all, out.all, plus<>{}, of_tuples<2>));
}
template <class T, class Machine>
void calls_on_segments_of_ranks(std::string const& table, Machine const& machine, index_t n) {
  SCOPED_TRACE(::testing::Message() << table << ", " << n << " elements");
  elements<T> in(n), out(n);
  elements<unsigned char> heads(n);
  expect_one_choice(table, machine, in.read(), out.written(), [&](auto const& x, auto& to) {
    return describe_segmented_inclusive_scan(x, by_heads(heads.all), to);
  });
  choose(table, machine,
         describe_segmented_exclusive_scan(in.all, uniform_segments{n / 20, 20, n}, out.all));
}

/// Calls on more types, which reach no other forms.
void calls_on_more_types([[maybe_unused]] index_t n) {
#ifdef RAVEL_TEST_THOROUGH
  for (bool const several : {false, true}) {
    cpu::host const host{several};
    calls_on_runs<double, index_t>("runs host", host, n);
    calls_on_packs<signed char>("packs host", host, n);
    calls_on_packs<double>("packs host", host, n);
    calls_on_scans<double>("scan host", host, n);
    calls_on_scans<signed char>("scan host", host, n);
  }
  for (int const capability : {80, 90}) {
    gpu::device d{.capability = capability};
    d.sizes.coded_bytes = d.sizes.packed_bytes = d.sizes.carried_bytes = index_t{1} << 15;
    d.sizes.streamed_bytes = index_t{1} << 18;
    calls_on_runs<double, index_t>("runs device", d, n);
    calls_on_packs<signed char>("packs device", d, n);
    calls_on_packs<double>("packs device", d, n);
    calls_on_scans<float>("scan device", d, n);
    calls_on_scans<index_t>("scan device", d, n);
    calls_on_scans_then_packs<double>("scans device", d, n);
  }
#endif
}

// ---- docs/forms.md ------------------------------------------------------------------------------

/// Writes a line for each form of a table, and returns any form that no call here has reached.
template <class Family, class Machine>
void write_table(std::ostream& page, std::string const& table, char const* machine,
                 std::string const& header) {
  page << "\n### " << machine << "\n\n`" << header << "`\n\n"
       << "| form | needs | why |\n|---|---|---|\n";
  for_each_form(typename form_table<Family, Machine>::type{}, [&]<class F> {
    auto const found = reached.find({table, F::name});
    ASSERT_NE(found, reached.end()) << "no call reaches the form " << F::name << " of " << table;
    page << "| `" << F::name << "` | ";
    char const* separator = "";
    for (need const& n : found->second) page << std::exchange(separator, "; ") << n.text;
    page << (found->second.empty() ? "nothing" : "") << " | " << F::why << " |\n";
  });
}

/// Writes the tables of a family, whose headers are in `folder` of a layer, and whose calls are those of
/// "`table` host", "`table` device", "`table` any" and, if it has a table for that, "`table` same".
template <class Family>
void write_family(std::ostream& page, char const* title, std::string const& table,
                  std::string const& folder, std::string const& layer = "primitives") {
  auto const header = [&](char const* name) {
    return layer + "/include/ravel/" + layer + "/" + folder + "/" + name;
  };
  page << "\n## " << title << '\n';
  auto const has_own = []<class Machine>(Machine const&) {
    return !std::same_as<typename form_table<Family, Machine>::type, typename Family::by_steps>;
  };
  if (has_own(cpu::host{})) {
    write_table<Family, cpu::host>(page, table + " host", "Host", header("cpu.hpp"));
  }
  if (has_own(gpu::device{})) {
    write_table<Family, gpu::device>(page, table + " device", "Device", header("cuda.hpp"));
  }
  using same = form_table<Family, same_order<cpu::host>>;
  if constexpr (std::same_as<typename same::type, typename Family::by_steps>) {
    write_table<Family, any_machine>(
        page, table + " any", "Any other executor, and `same_everywhere`", header("steps.hpp"));
  } else {
    write_table<Family, same_order<cpu::host>>(page, table + " same", "`same_everywhere`",
                                               header("steps.hpp"));
    write_table<Family, any_machine>(page, table + " any", "Any other executor",
                                     header("steps.hpp"));
  }
}

/// The calls of several ranks that have no table: each has one form.
struct call_of_ranks {
  char const *names, *header, *form;
};
constexpr call_of_ranks calls_without_tables[] = {
    {"`map`, `for_each`, `iota`, `distribute`", "map.hpp",
     "A map of each piece; nothing is exchanged."},
    {"`map_on`, `pack_on`, `find_first_on`, `for_each_index` and `scan_then_pack_on`, for "
     "pipelines of maps, filters "
     "and scans",
     "pipeline_passes.hpp",
     "A pass over each piece, with the stages fused; carries of a scan are exchanged once."},
    {"`on`", "pipelines.hpp",
     "The operand of a pipeline: a sequence, or the source of a deferred scan."},
    {"`each`, reductions and others of nested values", "nested.hpp",
     "A nested program on each rank, for the outer instances that it has."},
    {"`from`, `from_pieces`, `borrow`, `from_lengths`, `from_offsets` of nested values",
     "nested_value.hpp", "They place instances: an exchange of each column."},
    {"`balance`, `gather_to`, `replicate` of nested values", "nested.hpp",
     "They place instances: an exchange of each column."},
    {"`deferred_inclusive_scan`, `deferred_exclusive_scan`", "deferred_scan.hpp",
     "A scan of each piece, beside which its carry is kept: each element is read once."},
    {"`filter_sync`, `pack_sync`, `pack_index_sync`", "pack.hpp",
     "A pack of each piece; results stay on its rank."},
    {"`find_first_sync`, `any_of_sync`, `all_of_sync`, `none_of_sync`, `adjacent_find_sync`, "
     "`is_sorted_sync`, `is_partitioned_sync`, `min_element_sync`, `max_element_sync`, "
     "`minmax_element`, `mismatch_sync`, `equal_sync`, `lexicographical_compare_sync`",
     "searches.hpp",
     "A search of each piece, and of the elements at its edges; what all ranks have found is "
     "gathered."},
    {"`search_sync`, `find_end_sync`", "searches.hpp",
     "A search of each piece, and of its end with the elements that follow on other ranks; each "
     "rank has all that is searched for."},
    {"`unique_sync`, `run_length_encode_sync`, `reduce_by_key_sync`", "runs.hpp",
     "Runs of each piece, of which the first and the last are joined to those of other ranks."},
    {"`histogram`", "histogram.hpp",
     "Counts of each piece, of which each rank adds those of a part of the bins."},
    {"`segmented_reduce`, and segmented scans by offsets, lengths or one length", "segments.hpp",
     "Each offset goes to the rank that has the element there, and its result back; the scans are "
     "then those by heads.  By heads, bits and keys a reduction of each piece, of which the last "
     "segment is joined to those of other ranks."},
    {"`radix_sort`, `radix_sort_pairs`, `comparison_sort`, `comparison_sort_pairs`, `top_k`",
     "sort.hpp",
     "A sort of each piece, exact cuts, one exchange, and merges of what comes.  Radix sorts of "
     "many "
     "elements on hosts: a split into parts, one exchange, and a sort of each part."},
    {"`merge`, `merge_pairs`", "merge.hpp",
     "A merge of the pieces of each rank, and then as a sort."},
    {"`segmented_sort`, `segmented_sort_pairs`", "segmented_sort.hpp",
     "A comparison sort by segment and key."},
    {"`group_by_sync`", "group_by.hpp",
     "A sort and a reduction by key of each piece; the groups are then sorted and reduced again."},
    {"`split`", "split.hpp",
     "A split of each piece, one exchange, and a copy of the parts that come; on devices a split "
     "of them."},
    {"`gather`, `scatter`", "gather.hpp",
     "Indices of other ranks are marked or sorted and exchanged, and then elements; on hosts whole "
     "pieces, where every rank gathers most elements."},
    {"`list_rank`", "list_rank.hpp",
     "On up to 6 hosts or 8 devices walks along a share of the sublists on each; else contraction "
     "by coins, "
     "round by round, and expansion."},
    {"`spmv`, `spmm`", "spmv.hpp",
     "An exchange of the elements or rows of x that a plan has found, and a product of each rank's "
     "rows."},
    {"`transpose`", "transpose.hpp",
     "Entries, sorted by column, go to the ranks of their columns, and are sorted once more."},
    {"`from_file`, `to_file`", "files.hpp", "Each rank reads or writes its piece."},
    {"`from`, `from_pieces`, `gather_to`, `balance`", "sequence.hpp",
     "They place elements: a copy, or one exchange."},
};

/// Writes the tables of several ranks, and the calls without one.
void write_calls_of_ranks(std::ostream& page) {
  std::string const folder = "distributed/include/ravel/distributed/";
  using ranks = distributed::machine;
  page << "\n## Several ranks\n\nForms of [distributed](../distributed/README.md). The work on the "
          "piece of a rank is a call on its own executor, whose form\nthe tables above choose.\n";
  write_table<reduce_family, ranks>(page, "reduce ranks", "Reductions", folder + "reduce.hpp");
  write_table<scan_family, ranks>(page, "scan ranks", "Scans", folder + "scan.hpp");
  write_table<segmented_scan_family, ranks>(page, "segmented scan ranks", "Segmented scans",
                                            folder + "segmented_scan.hpp");
  write_table<reduce_family, same_order<ranks>>(
      page, "reduce same ranks", "Reductions on `same_everywhere`", folder + "same_everywhere.hpp");
  write_table<scan_family, same_order<ranks>>(page, "scan same ranks", "Scans on `same_everywhere`",
                                              folder + "same_everywhere.hpp");
  page << "\n### Calls with one form, and no table\n\n| call | header | form |\n|---|---|---|\n";
  for (auto const& [names, header, form] : calls_without_tables) {
    page << "| " << names << " | `" << header << "` | " << form << " |\n";
  }
}

constexpr auto introduction =
    R"(<!-- Written by the test program primitives.forms from the tables; see its first lines. -->

# Forms

A call is described by a value, and the first form of a table whose needs all hold runs it
([decision 0048](decisions/0048-a-call-is-a-value.md)). These are the tables, each from its first form to
its last. With `ravel/core/explain.hpp` a program prints which form runs a call, and what the call lacks
for the forms before it:

```cpp
auto const call = ravel::describe_run_lengths(keys, values, lengths);
std::cout << ravel::explain(ex, call).text();
std::cout << ravel::explain_on(ravel::gpu::device{.capability = 80}, call).text();  // not on this host
```

A program for a host that explains a call on a device includes the header that is named under *Device*.

Names of forms may change with any release. Calls without a table have one form: a map, or other calls. Those of several ranks are
listed after the tables.
)";

TEST(forms, every_spelling_of_a_call_chooses_the_same_and_the_page_is_up_to_date) {
  for (index_t const n : {0, 10, 5000, 70'000, 300'000}) {
    for (bool const several : {false, true}) {
      cpu::host const host{several};
      calls_on_runs<std::uint32_t, std::int32_t>("runs host", host, n);
      calls_on_runs<signed char, index_t>("runs host", host, n);
      calls_on_runs<std::uint32_t, float>("runs same", same_order<cpu::host>{host}, n);
      calls_on_runs<std::uint32_t, std::int32_t>("runs same", same_order<cpu::host>{host}, n);
    }
    for (int const capability : {80, 90}) {
      gpu::device d{.capability = capability};
      d.sizes.coded_bytes = index_t{1} << 15;
      calls_on_runs<std::uint32_t, std::int32_t>("runs device", d, n);
      calls_on_runs<signed char, index_t>("runs device", d, n);
      calls_on_runs<std::uint32_t, short>("runs device", d, n);
    }
    calls_on_runs<std::uint32_t, std::int32_t>("runs any", any_machine{}, n);

    for (bool const several : {false, true}) {
      calls_on_packs<std::uint32_t>("packs host", cpu::host{several}, n);
      calls_on_packs<double>("packs same", same_order<cpu::host>{{several}}, n);
    }
    for (int const capability : {80, 90}) {
      gpu::device d{.capability = capability};
      d.sizes.packed_bytes = index_t{1} << 15;
      calls_on_packs<std::uint32_t>("packs device", d, n);
    }
    calls_on_packs<std::uint32_t>("packs any", any_machine{}, n);

    for (bool const several : {false, true}) {
      calls_on_scans<std::int32_t>("scan host", cpu::host{several}, n);
    }
    for (int const capability : {80, 90}) {
      gpu::device d{.capability = capability};
      d.sizes.streamed_bytes = index_t{1} << 18;
      d.sizes.carried_bytes = index_t{1} << 15;
      calls_on_scans<std::int32_t>("scan device", d, n);
    }
    calls_on_scans<std::int32_t>("scan same", same_order<cpu::host>{}, n);
    calls_on_scans<double>("scan same", same_order<cpu::host>{}, n);
    calls_on_scans<double>("scan any", any_machine{}, n);

    calls_on_segmented_scans<std::int32_t>("segmented scan host", cpu::host{}, n);
    for (int const capability : {80, 90}) {
      gpu::device d{.capability = capability};
      d.sizes.carried_bytes = index_t{1} << 15;
      calls_on_segmented_scans<float>("segmented scan device", d, n);
    }
    calls_on_segmented_scans<std::int32_t>("segmented scan same", same_order<cpu::host>{}, n);
    calls_on_segmented_scans<float>("segmented scan same", same_order<cpu::host>{}, n);
    calls_on_segmented_scans<float>("segmented scan any", any_machine{}, n);

    calls_on_reductions<float>("reduce host", cpu::host{}, n);
    gpu::device reducing;
    reducing.sizes.reduced_bytes = index_t{1} << 15;
    calls_on_reductions<float>("reduce device", reducing, n);
    calls_on_reductions<float>("reduce same", same_order<cpu::host>{}, n);
    calls_on_reductions<int>("reduce same", same_order<cpu::host>{}, n);
    calls_on_reductions<float>("reduce any", any_machine{}, n);
    for (bool const several : {false, true}) {
      calls_on_segmented_reductions<int>("segmented reduce host", cpu::host{several}, n);
    }
    for (int const capability : {80, 90}) {
      gpu::device d{.capability = capability};
      d.sizes.reduced_bytes = index_t{1} << 15;
      calls_on_segmented_reductions<float>("segmented reduce device", d, n);
    }
    calls_on_segmented_reductions<int>("segmented reduce same", same_order<cpu::host>{}, n);
    calls_on_segmented_reductions<float>("segmented reduce same", same_order<cpu::host>{}, n);
    calls_on_segmented_reductions<float>("segmented reduce any", any_machine{}, n);

    calls_on_searches<int>("searches host", cpu::host{}, n);
    calls_on_searches<int>("searches device", gpu::device{}, n);
    calls_on_searches<int>("searches same", same_order<cpu::host>{}, n);
    calls_on_searches<int>("searches any", any_machine{}, n);

    calls_on_segmented_packs<int>("segmented host", cpu::host{}, n);
    calls_on_segmented_packs<int>("segmented device", gpu::device{}, n);
    calls_on_segmented_packs<int>("segmented same", same_order<cpu::host>{}, n);
    calls_on_segmented_packs<int>("segmented any", any_machine{}, n);

    calls_on_merges<int>("merges host", cpu::host{}, n);
    calls_on_merges<int>("merges device", gpu::device{}, n);
    calls_on_merges<std::string>("merges device", gpu::device{}, n);
    calls_on_merges<int>("merges same", same_order<cpu::host>{}, n);
    calls_on_merges<int>("merges any", any_machine{}, n);

    for (bool const several : {false, true}) {
      calls_on_scans_then_packs<int>("scans host", cpu::host{several}, n);
    }
    for (int const capability : {80, 90}) {
      gpu::device d{.capability = capability};
      d.sizes.packed_bytes = index_t{1} << 15;
      calls_on_scans_then_packs<int>("scans device", d, n);
    }
    calls_on_scans_then_packs<int>("scans any", any_machine{}, n);
    calls_on_more_types(n);

    distributed::machine const ranks{3};
    calls_on_ranks<double>("ranks", ranks, n);
    calls_on_segments_of_ranks<double>("segmented scan ranks", ranks, n);
    calls_on_ranks<double>("same ranks", same_order<distributed::machine>{ranks}, n);
    calls_on_ranks<int>("same ranks", same_order<distributed::machine>{ranks}, n);
  }

  for (index_t const n : {50, 1 << 22}) {
    calls_on_splits_of_segments("splits host", cpu::host{}, n);
    calls_on_splits_of_segments("splits device", gpu::device{}, n);
    calls_on_splits_of_segments("splits any", any_machine{}, n);
  }
  for (index_t const n : {50, 1000, 1 << 22}) {
    calls_on_splits("splits host", cpu::host{}, n);
    calls_on_splits("splits device", gpu::device{}, n);
    calls_on_splits("splits any", any_machine{}, n);
  }
  for (index_t const n : {1000, 1 << 22}) {
    calls_on_histograms("histograms host", cpu::host{}, n);
    calls_on_histograms("histograms device", gpu::device{}, n);
    calls_on_histograms("histograms any", any_machine{}, n);
  }

  calls_on_radix_sorts("radix sorts host", cpu::host{});
  calls_on_radix_sorts("radix sorts device", gpu::device{});
  calls_on_radix_sorts("radix sorts any", any_machine{});

  for (index_t const n : {6400, 1 << 22, 1 << 26}) {
    calls_on_selections("selections host", cpu::host{}, n);
    calls_on_selections("selections device", gpu::device{}, n);
    calls_on_selections("selections any", any_machine{}, n);
    calls_on_selections_of_more("selections host", cpu::host{}, n);
    calls_on_selections_of_more("selections device", gpu::device{.multiprocessors = 128}, n);
    calls_on_selections_of_more("selections any", any_machine{}, n);
  }
  for (index_t const n : {50, 1 << 24}) {
    calls_on_comparison_sorts("comparison sorts host", cpu::host{}, n);
    calls_on_comparison_sorts("comparison sorts device", gpu::device{}, n);
    calls_on_comparison_sorts("comparison sorts any", any_machine{}, n);
  }
  for (index_t const n : {50, 1 << 20}) {
    calls_on_segmented_sorts("segmented sorts host", cpu::host{}, n);
    calls_on_segmented_sorts("segmented sorts device", gpu::device{}, n);
    calls_on_segmented_sorts("segmented sorts any", any_machine{}, n);
    calls_on_segmented_comparison_sorts("ordered sorts host", cpu::host{}, n);
    calls_on_segmented_comparison_sorts("ordered sorts any", any_machine{}, n);
    calls_on_merges_of_segments("segment merges any", any_machine{}, n);
    calls_on_sorted_searches("sorted searches host", cpu::host{}, n);
    calls_on_sorted_searches("sorted searches device", gpu::device{}, n);
    calls_on_sorted_searches("sorted searches any", any_machine{}, n);
    calls_on_products("products host", cpu::host{}, n);
    calls_on_products("products device", gpu::device{}, n);
    calls_on_products("products any", any_machine{}, n);
    calls_on_others("host", cpu::host{}, n);
    calls_on_others("device", gpu::device{}, n);
    calls_on_others("any", any_machine{}, n);
  }

  std::ostringstream page;
  page << introduction;
  write_family<runs_family>(
      page, "Runs of equal keys: `run_length_encode`, `encode_runs_on`, `reduce_by_key`", "runs",
      "runs");
  write_family<histogram_family>(page, "Histograms: `histogram`, `histogram_on`", "histograms",
                                 "histogram");
  write_family<split_family>(page, "Splits: `split`, `split_pairs`, `split_on`", "splits", "split");
  write_family<split_parts_family>(page, "Splits to parts: `split`, `split_apart_on`",
                                   "parts splits", "split_parts");
  write_family<split_within_family>(page,
                                    "Splits within segments: `split_within`, `split_within_on`",
                                    "within splits", "split_within");
  write_family<segmented_split_family>(page,
                                       "Segmented splits: `segmented_split`, `segmented_split_on`",
                                       "segmented splits", "segmented_split");
  write_family<segmented_apply_family>(
      page, "Functions of segments: `segmented_apply`, `segmented_apply_on`", "applied splits",
      "segmented_apply");
  write_family<difference_family>(page, "Adjacent differences: `adjacent_difference`",
                                  "differences", "adjacent_difference");
  write_family<balance_family>(
      page,
      "Elements with their segments: `for_each_in_segments`, `expand`, "
      "`replicate`, `segmented_iota`, `run_length_decode`, `segment_ids_of`",
      "balance", "balance");
  write_family<merge_family>(page, "Merges: `merge`, `merge_pairs`", "merges", "merge");
  write_family<pack_family>(
      page, "Packs: `pack`, `pack_index`, `filter`, `unique`, `unique_by_key`, `pack_on`", "packs",
      "pack");
  write_family<scan_family>(
      page, "Scans: `inclusive_scan`, `exclusive_scan`, `linear_recurrence`, `scan_on`", "scan",
      "scan");
  write_family<segmented_scan_family>(
      page,
      "Segmented scans: `segmented_inclusive_scan`, `segmented_exclusive_scan`, "
      "`segmented_scan_on`",
      "segmented scan", "segmented_scan");
  write_family<reduce_family>(page, "Reductions: `reduce`, `reduce_on`", "reduce", "reduce");
  write_family<extremum_family>(page, "Extrema: `min_element`, `max_element`, `minmax_element`",
                                "extrema", "extrema");
  write_family<find_first_family>(
      page,
      "Searches: `find_first`, `any_of`, `all_of`, `none_of`, `adjacent_find`, `is_sorted`, "
      "`is_partitioned`, `mismatch`, `equal`, `lexicographical_compare`, `search`, `find_end`, "
      "`find_first_on`",
      "searches", "find_first");
  write_family<segmented_reduce_family>(
      page, "Segmented reductions: `segmented_reduce`, `segmented_reduce_on`", "segmented reduce",
      "segmented_reduce");
  write_family<segmented_pack_family>(page,
                                      "Segmented packs: `segmented_pack`, `segmented_pack_on`",
                                      "segmented", "segmented_pack");
  write_family<scan_then_pack_family>(page, "Scans whose results are packed: `scan_then_pack_on`",
                                      "scans", "scan_then_pack");
  write_family<search_family>(page, "Searches in a sorted sequence: `lower_bound`, `upper_bound`",
                              "sorted searches", "search");
  write_family<radix_sort_family>(page,
                                  "Radix sorts: `radix_sort`, `radix_sort_pairs`, `radix_argsort`",
                                  "radix sorts", "radix_sort", "algorithms");
  write_family<comparison_sort_family>(
      page, "Comparison sorts: `comparison_sort`, `comparison_sort_pairs`, `sort`, `stable_sort`",
      "comparison sorts", "comparison_sort", "algorithms");
  write_family<segmented_sort_family>(page,
                                      "Segmented sorts: `segmented_sort`, `segmented_sort_pairs`",
                                      "segmented sorts", "segmented_sort", "algorithms");
  write_family<segmented_comparison_sort_family>(
      page,
      "Segmented comparison sorts: `segmented_comparison_sort`, `segmented_comparison_sort_pairs`",
      "ordered sorts", "segmented_comparison_sort", "algorithms");
  write_family<merge_segments_family>(
      page, "Merges of segments: `merge_segments`, `merge_segments_pairs`", "segment merges",
      "merge_segments", "algorithms");
  write_family<spmv_family>(page, "Sparse products: `spmv`", "products", "spmv", "algorithms");
  write_family<spmm_family>(page, "Sparse products of several vectors: `spmm`", "several products",
                            "spmm", "algorithms");
  write_family<partial_sort_family>(page, "Partial sorts: `partial_sort`", "partial sorts",
                                    "partial_sort", "algorithms");
  write_family<string_sort_family>(page, "Sorts of strings: `string_argsort_sync`", "strings",
                                   "string_sort", "algorithms");
  write_family<hash_groups_family>(
      page,
      "Aggregations by hashing: `reduce_by_hash_sync`, `histogram_by_key_sync`, "
      "`remove_duplicates_sync`",
      "groups", "group_by_hash", "algorithms");
  write_family<hash_order_family>(page, "Orders by groups of keys: `group_by_key_sync`",
                                  "group orders", "group_by_hash", "algorithms");
  write_family<list_ranking_family>(page, "Ranks of lists: `list_rank`", "list ranks",
                                    "list_ranking", "algorithms");
  write_family<list_walk_family>(
      page, "Walks along lists: `list_rank`, `inclusive_list_scan`, `exclusive_list_scan`",
      "list walks", "list_ranking", "algorithms");
  write_family<sublist_ranking_family>(
      page, "Lists of sublists: `list_rank`, `inclusive_list_scan`, `exclusive_list_scan`",
      "sublists", "list_ranking", "algorithms");
  write_family<selection_family>(page, "Selections: `nth_element`, `top_k`, `top_k_pairs`",
                                 "selections", "selection", "algorithms");
  write_family<order_selection_family>(page, "Selections by an order: `nth_element`, `top_k`",
                                       "ordered selections", "selection", "algorithms");
  write_family<segmented_selection_family>(
      page, "Selections in segments: `segmented_nth_element`, `segmented_top_k`",
      "segmented selections", "selection", "algorithms");
  write_family<least_places_family>(
      page, "Places of the least elements of segments: `least_places_on`, `top_k_order`",
      "places selections", "least_places", "algorithms");
  write_calls_of_ranks(page);
  std::cout << choices << " choices\n" << page.str();

  if (std::getenv("RAVEL_WRITE_FORMS")) std::ofstream(RAVEL_FORMS_PAGE) << page.str();
  std::ostringstream there;
  there << std::ifstream(RAVEL_FORMS_PAGE).rdbuf();
  EXPECT_TRUE(there.str() == page.str())
      << "docs/forms.md is not what the tables say: run RAVEL_WRITE_FORMS=1 primitives.forms";
}

std::string text_of(std::filesystem::path const& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

/// A public call of several ranks takes an executor of them first.
TEST(forms, every_call_of_several_ranks_is_on_the_page) {
  std::string listed;
  for (auto const& c : calls_without_tables) listed += std::string(c.header) + ' ' + c.names + '\n';
  listed += "segments.hpp `segmented_inclusive_scan` `segmented_exclusive_scan`";
  std::regex const call(R"(some_executor Ex\b[^{;]*?(\w+)\(Ex const& ex)");
  std::set<std::string> found;
  auto const project = std::filesystem::path(RAVEL_FORMS_PAGE).parent_path().parent_path();
  auto const headers = project / "distributed/include/ravel/distributed";
  for (auto const& entry : std::filesystem::directory_iterator(headers)) {
    std::string const all = text_of(entry.path());
    for (std::sregex_iterator m(all.begin(), all.end(), call), end; m != end; ++m) {
      found.insert((*m)[1]);
      std::regex const row(entry.path().filename().string() + " .*`" + (*m)[1].str() + '`');
      EXPECT_TRUE(std::regex_search(listed, row))
          << entry.path() << ": " << (*m)[1] << " has neither a table nor a row: add it to "
          << "calls_without_tables";
    }
  }
  EXPECT_TRUE(found.contains("radix_sort") && found.contains("balance")) << found.size();
}

/// Regression: `const` elements missed the overload of the fast form.
TEST(forms, run_lengths_of_const_elements_are_streamed) {
  constexpr index_t n = 1 << 20;
  elements<unsigned> in(n), values(n);
  elements<int> lengths(n);
  view<unsigned const, device_space> const of_const(in.all.data(), n);
  view<unsigned, device_space> const out(values.all.data(), n);
  view<int, device_space> const to_lengths(lengths.all.data(), n);
  gpu::device h200;
  h200.sizes.coded_bytes = index_t{1} << 15;
  EXPECT_EQ(explain_on(h200, describe_run_lengths(of_const, out, to_lengths)).form,
            std::string("stream_lengths"));
  EXPECT_EQ(
      explain_on(gpu::device{.capability = 80, .sizes = h200.sizes},
                 describe_run_lengths(of_const, out, to_lengths))
          .text(),
      "by_steps: Any executor, keys, monoid and sink: a scan of the number of runs and of what the "
      "last of them has combined, which passes on a run where the next one begins.\n"
      "  not stream_lengths: needs bulk copies and 227 KiB of shared memory (compute capability "
      "9.0)\n"
      "  not stream_sums: needs values in memory of 1, 2, 4 or 8 bytes that are trivially "
      "copyable; needs sums that are trivially copyable and of at most 8 bytes\n");
  EXPECT_EQ(explain_on(h200, describe_run_lengths(of_const.slice(1, n), out, to_lengths)).form,
            std::string("stream_lengths"));
}

}  // namespace
}  // namespace ravel::forms_test
