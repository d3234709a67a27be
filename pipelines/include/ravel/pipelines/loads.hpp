#pragma once

/// Loads of a pass: the function objects that primitives read elements through.

#include <ravel/core/cpu/either.hpp>
#include <ravel/pipelines/element.hpp>
#include <ravel/pipelines/pass.hpp>
#include <ravel/pipelines/view_steps.hpp>
#include <ravel/pipelines/views.hpp>
#include <ravel/primitives/map.hpp>

namespace ravel::inline v0::piping {

/// Element i, or nothing if it was dropped.
template <class V, class Before>
struct load_some {
  V view;
  Before before;
  using value_type = made_of_t<Before, value_t<V>>;
  RAVEL_HD maybe<value_type> operator()(index_t i) const {
    if constexpr (V::counted) {
      if (i >= view.size()) return {};
    }
    return before(i, view(i));
  }
  /// Whether element i is kept.
  RAVEL_HD bool is(index_t i) const {
    if constexpr (V::counted) {
      return i < view.size() && before.is(i, view(i));
    } else {
      return before.is(i, view(i));
    }
  }
  RAVEL_HD value_type value(index_t i) const { return before.value(i, view(i)); }
  /// Whether a dropped element has a value too, as the predicate is applied to it.
  static constexpr bool always_has_value = !V::counted && tests_its_value<Before>;
  /// The number of short-circuit steps of the predicate; 1 if the view itself drops elements.
  static constexpr int steps = V::counted ? 1 : ravel::detail::predicate_steps<Before>;
  template <int S>
  RAVEL_HD bool is_step(index_t i) const {
    return before.template is_step<S>(i, view(i));
  }
  /// is(i), given elements()[i].
  template <class T>
  RAVEL_HD bool is_of(index_t i, T const& x) const requires of_elements<V> {
    return before.is(i, view.of(i, x));
  }
  template <class T>
  RAVEL_HD value_type made_of(index_t i, T const& x) const requires of_elements<V> {
    return before.value(i, view.of(i, x));
  }
  RAVEL_HD auto elements() const requires of_elements<V> { return view.elements(); }
  void const* address(index_t i) const requires addressed<V> { return view.address(i); }
};

/// The load of a pass; for unmodified elements in memory the one that primitives recognise.
template <class V, class Before>
auto load_from(V const& view, Before const& before) {
  if constexpr (V::counted || Before::partial) {
    return load_some<V, Before>{view, before};
  } else if constexpr (!std::same_as<Before, as_it_is>) {
    return stepped<V, keep_step<Before>>{view, {before}};
  } else if constexpr (is_in_memory<V>::value) {
    return load_elements<value_t<V>>{view.data};
  } else {
    return view;
  }
}
template <class V, class Before>
using loader = decltype(load_from(std::declval<V const&>(), std::declval<Before const&>()));

template <class Load>
struct is_some {
  Load load;
  RAVEL_HD bool operator()(index_t i) const { return load.is(i); }
  static constexpr int steps = Load::steps;
  template <int S>
  RAVEL_HD bool step(index_t i) const {
    return load.template is_step<S>(i);
  }
  template <class T>
  RAVEL_HD bool of(index_t i, T const& x) const requires requires {
    load.is_of(i, x);
  }
  { return load.is_of(i, x); }
  RAVEL_HD auto elements() const requires requires(Load const& l) { l.elements(); }
  { return load.elements(); }
};

/// The predicate that keeps all.
struct is_any {
  RAVEL_HD bool operator()(index_t) const { return true; }
};

/// The same for a load whose predicate does not depend on positions.
template <class Load>
struct is_some_of : is_some<Load> {
  RAVEL_HD auto elements() const { return this->load.elements(); }
  template <class T>
  RAVEL_HD bool of(T const& x) const {
    return this->load.is_of(0, x);
  }
};

template <class Load>
struct made_if_some {
  Load load;
  template <class T>
  RAVEL_HD auto operator()(T const& x) const {
    return load.made_of(0, x);
  }
};

template <class Load>
struct one_if_some {
  Load load;
  RAVEL_HD index_t operator()(index_t i) const { return load.is(i) ? 1 : 0; }
};

/// The value of an element, or the identity if it was dropped.
template <class Load, class M>
struct load_or_identity {
  static constexpr bool filters = true;
  Load load;
  M m;
  RAVEL_HD carrier_t<M> operator()(index_t i) const {
    using T = carrier_t<M>;
#ifndef RAVEL_DEVICE_CODE
    if constexpr (Load::always_has_value && requires(T x) { cpu::either(true, x, x); }) {
      return cpu::either(load.is(i), T(load.value(i)), T(m.identity()));
    }
#endif
    return load.is(i) ? T(load.value(i)) : T(m.identity());
  }
  RAVEL_HD auto elements() const requires requires(Load const& l) { l.elements(); }
  { return load.elements(); }
  template <class T>
  RAVEL_HD carrier_t<M> of(index_t i, T const& x) const {
    return load.is_of(i, x) ? carrier_t<M>(load.made_of(i, x)) : carrier_t<M>(m.identity());
  }
};

}  // namespace ravel::inline v0::piping
