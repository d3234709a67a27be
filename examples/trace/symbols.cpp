#include "picture.hpp"

#include <utility>

namespace ravel::trace {
namespace {

/// a, b, ..., z, a1, b1, ...
std::string symbol(std::size_t element) {
  std::string const letter(1, static_cast<char>('a' + element % 26));
  return element < 26 ? letter : letter + std::to_string(element / 26);
}

class symbols {
  picture const& p_;

  bool combines(std::size_t id) const { return p_.operations[id].right != 0; }

 public:
  explicit symbols(picture const& p) : p_(p) {}

  /// The input's elements follow the identity.
  std::pair<std::size_t, std::size_t> ends(std::size_t id) const {
    std::size_t first = id, last = id;
    while (combines(first)) first = p_.operations[first].left;
    while (combines(last)) last = p_.operations[last].right;
    return {first - 1, last - 1};
  }
  std::string cell(std::size_t id) const {
    if (id == 0) return "-";
    auto const [first, last] = ends(id);
    return first == last ? symbol(first) : symbol(first) + "-" + symbol(last);
  }
  std::string tree(std::size_t id) const {
    if (id == 0) return "-";
    if (!combines(id)) return symbol(ends(id).first);
    return "(" + tree(p_.operations[id].left) + " " + tree(p_.operations[id].right) + ")";
  }
};

}  // namespace

void use_symbols(picture& p) {
  symbols const of(p);
  row const* out = nullptr;
  for (row& r : p.rows) {
    for (cell& c : r.cells) {
      if (!c.text.empty()) c.text = of.cell(c.made_by);
    }
    if (r.name == "out") out = &r;
  }
  if (out == nullptr) return;
  for (cell const& c : out->cells) p.trees.push_back(of.tree(c.made_by));
}

}  // namespace ravel::trace
