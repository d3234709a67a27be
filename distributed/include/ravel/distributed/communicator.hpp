#pragma once

/// Communicators: a group of ranks that make the same calls in the same order.
///
/// A rank is one thread or process with an executor of its own.  A communicator is a handle to the
/// group; copies are the same member.  Its models are
///
///     in_process        threads of one process, for host data               in_process.hpp
///     mpi               processes, for host data                            mpi.hpp
///     nccl<Host>        GPUs, for device data, beside a host communicator   nccl.cuh
///     checked<C>        C, with calls and sizes compared over ranks         checked.hpp
///
/// Sizes are 64-bit numbers of bytes.

#include <ravel/core/vocabulary.hpp>

#include <chrono>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ravel::inline v0::distributed {

/// Why the calls of a group ended: the first rank that failed, the call that it was in, and what it
/// said.  Every rank of the group throws the same error.
class error : public call_error {
  int rank_;
  std::string call_;

 public:
  error(int rank, std::string const& call, std::string const& sentence)
      : call_error(ravel::detail::sentence(
            "rank ", rank, ": ", sentence.starts_with(call) || call.empty() ? "" : call + ": ",
            sentence)),
        rank_(rank),
        call_(call) {}
  int rank() const { return rank_; }
  /// Empty for an exception outside of calls of this layer.
  std::string const& call() const { return call_; }
};

/// The numbers of bytes that one rank exchanges with each.
using byte_counts = std::span<std::size_t const>;

/// Consecutive bytes of a memory.
struct run_of_bytes {
  std::size_t begin, size;
};

/// Work of a rank around an exchange: prepare(executor) issues what writes the data that is sent,
/// finish(executor) what needs the data that comes, each on the rank's executor or on one beside it, and
/// beside() what needs neither.
struct no_work {
  void operator()(auto const&...) const {}
};
template <class Prepare = no_work, class Beside = no_work, class Finish = no_work>
struct work_around {
  Prepare prepare = {};
  Beside beside = {};
  Finish finish = {};
};
template <class Prepare>
work_around(Prepare) -> work_around<Prepare>;
template <class Prepare, class Beside>
work_around(Prepare, Beside) -> work_around<Prepare, Beside>;
template <class Prepare, class Beside, class Finish>
work_around(Prepare, Beside, Finish) -> work_around<Prepare, Beside, Finish>;

/// `C` is a communicator.  `on` is the executor of the rank: data is read and written in its order.
///
///     rank(), size()
///     all_gather(on, mine, all, bytes)      all[r * bytes ...] is what rank r has at `mine`;
///                                           `mine` may be its own place in `all`
///     all_to_all_v(on, from, counts, to, to_counts)
///                                           from[...] holds counts[r] bytes for rank r, in the
///                                           order of ranks; `to` likewise what each rank sent.
///                                           Counts of 0 cost nothing, so this is the exchange
///                                           with neighbours and the broadcast, too.  What a rank
///                                           sends to itself stays if its own to_count is 0.
///     exchange_beside(on, from, out, to, in, work)
///                                           out[r] of `from` goes to rank r, and in[r] of `to` is what
///                                           it sends.  What a rank sends to itself stays.  The rank
///                                           does its work around that; what is issued on `on` later
///                                           sees all of it.  On devices runs that begin at multiples
///                                           of 16 bytes are fastest
///     all_gather_host(mine, all, bytes)     all_gather of values in host memory; waits
///     wait(on)                              returns once the work issued on `on` is done
///     abort(call, sentence)                 throws `error`, here and in every pending and later
///                                           call of all ranks; the first of several wins
///     failure()                             the error that ended the group, if one did
///     sent()                                the bytes that this rank has sent to others so far
///
/// Data of all_gather, all_to_all_v and exchange_beside is in the memory that `memory` names.  On hosts
/// the first two return when they are done; on devices they are issued on the stream.  No call waits
/// for another rank longer than the time limit of the group, after which every rank throws `error`.
template <class C>
concept communicator = std::copy_constructible<C> &&
    requires(C const& c, std::byte const* src, std::byte* dst, std::size_t bytes,
             byte_counts counts, std::string const& text) {
  typename C::memory;
  { c.rank() } -> std::same_as<int>;
  { c.size() } -> std::same_as<int>;
  c.all_gather_host(src, dst, bytes);
  c.abort(text, text);
  { c.failure() } -> std::same_as<std::optional<error>>;
  { c.sent() } -> std::same_as<std::uint64_t>;
};

