#pragma once

/// The planted mistake: the copies of headers with mistakes test it.

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
