#pragma once

/// Reductions that read captured sequences in place, through a segment and an offset.
///
/// In `each(a, row: each(columns, column: sum(row * column)))` each row has an instance for each column, so
/// that copies of the rows and columns of all instances are n^3 elements each.  They are deferred steps
/// (open.hpp): a reduction that finds them still to be made reads their sources.

#include <ravel/core/cpu/host.hpp>
#include <ravel/core/std_memory.hpp>
#include <ravel/flatten/deferred.hpp>
#include <ravel/flatten/each.hpp>
#include <ravel/flatten/expression.hpp>
#include <ravel/flatten/open.hpp>
#include <ravel/flatten/optimiser.hpp>
#include <ravel/flatten/straight.hpp>
#include <ravel/flatten/straight_expression.hpp>
#include <ravel/flatten/straight_fetch.hpp>
#include <ravel/primitives/cpu/segment_reducer.hpp>

#include <vector>

namespace ravel::inline v0::flattening {

/// Elements of sequences: of those of segment s, [begin, ...), element i is of_segment(s, begin)(i).
template <class T>
struct leaf_in_segments {
  T const* data;
  extents where;
  bool is_in_order;  // the elements of all segments, one after another

  RAVEL_HD straight_leaf<T> of_segment(index_t s, index_t begin) const {
    return {{}, is_in_order ? data : data + (where.begin(s) - begin)};
  }
};
template <class T>
struct constant_in_segments {
  T value;
  RAVEL_HD straight_constant<T> of_segment(index_t, index_t) const { return {{}, value}; }
};
template <class Indices, class F, class... E>
struct application_in_segments;
template <std::size_t... I, class F, class... E>
struct application_in_segments<std::index_sequence<I...>, F, E...> : operand<I, E>... {
  F f;
  RAVEL_HD auto of_segment(index_t s, index_t begin) const {
    return straight_application<std::index_sequence<I...>, F,
                                decltype(std::declval<E const&>().of_segment(s, begin))...>{
        {operand_at<I>(*this).of_segment(s, begin)}..., f};
  }
};

/// Elements that all instances share, at indices in segments.
template <class E, class I>
struct fetch_in_segments {
  E elements;
  I index;
  index_t length;
  place instance;
  fault fails;
  RAVEL_HD auto of_segment(index_t s, index_t begin) const {
    auto const own = index.of_segment(s, begin);
    return located_fetch<E, std::remove_const_t<decltype(own)>>{elements, own, length, instance,
                                                                fails};
  }
};

template <class T, class F>
void for_each_leaf(constant<T> const&, F const&) {}
template <class T, class F>
void for_each_leaf(leaf<T> const& x, F const& f) {
  f(x);
}
template <class E, class I, class F>
void for_each_leaf(fetch<E, I> const& x, F const& f) {
  for_each_leaf(x.index, f);
}
template <std::size_t... I, class G, class... E, class F>
void for_each_leaf(application<std::index_sequence<I...>, G, E...> const& x, F const& f) {
  (for_each_leaf(operand_at<I>(x), f), ...);
}

/// Whether an executor has the host's own order of sums, in which whole segments are added up.
template <class Ex>
inline constexpr bool has_order_of_host = std::same_as<machine_t<Ex>, cpu::host>;

struct begins_elsewhere {
  index_t const* offsets;
  index_t length;
  RAVEL_HD bool operator()(index_t s) const { return offsets[s] != s * length; }
};
/// The length of n sequences of so many elements together if it is one, otherwise -1.  Where the host does not
/// know, a device finds out, and waits, if copies of the elements would take longer.
template <class Ex>
index_t one_length(machine<Ex> const& on, starts_held const& begins, index_t n, index_t elements) {
  if (begins.is_uniform()) return begins.length;
  if constexpr (!cpu::host_executor<Ex>) {
    constexpr index_t least = index_t{1} << 24;
    index_t const length = elements / n;
    if (elements >= least && length * n == elements &&
        first_where(on, n, begins_elsewhere{begins.offsets.data, length}) == n)
      return length;
  }
  return -1;
}

/// Segments one after another, and which of them has an element.
struct located_segments {
  starts begins;
  index_t count;

