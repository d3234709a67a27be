#pragma once

/// Radix sort on the host, the table of forms and the forms: few rows in registers, others by one split by the
/// highest bits (cpu/radix_sorter.hpp).

#include <ravel/algorithms/cpu/radix_sorter.hpp>
#include <ravel/algorithms/cpu/sort_few_rows.hpp>
#include <ravel/algorithms/radix_sort/call.hpp>
#include <ravel/algorithms/radix_sort/steps.hpp>
#include <ravel/core/cpu/host.hpp>

namespace ravel::inline v0 {
namespace cpu {
namespace detail {

/// Rows that can be moved through scratch memory: trivially copyable and of at most 256 bytes.
template <class T>
concept cached_row = std::is_trivially_copyable_v<T> && std::is_default_constructible_v<T> &&
                     sizeof(T) <= 256;

template <class Call>
inline constexpr need fits_in_scratch{
    cached_row<row<typename Call::key_type, typename Call::value_type>>,
    "trivially copyable rows of at most 256 bytes"};

/// Sorts keys alone in vector registers, if they are few; returns whether it did.
template <class K, class V, class Key>
bool sorted_in_registers(radix_sort_call<K, V, Key> const& c) {
  return sort_few_in_registers(c.n, c.in, c.out,
                               bits_sorted_by<K>(std::get<0>(c.keys), c.descending, c.range));
}
template <class K, class V, class... Key>
bool sorted_in_registers(radix_sort_call<K, V, Key...> const&) {
  return false;
}

}  // namespace detail

struct radix_sort_few {
  static constexpr auto name = "few";
  static constexpr auto why =
      "Vector registers, a rank sort or merges: a radix sort would spend longer on clearing its "
      "counts.";
  template <class Call>
  static constexpr auto types = needs(detail::fits_in_scratch<Call>);
  [[gnu::always_inline]] static auto now(auto const& c, host const&) {
    return needs(need{c.n <= detail::few_rows, "at most 64 rows"});
  }
  template <class Ex, class K, class V, class... Key>
  [[gnu::always_inline]] static void run(Ex const&, radix_sort_call<K, V, Key...> const& c) {
    ravel::detail::assume(c.n <= detail::few_rows);
    if (detail::sorted_in_registers(c)) return;
    ravel::detail::call_with(
        [&](auto const&... key) {
          detail::sort_few_rows(c.n, c.in, c.out,
                                detail::bits_sorted_by<K>(key, c.descending, c.range)...);
        },
        c.keys);
  }
};

struct radix_sort_by_highest_bits {
  static constexpr auto name = "by_highest_bits";
  static constexpr auto why =
      "One pass by the highest bits into parts that a cache holds, and a sort of each: by counters "
      "where bits are few, and of keys alone in vector registers, up to 16 KB of them without that "
      "pass, and by quicksort on processors where that is faster.";
  template <class Call>
  static constexpr auto types = needs(detail::fits_in_scratch<Call>);
  /// Keys without values use the caller's spare memory; keys with values are interleaved with them
  /// in scratch.
  template <class Ex, class K, class V, class... Key>
  static void run(Ex const& ex, radix_sort_call<K, V, Key...> const& c) {
    if (detail::sorted_in_registers(c)) return;
    using row_type = detail::row<K, V>;
    bool const given = !rows<K, V>::has_values && c.spare.keys != nullptr;
    auto const made = ex.template scratch<row_type>(given ? 0 : c.n);
    auto* const room = given ? reinterpret_cast<row_type*>(c.spare.keys) : made.data();
    ravel::detail::call_with(
        [&](auto const&... key) {
          detail::sort_rows_by(ex, c.n, room, c.in, c.out, c.descending, c.range, key...);
        },
        c.keys);
  }
};

}  // namespace cpu

template <>
struct form_table<radix_sort_family, cpu::host>
    : forms<cpu::radix_sort_few, cpu::radix_sort_by_highest_bits, radix_sort_by_steps> {};

}  // namespace ravel::inline v0
