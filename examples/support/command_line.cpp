#include "support/command_line.hpp"

#include <ravel/core/error.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <new>

namespace ravel::examples {

int run_program(CLI::App& app, int argc, char** argv, std::function<int()> const& body) {
  try {
    app.parse(argc, argv);
    return body();
  } catch (CLI::ParseError const& e) {
    return app.exit(e) == success ? success : no_answer;
  } catch (bad_input const& e) {
    fmt::print(stderr, "{}\n", e.what());
  } catch (ravel::error const& e) {
    fmt::print(stderr, "{}: {}\n", app.get_name(), e.what());
  } catch (std::bad_alloc const&) {
    fmt::print(stderr, "{}: out of memory\n", app.get_name());
  } catch (std::exception const& e) {
    fmt::print(stderr, "{}: {}\n", app.get_name(), e.what());
  }
  return no_answer;
}

}  // namespace ravel::examples
