#pragma once

/// What a kernel does on the device in software, event by event: launches, barriers, exchanges within
/// warps, and each access to memory.
///
/// A program that links ravel::observed_device has its kernels compiled with a call for each access
/// to memory, which is what -fsanitize=thread inserts; without it the other events are observed.

#include <ravel/core/vocabulary.hpp>
#include <ravel/software_device/device.hpp>

#include <string>

namespace ravel::software {

/// The memory of a device, or that of one block.
enum class memory : unsigned char { global, shared };

/// An access to global or shared memory by the current thread.  A value is written after the event.
struct access {
  void const* at;
  std::size_t bytes;
  bool writes;
  memory of;
  void const* instruction;  // the same for all threads that access by it
};

/// The receiver of events; the current thread and block are those of `device`.
struct observer {
  virtual ~observer() = default;
  virtual void begins(shape const&) {}
  virtual void ends() {}
  /// All threads of the current block have ended; its shared memory still has its contents.
  virtual void block_ends() {}
  /// The last thread has arrived at a barrier of its block.
  virtual void synchronised() {}
  /// The last lane of `mask` has arrived at an operation of its warp, with a word for each lane.
  virtual void exchanged(char const* /*what*/, unsigned /*mask*/, std::uint64_t const* /*words*/) {}
  virtual void accessed(access const&) {}
  /// The current thread has begun a bulk copy between global and shared memory.
  virtual void copied(void const* /*to*/, void const* /*from*/, std::size_t /*bytes*/,
                      bool /*to_shared*/) {}
};

/// Sets the observer of all launches from now on, or none, and returns the one before.
observer* observe(observer* by);

/// While one exists, accesses of its thread are not events: what an observer, or an operator that
/// records its calls, does by itself.  It may not exist while the thread synchronises.
class unobserved {
  bool before_;

 public:
  unobserved();
  ~unobserved();
  unobserved(unobserved const&) = delete;
  unobserved& operator=(unobserved const&) = delete;
};

/// A __shared__ variable, by its name in the source; `first` is null if nothing is known of an address.
struct shared_variable {
  std::string name;
  char const* first = nullptr;
  std::size_t bytes = 0;
};
shared_variable shared_variable_at(void const* p);

}  // namespace ravel::software
