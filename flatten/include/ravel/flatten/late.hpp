#pragma once

/// @file
/// Late steps: those that are put off until another step is taken, and which it may then be
/// possible to do without, or to take together.

#include <memory>
#include <utility>
#include <vector>

namespace ravel::inline v0::flattening {

/// A step whose result nobody has read yet, since nothing is read but by steps.
class late_step {
 public:
  late_step() = default;
  late_step(late_step const&) = delete;
  late_step& operator=(late_step const&) = delete;
  virtual ~late_step() = default;

  /// Takes some of the steps that are put off as one, if this is the first of them.
  virtual void take_together(std::vector<std::shared_ptr<late_step>> const&) {}
  /// Takes the step, unless that has been done, or nobody can read what it writes.
  virtual void take() = 0;
};

/// Of the calling thread, in their order.  A variable of a namespace would be one too many for GCC
/// 12 behind nvcc, which defines its guard twice.
inline std::vector<std::shared_ptr<late_step>>& late_steps() {
  thread_local std::vector<std::shared_ptr<late_step>> of_this_thread;
  return of_this_thread;
}

/// Takes what is put off, ahead of a step or whatever else reads memory.
inline void take_late_steps() {
  while (!late_steps().empty()) {
    auto const now = std::exchange(late_steps(), {});
    for (auto const& step : now) step->take_together(now);
    for (auto const& step : now) step->take();
  }
}

/// Memory whose values are written late, and which is kept from then on.
struct late_memory {
  std::weak_ptr<void const> now;
  std::shared_ptr<void const> kept = {};
};

/// A step that writes memory, if somebody still has that.
template <class Fill>
class late_fill final : public late_step {
  std::shared_ptr<late_memory> memory_;
  Fill fill_;

 public:
  late_fill(std::shared_ptr<late_memory> memory, Fill fill)
      : memory_(std::move(memory)), fill_(std::move(fill)) {}
  void take() override {
    if (auto const owner = memory_->now.lock()) {
      memory_->kept = owner;
      fill_();
    }
  }
};
/// Has fill() write the memory of `owner`, later.
template <class Fill>
std::shared_ptr<late_memory> filled_late(std::shared_ptr<void const> const& owner, Fill fill) {
  auto const memory = std::make_shared<late_memory>(late_memory{owner});
  late_steps().push_back(std::make_shared<late_fill<Fill>>(memory, std::move(fill)));
  return memory;
}

}  // namespace ravel::inline v0::flattening
