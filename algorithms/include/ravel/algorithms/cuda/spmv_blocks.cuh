#pragma once

/// Cuts a matrix into blocks of rows and slices of columns on a device, once before many products:
/// each block of rows has a table of the distinct elements of x that its entries use.
///
/// One thread block adds a block of rows; a slice of x fits in shared memory.  Sorting the entries
/// by block, then column, gives the elements in each block's table and their places, and each entry
/// a 2-byte index into its table.  The part of a table from each slice is padded to whole sectors
/// (32 bytes).

#include <ravel/algorithms/blocked_matrix.hpp>
#include <ravel/algorithms/coordinates.hpp>
#include <ravel/algorithms/cuda/spmv_blocks_policy.hpp>
#include <ravel/algorithms/cuda/spmv_places.cuh>
#include <ravel/algorithms/cuda/spmv_rounds.cuh>
#include <ravel/algorithms/cuda/spmv_tables.cuh>
#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/algorithms/spmv/cuda.hpp>
#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/tile_ring.cuh>
#include <ravel/core/transfer.hpp>
#include <ravel/primitives/balance.hpp>
#include <ravel/primitives/cuda/run_cuts.cuh>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/reduce.hpp>
#include <ravel/primitives/scan.hpp>

namespace ravel::inline v0::gpu {
namespace detail {

/// The tables of all blocks of rows, and which parts of them come from each slice of x.
template <class X>
class tables_of_rows {
  using shape = block_shape<X>;
  using policy = typename shape::policy;

  run_cuts cuts_{};
  columns_of_blocks columns_{};
  index_t sectors_ = 0, largest_ = 0;  // sectors of all tables, and of the largest
  // set by cut_to_keep: the number of rounds, and of sectors that the tables of a round take
  index_t rounds_ = 0, room_ = 0;
  bool joins_ = false;                  // whether some row is cut between runs
  buffer<run_range> ranges_;            // the rows and entries of each run
  buffer<std::uint32_t> ends_of_rows_;  // a bit for each entry: the last of its row
  // the place of each entry in its table; the columns of x that tables take, slice by slice
  buffer<place_in_table> places_, wanted_;
  buffer<std::uint32_t> sectors_of_slices_, ends_of_slices_, begins_, kept_;

  /// Cuts rows into runs for blocks of `warps` warps with tables of `room` bytes, and columns into
  /// slices of `columns`.
  template <class S>
  bool cut_rows(executor const& ex, index_t n, S const& segments, index_t slices, index_t columns,
                int warps, int blocks, index_t room) {
    index_t const places = std::min(most_places, room / index_t{sizeof(X)});
    index_t const filled_up = slices * (shape::in_sector - 1);
    index_t const chunks =
        std::min(policy::most_chunks, (places - shape::chunk - filled_up) / (warps * shape::chunk));
    if (chunks < 1) return false;
    cuts_ = cuts_for(n + segments.count(), shape::chunk, ex.multiprocessors() * blocks * warps, 1,
                     chunks);
    if (warps * cuts_.length < policy::least_sectors * shape::in_sector * slices) return false;
    auto const starts = ex.scratch<index_t>(cuts_.runs + 1);
    find_starts(ex, segments, cuts_, starts.data());
    cuts_.starts = starts.data();
    ranges_ = ex.allocate<run_range>(cuts_.runs);
    for_each_index(ex, cuts_.runs, write_range<S>{segments, cuts_, n, ranges_.data()});
    joins_ = any_begun(ex);
    mark_ends(ex, n, segments);
    columns_ = {div_up(cuts_.runs, index_t{warps}), static_cast<int>(slices),
                static_cast<std::uint32_t>(columns), ravel::detail::bits_below(slices * columns)};
    return true;
  }

  /// The number of entries with padding: the last chunk of a run is loaded whole, past the end.
  static index_t padded_by_chunk(index_t n) {
    return div_up(n, index_t{warp_size}) * warp_size + shape::chunk;
  }

  bool any_begun(executor const& ex) const {
    auto const any = ex.scratch<int>(1);
    reduce_on(ex, cuts_.runs, is_begun{ranges_.data()}, maximum<int>{},
              ravel::detail::seed_value<int>{0}, ravel::detail::store_total<int>{any.data()});
    return at_sync(ex, any) != 0;
  }

