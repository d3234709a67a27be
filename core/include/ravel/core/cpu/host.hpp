#pragma once

/// The host as a machine description, on which the choice of forms depends.

namespace ravel::inline v0::cpu {

/// A host.  The number of threads is not part of it: querying oneTBB for it takes longer than a
/// short call.
struct host {
  bool several_threads = true;  ///< true for cpu::threads, false for cpu::sequential
};

}  // namespace ravel::inline v0::cpu
