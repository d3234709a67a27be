#pragma once

/// Converts a lifted value to columns in Arrow's form.

#include <ravel/core/std_memory.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/flatten/arrow_abi.hpp>
#include <ravel/flatten/columns.hpp>
#include <ravel/flatten/compute.hpp>
#include <ravel/flatten/from_arrow.hpp>

#include <string>
#include <tuple>
#include <vector>

namespace ravel::inline v0 {
namespace flattening {

/// An Arrow array with its type, as this library represents it.
struct arrow_column {
  std::string format;
  index_t length;
  std::vector<held<void const>> buffers;
  std::vector<arrow_column> children = {};
  std::string name = {};
};

/// The private data of a struct of the interface.  Its release also releases the
/// children that have not been moved from.
template <class C>
struct arrow_node {
  arrow_column column;
  std::vector<void const*> buffers;
  std::vector<C> children;
  std::vector<C*> pointers;

  static std::unique_ptr<arrow_node> of(arrow_column column) {
    auto here = std::make_unique<arrow_node>();
    auto children = std::move(column.children);
    here->column = std::move(column);
    here->children.resize(children.size());
    for (std::size_t i = 0; i < children.size(); ++i) {
      give(std::move(children[i]), &here->children[i]);
      here->pointers.push_back(&here->children[i]);
    }
    return here;
  }

  static void release(C* node) {
    auto const* here = static_cast<arrow_node*>(node->private_data);
    for (C* child : here->pointers) {
      if (child->release) child->release(child);
    }
    delete here;
    node->release = nullptr;
  }
};

inline void give(arrow_column column, ArrowSchema* out) {
  using node = arrow_node<ArrowSchema>;
  auto owned = node::of(std::move(column));
  *out = {owned->column.format.c_str(),
          owned->column.name.c_str(),
          nullptr,
          0,
          static_cast<std::int64_t>(owned->children.size()),
          owned->pointers.data(),
          nullptr,
          node::release,
          nullptr};
  out->private_data = owned.release();
}

inline void give(arrow_column column, ArrowArray* out) {
  using node = arrow_node<ArrowArray>;
  auto owned = node::of(std::move(column));
  for (auto const& buffer : owned->column.buffers) owned->buffers.push_back(buffer.data);
  *out = {owned->column.length,
          0,
          0,
          static_cast<std::int64_t>(owned->buffers.size()),
          static_cast<std::int64_t>(owned->children.size()),
          owned->buffers.data(),
          owned->pointers.data(),
          nullptr,
          node::release,
          nullptr};
  out->private_data = owned.release();
}

/// A copy on the host, or the memory itself if it is there.
template <class Ex, class T>
held<void const> copied_to_host(Ex const& ex, held<T const> const& x) {
  if constexpr (std::same_as<space_of_t<Ex>, host_space>) {
    return {x.owner, x.data, x.n};
  } else {
    auto const copy = std::make_shared<cpu::buffer<T>>(x.n);
    if (x.n > 0) ex.copy(x.data, copy->data(), x.n);
    ex.wait();
    return {copy, copy->data(), x.n};
  }
}

template <class Ex, class E>
arrow_column arrow_column_of(context_ptr<Ex> const& c, cells<E> const& x) {
  using T = typename E::value_type;
  auto values = copied_to_host(c->ex(), in_order(c, x));
  if constexpr (std::same_as<T, bool>) {
    auto const bits = std::make_shared<std::vector<std::uint8_t>>((c->n + 7) / 8);
    auto const* flags = static_cast<bool const*>(values.data);
    for (index_t i = 0; i < c->n; ++i) (*bits)[i / 8] |= std::uint8_t{flags[i]} << i % 8;
    values = {bits, bits->data(), c->n};
  }
  return {arrow_format<T>(), c->n, {{}, std::move(values)}};
}

template <class Ex, class R, class... S>
arrow_column arrow_column_of(context_ptr<Ex> const& c, fields<R, S...> const& x);

template <class Ex, class S>
arrow_column arrow_column_of(context_ptr<Ex> const& c, ragged<Ex, S> const& x) {
  auto const inner = open(x.d, c);
  auto elements = arrow_column_of(inner, elements_of(c, x));
  auto offsets = copied_to_host(c->ex(), offsets_in_memory(c->ex(), inner->begins, c->n));
  if constexpr (std::same_as<typename S::element, char>) {
    return {"U", c->n, {{}, std::move(offsets), std::move(elements.buffers[1])}};
  } else {
    elements.name = "item";
    return {"+L", c->n, {{}, std::move(offsets)}, {std::move(elements)}};
  }
}

template <class Ex, class R, class... S>
arrow_column arrow_column_of(context_ptr<Ex> const& c, fields<R, S...> const& x) {
  arrow_column result{"+s", c->n, {{}}};
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (result.children.push_back(arrow_column_of(c, std::get<I>(x.members))), ...);
    ((result.children[I].name = name_of_member<R, I>()), ...);
  }
  (std::index_sequence_for<S...>{});
  return result;
}

}  // namespace flattening

/// Exports a sequence of a nested program as an Arrow array, with its type:
///
///     to_arrow(x, &schema, &array)          x of nested<nested<double>>: LargeList<double>
///
/// Sequences become large lists, records structs, sequences of char large strings.
/// The consumer releases the two structs; they share the memory of x, which
/// must not be changed.
///
/// Cost     On the host data in memory and in order are not copied; bools are converted to
///          bits.  From a device everything is copied.  Waits.
/// Errors   All failures of instances since the last wait.
/// See also from_arrow.
template <lifted_sequence X>
void to_arrow(X const& x, ArrowSchema* schema, ArrowArray* array) {
  using namespace flattening;
  expect_one("to_arrow", x.c);
  auto const inner = open(x.s.d, x.c);
  auto column = arrow_column_of(inner, elements_of(x.c, x.s));
  x.c->on->sync();
  give(column, schema);
  give(std::move(column), array);
}

}  // namespace ravel::inline v0
