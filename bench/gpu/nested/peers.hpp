#pragma once

/// What nested programs on a device are compared with: the same by all threads of the host.
/// Loops of one thread say what is right.
///
/// The host compiler makes them, since nvcc compiles no loops for `serially`.

#include "support/harness.hpp"

#include <vector>

namespace ravel::bench::nested_programs {

struct peers {
  comparison on_host;
  std::vector<double> wanted;
};

/// Of the program with the inputs of size n.
template <class Program>
peers peers_of(index_t n);

}  // namespace ravel::bench::nested_programs
