#pragma once

/// @file
/// Explain: the steps of a program and the expressions that they compute.

#include <ravel/core/function_ref.hpp>
#include <ravel/core/tile.hpp>
#include <ravel/flatten/deferred.hpp>
#include <ravel/flatten/stats.hpp>
#include <ravel/flatten/written.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ravel::inline v0 {
namespace flattening {

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
  auto const is = [&](std::string_view name, std::size_t arguments) {
    std::string_view plain = type.name;
    if (plain.starts_with("straight_")) plain.remove_prefix(9);
    return plain == name && in.size() >= arguments;
  };
  if (is("leaf", 1) || is("recorded", 1)) return formula(in[0]);
  if (is("state_leaf", 2)) return formula(in[1]);
  if (is("iterate", 3)) {
    std::string text = "while " + formula(in[1]) + ": ";
    for (std::size_t i = 2; i < in.size(); ++i) text += (i > 2 ? ", " : "") + formula(in[i]);
    return text;
  }
  if (is("place", 0)) return "index";
  if (is("begin_of", 0)) return "begin";
  if (is("length_of", 0)) return "length";
  if (is("constant", 1)) return "constant " + formula(in[0]);
  if (is("evaluate", 1) || is("evaluate_noting", 1) || is("put", 1) || is("put_element", 1) ||
      is("copy_element", 1) || is("as_index", 1) || is("digit_of_bool", 1) ||
      is("digit_of_number", 2) || is("key_at", 1)) {
    return formula(in[in.size() == 2 && type.name == "digit_of_number" ? 1 : 0]);
  }
  if (is("load_as", 2)) return formula(in[1]);
  if (is("fetch", 2)) return formula(in[0]) + '[' + formula(in[1]) + ']';
  if (is("search_for", 2)) return "search(" + formula(in[0]) + ", " + formula(in[1]) + ')';
  if (is("choice", 3)) {
    return '(' + formula(in[0]) + " ? " + formula(in[1]) + " : " + formula(in[2]) + ')';
  }
  if (is("short_circuit", 3)) {
    return '(' + formula(in[1]) + (in[0].name == "true" ? " || " : " && ") + formula(in[2]) + ')';
  }
  static constexpr std::pair<std::string_view, char const*> operators[] = {
      {"added", "+"},     {"subtracted", "-"},    {"multiplied", "*"},  {"divided", "/"},
      {"is_less", "<"},   {"is_greater", ">"},    {"is_at_most", "<="}, {"is_at_least", ">="},
      {"is_equal", "=="}, {"is_different", "!="}, {"both_hold", "&&"},  {"either_holds", "||"},
      {"remaining", "%"}};
  bool const divides = is("division", 3);
  if (divides || is("application", 3)) {
    std::size_t const f = divides ? 0 : 1;
    for (auto const& [name, sign] : operators) {
      if (in[f].name == name && in.size() == f + 3) {
        return '(' + formula(in[f + 1]) + ' ' + sign + ' ' + formula(in[f + 2]) + ')';
      }
    }
    std::string text = in[f].name + '(';
    for (std::size_t i = f + 1; i < in.size(); ++i) {
      text += (i > f + 1 ? ", " : "") + formula(in[i]);
    }
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

/// The formula in the result of text_of_type.
inline std::string formula_in(char const* text) {
  std::string_view rest = text;
  auto const at = rest.find("T = ");
  if (at == std::string_view::npos) return {};
  rest.remove_prefix(at + 4);
  return formula(read_type(rest));
}

/// The primitive that a step uses.
inline char const* primitive_of(std::string_view step) {
  static constexpr std::pair<std::string_view, char const*> primitives[] = {
      {"map", "for_each_index"},
      {"loop", "for_each_index"},
      {"map of elements", "for_each_in_segments"},
      {"scalar for each element", "for_each_in_segments"},
      {"instances of elements", "segment_ids"},
      {"segment ids", "segment_ids"},
      {"offsets", "scan"},
      {"scan", "scan"},
      {"pack", "segmented_pack"},
      {"split", "segmented_split"},
      {"split instances", "split"},
      {"split by digit", "split"},
      {"sort", "radix_sort"},
      {"segmented sort", "segmented_sort"},
      {"check", "reduce"},
      {"search", "sorted_search"},
      {"reduce by index", "for_each_index"},
      {"segmented reduce", "segmented_reduce"},
      {"segmented scan", "segmented_scan"}};
  for (auto const& [name, primitive] : primitives) {
    if (step == name) return primitive;
  }
  return "what is waited for";
}

/// A step: its name, its number of elements, the type of its function object, its depth in the
/// program, and the arrays that it wrote.
struct step_taken {
  char const* what;
  index_t n;
  char const* how;
  int depth;
  index_t kernels_before;
  std::vector<written_array> wrote = {};
};

/// What a program did.
struct explained_program {
  std::vector<step_taken> steps;
  index_t launched = 0;  // kernels, up to the end
};

/// Records steps, and what each wrote if wanted, during its lifetime.
class explaining final : public step_listener {
  std::vector<step_taken>& steps_;
  bool const with_values_;
  written_memory memory_;
  step_listener* const before_ = std::exchange(listener, this);

 public:
  explaining(std::vector<step_taken>& steps, bool with_values)
      : steps_(steps), with_values_(with_values) {
    if (with_values) steps.push_back({"input", 0, nullptr, 0, kernels_launched()});
  }
  ~explaining() override { listener = before_; }

  /// The last step wrote what has changed: in all memory, or in that at `data`.
  void note_written(void const* data = nullptr) {
    if (!with_values_) return;
    auto& wrote = steps_.back().wrote;
    for (auto& array : memory_.changed(data)) wrote.push_back(std::move(array));
  }
  void step(char const* what, index_t n, char const* how) override {
    note_written();
    steps_.push_back({what, n, how, depth_of_program, kernels_launched()});
  }
  void allocated(void* data, index_t n, std::size_t bytes, number_type of) override {
    if (with_values_) memory_.add(data, n, bytes, of);
  }
  void released(void const* data) override {
    note_written(data);
    memory_.forget(data);
  }
};

/// Runs a program, and keeps its steps; with what each wrote, the input is the first.
inline explained_program steps_of(detail::function_ref<void()> program, bool with_values) {
  explained_program p;
  explaining now(p.steps, with_values);
  program();
  run_deferred_steps();
  p.launched = kernels_launched();
  now.note_written();
  return p;
}

/// An array as text, with up to `shown` elements.
inline std::string text_of(written_array const& a, std::size_t shown) {
  std::string text;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a.size() > shown && i + 1 == shown) {
      text += " ...";
      i = a.size() - 1;
    }
    text += ' ' + a.text(i);
  }
  return text;
}

