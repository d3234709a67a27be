#pragma once

/// What code of the library is given to be recorded: elements, an operator, and an executor.

#include "recorder.hpp"

#include <ravel/core/cpu/buffer.hpp>
#include <ravel/software_device/counts.hpp>
#include <ravel/software_device/executor.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace ravel::trace {

/// What records, the operation that is recorded, and its identity.
inline recorder* now = nullptr;
inline operation op = nullptr;
inline std::int32_t identity_number = 0;

/// What has been recorded so far, in numbers.
inline software::counts counted;

/// Records and counts what f launches.
template <class F>
void record(recorder& by, F f) {
  software::observe(&by);
  {
    software::counter const count;
    f();
    counted += count.so_far();
  }
  software::observe(nullptr);
}

/// A value in as many bytes as make the tree of work_efficient as wide as a tile.
template <int Bytes>
struct element {
  value v;
  char padding[Bytes - sizeof(value)];
};
template <>
struct element<sizeof(value)> {
  value v;
};

/// An associative operation that is recorded.
template <class T>
struct recorded {
  static T identity() {
    T x{};
    x.v = value::made(identity_number, 0);
    return x;
  }
  T operator()(T const& a, T const& b) const {
    // Members one by one: no call is inserted for a structure that is passed by value from memory.
    value const left{a.v.number, a.v.marked}, right{b.v.number, b.v.marked};
    T x{};
    x.v = now->combine(left, right, op);
    return x;
  }
};

/// The steps of all executors, with blocks of chosen width; its scratch has names.
template <int Threads, index_t Tile>
struct blocks : software_blocks<Threads, Tile> {
  template <class T>
  auto scratch(index_t n) const {
    cpu::buffer<T> made(n);
    static char const* const names[] = {"scratch", "scratch 2", "scratch 3", "scratch 4"};
    now->know({names[std::min<std::size_t>(made_++, 3)], reinterpret_cast<char const*>(made.data()),
               static_cast<std::size_t>(n) * sizeof(T), sizeof(T)});
    return made;
  }
  mutable std::size_t made_ = 0;
};

using plain = element<sizeof(value)>;
inline constexpr index_t of_block = 2 * RAVEL_WARP_SIZE;

}  // namespace ravel::trace
