#pragma once

/// What is drawn: rows of values, one after another, and arrows from the rows before to each.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace ravel::trace {

struct cell {
  std::string text;         // empty: nothing is known there, or nothing of interest
  bool changed = false;     // in this row
  bool head = false;        // a segment begins here
  std::size_t made_by = 0;  // of picture::operations
};

/// The contents of an array after a step, or of the registers of threads, a column for each.
struct row {
  std::string name;
  std::vector<cell> cells;
};

/// A value that moved: from a cell of an earlier row to one of this row.
struct arrow {
  std::size_t from_row, from, to_row, to;
  bool combined;  // with another, by the operator
};

/// What happened between two barriers of all blocks that ran.
struct step {
  std::string title;
  std::vector<std::size_t> rows;
  std::vector<arrow> arrows;
  std::size_t threads = 0, operations = 0;
  std::size_t loads = 0, stores = 0;                // of elements in global memory
  std::size_t shared_loads = 0, shared_stores = 0;  // in shared memory
};

/// An operand is another operation, or if it has no operands an element of the input; 0 is an identity.
struct combination {
  std::size_t left = 0, right = 0;
  std::optional<int> computed = {};  // otherwise than by the operator
  char const* sign = nullptr;        // of what computed it, if that is an operation of two numbers
};

struct picture {
  std::string title;     // the algorithm
  std::string observed;  // which code ran, and on what
  std::string source;    // the paper
  std::size_t columns = 0, warp = 0, block = 0;
  std::vector<row> rows;
  std::vector<step> steps;
  std::vector<combination> operations;  // the input's elements follow the identity
  std::string op;
  std::vector<std::string> trees;  // with symbols: how each result was combined
  std::size_t work = 0, span = 0;
  std::size_t launches = 0, barriers = 0;
  std::string counts;       // of memory and barriers, in lines
  bool is_decided = false;  // other values would go elsewhere, and not all calls are drawn
};

/// Replaces numbers by symbols, a, b, c, ... for the elements of the input: `a-d` for what combines a
/// to d, and `-` for an identity; and writes the tree of each result, such as ((a b) (c d)).
void use_symbols(picture&);

/// A line of counts, if all that ran was recorded.
std::string statistics_of(picture const&);

/// The threads and operations of a step.
std::string counts_of(step const&);

std::string text_of(picture const&);
/// What ran, and the counts of it.
std::string counts_of(picture const&);
std::string svg_of(picture const&);
std::string json_of(picture const&);
/// The player of one trace, or of two beside each other.
std::string html_of(std::vector<picture> const&);

}  // namespace ravel::trace
