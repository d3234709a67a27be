#pragma once

/// Shared by the tests of scratch: executors with tiles of full size, and the scratch of a call on
/// them.

#include <ravel/core/plan.hpp>
#include <ravel/primitives/distribute.hpp>

#include "support/executors.hpp"

#include <string>

namespace ravel::testing {

#ifdef __CUDACC__
using executors_of_full_size = ::testing::Types<gpu::executor>;
#elif defined(RAVEL_TEST_BRIEFLY)
using executors_of_full_size = ::testing::Types<cpu::threads>;
#else
using executors_of_full_size = ::testing::Types<cpu::sequential, cpu::threads>;
#endif

template <class Ex>
struct scratch_test : on_executor<Ex> {
  template <class T>
  auto zeros(index_t n) const {
    auto made = this->template allocate<T>(n);
    distribute(this->ex(), T(0), made);
    return made;
  }

  /// The bytes of scratch, and of tile states, that a call takes.
  template <class Call>
  index_t bytes_of(std::string const& name, Call const& call) const {
    plan const known(this->ex(), name, call);
    return known.bytes() + known.bytes_of_executor();
  }
};

}  // namespace ravel::testing
