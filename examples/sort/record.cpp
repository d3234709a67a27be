#include "record.hpp"

#include "support/numbers.hpp"

#include <ravel/core/radix_key.hpp>

#include <cstdint>

namespace ravel::examples {
namespace {

template <class T>
std::string read_bits(std::string_view field, std::uint64_t& bits) {
  T value{};
  auto reason = read_field(field, value, words_are_text);
  bits = radix_key<T>::bits(value);
  return reason;
}

/// The first eight bytes, in whose order as an integer the texts are unless it is the same.
std::uint64_t prefix_of(std::string_view text) {
  char first[sizeof(std::uint64_t)] = {};
  text.copy(first, sizeof first);
  std::uint64_t bits = 0;
  for (char const c : first) bits = bits << 8 | static_cast<unsigned char>(c);
  return bits;
}

}  // namespace

record_order::record_order(std::string const& type, column_choice column, bool downward)
    : is_text_(type == "text"),
      column_(column),
      downward_(downward),
      read_(type == "u32"   ? read_bits<std::uint32_t>
            : type == "u64" ? read_bits<std::uint64_t>
            : type == "i32" ? read_bits<std::int32_t>
            : type == "i64" ? read_bits<std::int64_t>
            : type == "f32" ? read_bits<float>
                            : read_bits<double>) {}

std::string record_order::find_key(record& r) const {
  std::string reason;
  std::string_view field = r.line;
  if (skips_blank()) {
    auto const find = is_text_ ? column_of : number_column_of;
    field = find(without_byte_order_mark(r.line), column_, reason);
  }
  if (is_text_) {
    r.text = field;
    r.bits = prefix_of(field);
  } else if (reason.empty()) {
    reason = read_(field, r.bits);
  }
  if (downward_) r.bits = ~r.bits;
  return reason;
}

}  // namespace ravel::examples
