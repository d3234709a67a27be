#include "nested.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string_view>

namespace ravel::trace {
namespace {

/// How each number of the program was made; those without a sign are inputs and constants.
std::vector<combination> made_numbers{{}};

std::uint32_t note(combination const& c) {
  made_numbers.push_back(c);
  return static_cast<std::uint32_t>(made_numbers.size() - 1);
}
std::uint32_t id_of(number x) { return x.id != 0 ? x.id : note({0, 0, x.is}); }

/// Draws the arrays that each step wrote.
class painter {
  using ids = std::vector<std::size_t>;
  struct contents {
    row drawn;
    std::size_t at;  // row of the picture, drawn last
  };
  struct place {
    std::size_t array, column;
  };
  struct source {
    place from;
    bool combined;
  };

  picture p_;
  std::vector<contents> all_;
  std::map<std::size_t, place> last_;               // where each number was put last
  std::vector<std::vector<index_t>> offsets_seen_;  // the latest at the end

  static bool are_offsets(flattening::written_array const& a) {
    if (!a.type().is<index_t>() || a.size() < 2 || a.as<index_t>(0) != 0) return false;
    for (std::size_t i = 1; i < a.size(); ++i) {
      if (!a.is_written(i) || a.as<index_t>(i) < a.as<index_t>(i - 1)) return false;
    }
    return a.as<index_t>(a.size() - 1) > 0;
  }

  /// The row of an array, or none for records, which are not drawn.
  static std::optional<row> row_of(flattening::written_array const& a, bool has_offsets) {
    bool const is_value = a.type().is<number>();
    if (!is_value && !a.type().is_known) return std::nullopt;
    row r{is_value                        ? "values"
          : a.type().is_bool              ? "flags"
          : has_offsets && are_offsets(a) ? "offsets"
                                          : "indices",
          {}};
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (!a.is_written(i)) {
        r.cells.push_back({});
      } else if (is_value) {
        auto const x = a.as<number>(i);
        r.cells.push_back({std::to_string(x.is), true, false, x.id});
      } else {
        r.cells.push_back({a.text(i), true, false, 0});
      }
    }
    return r;
  }

  /// Results of a map begin segments where its operand does.
  void mark_heads(row& r, std::vector<std::vector<source>> const& from) const {
    std::optional<std::size_t> operand;
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (from[i].size() != 1 || from[i][0].from.column != i) return;
      operand = from[i][0].from.array;
    }
    if (!operand || all_[*operand].drawn.cells.size() != r.cells.size()) return;
    for (std::size_t i = 0; i < r.cells.size(); ++i)
      r.cells[i].head = all_[*operand].drawn.cells[i].head;
  }
  /// So many elements have offsets.
  void mark_heads(row& r) const {
    auto const n = static_cast<index_t>(r.cells.size());
    auto const found = std::find_if(offsets_seen_.rbegin(), offsets_seen_.rend(),
                                    [&](auto const& offsets) { return offsets.back() == n; });
    if (found == offsets_seen_.rend()) return;
    for (index_t const at : *found) {
      if (at < n) r.cells[static_cast<std::size_t>(at)].head = true;
    }
  }

  /// The places of numbers of which a number was made in this step.
  void add_sources(std::size_t id, std::set<std::size_t> const& written_now, bool combined,
                   std::vector<source>& to, std::set<std::size_t>& made) const {
    if (auto const found = last_.find(id); found != last_.end()) {
      to.push_back({found->second, combined});
      return;
    }
    combination const& c = made_numbers[id];
    if (c.sign == nullptr) return;
    made.insert(id);
    for (std::size_t const operand : {c.left, c.right}) {
      if (operand != 0 && !written_now.contains(operand))
        add_sources(operand, written_now, true, to, made);
    }
  }

  std::size_t draw(row r) {
    p_.rows.push_back(std::move(r));
    return p_.rows.size() - 1;
  }

  static bool is_of_slices(flattening::step_taken const& taken) {
    std::string const how = taken.how ? flattening::formula_in(taken.how) : "";
    return how == "put_bounds" || how == "slice_bounds" || how == "start_of_starts";
  }