/// The steps of a program as text, with up to `shown` elements of each array that a step writes.
inline std::string explained(detail::function_ref<void()> program, std::size_t shown) {
  auto const [steps, launched] = steps_of(program, shown > 0);
  std::string text;
  for (std::size_t k = 0; k < steps.size(); ++k) {
    auto const& step = steps[k];
    std::string line(2 * static_cast<std::size_t>(step.depth), ' ');
    line += step.what;
    auto const n = std::to_string(step.n);
    line.append(std::max<std::size_t>(line.size() + n.size() + 1, 40) - line.size() - n.size(),
                ' ');
    line += n;
    if (step.how) line += "   " + formula_in(step.how);
    index_t const kernels =
        (k + 1 < steps.size() ? steps[k + 1].kernels_before : launched) - step.kernels_before;
    if (kernels > 0) {
      line += std::string("   ") + primitive_of(step.what) + ", " + std::to_string(kernels) +
              (kernels > 1 ? " kernels" : " kernel");
    }
    std::string wrote;
    // The distances of arrays in memory say nothing, and are others in each run.
    bool const is_of_memory = step.how && formula_in(step.how) == "put_bounds";
    for (auto const& array : step.wrote) {
      if (!array.type().is_known || is_of_memory) continue;
      wrote.append(2 * static_cast<std::size_t>(step.depth), ' ');
      wrote += "  ->" + text_of(array, shown) + '\n';
    }
    if (k == 0 && shown > 0) line = wrote.empty() ? "" : step.what;
    if (!line.empty()) text += line + '\n';
    text += wrote;
  }
  return text;
}

}  // namespace flattening

/// Lets explain show the values that each step writes: of longer arrays the first and the last.
struct values_shown {
  index_t at_most = 16;
};

/// The trace of a program, a line for each step and each context, in order:
///
///     explain([&] { each(rows, [](auto row) { return sum(row * row); }); })
///
///     context: elements          5
///       segmented reduce         8   (int * int)
///
/// A line shows the number of elements of a step, its depth in lambdas by indentation,
/// and what it computed: a formula of the types of its operands, x[i] for
/// elements fetched by index.  On a device it also names the primitive, and the number of kernels
/// that it launched, including those of the following wait:
///
///       segmented reduce         8   (int * int)   segmented_reduce, 3 kernels
///
/// With values_shown, the arrays of numbers that a step wrote follow it; T and F are booleans, and _
/// what no step wrote:
///
///     explain([&] { each(from(ex, rows), [](auto row) { return sum(row * row); }); },
///             values_shown{})
///
///     input
///       -> 3 1 2 4 5
///       -> 0 2 2 5
///     context: elements          3
///       segmented reduce         8   (int * int)
///         -> 10 0 45
///
/// The program runs, and its result is dropped.  Memory of a device is not shown, nor positions in
/// memory, which are others in each run.
///
/// Cost     None for programs that are not explained.  Showing values takes, after each step, a pass
///          over the memory that the program holds, and as much memory again.
/// See also stats, for totals.
template <class F>
std::string explain(F const& program, values_shown values = {0}) {
  return flattening::explained([&] { program(); }, static_cast<std::size_t>(values.at_most));
}

}  // namespace ravel::inline v0
