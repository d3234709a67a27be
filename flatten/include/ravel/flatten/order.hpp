#pragma once

/// Order: sorts each sequence separately.

#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/algorithms/segmented_comparison_sort.hpp>
#include <ravel/algorithms/segmented_sort.hpp>
#include <ravel/algorithms/string_sort.hpp>
#include <ravel/core/radix_key.hpp>
#include <ravel/flatten/compute.hpp>
#include <ravel/flatten/fold.hpp>
#include <ravel/flatten/key_order.hpp>
#include <ravel/flatten/lift.hpp>
#include <ravel/flatten/place.hpp>
#include <ravel/flatten/sequences.hpp>

#include <tuple>

namespace ravel::inline v0 {
namespace flattening {

template <class E>
void expect_sortable() {
  static_assert(
      radix_sortable<typename E::value_type>,
      "sort: the elements are no numbers, and radix_key is not specialised for their type");
}

struct store_rank {
  index_t* to;
  RAVEL_HD void operator()(index_t i, index_t, index_t rank) const { to[i] = rank; }
  void run(index_t i, index_t end, index_t, index_t rank) const {
    for (; i < end; ++i, ++rank) to[i] = rank;
  }
};
/// The keys of sequences in an order of each.
template <class E, class T>
struct evaluate_in_order {
  E e;
  index_t const* order;
  starts begins;
  T* out;
  RAVEL_HD void operator()(index_t i, index_t s, index_t) const {
    out[i] = e(begins[s] + order[i]);
  }
};

/// The number of each element in an order, among the elements of all sequences.
struct number_in_order {
  index_t const* order;
  starts begins;
  index_t* out;
  RAVEL_HD void operator()(index_t i, index_t s, index_t) const { out[i] = begins[s] + order[i]; }
};
struct index_of_number {
  index_t const* numbers;
  starts begins;
  index_t* out;
  RAVEL_HD void operator()(index_t i, index_t s, index_t) const { out[i] = numbers[i] - begins[s]; }
};
struct store_segment {
  index_t* out;
  RAVEL_HD void operator()(index_t i, index_t s, index_t) const { out[i] = s; }
};
/// The bounds of strings in an order, or as they are, of which an element has `width` bytes.
struct bounds_in_order {
  extents where;
  index_t width;
  index_t const* numbers;
  index_t *begins, *ends;
  RAVEL_HD void operator()(index_t i) const {
    index_t const k = numbers ? numbers[i] : i;
    begins[i] = width * where.begin(k);
    ends[i] = width * where.end(k);
  }
};
/// Numbers as bytes in the same order, the most significant first: so sequences of them are strings.
template <class E>
struct bytes_of_number {
  using key = radix_key<typename E::value_type>;
  using bits = decltype(key::bits(std::declval<typename E::value_type>()));
  static constexpr index_t width = sizeof(bits);
  E e;
  unsigned char* out;
  RAVEL_HD void operator()(index_t i) const {
    auto number = key::bits(e(i));
    for (index_t k = width; k > 0; number = static_cast<bits>(number >> 7 >> 1)) {
      out[i * width + --k] = static_cast<unsigned char>(number);
    }
  }
};

template <class E>
inline constexpr bool is_letter =
    std::same_as<order_in_sequence<typename E::value_type>, unsigned char>;

/// The order of the elements of each sequence: that of their indices, until it is sorted by keys.
template <class Ex>
class ordering {
  context_ptr<Ex> const& inner_;
  held<index_t> order_;
  bool is_sorted_ = false;

  auto segments() const { return segments_by(inner_->ex(), inner_->begins, inner_->up->n); }
  template <class Visit>
  void visit(Visit visit) const {
    count_step("map of elements", inner_->n, text_of_type<Visit>());
    for_each_in_segments(inner_->ex(), inner_->n, segments(), visit);
  }

 public:
  explicit ordering(context_ptr<Ex> const& inner)
      : inner_(inner), order_(hold<index_t>(inner->ex(), inner->n)) {
    if (inner->n > 0) visit(store_rank{order_.data});
  }
  held<index_t> const& order() const { return order_; }

