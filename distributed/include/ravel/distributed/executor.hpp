#pragma once

/// The executor of several ranks: a local executor and a communicator.
///
///     executor const ex(cpu::threads(), ranks);
///     auto const x = from(ex, numbers);          // the piece of this rank
///     inclusive_scan(ex, x, sums);               // as on one machine
///
/// Every rank makes the same calls in the same order, on operands that are distributed.  Calls of
/// ravel are found as on any executor: by the tables of forms of distributed::machine, or by
/// overloads in this layer.  The work on a rank's piece is a call on the local executor.

#include <ravel/distributed/communicator.hpp>

namespace ravel::inline v0 {

/// A base of executors of several ranks, through which calls that are made of others, as sort and
/// transform, find those of this layer: by the namespace of an argument's base.
struct finds_calls_of_ranks {};

namespace distributed {

/// The memories of all ranks, each of the kind `Space`.
template <class Space>
struct across {
  using local = Space;
};

/// The machine description, by which forms are chosen.
struct machine {
  int ranks = 1;
};

template <class T, class Ex>
class sequence;

/// Elements that each rank has all of: totals, initial values, and the scratch of calls.
template <class T, class Space, class Buffer = view<T, typename Space::local>>
class replica {
  Buffer elements_;

 public:
  using value_type = T;
  using space = Space;

  explicit replica(Buffer elements) : elements_(std::move(elements)) {}
  T* data() const { return elements_.data(); }
  T* begin() const { return data(); }
  T* end() const { return data() + size(); }
  index_t size() const { return static_cast<index_t>(elements_.size()); }
  view<T, typename Space::local> local() const { return {data(), size()}; }
};

namespace detail {
template <class X>
inline constexpr bool is_replica = false;
template <class T, class Space, class Buffer>
inline constexpr bool is_replica<replica<T, Space, Buffer>> = true;
}  // namespace detail

/// Runs calls on all ranks of a group.  Copies share the local executor and the communicator.
///
/// Errors   What ends a call on one rank, such as an exception of a user's operator, ends it on
///          all: `error` names the rank, the call and what it said.
template <class Local, class Communicator>
class executor : finds_calls_of_ranks {
  static_assert(std::same_as<typename Communicator::memory, typename Local::space>,
                "distributed::executor: the communicator carries data in another memory than that "
                "of the local executor: in_process and mpi are for hosts, nccl for devices");
  static_assert(communicator_of<Communicator, Local>,
                "distributed::executor: the second argument is not a communicator "
                "(distributed/communicator.hpp)");
  Local local_;
  Communicator ranks_;

 public:
  using space = across<typename Local::space>;

  executor(Local local, Communicator ranks) : local_(std::move(local)), ranks_(std::move(ranks)) {}

  Local const& local() const { return local_; }
  Communicator const& ranks() const { return ranks_; }
  distributed::machine machine() const { return {ranks_.size()}; }

  /// n elements in pieces whose sizes differ by one at most.
  template <class T>
  sequence<T, executor> allocate(index_t n) const {
    return sequence<T, executor>(*this, n);
  }
  /// n elements on each rank.
  template <class T>
  auto scratch(index_t n) const {
    auto elements = local_.template scratch<T>(n);
    return replica<T, space, decltype(elements)>(std::move(elements));
  }
  /// The same, owned for longer than a call.
  template <class T>
  auto replicate(index_t n) const {
    auto elements = local_.template allocate<T>(n);
    return replica<T, space, decltype(elements)>(std::move(elements));
  }
  /// n elements between this rank's memory and its host's.
  template <class T>
  void copy(T const* src, T* dst, index_t n) const {
    local_.copy(src, dst, n);
  }
  /// Returns once everything issued before has finished on this rank.
  void wait() const { ranks_.wait(local_); }

  index_t tile_count(index_t n) const { return local_.tile_count(n); }
  template <class F>
  void for_each_tile(index_t, F const&) const {
    static_assert(!std::same_as<F, F>,
                  "distributed::executor: this call has no form for several ranks; "
                  "distributed/README.md lists the calls that have one, by their headers, which "
                  "are to be included.  On the piece of one rank call it on ex.local()");
  }
};

/// Whether Ex is an executor of several ranks.
template <class Ex>
inline constexpr bool is_executor = false;
template <class Local, class Communicator>
inline constexpr bool is_executor<executor<Local, Communicator>> = true;
template <class Ex>
concept some_executor = ravel::executor<Ex> && is_executor<Ex>;

namespace detail {

/// The executor and the communicator of a rank.
template <class Ex>
using local_of = std::remove_cvref_t<decltype(std::declval<Ex const&>().local())>;
template <class Ex>
using ranks_of = std::remove_cvref_t<decltype(std::declval<Ex const&>().ranks())>;
/// Memory of a rank for elements of type T, owned or for a call.
template <class Ex, class T>
using buffer_of = decltype(std::declval<local_of<Ex> const&>().template allocate<T>(0));
template <class Ex, class T>
using scratch_of = decltype(std::declval<local_of<Ex> const&>().template scratch<T>(0));

}  // namespace detail

/// The last form of each table: what no form takes is refused by a sentence.
struct not_distributed {
  static constexpr auto name = "not_distributed";
  static constexpr auto why = "Refused: operands that are no sequences, or options for one rank.";
  template <class Ex, class Call>
  static void run(Ex const&, Call const&) {
    static_assert(
        sizeof(Call) == 0,
        "distributed: this call has no form for several ranks: operands are distributed "
        "sequences, or maps and zips of them, values of the monoid are trivially "
        "copyable, segments are by heads, keys, offsets or lengths that are distributed, "
        "and same_everywhere has reductions and forward scans, without tuples or segments");
  }
};

/// Runs f(), the work of `call` on this rank; what it throws ends the call on every rank.  The error
/// names the call that the caller made, of which `call` may be a step.  A checked communicator compares
/// the names of calls, and the types `Compared`, those of `f` by default, which those of operands,
/// operators and options are part of.
template <class Compared = void, class Ex, class F>
decltype(auto) together(Ex const& ex, char const* call, F const& f) {
  detail::call_of_thread const made(call);
  return detail::abort_on_exception(ex.ranks(), made.name(), [&]() -> decltype(auto) {
    if constexpr (detail::compares_calls<decltype(ex.ranks())>) {
      using Types = std::conditional_t<std::is_void_v<Compared>, F, Compared>;
      if (made.is_outermost()) ex.ranks().template expect_same_call<Types>();
    }
    return f();
  });
}

}  // namespace distributed
}  // namespace ravel::inline v0