  RAVEL_HD index_t next(index_t s) const {
    index_t const end = begins[s + 1];
    do ++s;
    while (begins[s + 1] == end);
    return s;
  }
  RAVEL_HD index_t with(index_t i) const {
    return ravel::detail::begins_in_either_way<index_t>{begins.offsets, begins.length}.segment(
        0, count, i);
  }
};

/// The copies that an expression of the instances of `inner` reads and that are still to be made: set
/// aside during the lifetime of this, while other deferred steps run.  None on other executors than the host
/// unless the sequences of `inner` have one length, by which they divide 32-bit numbers.
template <class Ex>
class copies_set_aside {
  struct one {
    std::shared_ptr<deferred_step> step;
    descriptor_ptr<Ex> rows;
    void const* source;
  };
  struct restored_steps {
    std::vector<one> all;
    void restore() {
      for (auto const& known : all) deferred_steps().push_back(known.step);
      all.clear();
    }
    ~restored_steps() { restore(); }
  };
  context<Ex> const& inner_;
  restored_steps copies_;
  index_t length_ = -1;  // of all sequences, if it is one

  template <class T>
  void find(leaf<T> const& x) {
    for (auto const& step : deferred_steps()) {
      if (x.data == nullptr || step->copy() != x.data) continue;
      auto const& copy = static_cast<deferred_copy<Ex, T> const&>(*step);
      bool const may_be_read = copy.rows->n == inner_.up->n && copy.from.e.at.is_identity();
      if (may_be_read && !found(x.data)) {
        copies_.all.push_back({step, copy.rows, copy.from.e.data});
      }
    }
  }
  deferred_step const* found(void const* data) const {
    for (auto const& known : copies_.all) {
      if (known.step->copy() == data) return known.step.get();
    }
    return nullptr;
  }
  /// Whether no other step reads these copies: none was deferred later, and they do not read each other.
  bool are_read_by_none() const {
    auto const& steps = deferred_steps();
    for (auto const& known : copies_.all) {
      if (found(known.source)) return false;
    }
    for (auto k = steps.size() - copies_.all.size(); k < steps.size(); ++k) {
      if (!found(steps[k]->copy())) return false;
    }
    return true;
  }
  /// Whether an executor locates the elements of sequences of this length, or of any if it is -1, and all that
  /// were copied have the lengths of those of `inner`.
  bool have_lengths_of_inner(index_t length) const {
    if (!has_order_of_host<Ex> && !spot::can_share(length, inner_.n)) return false;
    for (auto const& [step, rows, source] : copies_.all) {
      bool const is_known =
          !rows->starts.is_uniform() && rows->starts.offsets.data == inner_.begins.offsets.data;
      if (is_known) continue;
      if (length >= 0) {
        if (one_length(*inner_.on, rows->starts, rows->n, rows->total) != length) return false;
      } else if constexpr (has_order_of_host<Ex>) {
        index_t const* const offsets = inner_.begins.offsets.data;
        lengths_differ const differ{rows->where(), {offsets, offsets + 1, 0, {}}};
        if (first_where(*inner_.on, rows->n, differ) < rows->n) return false;
      }
    }
    return true;
  }

 public:
  copies_set_aside(context<Ex> const& inner, auto const& e) : inner_(inner) {
    if (inner.n == 0 || !is_straight(e)) return;
    for_each_leaf(e, [&](auto const& x) { find(x); });
    if (!are_read_by_none()) copies_.all.clear();
    if (empty()) return;
    deferred_steps().resize(deferred_steps().size() - copies_.all.size());
    length_ = one_length(*inner_.on, inner_.begins, inner_.up->n, inner_.n);
    if (!have_lengths_of_inner(length_)) copies_.restore();
  }
  copies_set_aside(copies_set_aside const&) = delete;
  copies_set_aside& operator=(copies_set_aside const&) = delete;
  bool empty() const { return copies_.all.empty(); }
  /// The segments of `inner` for the load.
  auto segments() const {
    if constexpr (has_order_of_host<Ex>) {
      return located_segments{inner_.begins.seen(), inner_.up->n};
    } else {
      return length_;
    }
  }

  /// An expression that reads the sources of the copies.
  template <class T>
  constant_in_segments<T> in_segments(constant<T> const& x) const {
    return {x.value};
  }
  template <class T>
  leaf_in_segments<T> in_segments(leaf<T> const& x) const {
    auto const* const step = static_cast<deferred_copy<Ex, T> const*>(found(x.data));
    if (!step) return {x.data, {}, true};
    return {step->from.e.data, step->rows->where(), false};
  }
  template <class E, class I>
  auto in_segments(fetch<E, I> const& x) const {
    run_deferred_steps();  // which may write the bounds
    index_t const begin = x.where.begin(0);
    auto const elements = straight(on_host{}, x.elements).from(begin);
    return fetch_in_segments<std::remove_const_t<decltype(elements)>,
                             decltype(in_segments(x.index))>{
        elements, in_segments(x.index), x.where.end(0) - begin, x.instance, x.fails};
  }
  template <std::size_t... I, class F, class... E>
  auto in_segments(application<std::index_sequence<I...>, F, E...> const& x) const {
    return application_in_segments<std::index_sequence<I...>, F,
                                   decltype(in_segments(operand_at<I>(x)))...>{
        {in_segments(operand_at<I>(x))}..., x.f};
  }
};

/// Loads the elements of segments, and reduces whole segments, each of which is located once.
template <class T, class M, class E>
struct load_in_segments {
  E e;
  M m;
  located_segments segments;