  template <class E>
  void sort_by(cells<E> const& x) {
    expect_sortable<E>();
    using T = typename E::value_type;
    if (inner_->n == 0) return;
    auto const& ex = inner_->ex();
    auto const sorted = hold<T>(ex, inner_->n);
    auto keys = sorted.shared();
    if (std::exchange(is_sorted_, true)) {
      visit(evaluate_in_order<E, T>{x.e, order_.data, inner_->begins.seen(), sorted.data});
    } else {
      keys = in_memory_or(inner_, x, sorted);
    }
    auto const src = seen_by(ex, keys);
    auto const dst = seen_by(ex, sorted);
    auto const order = seen_by(ex, order_);
    if (inner_->up->n == 1) {
      count_step("sort", inner_->n, text_of_type<E>());
      return radix_sort_pairs(ex, src, order, dst, order);
    }
    count_step("segmented sort", inner_->n, text_of_type<E>());
    segmented_sort_pairs(ex, src, order, segments(), dst, order);
  }
  /// Sorts by the last member first: sorts are stable, so that earlier members take precedence.
  template <class R, class... S>
  void sort_by(fields<R, S...> const& x) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (sort_by(std::get<sizeof...(S) - 1 - I>(x.members)), ...);
    }
    (std::index_sequence_for<S...>{});
  }
  /// Sorts by sequences, which are not moved: those of numbers as strings, others by comparisons.
  template <class S>
  void sort_by(ragged<Ex, S> const& x) {
    if (inner_->n == 0) return;
    auto const& ex = inner_->ex();
    held<index_t> numbers;  // in order, or none if they are as they were
    auto const begins = inner_->begins.seen();
    if (is_sorted_ || !is_cells<S>) {
      numbers = hold<index_t>(ex, inner_->n);
      visit(number_in_order{order_.data, begins, numbers.data});
    }
    if constexpr (is_cells<S>) {
      numbers = sorted_strings(x, numbers);
    } else {
      auto const keys = column(inner_, x);
      using T = nested<typename S::element>;
      count_step("segmented comparison sort", inner_->n, text_of_type<S>());
      segmented_comparison_sort(ex, seen_by(ex, numbers), segments(), seen_by(ex, numbers),
                                is_before<T>{keys_in(keys)});
    }
    if (inner_->up->n == 1) {
      order_ = numbers;
    } else {
      visit(index_of_number{numbers.data, begins, order_.data});
    }
    is_sorted_ = true;
  }

 private:
  template <class E>
  held<index_t> sorted_strings(ragged<Ex, cells<E>> const& x, held<index_t> const& numbers) const {
    if constexpr (is_letter<E>) {
      auto const rows = written_down(inner_, x);
      return sorted_strings(rows.child.e.data, rows.d->where(), 1, numbers);
    } else {
      expect_sortable<E>();
      using to_bytes = bytes_of_number<E>;
      auto const elements = open(x.d, inner_);
      auto const text = hold<unsigned char>(inner_->ex(), to_bytes::width * elements->n);
      visit_indices(inner_->ex(), elements->n, to_bytes{elements_of(inner_, x).e, text.data});
      return sorted_strings(text.data, begins_in(elements).e.where, to_bytes::width, numbers);
    }
  }
  /// The numbers of strings, sorted by these, and then stably by sequence.
  template <class Letter>
  held<index_t> sorted_strings(Letter const* letters, extents const& where, index_t width,
                               held<index_t> const& numbers) const {
    auto const& ex = inner_->ex();
    index_t const n = inner_->n;
    // Rows of several allocations are apart by any number of bytes.
    view<Letter const, space_of_t<Ex>> const text(letters, bounds<index_t>::highest());
    auto const begins = hold<index_t>(ex, n), ends = hold<index_t>(ex, n);
    visit_indices(ex, n, bounds_in_order{where, width, numbers.data, begins.data, ends.data});
    auto const order = hold<index_t>(ex, n);
    count_step("sort of strings", n);
    string_argsort_sync(ex, text, seen_by(ex, begins), seen_by(ex, ends), seen_by(ex, order));
    if (inner_->up->n > 1) {
      auto const &segment = begins, &segment_in_order = ends;
      visit(store_segment{segment.data});
      visit_indices(ex, n, in_order_of(order, segment, segment_in_order));
      count_step("radix sort", n);
      radix_sort_pairs(ex, seen_by(ex, segment_in_order), seen_by(ex, order));
    }
    if (numbers.data == nullptr) return order;
    auto const& sorted = begins;
    visit_indices(ex, n, in_order_of(order, numbers, sorted));
    return sorted;
  }
  static evaluate<leaf<index_t>, index_t> in_order_of(held<index_t> const& order,
                                                      held<index_t> const& src,
                                                      held<index_t> const& dst) {
    return {{src.data, {order.data}}, dst.data};
  }
};

}  // namespace flattening

