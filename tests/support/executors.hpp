#pragma once

/// The executors that every test runs on, and copies to and from their memory.
///
/// A test file is compiled twice: by the host compiler, where device code runs on a device in
/// software, and by nvcc, where it runs on the device, if there is one.
///
/// Without RAVEL_TEST_THOROUGH a test of a device's own forms leaves out the steps that all executors share.
/// RAVEL_TEST_EVERY_EXECUTOR adds cpu::sequential to each list, and to those with a device's own forms
/// the steps that all executors share, on blocks of 64 threads: a half more to compile.
///
/// support/on_ranks.hpp has the executor of RAVEL_TEST_ON_RANKS, and LOCAL_TYPED_TEST.

#ifndef __CUDACC__
#  include <cuda_runtime_api.h>  // as nvcc does: the one of software_device/runtime
#endif

#include <ravel/core/cpu/executor.hpp>
#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/transfer.hpp>
#ifndef __CUDACC__
#  include <ravel/software_device/executor.hpp>
#endif
#include "support/briefly.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

#ifdef RAVEL_TEST_ON_RANKS
#  include "support/on_ranks.hpp"
#else
#  define LOCAL_TYPED_TEST TYPED_TEST

namespace ravel::testing {

/// Whether Ex is that of several ranks.
template <class Ex>
inline constexpr bool has_ranks = false;

#  ifdef __CUDACC__
/// The device without its own forms: the generic steps.
struct device_steps : gpu::executor {
  using gpu::executor::executor;
};
using executors = ::testing::Types<gpu::executor>;
#    ifdef RAVEL_TEST_FEW_ON_DEVICE
using executors_and_steps = executors;
#    else
using executors_and_steps = ::testing::Types<gpu::executor, device_steps>;
#    endif
using all_executors = executors_and_steps;
using executors_and_device = executors;
using device_if_thorough = executors;
#  else
/// The host without its own forms: the generic steps.
struct host_steps : cpu::threads {
  using cpu::threads::threads;
};
#    if defined(RAVEL_UNDER_TSAN)  // it cannot follow fibres, and a single thread has no races
using executors = ::testing::Types<cpu::threads>;
using executors_and_steps = ::testing::Types<cpu::threads, host_steps>;
using all_executors = executors_and_steps;
using executors_and_device = executors;
using device_if_thorough = executors;
#    elif !defined(RAVEL_TEST_EVERY_EXECUTOR)  // a single thread does what each of several does
using executors = ::testing::Types<cpu::threads, software_blocks<64>>;
using executors_and_steps = ::testing::Types<cpu::threads, software_blocks<64>>;
/// With the device's own forms, on a device in software.
using executors_and_device = ::testing::Types<cpu::threads, gpu::executor>;
#      ifdef RAVEL_TEST_THOROUGH
using all_executors = ::testing::Types<cpu::threads, software_blocks<64>, gpu::executor>;
using device_if_thorough = executors_and_device;
#      else
using all_executors = executors_and_device;
/// Without the device in software, where other tests cover its forms and this one takes long to compile.
using device_if_thorough = ::testing::Types<cpu::threads>;
#      endif
#    else
using executors = ::testing::Types<cpu::sequential, cpu::threads, software_blocks<64>>;
using executors_and_steps =
    ::testing::Types<cpu::sequential, cpu::threads, host_steps, software_blocks<64>>;
using executors_and_device =
    ::testing::Types<cpu::sequential, cpu::threads, software_blocks<64>, gpu::executor>;
using all_executors =
    ::testing::Types<cpu::sequential, cpu::threads, host_steps, software_blocks<64>, gpu::executor>;
using device_if_thorough = executors_and_device;
#    endif
#  endif

/// On a device in software: has blocks and threads take turns in another order.
inline void shuffle_schedule([[maybe_unused]] unsigned seed) {
#  ifndef __CUDACC__
  software::dice::seed(seed);
#  endif
}

/// Threads help one another however little there is to do.
inline bool const others_help_at_once =
    (cpu::assume(cpu::waking_costs{.asleep = {}, .awake = {}}), true);

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
#  ifdef __CUDACC__
    if (!gpu::available()) GTEST_SKIP() << "no CUDA device";
#  endif
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
    std::vector<T> host(static_cast<std::size_t>(staged.size()));
    for (std::size_t i = 0; i < host.size(); ++i) host[i] = staged.data()[i];
    return host;
  }

  template <class T>
  auto allocate(index_t n) const {
    return ex().template allocate<T>(n);
  }

  // What is not as other operands on ranks.
  template <class T>
  auto replicated(std::vector<T> const& host) const {
    return there(host);
  }
  template <class T>
  auto replicate(index_t n) const {
    return allocate<T>(n);
  }
  template <class T, class X>
  auto allocate_results(X const&, index_t n) const {
    return allocate<T>(n);
  }
  template <class T, class X, class... Backward>
  auto allocate_one_more(X const& x, Backward...) const {
    return allocate<T>(x.size() + 1);
  }
  template <class T>
  std::vector<T> const& piece_of(std::vector<T> const& host) const {
    return host;
  }
  template <class T>
  auto there_as_piece(std::vector<T> const& piece) const {
    return there(piece);
  }
};

}  // namespace ravel::testing
#endif
