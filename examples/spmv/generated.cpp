#include "generated.hpp"

#include "support/command_line.hpp"

#include <ravel/primitives/map.hpp>
#include <ravel/primitives/scan.hpp>

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

namespace ravel::examples {
namespace {

/// The comma-separated numbers after the colon; empty if malformed.
std::vector<index_t> numbers_of(std::string_view list) {
  std::vector<index_t> numbers;
  for (;;) {
    auto const comma = list.find(',');
    auto const number = read_count(list.substr(0, comma));
    if (!number || *number > std::numeric_limits<index_t>::max()) return {};
    numbers.push_back(static_cast<index_t>(*number));
    if (comma == list.npos) return numbers;
    list.remove_prefix(comma + 1);
  }
}

matrix_entries<double> room_for(index_t n) {
  return {cpu::buffer<index_t>(n), cpu::buffer<index_t>(n), cpu::buffer<double>(n)};
}

/// A grid of `depth` by `side` by `side` points, each coupled to all of its neighbours, or only to
/// those along an axis.
generated_matrix stencil(cpu::threads const& ex, index_t depth, index_t side, bool along_axes) {
  index_t const rows = depth * side * side;
  double const centre = (depth > 1 ? 3 : 2) * 2.0;
  double const diagonal = along_axes ? centre : 26.0;
  auto const for_each_neighbour = [=](index_t row, auto visit) {
    index_t const x = row % side, y = row / side % side, z = row / (side * side);
    for (index_t dz = -1; dz <= 1; ++dz) {
      for (index_t dy = -1; dy <= 1; ++dy) {
        for (index_t dx = -1; dx <= 1; ++dx) {
          bool const inside = 0 <= x + dx && x + dx < side && 0 <= y + dy && y + dy < side &&
                              0 <= z + dz && z + dz < depth;
          index_t const axes = dx * dx + dy * dy + dz * dz;
          if (inside && (!along_axes || axes <= 1)) {
            visit(row + (dz * side + dy) * side + dx, axes == 0 ? diagonal : -1.0);
          }
        }
      }
    }
  };
  cpu::buffer<index_t> starts(rows + 1);
  index_t total = 0;
  scan_on(
      ex, rows,
      [&](index_t row) {
        index_t count = 0;
        for_each_neighbour(row, [&](index_t, double) { ++count; });
        return count;
      },
      [&](index_t row, index_t before, index_t) { starts[row] = before; }, plus<index_t>{},
      [] { return index_t{0}; }, [&](index_t all) { total = all; });

  generated_matrix made{rows, false, room_for(total)};
  for_each_index(ex, rows, [&](index_t row) {
    index_t k = starts[row];
    for_each_neighbour(row, [&](index_t column, double value) {
      made.entries.rows[k] = row;
      made.entries.columns[k] = column;
      made.entries.values[k++] = value;
    });
  });
  return made;
}

/// The i-th number in [0, 1) from SplitMix64 with this seed.
///
/// Source   Steele, Lea and Flood, "Fast Splittable Pseudorandom Number
///          Generators", OOPSLA 2014.
double uniform(std::uint64_t seed, std::uint64_t i) {
  std::uint64_t z = seed + (i + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return static_cast<double>((z ^ z >> 31) >> 11) * 0x1p-53;
}

generated_matrix rmat(cpu::threads const& ex, index_t scale, index_t degree) {
  constexpr double a = 0.57, b = 0.19, c = 0.19;
  generated_matrix made{index_t{1} << scale, true, room_for(degree << scale)};
  for_each_index(ex, degree << scale, [&](index_t entry) {
    index_t row = 0, column = 0;
    for (index_t level = 0; level < scale; ++level) {
      double const r = uniform(1, static_cast<std::uint64_t>(entry * scale + level));
      row = 2 * row + (r >= a + b);
      column = 2 * column + ((a <= r && r < a + b) || r >= a + b + c);
    }
    made.entries.rows[entry] = row;
    made.entries.columns[entry] = column;
    made.entries.values[entry] = 1;
  });
  return made;
}

generated_matrix arrow(cpu::threads const& ex, index_t n) {
  generated_matrix made{n, false, room_for(3 * n - 2)};
  auto const set = [&](index_t k, index_t row, index_t column, double value) {
    made.entries.rows[k] = row;
    made.entries.columns[k] = column;
    made.entries.values[k] = value;
  };
  for_each_index(ex, n, [&](index_t i) {
    set(i, i, i, 2);
    if (i == 0) return;
    set(n - 1 + i, 0, i, -1);
    set(2 * n - 2 + i, i, 0, -1);
  });
  return made;
}

}  // namespace

generated_matrix generate_matrix(cpu::threads const& ex, std::string const& what) {
  auto const colon = what.find(':');
  std::string const name = what.substr(0, colon);
  auto const numbers =
      numbers_of(colon == std::string::npos ? "" : std::string_view(what).substr(colon + 1));
  auto const is = [&](char const* wanted, std::size_t count, index_t most) {
    return name == wanted && numbers.size() == count && 1 <= numbers[0] && numbers[0] <= most;
  };
  if (is("stencil27", 1, 2000)) return stencil(ex, numbers[0], numbers[0], false);
  if (is("stencil5", 1, 100'000)) return stencil(ex, 1, numbers[0], true);
  if (is("rmat", 2, 30) && 1 <= numbers[1] && numbers[1] <= 1000) {
    return rmat(ex, numbers[0], numbers[1]);
  }
  if (is("arrow", 1, index_t{1} << 33)) return arrow(ex, numbers[0]);
  throw bad_input(fmt::format(
      "ravel-spmv: --generate takes stencil27:K, stencil5:K, rmat:SCALE,DEGREE or arrow:N, "
      "and not '{}'",
      what));
}

}  // namespace ravel::examples
