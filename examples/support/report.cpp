#include "support/report.hpp"

#include "support/output.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>

namespace ravel::examples {
namespace {

/// The length of the well-formed UTF-8 character at the beginning of `text`; 0 if there is none.
///
/// Source   The Unicode Standard, table 3-7, "Well-Formed UTF-8 Byte Sequences".
std::size_t length_of_character(std::string_view text) {
  auto const byte = [&](std::size_t k) -> unsigned {
    return k < text.size() ? static_cast<unsigned char>(text[k]) : 0;
  };
  unsigned const first = byte(0);
  if (first < 0x80) return 1;
  std::size_t const length = first < 0xc2   ? 0
                             : first < 0xe0 ? 2
                             : first < 0xf0 ? 3
                             : first < 0xf5 ? 4
                                            : 0;
  for (std::size_t k = 1; k < length; ++k) {
    if (byte(k) >> 6 != 2) return 0;
  }
  bool const overlong = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xf0 && byte(1) < 0x90);
  bool const surrogate = first == 0xed && byte(1) >= 0xa0;
  bool const too_large = first == 0xf4 && byte(1) >= 0x90;
  return overlong || surrogate || too_large ? 0 : length;
}

}  // namespace

std::string as_utf8(std::string const& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t const length = length_of_character(std::string_view(text).substr(at));
    if (length == 0) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[at++]));
    } else {
      out.append(text, at, length);
      at += length;
    }
  }
  return out;
}

void write_json(nlohmann::ordered_json values, std::string const& path) {
  for (auto& value : values) {
    if (value.is_string()) value = as_utf8(value.get_ref<std::string const&>());
    if (!value.is_number_float()) continue;
    if (double const x = value; !std::isfinite(x)) {
      value = std::isnan(x) ? "nan" : x > 0 ? "inf" : "-inf";
    }
  }
  write_text(values.dump() + '\n', path);
}

int finish(std::string const& name, tool_options const& options, report const& r) {
  if (options.json.empty()) {
    note("{}", r.text);
  } else {
    write_json(r.values, options.json);
  }
  if (r.wrong.empty()) return success;
  warn("{}: the check fails: {}\n", name, r.wrong);
  return check_failed;
}

}  // namespace ravel::examples
