#pragma once

/// Calls with scratch provided by the caller: how many bytes, and where.
///
/// Most calls need no plan: an executor has scratch, and keeps it.  A plan is for callers who must
/// know its size, or want to provide the memory.

#include <ravel/core/scratch_stack.hpp>
#include <ravel/core/std_memory.hpp>

#include <string>

namespace ravel::inline v0 {

/// `ex`, with `memory` for the scratch of its calls: a sequence in its memory, which must outlive
/// the work.  Errors name the calls as `what`.
///
///     auto const mine = with_scratch(ex, buffer, "sums of prices");
///     inclusive_scan(mine, prices, sums);
///
/// Work is still issued on `ex`: on a device, the same stream.  One call at a time may use it.
/// Small thread-local scratch of host threads is not taken from `memory`.
///
/// Errors   A call that needs more memory throws contract_error.
template <executor Ex, sequence R>
Ex with_scratch(Ex ex, R&& memory, std::string what = "with_scratch") {
  static_assert(sequence_on<R, Ex>, "with_scratch: the sequence is not in the executor's memory");
  using T = std::remove_pointer_t<decltype(view_of(memory).data())>;
  static_assert(std::is_trivially_copyable_v<T> && !std::is_const_v<T>,
                "with_scratch: the memory must be of plain elements that may be written");
  static_assert(
      requires { ex.lay_scratch(std::make_shared<scratch_stack>()); },
      "with_scratch: the executor has no lay_scratch(stack)");
  auto const given = view_of(memory);
  ex.lay_scratch(std::make_shared<scratch_stack>(
      given.data(), static_cast<std::size_t>(given.size()) * sizeof(T), std::move(what)));
  return ex;
}

/// A call whose scratch size is known.  `call(ex)` makes it, on an executor of type Ex:
///
///     plan const sums(ex, "sums of prices", [&](auto const& ex) {
///       inclusive_scan(ex, prices, sums);
///     });
///     auto const scratch = ex.allocate<std::byte>(sums.bytes());
///     sums(scratch);   // any number of times
///
/// On a device nothing runs while a call is planned, so operands need not exist yet; calls that
/// wait for the device cannot be planned.  On the host a call is planned by running it once, on the
/// given operands, with all its effects on them.
///
/// The size depends on sizes and types alone, except for sorts on the host and other calls whose
/// documentation says so: for them it depends on the values seen while planning.  Memory that a
/// call returns is not counted.
///
/// Errors   contract_error before anything runs, if the scratch is too small: it names the call and
///          the number of bytes it needs.  The same when a call that waits is planned.
template <executor Ex, class Call>
class plan {
  static_assert(std::invocable<Call const&, Ex const&>, "plan: the call takes an executor");
  Ex ex_;
  std::string what_;
  Call call_;
  std::size_t bytes_ = 0, beside_ = 0;

 public:
  plan(Ex const& ex, std::string what, Call call)
      : ex_(ex), what_(std::move(what)), call_(std::move(call)) {
    static_assert(
        requires(Ex & own) { own.lay_scratch(std::make_shared<scratch_stack>()); },
        "plan: the executor has no lay_scratch(stack)");
    auto const counted = std::make_shared<scratch_stack>();
    Ex rehearsing = ex;
    rehearsing.lay_scratch(counted);
    call_(rehearsing);
    bytes_ = counted->most();
    beside_ = counted->beside();
  }

  /// The bytes of scratch that the call needs, at any alignment.
  index_t bytes() const { return static_cast<index_t>(bytes_); }

  /// The bytes that it uses of preallocated memory of the executor: tile states of a device.
  index_t bytes_of_executor() const { return static_cast<index_t>(beside_); }

  /// Makes the call, with `scratch` of at least bytes() bytes, in the executor's memory.
  template <sequence R>
  decltype(auto) operator()(R&& scratch) const {
    auto const given = static_cast<std::size_t>(size_of(scratch)) * sizeof(element_t<R>);
    expects(given >= bytes_, what_, ": the call needs ", bytes_, " bytes of scratch, and ", given,
            " were given");
    return call_(with_scratch(ex_, scratch, what_));
  }
};

}  // namespace ravel::inline v0
