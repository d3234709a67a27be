#pragma once

/// @file
/// Fibres: threads of control that take turns on one host thread.

#include <boost/context/fiber.hpp>
#include <boost/context/stack_context.hpp>

#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#ifdef __SANITIZE_ADDRESS__
#  include <sanitizer/common_interface_defs.h>
#endif

namespace ravel::testing {

/// Runs `count` copies of a body, each until it yields, in turn.  It throws what
/// a body throws, and says so if all of them wait and none goes on.
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
    bool done = false;

    stack own() const {
      stack s;
      s.size = stack_bytes;
      s.sp = memory.get() + stack_bytes;  // it grows downward
      return s;
    }
  };

  static inline std::vector<fibre> all_;
  static inline context scheduler_;
  static inline unsigned current_ = 0;
  static inline bool progressed_ = false;
  static inline std::function<void()> body_;
  static inline std::exception_ptr thrown_;

  // AddressSanitizer has to be told of every switch, and of the stack it leads to.
#ifdef __SANITIZE_ADDRESS__
  static inline void const* scheduler_stack_ = nullptr;
  static inline std::size_t scheduler_bytes_ = 0;

  static void arrive_in_fibre(void* here) {
    __sanitizer_finish_switch_fiber(here, &scheduler_stack_, &scheduler_bytes_);
  }
  static void leave_fibre(void** here) {
    __sanitizer_start_switch_fiber(here, scheduler_stack_, scheduler_bytes_);
  }
  static void resume(fibre& f) {
    void* here = nullptr;
    __sanitizer_start_switch_fiber(&here, f.memory.get(), stack_bytes);
    f.self = std::move(f.self).resume();
    __sanitizer_finish_switch_fiber(here, nullptr, nullptr);
  }
#else
  static void arrive_in_fibre(void*) {}
  static void leave_fibre(void**) {}
  static void resume(fibre& f) { f.self = std::move(f.self).resume(); }
#endif

  static context start(context&& scheduler) {
    arrive_in_fibre(nullptr);
    scheduler_ = std::move(scheduler);
    try {
      body_();
    } catch (boost::context::detail::forced_unwind const&) {
      throw;  // how a fibre that is dropped halfway is ended
    } catch (...) {
      thrown_ = std::current_exception();
    }
    all_[current_].done = true;
    progressed_ = true;
    leave_fibre(nullptr);
    return std::move(scheduler_);
  }

 public:
  /// The number of the fibre that is running.
  static unsigned current() { return current_; }

  /// Lets the others go on.
  static void yield() {
    void* here = nullptr;
    leave_fibre(&here);
    scheduler_ = std::move(scheduler_).resume();
    arrive_in_fibre(here);
  }

  /// Says that somebody who waits may now go on.
  static void progress() { progressed_ = true; }

  static void run(unsigned count, std::function<void()> body) {
    body_ = std::move(body);
    thrown_ = nullptr;
    if (all_.size() < count) all_.resize(count);
    for (unsigned k = 0; k < count; ++k) {
      all_[k].done = false;
      all_[k].self = context(std::allocator_arg, lent{all_[k].own()}, start);
    }
    do {
      progressed_ = false;
      for (current_ = 0; current_ < count && !thrown_; ++current_) {
        if (!all_[current_].done) resume(all_[current_]);
      }
    } while (progressed_ && !thrown_);
    bool stuck = false;
    for (unsigned k = 0; k < count; ++k) {
      stuck = stuck || !all_[k].done;
      all_[k].self = {};
    }
    if (thrown_) std::rethrow_exception(thrown_);
    if (stuck) throw std::logic_error("a barrier that some thread of the block never reaches");
  }
};

}  // namespace ravel::testing
