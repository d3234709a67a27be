#pragma once

/// The last form of each table: what no form takes is refused by a sentence.

namespace ravel::inline v0::distributed {

struct not_distributed {
  static constexpr auto name = "not_distributed";
  static constexpr auto why = "Refused: operands that are no sequences, or options for one rank.";
  template <class Ex, class Call>
  static void run(Ex const&, Call const&) {
    static_assert(
        sizeof(Call) == 0,
        "distributed: this call has no form for several ranks: operands are distributed "
        "sequences, or maps and zips of them, values of the monoid are trivially "
        "copyable, segments are by heads, keys, offsets or lengths that are distributed, "
        "and same_everywhere has reductions and forward scans, without tuples or segments");
  }
};

}  // namespace ravel::inline v0::distributed
