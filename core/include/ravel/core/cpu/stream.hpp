#pragma once

/// @file
/// Writing past the caches.
///
/// A store to memory that is in no cache first fetches the line that it will
/// overwrite, so that writing n bytes moves 2 n.  A streaming store does not, and
/// leaves the caches to others: right for what is larger than they are, and wrong
/// for what will be read at once.

#include <ravel/core/cpu/simd.hpp>
#include <ravel/core/tile.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#  include <immintrin.h>
#endif

namespace ravel::inline v0::cpu {

/// Bytes of a sequence that no cache can be expected to hold.
inline constexpr index_t beyond_caches = index_t{1} << 25;

namespace detail {

/// One vector, to where a vector is aligned.
inline void stream_vector(char* to, char const* from) {
#if defined(__AVX512F__)
  _mm512_stream_si512(reinterpret_cast<__m512i*>(to), _mm512_loadu_si512(from));
#elif defined(__AVX2__)
  _mm256_stream_si256(reinterpret_cast<__m256i*>(to),
                      _mm256_loadu_si256(reinterpret_cast<__m256i const*>(from)));
#elif defined(__SSE2__)
  _mm_stream_si128(reinterpret_cast<__m128i*>(to),
                   _mm_loadu_si128(reinterpret_cast<__m128i const*>(from)));
#else
  std::memcpy(to, from, simd::vector_bytes);
#endif
}

}  // namespace detail

/// Copies n numbers past the caches.  What others are to read of it needs a
/// stream_fence() first.
template <simd::number T>
void stream(T const* from, T* to, index_t n) {
  constexpr index_t line = 64;
  auto const* source = reinterpret_cast<char const*>(from);
  auto* target = reinterpret_cast<char*>(to);
  auto* const end = target + n * index_t{sizeof(T)};
  auto const past_line = static_cast<index_t>(reinterpret_cast<std::uintptr_t>(to) % line);
  auto const copy = [&](index_t bytes) {
    std::memcpy(target, source, static_cast<std::size_t>(bytes));
    source += bytes;
    target += bytes;
  };
  copy(std::min((line - past_line) % line, end - target));
  for (; end - target >= line; source += line, target += line) {
    for (int k = 0; k < line; k += simd::vector_bytes)
      detail::stream_vector(target + k, source + k);
  }
  copy(end - target);
}

/// Numbers that are written one after another, from `to` on, past the caches.
///
/// They are put to room(), a batch at a time, and streamed by the line, a group
/// later, so that computing goes on meanwhile: bursts of streaming stores, and waits
/// for what was stored just before, each cost a tenth of the time of a scan.
///
///     for each batch:
///       for each group of it:   put its numbers to room() + g; put_until(g)
///       next_batch()            or finish(n), of the last one, of n numbers
///
/// With `behind` = 1 numbers go one place further, and `first` before them, which is
/// what exclusive scans do.
///
/// The batch is half a page from what is read meanwhile, `from`: processors compare
/// the lowest twelve bits of addresses to know that a load reads what was just
/// stored, and make it wait (4K aliasing: a quarter of the time of a scan).
template <simd::number T, index_t Batch>
class stream_buffer {
  static constexpr index_t line = 64 / index_t{sizeof(T)};
  static_assert(Batch % line == 0);

  static constexpr index_t page = 4096 / index_t{sizeof(T)};

  alignas(64) T room_[page + Batch + 2 * line];
  T* numbers_;  // somewhere there, beginning where a line of `to` does
  T* to_;
  index_t phase_;  // numbers_[phase_] goes to *to_
  index_t behind_;
  index_t done_;  // what is ahead of this is written

 public:
  stream_buffer(void const* from, T* to, index_t behind = 0, T first = T())
      : numbers_(room_ + half_a_page_from(from)),
        to_(to),
        phase_(static_cast<index_t>(reinterpret_cast<std::uintptr_t>(to) % 64 / sizeof(T))),
        behind_(behind),
        done_(phase_) {
    numbers_[phase_] = first;
  }

  T* room() { return numbers_ + phase_ + behind_; }

  /// Streams the lines that are full when `g` numbers of the batch are there.
  void put_until(index_t g) {
    if (done_ % line != 0) {  // others write what is ahead in this line
      if (phase_ + g < line) return;
      write(line);
    }
    for (; done_ + line <= phase_ + g; done_ += line) {
      for (index_t k = 0; k < line; k += simd::vector_bytes / index_t{sizeof(T)}) {
        detail::stream_vector(reinterpret_cast<char*>(to_ + (done_ + k - phase_)),
                              reinterpret_cast<char const*>(numbers_ + done_ + k));
      }
    }
  }

  /// A whole batch is there.
  void next_batch() {
    put_until(Batch - phase_);
    std::copy_n(numbers_ + Batch, phase_ + behind_, numbers_);
    done_ = 0;
    to_ += Batch;
  }

  /// The last n are there.
  void finish(index_t n) {
    put_until(n);
    write(phase_ + n);
  }

 private:
  index_t half_a_page_from(void const* from) const {
    auto const distance =
        reinterpret_cast<std::uintptr_t>(from) - reinterpret_cast<std::uintptr_t>(room_) + 2048;
    return static_cast<index_t>(distance % 4096 / 64 * 64 / sizeof(T));
  }

  void write(index_t end) {
    for (; done_ < end; ++done_) to_[done_ - phase_] = numbers_[done_];
  }
};

/// Orders what was streamed before with all that is written later.
inline void stream_fence() {
#ifdef __SSE2__
  _mm_sfence();
#endif
}

}  // namespace ravel::inline v0::cpu
