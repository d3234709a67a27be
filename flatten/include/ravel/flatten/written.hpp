#pragma once

/// @file
/// What the steps of a program wrote, for explain: arrays of numbers in memory of the host.

#include <ravel/core/tile.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

namespace ravel::inline v0::flattening {

/// A type of numbers, whose values can be shown; of no other type.
struct number_type {
  bool is_bool = false, is_char = false, is_signed = false, is_real = false, is_known = false;
};
template <class T>
constexpr number_type number_type_of() {
  if constexpr (std::is_arithmetic_v<T> && sizeof(T) <= 8) {
    return {std::is_same_v<T, bool>, std::is_same_v<T, char>, std::is_signed_v<T>,
            std::is_floating_point_v<T>, true};
  } else {
    return {};
  }
}

/// A number in memory, as text.
inline std::string text_of_number(unsigned char const* at, std::size_t bytes, number_type of) {
  auto const as = [&]<class T>(T x) {
    std::memcpy(&x, at, sizeof x);
    return x;
  };
  if (of.is_bool) return *at ? "T" : "F";
  if (of.is_char && *at == ' ') return "' '";
  if (of.is_char && *at > ' ' && *at < 127) return std::string(1, static_cast<char>(*at));
  if (of.is_real) {
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", bytes == 4 ? double{as(0.0f)} : as(0.0));
    return text;
  }
  switch (bytes) {
    case 1:
      return std::to_string(of.is_signed ? int{as(std::int8_t{})} : int{as(std::uint8_t{})});
    case 2:
      return std::to_string(of.is_signed ? int{as(std::int16_t{})} : as(std::uint16_t{}));
    case 4:
      return of.is_signed ? std::to_string(as(std::int32_t{}))
                          : std::to_string(as(std::uint32_t{}));
    default:
      return of.is_signed ? std::to_string(as(std::int64_t{}))
                          : std::to_string(as(std::uint64_t{}));
  }
}

/// The memory that a program holds, while it is explained: after each step, the arrays that it
/// changed.  Memory is filled first, so that what no step wrote is known.
class written_memory {
  static constexpr unsigned char unwritten = 0xa5;

  struct array {
    unsigned char* data;
    std::size_t n, bytes;  // of an element
    number_type of;
    std::vector<unsigned char> before = {};
  };
  std::vector<array> all_;
  std::size_t shown_;

  bool changes(array const& a) const {
    return std::memcmp(a.data, a.before.data(), a.before.size()) != 0;
  }
  std::string text_of(array const& a) const {
    std::vector<unsigned char> const fill(a.bytes, unwritten);
    auto const at = [&](std::size_t i) { return a.data + i * a.bytes; };
    auto const is_written = [&](std::size_t i) {
      return std::memcmp(at(i), fill.data(), a.bytes) != 0;
    };
    std::size_t n = a.n;
    while (n > 0 && !is_written(n - 1)) --n;
    std::string text;
    for (std::size_t i = 0; i < n; ++i) {
      if (n > shown_ && i + 1 == shown_) {
        text += " ...";
        i = n - 1;
      }
      text += ' ';
      text += is_written(i) ? text_of_number(at(i), a.bytes, a.of) : "_";
    }
    return text;
  }

 public:
  explicit written_memory(std::size_t shown) : shown_(shown) {}

  void add(void* data, index_t count, std::size_t bytes, number_type of) {
    if (count == 0 || !of.is_known) return;
    auto const n = static_cast<std::size_t>(count);
    std::memset(data, unwritten, n * bytes);
    all_.push_back({static_cast<unsigned char*>(data), n, bytes, of,
                    std::vector<unsigned char>(n * bytes, unwritten)});
  }
  /// The arrays that were written since this was last called, of all memory or of that at `data`.
  std::vector<std::string> changed(void const* data = nullptr) {
    std::vector<std::string> texts;
    for (array& a : all_) {
      if ((data && a.data != data) || !changes(a)) continue;
      texts.push_back(text_of(a));
      a.before.assign(a.data, a.data + a.before.size());
    }
    return texts;
  }
  void forget(void const* data) {
    std::erase_if(all_, [&](array const& a) { return a.data == data; });
  }
};

}  // namespace ravel::inline v0::flattening
