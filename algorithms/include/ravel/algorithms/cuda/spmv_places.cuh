#pragma once

/// Computes, for each entry of a matrix, its block of rows, the place of its column among the
/// slices, and its place in the table of that block.

#include <ravel/algorithms/cuda/spmv_rows.cuh>
#include <ravel/core/search.hpp>
#include <ravel/primitives/cuda/run_cuts.cuh>
#include <ravel/primitives/cuda/segmented_reduce_computed.cuh>

namespace ravel::inline v0::gpu::detail {

template <class S>
struct write_range {
  S segments;
  run_cuts cuts;
  index_t n;
  run_range* to;
  RAVEL_HD void operator()(index_t run) const { to[run] = find_range(segments, n, cuts, run); }
};
struct is_begun {
  run_range const* ranges;
  RAVEL_HD int operator()(index_t run) const { return ranges[run].begun ? 1 : 0; }
};
/// The first entry of each block of rows: the first entry of its first run.
struct write_first_entries {
  run_range const* ranges;
  index_t runs, runs_each, n;
  index_t* to;
  RAVEL_HD void operator()(index_t block) const {
    index_t const run = block * runs_each;
    to[block] = run < runs ? ranges[run].begin : n;
  }
};

/// Marks the last entries of rows: a byte for each entry, then packed to bits.
template <class S>
struct mark_last {
  S segments;
  std::uint8_t* marks;
  RAVEL_HD void operator()(index_t row) const {
    index_t const end = segments.begin(row + 1);
    if (end > segments.begin(row)) marks[end - 1] = 1;
  }
};
struct write_marks {
  std::uint8_t const* marks;
  index_t n;
  std::uint32_t* to;
  RAVEL_HD void operator()(index_t word) const {
    index_t const begin = 32 * word, left = n - begin, many = left < 32 ? left : 32;
    std::uint32_t bits = 0;
    for (index_t k = 0; k < many; ++k) bits |= std::uint32_t{marks[begin + k]} << k;
    to[word] = bits;
  }
};

/// The sort keys of entries: block of rows, then column.  A part is what one block's table has from
/// one slice of x.
struct columns_of_blocks {
  index_t blocks;  // number of blocks of rows
  int slices;
  std::uint32_t columns;  // number of columns of a slice
  int bits;               // number of bits of a column

  RAVEL_HD index_t parts() const { return blocks * slices; }
  RAVEL_HD std::uint64_t first_key(index_t part) const {
    return static_cast<std::uint64_t>(part / slices) << bits |
           static_cast<std::uint64_t>(part % slices) * columns;
  }
  RAVEL_HD index_t block_of(std::uint64_t key) const { return static_cast<index_t>(key >> bits); }
  RAVEL_HD std::uint32_t column_of(std::uint64_t key) const {
    return static_cast<std::uint32_t>(key & ((std::uint64_t{1} << bits) - 1));
  }
  /// Parts are numbered block by block.  by_slices converts that number to a numbering slice by
  /// slice, by_blocks back.
  RAVEL_HD index_t by_slices(index_t part) const { return part % slices * blocks + part / slices; }
  RAVEL_HD index_t by_blocks(index_t part) const { return part % blocks * slices + part / blocks; }
};

template <class Column>
struct mark_column {
  Column const* columns;
  std::uint32_t* marks;
  RAVEL_HD void operator()(index_t k) const { marks[columns[k]] = 1; }
};
struct mark_of_column {
  std::uint32_t const* marks;
  RAVEL_HD std::uint32_t operator()(index_t column) const { return marks[column]; }
};
struct write_ahead {
  std::uint32_t* to;
  RAVEL_HD void operator()(index_t i, std::uint32_t ahead, std::uint32_t) const { to[i] = ahead; }
};

/// Renumbers columns so that equal ranges of numbers are slices: unchanged; or the used columns
/// only, dealt to slices round-robin in granules, so that frequently used elements are spread over
/// all slices.
struct numbered_columns {
  // rank of each column among the used ones; null if unchanged
  std::uint32_t const* ranks = nullptr;
  std::uint32_t granule = 0, slices = 0, of_slice = 0;
  RAVEL_HD std::uint32_t operator()(std::uint32_t column) const {
    if (!ranks) return column;
    std::uint32_t const rank = ranks[column], group = rank / granule;
    return group % slices * of_slice + group / slices * granule + rank % granule;
  }
};
struct keep_column {
  numbered_columns numbers;
  std::uint32_t const* marks;
  std::uint32_t* kept;
  RAVEL_HD void operator()(index_t i) const {
    auto const column = static_cast<std::uint32_t>(i);
    if (marks[column] != 0) kept[numbers(column)] = column;
  }
};

template <class Column>
struct write_key {
  Column const* columns;
  numbered_columns numbers;
  int bits;
  std::uint64_t* keys;
  std::uint32_t* entries;
  RAVEL_HD void operator()(index_t k, index_t block, index_t) const {
    keys[k] =
        static_cast<std::uint64_t>(block) << bits | numbers(static_cast<std::uint32_t>(columns[k]));
    entries[k] = static_cast<std::uint32_t>(k);
  }
};
struct is_first_of_key {
  std::uint64_t const* keys;
  RAVEL_HD std::uint32_t operator()(index_t i) const {
    return i == 0 || keys[i - 1] != keys[i] ? 1 : 0;
  }
};

/// The number of distinct keys before each part.
struct count_keys_ahead {
  columns_of_blocks shape;
  index_t n;
  std::uint64_t const* keys;
  std::uint32_t const* different;  // number of distinct keys up to each key
  std::uint32_t* ahead;
  RAVEL_HD void operator()(index_t part) const {
    std::uint64_t const key = shape.first_key(part);
    auto const* const all = keys;
    index_t const at =
        part == shape.parts() ? n : partition_point(0, n, [=](index_t i) { return all[i] < key; });
    ahead[part] = at == 0 ? 0 : different[at - 1];
  }
};

/// The number of sectors of each part, in block order or in slice order; 0 after the last part.
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
struct write_every {
  std::uint32_t const* from;
  index_t step;
  std::uint32_t* to;
  RAVEL_HD void operator()(index_t i) const { to[i] = from[i * step]; }
};
/// The number of sectors of each group of consecutive tables.
struct size_of_tables {
  std::uint32_t const* begins;
  index_t count, at_once;
  RAVEL_HD index_t operator()(index_t i) const {
    index_t const end = (i + 1) * at_once < count ? (i + 1) * at_once : count;
    return begins[end] - begins[i * at_once];
  }
};
/// The cumulative number of sectors that each slice writes, up to the begin of each round.
struct write_ends_of_rounds {
  std::uint32_t const* in_slices;
  index_t blocks, slices, rounds;
  std::uint32_t* to;
  RAVEL_HD void operator()(index_t i) const {
    index_t const slice = i / (rounds + 1), block = i % (rounds + 1) * slices;
    to[i] = in_slices[slice * blocks + (block < blocks ? block : blocks)];
  }
};

/// Stores the index into its table for an entry; for the first entry of each distinct column in a
/// block also which element of the slice goes to that place.
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

struct write_first_place {
  place_in_table* to;
  RAVEL_HD void operator()(index_t i) const { to[i] = 0; }
};

}  // namespace ravel::inline v0::gpu::detail
