#pragma once

/// Fibres: threads of control that take turns on one host thread.

#include <ravel/core/config.hpp>

#include <boost/context/fiber.hpp>
#include <boost/context/stack_context.hpp>

#include <exception>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#ifdef RAVEL_UNDER_ASAN
#  include <sanitizer/common_interface_defs.h>
#endif

namespace ravel::software {

/// Copies of a body, each of which runs, when it is resumed, until it yields.
/// All of them stay on one host thread.
class fibres {
  using context = boost::context::fiber;
  using stack = boost::context::stack_context;
  static constexpr std::size_t stack_bytes = std::size_t{1} << 16;

  /// Lends the same stack again and again.
  struct lent {
    stack from;
    stack allocate() const { return from; }
    void deallocate(stack&) const {}
  };

  struct fibre {
    std::unique_ptr<char[]> memory{new char[stack_bytes]};
    context self;
    bool done = true;

    stack own() const {
      stack s;
      s.size = stack_bytes;
      s.sp = memory.get() + stack_bytes;  // it grows downward
      return s;
    }
  };

  std::vector<fibre> all_;
  context scheduler_;
  unsigned current_ = 0;
  unsigned alive_ = 0;
  std::function<void()> body_;
  std::exception_ptr thrown_;
  bool dropping_ = false;

  /// How a fibre that is halfway is ended.
  struct dropped {};

  // AddressSanitizer needs to know every switch, and its target stack.
#ifdef RAVEL_UNDER_ASAN
  void const* scheduler_stack_ = nullptr;
  std::size_t scheduler_bytes_ = 0;

  void arrive_in_fibre(void* here) {
    __sanitizer_finish_switch_fiber(here, &scheduler_stack_, &scheduler_bytes_);
  }
  void leave_fibre(void** here) {
    __sanitizer_start_switch_fiber(here, scheduler_stack_, scheduler_bytes_);
  }
  void enter(fibre& f) {
    void* here = nullptr;
    __sanitizer_start_switch_fiber(&here, f.memory.get(), stack_bytes);
    f.self = std::move(f.self).resume();
    __sanitizer_finish_switch_fiber(here, nullptr, nullptr);
  }
#else
  void arrive_in_fibre(void*) {}
  void leave_fibre(void**) {}
  void enter(fibre& f) { f.self = std::move(f.self).resume(); }
#endif

  context run(context&& scheduler) {
    arrive_in_fibre(nullptr);
    scheduler_ = std::move(scheduler);
    try {
      if (!dropping_) body_();
    } catch (dropped const&) {
    } catch (...) {
      thrown_ = std::current_exception();
    }
    all_[current_].done = true;
    --alive_;
    leave_fibre(nullptr);
    return std::move(scheduler_);
  }

 public:
  void start(unsigned count, std::function<void()> body) {
    body_ = std::move(body);
    thrown_ = nullptr;
    alive_ = count;
    if (all_.size() < count) all_.resize(count);
    for (unsigned k = 0; k < count; ++k) {
      all_[k].done = false;
      all_[k].self = context(std::allocator_arg, lent{all_[k].own()},
                             [this](context&& scheduler) { return run(std::move(scheduler)); });
    }
  }

  /// Ends those that are halfway.
  void drop() {
    dropping_ = true;
    for (unsigned k = 0; k < all_.size(); ++k) resume(k);
    dropping_ = false;
  }

  /// How many have not come to their end.
  unsigned alive() const { return alive_; }
  /// What one of them threw.
  std::exception_ptr thrown() const { return thrown_; }
  /// The number of the fibre that is running.
  unsigned current() const { return current_; }

  /// Whether `p` is on the stack of the fibre that is running.
  bool has_on_stack(void const* p) const {
    char const* const first = all_[current_].memory.get();
    return first <= p && p < first + stack_bytes;
  }

  void resume(unsigned k) {
    if (all_[k].done) return;
    current_ = k;
    enter(all_[k]);
  }

  /// Called in a fibre: lets the others go on.
  void yield() {
    void* here = nullptr;
    leave_fibre(&here);
    scheduler_ = std::move(scheduler_).resume();
    arrive_in_fibre(here);
    if (dropping_) throw dropped{};
  }
};

}  // namespace ravel::software
