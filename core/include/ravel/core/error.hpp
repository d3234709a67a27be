#pragma once

/// The exceptions, and the one function that checks a precondition.

#include <ravel/core/config.hpp>

#include <cstddef>
#include <initializer_list>
#include <new>
#include <ostream>
#include <stdexcept>
#include <string>

#ifdef RAVEL_DEFINES_ARCHIVED
#  include <sstream>
#endif

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

/// A value of any type that a stream writes, so that sentences of all types are made by one function.
class streamed {
  void const* value_;
  void (*write_)(std::ostream&, void const*);

  template <class T>
  static void write(std::ostream& out, void const* value) {
    out << *static_cast<T const*>(value);
  }
  static void write_text(std::ostream& out, void const* text) {
    out << static_cast<char const*>(text);
  }

 public:
  streamed(char const* text) : value_(text), write_(write_text) {}
  template <class T>
  streamed(T const& value) : value_(&value), write_(write<T>) {}

  friend std::ostream& operator<<(std::ostream& out, streamed const& x) {
    x.write_(out, x.value_);
    return out;
  }
};

[[gnu::cold]] std::string sentence_of(std::initializer_list<streamed> words);
std::string sentence(auto const&... words) { return sentence_of({streamed(words)...}); }

[[noreturn, gnu::cold]] void throw_broken(std::initializer_list<streamed> words);

/// Out of line, so that a check costs its caller only a comparison and a branch.  Words are passed
/// by value, so that they can stay in registers.
template <class... Words>  // NOLINTNEXTLINE(performance-unnecessary-value-param)
[[noreturn, gnu::cold, gnu::noinline]] void broken(Words... words) {
  throw_broken({streamed(words)...});
}

[[noreturn, gnu::cold]] void throw_no_memory(char const* call, std::ptrdiff_t n, std::size_t bytes);

#ifdef RAVEL_DEFINES_ARCHIVED
[[gnu::noinline]] RAVEL_ARCHIVED std::string sentence_of(std::initializer_list<streamed> words) {
  std::ostringstream out;
  for (streamed const& word : words) out << word;
  return out.str();
}
[[gnu::noinline]] RAVEL_ARCHIVED void throw_broken(std::initializer_list<streamed> words) {
  throw contract_error(sentence_of(words));
}
[[gnu::noinline]] RAVEL_ARCHIVED void throw_no_memory(char const* call, std::ptrdiff_t n,
                                                      std::size_t bytes) {
  throw allocation_error(
      sentence(call, ": no host memory for ", n, " elements of ", bytes, " bytes"));
}
#endif

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
