#include "picture.hpp"

#include <algorithm>

namespace ravel::trace {
namespace {

std::string count(std::size_t n, std::string const& what) {
  return n == 0 ? "" : std::to_string(n) + ' ' + what + (n > 1 ? "s" : "");
}

/// The loads and stores of a step, after what else it did.
std::string accesses_of(step const& s) {
  std::string out;
  for (auto const& each :
       {count(s.loads, "load"), count(s.stores, "store"), count(s.shared_loads, "shared load"),
        count(s.shared_stores, "shared store")}) {
    if (!each.empty()) out += ", " + each;
  }
  return out;
}

/// The lines of a picture: names on the left, a column for each element, counts on the right.
class page {
  picture const& p_;
  std::size_t name_ = 4, width_ = 3;
  std::string out_;

  std::size_t center(std::size_t column) const { return name_ + column * width_ + width_ - 2; }

  static void put(std::string& line, std::size_t at, char c, bool over) {
    if (line.size() <= at) line.resize(at + 1, ' ');
    if (over || line[at] == ' ') line[at] = c;
  }

  /// Whether another arrow ends in the same cell, so that this one need not be drawn.
  static bool joins_another(step const& s, arrow const& a) {
    return std::any_of(s.arrows.begin(), s.arrows.end(), [&](arrow const& b) {
      return b.to_row == a.to_row && b.to == a.to && b.from != a.from;
    });
  }

  /// Arrows as `\___\`, `/___/` and `|`, under the row where they begin.
  std::string connectors(step const& s, std::size_t to_row) const {
    std::string line;
    for (bool const ends : {false, true}) {
      for (arrow const& a : s.arrows) {
        if (a.to_row != to_row) continue;
        std::size_t const x = center(a.from), y = center(a.to);
        if (x == y) {
          if (ends && !joins_another(s, a)) put(line, x, '|', true);
        } else if (x < y) {
          if (ends) put(line, x + 1, '\\', true), put(line, y - 1, '\\', true);
          for (std::size_t k = x + 2; !ends && k + 1 < y; ++k) put(line, k, '_', false);
        } else {
          if (ends) put(line, x - 1, '/', true), put(line, y + 1, '/', true);
          for (std::size_t k = y + 2; !ends && k + 1 < x; ++k) put(line, k, '_', false);
        }
      }
    }
    return line;
  }

  std::string values(row const& r) const {
    std::string line = r.name;
    for (std::size_t i = 0; i < r.cells.size(); ++i) {
      cell const& c = r.cells[i];
      if (c.text.empty()) continue;
      std::string const text = (c.head ? "|" : "") + c.text;
      std::size_t const end = center(i) + 1;
      line.resize(std::max(line.size(), end - text.size()), ' ');
      line += text;
    }
    return line;
  }

 public:
  explicit page(picture const& p) : p_(p) {
    for (row const& r : p.rows) {
      name_ = std::max(name_, r.name.size() + 2);
      for (cell const& c : r.cells) width_ = std::max(width_, c.text.size() + 3);
    }
  }

  std::string write() {
    out_ = p_.title + "\n" + p_.observed + "\n";
    if (!p_.source.empty()) out_ += p_.source + "\n";
    std::string title;
    for (step const& s : p_.steps) {
      out_ += s.title == title ? "\n" : "\n" + s.title + "\n";
      title = s.title;
      for (std::size_t const r : s.rows) {
        std::string const line = connectors(s, r);
        if (!line.empty()) out_ += line + "\n";
        std::string v = values(p_.rows[r]);
        if (r == s.rows.back() && s.operations + s.threads > 0) {
          v.resize(std::max(v.size(), center(p_.columns) + 2), ' ');
          v += counts_of(s) + accesses_of(s);
        }
        out_ += v + "\n";
      }
    }
    if (!p_.trees.empty()) out_ += "\n";
    for (std::size_t i = 0; i < p_.trees.size(); ++i) {
      out_ += "out[" + std::to_string(i) + "] = " + p_.trees[i] + "\n";
    }
    if (!statistics_of(p_).empty()) out_ += "\n" + statistics_of(p_) + "\n";
    return out_;
  }
};

}  // namespace

std::string statistics_of(picture const& p) {
  if (p.is_decided) return {};
  return "work " + std::to_string(p.work) + ", span " + std::to_string(p.span) + ", launches " +
         std::to_string(p.launches) + ", barriers " + std::to_string(p.barriers);
}

std::string counts_of(step const& s) {
  std::string const threads = count(s.threads, "thread"), operations = count(s.operations, "op");
  return threads + (threads.empty() || operations.empty() ? "" : ", ") + operations;
}

std::string text_of(picture const& p) { return page(p).write(); }

std::string counts_of(picture const& p) {
  std::string const work = p.is_decided ? ""
                                        : "work            " + std::to_string(p.work) + ", span " +
                                              std::to_string(p.span) + "\n";
  return p.title + "\n" + p.observed + "\n\n" + p.counts + work;
}

}  // namespace ravel::trace
