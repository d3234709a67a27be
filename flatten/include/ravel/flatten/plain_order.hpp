#pragma once

/// The sorts, searches and set operations of nested programs on plain values, as loops.

#include <ravel/flatten/order.hpp>
#include <ravel/flatten/plain_deferred.hpp>
#include <ravel/flatten/plain_sequences.hpp>
#include <ravel/flatten/plain_value.hpp>
#include <ravel/flatten/plain_words.hpp>
#include <ravel/flatten/sets.hpp>
#include <ravel/flatten/top_k.hpp>

#include <numeric>
#include <tuple>

namespace ravel::inline v0 {
namespace flattening {

/// The order of sort.
template <class T>
bool is_less_key(T const& a, T const& b) {
  if constexpr (requires { std::tuple_size<T>::value; }) {
    return std::apply(
        [&](auto const&... of_a) {
          return std::apply(
              [&](auto const&... of_b) {
                bool less = false, decided = false;
                auto const compare = [&](auto const& p, auto const& q) {
                  if (decided) return;
                  less = is_less_key(p, q);
                  decided = less || is_less_key(q, p);
                };
                (compare(of_a, of_b), ...);
                return less;
              },
              b);
        },
        a);
  } else if constexpr (is_plain_value<T>) {
    using U = order_in_sequence<inner_t<T>>;
    return std::lexicographical_compare(
        a.data, a.data + a.n, b.data, b.data + b.n, [](auto const& p, auto const& q) {
          if constexpr (atom<U>) {
            return is_less_key(static_cast<U>(p), static_cast<U>(q));
          } else {
            return is_less_key(p, q);
          }
        });
  } else if constexpr (std::is_floating_point_v<T>) {
    return a < b || (a == a && b != b);  // NaN last
  } else {
    return a < b;
  }
}

template <plain_operand X, plain_operand Y, class By>
plain_value<bool> compared(X const& x, Y const& y, By compare) {
  auto const a = stored_of(x), b = stored_of(y);
  return {compare(is_less_key(a, b) ? -1 : static_cast<int>(is_less_key(b, a)), 0)};
}

}  // namespace flattening

template <plain_sequence X>
auto sort_order(X const& x) {
  using namespace flattening;
  auto const keys = settled_plain(x);
  return written_by<index_t>(x.n, [&](index_t* out) {
    std::iota(out, out + x.n, index_t{0});
    std::sort(out, out + x.n, [&](index_t a, index_t b) {
      if (is_less_key(keys.data[a], keys.data[b])) return true;
      return a < b && !is_less_key(keys.data[b], keys.data[a]);
    });
    return x.n;
  });
}
template <plain_sequence X, class K>
auto top_k_order(X const& x, K const& k) {
  using namespace flattening;
  index_t const wanted = index_of(k);
  if (wanted < 0 || wanted > x.n) leave_loop();
  return written_by<index_t>(wanted, [&](index_t* out) {
    auto const key = [x](index_t i) { return number_of(element_in(x, i)); };
    write_least<inner_t<X>>(x.n, wanted, key, out);
    return wanted;
  });
}
template <plain_sequence X>
auto sort(X const& x) {
  using namespace flattening;
  if constexpr (std::integral<inner_t<X>>) {
    auto result = own_copy(settled_plain(x));
    std::sort(writable(result), writable(result) + result.n);
    return result;
  } else {
    return gather(x, sort_order(x));
  }
}
namespace flattening {
template <bool OrEqual, class X, class K>
plain_value<index_t> searched(X const& x, K const& key) {
  auto const seq = settled_plain(x);
  using T = stored_element<inner_t<X>>;
  expect_value(key);
  auto const wanted = static_cast<T>(stored_of(key));
  auto const place = OrEqual ? std::upper_bound(seq.data, seq.data + seq.n, wanted, is_less_key<T>)
                             : std::lower_bound(seq.data, seq.data + seq.n, wanted, is_less_key<T>);
  return {static_cast<index_t>(place - seq.data)};
}
/// An algorithm of the standard library that writes what two ascending sequences give.
template <class X, class Y, class F>
auto of_two(X const& x, Y const& y, F const& f) {
  auto const a = settled_plain(x);
  auto const b = settled_plain(y);
  return written_by<inner_t<X>>(a.n + b.n, [&](auto* out) {
    return static_cast<index_t>(f(a.data, a.data + a.n, b.data, b.data + b.n, out) - out);
  });
}
}  // namespace flattening
template <plain_sequence X, class K>
auto lower_bound(X const& x, K const& key) {
  return flattening::searched<false>(x, key);
}
template <plain_sequence X, class K>
auto upper_bound(X const& x, K const& key) {
  return flattening::searched<true>(x, key);
}
template <plain_sequence X, plain_sequence Y>
auto merge(X const& x, Y const& y) {
  return flattening::of_two(x, y, [](auto... bounds) {
    return std::merge(bounds...,
                      flattening::is_less_key<flattening::stored_element<flattening::inner_t<X>>>);
  });
}
namespace flattening {
/// The distinct elements ascending: x itself if they are.
template <class X>
auto as_set(X const& x) {
  auto const seq = settled_plain(x);
  using T = stored_element<inner_t<X>>;
  auto const ascend = [](T const& a, T const& b) { return !is_less_key(a, b); };
  if (std::adjacent_find(seq.data, seq.data + seq.n, ascend) == seq.data + seq.n) return seq;
  return unique(seq);
}
}  // namespace flattening
template <plain_sequence X, plain_sequence Y>
auto union_(X const& x, Y const& y) {
  return flattening::of_two(flattening::as_set(x), flattening::as_set(y), [](auto... bounds) {
    return std::set_union(
        bounds..., flattening::is_less_key<flattening::stored_element<flattening::inner_t<X>>>);
  });
}
template <plain_sequence X, plain_sequence Y>
auto intersect(X const& x, Y const& y) {
  return flattening::of_two(flattening::as_set(x), flattening::as_set(y), [](auto... bounds) {
    return std::set_intersection(
        bounds..., flattening::is_less_key<flattening::stored_element<flattening::inner_t<X>>>);
  });
}

}  // namespace ravel::inline v0
