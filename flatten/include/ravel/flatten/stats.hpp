#pragma once

/// Statistics of nested programs: the number of steps, and of their elements.

#include <ravel/core/launches.hpp>
#include <ravel/core/vocabulary.hpp>
#include <ravel/flatten/deferred.hpp>

#include <source_location>

namespace ravel::inline v0 {

/// The work of the calling thread since `reset_stats()`.
///
///     reset_stats();
///     auto const sorted = to_host(each(rows, quicksort));
///     stats().elements          // a machine-independent measure of work
///
/// A step is one call of a primitive, which on a device is one launch or a few;
/// `elements` is the sum of the sizes of all steps.  `bytes` is the memory that
/// values have now, and `most_bytes` its maximum.  `steps_on_host` counts
/// the steps of a device's program that the host has finished, `kernels` the launches of the
/// others, and `waits` how often the host read what steps had computed, and waited for it.
struct program_stats {
  index_t steps = 0;
  index_t steps_on_host = 0;
  index_t elements = 0;
  index_t bytes = 0;
  index_t most_bytes = 0;
  index_t kernels = 0;
  index_t waits = 0;
};

namespace flattening {

inline thread_local program_stats counted_steps;
inline thread_local index_t kernels_before_steps = 0;

/// The type of the elements of an array.  Numbers can be shown; other types are known by `id` alone.
template <class T>
inline constexpr char id_of_type = 0;
struct number_type {
  void const* id = nullptr;  // &id_of_type<T>
  bool is_bool = false, is_char = false, is_signed = false, is_real = false, is_known = false;

  template <class T>
  bool is() const {
    return id == &id_of_type<T>;
  }
};
template <class T>
constexpr number_type number_type_of() {
  if constexpr (std::is_arithmetic_v<T> && sizeof(T) <= 8) {
    return {&id_of_type<T>,      std::is_same_v<T, bool>,     std::is_same_v<T, char>,
            std::is_signed_v<T>, std::is_floating_point_v<T>, true};
  } else {
    return {&id_of_type<T>};
  }
}

/// Hears of the steps and contexts of the calling thread, and of the memory of its values:
/// flatten/explain.hpp.  Programs that explain nothing link none of what it does.
class step_listener {
 public:
  step_listener() = default;
  step_listener(step_listener const&) = delete;
  step_listener& operator=(step_listener const&) = delete;
  virtual ~step_listener() = default;

  /// A part of the program begins, at one level more, whose steps follow.
  virtual void part(char const* name, std::source_location const& at) = 0;
  /// Before a step of n elements; `how` is the type of its function object, or null.
  virtual void step(char const* what, index_t n, char const* how) = 0;
  /// `n` elements were allocated at `data`, in memory of the host.
  virtual void allocated(void* data, index_t n, std::size_t bytes, number_type type) = 0;
  /// Memory at `data` will be released.
  virtual void released(void const* data) = 0;
};
inline thread_local step_listener* listener = nullptr;
inline thread_local int depth_of_program = 0;

inline void note_step(char const* what, index_t n, char const* how = nullptr) {
  if (steps_are_refused) throw no_expression{};
  if (listener) listener->step(what, n, how);
}
inline thread_local bool steps_are_on_host = false;
/// Called before each step.
inline void count_step(char const* what, index_t n, char const* how = nullptr) {
  if (steps_are_refused) throw no_expression{};
  run_deferred_steps();
  ++counted_steps.steps;
  if (steps_are_on_host) ++counted_steps.steps_on_host;
  counted_steps.elements += n;
  note_step(what, n, how);
}

/// Counts steps as steps on the host during its lifetime.
struct counting_on_host {
  counting_on_host() { steps_are_on_host = true; }
  counting_on_host(counting_on_host const&) = delete;
  counting_on_host& operator=(counting_on_host const&) = delete;
  ~counting_on_host() { steps_are_on_host = false; }
};

/// A text that contains the name of T.
template <class T>
constexpr auto text_of_type() {
  return __PRETTY_FUNCTION__;
}

/// The most bytes that values of this thread may have: flatten/budget.hpp.
inline thread_local index_t bytes_allowed = std::numeric_limits<index_t>::max();
/// Thrown where they would have more, and caught where they were limited.
struct over_budget {};
inline void expect_allowed(index_t more) {
  if (more > bytes_allowed - counted_steps.bytes) throw over_budget{};
}

inline constexpr index_t no_limit = std::numeric_limits<index_t>::max();

/// Limits the memory of values during its lifetime, as far as that is not limited already.
class within_bytes {
  index_t const before_ = counted_steps.bytes, most_ = counted_steps.most_bytes;
  index_t const allowed_ = bytes_allowed;

