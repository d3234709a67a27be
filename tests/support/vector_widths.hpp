#pragma once

/// The vector widths that a processor supports, in turn.

#include <ravel/core/cpu/loops.hpp>

#include <gtest/gtest.h>

namespace ravel::testing {

/// Calls f with each width that the processor supports, or with the only one compiled.
template <class F>
void in_each_width(F f) {
#ifdef RAVEL_CHOOSES_VECTORS
  cpu::vector_width const before = cpu::loops::vectors_in_use();
  for (int const bytes : {16, 32, 64}) {
    auto const width = static_cast<cpu::vector_width>(bytes);
    if (width > cpu::loops::vectors_of_processor()) continue;
    SCOPED_TRACE(::testing::Message() << "vectors of " << bytes << " bytes");
    cpu::loops::use_vectors(width);
    f();
  }
  cpu::loops::use_vectors(before);
#else
  f();
#endif
}

}  // namespace ravel::testing
