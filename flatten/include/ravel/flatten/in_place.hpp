#pragma once

/// Reductions that read captured sequences in place, through a segment and an offset.
///
/// In `each(a, row: each(columns, column: sum(row * column)))` each row has an instance for each column, so
/// that copies of the rows and columns of all instances are n^3 elements each.  They are deferred steps
/// (open.hpp): a reduction that finds them still to be made reads their sources.

#include <ravel/core/cpu/host.hpp>
#include <ravel/core/std_memory.hpp>
#include <ravel/flatten/deferred.hpp>
#include <ravel/flatten/expression.hpp>
#include <ravel/flatten/open.hpp>
#include <ravel/flatten/optimiser.hpp>
#include <ravel/flatten/straight.hpp>
#include <ravel/flatten/straight_expression.hpp>
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

template <class T, class F>
void for_each_leaf(constant<T> const&, F const&) {}
template <class T, class F>
void for_each_leaf(leaf<T> const& x, F const& f) {
  f(x);
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

/// The copies that an expression of the instances of `inner` reads and that are still to be made: set
/// aside during the lifetime of this, while other deferred steps run.  None unless the sequences of
/// `inner` have one length, by which other executors divide 32-bit numbers.
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
  index_t length_ = -1;  // of all sequences

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
  /// The length of all sequences of `inner`, and of those that were copied; otherwise -1.
  index_t one_length_of_all() const {
    index_t const length = one_length(*inner_.on, inner_.begins, inner_.up->n, inner_.n);
    if (!has_order_of_host<Ex> && !spot::can_share(length, inner_.n)) return -1;
    for (auto const& [step, rows, source] : copies_.all) {
      bool const is_known =
          !rows->starts.is_uniform() && rows->starts.offsets.data == inner_.begins.offsets.data;
      if (!is_known && one_length(*inner_.on, rows->starts, rows->n, rows->total) != length)
        return -1;
    }
    return length;
  }

 public:
  template <class E>
  copies_set_aside(context<Ex> const& inner, E const& e) : inner_(inner) {
    if (inner.n == 0 || !is_straight(e)) return;
    for_each_leaf(e, [&](auto const& x) { find(x); });
    if (!are_read_by_none()) copies_.all.clear();
    if (empty()) return;
    deferred_steps().resize(deferred_steps().size() - copies_.all.size());
    length_ = one_length_of_all();
    if (length_ < 0) copies_.restore();
  }
  copies_set_aside(copies_set_aside const&) = delete;
  copies_set_aside& operator=(copies_set_aside const&) = delete;
  bool empty() const { return copies_.all.empty(); }
  index_t length() const { return length_; }

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
  template <std::size_t... I, class F, class... E>
  auto in_segments(application<std::index_sequence<I...>, F, E...> const& x) const {
    return application_in_segments<std::index_sequence<I...>, F,
                                   decltype(in_segments(operand_at<I>(x)))...>{
        {in_segments(operand_at<I>(x))}..., x.f};
  }
};

/// Loads the elements of segments of one length, and reduces whole segments, each of which is located once.
template <class T, class M, class E>
struct load_in_segments {
  E e;
  M m;
  index_t length;

  using located = load_as<T, decltype(std::declval<E const&>().of_segment(0, 0))>;
  RAVEL_HD located of_segment(index_t s) const { return {e.of_segment(s, s * length)}; }

  /// For one thread: remembers where the elements of the last segment are.
  struct in_turn {
    load_in_segments all;
    mutable index_t begin;
    mutable located there;
    RAVEL_HD T operator()(index_t i) const {
      if (static_cast<std::uint64_t>(i - begin) >= static_cast<std::uint64_t>(all.length))
          [[unlikely]] {
        index_t const s = i / all.length;
        begin = s * all.length;
        there = all.of_segment(s);
      }
      return there(i);
    }
  };
  RAVEL_HD in_turn on(tile t) const {
    index_t const s = t.begin / length;
    return {*this, s * length, of_segment(s)};
  }
  void add_up(index_t const* begins, index_t count, T* out) const {
    index_t const first = begins[0] / length;
    for (index_t k = 0; k < count; ++k) {
      auto const load = of_segment(first + k);
      index_t i = begins[k];
      index_t const end = begins[k + 1];
      T sum = static_cast<T>(m.identity());
      if constexpr (std::floating_point<T> && std::same_as<M, plus<T>>) {
        sum = sum_by_lanes(load, i, end);
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
  static T sum_by_lanes(located const& load, index_t i, index_t end) {
    T sums[lanes] = {};
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

template <class Ex, class T, class M, class E>
auto load_of_segments(E const& e, M const& m, index_t length) {
  if constexpr (has_order_of_host<Ex>) {
    return load_in_segments<T, M, E>{e, m, length};
  } else {
    return load_by_segment<T, E>{e, spot::shared_by(length), length};
  }
}

/// Whether reductions of the values of E look for copies to do without.
template <class E>
inline constexpr bool may_be_in_place = false;
template <class Indices, class F, class... E>
inline constexpr bool may_be_in_place<application<Indices, F, E...>> =
    reads_in_place&& is_plain<application<Indices, F, E...>>;

}  // namespace ravel::inline v0::flattening
