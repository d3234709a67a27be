#pragma once

/// @file
/// The executors every test runs on, and the way to and from their memory.
///
/// A test file is compiled twice from the same source: by the host compiler,
/// where the device code runs in lockstep emulation, and by nvcc, where it runs
/// on the device, if there is one.

#include <ravel/core/cpu/executor.hpp>
#include <ravel/core/transfer.hpp>
#ifdef __CUDACC__
#  include <ravel/core/cuda/executor.cuh>
#else
#  include "support/lockstep.hpp"
#endif

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace ravel::testing {

#ifdef __CUDACC__
/// The device without the forms that are overloads for it: what all executors do.
struct device_steps : cuda::executor {
  using cuda::executor::executor;
};
using executors = ::testing::Types<cuda::executor>;
using executors_and_steps = ::testing::Types<cuda::executor, device_steps>;
#else
/// The host without the forms that are overloads for it: what all executors do.
struct host_steps : cpu::threads {
  using cpu::threads::threads;
};
#  ifdef __SANITIZE_THREAD__  // it does not follow fibres
using executors = ::testing::Types<cpu::sequential, cpu::threads>;
using executors_and_steps = ::testing::Types<cpu::sequential, cpu::threads, host_steps>;
#  else
using executors = ::testing::Types<cpu::sequential, cpu::threads, lockstep::executor>;
using executors_and_steps =
    ::testing::Types<cpu::sequential, cpu::threads, host_steps, lockstep::executor>;
#  endif
#endif

template <class Ex>
Ex make_executor() {
  if constexpr (std::derived_from<Ex, cpu::threads>) {
    return Ex(4);  // more than this machine may have, to see them interleave
  } else {
    return Ex();
  }
}

/// A fixture with an executor `ex`; without a device the device's tests skip.
template <class Ex>
struct on_executor : ::testing::Test {
  std::optional<Ex> made;

  void SetUp() override {
#ifdef __CUDACC__
    if (!cuda::available()) GTEST_SKIP() << "no CUDA device";
#endif
    made.emplace(make_executor<Ex>());
  }
  Ex const& ex() const { return *made; }

  /// A copy of `host` in the memory of the executor.
  template <class T>
  auto there(std::vector<T> const& host) const {
    cpu::buffer<T> staged(std::ssize(host));  // vector<bool> has no data()
    std::copy(host.begin(), host.end(), staged.begin());
    return ravel::to(ex(), staged);
  }

  /// A copy on the host of a sequence in the memory of the executor.
  template <class R>
  auto here(R const& there) const {
    using T = element_t<R const&>;
    cpu::buffer<T> staged(size_of(there));
    ex().copy(view_of(there).data(), staged.data(), staged.size());
    ex().wait();
    return std::vector<T>(staged.begin(), staged.end());
  }

  template <class T>
  auto allocate(index_t n) const {
    return ex().template allocate<T>(n);
  }
};

}  // namespace ravel::testing
