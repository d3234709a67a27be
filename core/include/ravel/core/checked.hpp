#pragma once

/// An executor whose calls verify all of their descriptors and indices before they write anything.

#include <ravel/core/scratch_stack.hpp>
#include <ravel/core/std_memory.hpp>

namespace ravel::inline v0 {

namespace detail {

/// An executor that wraps another, without its tiles.
template <class Ex>
class wrapped_executor {
 protected:
  Ex ex_;

 public:
  using space = typename Ex::space;

  explicit wrapped_executor(Ex ex) : ex_(std::move(ex)) {}

  /// The executor that it wraps.
  Ex const& own() const { return ex_; }

  template <class T>
  auto allocate(index_t n) const {
    return ex_.template allocate<T>(n);
  }
  template <class T>
  auto scratch(index_t n) const {
    return ex_.template scratch<T>(n);
  }
  void lay_scratch(std::shared_ptr<scratch_stack> stack) requires requires(Ex& ex) {
    ex.lay_scratch(stack);
  }
  { ex_.lay_scratch(std::move(stack)); }

  template <class T>
  void copy(T const* source, T* target, index_t n) const {
    ex_.copy(source, target, n);
  }

  void wait() const { ex_.wait(); }
};

}  // namespace detail

/// The type of `checked(ex)`: `Ex`, whose calls verify.
template <executor Ex>
struct checked_executor : detail::wrapped_executor<Ex> {
  using detail::wrapped_executor<Ex>::wrapped_executor;

  index_t tile_count(index_t n) const { return this->ex_.tile_count(n); }

  void for_each_tile(index_t n, auto f) const { this->ex_.for_each_tile(n, f); }
};

/// Verify everything.  As an executor:
///
///     auto const ex = ravel::checked(ravel::cpu::threads());
///     ravel::scatter(ex, values, indices, out);
///
///         scatter: index 7 at position 12 is outside [0, 5)
///
/// and as an option of those stages of pipelines that take it:
///
///     on(ex, values) | gather(indices, checked) | ...
///
/// Calls on `checked(ex)` read their segment descriptors, indices, part numbers and all other
/// values in memory on which their docstring places requirements, before they write anything.  The
/// first wrong value raises a contract_error that names the call, the position and the value.
/// Otherwise the call runs on `ex` itself: the same form, the same result, bit by bit.
///
/// On other executors no primitive writes outside of its outputs either, whatever these values are,
/// but the values that it writes are unspecified: docs/executors.md lists what is always checked.
///
/// Cost     One read of the verified values for each call; docs/executors.md has measured ratios.
///          On a device such a call waits for the result of the check, so it cannot be captured in
///          a CUDA graph.
/// See also the CMake option RAVEL_CHECKED, which makes calls on every executor verify;
///          same_everywhere, which can be checked: checked(same_everywhere(ex)).
struct checked_t {
  template <executor Ex>
  checked_executor<Ex> operator()(Ex ex) const {
    return checked_executor<Ex>(std::move(ex));
  }
};
inline constexpr checked_t checked{};

namespace detail {

#ifdef RAVEL_CHECKED
inline constexpr bool always_checks = true;
#else
inline constexpr bool always_checks = false;
#endif

template <class Ex>
inline constexpr bool is_checked = false;
template <class Ex>
inline constexpr bool is_checked<checked_executor<Ex>> = true;

/// Whether x is in [0, size), by one comparison, for any integer type.
template <class T>
RAVEL_HD constexpr bool is_index_below(T x, index_t size) {
  return static_cast<std::uint64_t>(x) < static_cast<std::uint64_t>(size);
}

/// Whether calls on `Ex` verify.
template <class Ex>
inline constexpr bool checks = always_checks || is_checked<Ex>;

/// The executor that does the work: ex itself for `checked(ex)`.
template <class Ex>
Ex const& own(Ex const& ex) {
  return ex;
}
template <class Ex>
Ex const& own(checked_executor<Ex> const& ex) {
  return ex.own();
}
template <class Ex>
using own_t = std::remove_cvref_t<decltype(own(std::declval<Ex const&>()))>;

}  // namespace detail
}  // namespace ravel::inline v0
