/// Counts the occurrences of each word of a text.

#include "support/backend.hpp"
#include "support/command_line.hpp"
#include "support/device.hpp"
#include "support/input.hpp"
#include "support/numbers.hpp"
#include "support/output.hpp"
#include "support/parallel_text.hpp"
#include "support/report.hpp"
#include "words.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ravel::examples {
namespace {

struct arguments : tool_options {
  std::string file = "-";
  index_t top = std::numeric_limits<index_t>::max();
};

/// Describes the first error in the counts, by counting again serially.
std::string what_is_wrong(std::string_view text, std::vector<std::string_view> const& words,
                          std::vector<index_t> const& counts) {
  std::map<std::string_view, index_t> often;
  for (std::size_t end = 0; end < text.size();) {
    auto const begin = std::min(text.find_first_not_of(" \t\n\v\f\r", end), text.size());
    end = std::min(text.find_first_of(" \t\n\v\f\r", begin), text.size());
    if (begin < end) ++often[text.substr(begin, end - begin)];
  }
  if (often.size() != words.size()) return fmt::format("there are {} words", often.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    auto const found = often.find(words[i]);
    if (found == often.end() || found->second != counts[i]) {
      return fmt::format("'{}' is not there {} times", words[i], counts[i]);
    }
    if (i > 0 && std::pair(counts[i], words[i - 1]) > std::pair(counts[i - 1], words[i])) {
      return fmt::format("'{}' is out of order", words[i]);
    }
  }
  return {};
}

int run(arguments const& a) {
  auto const d = chosen_device(a.where);
  auto const input = read_input(a.file);
  std::string_view const text(input.all().data(), static_cast<std::size_t>(input.all().size()));
  auto const found = with_backend(d, [&]<class B>(std::type_identity<B>) {
    return count_words<B>(input.all(), a.where.threads, a.repeats);
  });
  auto const word = [&](index_t i) {
    auto const k = static_cast<std::size_t>(i);
    return text.substr(static_cast<std::size_t>(found.begins[k]),
                       static_cast<std::size_t>(found.ends[k] - found.begins[k]));
  };
  index_t const distinct = std::ssize(found.counts);
  std::string wrong;
  if (a.check) {
    std::vector<std::string_view> words;
    for (index_t i = 0; i < distinct; ++i) words.push_back(word(i));
    wrong = what_is_wrong(text, words, found.counts);
  }

  if (a.writes_results()) {
    output to(a.target());
    constexpr index_t ahead = 16;  // words are far apart in the text: loads overlap
    write_texts(
        cpu::threads(a.where.threads), std::min(a.top, distinct), index_t{1} << 18,
        [&](fmt::memory_buffer& line, index_t i) {
          if (i + ahead < distinct) __builtin_prefetch(word(i + ahead).data());
          fmt::format_int const count(found.counts[static_cast<std::size_t>(i)]);
          line.append(count.data(), count.data() + count.size());
          line.push_back(' ');
          line.append(word(i));
          line.push_back('\n');
        },
        [&](std::string_view lines) { to.write(lines); });
    to.commit();
  }
  double const rate = static_cast<double>(found.words) / found.seconds;
  bool const checked = a.check && wrong.empty();
  return finish(
      "ravel-words", a,
      {{
           {"bytes", text.size()},
           {"words", found.words},
           {"distinct", distinct},
           {"device", name_of(d)},
           {"seconds", found.seconds},
           {"words_per_s", rate},
           {"checked", checked},
       },
       fmt::format("{} words, {} distinct, counted in {:.3g} s on {}: {:.4g} million a second{}\n",
                   found.words, distinct, found.seconds, description_of(d, a.where.threads),
                   rate / 1e6, checked ? ", and checked" : ""),
       wrong});
}

}  // namespace
}  // namespace ravel::examples

int main(int argc, char** argv) {
  using namespace ravel::examples;
  CLI::App app{
      "Counts how often each word of a text occurs: the most frequent first, and of equally\n"
      "frequent ones the first by its bytes. White space separates words.",
      "ravel-words"};
  arguments a;
  app.add_option("FILE", a.file, "a text, gzipped or not; standard input if absent");
  add_integer(app, "--top", a.top, "write so many words, and not all", ravel::index_t{0}, a.top)
      ->default_str("all");
  add_output_options(app, a, "the counts and words");
  add_work_options(app, a, "count again, serially");
  return run_program(app, argc, argv, [&] { return run(a); });
}
