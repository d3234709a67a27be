#pragma once

/// Formats text in parallel.

#include <ravel/core/cpu/executor.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace ravel::examples {

/// Passes the texts of n elements to write(text), in order; append(buffer, i) formats element i, in
/// parallel.  The texts of `at_once` elements are in memory at a time.
template <class Append, class Write>
void write_texts(cpu::threads const& ex, index_t n, index_t at_once, Append const& append,
                 Write const& write) {
  std::vector<fmt::memory_buffer> texts(
      static_cast<std::size_t>(ex.tile_count(std::min(at_once, n))));
  for (index_t begin = 0; begin < n; begin += at_once) {
    index_t const count = std::min(at_once, n - begin);
    ex.for_each_tile(count, [&](cpu::worker, tile t) {
      auto& text = texts[static_cast<std::size_t>(t.id)];
      text.clear();
      for (index_t i = begin + t.begin; i < begin + t.end; ++i) append(text, i);
    });
    for (index_t k = 0; k < ex.tile_count(count); ++k) {
      auto const& text = texts[static_cast<std::size_t>(k)];
      write(std::string_view(text.data(), text.size()));
    }
  }
}

}  // namespace ravel::examples
