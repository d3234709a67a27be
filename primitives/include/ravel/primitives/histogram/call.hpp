#pragma once

/// The description of a histogram.

#include <ravel/core/member.hpp>
#include <ravel/core/table.hpp>

namespace ravel::inline v0 {

struct histogram_family;

/// The bin of a key is the key itself.
struct by_value {
  template <class K>
  requires(std::integral<K> || std::is_enum_v<K>) RAVEL_HD index_t operator()(K key) const {
    return static_cast<index_t>(key);
  }
};

/// counts[k] = #{i in [0, n) : bin(i) = k} for each k of [0, bins).
template <class Bin, class C>
struct histogram_call {
  using family = histogram_family;
  index_t n;
  Bin bin;
  C* counts;
  index_t bins;
};

namespace detail {

/// The bin of an element of memory.
template <class In, class Bin>
struct bin_of_element {
  In const* in;
  Bin bin;
  RAVEL_MAY_CALL_HOST
  RAVEL_HD index_t operator()(index_t i) const { return static_cast<index_t>(bin(in[i])); }
};

/// The elements that a bin reads: void unless it is a function of an element of memory.
template <class Bin>
struct binned {
  using element = void;
};
template <class In, class Bin>
struct binned<bin_of_element<In, Bin>> {
  using element = In;
};

/// The bin of i, or one past the last if it is in none.  A negative one becomes a large number.
template <class Bin>
struct bin_or_last {
  Bin bin;
  int bins;
  RAVEL_HD auto on(tile t) const { return bin_or_last<on_tile_t<Bin>>{on_tile(bin, t), bins}; }
  RAVEL_HD int operator()(index_t i) const {
    auto const k = static_cast<std::uint64_t>(static_cast<index_t>(bin(i)));
    return k < static_cast<std::uint64_t>(bins) ? static_cast<int>(k) : bins;
  }
};

}  // namespace detail

/// The call of histogram_on with the same arguments.
template <class Bin, class Counts>
auto describe_histogram_on(index_t n, Bin bin, Counts&& counts) {
  auto const dst = view_of(counts);
  return histogram_call<Bin, element_t<Counts>>{n, bin, dst.data(), dst.size()};
}

/// The call of histogram with the same arguments.
template <class In, class Counts, class Bin>
auto describe_histogram(In const& in, Counts&& counts, Bin bin) {
  auto const src = view_of(in);
  using T = std::remove_const_t<std::remove_pointer_t<decltype(src.data())>>;
  return describe_histogram_on(
      src.size(), detail::bin_of_element<T, function_t<Bin>>{src.data(), as_function(bin)}, counts);
}

}  // namespace ravel::inline v0