  void paint(flattening::step_taken const& taken, std::size_t number_of_step) {
    if (is_of_slices(taken)) return;
    std::string_view const what = taken.what;
    step s;
    s.title = taken.what;
    if (number_of_step > 0) {
      s.title = std::to_string(number_of_step) + ' ' + s.title;
      if (taken.how) s.title += ' ' + flattening::formula_in(taken.how);
      s.title += ", " + std::to_string(taken.n) + (taken.n == 1 ? " element" : " elements");
    }
    std::vector<row> rows, values;  // which are drawn last
    std::set<std::size_t> written_now, made;
    for (auto const& a : taken.wrote) {
      auto r = row_of(a, what != "map" && what != "instances of elements");
      if (!r) continue;
      auto const is_equal = [&](row const& b) {
        return b.name == r->name && std::equal(b.cells.begin(), b.cells.end(), r->cells.begin(),
                                               r->cells.end(), [](cell const& x, cell const& y) {
                                                 return x.text == y.text && x.made_by == y.made_by;
                                               });
      };
      auto& drawn = r->name == "values" ? values : rows;
      bool const is_twice = std::any_of(drawn.begin(), drawn.end(), is_equal);
      if (is_twice) continue;  // copied to memory of its size
      if (r->name == "offsets" && what != "split instances") {
        auto& seen = offsets_seen_.emplace_back();
        for (std::size_t i = 0; i < a.size(); ++i) seen.push_back(a.as<index_t>(i));
      }
      for (cell const& c : r->cells) {
        if (c.made_by != 0) written_now.insert(c.made_by);
      }
      p_.columns = std::max(p_.columns, r->cells.size());
      drawn.push_back(std::move(*r));
    }
    rows.insert(rows.end(), values.begin(), values.end());
    std::vector<std::vector<std::vector<source>>> sources;
    std::set<std::size_t> needed;
    for (row& r : rows) {
      if (r.name == "values" && what != "map" && what != "segmented reduce") mark_heads(r);
      auto& of_row = sources.emplace_back();
      for (cell const& c : r.cells) {
        auto& of_cell = of_row.emplace_back();
        if (c.made_by != 0) add_sources(c.made_by, written_now, false, of_cell, made);
        for (source const& from : of_cell) needed.insert(from.from.array);
      }
      if (what == "map") mark_heads(r, of_row);
    }
    // Rows that lines begin in are drawn again, unless they are those of the step before.
    std::size_t first_before = 0;
    for (auto before = p_.steps.rbegin(); before != p_.steps.rend(); ++before) {
      if (before->rows.empty()) continue;
      first_before = before->rows.front();
      break;
    }
    for (std::size_t const k : needed) {
      if (all_[k].at >= first_before) continue;
      row again = all_[k].drawn;
      for (cell& c : again.cells) c.changed = false;
      s.rows.push_back(all_[k].at = draw(again));
    }
    std::map<std::size_t, place> placed;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      std::size_t const at = draw(rows[k]);
      s.rows.push_back(at);
      all_.push_back({rows[k], at});
      for (std::size_t i = 0; i < rows[k].cells.size(); ++i) {
        for (source const& from : sources[k][i]) {
          arrow const a{all_[from.from.array].at, from.from.column, at, i, from.combined};
          auto const is_same = [&](arrow const& b) {
            return b.from_row == a.from_row && b.from == a.from && b.to_row == at && b.to == i;
          };
          if (std::none_of(s.arrows.begin(), s.arrows.end(), is_same)) s.arrows.push_back(a);
        }
        if (std::size_t const id = rows[k].cells[i].made_by; id != 0)
          placed[id] = {all_.size() - 1, i};
      }
    }
    for (auto const& [id, at] : placed) last_[id] = at;
    s.operations = made.size();
    p_.steps.push_back(std::move(s));
  }

 public:
  picture paint(std::vector<flattening::step_taken> const& steps, std::string title) && {
    p_.title = std::move(title);
    std::size_t elements = 0;
    for (std::size_t k = 0; k < steps.size(); ++k) {
      paint(steps[k], k);
      elements += static_cast<std::size_t>(steps[k].n);
    }
    for (row& r : p_.rows) r.cells.resize(p_.columns);
    p_.operations = made_numbers;
    p_.is_decided = true;
    p_.observed = "the flat steps of a nested program, on the host";
    p_.counts = "steps           " + std::to_string(steps.size() - 1) + "\nelements        " +
                std::to_string(elements) + "\n";
    return std::move(p_);
  }
};

}  // namespace

number number::made(std::int32_t is, number a, number b, char const* sign) {
  bool const keeps_a = b.id == 0 && is == a.is, keeps_b = a.id == 0 && is == b.is;
  if (keeps_a || keeps_b) return keeps_a ? a : b;
  number x(is);
  if (a.id == 0 && b.id == 0) return x;
  std::uint32_t const left = id_of(a), right = id_of(b);
  x.id = note({left, right, is, sign});
  return x;
}

void begin_program() { made_numbers.assign(1, {}); }
number as_input(std::int32_t is) {
  number x(is);
  x.id = note({0, 0, is});
  return x;
}

picture picture_of(std::vector<flattening::step_taken> const& steps, std::string title) {
  return painter().paint(steps, std::move(title));
}

}  // namespace ravel::trace
