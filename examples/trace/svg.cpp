#include "picture.hpp"

#include <algorithm>
#include <sstream>

namespace ravel::trace {
namespace {

std::string escaped(std::string const& text) {
  std::string out;
  for (char const c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else
      out += c;
  }
  return out;
}

constexpr char style[] = R"(<style>
  .ground { fill: #ffffff } text { font: 14px system-ui, sans-serif; fill: #1c2330 }
  .title { font-size: 18px; font-weight: 600 } .step { paint-order: stroke; stroke: #ffffff; stroke-width: 4px } .note, .name { fill: #566072; font-size: 12px }
  .value { text-anchor: middle } .old { fill: #8a93a3 } .box { fill: #dbe8fb; stroke: #3b74c9 }
  .plain { fill: #ffffff; stroke: #c9cfd9 } .combine { stroke: #3b74c9; stroke-width: 1.6; fill: none }
  .move { stroke: #98a1b0; stroke-width: 1.2; fill: none; stroke-dasharray: 3 3 }
  .self { stroke: #3b74c9; stroke-width: 1; fill: none; opacity: .45 }
  .head { stroke: #c2410c; stroke-width: 2.5 } .wall { stroke: #e3e7ee }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #14181f } .step { stroke: #14181f } text { fill: #e6eaf0 } .note, .name { fill: #9aa5b5 } .old { fill: #77818f }
    .box { fill: #1f3557; stroke: #79a7ec } .plain { fill: #14181f; stroke: #3a4453 } .combine { stroke: #79a7ec }
    .move { stroke: #6c7686 } .self { stroke: #79a7ec } .head { stroke: #fb923c } .wall { stroke: #262d38 }
  }
</style>
)";

class drawing {
  picture const& p_;
  std::ostringstream out_;
  double left_ = 90, column_ = 44, width_ = 0;
  std::vector<double> y_;  // of the middle of each row; 0 for those not drawn

  double x(std::size_t column) const {
    return left_ + column_ * (static_cast<double>(column) + .5);
  }

  void line(char const* kind, double x1, double y1, double x2, double y2) {
    out_ << "<line class=\"" << kind << "\" x1=\"" << x1 << "\" y1=\"" << y1 << "\" x2=\"" << x2
         << "\" y2=\"" << y2 << "\"/>\n";
  }
  void text(char const* kind, double at, double y, std::string const& t) {
    out_ << "<text class=\"" << kind << "\" x=\"" << at << "\" y=\"" << y << "\">" << escaped(t)
         << "</text>\n";
  }

  void draw(row const& r, double y) {
    text("name", 8, y + 4, r.name);
    for (std::size_t i = 0; i < r.cells.size(); ++i) {
      cell const& c = r.cells[i];
      if (c.text.empty()) continue;
      double const half = column_ / 2 - 4;
      out_ << "<rect class=\"" << (c.changed ? "box" : "plain") << "\" x=\"" << x(i) - half
           << "\" y=\"" << y - 12 << "\" width=\"" << 2 * half << "\" height=\"24\" rx=\"4\"/>\n";
      if (c.head) line("head", x(i) - column_ / 2, y - 14, x(i) - column_ / 2, y + 14);
      text(c.changed || r.name == "in" ? "value" : "value old", x(i), y + 5, c.text);
    }
  }

 public:
  explicit drawing(picture const& p) : p_(p), y_(p.rows.size()) {
    std::size_t longest = 0;
    for (row const& r : p.rows) {
      left_ = std::max(left_, 20 + 7.0 * static_cast<double>(r.name.size()));
      for (cell const& c : r.cells) longest = std::max(longest, c.text.size());
    }
    column_ = std::max(column_, 16 + 9.0 * static_cast<double>(longest));
    width_ = left_ + column_ * static_cast<double>(p.columns) + 130;
    for (step const& s : p.steps)
      width_ = std::max(width_, 20 + 6.5 * static_cast<double>(s.title.size()));
  }

  std::string write() {
    double y = 64;
    std::string launch;
    for (step const& s : p_.steps) {
      bool first = true;
      double titled = 0;
      if (s.rows.empty()) {
        y += 24;
        text("note step", 8, y + 16, s.title);
      }
      for (std::size_t const r : s.rows) {
        bool const has_arrows = std::any_of(s.arrows.begin(), s.arrows.end(),
                                            [&](arrow const& a) { return a.to_row == r; });
        bool const begins_launch = first && s.title != launch;
        y += (has_arrows ? 58 : 40) + (begins_launch && !launch.empty() ? 22 : 0);
        y_[r] = y;
        if (begins_launch) titled = y - 20;
        launch = s.title;
        first = false;
      }
      for (arrow const& a : s.arrows) {
        if (y_[a.from_row] == 0 || a.from_row == a.to_row) continue;
        bool const straight = a.from == a.to;
        char const* const kind = !a.combined ? "move" : straight ? "self" : "combine";
        line(kind, x(a.from), y_[a.from_row] + 13, x(a.to), y_[a.to_row] - 15);
      }
      if (titled > 0) text("note step", 8, titled, s.title);  // over the arrows
      if (s.operations + s.threads > 0)
        text("note", left_ + column_ * static_cast<double>(p_.columns) + 10, y + 4, counts_of(s));
    }
    for (std::size_t r = 0; r < p_.rows.size(); ++r) draw(p_.rows[r], y_[r]);  // over the arrows
    std::string const body = out_.str();
    out_.str("");
    double const height = y + 60;
    out_ << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " << width_ << ' ' << height
         << "\" width=\"" << width_ << "\" height=\"" << height << "\" role=\"img\">\n<title>"
         << escaped(p_.title) << "</title>\n"
         << style << "<rect class=\"ground\" width=\"100%\" height=\"100%\"/>\n";
    text("title", 8, 24, p_.title);
    text("note", 8, 44, p_.observed);
    for (std::size_t i = p_.block; p_.block > 0 && i < p_.columns; i += p_.block) {
      line("wall", x(i) - column_ / 2, 62, x(i) - column_ / 2, y + 16);
    }
    out_ << body;
    text("note", 8, y + 42, statistics_of(p_));
    out_ << "</svg>\n";
    return out_.str();
  }
};

}  // namespace

std::string svg_of(picture const& p) { return drawing(p).write(); }

}  // namespace ravel::trace
