#pragma once

/// Memory of the sequences of plain values: blocks that a thread takes, shares and keeps.

#include <ravel/core/cpu/kept_memory.hpp>
#include <ravel/core/std_memory.hpp>

#include <new>

namespace ravel::inline v0::flattening {

/// Blocks of memory that a thread has released, in lists by their size, for the next sequences of
/// loops: they are then still in the cache, and large ones have their pages.  Trivial, so that a
/// thread finds it without a test.
struct spare_blocks {
  static constexpr std::size_t least = 64, classes = 21;
  /// Blocks of this class and above, 256 KiB, are kept until an instance ends, and are memory of
  /// buffers, which the process keeps then.
  static constexpr std::size_t first_large = 12;
  static constexpr int most_large = 4;
  struct block {
    block* next;
  };
  block* first[classes];
  int count[classes];
  bool has_large;

  static std::size_t class_of(std::size_t bytes) {
    return static_cast<std::size_t>(std::bit_width((std::max(bytes, least) - 1) / least));
  }
  /// Of small blocks of a class, 32 are kept, or 512 KiB.
  static constexpr int most_small(std::size_t k) { return std::max(32, 8192 >> k); }
  /// A block of class k, which is that of `bytes`.
  void* take(std::size_t k, std::size_t bytes) {
    if (k >= classes || first[k] == nullptr) [[unlikely]]
      return made(bytes, k);
    --count[k];
    return std::exchange(first[k], first[k]->next);
  }
  void give(void* unused, std::size_t k) {
    if (k >= first_large || count[k] >= most_small(k)) [[unlikely]]
      return give_large(unused, k);
    ++count[k];
    first[k] = ::new (unused) block{first[k]};
  }
  /// Releases the blocks of class k and above.
  void clear(std::size_t k) {
    for (; k < classes; ++k) {
      count[k] = 0;
      while (first[k] != nullptr) freed(std::exchange(first[k], first[k]->next), k);
    }
    has_large = false;
  }
  void end_instance() {
    if (has_large) clear(first_large);
  }

 private:
  /// Before a block: the size of a large one, and what puts its elements, 32 bytes on, on a cache line.
  static constexpr std::size_t line = 64, ahead = 32;

  static void* made(std::size_t bytes, std::size_t k);
  static void freed(void* unused, std::size_t k);
  void give_large(void* unused, std::size_t k);
};
inline thread_local constinit spare_blocks spare_blocks_of_thread{};

[[gnu::noinline]] inline void* spare_blocks::made(std::size_t bytes, std::size_t k) {
  struct until_exit {
    ~until_exit() { spare_blocks_of_thread.clear(0); }
  };
  thread_local until_exit const of_this_thread;
  static_cast<void>(of_this_thread);
  std::size_t const size = (k < classes ? least << k : bytes) + ahead;
  if (k < first_large) {
    return static_cast<std::byte*>(::operator new(size, std::align_val_t(line))) + ahead;
  }
  auto large = cpu::detail::take_for_buffer(size);
  auto* const begin = static_cast<std::byte*>(large.memory.release());
  ::new (begin) std::size_t(large.bytes);
  return begin + ahead;
}
inline void spare_blocks::freed(void* unused, std::size_t k) {
  void* const begin = static_cast<std::byte*>(unused) - ahead;
  if (k < first_large) return ::operator delete(begin, std::align_val_t(line));
  auto const bytes = *static_cast<std::size_t const*>(begin);
  cpu::detail::give_back_of_buffer({cpu::detail::c_memory(begin), bytes});
}
/// Out of line, as g++ 12 takes a count of owners in released memory to be read again if it sees the
/// release.
[[gnu::noinline]] inline void spare_blocks::give_large(void* unused, std::size_t k) {
  if (k < first_large || k >= classes || count[k] == most_large) return freed(unused, k);
  ++count[k];
  first[k] = ::new (unused) block{first[k]};
  has_large = true;
}

/// Blocks of one class that are given together, which are linked in registers.
class blocks_to_give {
  using block = spare_blocks::block;
  block *first_ = nullptr, *last_ = nullptr;
  int count_ = 0;
  std::size_t class_ = 0;

 public:
  void add(void* unused, std::size_t k) {
    if (k != class_) {
      give_all();
      class_ = k;
    }
    first_ = ::new (unused) block{first_};
    if (++count_ == 1) last_ = first_;
  }
  void give_all() {
    auto& spare = spare_blocks_of_thread;
    if (class_ < spare_blocks::first_large && count_ > 0 &&
        spare.count[class_] + count_ <= spare_blocks::most_small(class_)) {
      last_->next = spare.first[class_];
      spare.first[class_] = first_;
      spare.count[class_] += count_;
    } else {
      for (; count_ > 0; --count_) {
        auto* const unused = first_;
        first_ = first_->next;
        spare.give(unused, class_);
      }
    }
    first_ = nullptr;
    count_ = 0;
  }
};

/// Memory for elements, shared by the sequences of one thread that are parts of it.
template <class U>
class room {
  struct header {
    index_t owners, made;
    std::size_t size_class;
  };
  static constexpr std::size_t ahead = 32;
  static_assert(ahead >= sizeof(header));
  header* head_ = nullptr;

  /// Not inline, so that the count of owners is, where a copy ends.
  [[gnu::noinline]] void release() {
    if constexpr (requires { data()->memory.release_to(std::declval<blocks_to_give&>()); }) {
      blocks_to_give blocks;
      for (index_t i = 0, n = head_->made; i < n; ++i) data()[i].memory.release_to(blocks);
      blocks.give_all();
    } else if constexpr (!std::is_trivially_destructible_v<U>) {
      std::destroy_n(data(), head_->made);
    }
    spare_blocks_of_thread.give(head_, head_->size_class);
  }

 public:
  void release_to(blocks_to_give& blocks) requires std::is_trivially_destructible_v<U> {
    if (head_ != nullptr && --head_->owners == 0) blocks.add(head_, head_->size_class);
  }

  room() = default;
  explicit room(index_t n) {
    std::size_t const bytes = ahead + static_cast<std::size_t>(n) * sizeof(U);
    static_assert(alignof(U) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
    std::size_t const k = spare_blocks::class_of(bytes);
    head_ = ::new (spare_blocks_of_thread.take(k, bytes)) header{1, 0, k};
  }
  room(room const& source) noexcept : head_(source.head_) {
    if (!head_) return;
    if (head_->owners < 1) __builtin_unreachable();  // so a copy that ends here costs nothing
    ++head_->owners;
  }
  room(room&& source) noexcept : head_(std::exchange(source.head_, nullptr)) {}
  room& operator=(room source) noexcept {
    std::swap(head_, source.head_);
    return *this;
  }
  ~room() {
    if (head_ != nullptr && --head_->owners == 0) release();
  }

  U* data() const { return reinterpret_cast<U*>(reinterpret_cast<std::byte*>(head_) + ahead); }
  bool has_owner() const { return head_ != nullptr; }
  bool is_same_as(room const& other) const { return head_ == other.head_; }
  bool is_only_owner() const { return head_ && head_->owners == 1; }
  /// Notes that elements [0, n) exist, which are destroyed with the memory.
  void has_made(index_t n) const { head_->made = n; }
  index_t made() const { return head_->made; }
};

}  // namespace ravel::inline v0::flattening
