#pragma once

/// @file
/// How the columns of a matrix are cut into blocks on a device.
///
/// The entries are cut into blocks of rows, of as many as a block of threads adds up, and the columns into
/// slices that fit shared memory.  Sorted by both, they tell which elements of x each block of rows wants
/// in its table, and where those stand; an entry says in two bytes where in the table its own is.
/// Where slices meet, tables are filled up to whole sectors.

#include <ravel/algorithms/coordinates.hpp>
#include <ravel/algorithms/cuda/spmv_blocks_policy.hpp>
#include <ravel/algorithms/cuda/spmv_tables.cuh>
#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/algorithms/spmv_blocks.hpp>
#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/search.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/primitives/balance.hpp>
#include <ravel/primitives/cuda/run_cuts.cuh>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/reduce.hpp>
#include <ravel/primitives/scan.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace ravel::inline v0::cuda {
namespace detail {

/// The first entry that each block of rows has, which is that of its first run.
template <class S>
struct write_first_entries {
  S segments;
  run_cuts cuts;
  index_t n, runs_each;
  index_t* to;
  RAVEL_HD void operator()(index_t block) const {
    index_t const run = block * runs_each < cuts.runs ? block * runs_each : cuts.runs;
    index_t const first = cuts.starts[run], of_first = segments.begin(first);
    index_t const end = n + segments.count();
    index_t const begin = (run * cuts.length < end ? run * cuts.length : end) - first;
    to[block] = begin - of_first > cuts.chunk ? begin : of_first;
  }
};

/// How entries are numbered by their blocks of rows, then by their columns.
struct columns_of_blocks {
  index_t blocks;  // of rows
  int slices;
  std::uint32_t columns;  // of a slice
  int bits;               // of a column

