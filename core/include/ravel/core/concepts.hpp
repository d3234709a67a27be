#pragma once

/// The vocabulary: monoid, sequence on an executor, executor.

#include <ravel/core/std_ranges.hpp>
#include <ravel/core/view.hpp>

#include <concepts>
#include <type_traits>
#include <utility>

namespace ravel::inline v0 {

/// `M` is a monoid on `T`: an associative `m(x, y)` with a neutral `m.identity()`.
///
/// The compiler checks the shapes; tests/laws/monoid.hpp checks the laws:
///
///     m(m.identity(), x) == x == m(x, m.identity())
///     m(m(x, y), z) == m(x, m(y, z))
///
/// `m` need not be commutative, and no primitive assumes that it is.
template <class M, class T>
concept monoid_for = std::copy_constructible<M> && requires(M const& m, T const& x) {
  { m.identity() } -> std::convertible_to<T>;
  { m(x, x) } -> std::convertible_to<T>;
};

/// `M` is a monoid on the type of its identity.
template <class M>
concept some_monoid = requires(M const& m) {
  m.identity();
  { m(m.identity(), m.identity()) } -> std::convertible_to<decltype(m.identity())>;
};
/// Refuses others; `call` is a literal.
#define RAVEL_EXPECT_MONOID(M, call) \
  static_assert(some_monoid<M>, call ": m is not a monoid: it needs m(x, y) and m.identity()")

/// `Ex` has a memory: it allocates sequences there, copies to and from them, and waits for copies.
template <class Ex>
concept has_memory = requires(Ex const& ex, index_t n, int* p) {
  typename Ex::space;
  { ex.template allocate<int>(n) } -> std::ranges::contiguous_range;
  ex.copy(p, p, n);
  ex.wait();
};

/// An executor runs tiles.  Its whole contract is six operations:
///
///     allocate<T>(n)        an owning, uninitialised sequence of n elements in its memory
///     scratch<T>(n)         the same for the time of one call: cheaper, released in order
///     copy(from, to, n)     n elements between its memory and the host's
///     tile_count(n)         how many tiles [0, n) is cut into
///     for_each_tile(n, f)   f(team, tile) for every tile of [0, n), in any order
///     wait()                returns once everything issued before has finished
///
/// docs/guide/porting_an_executor.md says what a team can do, and how to write an executor.
template <class Ex>
concept executor = has_memory<Ex> && requires(Ex const& ex, index_t n) {
  { ex.template scratch<int>(n) } -> std::ranges::contiguous_range;
  { ex.tile_count(n) } -> std::convertible_to<index_t>;
};

/// An executor of one process, and not of several ranks, whose memory is that of each of them.
template <class Ex>
concept local_executor = executor<Ex> && !requires {
  typename Ex::space::local;
};

/// `R` is a sequence in the memory of executor `Ex`.
template <class R, class Ex>
concept sequence_on = sequence<R> && std::same_as<space_of_t<R>, space_of_t<Ex>>;

/// `R` is a sequence in the memory of executor `Ex`, and its elements may be written.
template <class R, class Ex>
concept writable_on = sequence_on<R, Ex> &&
    !std::is_const_v<std::remove_pointer_t<decltype(view_of(std::declval<R&>()).data())>>;

/// Refuses operands that are not so; `what` is a literal that names the call and the operand.
#define RAVEL_EXPECT_WRITABLE(R, Ex, what) \
  static_assert(writable_on<R, Ex>,        \
                what " is not a writable contiguous sequence in the executor's memory")

}  // namespace ravel::inline v0
