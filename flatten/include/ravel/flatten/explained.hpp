#pragma once

/// Explained: the steps of a program as text, with what they compute, cost and write.

#include <ravel/core/function_ref.hpp>
#include <ravel/core/std_clock.hpp>
#include <ravel/flatten/archived.hpp>
#include <ravel/flatten/deferred.hpp>
#include <ravel/flatten/formula.hpp>
#include <ravel/flatten/stats.hpp>
#include <ravel/flatten/written.hpp>

#include <cstdio>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

namespace ravel::inline v0::flattening {

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
      {"reduce", "reduce"},
      {"search", "sorted_search"},
      {"reduce by index", "for_each_index"},
      {"segmented reduce", "segmented_reduce"},
      {"segmented scan", "segmented_scan"}};
  for (auto const& [name, primitive] : primitives) {
    if (step == name) return primitive;
  }
  if (step.starts_with("pass: ")) return step.data() + 6;  // of a pipeline
  return "what is waited for";
}

/// Whether a step moves elements from memory to memory, and computes nothing.
inline bool is_copy(std::string_view step, char const* how) {
  if (step == "scalar for each element") return true;
  if (how == nullptr) return false;
  auto const type = type_in(how);
  bool const moves = type.name == "evaluate" || type.name == "copy_element" || type.name == "put" ||
                     type.name == "put_element";
  return moves && !type.arguments.empty() && type.arguments[0].name.ends_with("leaf");
}

/// A step: its name, its number of elements, the type of its function object, its depth in the
/// program, and the arrays that it wrote.  Before it, `kernels` and `waits` were counted, and values
/// had `bytes`, its own results among them.
struct step_taken {
  using clock = std::chrono::steady_clock;

  char const* what;
  index_t n;
  char const* how;
  int depth;
  index_t kernels = kernels_launched();
  index_t waits = counted_steps.waits;
  index_t bytes = counted_steps.bytes;
  clock::time_point began = clock::now();
  unsigned line = 0;  // of the source, `how`, where a part of the program begins
  std::vector<written_array> wrote = {};

  bool is_like(step_taken const& other) const {
    return what == other.what && how == other.how && depth == other.depth && line == other.line;
  }
  double ms_until(step_taken const& later) const {
    return std::chrono::duration<double, std::milli>(later.began - began).count();
  }
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
    if (with_values) steps.push_back({"input", 0, nullptr, 0});
  }
  ~explaining() override { listener = before_; }

  /// The last step wrote what has changed: in all memory, or in that at `data`.
  void note_written(void const* data = nullptr) {
    if (!with_values_) return;
    auto& wrote = steps_.back().wrote;
    for (auto& array : memory_.changed(data)) wrote.push_back(std::move(array));
  }
  void part(char const* name, std::source_location const& at) override {
    note_written();
    steps_.push_back({name, 0, at.file_name(), depth_of_program});
    steps_.back().line = at.line();
  }
  void step(char const* what, index_t n, char const* how) override {
    note_written();
    steps_.push_back({what, n, how, depth_of_program});
  }
  void allocated(void* data, index_t n, std::size_t bytes, number_type type) override {
    if (with_values_) memory_.add(data, n, bytes, type);
  }
  void released(void const* data) override {
    note_written(data);
    memory_.forget(data);
  }
};

