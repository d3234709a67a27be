#pragma once

/// The stacks of recursions: calls as deep as the data need, in stack segments.
///
/// Each level of a recursion is a C++ call of the body, with stack frames.
/// Stacks are small and the depth depends on data; so a recursion that has used `own_stack` bytes
/// of its caller's stack continues in stack segments of its own (core/cpu/stack_segment.hpp).

#include <ravel/core/cpu/stack_segment.hpp>

namespace ravel::inline v0::flattening {

/// The stack segments of a thread's recursions.
struct stack_of_recursion {
  static constexpr std::size_t own_stack = std::size_t{256} << 10;  // bytes of the caller's stack
  static constexpr std::size_t spare = std::size_t{256} << 10;      // left for calls from a level
  static constexpr std::size_t least = std::size_t{1} << 20, most = std::size_t{64} << 20;

  std::uintptr_t low = 0;  // frames below this go to another segment; 0 outside of recursions
  std::size_t bytes = least / 2;  // of the segment in use
};
inline thread_local stack_of_recursion recursion_stack;

#ifdef RAVEL_STACK_SEGMENTS
[[gnu::noinline, gnu::cold]] auto call_on_segment(auto const& f) {
  auto& stack = recursion_stack;
  std::size_t const bytes = std::min(2 * stack.bytes, stack_of_recursion::most);
  cpu::stack_segment const segment(bytes);
  stack = {reinterpret_cast<std::uintptr_t>(segment.lowest()) + stack_of_recursion::spare, bytes};
  return segment.call(f);
}
/// Calls f(), in a stack with enough room.
auto call_with_room(auto const& f) {
  struct restored {
    stack_of_recursion const before = recursion_stack;
    restored() = default;
    restored(restored const&) = delete;
    restored& operator=(restored const&) = delete;
    ~restored() { recursion_stack = before; }
  } const until_return;
  auto const position = cpu::stack_position();
  auto& low = recursion_stack.low;
  if (low == 0) low = position - stack_of_recursion::own_stack;
  return position < low ? call_on_segment(f) : f();
}
#else
auto call_with_room(auto const& f) { return f(); }
#endif

}  // namespace ravel::inline v0::flattening
