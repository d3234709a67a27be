#pragma once

/// Tables of forms: the choice among several implementations of a call.
///
/// A call is a value that describes an operation: its sources, sinks, functions and sizes.  A form
/// is an implementation, and states what it needs of a call:
///
///     struct some_form {
///       static constexpr auto name = "some_form";
///       static constexpr auto why = "What was measured, or why nothing else can be done.";
///
///       /// Needs on the types of a call.  Optional.
///       template <class Call>
///       static constexpr auto types =
///           needs(need{is_in_memory<decltype(Call::in)>, "a source in memory"});
///       /// Needs on its values, and on the machine.  Evaluated only where the types fit.  Optional.
///       template <class Call>
///       static auto now(Call const& call, cpu::host const&) {
///         return needs(need{call.n < 64, "fewer than 64 elements"});
///       }
///       template <class Ex, class Call>
///       static void run(Ex const& ex, Call const& call);
///     };
///
/// A table is a list of forms.  The first form whose needs all hold runs the call; nothing else
/// decides.  core/explain.hpp reports that form, and why the others were not chosen.
///
/// Tables belong to a family of calls and a type of machine:
///
///     template <>
///     struct form_table<runs_family, cpu::host> : forms<...> {};
///
/// A machine is plain data that an executor returns from its member function machine(), such as
/// cpu::host and gpu::device.  It can be made without the executor, so the form that a device takes
/// can be queried on a host without one.  An executor without machine(), or with one for which no
/// table was written, runs the forms of Family::by_steps, which use only the operations of all
/// executors.

#include <ravel/core/structure.hpp>

#include <array>

namespace ravel::inline v0 {

/// A condition of a form: whether it holds, and its text, which completes "needs ...".
struct need {
  bool holds;
  char const* text;
};

/// A list of needs.
template <class... N>
constexpr auto needs(N... n) {
  return std::array<need, sizeof...(N)>{n...};
}

/// Concatenates lists of needs.
template <std::size_t A, std::size_t B>
constexpr auto operator+(std::array<need, A> const& a, std::array<need, B> const& b) {
  std::array<need, A + B> joined{};
  std::size_t i = 0;
  for (need const& n : a) joined[i++] = n;
  for (need const& n : b) joined[i++] = n;
  return joined;
}

/// Not a loop: g++ predicts that a loop returns early, so that it takes a form for unlikely and does not
/// align its loops.
template <std::size_t N>
[[gnu::always_inline]] constexpr bool all_hold(std::array<need, N> const& needs) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) { return (needs[I].holds && ...); }
  (std::make_index_sequence<N>{});
}

/// A value that describes a call: it names its family.
template <class C>
concept described_call = requires {
  typename C::family;
};

/// A table: forms in order of preference.
template <class... F>
struct forms {
  using type = forms;
};

/// A family of calls: its forms for any executor.
template <class... F>
struct call_family {
  using by_steps = forms<F...>;
};
/// One that has forms of devices too, in its cuda.hpp.
template <class... F>
struct call_family_with_devices : call_family<F...> {
  static constexpr bool has_forms_of_devices = true;
};

/// The machine of executors without tables.
struct any_machine {};

namespace detail {

template <class Ex, class R, class C>
constexpr bool is_member_of(R (C::*)() const) {
  return std::same_as<Ex, C>;
}

/// Whether an executor declares machine() itself.  A class derived from an executor may work
/// differently, and inherits no tables.
template <class Ex>
concept declares_machine = requires {
  requires is_member_of<Ex>(&Ex::machine);
};

}  // namespace detail

/// The machine by which forms of calls on `ex` are chosen.
template <class Ex>
[[gnu::always_inline]] inline auto machine_of(Ex const& ex) {
  if constexpr (detail::declares_machine<Ex>) {
    return ex.machine();
  } else {
    return any_machine{};
  }
}
template <class Ex>
using machine_t = std::remove_cvref_t<decltype(machine_of(std::declval<Ex const&>()))>;

/// The table of a family of calls for a type of machine.
template <class Family, class Machine>
struct form_table {
  using type = typename Family::by_steps;
};
template <described_call Call, class Machine>
using form_table_t = typename form_table<typename Call::family, Machine>::type;

/// What a form needs of the types of a call: nothing, if it does not say.
template <class Form, class Call>
inline constexpr auto needs_of_types = needs();
template <class Form, class Call>
requires requires { Form::template types<Call>; }
inline constexpr auto needs_of_types<Form, Call> = Form::template types<Call>;

/// Whether the types of a call meet a form's needs.
template <class Form, class Call>
inline constexpr bool fits = all_hold(needs_of_types<Form, Call>);

/// Whether a form that fits also has needs on values.  `fits` comes first, since `now` may be
/// instantiated only where it holds.
template <class Form, class Call, class Machine>
concept needs_values = fits<Form, Call> && requires(Call const& call, Machine const& m) {
  Form::now(call, m);
};

namespace detail {

/// States to compilers a range that they lose between a form's need and its loop: g++ then unrolls a
/// loop over few elements, and knows that all heads of them are in the first word of bits.
[[gnu::always_inline]] inline void assume(bool holds) {
  if (!holds) __builtin_unreachable();
}

template <class Call, class F, class... Rest>
constexpr auto first_fitting(forms<F, Rest...>) {
  if constexpr (fits<F, Call>) {
    return std::type_identity<F>{};
  } else {
    return first_fitting<Call>(forms<Rest...>{});
  }
}

}  // namespace detail

/// The first form of a list whose needs of types hold.
template <class Forms, class Call>
using first_fitting_t = typename decltype(detail::first_fitting<Call>(Forms{}))::type;

/// Calls f.operator()<Form>() for each form of a table.
template <class... F, class Each>
void for_each_form(forms<F...>, Each const& each) {
  (each.template operator()<F>(), ...);
}

}  // namespace ravel::inline v0
