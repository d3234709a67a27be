#include "support/manual.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <vector>

namespace ravel::examples {
namespace {

/// The names of an option, as on the command line.
std::vector<std::string> names_of(CLI::Option const& option) {
  std::vector<std::string> names;
  for (auto const& name : option.get_snames()) names.push_back("-" + name);
  for (auto const& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

/// The values that an option admits, separated by spaces; empty if they are many.  A check of
/// membership describes itself by "{cpu,cuda,auto}".
std::string values_of(CLI::Option const& option) {
  std::string const type = option.get_type_name();
  auto const begin = type.find('{'), end = type.find('}');
  if (begin == type.npos || end == type.npos) return {};
  std::string values = type.substr(begin + 1, end - begin - 1);
  std::replace(values.begin(), values.end(), ',', ' ');
  return values;
}

/// Text for the man macros, where a backslash, and a dot or quote at the begin of a line, are
/// commands, and a plain hyphen is not a minus.
std::string escaped(std::string const& text) {
  std::string out;
  for (char const c : text) {
    bool const begins = out.empty() || out.back() == '\n';
    if (begins && (c == '.' || c == '\'')) out += "\\&";
    out += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
  }
  return out;
}

}  // namespace

std::string completion_script(CLI::App const& app) {
  std::string values;
  std::vector<std::string> all;
  for (auto const* const option : app.get_options()) {
    auto const names = names_of(*option);
    all.insert(all.end(), names.begin(), names.end());
    if (auto const few = values_of(*option); !few.empty()) {
      values += fmt::format("    {}) words=\"{}\" ;;\n", fmt::join(names, "|"), few);
    }
  }
  std::string function = "_" + app.get_name();
  std::replace(function.begin(), function.end(), '-', '_');
  return fmt::format(
      R"(# {0}: source this in bash; in zsh after `autoload -U bashcompinit && bashcompinit`
{1}() {{
  local words= word=${{COMP_WORDS[COMP_CWORD]}}
  case ${{COMP_WORDS[COMP_CWORD-1]}} in
{2}    *) [[ $word == -* ]] && words="{3}" ;;
  esac
  COMPREPLY=($(if [ -n "$words" ]; then compgen -W "$words" -- "$word"; else compgen -f -- "$word"; fi))
}}
complete -o filenames -F {1} {0}
)",
      app.get_name(), function, values, fmt::join(all, " "));
}

std::string manual_page(CLI::App const& app) {
  auto const about = escaped(app.get_description());
  std::string page = fmt::format(
      ".TH {0} 1 \"\" \"ravel {1}\" \"ravel\"\n.SH NAME\n{0} \\- {2}\n.SH SYNOPSIS\n.B {0}\n"
      "[OPTION]... [FILE]\n.SH DESCRIPTION\n{3}\n.SH OPTIONS\n",
      app.get_name(), RAVEL_EXAMPLE_VERSION, about.substr(0, about.find_first_of(".:;")), about);
  for (auto const* const option : app.get_options()) {
    auto const names = names_of(*option);
    bool const positional = names.empty();
    auto const of_type = option->get_type_name();
    auto const given = option->get_default_str();
    page += fmt::format(
        ".TP\n.B {}{}\n{}{}\n",
        positional ? option->get_name(true) : escaped(fmt::format("{}", fmt::join(names, ", "))),
        positional || of_type.empty() ? "" : escaped(" " + of_type),
        escaped(option->get_description()),
        given.empty() ? "" : escaped(fmt::format(" (default {})", given)));
  }
  return page +
         ".SH \"EXIT STATUS\"\n0; 1 if a check failed; 2, with a sentence on standard error, if "
         "there "
         "is no result.\n";
}

}  // namespace ravel::examples
