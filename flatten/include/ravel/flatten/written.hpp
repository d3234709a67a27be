#pragma once

/// What the steps of a program wrote, for explain and for pictures: arrays in memory of the host.

#include <ravel/core/std_algorithm.hpp>
#include <ravel/flatten/stats.hpp>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace ravel::inline v0::flattening {

/// A number in memory, as text.
inline std::string text_of_number(unsigned char const* at, std::size_t bytes, number_type type) {
  auto const read = [&]<class T>(T x) {
    std::memcpy(&x, at, sizeof x);
    return x;
  };
  if (type.is_bool) return *at ? "T" : "F";
  if (type.is_char && *at == ' ') return "' '";
  if (type.is_char && *at > ' ' && *at < 127) return std::string(1, static_cast<char>(*at));
  if (type.is_real) {
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", bytes == 4 ? double{read(0.0f)} : read(0.0));
    return text;
  }
  switch (bytes) {
    case 1:
      return std::to_string(type.is_signed ? int{read(std::int8_t{})} : int{read(std::uint8_t{})});
    case 2:
      return std::to_string(type.is_signed ? int{read(std::int16_t{})} : read(std::uint16_t{}));
    case 4:
      return type.is_signed ? std::to_string(read(std::int32_t{}))
                            : std::to_string(read(std::uint32_t{}));
    default:
      return type.is_signed ? std::to_string(read(std::int64_t{}))
                            : std::to_string(read(std::uint64_t{}));
  }
}

/// What an array holds after a step that changed it, up to the last element that was written.
class written_array {
  std::vector<unsigned char> contents_;
  std::size_t bytes_;  // of an element
  number_type of_;

 public:
  /// What memory holds that no step wrote.
  static constexpr unsigned char unwritten = 0xa5;

  written_array(std::vector<unsigned char> contents, std::size_t bytes, number_type type)
      : contents_(std::move(contents)), bytes_(bytes), of_(type) {
    while (size() > 0 && !is_written(size() - 1)) contents_.resize(contents_.size() - bytes_);
  }

  number_type type() const { return of_; }
  std::size_t size() const { return contents_.size() / bytes_; }
  bool is_written(std::size_t i) const {
    auto const* const first = contents_.data() + i * bytes_;
    return !std::all_of(first, first + bytes_, [](unsigned char c) { return c == unwritten; });
  }
  /// Element i, of type T.
  template <class T>
  T as(std::size_t i) const {
    T x;
    std::memcpy(&x, contents_.data() + i * bytes_, sizeof x);
    return x;
  }
  /// A number as text, or _.
  std::string text(std::size_t i) const {
    return is_written(i) ? text_of_number(contents_.data() + i * bytes_, bytes_, of_) : "_";
  }
};

/// The memory that a program holds, while it is explained: after each step, the arrays that it
/// changed.  Memory is filled first, so that what no step wrote is known.
class written_memory {
  struct array {
    unsigned char* data;
    std::size_t bytes;  // of an element
    number_type of;
    std::vector<unsigned char> before;
  };
  std::vector<array> all_;

 public:
  void add(void* data, index_t count, std::size_t bytes, number_type type) {
    if (count == 0) return;
    auto const n = static_cast<std::size_t>(count) * bytes;
    std::memset(data, written_array::unwritten, n);
    all_.push_back({static_cast<unsigned char*>(data), bytes, type,
                    std::vector<unsigned char>(n, written_array::unwritten)});
  }
  /// The arrays that were written since this was last called, of all memory or of that at `data`.
  std::vector<written_array> changed(void const* data = nullptr) {
    std::vector<written_array> found;
    for (array& a : all_) {
      if ((data && a.data != data) || std::memcmp(a.data, a.before.data(), a.before.size()) == 0)
        continue;
      a.before.assign(a.data, a.data + a.before.size());
      found.emplace_back(a.before, a.bytes, a.of);
    }
    return found;
  }
  void forget(void const* data) {
    std::erase_if(all_, [&](array const& a) { return a.data == data; });
  }
};

}  // namespace ravel::inline v0::flattening