  RAVEL_HD index_t parts() const { return blocks * slices; }
  RAVEL_HD std::uint64_t first_key(index_t part) const {
    return static_cast<std::uint64_t>(part / slices) << bits |
           static_cast<std::uint64_t>(part % slices) * columns;
  }
  RAVEL_HD index_t block_of(std::uint64_t key) const { return static_cast<index_t>(key >> bits); }
  RAVEL_HD std::uint32_t column_of(std::uint64_t key) const {
    return static_cast<std::uint32_t>(key & ((std::uint64_t{1} << bits) - 1));
  }
  /// The same part, counted slice by slice, or block by block of what is counted so.
  RAVEL_HD index_t by_slices(index_t part) const { return part % slices * blocks + part / slices; }
  RAVEL_HD index_t by_blocks(index_t part) const { return part % blocks * slices + part / blocks; }
};

template <class Column>
struct write_key {
  Column const* columns;
  int bits;
  std::uint64_t* keys;
  std::uint32_t* entries;
  RAVEL_HD void operator()(index_t k, index_t block, index_t) const {
    keys[k] = static_cast<std::uint64_t>(block) << bits | static_cast<std::uint64_t>(columns[k]);
    entries[k] = static_cast<std::uint32_t>(k);
  }
};
struct is_first_of_key {
  std::uint64_t const* keys;
  RAVEL_HD std::uint32_t operator()(index_t i) const {
    return i == 0 || keys[i - 1] != keys[i] ? 1 : 0;
  }
};

/// How many keys that differ are ahead of each part of a table.
struct count_keys_ahead {
  columns_of_blocks shape;
  index_t n;
  std::uint64_t const* keys;
  std::uint32_t const* different;  // keys up to each
  std::uint32_t* ahead;
  RAVEL_HD void operator()(index_t part) const {
    std::uint64_t const key = shape.first_key(part);
    auto const* const all = keys;
    index_t const at =
        part == shape.parts() ? n : partition_point(0, n, [=](index_t i) { return all[i] < key; });
    ahead[part] = at == 0 ? 0 : different[at - 1];
  }
};

/// The sectors of each part, block by block, or slice by slice; behind the last there is none.
template <bool BySlices>
struct sectors_of_part {
  columns_of_blocks shape;
  std::uint32_t const* ahead;
  std::uint32_t in_sector;
  RAVEL_HD std::uint32_t operator()(index_t i) const {
    if (i == shape.parts()) return 0;
    index_t const part = BySlices ? shape.by_blocks(i) : i;
    return (ahead[part + 1] - ahead[part] + in_sector - 1) / in_sector;
  }
};
struct write_ahead {
  std::uint32_t* to;
  RAVEL_HD void operator()(index_t i, std::uint32_t ahead, std::uint32_t) const { to[i] = ahead; }
};

struct write_every {
  std::uint32_t const* from;
  index_t step;
  std::uint32_t* to;
  RAVEL_HD void operator()(index_t i) const { to[i] = from[i * step]; }
};
struct size_of_table {
  std::uint32_t const* begins;
  RAVEL_HD index_t operator()(index_t block) const { return begins[block + 1] - begins[block]; }
};

/// Where an entry finds its element, and where the first of a column has it put.
struct place_entry {
  columns_of_blocks shape;
  std::uint32_t in_sector;
  std::uint64_t const* keys;
  std::uint32_t const *entries, *different, *ahead;
  std::uint32_t const *in_tables, *in_slices;  // where parts begin, in sectors
  place_in_table *of_entries, *wanted;
  std::uint32_t* places;
  RAVEL_HD void operator()(index_t i) const {
    std::uint64_t const key = keys[i];
    std::uint32_t const column = shape.column_of(key), slice = column / shape.columns;
    index_t const table = shape.block_of(key) * shape.slices, part = table + slice;
    std::uint32_t const rank = different[i] - 1 - ahead[part];
    std::uint32_t const in_table = (in_tables[part] - in_tables[table]) * in_sector + rank;
    of_entries[entries[i]] = static_cast<place_in_table>(in_table);
    if (i > 0 && keys[i - 1] == key) return;
    index_t const begin = in_slices[shape.by_slices(part)];
    wanted[begin * in_sector + rank] = static_cast<place_in_table>(column - slice * shape.columns);
    if (rank % in_sector == 0)
      places[begin + rank / in_sector] = in_tables[part] + rank / in_sector;
  }
};

/// The tables of all blocks of rows, and what of them stands in each slice of x.
template <class X>
class tables_of_rows {
  using shape = block_shape<X>;
  using policy = typename shape::policy;

  run_cuts cuts_{};
  columns_of_blocks columns_{};
  index_t sectors_ = 0, largest_ = 0;       // of all tables, of one
  buffer<index_t> starts_;                  // of runs
  buffer<place_in_table> places_, wanted_;  // of entries in their table; of columns in slices
  buffer<std::uint32_t> sectors_of_slices_, ends_of_slices_, begins_;

  /// How many chunks a run may have so that any table fits; less than 1 if none does.
  static index_t most_chunks(executor const& ex, index_t slices) {
    auto const all = static_cast<index_t>(ex.most_shared_bytes()), of_system = index_t{2} << 10;
    index_t const room = (all + of_system) / policy::blocks - of_system -
                         static_cast<index_t>(shape::bytes_of_products);
    index_t const places = std::min(most_places, room / index_t{sizeof(X)});
    index_t const filled_up = slices * (shape::in_sector - 1);
    return std::min(policy::most_chunks,
                    (places - shape::chunk - filled_up) / (policy::warps * shape::chunk));
  }

  template <class S>
  bool cut_rows(executor const& ex, index_t n, index_t cols, S const& segments) {
    index_t const fit = std::min(policy::slice_bytes, ex.most_shared_bytes()) / sizeof(X);
    index_t const columns = std::min(most_places, fit) / shape::in_sector * shape::in_sector;
    index_t const slices = div_up(cols, columns), chunks = most_chunks(ex, slices);
    if (chunks < 1 || n > INT32_MAX || cols > INT32_MAX) return false;
    cuts_ = cuts_for(n + segments.count(), shape::chunk,
                     ex.multiprocessors() * policy::blocks * policy::warps, 1, chunks);
    if (policy::warps * cuts_.length < policy::least_sectors * shape::in_sector * slices) {
      return false;
    }
    starts_ = ex.allocate<index_t>(cuts_.runs + 1);
    find_starts(ex, segments, cuts_, starts_.data());
    cuts_.starts = starts_.data();
    columns_ = {div_up(cuts_.runs, index_t{policy::warps}), static_cast<int>(slices),
                static_cast<std::uint32_t>(columns), ravel::detail::bits_below(cols)};
    return true;
  }

