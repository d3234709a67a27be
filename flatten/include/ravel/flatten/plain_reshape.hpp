#pragma once

/// The operations of nested programs that add or remove a level of nesting, on plain sequences, as loops.

#include <ravel/flatten/pick.hpp>
#include <ravel/flatten/plain_deferred.hpp>
#include <ravel/flatten/plain_sequences.hpp>
#include <ravel/flatten/plain_value.hpp>
#include <ravel/flatten/plain_words.hpp>
#include <ravel/flatten/reshape.hpp>
#include <ravel/flatten/split.hpp>

namespace ravel::inline v0 {

/// The operation of this name, on plain values: sequences of sequences.
template <class... X>
requires flattening::any_plain<X...>
auto list(X const&... x) {
  using T = typename flattening::listed<X...>::type;
  return flattening::written_by<T>(sizeof...(X), [&](auto* out) {
    index_t k = 0;
    auto const put = [&](auto const& one) {
      flattening::expect_value(one);
      out[k++] = static_cast<flattening::stored_element<T>>(flattening::stored_of(one));
    };
    (put(flattening::settled_plain(x)), ...);
    return k;
  });
}
/// Parts of one block that follow one another in memory are appended without a copy.
template <plain_sequence X, plain_sequence... Rest>
auto append(X const& x, Rest const&... rest) {
  using namespace flattening;
  if constexpr ((!deferred_sequence<X> && ... && std::same_as<X, Rest>)) {
    auto const* end = x.data + x.n;
    if (((x.memory.is_same_as(rest.memory) && rest.data == std::exchange(end, end + rest.n)) &&
         ...)) {
      return X{x.data, end - x.data, x.memory};
    }
  }
  return written_by<inner_t<X>>((x.n + ... + rest.n), [&](auto* out) {
    index_t k = 0;
    auto const put = [&](auto const& one) {
      if constexpr (deferred_sequence<decltype(one)>) {
        for (index_t i = 0; i < one.n; ++i) out[k++] = stored_of(element_in(one, i));
      } else {
        std::copy_n(one.data, one.n, out + k);
        k += one.n;
      }
    };
    (put(x), ..., put(rest));
    return k;
  });
}
template <plain_sequence X>
auto flatten(X const& rows) {
  using namespace flattening;
  auto const& x = settled_plain(rows);
  if (x.n == 1) return x.data[0];
  index_t n = 0;
  for (index_t i = 0; i < x.n; ++i) n += x.data[i].n;
  return written_by<inner_t<plain_value<inner_t<X>>>>(n, [&](auto* out) {
    for (index_t i = 0; i < x.n; ++i) out = std::copy_n(x.data[i].data, x.data[i].n, out);
    return n;
  });
}
auto flat_each(plain_sequence auto&& x, auto&& f) {
  using Row = flattening::settled_t<decltype(f(flattening::element_in(x, 0)))>;
  // Of one element without a list of rows.
  return x.n == 1 ? Row(flattening::settled_plain(f(flattening::element_in(x, 0))))
                  : Row(flatten(each(x, f)));
}
template <plain_sequence X, class L>
auto unflatten(X const& x, L const& lengths) {
  using namespace flattening;
  auto const seq = settled_t<X const&>(settled_plain(x));
  index_t first = 0;
  auto const next = [&](index_t n) {
    first += n;
    return part_of(seq, first - n, first);
  };
  if constexpr (plain_sequence<L>) {
    auto const rows =
        sequence_of(lengths.n, [&](index_t i) { return next(index_of(element_in(lengths, i))); });
    if (first != x.n) leave_loop();
    return rows;
  } else {
    index_t const k = static_cast<index_t>(lengths);
    if (k < 1 || x.n % k != 0) leave_loop();
    return sequence_of(x.n / k, [&](index_t) { return next(k); });
  }
}

/// The operation of this name, on plain sequences of numbers or of records of them: the columns are parts
/// of one block.
template <plain_sequence X>
requires flattening::is_plain_memory<
    flattening::stored_element<flattening::inner_t<plain_value<flattening::inner_t<X>>>>>
auto transpose(X const& rows) {
  using namespace flattening;
  auto const& x = settled_plain(rows);
  index_t const width = x.n == 0 ? 0 : x.data[0].n;
  using T = inner_t<plain_value<inner_t<X>>>;
  auto const flat = written_by<T>(width * x.n, [&](stored_element<T>* __restrict out) {
    for (index_t i = 0; i < x.n; ++i) {
      auto const& row = x.data[i];
      if (row.n != width) leave_loop();
      for (index_t j = 0; j < width; ++j) out[j * x.n + i] = row.data[j];
    }
    return width * x.n;
  });
  return sequence_of(width, [&](index_t j) { return part_of(flat, j * x.n, (j + 1) * x.n); });
}

/// The operation of this name, on a plain sequence.
template <plain_sequence X, plain_sequence B>
auto split(X const& x, B const& flags) {
  return list(pack(x, !flags), pack(x, flags));
}

}  // namespace ravel::inline v0
