#pragma once

/// @file
/// Segmented scan on the host: what it makes of values and segments beside them.
///
/// cpu/scan.hpp scans flagged values, whatever loads them.  Here the values stay
/// where they are, and the heads of segments become words of bits, from any form
/// of descriptor.

#include <ravel/core/config.hpp>
#include <ravel/core/cpu/flag_words.hpp>
#include <ravel/primitives/cpu/scan.hpp>
#include <ravel/primitives/segmented_scan.hpp>

namespace ravel::inline v0::cpu::detail {

template <class T, class Load, class Segments, class M, class Seed>
struct read_segmented<T, ravel::detail::read_flagged<T, Load, Segments, M, Seed, false>> {
  ravel::detail::read_flagged<T, Load, Segments, M, Seed, false> load;

  T const* operator()(index_t i, index_t n, T* room, std::uint64_t* heads) const {
    flag_words<Segments> const words{load.segments};
    for (index_t k = 0; k < n; k += 64) heads[k / 64] = words(i + k, std::min<index_t>(64, n - k));
    T const* const values = loaded<T>(load.load, i, n, room);
    if constexpr (std::same_as<Seed, ravel::detail::seed_identity<M>>) {
      return values;
    } else {
      if (values != room) std::copy_n(values, n, room);
      for (index_t k = 0; k < n; k += 64) {
        for (std::uint64_t rest = heads[k / 64]; rest != 0; rest &= rest - 1) {
          T& first = room[k + std::countr_zero(rest)];
          first = load.m(T(load.seed()), first);
        }
      }
      return room;
    }
  }
  asked_ahead ask_for(index_t first, index_t end) const {
    return detail::ask_for(load.load, first, end);
  }
  void const* source() const { return detail::source(load.load); }
};

template <class T, class Load, class Segments, class M, class Seed>
struct as_numbered<ravel::detail::read_flagged<T, Load, Segments, M, Seed, false>> {
  static constexpr bool are = Segments::numbered;

  template <class Visit>
  static flagged<T> scan(ravel::detail::read_flagged<T, Load, Segments, M, Seed, false> const& from,
                         Visit const& visit_all, index_t n, flagged<T> ahead) {
    auto const load = ravel::detail::on_tile(from.load, {0, 0, n});
    auto const visit = ravel::detail::on_tile(visit_all, {0, 0, n});
    for (index_t s = 0, i = 0; i < n; ++s) {
      index_t const end = from.segments.begin(s + 1);
      T value = T(from.seed());
      for (; i < end; ++i) {
        flagged<T> const through{from.m(value, T(load(i))), true};
        visit(i, ahead, through);
        ahead = through;
        value = through.value;
      }
    }
    return ahead;
  }
};

}  // namespace ravel::inline v0::cpu::detail