  template <class S>
  void mark_ends(executor const& ex, index_t n, S const& segments) {
    auto const marks = ex.scratch<std::uint8_t>(n);
    ex.clear(marks);
    for_each_index(ex, segments.count(), mark_last<S>{segments, marks.data()});
    ends_of_rows_ = ex.allocate<std::uint32_t>(padded_by_chunk(n) / 32);
    for_each_index(ex, ends_of_rows_.size(), write_marks{marks.data(), n, ends_of_rows_.data()});
  }

  /// Tables for a product of two kernels: the first reads x slice by slice and writes all tables,
  /// the second adds rows.
  template <class S, class Column>
  void cut_in_order(executor const& ex, index_t n, index_t cols, S const& segments,
                    Column const* columns) {
    auto const available = static_cast<index_t>(ex.most_shared_bytes()),
               of_system = index_t{2} << 10;
    index_t const fit = std::min(policy::slice_bytes, ex.most_shared_bytes()) / sizeof(X);
    index_t const of_slice = std::min(most_places, fit) / shape::in_sector * shape::in_sector;
    index_t const room = (available + of_system) / policy::blocks - of_system -
                         static_cast<index_t>(shape::bytes_of_products(policy::warps));
    if (cut_rows(ex, n, segments, div_up(cols, of_slice), of_slice, policy::warps, policy::blocks,
                 room)) {
      cut(ex, n, columns, numbered_columns{}, policy::warps);
    }
  }

  /// Tables for a product of one kernel, which keeps a slice of x in each multiprocessor's shared
  /// memory.  Returns false if that is too small.
  template <class S, class Column>
  bool cut_to_keep(executor const& ex, index_t n, index_t cols, S const& segments,
                   Column const* columns) {
    constexpr int warps = policy::warps_of_rounds;
    index_t const slices = ex.multiprocessors();
    index_t const most_elements = std::min(most_places, index_t{policy::kept_bytes / sizeof(X)});
    if (cols > 8 * slices * most_elements || !may_run<spread_slices_kernel<X>>(ex, 0)) return false;
    auto const marks = ex.scratch<std::uint32_t>(cols), ranks = ex.scratch<std::uint32_t>(cols);
    auto const named = ex.scratch<std::uint32_t>(1);
    ex.clear(marks);
    for_each_index(ex, n, mark_column<Column>{columns, marks.data()});
    scan_on(ex, cols, mark_of_column{marks.data()}, write_ahead{ranks.data()},
            plus<std::uint32_t>{}, ravel::detail::seed_value<std::uint32_t>{0},
            ravel::detail::store_total<std::uint32_t>{named.data()});
    index_t const granules = div_up(index_t{at_sync(ex, named)}, index_t{policy::granule});
    index_t const of_slice = div_up(granules, slices) * policy::granule;
    auto const bytes = static_cast<index_t>(sizeof(X)) * of_slice, own = index_t{128};
    auto const products = static_cast<index_t>(shape::bytes_of_products(warps));
    auto const available = static_cast<index_t>(ex.most_shared_bytes());
    if (of_slice > most_elements || !cut_rows(ex, n, segments, slices, of_slice, warps, 1,
                                              available - own - products - bytes)) {
      return false;
    }
    numbered_columns const numbers{ranks.data(), policy::granule,
                                   static_cast<std::uint32_t>(slices),
                                   static_cast<std::uint32_t>(of_slice)};
    kept_ = ex.allocate<std::uint32_t>(slices * of_slice);
    ex.clear(kept_);  // padding refers to the first element of x
    for_each_index(ex, cols, keep_column{numbers, marks.data(), kept_.data()});
    rounds_ = div_up(columns_.blocks, slices);
    cut(ex, n, columns, numbers, warps);
    return true;
  }

