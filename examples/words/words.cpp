#include "words.hpp"

#include "support/backend.hpp"
#include "support/timing.hpp"

#include <ravel/algorithms/group_by_hash.hpp>
#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/algorithms/string_sort.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/pipelines/pipelines.hpp>
#include <ravel/primitives/iota.hpp>
#include <ravel/primitives/reduce.hpp>
#include <ravel/primitives/run_length.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace ravel::examples {
namespace {

/// Whether a word begins at byte i, or ends before it, for i from 0 to n.
template <bool Begins>
struct is_edge {
  char const* text;
  index_t n;
  RAVEL_HD bool in_word(index_t i) const {
    return i >= 0 && i < n && text[i] != ' ' && !(text[i] >= '\t' && text[i] <= '\r');
  }
  RAVEL_HD bool operator()(index_t i) const {
    return in_word(i) == Begins && in_word(i - 1) != Begins;
  }
};

template <class Place>
struct is_same_word {
  substrings<char, Place, Place> words;
  RAVEL_HD bool operator()(index_t s, index_t t) const { return string_equal(words, s, t); }
};

/// The words that begin in a tile of the text, each with a count of one.
struct words_of_tile {
  char const* text;
  index_t n;

  template <class Add>
  void operator()(tile t, Add& add) const {
    is_edge<true> const at{text, n};
    index_t i = t.begin;
    if (at.in_word(i - 1)) {
      while (i < t.end && at.in_word(i)) ++i;  // of the tile before
    }
    while (i < t.end) {
      index_t const begin = i;
      while (at.in_word(i)) ++i;
      if (begin < i) add({text + begin, static_cast<std::size_t>(i - begin)}, 1);
      ++i;
    }
  }
};

template <class Place>
struct to_place {
  RAVEL_HD Place operator()(index_t i) const { return static_cast<Place>(i); }
};

/// The most frequent first: order[s] is the number of a word, of which counts[s] occur.
template <class Ex, class Edges, class Order, class Counts>
word_counts by_frequency(Ex const& ex, Edges const& begins, Edges const& ends, Order const& order,
                         Counts const& counts, index_t words) {
  radix_sort_pairs(ex, counts, order, descending);
  auto const numbers = [&](auto const& from) {
    return to_host(ex, from | map(to_place<index_t>{}) | to_buffer());
  };
  auto const bounds = [&](auto const& edges) { return numbers(on(ex, edges) | gather(order)); };
  return {bounds(begins), bounds(ends), numbers(on(ex, counts)), words, 0};
}

/// Sorts all words, whose bounds are of type Place.
template <class Place, class Ex, class Text>
word_counts counted_by_sorting(Ex const& ex, Text const& text) {
  auto const positions = on(ex, iota(text.size() + 1));
  auto const places_of = [&](auto const& edge) {
    return positions | filter(edge) | map(to_place<Place>{}) | to_buffer();
  };
  auto const first = places_of(is_edge<true>{text.data(), text.size()});
  auto const last = places_of(is_edge<false>{text.data(), text.size()});
  auto const begins = first.view_sync();
  auto const ends = last.view_sync();
  index_t const n = begins.size();

  auto const order = ex.template allocate<Place>(n);
  string_argsort_sync(ex, text, begins, ends, order);

  if constexpr (cpu::host_executor<Ex>) {  // so that the next steps read them in sequence
    for (auto const& edges : {begins, ends}) {
      auto const sorted = on(ex, edges) | gather(view_of(order)) | to_buffer();
      ex.copy(sorted.data(), edges.data(), n);
    }
    iota(ex, order);
    cpu::release_memory();  // the sort's is three times that of the bounds
  }

  // Equal words are runs, and the first of each run is the first in the text.
  auto const each = ex.template allocate<Place>(n);
  auto const often = ex.template allocate<Place>(n);
  is_same_word<Place> const same{{text.data(), begins.data(), ends.data()}};
  index_t const distinct = run_length_encode_sync(ex, order, each, often, equal_by(same));
  return by_frequency(ex, begins, ends, view_of(each).slice(0, distinct),
                      view_of(often).slice(0, distinct), n);
}

/// Counts words by hashing, and sorts the distinct ones.
template <cpu::host_executor Ex, class Text>
word_counts counted_by_hashing(Ex const& ex, Text const& text) {
  using word = std::string_view;
  std::optional groups{group_by_hash_on<word, index_t>(
      ex, text.size(), words_of_tile{text.data(), text.size()}, plus<index_t>{})};
  index_t const n = groups->size();
  auto const begins = ex.template allocate<index_t>(n);
  auto const ends = ex.template allocate<index_t>(n);
  auto const often = ex.template allocate<index_t>(n);
  groups->write(ex, [&, b = view_of(begins), e = view_of(ends), c = view_of(often)](
                        index_t s, word const& w, index_t count) {
    b.data()[s] = w.data() - text.data();
    e.data()[s] = b.data()[s] + std::ssize(w);
    c.data()[s] = count;
  });
  groups.reset();  // its tables take more memory than all else
  index_t const words = reduce_sync(ex, often);
  auto const order = ex.template allocate<index_t>(n);
  string_argsort_sync(ex, text, begins, ends, order);
  auto const counts = on(ex, often) | gather(view_of(order)) | to_buffer();
  return by_frequency(ex, view_of(begins), view_of(ends), view_of(order), view_of(counts), words);
}

/// Whether a sample of a text says that its words occur less than twice each, by how many pairs of
/// equal ones it has.  Sorting them all then takes less time and memory than a table.
bool are_words_distinct(view<char const> text) {
  constexpr index_t places = 1 << 13, least_step = 1 << 7;
  index_t const step = text.size() / places;
  if (step < least_step) return false;  // a table of so few words is in a cache
  is_edge<true> const at{text.data(), text.size()};
  std::vector<std::string_view> sample;
  index_t bytes = 0;
  std::uint64_t random = 1;
  for (index_t s = 0; s < places; ++s) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    index_t begin = s * step + static_cast<index_t>(random >> 33) % step;
    index_t const limit = std::min(text.size(), begin + least_step);  // words may be long
    while (begin < limit && !at(begin)) ++begin;
    index_t end = begin;
    while (end < limit && at.in_word(end)) ++end;
    bytes += end - begin + 1;
    bool const is_new = sample.empty() || sample.back().data() != text.data() + begin;
    if (begin < end && is_new) {
      sample.emplace_back(text.data() + begin, static_cast<std::size_t>(end - begin));
    }
  }
  std::sort(sample.begin(), sample.end());
  index_t equal = 0;
  for (std::size_t s = 1; s < sample.size(); ++s) equal += sample[s - 1] == sample[s];
  // Of n words that occur c times each, m^2 c / 2 n pairs are equal.
  double const m = static_cast<double>(sample.size());
  double const words = m * static_cast<double>(text.size()) / static_cast<double>(bytes);
  return static_cast<double>(equal) < m * m / words;
}

template <class Ex, class Text>
word_counts counted(Ex const& ex, Text const& text) {
  if constexpr (cpu::host_executor<Ex>) {
    if (!are_words_distinct(view_of(text))) return counted_by_hashing(ex, text);
  }
  return text.size() < std::numeric_limits<std::uint32_t>::max()
             ? counted_by_sorting<std::uint32_t>(ex, text)
             : counted_by_sorting<index_t>(ex, text);
}

}  // namespace

template <class Backend>
word_counts count_words(view<char const> text, int threads, int repeats) {
  auto const ex = Backend::executor(threads);
  word_counts result;
  double const seconds = [&] {
    if constexpr (cpu::host_executor<std::remove_const_t<decltype(ex)>>) {
      return median_seconds(ex, repeats, [&] { result = counted(ex, text); });
    } else {
      auto const there = to(ex, text);
      return median_seconds(ex, repeats, [&] { result = counted(ex, there); });
    }
  }();
  result.seconds = seconds;
  return result;
}

template word_counts count_words<backend>(view<char const>, int, int);

}  // namespace ravel::examples
