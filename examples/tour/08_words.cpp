/// Word count: the distinct words of a text and their frequencies, without a loop.

#include <ravel/core/cpu/executor.hpp>
#include <ravel/pipelines/pipelines.hpp>

#include "show.hpp"

#include <cstdint>
#include <string>
#include <vector>

using namespace ravel;

bool is_letter(char c) { return c >= 'a' && c <= 'z'; }

int main() {
  cpu::threads const ex;
  std::string const text = " the quick dog and the lazy dog and the end ";

  // A word begins after a space, and ends before one.
  auto const begins = [](index_t, row<char, char> const& c) {
    return !is_letter(get<0>(c)) && is_letter(get<1>(c));
  };
  auto const ends = [](index_t, row<char, char> const& c) {
    return is_letter(get<0>(c)) && !is_letter(get<1>(c));
  };
  auto const pairs = on(ex, text) | adjacent() | enumerate();
  auto const first = pairs | filter(begins) | map(field<0>{}) | to_vector();
  auto const last = pairs | filter(ends) | map(field<0>{}) | to_vector();
  show("words", first.size(), std::size_t{10});

  // Their lengths.
  auto const words = on(ex, zip(first, last));
  auto const length = [](index_t a, index_t b) { return b - a; };
  show("words of each length", words | map(length) | histogram(6), {0, 0, 0, 8, 1, 1});

  // The words as numbers, sorted: equal ones are adjacent.
  auto const number = [&](index_t a, index_t b) {
    std::uint64_t n = 0;
    for (index_t i = a + 1; i <= b; ++i) n = n * 27 + std::uint64_t(text[std::size_t(i)] - 'a' + 1);
    return n;
  };
  auto const sorted = words | map(number) | sort() | to_buffer();

  // Distinct words and their frequencies: runs of equal keys are segments.
  auto const spelled = [](std::uint64_t n) {
    std::string word;
    for (; n > 0; n /= 27) word.insert(word.begin(), char('a' + n % 27 - 1));
    return word;
  };
  auto const distinct = on(ex, sorted) | unique() | to_vector();
  auto const ones = on(ex, constant(1, sorted.size())) | in_segments(by_keys(sorted));
  show("how often", ones | reduce(plus{}) | to_vector(), {2, 2, 1, 3, 1, 1});
  for (std::uint64_t const n : distinct) std::cout << spelled(n) << ' ';
  show("\nthe third", spelled(distinct[2]), std::string("end"));
}