  template <class S, class Column>
  void cut(executor const& ex, index_t n, S const& segments, Column const* columns) {
    using ravel::detail::no_total;
    using ravel::detail::seed_value;
    using ravel::detail::store_total;
    index_t const parts = columns_.parts();
    auto const keys = ex.scratch<std::uint64_t>(n);
    auto const entries = ex.scratch<std::uint32_t>(n), different = ex.scratch<std::uint32_t>(n);
    {
      auto const firsts = ex.scratch<index_t>(columns_.blocks + 1);
      for_each_index(ex, columns_.blocks + 1,
                     write_first_entries<S>{segments, cuts_, n, policy::warps, firsts.data()});
      for_each_in_segments(ex, n, by_offsets(view_of(firsts)),
                           write_key<Column>{columns, columns_.bits, keys.data(), entries.data()});
      radix_sort_pairs(ex, keys, entries,
                       bit_range{0, columns_.bits + ravel::detail::bits_below(columns_.blocks)});
    }
    scan_on(ex, n, is_first_of_key{keys.data()},
            ravel::detail::write_through<std::uint32_t>{different.data()}, plus<std::uint32_t>{},
            seed_value<std::uint32_t>{0}, no_total{});
    auto const ahead = ex.scratch<std::uint32_t>(parts + 1);
    for_each_index(ex, parts + 1,
                   count_keys_ahead{columns_, n, keys.data(), different.data(), ahead.data()});
    auto const in_tables = ex.scratch<std::uint32_t>(parts + 1);
    auto const in_slices = ex.scratch<std::uint32_t>(parts + 1);
    scan_on(ex, parts + 1, sectors_of_part<false>{columns_, ahead.data(), shape::in_sector},
            write_ahead{in_tables.data()}, plus<std::uint32_t>{}, seed_value<std::uint32_t>{0},
            no_total{});
    scan_on(ex, parts + 1, sectors_of_part<true>{columns_, ahead.data(), shape::in_sector},
            write_ahead{in_slices.data()}, plus<std::uint32_t>{}, seed_value<std::uint32_t>{0},
            no_total{});
    begins_ = ex.allocate<std::uint32_t>(columns_.blocks + 1);
    ends_of_slices_ = ex.allocate<std::uint32_t>(columns_.slices);
    for_each_index(ex, columns_.blocks + 1,
                   write_every{in_tables.data(), columns_.slices, begins_.data()});
    for_each_index(
        ex, columns_.slices,
        write_every{in_slices.data() + columns_.blocks, columns_.blocks, ends_of_slices_.data()});
    auto const largest = ex.scratch<index_t>(1);
    reduce_on(ex, columns_.blocks, size_of_table{begins_.data()}, maximum<index_t>{},
              seed_value<index_t>{0}, store_total<index_t>{largest.data()});
    sectors_ = at_sync(ex, in_tables, parts);
    largest_ = at_sync(ex, largest);

    places_ = ex.allocate<place_in_table>(n);
    wanted_ = ex.allocate<place_in_table>(sectors_ * shape::in_sector);
    sectors_of_slices_ = ex.allocate<std::uint32_t>(sectors_);
    ex.clear(wanted_);  // what fills up sectors is the first element of the slice
    for_each_index(ex, n,
                   place_entry{columns_, shape::in_sector, keys.data(), entries.data(),
                               different.data(), ahead.data(), in_tables.data(), in_slices.data(),
                               places_.data(), wanted_.data(), sectors_of_slices_.data()});
  }

