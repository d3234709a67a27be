#pragma once

/// Scratch as a stack, in memory provided by the caller, or only counted.

#include <ravel/core/std_memory.hpp>
#include <ravel/core/vocabulary.hpp>

#include <string>

namespace ravel::inline v0 {

/// A stack from which the scratch of calls is taken, and freed in reverse order.
///
///     scratch_stack(memory, bytes, "a call")   allocates from those bytes
///     scratch_stack()                          returns addresses that must not be dereferenced,
///                                              and counts their bytes
///
/// One call at a time may use it.
///
/// Errors   contract_error, which names the call and the number of bytes, if there are too few.
class scratch_stack {
  char* begin_;
  std::size_t room_;
  std::string call_;
  bool counts_ = false;
  std::size_t used_ = 0, most_ = 0, beside_ = 0;

  static std::size_t rounded(std::size_t bytes) {
    return (bytes + alignment - 1) / alignment * alignment;
  }

  /// A non-null, aligned address that is never dereferenced.
  static char* nowhere() {
    return reinterpret_cast<char*>(alignment);  // NOLINT(performance-no-int-to-ptr)
  }

 public:
  /// The alignment of all allocations.
  static constexpr std::size_t alignment = 256;

  scratch_stack() : begin_(nowhere()), room_(PTRDIFF_MAX - alignment), counts_(true) {}
  scratch_stack(void* memory, std::size_t bytes, std::string call)
      : begin_(static_cast<char*>(memory)), room_(bytes), call_(std::move(call)) {
    std::size_t const ahead = rounded(address()) - address();
    begin_ += std::min(ahead, room_);
    room_ -= std::min(ahead, room_);
  }

  /// Whether it only counts.
  bool counts() const { return counts_; }

  /// Allocates `bytes`; null if there is no room.
  void* push_if_room(std::size_t bytes) {
    if (bytes > room_ - used_) return nullptr;
    char* const top = begin_ + used_;
    used_ = std::min(room_, used_ + rounded(bytes));
    most_ = std::max(most_, used_);
    return top;
  }
  /// The same; throws if there is no room.
  void* push(std::size_t bytes) {
    void* const top = push_if_room(bytes);
    expects(top != nullptr, call_, ": ", bytes, " bytes of scratch are wanted, and of the ", room_,
            " bytes that were given ", room_ - used_, " are left");
    return top;
  }
  /// Frees everything from `p` on.
  void pop(void const* p) noexcept {
    used_ = static_cast<std::size_t>(static_cast<char const*>(p) - begin_);
  }
  bool holds(void const* p) const { return begin_ <= p && p < begin_ + room_; }

  /// The bytes, at any alignment, that suffice for the peak use.
  std::size_t most() const { return most_ == 0 ? 0 : most_ + alignment - 1; }

  /// Records `bytes` of preallocated executor memory that a call uses besides.
  void note_beside(std::size_t bytes) { beside_ = std::max(beside_, bytes); }
  std::size_t beside() const { return beside_; }

 private:
  std::uintptr_t address() const { return reinterpret_cast<std::uintptr_t>(begin_); }
};

/// An allocation from a stack, freed by the destructor.  Move-only.
class scratch_piece {
  std::shared_ptr<scratch_stack> of_;
  void* data_ = nullptr;

 public:
  scratch_piece() = default;
  scratch_piece(std::shared_ptr<scratch_stack> stack, std::size_t bytes)
      : of_(std::move(stack)), data_(of_->push(bytes)) {}
  scratch_piece(scratch_piece&& source) noexcept
      : of_(std::move(source.of_)), data_(std::exchange(source.data_, nullptr)) {}
  scratch_piece& operator=(scratch_piece&& source) noexcept {
    std::swap(of_, source.of_);
    std::swap(data_, source.data_);
    return *this;
  }
  ~scratch_piece() {
    if (data_) of_->pop(data_);
  }

  /// The memory; null if the stack only counts.
  void* memory() const { return data_ && !of_->counts() ? data_ : nullptr; }
};

}  // namespace ravel::inline v0
