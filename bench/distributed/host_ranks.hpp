#pragma once

/// The host side of ranks on the GPUs of one host: threads or processes that share memory.

#include <ravel/core/view.hpp>
#include <ravel/distributed/communicator.hpp>

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <new>
#include <optional>
#include <string>
#include <thread>

namespace ravel::bench {

/// Ranks that share memory, as threads or processes: a communicator for host data whose ranks poll, so
/// that they begin together.
class host_ranks {
  static constexpr std::size_t slot_bytes = 64 << 10;

  struct board {
    std::atomic<int> arrived{0}, failed{-1};
    std::atomic<unsigned> round{0};
    char call[80] = {}, sentence[800] = {};
  };
  board* board_;
  int rank_, size_;

  std::byte* slot(int r) const {
    return reinterpret_cast<std::byte*>(board_ + 1) + static_cast<std::size_t>(r) * slot_bytes;
  }
  [[noreturn]] void fail() const { throw *failure(); }

 public:
  using memory = host_space;

  host_ranks(void* shared, int rank, int size)
      : board_(static_cast<board*>(shared)), rank_(rank), size_(size) {}
  static void* make_board(int size) {
    void* const shared = mmap(nullptr, sizeof(board) + static_cast<std::size_t>(size) * slot_bytes,
                              PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) throw std::bad_alloc();
    return new (shared) board;
  }

  int rank() const { return rank_; }
  int size() const { return size_; }
  std::uint64_t sent() const { return 0; }

  void meet() const {
    auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(120);
    unsigned const round = board_->round;
    if (++board_->arrived == size_) {
      board_->arrived = 0;
      ++board_->round;
    }
    while (board_->round == round) {
      if (board_->failed >= 0) fail();
      if (std::chrono::steady_clock::now() > end) abort("meet", "waited 120 s for other ranks");
    }
  }
  void all_gather_host(void const* mine, void* all, std::size_t bytes) const {
    for (std::size_t at = 0; at < bytes; at += slot_bytes) {
      std::size_t const here = std::min(slot_bytes, bytes - at);
      std::memcpy(slot(rank_), static_cast<std::byte const*>(mine) + at, here);
      meet();
      for (int r = 0; r < size_; ++r) {
        std::memcpy(static_cast<std::byte*>(all) + static_cast<std::size_t>(r) * bytes + at,
                    slot(r), here);
      }
      meet();
    }
  }
  [[noreturn]] void abort(std::string const& call, std::string const& sentence) const {
    static std::atomic<bool> is_writing = false;
    if (board_->failed < 0 && !is_writing.exchange(true)) {
      std::snprintf(board_->call, sizeof board_->call, "%s", call.c_str());
      std::snprintf(board_->sentence, sizeof board_->sentence, "%s", sentence.c_str());
      board_->failed = rank_;
    }
    while (board_->failed < 0) std::this_thread::yield();
    fail();
  }
  std::optional<distributed::error> failure() const {
    if (board_->failed < 0) return std::nullopt;
    return distributed::error(board_->failed, board_->call, board_->sentence);
  }
};

}  // namespace ravel::bench
