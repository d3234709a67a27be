#include "recorder.hpp"

#include <algorithm>

namespace ravel::trace {

/// Draws the frames of a recording, in order, as rows of a picture.
class painter {
  struct contents {
    std::string name;
    std::map<std::size_t, value> cells;  // by column
    std::size_t row = SIZE_MAX;          // where they were drawn last
  };

  recorder& of_;
  picture& to_;
  std::size_t tile_;
  std::vector<contents> all_;                                             // of each array, by name
  std::map<recorder::place, std::pair<std::size_t, std::size_t>> drawn_;  // contents and column

  /// Whether a shared variable has more than a tile here: members after the tile.
  bool is_rest(recorder::place p) const {
    return p.array != recorder::registers && of_.arrays_[p.array].is_shared && p.index >= tile_;
  }

  std::size_t contents_of(recorder::place p) {
    std::string name = "registers";
    if (p.array != recorder::registers) {
      auto const& a = of_.arrays_[p.array];
      name = (a.is_shared ? "shared " : "") + a.name + (is_rest(p) ? ", totals" : "");
    }
    for (std::size_t k = 0; k < all_.size(); ++k) {
      if (all_[k].name == name) return k;
    }
    all_.push_back({name, {}});
    return all_.size() - 1;
  }

  /// An array as long as the input has a column for each element; any other value stands at the last
  /// element that it combines.
  std::optional<std::size_t> column_of(recorder::place p, value v) const {
    if (p.array != recorder::registers && !is_rest(p)) {
      auto const& a = of_.arrays_[p.array];
      std::size_t const at = p.index + (a.is_shared ? a.block * tile_ : 0);
      bool const by_value = a.is_shared ? of_.shared_by_value_ : a.is_found;
      if (!by_value && a.count() >= (a.is_shared ? std::min(tile_, to_.columns) : to_.columns)) {
        return at < to_.columns ? std::optional(at) : std::nullopt;
      }
    }
    if (v.id() == 0) return std::nullopt;
    return of_.nodes_[v.id()].last;
  }

  std::size_t draw(contents& of, std::set<std::size_t> const& changed) {
    row r{of.name, std::vector<cell>(to_.columns)};
    for (auto const& [column, v] : of.cells) {
      r.cells[column] = {std::to_string(v.number), changed.contains(column), false, v.id()};
    }
    if (auto const heads = of_.heads_.find(of.name); heads != of_.heads_.end()) {
      for (std::size_t i = 0; i < std::min(heads->second.size(), to_.columns); ++i) {
        r.cells[i].head = heads->second[i] != 0;
      }
    }
    to_.rows.push_back(std::move(r));
    of.row = to_.rows.size() - 1;
    return of.row;
  }

  /// Leaves out what a register gets and no later step reads.
  void drop_unread_registers() {
    std::set<recorder::place> read;
    for (auto f = of_.frames_.rbegin(); f != of_.frames_.rend(); ++f) {
      auto& changes = f->second.changes;
      std::erase_if(changes, [&](auto const& c) {
        return c.at.array == recorder::registers && !read.contains(c.at);
      });
      for (auto const& c : changes) read.erase(c.at);
      for (auto const& c : changes) {
        for (auto const& from : c.from) read.insert(from.at);
      }
    }
  }

  void paint(recorder::time at, recorder::frame const& f) {
    step s;
    s.title = "launch " + std::to_string(at.first);
    s.threads = f.active.size();
    s.operations = f.operations;
    s.loads = f.loads;
    s.stores = f.stores;
    s.shared_loads = f.shared_loads;
    s.shared_stores = f.shared_stores;

    // The rows that arrows begin in are drawn again unless they are among the last.
    std::size_t const first_before = to_.steps.empty() ? 0 : to_.steps.back().rows.front();
    std::vector<std::size_t> changed_contents;
    std::map<std::size_t, std::set<std::size_t>> changed;
    for (auto const& c : f.changes) {
      auto const column = column_of(c.at, c.v);
      if (!column) continue;
      std::size_t const k = contents_of(c.at);
      if (std::find(changed_contents.begin(), changed_contents.end(), k) ==
          changed_contents.end()) {
        changed_contents.push_back(k);
      }
      changed[k].insert(*column);
    }
    if (changed_contents.empty()) return;
    for (auto const& c : f.changes) {
      for (auto const& from : c.from) {
        auto const found = drawn_.find(from.at);
        if (found == drawn_.end()) continue;
        contents& source = all_[found->second.first];
        if (source.row == SIZE_MAX || source.row < first_before) {
          s.rows.push_back(draw(source, {}));
        }
      }
    }
    auto const rows_before = [&] {
      std::vector<std::size_t> rows;
      for (auto const& each : all_) rows.push_back(each.row);
      return rows;
    }();
    std::vector<arrow> arrows;
    std::vector<std::size_t> to_contents;
    std::vector<std::tuple<recorder::place, std::size_t, std::size_t>> placed;
    for (auto const& c : f.changes) {
      auto const column = column_of(c.at, c.v);
      if (!column) continue;
      std::size_t const k = contents_of(c.at);
      for (auto const& from : c.from) {
        auto const found = drawn_.find(from.at);
        if (found == drawn_.end()) continue;
        auto const [source, source_column] = found->second;
        if (rows_before[source] == SIZE_MAX) continue;
        arrows.push_back({rows_before[source], source_column, 0, *column, from.combined});
        to_contents.push_back(k);
      }
      placed.emplace_back(c.at, k, *column);
      all_[k].cells[*column] = c.v;
    }
    for (std::size_t const k : changed_contents) s.rows.push_back(draw(all_[k], changed[k]));
    for (std::size_t a = 0; a < arrows.size(); ++a) {
      arrows[a].to_row = all_[to_contents[a]].row;
      auto const equal = [&](arrow const& other) {
        return other.from_row == arrows[a].from_row && other.from == arrows[a].from &&
               other.to_row == arrows[a].to_row && other.to == arrows[a].to;
      };
      if (std::none_of(s.arrows.begin(), s.arrows.end(), equal)) s.arrows.push_back(arrows[a]);
    }
    for (auto const& [p, k, column] : placed) drawn_[p] = {k, column};
    to_.steps.push_back(std::move(s));
  }

 public:
  painter(recorder& of, std::size_t tile) : of_(of), to_(of.picture_), tile_(tile) {}

  void paint() {
    std::size_t const in = contents_of({0, 0});
    for (std::size_t i = 0; i < to_.columns; ++i) {
      all_[in].cells[i] = of_.nodes_[i + 1].result;
      drawn_[{0, i}] = {in, i};
    }
    step first;
    first.title = "input";
    first.rows.push_back(draw(all_[in], {}));
    to_.steps.push_back(first);
    for (auto const& n : of_.nodes_) to_.operations.push_back({n.left, n.right, n.computed});
    drop_unread_registers();
    for (auto const& [at, f] : of_.frames_) paint(at, f);
  }
};

picture recorder::finish(std::size_t tile) && {
  painter(*this, tile).paint();
  return std::move(picture_);
}

}  // namespace ravel::trace
