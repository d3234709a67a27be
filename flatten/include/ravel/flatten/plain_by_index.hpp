#pragma once

/// The writes, permutations and reductions by index of nested programs, on plain sequences, as loops.

#include <ravel/flatten/by_index.hpp>
#include <ravel/flatten/place.hpp>
#include <ravel/flatten/plain_deferred.hpp>
#include <ravel/flatten/plain_sequences.hpp>
#include <ravel/flatten/plain_value.hpp>
#include <ravel/flatten/plain_words.hpp>

namespace ravel::inline v0 {

/// The operation of this name, on a plain sequence, which is written in place if nothing else reads it.
template <class X, plain_sequence I, plain_sequence V>
requires plain_sequence<X>
auto write(X&& x, I const& indices, V const& values) {
  using namespace flattening;
  index_t const count = same_length(indices, values);
  auto result = own_copy(settled_plain(std::forward<X>(x)));
  auto* const out = writable(result);
  for (index_t j = 0; j < count; ++j) {
    auto const k = static_cast<index_t>(element_in(indices, j).value);
    if (k < 0 || k >= result.n) leave_loop();
    out[k] = stored_of(element_in(values, j));
  }
  return result;
}
template <plain_sequence X, plain_sequence I>
auto permute(X const& x, I const& indices) {
  using namespace flattening;
  index_t const n = same_length(x, indices);
  auto const seen = written_by<bool>(n, [&](bool* flags) {
    std::fill_n(flags, n, false);
    return n;
  });
  return written_by<inner_t<X>>(n, [&](auto* out) {
    for (index_t j = 0; j < n; ++j) {
      auto const k = static_cast<index_t>(element_in(indices, j).value);
      if (k < 0 || k >= n || std::exchange(writable(seen)[k], true)) leave_loop();
      out[k] = stored_of(element_in(x, j));
    }
    return n;
  });
}
template <plain_sequence I, plain_sequence V, class K, class M>
auto reduce_by_index(I const& indices, V const& values, K const& k, M const& of_call) {
  using namespace flattening;
  auto const m = monoid_on<inner_t<V>>(of_call);
  using T = carrier_t<std::remove_const_t<decltype(m)>>;
  index_t const count = same_length(indices, values), bins = std::max(index_of(k), index_t{0});
  return written_by<T>(bins, [&](T* out) {
    std::fill_n(out, bins, static_cast<T>(m.identity()));
    for (index_t j = 0; j < count; ++j) {
      auto const bin = static_cast<index_t>(element_in(indices, j).value);
      if (0 <= bin && bin < bins) out[bin] = m(out[bin], element_in(values, j).value);
    }
    return bins;
  });
}
auto histogram(plain_sequence auto const& indices, auto const& k) {
  return reduce_by_index(indices, dist(plain_value<index_t>{1}, indices.n), k, plus<>{});
}

}  // namespace ravel::inline v0
