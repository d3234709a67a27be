#pragma once

/// @file
/// The machine of the host executors: what forms on the host are chosen by.

namespace ravel::inline v0::cpu {

/// A host.  How many threads there are is not part of it: a query of oneTBB takes longer than a short call.
struct host {
  bool several_threads = true;  ///< cpu::threads and not cpu::sequential
};

}  // namespace ravel::inline v0::cpu
