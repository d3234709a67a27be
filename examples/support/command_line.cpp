#include "support/command_line.hpp"

#include "support/manual.hpp"
#include "support/output.hpp"
#include "support/tokens.hpp"

#include <ravel/core/error.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <functional>
#include <new>
#include <string_view>

namespace ravel::examples {
namespace {

/// Adds an option that prints text(app) and ends the program.
template <class Text>
void add_text_flag(CLI::App& app, std::string const& name, std::string const& about, Text text) {
  app.add_flag_callback(
         name,
         [&app, text] {
           print_text(text(app));
           throw CLI::Success();
         },
         about)
      ->trigger_on_parse();
}

int run_body(CLI::App& app, int argc, char** argv, std::function<int()> const& body) {
  try {
    app.parse(argc, argv);
    return body();
  } catch (CLI::ParseError const& e) {
    return app.exit(e) == success ? success : no_answer;
  } catch (bad_input const& e) {
    warn("{}\n", e.what());
  } catch (ravel::error const& e) {
    warn("{}: {}\n", app.get_name(), e.what());
  } catch (std::bad_alloc const&) {
    warn("{}: out of memory\n", app.get_name());
  } catch (std::exception const& e) {
    warn("{}: {}\n", app.get_name(), e.what());
  }
  return no_answer;
}

/// The factor of a unit; 0 if it is none.
std::uint64_t factor_of(std::string_view unit) {
  constexpr std::string_view letters = "kMGT";
  if (unit.empty()) return 1;
  std::size_t const k = letters.find(unit[0] == 'K' ? 'k' : unit[0]);
  if (k == letters.npos || (unit.size() > 1 && unit.substr(1) != "i")) return 0;
  std::uint64_t factor = 1;
  for (std::size_t i = 0; i <= k; ++i) factor *= unit.size() > 1 ? 1024 : 1000;
  return factor;
}

}  // namespace

std::optional<std::uint64_t> read_count(std::string_view word) {
  constexpr std::string_view decimal = "0123456789";
  auto const parse = [](std::string_view digits, auto& to) {
    char const* const end = digits.data() + digits.size();
    auto const [stop, error] = std::from_chars(digits.data(), end, to);
    return error == std::errc{} && stop == end;
  };
  auto const take = [&](std::string_view characters) {
    auto const taken = word.substr(0, std::min(word.find_first_not_of(characters), word.size()));
    word.remove_prefix(taken.size());
    return taken;
  };
  std::string digits(take(decimal));
  if (digits.empty()) return {};
  int power = 0;
  if (word.starts_with('.')) {
    word.remove_prefix(1);
    auto const fraction = take(decimal);
    digits += fraction;
    power = -static_cast<int>(fraction.size());
  }
  std::uint64_t mantissa = 0, factor = 1;
  unsigned exponent = 0;
  if (!parse(digits, mantissa)) return {};
  if (word.starts_with('e') || word.starts_with('E')) {
    if (!parse(word.substr(1), exponent) || exponent > 99) return {};
    power += static_cast<int>(exponent);
  } else if (factor = factor_of(word); factor == 0) {
    return {};
  }
  __extension__ using wide = unsigned __int128;
  wide value = wide{mantissa} * factor;
  for (; power > 0; --power) {
    value *= 10;
    if (value >> 64 != 0) return {};
  }
  for (; power < 0; ++power) {
    if (value % 10 != 0) return {};
    value /= 10;
  }
  if (value >> 64 != 0) return {};
  return static_cast<std::uint64_t>(value);
}

template <class Int>
CLI::Option* add_integer(CLI::App& app, std::string const& name, Int& to, std::string const& about,
                         Int least, Int most) {
  auto const parse = [&to, name, least, most](std::string const& word) {
    auto const value = read_count(word);
    if (!value || *value < static_cast<std::uint64_t>(least) ||
        *value > static_cast<std::uint64_t>(most)) {
      throw CLI::ValidationError(
          name, fmt::format("{} is not an integer from {} to {}", shown(word), least, most));
    }
    to = static_cast<Int>(*value);
  };
  return app.add_option_function<std::string>(name, parse, about)
      ->type_name("N")
      ->default_str(fmt::format("{}", to));
}

template CLI::Option* add_integer(CLI::App&, std::string const&, int&, std::string const&, int,
                                  int);
template CLI::Option* add_integer(CLI::App&, std::string const&, std::int64_t&, std::string const&,
                                  std::int64_t, std::int64_t);
template CLI::Option* add_integer(CLI::App&, std::string const&, std::uint64_t&, std::string const&,
                                  std::uint64_t, std::uint64_t);

void add_output_options(CLI::App& app, tool_options& options, std::string const& results) {
  app.add_option("-o,--output", options.output, "the file for " + results + ", or standard output")
      ->type_name("FILE");
  app.add_flag("--json{-}", options.json,
               "the report as a JSON object: on standard output, without results; or in a file, "
               "--json=FILE")
      ->type_name("");
  app.final_callback([&] {
    if (options.json == "-" && options.output == "-") {
      throw bad_input(app.get_name() + ": --json and -o - both want standard output");
    }
  });
}

void add_work_options(CLI::App& app, tool_options& options, std::string const& check) {
  app.add_flag("--check", options.check, check + "; exit with 1 if the result is wrong");
  auto& repeats = options.repeats;
  app.add_flag_callback(
      "--bench", [&] { repeats = 5; },
      "time the work: run it once to warm up, then --repeat times, and report the median; results "
      "are written with -o alone");
  add_integer(app, "--repeat", repeats, "timed runs of --bench, which it implies", 1, 1'000'000)
      ->default_str("5");
  add_device_options(app, options.where);
}

int run_program(CLI::App& app, int argc, char** argv, std::function<int()> const& body) {
  app.get_formatter()->column_width(26);
  app.add_flag_callback("-q,--quiet", be_quiet, "write errors alone to standard error");
  add_text_flag(app, "--version", "print the version", [](CLI::App const& of) {
    return of.get_name() + " of ravel " RAVEL_EXAMPLE_VERSION "\n";
  });
  add_text_flag(app, "--completion", "print a script that completes options in bash or zsh",
                completion_script);
  add_text_flag(app, "--man", "print a manual page in the man macros", manual_page);
  open_output();
  int const status = run_body(app, argc, argv, body);
  auto const wrong = close_output();
  if (wrong.empty()) return status;
  // A failed stream was reported during the work.
  if (status != no_answer) warn("{}\n", wrong);
  return no_answer;
}

int run_program(std::string const& name, std::string const& about, int argc, char** argv,
                std::function<int()> const& body) {
  CLI::App app{about, name};
  return run_program(app, argc, argv, body);
}

}  // namespace ravel::examples
