#pragma once

/// Sharing: recursive calls of one instance that several threads make, in a body that runs as loops.

#include <ravel/core/cpu/executor.hpp>
#include <ravel/core/grain.hpp>
#include <ravel/core/parallel.hpp>
#include <ravel/flatten/plain_deferred.hpp>
#include <ravel/flatten/plain_memory.hpp>
#include <ravel/flatten/plain_value.hpp>
#include <ravel/flatten/plain_words.hpp>

#include <tuple>
#include <vector>

namespace ravel::inline v0 {
namespace flattening {

/// Into how many parts the threads of an executor divide the calls of what this thread runs.
struct divided_work {
  cpu::threads const* ex;
  index_t parts;
};
inline thread_local constinit divided_work work_of_thread{nullptr, 1};

/// Sets it during its lifetime.
class dividing_work {
  divided_work const before_ = work_of_thread;

 public:
  explicit dividing_work(divided_work work) { work_of_thread = work; }
  dividing_work(dividing_work const&) = delete;
  dividing_work& operator=(dividing_work const&) = delete;
  ~dividing_work() { work_of_thread = before_; }
};

/// x without owners of its elements, whose counts are of one thread.
template <class T>
plain_value<T> without_owners(plain_value<T> const& x) {
  if constexpr (host_record<T>) {
    return std::apply(
        [](auto const&... member) { return plain_value<T>{{without_owners(member)...}}; },
        x.members);
  } else if constexpr (!is_nested<T>::value) {
    return x;
  } else if constexpr (is_plain_memory<typename plain_value<T>::stored>) {
    return {x.data, x.n};
  } else {
    return sequence_of(x.n, [&](index_t i) { return without_owners(element_in(x, i)); });
  }
}
/// x, with copies of the elements that have no owner.
template <class T>
plain_value<T> with_owners(plain_value<T> const& x) {
  if constexpr (host_record<T>) {
    return std::apply(
        [](auto const&... member) { return plain_value<T>{{with_owners(member)...}}; }, x.members);
  } else if constexpr (!is_nested<T>::value) {
    return x;
  } else if constexpr (is_plain_memory<typename plain_value<T>::stored>) {
    if (x.memory.has_owner()) return x;
    return sequence_of(x.n, [&](index_t i) { return element_in(x, i); });
  } else {
    return sequence_of(x.n, [&](index_t i) { return with_owners(element_in(x, i)); });
  }
}

/// self of the elements of x, ...; by several threads, if nothing that they share counts owners: the body
/// captures nothing, and arguments are of one call.
template <class R, class... A, class Body, class... X>
auto calls_of(plain_recursion<R(A...), Body> const& self, X const&... x) {
  index_t const n = same_length(x...);
  auto const work = work_of_thread;
  if constexpr (captures_nothing<Body>) {
    if (n > 1 && work.parts > 1) {
      std::vector<std::tuple<decltype(without_owners(element_in(x, 0)))...>> arguments;
      for (index_t i = 0; i < n; ++i) arguments.emplace_back(without_owners(element_in(x, i))...);
      std::vector<plain_value<R>> results(arguments.size());
      auto const* const blocks_of_caller = &spare_blocks_of_thread;
      auto const call = [&, out = results.data(), args = arguments.data()](index_t i) {
        dividing_work const scope({work.ex, div_up(work.parts, n)});
        out[i] = std::apply(self, args[i]);
        if (&spare_blocks_of_thread != blocks_of_caller) spare_blocks_of_thread.end_instance();
      };
      parallel_for(*work.ex, n, call, grain(1));
      return sequence_of(
          n, [&](index_t i) { return with_owners(results[static_cast<std::size_t>(i)]); });
    }
  }
  return sequence_of(n, [&](index_t i) { return self(element_in(x, i)...); });
}

}  // namespace flattening

/// The operation of this name, on plain sequences: recursive calls.
template <plain_sequence X, class R, class... A, class Body>
auto each(X const& x, flattening::plain_recursion<R(A...), Body> const& self) {
  return flattening::calls_of(self, x);
}
template <plain_sequence X, plain_sequence Y, class R, class... A, class Body>
auto each(X const& x, Y const& y, flattening::plain_recursion<R(A...), Body> const& self) {
  return flattening::calls_of(self, x, y);
}
template <plain_sequence X, plain_sequence Y, plain_sequence Z, class R, class... A, class Body>
auto each(X const& x, Y const& y, Z const& z,
          flattening::plain_recursion<R(A...), Body> const& self) {
  return flattening::calls_of(self, x, y, z);
}

}  // namespace ravel::inline v0