/// The indices that sort x, stably:
///
///     sort_order([30 10 20 10])      [1 3 2 0]
///
///     sort_order(["b" "ab" "" "b"])      [2 1 0 3]
///
/// Shapes   Numbers, sequences, such as words, or records of them, at any depth.
/// Order    Stable.  Numbers in the order of radix_key: by value, every NaN last.  Sequences in
///          lexicographic order, a proper prefix first, and chars in them as in std::string.
///          Records by their first member, then by the next.
/// Cost     That of segmented_sort_pairs, for any lengths; of one sequence of numbers on a device that of
///          radix_sort_pairs; of words, and of the bytes of sequences of numbers, that of
///          string_argsort_sync, which waits; of other sequences that of segmented_comparison_sort; of
///          records once for each member.
template <lifted_sequence X>
auto sort_order(X const& x) {
  using namespace flattening;
  using Ex = typename X::executor_type;
  auto const c = resolve(x);
  auto const s = storage_in(c, x);
  auto const inner = open(s.d, c);
  ordering<Ex> sorter(inner);
  sorter.sort_by(elements_of(c, s));
  return lift_storage(c, close(inner, leaf_of(sorter.order().shared())));
}

namespace flattening {

/// The sorted elements of each sequence.
template <class Ex, class E>
auto sorted_elements(context_ptr<Ex> const& inner, cells<E> const& x) {
  expect_sortable<E>();
  using T = typename E::value_type;
  auto const& ex = inner->ex();
  auto const out = hold<T>(ex, inner->n);
  if (inner->n > 0) {
    auto const keys = in_memory_or(inner, x, out);
    if constexpr (!cpu::host_executor<Ex>) {
      if (inner->up->n == 1) {
        count_step("sort", inner->n, text_of_type<E>());
        radix_sort(ex, seen_by(ex, keys), seen_by(ex, out));
        return leaf_of(out.shared());
      }
    }
    count_step("segmented sort", inner->n, text_of_type<E>());
    segmented_sort(ex, seen_by(ex, keys), segments_by(ex, inner->begins, inner->up->n),
                   seen_by(ex, out));
  }
  return leaf_of(out.shared());
}

}  // namespace flattening

/// The elements in ascending order, stably.
///
///     sort([30 10 20 10])      [10 10 20 30]
///
/// Cost     That of segmented_sort; of one sequence on a device that of radix_sort.  Records are not
///          moved: the step that uses them loads them.
///
/// All else is as for sort_order.
template <lifted_sequence X>
auto sort(X const& x) {
  using namespace flattening;
  auto const c = resolve(x);
  auto const s = storage_in(c, x);
  if constexpr (is_cells<std::remove_const_t<decltype(s.child)>>) {
    auto const inner = open(s.d, c);
    return lift_storage(c, close(inner, sorted_elements(inner, elements_of(c, s))));
  } else {
    return gather(x, sort_order(x));
  }
}

/// The place of each element in the sorted sequence.
///
///     rank([30 10 20 10])      [3 0 2 1]
template <sequence_operand X>
auto rank(X const& x) {
  auto const order = sort_order(x);
  return permute(indices(order), order);
}

}  // namespace ravel::inline v0
