#pragma once

/// @file
/// What is thrown, and the one function that checks a precondition.

#include <new>
#include <sstream>
#include <stdexcept>
#include <string>

namespace ravel::inline v0 {

/// Base of everything this library throws.  Each is a standard exception besides:
/// allocation_error is a std::bad_alloc, and all others are std::runtime_errors.
///
///     catch (ravel::error const& e)      whatever this library throws
///     catch (std::bad_alloc const& e)    no memory, whether this library says so or `new`
///     catch (std::exception const& e)    any of them
///
/// It is no std::exception itself, for what has two of those as bases is caught as neither.
class error {
 public:
  virtual char const* what() const noexcept = 0;

 protected:
  error() = default;
  error(error const&) = default;
  error& operator=(error const&) = default;
  virtual ~error() = default;
};

/// A call that failed for another reason than memory: a std::runtime_error.
class call_error : public std::runtime_error, public error {
 public:
  using std::runtime_error::runtime_error;
  char const* what() const noexcept override { return std::runtime_error::what(); }
};

/// A caller broke a documented precondition.
struct contract_error : call_error {
  using call_error::call_error;
};

/// Memory could not be had; `what` says how much, and where.
class allocation_error : public std::bad_alloc, public error {
  std::runtime_error words_;  // whose copies do not throw

 public:
  // NOLINTNEXTLINE(bugprone-throw-keyword-missing): a member, not an exception that is lost
  explicit allocation_error(std::string const& words) : words_(words) {}
  char const* what() const noexcept override { return words_.what(); }
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
