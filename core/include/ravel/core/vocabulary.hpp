#pragma once

/// What every header may use: tiles, views, monoids, the concepts, errors, and the least of the standard library.

#include <ravel/core/error.hpp>
#include <ravel/core/monoid.hpp>
#include <ravel/core/std_algobase.hpp>

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
