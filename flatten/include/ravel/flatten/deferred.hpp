#pragma once

/// Deferred (lazy) steps: run before the next step that reads memory, where they may turn out to be
/// unneeded, or be fused with others.

#include <ravel/core/std_memory.hpp>
#include <ravel/flatten/archived.hpp>
#include <ravel/flatten/optimiser.hpp>

#include <utility>
#include <vector>

namespace ravel::inline v0::flattening {

/// A step whose result has not been read yet, as only steps read memory.
class deferred_step {
 public:
  deferred_step() = default;
  deferred_step(deferred_step const&) = delete;
  deferred_step& operator=(deferred_step const&) = delete;
  virtual ~deferred_step() = default;

  /// Fuses several deferred steps, if this is the first of them.
  virtual void take_together(std::vector<std::shared_ptr<deferred_step>> const&) {}
  /// Runs the step, unless that has been done, or its result is unreachable.
  virtual void take() = 0;
  /// Where it will write a copy of elements, if it does no more than that, and its result is reachable.
  virtual void const* copy() const { return nullptr; }
  /// Whether anything but the step itself owns its result.
  virtual bool is_reachable() const { return true; }
};

/// The deferred steps of the calling thread, in order.  In a function, as GCC 12 under nvcc
/// defines the guard of a namespace-scope variable twice.
inline std::vector<std::shared_ptr<deferred_step>>& deferred_steps() {
  thread_local std::vector<std::shared_ptr<deferred_step>> of_this_thread;
  return of_this_thread;
}

/// Whether a step throws `no_expression`: while `while_` finds out what its functions compute.
inline thread_local bool steps_are_refused = false;
/// A function that was to be an expression runs a step.
struct no_expression {};
/// Sets `steps_are_refused` during its lifetime.
class refusing_steps {
  bool const before_;

 public:
  explicit refusing_steps(bool refused) : before_(std::exchange(steps_are_refused, refused)) {}
  refusing_steps(refusing_steps const&) = delete;
  refusing_steps& operator=(refusing_steps const&) = delete;
  ~refusing_steps() { steps_are_refused = before_; }
};

/// Runs the deferred steps: before a step, or any other read of memory.
void run_deferred_steps();
#ifdef RAVEL_DEFINES_NESTED
RAVEL_NESTED void run_deferred_steps() {
  if (deferred_steps().empty()) return;
  refusing_steps const none(false);
  while (!deferred_steps().empty()) {
    auto const steps = std::exchange(deferred_steps(), {});
    for (auto const& step : steps) step->take_together(steps);
    for (auto const& step : steps) step->take();
  }
}
#endif

/// Runs a step, something else of which owns the result: later, or at once.
inline void defer(std::shared_ptr<deferred_step> step) {
  deferred_steps().push_back(std::move(step));
  if (!defers_steps) run_deferred_steps();
}

/// Memory with a deferred write, kept alive from then on.
struct deferred_memory {
  std::weak_ptr<void const> now;
  std::shared_ptr<void const> kept = {};
};

/// A deferred step that writes memory, if the memory is still owned.
template <class Fill>
class deferred_fill final : public deferred_step {
  std::shared_ptr<deferred_memory> memory_;
  Fill fill_;

 public:
  deferred_fill(std::shared_ptr<deferred_memory> memory, Fill fill)
      : memory_(std::move(memory)), fill_(std::move(fill)) {}
  void take() override {
    if (auto const owner = memory_->now.lock()) {
      memory_->kept = owner;
      fill_();
    }
  }
};
/// Defers fill(), which writes the memory of `owner`.
template <class Fill>
std::shared_ptr<deferred_memory> fill_deferred(std::shared_ptr<void const> const& owner,
                                               Fill fill) {
  auto const memory = std::make_shared<deferred_memory>(deferred_memory{owner});
  defer(std::make_shared<deferred_fill<Fill>>(memory, std::move(fill)));
  return memory;
}

}  // namespace ravel::inline v0::flattening
