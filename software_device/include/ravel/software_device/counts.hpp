#pragma once

/// What a call does on the device in software, in numbers: accesses, memory transactions, bank
/// conflicts, barriers, applications of an operator, and the longest chain of them.
///
///     software::counts const c = software::counted(ex, [&] { reverse(ex, in, out); });
///     c.global.transactions  // of 32 bytes

#include <ravel/software_device/observer.hpp>

#include <algorithm>
#include <cstddef>
#include <string>

namespace ravel::software {

/// What was counted, of all launches of a call together.
struct counts {
  /// Accesses by single threads, and what they take: the lanes of a warp that access memory by one
  /// instruction share it.
  struct of_memory {
    std::size_t reads = 0, writes = 0;
    /// In global memory the aligned segments of 32 bytes that the lanes of an access touch; in
    /// shared memory its passes: each of 32 banks gives one word of 4 bytes in a pass.
    std::size_t transactions = 0;
    bool operator==(of_memory const&) const = default;
  };
  of_memory global, shared;
  /// The passes of shared memory beyond those without conflicts, in which lanes wait for a bank.
  std::size_t bank_conflicts = 0;
  std::size_t launches = 0, barriers = 0, exchanges = 0;
  /// The launches, each with the most barriers of one of its blocks.
  std::size_t steps = 0;
  /// Calls of operators in `counting`; the longest chain of them, each of which takes the result of
  /// another, without those that have an identity as operand.
  std::size_t work = 0, span = 0;
  bool operator==(counts const&) const = default;
  /// One call after another.
  counts& operator+=(counts const&);
};

/// The counts in lines of text, for people.
std::string text_of(counts const&);

/// Counts all launches on the device until it ends, and passes all events on to the observer that it
/// replaced.  Counters nest.
///
/// The i-th access of a thread by an instruction, since all lanes of its warp met or its block
/// synchronised, is the i-th of the other lanes.  Accesses are seen in a program that links
/// ravel::observed_device, as the compiler has left them; bulk copies in every program.
class counter : public observer {
 public:
  counter();
  ~counter() override;
  counter(counter const&) = delete;
  counter& operator=(counter const&) = delete;

  /// So far; complete where no kernel runs.
  counts const& so_far() const { return all_; }

  void begins(shape const&) override;
  void ends() override;
  void block_ends() override;
  void synchronised() override;
  void exchanged(char const* what, unsigned mask, std::uint64_t const* words) override;
  void accessed(access const&) override;
  void copied(void const* to, void const* from, std::size_t bytes, bool to_shared) override;

  /// An operation that made a result from operands at the end of chains of `depth` - 1.
  static void operates(int depth);

 private:
  struct state;
  counts all_;
  state* state_;
  observer* before_;
  counter* outer_;
};

/// The counts of `f()` on the device of `ex`, for which it waits.
///
///     counted(ex, [&] { fill(ex, x, 7); }).global.writes    // 64, if x has 64 elements
///
/// Errors   those of f
template <class Ex, class F>
counts counted(Ex const& ex, F f) {
  counter const c;
  f();
  ex.wait();
  return c.so_far();
}

/// A value, and the length of the longest chain of operations that made it: -1 of an identity.
template <class T>
struct traced {
  T value{};
  int depth = 0;
};

/// The operation m on traced values, which counts its calls.
template <class M>
struct counting {
  M m;

  auto identity() const { return traced<decltype(m.identity())>{m.identity(), -1}; }
  template <class T>
  traced<T> operator()(traced<T> const& a, traced<T> const& b) const {
    traced<T> made{m(a.value, b.value), std::max(a.depth, b.depth)};
    if (a.depth >= 0 && b.depth >= 0) ++made.depth;
    counter::operates(made.depth);
    return made;
  }
};
template <class M>
counting(M) -> counting<M>;

}  // namespace ravel::software
