#pragma once

/// Marks: bits that the threads of a rank set, one for each of some numbers.

#include <ravel/core/atomic.hpp>

namespace ravel::inline v0::distributed::detail {

/// Whether one thread does all work of an executor.
template <class Local>
bool is_one_thread(Local const& local) {
  if constexpr (requires { local.concurrency(); }) {
    return local.concurrency() == 1;
  } else {
    return std::same_as<typename Local::space, host_space>;
  }
}

/// Sets bits.  Of one thread an atomic operation takes four times as long as another, since the next waits
/// for it.
template <class Word>
struct marks {
  static constexpr index_t width = 8 * sizeof(Word);
  Word* words;
  bool is_alone;

  marks(auto const& local, Word* w) : words(w), is_alone(is_one_thread(local)) {}

  RAVEL_HD void set(index_t i) const {
    auto const k = static_cast<std::uint64_t>(i);
    Word const bit = Word{1} << k % width;
    if (is_alone) {
      words[k / width] |= bit;
    } else {
      fetch_or(words + k / width, bit);
    }
  }
};

}  // namespace ravel::inline v0::distributed::detail