  using expression = decltype(std::declval<E const&>().of_segment(0, 0));
  using located = load_as<T, expression>;
  RAVEL_HD located of_segment(index_t s) const { return {e.of_segment(s, segments.begins[s])}; }

  struct segment {
    index_t number, begin, end;
    located load;
  };
  RAVEL_HD segment at(index_t s) const {
    return {s, segments.begins[s], segments.begins[s + 1], of_segment(s)};
  }
  /// For one thread: remembers where the elements of the last segment are.
  struct in_turn {
    load_in_segments all;
    mutable segment last;
    RAVEL_HD T operator()(index_t i) const {
      if (i < last.begin || i >= last.end) [[unlikely]] {
        last = all.at(i == last.end ? all.segments.next(last.number) : all.segments.with(i));
      }
      return last.load(i);
    }
  };
  RAVEL_HD in_turn on(tile t) const { return {*this, at(segments.with(t.begin))}; }
  void add_up(index_t s, index_t const* begins, index_t count, T* out) const {
    constexpr index_t least_tested = 32;  // of shorter segments each index is tested with its load
    for (index_t k = 0; k < count; ++k) {
      auto const load = of_segment(s + k);
      index_t i = begins[k];
      index_t const end = begins[k + 1];
      T sum = static_cast<T>(m.identity());
      if constexpr (!is_simple<expression>) {
        if (end - i < least_tested || !load.all_inside(i, end)) {
          for (; i < end; ++i) sum = cpu::detail::combine_predicted(m, sum, load(i));
        }
      }
      if constexpr (std::floating_point<T> && std::same_as<M, plus<T>>) {
        sum = sum_by_lanes(load, i, end, sum);
        i = end - (end - i) % lanes;
      }
      typename cpu::detail::segment_reducer<located>::without_tests const unchecked{load};
      out[k] = unchecked(i, end, m, sum);
    }
  }

 private:
  static constexpr index_t lanes =
      32;  // independent sums: as many as hide the latency of additions
  template <index_t Half>
  static void add_halves(T* sums) {
    for (index_t j = 0; j < Half; ++j) sums[j] += sums[j + Half];
    if constexpr (Half > 1) add_halves<Half / 2>(sums);
  }
  /// The sum of the first elements of [i, end), a multiple of `lanes`.
  static T sum_by_lanes(located const& load, index_t i, index_t end, T first) {
    T sums[lanes] = {first};
    for (; i + lanes <= end; i += lanes) {
      for (index_t j = 0; j < lanes; ++j) sums[j] += load.unchecked(i + j);
    }
    add_halves<lanes / 2>(sums);
    return sums[0];
  }
};

/// The same for any thread, which locates a segment for each element unless the form does it.
template <class T, class E>
struct load_by_segment {
  E e;
  spot number_of;
  index_t length;

  RAVEL_HD auto of_segment(index_t s) const {
    return load_as<T, decltype(e.of_segment(s, s))>{e.of_segment(s, s * length)};
  }
  RAVEL_HD T operator()(index_t i) const { return of_segment(number_of(i))(i); }
};

template <class T, class M, class E>
load_in_segments<T, M, E> load_of_segments(E const& e, M const& m,
                                           located_segments const& segments) {
  return {e, m, segments};
}
template <class T, class M, class E>
load_by_segment<T, E> load_of_segments(E const& e, M const&, index_t length) {
  return {e, spot::shared_by(length), length};
}

/// Whether reductions of the values of E look for copies to do without: operators of elements in memory, and on
/// the host such elements alone, as of slices, and elements at such indices.  An operator of the latter too would
/// make 100 instantiations more of a sparse product, 7 %.
template <class Ex, class E>
inline constexpr bool may_be_in_place = false;
template <class Ex, class Indices, class F, class... E>
inline constexpr bool may_be_in_place<Ex, application<Indices, F, E...>> =
    reads_in_place&& is_plain<application<Indices, F, E...>>;
template <class Ex, class T>
inline constexpr bool may_be_in_place<Ex, leaf<T>> = reads_in_place&& has_order_of_host<Ex>;
template <class Ex, class E, class I>
inline constexpr bool may_be_in_place<Ex, fetch<E, I>> =
    reads_in_place&& has_order_of_host<Ex>&& is_plain<E>&& is_plain<I>;

}  // namespace ravel::inline v0::flattening
