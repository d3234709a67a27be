#pragma once

/// The executor of typed tests that run on groups of 1, 2, 3 and 8 ranks: threads with cpu::sequential.
///
/// tests/distributed/same_*_test.cpp define RAVEL_TEST_ON_RANKS and include tests of other layers, whose
/// cases then run as they are: each rank runs the body of a case, `there` distributes, and `here`
/// gathers on every rank.  LOCAL_TYPED_TEST is a case that ranks do not run: of calls that take a
/// sequence's memory, that have no form for ranks, or that fail, which ends a group.

#include <ravel/core/cpu/executor.hpp>
#include <ravel/distributed/executor.hpp>
#include <ravel/distributed/in_process.hpp>
#include <ravel/distributed/sequence.hpp>

#include "support/briefly.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <concepts>
#include <optional>
#include <vector>

#define LOCAL_TYPED_TEST UNINSTANTIATED_TYPED_TEST

namespace ravel::testing {

using ranks_executor = distributed::executor<cpu::sequential, distributed::in_process>;
template <class Ex>
inline constexpr bool has_ranks = std::same_as<Ex, ranks_executor>;
using executors = ::testing::Types<ranks_executor>;
using executors_and_steps = executors;
using all_executors = executors;
using executors_and_device = executors;
using device_if_thorough = executors;

inline void shuffle_schedule(unsigned) {}

template <class Ex>
struct on_executor;

/// A fixture of a case whose body every rank of every group runs: those of 2, 3 and 8 when it is set up,
/// and the group of 1 after that.
template <>
struct on_executor<ranks_executor> : ::testing::Test {
  static inline thread_local std::optional<ranks_executor> made;  // by this rank

  void TestBody() override = 0;
  void SetUp() override {
    for (int const ranks : {2, 3, 8}) {
      distributed::run_ranks(ranks,
                             [&](distributed::in_process const& mine) {
                               SCOPED_TRACE(::testing::Message()
                                            << "rank " << mine.rank() << " of " << ranks);
                               made.emplace(cpu::sequential(), mine);
                               TestBody();
                             },
                             {.longest_delay = std::chrono::microseconds(20)});
    }
    made.emplace(cpu::sequential(), distributed::in_process::group_of(1)[0]);
  }
  ranks_executor const& ex() const { return *made; }

  /// `host` in even pieces.
  template <class T>
  auto there(std::vector<T> const& host) const {
    cpu::buffer<T> staged(std::ssize(host));  // vector<bool> has no data()
    std::copy(host.begin(), host.end(), staged.begin());
    return from(ex(), staged);
  }
  /// What this rank has of `host` in even pieces, and the sequence of what each rank has.
  template <class T>
  std::vector<T> piece_of(std::vector<T> const& host) const {
    auto const begins = distributed::even_begins(std::ssize(host), ex().ranks().size());
    int const r = ex().ranks().rank();
    return {host.begin() + begins[r], host.begin() + begins[r + 1]};
  }
  template <class T>
  auto there_as_piece(std::vector<T> const& piece) const {
    return from_pieces(ex(), piece);
  }
  /// `host` on each rank.
  template <class T>
  auto replicated(std::vector<T> const& host) const {
    auto made = ex().template replicate<T>(std::ssize(host));
    std::copy(host.begin(), host.end(), made.begin());
    return made;
  }

  /// The elements of all ranks, on each.
  template <class T>
  std::vector<T> here(distributed::sequence<T, ranks_executor> const& x) const {
    index_t const ranks = ex().ranks().size();
    std::vector<index_t> const sent(ranks, x.size());
    std::vector<index_t> received;
    cpu::buffer<T> copies(ranks * x.size()), all(x.total_size());
    for (index_t r = 0; r < ranks; ++r) {
      std::copy(x.begin(), x.end(), copies.begin() + r * x.size());
      received.push_back(x.begins()[r + 1] - x.begins()[r]);
    }
    distributed::exchange(ex(), copies, sent, all, received);
    return std::vector<T>(all.begin(), all.end());
  }
  template <class T, class Space, class Buffer>
  std::vector<T> here(distributed::replica<T, Space, Buffer> const& x) const {
    return std::vector<T>(x.begin(), x.end());
  }

  template <class T>
  auto allocate(index_t n) const {
    return ex().template allocate<T>(n);
  }
  /// n elements on each rank: totals, counts and initial values.
  template <class T>
  auto replicate(index_t n) const {
    return ex().template replicate<T>(n);
  }
  /// Room for n results of the elements of x, which are on the ranks of those.
  template <class T, class X>
  auto allocate_results(X const& x, index_t) const {
    return distributed::sequence<T, ranks_executor>(ex(), x);
  }
  /// One element more than x has, after the last piece; backward, in the first one.
  template <class T, class X, class... Backward>
  auto allocate_one_more(X const& x, Backward...) const {
    std::vector<index_t> begins(x.begins().begin(), x.begins().end());
    auto const first = sizeof...(Backward) > 0 ? begins.begin() + 1 : begins.end() - 1;
    std::for_each(first, begins.end(), [](index_t& begin) { ++begin; });
    return distributed::sequence<T, ranks_executor>(ex(), begins);
  }
};

}  // namespace ravel::testing
