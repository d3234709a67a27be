/// Any bytes are numbers or are refused in a sentence, whatever their type and column.

#include "support/command_line.hpp"
#include "support/numbers.hpp"

#include <cstdint>
#include <cstdlib>
#include <string>

namespace ravel::examples {
namespace {

template <class T>
void read(view<char const> text, index_t column) {
  static cpu::threads const ex(2);
  try {
    auto const numbers = read_numbers<T>(ex, text, "f", column);
    if (numbers.size() > text.size()) std::abort();
  } catch (bad_input const& e) {
    if (!std::string(e.what()).starts_with("f:")) std::abort();
  }
}

}  // namespace
}  // namespace ravel::examples

/// The first byte chooses the column.
extern "C" int LLVMFuzzerTestOneInput(unsigned char const* data, std::size_t size) {
  if (size == 0) return 0;
  ravel::view<char const> const text(reinterpret_cast<char const*>(data) + 1,
                                     static_cast<ravel::index_t>(size) - 1);
  ravel::index_t const column = data[0] % 4;
  ravel::examples::read<double>(text, column);
  ravel::examples::read<float>(text, column);
  ravel::examples::read<std::int64_t>(text, column);
  ravel::examples::read<std::uint32_t>(text, column);
  return 0;
}
