#pragma once

/// @file
/// Which mistake is planted: what the copies of headers ask in which mistakes can be.

#include <cstdlib>
#include <string_view>

namespace planted {

/// Whether RAVEL_PLANTED, in the environment, is `name`.
inline bool is(std::string_view name) {
  char const* const wanted = std::getenv("RAVEL_PLANTED");
  return wanted != nullptr && wanted == name;
}

}  // namespace planted

#define RAVEL_MISTAKE(name)                    \
  namespace planted {                          \
  inline bool const name = planted::is(#name); \
  }
