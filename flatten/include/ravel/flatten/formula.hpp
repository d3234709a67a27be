#pragma once

/// Formulas: the expressions of steps as text, from the names of their types.

#include <ravel/core/vocabulary.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace ravel::inline v0::flattening {

/// A type's name as a tree: the part before the <>, and the arguments in it.
struct named_type {
  std::string name;
  std::vector<named_type> arguments = {};
};

/// Parses a type at the front of a text.
inline named_type read_type(std::string_view& text) {
  auto const skip_blanks = [&] {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  };
  named_type type;
  skip_blanks();
  while (!text.empty() && std::string_view("<>,;]").find(text.front()) == std::string_view::npos) {
    type.name += text.front();
    text.remove_prefix(1);
  }
  if (!text.empty() && text.front() == '<') {
    do {
      text.remove_prefix(1);
      type.arguments.push_back(read_type(text));
      skip_blanks();
    } while (!text.empty() && text.front() == ',');
    if (!text.empty()) text.remove_prefix(1);  // the >
  }
  while (!type.name.empty() && type.name.back() == ' ') type.name.pop_back();
  if (auto const scope = type.name.rfind("::"); scope != std::string::npos) {
    type.name.erase(0, scope + 2);
  }
  return type;
}

/// The type of an expression as a formula: leaves are the types of elements, functions their names.
inline std::string formula(named_type const& type) {
  auto const& in = type.arguments;
  auto const named = [&](std::string_view name, std::size_t arguments) {
    std::string_view plain = type.name;
    if (plain.starts_with("straight_")) plain.remove_prefix(9);
    return plain == name && in.size() >= arguments;
  };
  if (named("leaf", 1) || named("recorded", 1)) return formula(in[0]);
  if (named("state_leaf", 2)) return formula(in[1]);
  if (named("iterate", 3)) {
    std::string text = "while " + formula(in[1]) + ": ";
    for (std::size_t i = 2; i < in.size(); ++i) text += (i > 2 ? ", " : "") + formula(in[i]);
    return text;
  }
  if (named("place", 0)) return "index";
  if (named("begin_of", 0)) return "begin";
  if (named("length_of", 0)) return "length";
  if (named("constant", 1)) return "constant " + formula(in[0]);
  if (named("evaluate", 1) || named("evaluate_noting", 1) || named("put", 1) ||
      named("put_element", 1) || named("copy_element", 1) || named("as_index", 1) ||
      named("digit_of_bool", 1) || named("digit_of_number", 2) || named("key_at", 1)) {
    return formula(in[in.size() == 2 && type.name == "digit_of_number" ? 1 : 0]);
  }
  if (named("load_as", 2)) return formula(in[1]);
  if (named("fetch", 2)) return formula(in[0]) + '[' + formula(in[1]) + ']';
  if (named("search_for", 2)) return "search(" + formula(in[0]) + ", " + formula(in[1]) + ')';
  if (named("choice", 3)) {
    return '(' + formula(in[0]) + " ? " + formula(in[1]) + " : " + formula(in[2]) + ')';
  }
  static constexpr std::pair<std::string_view, char const*> operators[] = {
      {"added", "+"},     {"subtracted", "-"},    {"multiplied", "*"},  {"divided", "/"},
      {"is_less", "<"},   {"is_greater", ">"},    {"is_at_most", "<="}, {"is_at_least", ">="},
      {"is_equal", "=="}, {"is_different", "!="}, {"both_hold", "&&"},  {"either_holds", "||"},
      {"remaining", "%"}};
  if (named("application", 3)) {
    named_type const& f = in[1].name == "division" ? in[1].arguments[0] : in[1];
    auto const of_two = [&](std::string_view sign) {
      return '(' + formula(in[2]) + ' ' + std::string(sign) + ' ' + formula(in[3]) + ')';
    };
    for (auto const& [name, sign] : operators) {
      if (f.name == name && in.size() == 4) return of_two(sign);
    }
    if (f.name == "short_circuit") return of_two(f.arguments[0].name == "true" ? "||" : "&&");
    if (f.name == "chosen" || f.name == "choice") {
      return '(' + formula(in[2]) + " ? " + formula(in[3]) + " : " + formula(in[4]) + ')';
    }
    std::string text = f.name + '(';
    for (std::size_t i = 2; i < in.size(); ++i) text += (i > 2 ? ", " : "") + formula(in[i]);
    return text + ')';
  }
  static constexpr std::pair<std::string_view, char const*> as_gcc_says[] = {
      {"short int", "short"},         {"short unsigned int", "unsigned short"},
      {"long int", "long"},           {"long unsigned int", "unsigned long"},
      {"long long int", "long long"}, {"long long unsigned int", "unsigned long long"}};
  for (auto const& [long_name, name] : as_gcc_says) {
    if (type.name == long_name) return name;
  }
  return type.name;
}

/// The type in the result of text_of_type.
inline named_type type_in(char const* text) {
  std::string_view rest = text;
  auto const at = rest.find("T = ");
  if (at == std::string_view::npos) return {};
  rest.remove_prefix(at + 4);
  return read_type(rest);
}
inline std::string formula_in(char const* text) { return formula(type_in(text)); }

}  // namespace ravel::inline v0::flattening
