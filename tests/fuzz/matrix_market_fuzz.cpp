/// Any bytes are a matrix or are refused in a sentence; what is read lies in its matrix.

#include "support/command_line.hpp"
#include "support/matrix_market.hpp"

#include <cstdlib>
#include <string>

namespace ravel::examples {
namespace {

void expect_true(bool ok) {
  if (!ok) std::abort();
}

void expect_inside(matrix_market const& m) {
  std::visit(
      [&](auto const& entries) {
        index_t const n = entries.values.size();
        expect_true(entries.rows.size() == n && entries.columns.size() == n);
        expect_true(m.header.stored <= n && n <= 2 * m.header.stored);
        for (index_t k = 0; k < n; ++k) {
          expect_true(0 <= entries.rows[k] && entries.rows[k] < m.header.rows);
          expect_true(0 <= entries.columns[k] && entries.columns[k] < m.header.cols);
        }
      },
      m.entries);
}

}  // namespace
}  // namespace ravel::examples

extern "C" int LLVMFuzzerTestOneInput(unsigned char const* data, std::size_t size) {
  using namespace ravel::examples;
  static ravel::cpu::threads const ex(2);
  for (auto const how : {strictness::strict, strictness::lenient}) {
    try {
      expect_inside(read_matrix_market(
          ex, {reinterpret_cast<char const*>(data), static_cast<ravel::index_t>(size)}, "f",
          real_type::f64, how));
    } catch (bad_input const& e) {
      expect_true(std::string(e.what()).starts_with("f:"));
    }
  }
  return 0;
}
