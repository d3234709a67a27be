#pragma once

/// The algorithms that can be traced, by name.

#include "picture.hpp"

#include <string>
#include <vector>

namespace ravel::trace {

/// What is run.
struct request {
  std::string algorithm;
  std::vector<int> values = {};
  std::vector<int> heads = {}, lengths = {};  // of segments, one or the other
  std::string op = "plus";
  unsigned seed = 1;
  int block = 0;  // threads of a block, which are the elements of a tile; 0 for the narrowest
};

struct entry {
  std::string name, about;
  bool segmented;
  bool is_program = false;  // of several calls, whose moves depend on the values
  std::vector<int> defaults = {3, 1, 2, 4, 1, 5, 2, 3};
  std::vector<int> default_lengths = {3, 3, 2};  // of their segments, if it has segments
};
std::vector<entry> const& algorithms();

/// Runs and records an algorithm.
///
/// Errors   std::invalid_argument for a request that no algorithm here takes, in a sentence.
picture trace(request const&);

}  // namespace ravel::trace
