#pragma once

/// What small programs of users have in common.

#include <ravel/core/cpu/executor.hpp>
#include <ravel/core/monoid.hpp>
#include <ravel/pipelines/pipelines.hpp>

#include <vector>

namespace users_test {

using namespace ravel::verbs;
using ravel::index_t;
using ravel::plus;
using ints = std::vector<int>;

inline ravel::cpu::threads const ex;
inline ints const v{3, 1, 2, 4, 1, 5}, one_two{1, 2}, tens{10, 20}, doubled{1, 1, 2};
inline constexpr auto odd = [](int x) { return x % 2 != 0; };
inline constexpr auto square = [](int x) { return x * x; };

}  // namespace users_test