/// `C` carries the data of executors `On`.
template <class C, class On>
concept communicator_of = communicator<C> && std::same_as<typename C::memory, typename On::space> &&
    requires(C const& c, On const& on, std::byte const* src, std::byte* dst, std::size_t bytes,
             byte_counts counts, std::span<run_of_bytes const> runs, work_around<> const& work) {
  c.all_gather(on, src, dst, bytes);
  c.all_to_all_v(on, src, counts, dst, counts);
  c.exchange_beside(on, src, runs, dst, runs, work);
  c.wait(on);
};

/// What one rank copies from another, or others from it: bytes [begin, begin + size) of the room of
/// the rank that has them.
struct run_of_room {
  int rank;  // the other one
  std::size_t begin, size;
  std::byte* to = nullptr;  // where they go, on the rank that copies them
};

/// Copies that are waited for together.
struct exchange_step {
  std::vector<run_of_room> sent, received;
};

/// `C` lends executors `On` rooms that other ranks copy from, several exchanges ahead:
///
///     std::byte* const room = open_room(on, bytes)
///                                           memory of this rank, with room for as many bytes on all ranks,
///                                           until a later call.  Others may still copy what was there
///                                           before, until all ranks have met after they waited for it
///     auto const arrive = start_exchanges(on, steps)
///                                           copies what was received of the rooms of others, once the
///                                           work issued on `on` before is done on all ranks, one step
///                                           after another.  All ranks have as many steps, and `sent` of
///                                           each is what the others receive, in their order
///     arrive[k].wait(on)                    what is issued on `on` from now on sees what step k received
///
/// Runs that begin at multiples of 16 bytes are fastest.
template <class C, class On>
concept lends_rooms = communicator_of<C, On> &&
    requires(C const& c, On const& on, std::size_t bytes, std::vector<exchange_step> const& steps) {
  { c.open_room(on, bytes) } -> std::same_as<std::byte*>;
  c.start_exchanges(on, steps)[0].wait(on);
};

namespace detail {

/// The call of this layer that a thread is in.  Calls within it are its steps, and keep its name.
class call_of_thread {
  static inline thread_local char const* current = nullptr;
  bool is_outermost_ = current == nullptr;

 public:
  explicit call_of_thread(char const* call) {
    if (is_outermost_) current = call;
  }
  call_of_thread(call_of_thread const&) = delete;
  call_of_thread& operator=(call_of_thread const&) = delete;
  ~call_of_thread() {
    if (is_outermost_) current = nullptr;
  }
  bool is_outermost() const { return is_outermost_; }
  static char const* name() { return current; }
  static char const* name_or(char const* other) { return current != nullptr ? current : other; }
};

/// Whether C compares the calls of ranks, as `checked` does.
template <class C>
concept compares_calls = requires(C const& c) {
  c.template expect_same_call<int>();
  c.expect_one_size("", index_t{});
};

/// Returns f(), the work of `call` on this rank; what it throws ends the calls of every rank.
template <communicator C, class F>
decltype(auto) abort_on_exception(C const& ranks, char const* call, F const& f) {
  try {
    return f();
  } catch (error const&) {
    throw;
  } catch (std::exception const& e) {
    ranks.abort(call, e.what());
  } catch (...) {
    ranks.abort(call, "an exception that is no std::exception");
  }
}

inline std::string waited(std::chrono::milliseconds limit, std::string const& for_whom) {
  return ravel::detail::sentence("waited ", 1e-3 * double(limit.count()), " s for ", for_whom);
}

}  // namespace detail
}  // namespace ravel::inline v0::distributed