/// Runs a program, and keeps its steps, and its end as one more; with what each wrote, the input is
/// the first.
inline std::vector<step_taken> steps_of(detail::function_ref<void()> program, bool with_values) {
  std::vector<step_taken> steps;
  explaining recorder(steps, with_values);
  program();
  run_deferred_steps();
  recorder.note_written();
  steps.push_back({"end", 0, nullptr, 0});
  return steps;
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

/// What explain shows besides the steps.
struct shown_of_steps {
  std::size_t values = 0;
  bool costs = false;
};

/// `count` of something, as `, 3 kernels`; nothing of none.
inline std::string text_of_count(index_t count, char const* what) {
  if (count == 0) return {};
  return ", " + std::to_string(count) + what + (count > 1 ? "s" : "");
}
inline std::string text_of_ms(double ms) {
  char text[32];
  std::snprintf(text, sizeof text, "   %.3f ms", ms);
  return text;
}

/// A step as text, and its cost, up to the next one.
inline std::string line_of(step_taken const& step, step_taken const& next,
                           shown_of_steps const& shown) {
  std::string line(2 * static_cast<std::size_t>(step.depth), ' ');
  line += step.what;
  if (step.line > 0) {
    std::string_view file = step.how;
    file.remove_prefix(file.rfind('/') + 1);
    return line + ": " + std::string(file) + ':' + std::to_string(step.line) + '\n';
  }
  auto const n = std::to_string(step.n);
  line.append(std::max<std::size_t>(line.size() + n.size() + 1, 40) - line.size() - n.size(), ' ');
  line += n;
  if (step.how) line += "   " + formula_in(step.how);
  if (index_t const kernels = next.kernels - step.kernels; kernels > 0) {
    line += std::string("   ") + primitive_of(step.what) + text_of_count(kernels, " kernel");
  }
  if (shown.costs) {
    line += text_of_ms(step.ms_until(next)) + ", " + std::to_string(step.bytes) + " bytes" +
            (is_copy(step.what, step.how) ? ", copy" : "") +
            text_of_count(next.waits - step.waits, " wait");
  }
  return line + '\n';
}

/// How often the `period` steps from `first` on follow one another.
inline std::size_t rounds_of(std::vector<step_taken> const& steps, std::size_t first,
                             std::size_t period) {
  std::size_t end = first + period;
  while (end + 1 < steps.size() && steps[end].is_like(steps[end - period])) ++end;
  return (end - first) / period;
}
/// The steps of a round that is repeated from `first` on at least thrice, or 0.
inline std::size_t period_from(std::vector<step_taken> const& steps, std::size_t first) {
  constexpr std::size_t longest = 100;
  for (std::size_t period = 1; period <= longest; ++period) {
    if (rounds_of(steps, first, period) > 3) return period;
  }
  return 0;
}

#ifdef RAVEL_DEFINES_NESTED

/// The steps of a program as text; of equal rounds the first, if no values are shown.
[[gnu::cold]] RAVEL_NESTED std::string explained(detail::function_ref<void()> program,
                                                 std::size_t values, bool costs) {
  shown_of_steps const shown{values, costs};
  auto const steps = steps_of(program, shown.values > 0);
  std::string text;
  auto const add = [&](std::size_t k) {
    auto const& step = steps[k];
    std::string wrote;
    // The distances of arrays in memory say nothing, and are others in each run.
    bool const is_of_memory = step.how && step.line == 0 && formula_in(step.how) == "put_bounds";
    for (auto const& array : step.wrote) {
      if (!array.type().is_known || is_of_memory) continue;
      wrote.append(2 * static_cast<std::size_t>(step.depth), ' ');
      wrote += "  ->" + text_of(array, shown.values) + '\n';
    }
    if (k > 0 || shown.values == 0) {
      text += line_of(step, steps[k + 1], shown);
    } else if (!wrote.empty()) {
      text += std::string(step.what) + '\n';
    }
    text += wrote;
  };
  for (std::size_t k = 0; k + 1 < steps.size();) {
    std::size_t const period = shown.values > 0 ? 0 : period_from(steps, k);
    std::size_t const end = k + std::max<std::size_t>(period, 1);
    for (std::size_t const first = k; k < end; ++k) {
      add(k);
      if (k + 1 < end || period == 0) continue;
      std::size_t const rounds = rounds_of(steps, first, period);
      k = first + rounds * period - 1;
      index_t n = 0;
      for (std::size_t i = end; i <= k; ++i) n += steps[i].n;
      text.append(2 * static_cast<std::size_t>(steps[first].depth), ' ');
      text += "... " + std::to_string(rounds - 1) + " more rounds of " + std::to_string(period) +
              (period > 1 ? " steps, " : " step, ") + std::to_string(n) + " elements";
      if (shown.costs) text += text_of_ms(steps[end].ms_until(steps[k + 1]));
      text += '\n';
    }
  }
  return text;
}

#endif

}  // namespace ravel::inline v0::flattening
