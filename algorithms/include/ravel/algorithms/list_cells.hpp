#pragma once

/// Cells: what each node of a list holds while it is ranked.  At first its link; once visited, its
/// sublist and its prefix.
///
/// A walk reads the link of a node and overwrites it with the node's sublist and its prefix within
/// that sublist, or, in the first sublist of a list, its prefix within the list.  So each node
/// costs one random access to memory.

#include <ravel/core/vocabulary.hpp>

namespace ravel::inline v0::detail {

/// The alignment with which one load or store moves a whole cell.
template <class Word, class T>
inline constexpr std::size_t cell_alignment = [] {
  struct members {
    Word word;
    T value;
  };
  constexpr std::size_t bytes = sizeof(members);
  return bytes == 8 || bytes == 16 ? bytes : alignof(members);
}();

/// A word and a value: a link and the node's own value, or a sublist and the inclusive or exclusive
/// prefix at the node within it.
template <class Word, class T>
struct alignas(cell_alignment<Word, T>) list_cell {
  Word word;
  T value;
};

/// Cells of lists whose nodes have values of type T.  The highest bit of a word marks a visited
/// node.
template <std::unsigned_integral Word, class T>
struct value_cells {
  using word = Word;
  using value = T;
  using cell = list_cell<Word, T>;
  static constexpr Word visited = Word{1} << (8 * sizeof(Word) - 1);
  static constexpr Word whole = visited - 1;  // in place of a sublist: prefix of the list
  static constexpr index_t most_nodes = index_t{1} << (sizeof(Word) == 4 ? 31 : 62);

  cell* at;
  index_t n;

  /// Sublists needed beyond those of splitters: none, as no sublist ends early.
  static constexpr index_t more_sublists() { return 0; }
  RAVEL_HD static constexpr bool ends_early(Word, T const&) { return false; }

  RAVEL_HD void begin(index_t i, index_t next, T const& x) const {
    at[i] = {static_cast<Word>(next), x};
  }
  RAVEL_HD cell read(index_t i) const { return at[i]; }
  RAVEL_HD static bool is_visited(cell const& c) { return (c.word & visited) != 0; }
  RAVEL_HD static index_t next(cell const& c) { return static_cast<index_t>(c.word); }
  RAVEL_HD static T own(cell const& c) { return c.value; }
  RAVEL_HD cell place(Word sublist, T const& known) const { return {visited | sublist, known}; }
  RAVEL_HD void write(index_t i, Word sublist, T const& known) const {
    at[i] = place(sublist, known);
  }
  RAVEL_HD static Word sublist(cell const& c) { return c.word & ~visited; }
  RAVEL_HD static T known(cell const& c) { return c.value; }
};

/// Cells of lists whose nodes are counted: one word, which may be that of the result.  Its two
/// highest bits are 0 for a link, 1 for a sublist and a rank within it, and 2 or 3 for a rank in
/// the list.
///
/// Where a rank does not fit in its bits, the sublist ends early and another continues.  Each that
/// ends early has filled its bits, which bounds their number.
template <std::unsigned_integral Word>
struct rank_cells {
  using word = Word;
  using value = Word;
  using cell = Word;
  static constexpr int bits = 8 * static_cast<int>(sizeof(Word)) - 2;  // without the two highest
  static constexpr Word in_sublist = Word{1} << bits;
  static constexpr Word in_list = Word{2} << bits;
  static constexpr Word whole = in_list - 1;

  Word* at;
  index_t n;
  int rank_bits = bits;  // the low bits of a cell; the sublist has the others

  /// The number of bits for ranks that leaves enough for all sublists; 0 if there
  /// is none.
  static constexpr int enough_rank_bits(index_t n, index_t splitters) {
    if (n > index_t{1} << (bits < 62 ? bits : 61)) return 0;
    int k = bits / 2;
    while (k > 0 && splitters + (n >> k) + 1 > index_t{1} << (bits - k)) --k;
    return k;
  }

  index_t more_sublists() const { return n >> rank_bits; }
  RAVEL_HD bool ends_early(Word sublist, Word rank) const {
    return sublist != whole && rank >> rank_bits != 0;
  }

  RAVEL_HD void begin(index_t i, index_t next, Word) const { at[i] = static_cast<Word>(next); }
  RAVEL_HD Word read(index_t i) const { return at[i]; }
  RAVEL_HD static bool is_visited(Word c) { return c >= in_sublist; }
  RAVEL_HD static index_t next(Word c) { return static_cast<index_t>(c); }
  RAVEL_HD static Word own(Word) { return 1; }
  RAVEL_HD Word place(Word sublist, Word rank) const {
    return sublist == whole ? in_list | rank : in_sublist | sublist << rank_bits | rank;
  }
  RAVEL_HD void write(index_t i, Word sublist, Word rank) const { at[i] = place(sublist, rank); }
  RAVEL_HD Word sublist(Word c) const {
    return c >= in_list ? whole : (c & ~in_sublist) >> rank_bits;
  }
  RAVEL_HD Word known(Word c) const {
    return c >= in_list ? c & ~in_list : c & ((Word{1} << rank_bits) - 1);
  }
};

}  // namespace ravel::inline v0::detail
