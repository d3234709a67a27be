/// Sorts the lines of a file by their bytes, as `LC_ALL=C sort --stable` does.

#include "support/backend.hpp"
#include "support/command_line.hpp"
#include "support/device.hpp"
#include "support/input.hpp"
#include "words.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <string_view>

namespace ravel::examples {

word_list lines_of(view<char const> text) {
  word_list words{text, {0}};
  for (index_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') words.begin.push_back(i + 1);
  }
  if (words.begin.back() < text.size()) words.begin.push_back(text.size() + 1);
  return words;
}

namespace {

std::string_view word(word_list const& words, std::int32_t number) {
  auto const k = static_cast<std::size_t>(number);
  return {words.text.data() + words.begin[k],
          static_cast<std::size_t>(words.begin[k + 1] - 1 - words.begin[k])};
}

/// Whether each word is ahead of the next, or equal and first in the list.
bool is_sorted(word_list const& words, std::vector<std::int32_t> const& order) {
  return std::is_sorted(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return std::pair(word(words, a), a) < std::pair(word(words, b), b);
  });
}

/// Whether each number is there once.
bool is_permutation(std::vector<std::int32_t> order) {
  std::sort(order.begin(), order.end());
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order[i] != static_cast<std::int32_t>(i)) return false;
  }
  return true;
}

int run(std::string const& path, std::string const& out, device_options const& where, int repeats,
        bool check, bool json) {
  auto const d = chosen_device(where);
  auto const input = read_input(path);
  auto const words = lines_of(input.all());
  auto const sorted = with_backend(d, [&]<class B>(std::type_identity<B>) {
    return sort_words<B>(words, where.threads, repeats);
  });
  bool const right = !check || (is_permutation(sorted.order) && is_sorted(words, sorted.order));

  if (!json || !out.empty()) {
    std::ofstream file;
    if (!out.empty()) file.open(out, std::ios::binary);
    std::ostream& to = out.empty() ? std::cout : file;
    for (auto const number : sorted.order) to << word(words, number) << '\n';
    if (!to.flush()) throw bad_input(fmt::format("{}: cannot be written", out.empty() ? "-" : out));
  }
  if (json) {
    nlohmann::ordered_json const object{
        {"n", words.size()},
        {"type", "words"},
        {"device", name_of(d)},
        {"seconds", sorted.seconds},
        {"keys_per_s", static_cast<double>(words.size()) / sorted.seconds},
        {"checked", check && right},
    };
    fmt::print("{}\n", object.dump());
  }
  if (!right) fmt::print(stderr, "ravel-words: the words are not sorted\n");
  return right ? success : check_failed;
}

}  // namespace
}  // namespace ravel::examples

int main(int argc, char** argv) {
  using namespace ravel::examples;
  CLI::App app{"Sorts the lines of a file by their bytes.", "ravel-words"};
  std::string path = "-";
  std::string out;
  device_options where;
  int repeats = 5;
  bool check = false;
  bool json = false;
  app.add_option("FILE", path, "the words, one a line; - is standard input")->capture_default_str();
  app.add_option("-o,--output", out, "where to write the sorted words; standard output if absent");
  add_device_options(app, where);
  app.add_option("--repeat", repeats, "how many times to sort, of which the median is told")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_flag("--check", check, "look at the result, and exit with 1 if it is wrong");
  app.add_flag("--json", json, "print one JSON object, and the words only with -o");
  return run_program(app, argc, argv, [&] { return run(path, out, where, repeats, check, json); });
}
