#pragma once

/// The description of a merge of sorted segments.

#include <ravel/core/search.hpp>
#include <ravel/core/table.hpp>
#include <ravel/primitives/rows.hpp>

namespace ravel::inline v0 {

struct merge_segments_family;

/// All segments of `in`, which are sorted by `before`, merged stably to `out`, which may be the same.
template <class K, class V, class S, class Before>
struct merge_segments_call {
  using family = merge_segments_family;
  using key_type = K;
  index_t n;
  rows<K const, V const> in;
  rows<K, V> out;
  S segments;  ///< by offsets or one length
  Before before;
};

/// The call of merge_segments(ex, in, segments, out, before).
template <class In, class S, class Out, class Before = less>
auto describe_merge_segments(In const& in, S segments, Out&& out, Before before = {}) {
  return merge_segments_call<element_t<Out>, no_value, S, Before>{
      size_of(in), {view_of(in).data(), nullptr}, {view_of(out).data(), nullptr}, segments, before};
}

}  // namespace ravel::inline v0
