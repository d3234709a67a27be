#pragma once

/// Fuses several packs of one sequence by comparisons with a pivot for each sequence into one
/// split.
///
/// A program that keeps the elements less than a pivot, and then the greater ones, would read all
/// elements twice, and a third time for the equal ones.  The packs are deferred steps: the first
/// step that reads a result fuses two of them, and also stores what neither selects, for a later
/// pack.  The split reads elements and pivots where they are, without copies.

#include <ravel/core/std_functional.hpp>
#include <ravel/core/std_memory.hpp>
#include <ravel/flatten/compute.hpp>
#include <ravel/flatten/deferred.hpp>
#include <ravel/flatten/lift.hpp>
#include <ravel/flatten/open.hpp>
#include <ravel/primitives/segmented_split.hpp>

#include <optional>
#include <vector>

namespace ravel::inline v0::flattening {

/// The possible results of comparing two numbers, a bit each.  NaNs are unordered.
namespace orders {
inline constexpr unsigned less = 1, equal = 2, greater = 4, none = 8;
}

/// The orders for which F returns true; 0 if it is not a comparison.
template <class F>
inline constexpr unsigned orders_of = 0;
template <>
inline constexpr unsigned orders_of<is_less> = orders::less;
template <>
inline constexpr unsigned orders_of<is_equal> = orders::equal;
template <>
inline constexpr unsigned orders_of<is_greater> = orders::greater;
template <>
inline constexpr unsigned orders_of<is_at_most> = orders::less | orders::equal;
template <>
inline constexpr unsigned orders_of<is_at_least> = orders::greater | orders::equal;
template <>
inline constexpr unsigned orders_of<is_different> = orders::less | orders::greater | orders::none;

/// The orders that exist for T.
template <class T>
inline constexpr unsigned all_orders = orders::less | orders::equal | orders::greater |
                                       (std::floating_point<T> ? orders::none : 0u);
/// Parts of a split: of two packs, of neither, and, for floating point, unordered elements.
template <class T>
inline constexpr int ways_of_order = std::floating_point<T> ? 4 : 3;

/// The number that elements of a sequence are compared with: one for each sequence, or one for all.
template <class T>
struct pivot_of {
  T const* data;
  spot at;
  T same;
  RAVEL_HD T operator()(index_t s) const { return data ? data[at(s)] : same; }
  friend bool operator==(pivot_of const&, pivot_of const&) = default;
};

/// A comparison of elements in memory with a value that is uniform in each sequence.
template <class E>
struct comparison_by {
  static constexpr unsigned orders = 0;
};
template <class F, std::totally_ordered T, class B>
requires(std::is_arithmetic_v<T> && !std::same_as<T, bool> &&
         (std::same_as<B, leaf<T>> || std::same_as<B, constant<T>>))  //
    struct comparison_by<application<std::index_sequence<0, 1>, F, leaf<T>, B>> {
  static constexpr unsigned orders = orders_of<F>;
  using value = T;
  using E = application<std::index_sequence<0, 1>, F, leaf<T>, B>;

  static leaf<T> const& first(E const& e) { return static_cast<operand<0, leaf<T>> const&>(e).e; }
  static B const& second(E const& e) { return static_cast<operand<1, B> const&>(e).e; }

  /// The second operand as a value for each sequence that `inner` opened, if it is one; reduces
  /// `keep`, which has the owners of both operands, to those of the second.
  template <class Ex>
  static std::optional<pivot_of<T>> pivot(context<Ex> const& inner, E const& e, owners& keep) {
    if constexpr (std::same_as<B, constant<T>>) {
      return pivot_of<T>{nullptr, {}, second(e).value};
    } else {
      leaf<T> const& rhs = second(e);
      if (rhs.at.same_for_all()) return pivot_of<T>{rhs.data, rhs.at, {}};
      for (auto const& known : inner.moved.scalars()) {
        auto const owner = known.memory->now.lock();
        if (known.copy != rhs.data || !rhs.at.is_identity() || !owner || !known.from.alive())
          continue;
        keep.drop(owner);
        keep.add(known.from.kept());
        return pivot_of<T>{static_cast<T const*>(known.data), known.at, {}};
      }
      for (auto const& [c, way] : inner.ways) {
        if (c == inner.up.get() && way && way->at == rhs.at) return pivot_of<T>{rhs.data, {}, {}};
      }
      return {};
    }
  }
};

/// Splits elements, where they are, by comparison with the pivot of their sequence.
template <class T>
struct split_by_order {
  leaf<T> e;
  extents where;
  pivot_of<T> pivot;
  unsigned first, second;  // the orders in parts 0 and 1
  T* to[3];

