#include "words.hpp"

#include "support/backend.hpp"
#include "support/timing.hpp"

#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/core/transfer.hpp>

#include <algorithm>
#include <bit>
#include <numeric>

namespace ravel::examples {
namespace {

/// Bytes [at, at + 8) of a word, the first of them the highest.
struct eight_bytes {
  char const* text;
  index_t const* begin;
  index_t at;

  RAVEL_HD std::uint64_t operator()(std::int32_t word) const {
    index_t const from = begin[word] + at;
    index_t const end = begin[word + 1] - 1;
    std::uint64_t key = 0;
    for (index_t i = from; i < from + 8; ++i) {
      key = key << 8 | (i < end ? static_cast<unsigned char>(text[i]) : 0u);
    }
    return key;
  }
};

/// How many bytes a word has.
struct length {
  index_t const* begin;
  RAVEL_HD std::uint64_t operator()(std::int32_t word) const {
    return static_cast<std::uint64_t>(begin[word + 1] - 1 - begin[word]);
  }
};

}  // namespace

template <class Backend>
sorted_words sort_words(word_list const& words, int threads, int repeats) {
  auto const ex = Backend::executor(threads);
  index_t longest = 0;
  for (index_t i = 0; i < words.size(); ++i) {
    auto const k = static_cast<std::size_t>(i);
    longest = std::max(longest, words.begin[k + 1] - 1 - words.begin[k]);
  }
  std::vector<std::int32_t> in_order(static_cast<std::size_t>(words.size()));
  std::iota(in_order.begin(), in_order.end(), 0);

  auto const text = to(ex, words.text);
  auto const begin = to(ex, words.begin);
  auto const unsorted = to(ex, in_order);
  auto order = ex.template allocate<std::int32_t>(words.size());
  auto const length_bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(longest)));
  double const seconds = median_seconds(ex, repeats, [&] {
    ex.copy(unsorted.data(), order.data(), words.size());
    radix_sort(ex, order, by(length{begin.data()}), bit_range{0, length_bits});
    for (index_t at = (longest - 1) / 8 * 8; at >= 0; at -= 8) {
      radix_sort(ex, order, by(eight_bytes{text.data(), begin.data(), at}));
    }
  });
  return {to_host(ex, order), seconds};
}

template sorted_words sort_words<backend>(word_list const&, int, int);

}  // namespace ravel::examples
