#pragma once

/// Pending: the result of a deferred step, with what the step would read: a reduction that is its only
/// reader takes the place of the step.

#include <ravel/core/std_memory.hpp>
#include <ravel/flatten/context.hpp>
#include <ravel/flatten/deferred.hpp>
#include <ravel/flatten/lifted.hpp>
#include <ravel/flatten/storage.hpp>

namespace ravel::inline v0::flattening {

/// A lifted value that `step` writes when it runs, from `made`; both are gone afterwards.
template <class Ex, class S, class Made>
struct pending : lifted<Ex, S> {
  std::weak_ptr<deferred_step> step;
  std::weak_ptr<Made const> made;
};

template <class Ex, class S, class Made>
inline constexpr bool is_lifted<pending<Ex, S, Made>> = true;
template <class Ex, class S, class Made>
struct element_of_lifted<pending<Ex, S, Made>> : element_of_lifted<lifted<Ex, S>> {};
template <class Ex, class S, class Made, class... Rest>
struct executor_of<pending<Ex, S, Made>, Rest...> : std::type_identity<Ex> {};

/// The last deferred step, if it is this one: during the lifetime of this object other steps run, but not
/// it.  No other deferred step reads its result, as those that do are deferred later.
class set_aside {
  std::shared_ptr<deferred_step> step_;

 public:
  explicit set_aside(std::weak_ptr<deferred_step> const& step) : step_(step.lock()) {
    auto& steps = deferred_steps();
    if (!step_ || steps.empty() || steps.back() != step_) {
      step_ = nullptr;
    } else {
      steps.pop_back();
    }
  }
  set_aside(set_aside const&) = delete;
  set_aside& operator=(set_aside const&) = delete;
  ~set_aside() {
    if (step_ && step_->is_reachable()) deferred_steps().push_back(std::move(step_));
  }
  bool is_empty() const { return step_ == nullptr; }
};

/// The elements that a pack selects: those of the instances of `inner` whose flags are true.
template <class Ex, class X, class E>
struct selection {
  context_ptr<Ex> inner;
  cells<X> elements;
  cells<E> flags;
};

}  // namespace ravel::inline v0::flattening
