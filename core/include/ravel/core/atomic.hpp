#pragma once

/// Atomic writes to elements that several teams may update at the same time.
///
/// They are relaxed: each write is atomic, and no order between writes is guaranteed.  in_turn
/// alone orders what it protects.

#include <ravel/core/vocabulary.hpp>

#include <sched.h>
#include <atomic>

namespace ravel::inline v0 {

/// `T` can be stored atomically: an arithmetic type, an enumeration or a pointer of at most eight
/// bytes.
template <class T>
concept written_whole = std::is_scalar_v<T> && sizeof(T) <= 8;

/// `T` is an integer of 32 or 64 bits, the sizes that all executors can add to atomically.
template <class T>
concept counter = std::integral<T> && sizeof(T) % 4 == 0 && sizeof(T) <= 8;

/// *target = x.  Of concurrent stores to one element, one remains.
template <written_whole T>
RAVEL_HD void store_whole(T* target, T x) {
#ifdef RAVEL_DEVICE_CODE
  *target = x;
#else
  std::atomic_ref<T>(*target).store(x, std::memory_order_relaxed);
#endif
}

/// *target = x, after all that the thread wrote before, for a thread of the host that polls it in any memory.
inline RAVEL_HD void store_for_host(std::int64_t* target, std::int64_t x) {
#ifdef RAVEL_DEVICE_CODE
  __threadfence_system();
  *static_cast<std::int64_t volatile*>(target) = x;
#else
  std::atomic_ref<std::int64_t>(*target).store(x, std::memory_order_release);
#endif
}

/// *source, beside concurrent stores of store_whole.
template <written_whole T>
RAVEL_HD T load_whole(T* source) {
#ifdef RAVEL_DEVICE_CODE
  return *source;
#else
  return std::atomic_ref<T>(*source).load(std::memory_order_relaxed);
#endif
}

#ifdef RAVEL_DEVICE_CODE
namespace detail {

/// A counter as the type that the device's atomic functions take.
template <counter T>
using device_word = std::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>;

}  // namespace detail
#endif

/// *target += x, wrapping around; returns the previous value.  Concurrent additions all count.
template <counter T>
RAVEL_HD T fetch_add(T* target, T x) {
#ifdef RAVEL_DEVICE_CODE
  using word = detail::device_word<T>;
  return static_cast<T>(atomicAdd(reinterpret_cast<word*>(target), static_cast<word>(x)));
#else
  return std::atomic_ref<T>(*target).fetch_add(x, std::memory_order_relaxed);
#endif
}

/// *target |= x; returns the previous value.
template <counter T>
RAVEL_HD T fetch_or(T* target, T x) {
#ifdef RAVEL_DEVICE_CODE
  using word = detail::device_word<T>;
  return static_cast<T>(atomicOr(reinterpret_cast<word*>(target), static_cast<word>(x)));
#else
  return std::atomic_ref<T>(*target).fetch_or(x, std::memory_order_relaxed);
#endif
}

/// *target = x if *target is `expected`; returns the previous value.
template <counter T>
RAVEL_HD T exchange_if(T* target, std::type_identity_t<T> expected, std::type_identity_t<T> x) {
#ifdef RAVEL_DEVICE_CODE
  using word = detail::device_word<T>;
  return static_cast<T>(atomicCAS(reinterpret_cast<word*>(target), static_cast<word>(expected),
                                  static_cast<word>(x)));
#else
  std::atomic_ref<T>(*target).compare_exchange_strong(expected, x, std::memory_order_relaxed);
  return expected;
#endif
}

/// *target = min(*target, x); returns the previous value.
inline RAVEL_HD std::int64_t keep_least(std::int64_t* target, std::int64_t x) {
#ifdef RAVEL_DEVICE_CODE
  return atomicMin(reinterpret_cast<long long*>(target), static_cast<long long>(x));
#else
  std::atomic_ref<std::int64_t> const least(*target);
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
  // A thread that spins must not block the lane of its warp that holds the lock.
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
    if (tries >= 64) sched_yield();  // the lock holder may be waiting for this core
  }
  struct unlock {  // releases the lock also if f throws
    std::atomic_ref<std::uint32_t> of;
    ~unlock() { of.store(0, std::memory_order_release); }
  } const guard{taken};
  f();
#endif
}

}  // namespace ravel::inline v0
