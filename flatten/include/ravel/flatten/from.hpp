#pragma once

/// Converts a host value to a lifted value, and back: ranges of ranges, tuples, structs.

#include <ravel/core/range_copy.hpp>
#include <ravel/core/std_memory.hpp>
#include <ravel/flatten/columns.hpp>
#include <ravel/flatten/compiled.hpp>
#include <ravel/flatten/compute.hpp>
#include <ravel/flatten/host_values.hpp>

#include <string_view>

namespace ravel::inline v0 {
namespace flattening {

/// A pipeline, whose results are atoms.
template <class P>
concept runs_into_memory = atom<typename P::value_type> && requires(P const& p) {
  p.results_in_memory();
};

}  // namespace flattening

/// A copy of a host value as a value of a nested program, in the memory of `ex`.
///
///     from(ex, 3)                                                  int
///     from(ex, std::vector<std::vector<int>>{{3, 1}, {}, {2}})     [[3 1] [] [2]]
///     from(ex, std::vector<std::pair<int, float>>{{0, 2.5f}})      [(0 2.5)]
///
/// Ranges become sequences; tuples, pairs and structs that BOOST_HANA_ADAPT_STRUCT
/// describes become records, a column for each member; strings become [char], and string
/// literals lose their terminating 0.
///
/// Shapes   A range that can be iterated twice, is: those that create their elements on iteration, as
///          views of C++ and of range-v3 do, must create the same elements both times.  One that
///          cannot, such as std::views::istream or a pipeline, is first copied.
/// Cost     Each column is copied once, on a host by all threads where ranges have random access, and for
///          other executors by one thread, before it is sent there.
/// See also from_offsets, from_lengths and from_row_ids, for flat data.
template <executor Ex, class H>
auto from(Ex const& ex, H&& x) {
  using namespace flattening;
  using Read = read_as<std::remove_cvref_t<H>>;
  if constexpr (!lifted_value<H> && single_pass<std::remove_reference_t<H>>) {
    return from(ex, detail::copy_in_order("from", x));
  } else {
    static_assert(std::convertible_to<std::remove_reference_t<H>*, Read*>,
                  "from: the range is const, and reading it would change it");
    Read* const one = std::addressof(x);
    return value<Ex, model_t<H>>{imported(ex, &one, 1), root_on(ex)};
  }
}
/// The same on the executor of a value of a nested program: a literal in a lambda that has no executor.
///
///     each(rows, [](auto row) { return gather(row, iota(from(row, 3))); })
template <class Ex, class S, class H>
auto from(lifted<Ex, S> const& beside, H&& x) {
  return from(beside.c->ex(), std::forward<H>(x));
}
template <executor Ex, std::size_t N>
auto from(Ex const& ex, char const (&text)[N]) {
  return from(ex, std::string_view(text, text[N - 1] == 0 ? N - 1 : N));
}

/// A copy of a lifted value on the host, outside of any lambda.  Inside a lambda it has many
/// instances, and the call is an error.
///
///     std::vector<std::vector<int>> const sorted = to_host(each(rows, quicksort));
///
/// Waits.
///
/// Errors   All failures of instances since the last wait; context_error inside a lambda.
template <class Ex, class S>
auto to_host(lifted<Ex, S> const& x) {
  flattening::expect_one("to_host", x.c);
  return host_t<typename S::element>(std::move(flattening::exported(x.c, x.s).front()));
}

/// A sequence in the memory of `ex` as a value of a nested program, without a copy.
///
///     auto const x = borrow(ex, device_buffer);      // nested<float>, no copy
///     auto const rows = unflatten(x, lengths);       // its rows
///
/// It must remain unchanged while the value, or anything made from it, is used.
template <executor Ex, sequence R>
auto borrow(Ex const& ex, R const& r) {
  static_assert(sequence_on<R const&, Ex>,
                "borrow: the sequence is not in the memory of the executor");
  static_assert(atom<element_t<R const&>>, "borrow: the elements are no atoms");
  using namespace flattening;
  auto const view = view_of(r);
  auto const d = uniform_rows<Ex>(1, view.size());
  using T = element_t<R const&>;
  return value<Ex, nested<T>>{{d, {{view.data(), {}}, {}}}, root_on(ex)};
}

/// The elements of a sequence of a nested program, in the memory of its executor:
/// a sequence that primitives take, and that owns its memory.
template <class T, class Space>
class computed_elements {
  flattening::held<T const> elements_;

 public:
  using value_type = T;
  using space = Space;

  explicit computed_elements(flattening::held<T const> elements) : elements_(std::move(elements)) {}
  T const* data() const { return elements_.data; }
  T const* begin() const { return data(); }
  T const* end() const { return data() + size(); }
  index_t size() const { return elements_.n; }
};

/// The results of a pipeline, in the memory of its executor, which the value owns:
///
///     from(ex, on(ex, x) | filter(is_even{}))      nested<int>
///
/// Cost     That of the pipeline, and a wait where the number of results depends on data; no copy.
template <executor Ex, class P>
requires flattening::runs_into_memory<std::remove_cvref_t<P>>
auto from(Ex const& ex, P&& pipeline) {
  using namespace flattening;
  auto const run = [&] { return pipeline.results_in_memory(); };
  using Results = decltype(run());
  static_assert(std::same_as<space_of_t<Results>, space_of_t<Ex>>,
                "from: the pipeline runs on an executor with another memory");
  auto const results = std::make_shared<Results const>(run());
  auto const n = [&] {
    if constexpr (requires { results->size_sync(); })
      return results->size_sync();
    else
      return size_of(*results);
  }();
  owners const keep(results);
  using T = std::remove_const_t<std::remove_pointer_t<decltype(results->data())>>;
  return value<Ex, nested<T>>{{uniform_rows<Ex>(1, n), {{results->data(), {}}, keep}}, root_on(ex)};
}

/// The elements of a sequence of atoms, for a primitive.  These and the length of
/// each sequence are the exchange format of a nested value:
///
///     elements(flatten(rows))                                            values
///     elements(each(rows, [](auto row) { return len(row); }))            lengths
///
/// Issued, but may wait for the number of elements.  Elements that are
/// in memory already are not copied.
template <class Ex, class S>
auto elements(lifted<Ex, S> const& x) {
  using namespace flattening;
  static_assert(is_rows<S> && is_cells<decltype(x.s.child)>,
                "elements: the operand is not a sequence of atoms: flatten nested sequences");
  expect_one("elements", x.c);
  auto const inner = open(x.s.d, x.c);
  auto const values = in_order(inner, elements_of(x.c, x.s));
  return computed_elements<typename decltype(x.s.child)::element, space_of_t<Ex>>(values);
}

/// The same for a sequence of records: a tuple of the elements of each member.
template <class Ex, class S>
auto columns(lifted<Ex, S> const& x) {
  using namespace flattening;
  expect_one("columns", x.c);
  auto const inner = open(x.s.d, x.c);
  auto const column = [&]<class E>(cells<E> const& member) {
    return computed_elements<typename E::value_type, space_of_t<Ex>>(in_order(inner, member));
  };
  return ravel::detail::call_with(
      [&](auto const&... member) { return std::tuple{column(member)...}; },
      elements_of(x.c, x.s).members);
}

}  // namespace ravel::inline v0