 public:
  explicit within_bytes(index_t more) {
    bytes_allowed = std::min(allowed_, more < allowed_ - before_ ? before_ + more : allowed_);
    counted_steps.most_bytes = before_;
  }
  within_bytes(within_bytes const&) = delete;
  within_bytes& operator=(within_bytes const&) = delete;
  ~within_bytes() {
    bytes_allowed = allowed_;
    counted_steps.most_bytes = std::max(counted_steps.most_bytes, most_);
  }

  /// The most memory that values had since, less what they had before.
  index_t most() const { return counted_steps.most_bytes - before_; }
};

/// Memory of values, counted until it is released: the deleter of its owner, in which `owner_of`
/// finds it again.
template <class Buffer>
class counted_memory {
  index_t bytes_;
  Buffer buffer_;

  static void count(index_t bytes) {
    counted_steps.bytes += bytes;
    counted_steps.most_bytes = std::max(counted_steps.most_bytes, counted_steps.bytes);
  }

 public:
  counted_memory(Buffer b, index_t bytes) : bytes_(bytes), buffer_(std::move(b)) { count(bytes); }
  counted_memory(counted_memory&& source) noexcept
      : bytes_(std::exchange(source.bytes_, 0)), buffer_(std::move(source.buffer_)) {}
  counted_memory& operator=(counted_memory&&) = delete;

  void* data() const { return buffer_.data(); }
  index_t bytes() const { return bytes_; }
  /// Counts memory that was not used before.
  void begin_to_count(index_t bytes) {
    expect_allowed(bytes);
    bytes_ = bytes;
    count(bytes);
  }
  void operator()(void const*) {
    Buffer const ended(std::move(buffer_));
    if (listener && ended.data()) listener->released(ended.data());
    count(-bytes_);
  }
};

}  // namespace flattening

/// What nested programs of this thread did since the last reset_stats().  Runs deferred steps
/// first.
inline program_stats stats() {
  flattening::run_deferred_steps();
  auto seen = flattening::counted_steps;
  seen.kernels = kernels_launched() - flattening::kernels_before_steps;
  return seen;
}
inline void reset_stats() {
  flattening::run_deferred_steps();
  auto& counted = flattening::counted_steps;
  counted = {.bytes = counted.bytes, .most_bytes = counted.bytes};
  flattening::kernels_before_steps = kernels_launched();
}

/// Names the steps of its lifetime, for explain, which shows the name and the line of its source.
///
///     part_of_program const now("hook");
///
/// Cost     None for programs that are not explained.  Deferred steps may run after its end.
class part_of_program {
  bool const is_shown_ = flattening::listener != nullptr;

 public:
  explicit part_of_program(char const* name,
                           std::source_location const& at = std::source_location::current()) {
    if (!is_shown_) return;
    flattening::listener->part(name, at);
    ++flattening::depth_of_program;
  }
  part_of_program(part_of_program const&) = delete;
  part_of_program& operator=(part_of_program const&) = delete;
  ~part_of_program() {
    if (is_shown_) --flattening::depth_of_program;
  }
};

}  // namespace ravel::inline v0
