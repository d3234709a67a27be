#include "support/command_line.hpp"

#include "support/output.hpp"
#include "support/tokens.hpp"

#include <ravel/core/error.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <new>

namespace ravel::examples {
namespace {

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

}  // namespace

template <class Int>
CLI::Option* add_integer(CLI::App& app, std::string const& name, Int& to, std::string const& about,
                         Int least, Int most) {
  auto const parse = [&to, name, least, most](std::string const& word) {
    Int value{};
    if (read_number(word, value) != meaning::number || value < least || value > most) {
      throw CLI::ValidationError(
          name, fmt::format("{} is not an integer from {} to {}", shown(word), least, most));
    }
    to = value;
  };
  return app.add_option_function<std::string>(name, parse, about)
      ->type_name(fmt::format("INT in [{} - {}]", least, most))
      ->default_str(fmt::format("{}", to));
}

template CLI::Option* add_integer(CLI::App&, std::string const&, int&, std::string const&, int,
                                  int);
template CLI::Option* add_integer(CLI::App&, std::string const&, std::int64_t&, std::string const&,
                                  std::int64_t, std::int64_t);
template CLI::Option* add_integer(CLI::App&, std::string const&, std::uint64_t&, std::string const&,
                                  std::uint64_t, std::uint64_t);

int run_program(CLI::App& app, int argc, char** argv, std::function<int()> const& body) {
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
