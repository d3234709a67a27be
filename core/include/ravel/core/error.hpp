#pragma once

/// @file
/// What is thrown, and the one function that checks a precondition.

#include <sstream>
#include <stdexcept>
#include <string>

namespace ravel::inline v0 {

/// Base of everything this library throws.
struct error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A caller broke a documented precondition.
struct contract_error : error {
  using error::error;
};

/// Memory could not be had; `what` says how much, and where.
struct allocation_error : error {
  using error::error;
};

namespace detail {

template <class... Words>
std::string sentence(Words const&... words) {
  std::ostringstream out;
  (out << ... << words);
  return out.str();
}

/// Apart from who checks, who has nothing of it to make ready: words are values, so that they may
/// stay in registers.
template <class... Words>  // NOLINTNEXTLINE(performance-unnecessary-value-param)
[[noreturn, gnu::cold, gnu::noinline]] void broken(Words... words) {
  throw contract_error(sentence(words...));
}

}  // namespace detail

/// Throws `contract_error` with the sentence that `words` make, unless `ok`.
/// The sentence names the call and the value that was wrong:
///
///     expects(a == b, "scan: out has ", b, " elements, and in has ", a);
template <class... Words>
void expects(bool ok, Words const&... words) {
  if (!ok) detail::broken(words...);
}

}  // namespace ravel::inline v0
