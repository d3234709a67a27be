#include "words.hpp"

#include "support/backend.hpp"
#include "support/timing.hpp"

#include <ravel/algorithms/group_by_hash.hpp>
#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/algorithms/string_sort.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/pipelines/pipelines.hpp>
#include <ravel/primitives/reduce.hpp>
#include <ravel/primitives/run_length.hpp>

#include <optional>
#include <string_view>
#include <utility>

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

struct is_same_word {
  substrings<char, index_t, index_t> words;
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

/// On the host: counts words by hashing, and then sorts the distinct ones by bytes.
template <cpu::host_executor Ex, class Text>
word_counts counted(Ex const& ex, Text const& text) {
  using word = std::string_view;
  auto const groups = group_by_hash_on<word, index_t>(
      ex, text.size(), words_of_tile{text.data(), text.size()}, plus<index_t>{});
  index_t const n = groups.size();
  auto const begins = ex.template allocate<index_t>(n);
  auto const ends = ex.template allocate<index_t>(n);
  auto const often = ex.template allocate<index_t>(n);
  groups.write(ex, [&, b = view_of(begins), e = view_of(ends), c = view_of(often)](
                       index_t s, word const& w, index_t count) {
    b.data()[s] = w.data() - text.data();
    e.data()[s] = b.data()[s] + std::ssize(w);
    c.data()[s] = count;
  });
  auto const order = ex.template allocate<index_t>(n);
  string_argsort_sync(ex, text, begins, ends, order);
  auto const counts = on(ex, often) | gather(view_of(order)) | to_buffer();
  radix_sort_pairs(ex, counts, order, descending);
  index_t const words = reduce_sync(ex, often);
  auto const place_of = [&](auto const& edges) {
    return to_host(ex, on(ex, edges) | gather(view_of(order)) | to_buffer());
  };
  return {place_of(begins), place_of(ends), to_host(ex, counts), words, 0};
}

/// On a device: sorts all words.
template <class Ex, class Text>
word_counts counted(Ex const& ex, Text const& text) {
  auto const positions = on(ex, iota(text.size() + 1));
  auto const first = positions | filter(is_edge<true>{text.data(), text.size()}) | to_buffer();
  auto const last = positions | filter(is_edge<false>{text.data(), text.size()}) | to_buffer();
  auto const begins = first.view_sync();
  auto const ends = last.view_sync();
  index_t const n = begins.size();

  auto const order = ex.template allocate<index_t>(n);
  string_argsort_sync(ex, text, begins, ends, order);

  // Equal words are runs, and the first of each run is the first in the text.
  auto const each = ex.template allocate<index_t>(n);
  auto const often = ex.template allocate<index_t>(n);
  is_same_word const same{{text.data(), begins.data(), ends.data()}};
  index_t const distinct = run_length_encode_sync(ex, order, each, often, equal_by(same));
  auto const words = view_of(each).slice(0, distinct);
  auto const counts = view_of(often).slice(0, distinct);
  radix_sort_pairs(ex, counts, words, descending);

  auto const place_of = [&](auto const& edges) {
    return to_host(ex, on(ex, edges) | gather(words) | to_buffer());
  };
  return {place_of(begins), place_of(ends), to_host(ex, counts), n, 0};
}

}  // namespace

template <class Backend>
word_counts count_words(view<char const> text, int threads, int repeats) {
  auto const ex = Backend::executor(threads);
  auto const there = to(ex, text);
  word_counts result;
  double const seconds = median_seconds(ex, repeats, [&] { result = counted(ex, there); });
  result.seconds = seconds;
  return result;
}

template word_counts count_words<backend>(view<char const>, int, int);

}  // namespace ravel::examples
