#pragma once

/// core/cuda/bulk_copy.cuh for a device in software: copies land in any order, at any later time.

#include <ravel/software_device/device.hpp>
#include <ravel/software_device/memory.hpp>

#include <cstdint>

namespace ravel::inline v0::gpu {

inline constexpr int bulk_alignment = 16;

namespace detail {

inline void expect_bulk(void const* to, void const* from, void const* global, unsigned bytes) {
  using software::fault;
  if ((reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from) | bytes) %
          bulk_alignment !=
      0) {
    throw fault("software device: a bulk copy that is not aligned");
  }
  if (!software::device_memory::has(global, bytes)) {
    throw fault("software device: a bulk copy outside of device memory");
  }
}

}  // namespace detail

class barrier {
  software::transaction_barrier it_;

  void came() {
    it_.end_phase_if_all_came();
    software::device::changed();
  }

 public:
  void begin(unsigned arrivals) {
    it_ = {};
    it_.expected = arrivals & 0x7fff;
    it_.pending = static_cast<unsigned short>(arrivals);
  }
  void arrive() {
    if (it_.pending == 0) {
      throw software::fault("software device: more arrive at a barrier than it expects");
    }
    --it_.pending;
    came();
  }
  void arrive_and_expect(unsigned bytes) {
    it_.bytes += static_cast<int>(bytes);
    arrive();
  }
  bool passed(unsigned parity) const {
    software::device::poll();
    return it_.phase != parity;
  }
  void wait(unsigned parity) const {
    while (!passed(parity)) {
    }
  }
  void copy(void* to, void const* from, unsigned bytes) {
    detail::expect_bulk(to, from, from, bytes);
    if (bytes == 0) return;
    software::device::copy(to, from, bytes, &it_);
  }
};
static_assert(sizeof(barrier) == sizeof(std::uint64_t));

inline void fetch_to_cache(void const*, unsigned) {}
inline void fence_barriers() {}
inline void fence_copies() {}
inline void fence_copies_of_global() {}

inline void copy_out(void* to, void const* from, unsigned bytes) {
  detail::expect_bulk(to, from, to, bytes);
  if (bytes == 0) return;
  software::device::copy(to, from, bytes, nullptr);
}
inline void commit_copies() { software::device::commit_copies(); }
inline void wait_until_read() { software::device::wait_until_read(); }
inline void wait_until_written() { software::device::wait_until_written(); }

inline void sync_group(int id, int threads) {
  software::sync(static_cast<unsigned>(id) + 1, static_cast<unsigned>(threads));
}

}  // namespace ravel::inline v0::gpu
