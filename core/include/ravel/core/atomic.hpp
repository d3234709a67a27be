#pragma once

/// @file
/// Writes that several teams may make to one element at the same time.
///
/// They are relaxed: each is made whole, and nothing is said of their order but by `in_turn`.

#include <ravel/core/config.hpp>

#include <atomic>
#include <concepts>
#include <cstdint>
#include <thread>
#include <type_traits>

namespace ravel::inline v0 {

/// `T` is written in one piece: an arithmetic type, an enumeration or a pointer
/// of at most eight bytes.
template <class T>
concept written_whole = std::is_scalar_v<T> && sizeof(T) <= 8;

/// `T` is an integer that all executors can add to: one of 32 or 64 bits.
template <class T>
concept counter = std::integral<T> && sizeof(T) % 4 == 0 && sizeof(T) <= 8;

/// *to = x.  Of several at once, one stands.
template <written_whole T>
RAVEL_HD void store_whole(T* to, T x) {
#ifdef RAVEL_DEVICE_CODE
  *to = x;
#else
  std::atomic_ref<T>(*to).store(x, std::memory_order_relaxed);
#endif
}

#ifdef RAVEL_DEVICE_CODE
namespace detail {

/// A counter as the device's own atomic functions know it.
template <counter T>
using device_word = std::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>;

}  // namespace detail
#endif

/// *to += x, wrapping around, and what *to was before.  Of several at once, all count.
template <counter T>
RAVEL_HD T fetch_add(T* to, T x) {
#ifdef RAVEL_DEVICE_CODE
  using word = detail::device_word<T>;
  return static_cast<T>(atomicAdd(reinterpret_cast<word*>(to), static_cast<word>(x)));
#else
  return std::atomic_ref<T>(*to).fetch_add(x, std::memory_order_relaxed);
#endif
}

/// *to |= x, and what *to was before.
template <counter T>
RAVEL_HD T fetch_or(T* to, T x) {
#ifdef RAVEL_DEVICE_CODE
  using word = detail::device_word<T>;
  return static_cast<T>(atomicOr(reinterpret_cast<word*>(to), static_cast<word>(x)));
#else
  return std::atomic_ref<T>(*to).fetch_or(x, std::memory_order_relaxed);
#endif
}

/// *to = min(*to, x), and what *to was before.
inline RAVEL_HD std::int64_t keep_least(std::int64_t* to, std::int64_t x) {
#ifdef RAVEL_DEVICE_CODE
  return atomicMin(reinterpret_cast<long long*>(to), static_cast<long long>(x));
#else
  std::atomic_ref<std::int64_t> const least(*to);
  std::int64_t before = least.load(std::memory_order_relaxed);
  while (x < before && !least.compare_exchange_weak(before, x, std::memory_order_relaxed)) {
  }
  return before;
#endif
}

/// Calls f() under a spin lock, *busy, which is 0 while no thread holds it.  The next holder sees what f
/// wrote.  Waiting threads spin, and yield their core after 64 tries, so f should be short.
///
///     in_turn(&busy, [&] { sums[0] += x; ++sums[1]; })      no x is lost, and sums[1] counts them
template <std::invocable F>
RAVEL_HD void in_turn(std::uint32_t* busy, F f) {
#ifdef RAVEL_DEVICE_CODE
  // One that waits in the loop must not keep back a lane of its warp that has the turn.
  for (bool done = false; !done;) {
    if (atomicExch(busy, 1u) != 0) continue;
    __threadfence();
    f();
    __threadfence();
    atomicExch(busy, 0u);
    done = true;
  }
#else
  std::atomic_ref<std::uint32_t> const taken(*busy);
  for (int tries = 0; taken.exchange(1, std::memory_order_acquire) != 0; ++tries) {
    if (tries >= 64) std::this_thread::yield();  // to the thread that has the turn, perhaps
  }
  struct turn {  // which ends if f throws, too
    std::atomic_ref<std::uint32_t> of;
    ~turn() { of.store(0, std::memory_order_release); }
  } const mine{taken};
  f();
#endif
}

}  // namespace ravel::inline v0
