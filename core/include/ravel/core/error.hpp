#pragma once

/// @file
/// The exceptions, and the one function that checks a precondition.

#include <new>
#include <sstream>
#include <stdexcept>
#include <string>

namespace ravel::inline v0 {

/// The base of everything this library throws.  Each is a standard exception too: allocation_error
/// is a std::bad_alloc, and all others are std::runtime_errors.
///
///     catch (ravel::error const& e)      all exceptions of this library
///     catch (std::bad_alloc const& e)    out of memory, thrown by this library or by `new`
///     catch (std::exception const& e)    all of them
///
/// It does not derive from std::exception: an exception with two such bases is caught as neither.
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

/// Out of memory; `what` names the number of bytes, and the memory.
class allocation_error : public std::bad_alloc, public error {
  std::runtime_error words_;  // its copies do not throw

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

/// Out of line, so that a check costs its caller only a comparison and a branch.  Words are passed
/// by value, so that they can stay in registers.
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
