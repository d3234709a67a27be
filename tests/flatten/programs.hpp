#pragma once

/// Test fixture for nested programs: runs each input separately, and all of them at
/// once, as elements of rows of which some are empty.

#include <ravel/flatten/flatten.hpp>

#ifdef RAVEL_TEST_ON_RANKS
#  include <ravel/distributed/in_process.hpp>
#  include <ravel/distributed/nested.hpp>
#endif

#include "support/executors.hpp"
#include "support/text.hpp"

#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace ravel::testing {

/// For small n cpu::threads runs the code of cpu::sequential.  Nested programs have no kernels of their
/// own: random shapes run on a device in software, and all do with RAVEL_TEST_EVERY_EXECUTOR.
/// tests/distributed/same_programs_test.cpp defines RAVEL_TEST_ON_RANKS: cases are then instances on 1, 2, 3
/// and 8 ranks, and what a test does besides runs on one.
#ifdef RAVEL_TEST_ON_RANKS
using program_executors = ::testing::Types<cpu::sequential>;
using program_executors_and_device = program_executors;
#elif defined(__CUDACC__)
using program_executors = executors;
using program_executors_and_device = executors;
#elif defined(RAVEL_UNDER_TSAN)
using program_executors = ::testing::Types<cpu::threads>;
using program_executors_and_device = program_executors;
#else
#  ifdef RAVEL_TEST_EVERY_EXECUTOR
using program_executors = ::testing::Types<cpu::threads, software_blocks<64>>;
#  else
using program_executors = ::testing::Types<cpu::threads>;
#  endif
/// With the device's own forms, on a device in software, of support/device_forms.hpp.
using program_executors_and_device = ::testing::Types<cpu::threads, gpu::executor>;
#endif
/// Where the device's own forms are those that other tests cover.
#ifdef RAVEL_TEST_BRIEFLY
using program_executors_and_device_if_thorough = program_executors;
#else
using program_executors_and_device_if_thorough = program_executors_and_device;
#endif

using numbers = std::vector<index_t>;
using rows = std::vector<numbers>;
using flags = std::vector<bool>;

/// An input of a program, and its result as text.
template <class... In>
struct program_case {
  std::tuple<In...> in;
  std::string wanted;
};

#ifdef RAVEL_TEST_ON_RANKS
template <>
struct on_executor<cpu::sequential> : ::testing::Test {
  cpu::sequential const& ex() const { return ex_; }

 private:
  cpu::sequential ex_;
};
#endif

template <class Ex>
struct on_programs : on_executor<Ex> {
  /// Runs everything on the program's executor, at any size: see finish_test.cpp.
  void SetUp() override {
    on_executor<Ex>::SetUp();
    if constexpr (requires { this->made->tuned(); }) {
      if (!this->made) return;
      auto sizes = this->made->tuned();
      sizes.nested = 1;
      this->made->tune(sizes);
    }
  }

#ifdef RAVEL_TEST_ON_RANKS
  template <class... In, class F>
  void expect(F const& f, std::vector<program_case<In...>> const& cases) const {
    std::string wanted;
    for (auto const& one : cases) wanted += (wanted.empty() ? "[" : ",") + one.wanted;
    for (int const p : {1, 2, 3, 8}) {
      distributed::run_ranks(p, [&](distributed::in_process const& mine) {
        distributed::executor const ranks(cpu::sequential(), mine);
        auto const begins = distributed::even_begins(std::ssize(cases), p);
        auto const column = [&]<std::size_t K>(std::integral_constant<std::size_t, K>) {
          std::vector<std::tuple_element_t<K, std::tuple<In...>>> piece;
          for (index_t k = begins[mine.rank()]; k < begins[mine.rank() + 1]; ++k) {
            piece.push_back(std::get<K>(cases[k].in));
          }
          return from_pieces(ranks, from(ranks.local(), piece));
        };
        auto const instances = [&](auto const& x) {
          if constexpr (distributed::is_sequence<std::remove_cvref_t<decltype(x)>>) {
            return borrow(ranks, x);
          } else {
            return x;
          }
        };
        auto const columns = [&]<std::size_t... I>(std::index_sequence<I...>) {
          return std::tuple(column(std::integral_constant<std::size_t, I>{})...);
        }
        (std::index_sequence_for<In...>{});
        auto const results =
            std::apply([&](auto const&... x) { return each(instances(x)..., f); }, columns);
        auto const all = gather_to(ranks, results, 0);
        if (mine.rank() == 0) {
          EXPECT_EQ(text(all), wanted + ']') << p << " ranks";
        }
      });
    }
  }
#else
  template <class... In, class F>
  void expect(F const& f, std::vector<program_case<In...>> const& cases) const {
    for (auto const& one : cases) {
      std::apply(
          [&](auto const&... in) {
            EXPECT_EQ(text(to_host(f(from(this->ex(), in)...))), one.wanted);
          },
          one.in);
    }
    expect_lifted(f, cases, std::index_sequence_for<In...>{});
  }
#endif

  /// Converts a host value to one of the program.
  template <class H>
  auto of(H const& x) const {
    return from(this->ex(), x);
  }
  template <class X>
  static std::string show(X const& x) {
    return text(to_host(x));
  }

 private:
  /// The cases as rows: none, all of them, none, the last and the first.
  template <class... In, class F, std::size_t... I>
  void expect_lifted(F const& f, std::vector<program_case<In...>> const& cases,
                     std::index_sequence<I...>) const {
    std::vector<std::vector<program_case<In...>>> const mixed{
        {}, cases, {}, {cases.back(), cases.front()}};
    auto const column = [&]<std::size_t K>(std::integral_constant<std::size_t, K>) {
      using H = std::tuple_element_t<K, std::tuple<In...>>;
      std::vector<std::vector<H>> result;
      for (auto const& row : mixed) {
        auto& to = result.emplace_back();
        for (auto const& one : row) to.push_back(std::get<K>(one.in));
      }
      return from(this->ex(), result);
    };
    auto const lifted = each(column(std::integral_constant<std::size_t, I>{})...,
                             [&](auto const&... row) { return each(row..., f); });
    std::string wanted;
    for (auto const& row : mixed) {
      wanted += wanted.empty() ? "[[" : ",[";
      for (std::size_t k = 0; k < row.size(); ++k) wanted += (k > 0 ? "," : "") + row[k].wanted;
      wanted += ']';
    }
    EXPECT_EQ(text(to_host(lifted)), wanted + ']');
  }
};

}  // namespace ravel::testing
