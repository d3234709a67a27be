#include "picture.hpp"

namespace ravel::trace {
namespace {

std::string quoted(std::string const& text) {
  std::string out = "\"";
  for (char const c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

/// [of(x) for each x]
template <class R, class F>
std::string list(R const& all, F of) {
  std::string out;
  for (auto const& x : all) out += (out.empty() ? "[" : ",") + of(x);
  return out.empty() ? "[]" : out + "]";
}
std::string number(std::size_t n) { return std::to_string(n); }

std::string json(cell const& c) {
  if (c.text.empty()) return "null";
  return "{\"text\":" + quoted(c.text) + ",\"of\":" + number(c.made_by) +
         (c.changed ? ",\"changed\":true" : "") + (c.head ? ",\"head\":true" : "") + "}";
}
std::string json(row const& r) {
  return "{\"name\":" + quoted(r.name) +
         ",\"cells\":" + list(r.cells, [](cell const& c) { return json(c); }) + "}";
}
std::string json(arrow const& a) {
  return "{\"from\":[" + number(a.from_row) + "," + number(a.from) + "],\"to\":[" +
         number(a.to_row) + "," + number(a.to) +
         "],\"combined\":" + (a.combined ? "true" : "false") + "}";
}
std::string json(step const& s) {
  return "{\"title\":" + quoted(s.title) + ",\"rows\":" + list(s.rows, number) +
         ",\"arrows\":" + list(s.arrows, [](arrow const& a) { return json(a); }) +
         ",\"threads\":" + number(s.threads) + ",\"operations\":" + number(s.operations) +
         ",\"loads\":" + number(s.loads) + ",\"stores\":" + number(s.stores) +
         ",\"shared_loads\":" + number(s.shared_loads) +
         ",\"shared_stores\":" + number(s.shared_stores) + "}";
}

}  // namespace

std::string json_of(picture const& p) {
  return "{\"title\":" + quoted(p.title) + ",\"observed\":" + quoted(p.observed) +
         ",\"source\":" + quoted(p.source) + ",\"op\":" + quoted(p.op) +
         ",\"columns\":" + number(p.columns) + ",\"tile\":" + number(p.block) +
         ",\"warp\":" + number(p.warp) + ",\n\"work\":" + number(p.work) +
         ",\"span\":" + number(p.span) + ",\"launches\":" + number(p.launches) +
         ",\"barriers\":" + number(p.barriers) + (p.is_decided ? ",\"decided\":true" : "") +
         ",\n\"operations\":" +
         list(p.operations,
              [](combination const& c) {
                return "[" + number(c.left) + "," + number(c.right) +
                       (c.computed ? "," + std::to_string(*c.computed) : "") +
                       (c.sign ? "," + quoted(c.sign) : "") + "]";
              }) +
         ",\n\"rows\":" + list(p.rows, [](row const& r) { return "\n" + json(r); }) +
         ",\n\"steps\":" + list(p.steps, [](step const& s) { return "\n" + json(s); }) + "}\n";
}

}  // namespace ravel::trace