  template <class V>
  static index_t bytes_of(V const& v) {
    return v.size() * index_t{sizeof(element_t<V const&>)};
  }

 public:
  template <class A>
  tables_of_rows(executor const& ex, A const& a) {
    if (a.nnz() == 0) return;
    if (cut_rows(ex, a.nnz(), a.cols, rows_of(a))) cut(ex, a.nnz(), rows_of(a), a.columns.data());
  }

  bool are_cut() const { return sectors_ > 0; }
  index_t bytes() const {
    return bytes_of(starts_) + bytes_of(places_) + bytes_of(wanted_) +
           bytes_of(sectors_of_slices_) + bytes_of(ends_of_slices_) + bytes_of(begins_);
  }

  template <class A, class Add, class Multiply, class Visit>
  void multiply(executor const& ex, A const& a, X const* x, Add add, Multiply multiply,
                Visit visit) const {
    using T = carrier_t<Add>;
    auto const rows = rows_of(a);
    using load = product_by_place<T, element_t<decltype(a.values)>, X, Multiply>;
    using seed = ravel::detail::zero_of<Add>;
    using runs = reduce_runs<load, std::remove_const_t<decltype(rows)>, Add, seed, Visit, true>;
    using blocks = reduce_beside_tables<runs, X>;
    using states = tile_states<flagged<T>>;
    using vector = vector_of_table<X>;

    auto const tables = ex.scratch<vector>(2 * sectors_);
    constexpr auto spread = spread_slices_kernel<X>;
    std::size_t const in_slice = sizeof(X) * columns_.columns;
    index_t const room = ex.room_sharing<spread>(policy::slice_threads, in_slice);
    ex.launch_sharing<spread>(
        {std::min(room, sectors_), policy::slice_threads, false, in_slice},
        spread_slices<X>{x, a.cols, columns_.columns,
                         static_cast<index_t>(in_slice) / policy::bytes_read_meanwhile,
                         columns_.slices, ends_of_slices_.data(),
                         reinterpret_cast<columns_of_vector<X> const*>(wanted_.data()),
                         sectors_of_slices_.data(), tables.data()});

    auto const words = ex.states<flagged<T>>(cuts_.runs);
    auto const apart = ex.scratch<flagged<T>>(states::apart ? 2 * cuts_.runs : 0);
    std::size_t const shared =
        shape::bytes_of_products + 2 * sizeof(vector) * static_cast<std::size_t>(largest_);
    constexpr auto reduce = reduce_beside_tables_kernel<blocks>;
    ex.launch_sharing<reduce>(
        {columns_.blocks, blocks::threads, false, shared},
        blocks{runs{load{places_.data(), a.values.data(), multiply, nullptr, nullptr}, rows, add,
                    seed{add}, visit, a.nnz(), cuts_.length, cuts_.runs, cuts_.starts,
                    states{words.words(), apart.data(), 0}},
               tables.data(), begins_.data(), columns_.blocks},
        words.tickets());
  }
};

}  // namespace detail

/// As ravel::detail::cut_columns.
template <class A, class X>
auto cut_columns(executor const& ex, A const& a, std::type_identity<X> of_x) {
  if constexpr (detail::fits_tables<X>) {
    return detail::tables_of_rows<X>(ex, a);
  } else {
    return ravel::detail::cut_columns<executor>(ex, a, of_x);
  }
}

/// As ravel::detail::multiply_rows, of a matrix whose columns have been cut.
template <class A, class P, class X, class Add, class Multiply, class Visit>
void multiply_rows(executor const& ex,
                   ravel::detail::blocked_matrix<A, detail::tables_of_rows<P>> const& a, X const& x,
                   Add add, Multiply multiply, Visit visit) {
  if constexpr (detail::adds_beside_tables<carrier_t<Add>, P>) {
    if (a.blocks.are_cut()) return a.blocks.multiply(ex, a, x.data(), add, multiply, visit);
  }
  ravel::detail::multiply_rows(ex, static_cast<A const&>(a), x, add, multiply, visit);
}

}  // namespace ravel::inline v0::cuda