  struct sequence {
    index_t ahead;  // first element of the sequence, less its number
    T pivot;
  };
  RAVEL_HD sequence of_segment(index_t s, index_t begin) const {
    return {where.begin(s) - begin, pivot(s)};
  }
  RAVEL_HD T load(sequence const& seq, index_t i) const { return e(seq.ahead + i); }
  RAVEL_HD int digit(sequence const& seq, T const& x) const {
    unsigned const order = x < seq.pivot    ? orders::less
                           : x == seq.pivot ? orders::equal
                           : seq.pivot < x  ? orders::greater
                                            : orders::none;
    return (first & order) != 0 ? 0 : (second & order) != 0 ? 1 : order != orders::none ? 2 : 3;
  }
  RAVEL_HD void store(T const& x, int d, index_t place) const {
    if (d < 3) to[d][place] = x;
  }
};
struct put_offsets_of_parts {
  index_t* to[3];
  RAVEL_HD void operator()(int d, index_t s, index_t begin) const {
    if (d < 3) to[d][s] = begin;
  }
};

/// A deferred pack by a comparison.
template <class Ex, class T>
class deferred_pack final : public deferred_step {
  using sequences = ragged<Ex, cells<leaf<T>>>;

  context_ptr<Ex> inner_;
  sequences x_;  // the instances of `inner` are its elements
  pivot_of<T> pivot_;
  owners keep_;
  unsigned orders_;
  held<T> out_;
  held<index_t> offsets_;
  std::function<void(deferred_pack const&)> alone_;  // the pack alone, if not yet done

 public:
  deferred_pack(context_ptr<Ex> inner, sequences x, pivot_of<T> pivot, owners keep, unsigned wanted)
      : inner_(std::move(inner)),
        x_(std::move(x)),
        pivot_(pivot),
        keep_(std::move(keep)),
        orders_(wanted),
        out_(hold<T>(inner_->ex(), inner_->n)),
        offsets_(hold<index_t>(inner_->ex(), inner_->up->n + 1)) {}

  static inline char const type = 0;  // its address identifies T

  held<T> const& out() const { return out_; }
  held<index_t> const& offsets() const { return offsets_; }
  void set_alone(std::function<void(deferred_pack const&)> alone) { alone_ = std::move(alone); }
  bool is_reachable() const override {
    return out_.owner.use_count() > 1 || offsets_.owner.use_count() > 1;
  }

  sequences result() const {
    return {dense_rows<Ex>(inner_->up->n, -1, offsets_.shared()), leaf_of(out_.shared())};
  }

  /// The result of an earlier split for these orders.
  static std::optional<sequences> found(context<Ex> const& inner, sequences const& x,
                                        pivot_of<T> const& pivot, unsigned wanted) {
    for (auto const& part : inner.parts) {
      if (part.type == &type && part.elements == x.child.e.data && part.orders == wanted) {
        auto const& kept = *static_cast<remembered const*>(part.found.get());
        if (kept.pivot == pivot && kept.where == x.d->where()) return kept.found;
      }
    }
    return {};
  }

  void take_together(std::vector<std::shared_ptr<deferred_step>> const& steps) override {
    if (!alone_) return;
    for (auto const& step : steps) {
      auto* const pack = dynamic_cast<deferred_pack*>(step.get());
      if (!pack || pack == this || !pack->alone_ || pack->inner_ != inner_) continue;
      bool const same_input =
          pack->x_.d == x_.d && pack->x_.child.e.data == x_.child.e.data && pack->pivot_ == pivot_;
      if (same_input && (pack->orders_ & orders_) == 0) return split_with(*pack);
    }
  }
  void take() override {
    if (auto const alone = std::exchange(alone_, {})) alone(*this);
  }

 private:
  /// The elements that neither pack selected, and their source.
  struct remembered {
    pivot_of<T> pivot;
    extents where;
    owners keep;  // so that the memory is not reused
    sequences found;
  };

  void split_with(deferred_pack& pack) {
    auto const& ex = inner_->ex();
    index_t const rows = inner_->up->n;
    deferred_pack const rest(inner_, x_, pivot_, keep_,
                             all_orders<T> & ~(orders_ | pack.orders_ | orders::none));
    using split = split_by_order<T>;
    // Elements that a pack alone would have copied need not be copied if no other step reads them.
    alone_ = pack.alone_ = {};
    count_step("split", inner_->n + rows, text_of_type<split>());
    segmented_split_on<ways_of_order<T>>(
        ex, inner_->n, segments_by(ex, inner_->begins, rows),
        split{x_.child.e,
              x_.d->where(),
              pivot_,
              orders_,
              pack.orders_,
              {out_.data, pack.out_.data, rest.out_.data}},
        put_offsets_of_parts{{offsets_.data, pack.offsets_.data, rest.offsets_.data}});
    owners keep = keep_;
    keep.add(owners_of(x_.d));
    keep.add(x_.child.keep);
    auto const note = std::make_shared<remembered const>(
        remembered{pivot_, x_.d->where(), std::move(keep), rest.result()});
    // Replaces the parts of another pivot: a loop over pivots would otherwise keep all elements
    // each time.
    std::erase_if(inner_->parts, [&](known_part const& known) {
      return known.type == &type && known.elements == x_.child.e.data;
    });
    inner_->parts.push_back({&type, x_.child.e.data, rest.orders_, note});
  }
};

}  // namespace ravel::inline v0::flattening