  template <class Column>
  void cut(executor const& ex, index_t n, Column const* columns, numbered_columns const& numbers,
           int warps) {
    using ravel::detail::no_total;
    using ravel::detail::seed_value;
    index_t const parts = columns_.parts();
    auto const keys = ex.scratch<std::uint64_t>(n);
    auto const entries = ex.scratch<std::uint32_t>(n), different = ex.scratch<std::uint32_t>(n);
    {
      auto const firsts = ex.scratch<index_t>(columns_.blocks + 1);
      for_each_index(ex, columns_.blocks + 1,
                     write_first_entries{ranges_.data(), cuts_.runs, warps, n, firsts.data()});
      for_each_in_segments(
          ex, n, by_offsets(view_of(firsts)),
          write_key<Column>{columns, numbers, columns_.bits, keys.data(), entries.data()});
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
    for_each_index(ex, columns_.blocks + 1,
                   write_every{in_tables.data(), columns_.slices, begins_.data()});
    write_ends(ex, in_slices.data());
    sectors_ = at_sync(ex, in_tables, parts);
    // tables do not pay where each of their elements is used often, as in a grid
    if (n > policy::most_namings * sectors_ * shape::in_sector) {
      *this = tables_of_rows{};
      return;
    }
    largest_ = largest_of(ex, 1);
    if (rounds_ > 0) room_ = largest_of(ex, columns_.slices);

    places_ = ex.allocate<place_in_table>(padded_by_chunk(n));
    wanted_ = ex.allocate<place_in_table>(sectors_ * shape::in_sector);
    sectors_of_slices_ = ex.allocate<std::uint32_t>(sectors_);
    ex.clear(wanted_);  // padding refers to the first element of the slice
    for_each_index(ex, places_.size() - n, write_first_place{places_.data() + n});
    for_each_index(ex, n,
                   place_entry{columns_, shape::in_sector, keys.data(), entries.data(),
                               different.data(), ahead.data(), in_tables.data(), in_slices.data(),
                               places_.data(), wanted_.data(), sectors_of_slices_.data()});
  }

  void write_ends(executor const& ex, std::uint32_t const* in_slices) {
    index_t const slices = columns_.slices;
    if (rounds_ > 0) {
      ends_of_slices_ = ex.allocate<std::uint32_t>(slices * (rounds_ + 1));
      for_each_index(ex, slices * (rounds_ + 1),
                     write_ends_of_rounds{in_slices, columns_.blocks, slices, rounds_,
                                          ends_of_slices_.data()});
    } else {
      ends_of_slices_ = ex.allocate<std::uint32_t>(slices);
      for_each_index(
          ex, slices,
          write_every{in_slices + columns_.blocks, columns_.blocks, ends_of_slices_.data()});
    }
  }

  /// The most sectors that any `tables` consecutive tables have together.
  index_t largest_of(executor const& ex, index_t tables) const {
    auto const largest = ex.scratch<index_t>(1);
    reduce_on(ex, div_up(columns_.blocks, tables),
              size_of_tables{begins_.data(), columns_.blocks, tables}, maximum<index_t>{},
              ravel::detail::seed_value<index_t>{0},
              ravel::detail::store_total<index_t>{largest.data()});
    return at_sync(ex, largest);
  }

  wanted_of_slices<X> wanted_in(vector_of_table<X>* tables) const {
    return {reinterpret_cast<columns_of_vector<X> const*>(wanted_.data()),
            sectors_of_slices_.data(), tables};
  }
  index_t bytes_of_table() const { return largest_ * shape::in_sector * index_t{sizeof(X)}; }

  template <class V>
  static index_t bytes_of(V const& v) {
    return v.size() * index_t{sizeof(element_t<V const&>)};
  }

  tables_of_rows() = default;

 public:
  template <class A>
  tables_of_rows(executor const& ex, A const& a) {
    index_t const n = a.nnz();
    if (n == 0 || n > INT32_MAX || a.cols > INT32_MAX) return;
    // Verified once: later products use the results as indices without tests.
    ravel::detail::verify_csr(checked(ex), a, "spmv_blocks");
    auto const rows = rows_of(a);
    if (cut_to_keep(ex, n, a.cols, rows, a.columns.data())) return;
    cut_in_order(ex, n, a.cols, rows, a.columns.data());
  }

  template <class T>
  static constexpr bool adds = adds_beside_tables<T, X>;
  bool are_cut() const { return sectors_ > 0; }
  index_t bytes() const {
    return bytes_of(ranges_) + bytes_of(ends_of_rows_) + bytes_of(places_) + bytes_of(wanted_) +
           bytes_of(sectors_of_slices_) + bytes_of(ends_of_slices_) + bytes_of(begins_) +
           bytes_of(kept_);
  }

  /// Computes the product.  Returns false, with nothing done, if fewer blocks would be resident
  /// than there are slices to keep.
  template <class A, class Add, class Multiply, class Visit>
  bool multiply(executor const& ex, A const& a, X const* x, Add add, Multiply multiply,
                Visit visit) const {
    using T = carrier_t<Add>;
    auto const segments = rows_of(a);
    using seed = ravel::detail::zero_of<Add>;
    using rows = add_rows<T, element_t<decltype(a.values)>, X,
                          std::remove_const_t<decltype(segments)>, Add, seed, Multiply, Visit>;
    auto const open = ex.scratch<flagged<T>>(cuts_.runs);
    auto const head = ex.scratch<T>(cuts_.runs);
    rows const adder{places_.data(),
                     ends_of_rows_.data(),
                     a.values.data(),
                     segments,
                     add,
                     seed{add},
                     multiply,
                     visit,
                     a.nnz(),
                     cuts_.runs,
                     ranges_.data(),
                     {open.data(), head.data()}};
    if (rounds_ == 0) {
      one_after_the_other(ex, a.cols, x, adder);
    } else if (!in_rounds(ex, x, adder)) {
      return false;
    }
    if (joins_) {
      using joins = join_rows<rows>;
      ex.launch({div_up(cuts_.runs, index_t{joins::threads}), joins::threads},
                join_rows_kernel<rows>, joins{adder});
    }
    return true;
  }

 private:
  template <class Rows>
  void one_after_the_other(executor const& ex, index_t cols, X const* x, Rows const& rows) const {
    using blocks = add_beside_tables<Rows>;
    auto const tables = ex.scratch<vector_of_table<X>>(2 * sectors_);
    constexpr auto spread = spread_slices_kernel<X>;
    std::size_t const in_slice = sizeof(X) * columns_.columns;
    index_t const room = ex.room_sharing<spread>(policy::slice_threads, in_slice);
    ex.launch_sharing<spread>(
        {std::min(room, sectors_), policy::slice_threads, false, in_slice},
        spread_slices<X>{x, cols, columns_.columns,
                         static_cast<index_t>(in_slice) / policy::bytes_read_meanwhile,
                         columns_.slices, ends_of_slices_.data(), wanted_in(tables.data())});
    constexpr auto add_up = add_beside_tables_kernel<blocks>;
    std::size_t const shared =
        blocks::bytes_of_products + static_cast<std::size_t>(bytes_of_table());
    ex.launch_sharing<add_up>({columns_.blocks, blocks::threads, false, shared},
                              blocks{rows, tables.data(), begins_.data(), columns_.blocks});
  }

  template <class Rows>
  bool in_rounds(executor const& ex, X const* x, Rows const& rows) const {
    using multiplied = multiply_in_rounds<Rows>;
    constexpr auto kernel = multiply_in_rounds_kernel<multiplied>;
    auto const largest = static_cast<std::size_t>(bytes_of_table());
    std::size_t const shared =
        multiplied::bytes_of_products + largest + sizeof(X) * columns_.columns;
    if (ex.room_sharing<kernel>(multiplied::threads, shared) < columns_.slices) return false;
    index_t const of_round = room_ * shape::in_sector * index_t{sizeof(X)};
    index_t const rooms = std::clamp(policy::bytes_of_rooms / of_round, index_t{2}, rounds_ + 1);
    auto const tables = ex.scratch<vector_of_table<X>>(2 * rooms * room_);
    auto const been = ex.scratch<unsigned>(2 * rounds_);
    ex.clear(been);
    ex.launch_sharing<kernel>(
        {columns_.slices, multiplied::threads, true, shared},
        multiplied{rows, x, kept_.data(), columns_.columns, largest, wanted_in(tables.data()),
                   ends_of_slices_.data(), begins_.data(), columns_.blocks,
                   static_cast<int>(rounds_), static_cast<int>(rooms),
                   static_cast<std::uint32_t>(room_), been.data(), been.data() + rounds_});
    return true;
  }
};

}  // namespace detail

/// Overload of ravel::detail::cut_columns for a device.
template <class A, class X>
auto cut_columns(executor const& ex, A const& a, std::type_identity<X> of_x) {
  if constexpr (detail::fits_tables<X>) {
    return detail::tables_of_rows<X>(ex, a);
  } else {
    return ravel::detail::cut_columns<executor>(ex, a, of_x);
  }
}

template <class Call>
void launch_form(spmv_by_tables, executor const& ex, Call const& c) {
  if (!c.a.blocks.multiply(ex, c.a, c.x, c.add, c.multiply, c.visit)) {
    run_call_by<spmv_by_steps>(ex, c);
  }
}

}  // namespace ravel::inline v0::gpu
