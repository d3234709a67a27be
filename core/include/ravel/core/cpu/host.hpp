#pragma once

/// @file
/// The machine description of the host executors, by which forms are chosen.

namespace ravel::inline v0::cpu {

/// A host.  The number of threads is not part of it: querying oneTBB takes longer than a short
/// call.
struct host {
  bool several_threads = true;  ///< true for cpu::threads, false for cpu::sequential
};

}  // namespace ravel::inline v0::cpu
