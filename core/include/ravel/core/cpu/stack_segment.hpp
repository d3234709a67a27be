#pragma once

/// An additional stack segment for the calling thread, for recursion whose depth depends on data.

#include <ravel/core/vocabulary.hpp>

#include <exception>
#include <optional>

#ifdef __GLIBC__
#  include <sys/mman.h>
#  include <ucontext.h>
#  include <unistd.h>
#  define RAVEL_STACK_SEGMENTS
#endif
#ifdef RAVEL_UNDER_ASAN
#  include <sanitizer/common_interface_defs.h>
#elif defined(RAVEL_UNDER_TSAN)
#  include <sanitizer/tsan_interface.h>
#endif

namespace ravel::inline v0::cpu {

/// Roughly the lowest address of the caller's frame: stacks grow downwards.
inline std::uintptr_t stack_position() {
  return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
}

#ifdef RAVEL_STACK_SEGMENTS

/// Memory that the calling thread uses as its stack for the duration of a call.
///
///     cpu::stack_segment segment(1 << 20);
///     int const depth = segment.call([&] { return depth_of(tree); });
///
/// The call stays on the same thread, and sees its thread_local variables.  The kernel commits a
/// page when it is first touched.  A guard page lies below the lowest address.
///
/// Cost     A mapping of memory, its removal and two switches of context, a few microseconds.
/// Errors   allocation_error, which names the bytes, if there is no memory.  Exceptions of f
///          propagate from `call`.
/// Source   Segmented stacks, as in Rust's `stacker` crate; POSIX.1-2001 for contexts.
class stack_segment {
  std::size_t guard_, bytes_;  // bytes_ includes the guard
  char* memory_;

  struct switched {
    stack_segment const& segment;
    void (*run)(void*);
    void* argument;
    ucontext_t from, to;
#  ifdef RAVEL_UNDER_ASAN
    void* fake_stack = nullptr;
    void const* bottom = nullptr;
    std::size_t size = 0;
#  elif defined(RAVEL_UNDER_TSAN)
    void* parent = __tsan_get_current_fiber();
    void* fiber = __tsan_create_fiber(0);
#  endif

    void enter() {
#  ifdef RAVEL_UNDER_ASAN
      __sanitizer_start_switch_fiber(&fake_stack, segment.lowest(), segment.size());
#  elif defined(RAVEL_UNDER_TSAN)
      __tsan_switch_to_fiber(fiber, 0);
#  endif
      swapcontext(&from, &to);
#  ifdef RAVEL_UNDER_ASAN
      __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
#  elif defined(RAVEL_UNDER_TSAN)
      __tsan_destroy_fiber(fiber);
#  endif
    }
    void run_and_leave() {
#  ifdef RAVEL_UNDER_ASAN
      __sanitizer_finish_switch_fiber(nullptr, &bottom, &size);
#  endif
      run(argument);
#  ifdef RAVEL_UNDER_ASAN
      __sanitizer_start_switch_fiber(nullptr, bottom, size);
#  elif defined(RAVEL_UNDER_TSAN)
      __tsan_switch_to_fiber(parent, 0);
#  endif
      setcontext(&from);
    }
    /// The entry point for makecontext, which passes only ints: the address of a `switched` comes
    /// as two halves.
    static void entry(unsigned high, unsigned low) {
      auto const address = static_cast<std::uint64_t>(high) << 32 | low;
      // NOLINTNEXTLINE(performance-no-int-to-ptr)
      reinterpret_cast<switched*>(static_cast<std::uintptr_t>(address))->run_and_leave();
    }
  };

  /// Calls run(argument), which must not throw, on this stack.
  void switch_to(void (*run)(void*), void* argument) const {
    switched state{*this, run, argument, {}, {}};
    getcontext(&state.to);
    state.to.uc_stack.ss_sp = lowest();
    state.to.uc_stack.ss_size = size();
    state.to.uc_link = nullptr;
    auto const address = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(&state));
    makecontext(&state.to, reinterpret_cast<void (*)()>(switched::entry), 2,
                static_cast<unsigned>(address >> 32), static_cast<unsigned>(address));
    state.enter();
  }

 public:
  explicit stack_segment(std::size_t bytes)
      : guard_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))),
        bytes_((bytes + guard_ - 1) / guard_ * guard_ + guard_) {
    void* const made = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (made == MAP_FAILED) {
      throw allocation_error(
          ravel::detail::sentence("cpu::stack_segment: no memory for ", bytes, " bytes of stack"));
    }
    memory_ = static_cast<char*>(made);
    if (mprotect(made, guard_, PROT_NONE) != 0) {
      munmap(made, bytes_);
      throw allocation_error("cpu::stack_segment: no mapping for a guard page");
    }
  }
  stack_segment(stack_segment const&) = delete;
  stack_segment& operator=(stack_segment const&) = delete;
  ~stack_segment() { munmap(memory_, bytes_); }

  char* lowest() const { return memory_ + guard_; }
  std::size_t size() const { return bytes_ - guard_; }

  /// Calls f() on this stack and returns its result.
  template <class F>
  auto call(F const& f) const {
    struct called {
      F const& f;
      std::optional<decltype(f())> result = {};
      std::exception_ptr thrown = {};
    };
    called call{f};
    switch_to(
        [](void* argument) {
          auto& c = *static_cast<called*>(argument);
          try {
            c.result.emplace(c.f());
          } catch (...) {
            c.thrown = std::current_exception();
          }
        },
        &call);
    if (call.thrown) std::rethrow_exception(std::move(call.thrown));
    return std::move(*call.result);
  }
};

#endif

}  // namespace ravel::inline v0::cpu
