#pragma once

/// The description of an adjacent difference.

#include <ravel/core/member.hpp>
#include <ravel/core/readable.hpp>

namespace ravel::inline v0 {

struct difference_family;

/// out[0] = in[0], and out[i] = f(in[i], in[i - 1]) for each other i of [0, n).
template <class In, class Out, class F>
struct difference_call {
  using family = difference_family;
  index_t n;
  In const* in;
  Out* out;
  F f;
};

/// The call of adjacent_difference with the same arguments.
template <class In, class Out, class F>
auto describe_adjacent_difference(In const& in, Out&& out, F f) {
  auto const fn = as_function(f);
  return difference_call<element_t<In const&>, element_t<Out>, std::remove_const_t<decltype(fn)>>{
      size_of(out), view_of(in).data(), view_of(out).data(), fn};
}

}  // namespace ravel::inline v0
