#pragma once

/// Running a call by the first form of its table whose needs all hold (core/table.hpp).

#include <ravel/core/table.hpp>

#include <concepts>

namespace ravel::inline v0 {
namespace detail {

template <class Call, class Ex>
[[gnu::always_inline]] inline void run_first(forms<>, Ex const&, Call const&) {
  static_assert(!std::same_as<Call, Call>, "run_call: no form of the table fits this call");
}
/// run() is instantiated neither for a form that does not fit, nor for a form after one that fits
/// and has no needs on values.
template <class Call, class Ex, class F, class... Rest>
[[gnu::always_inline]] inline void run_first(forms<F, Rest...>, Ex const& ex, Call const& call) {
  if constexpr (!fits<F, Call>) {
    run_first(forms<Rest...>{}, ex, call);
  } else if constexpr (needs_values<F, Call, machine_t<Ex>>) {
    if (all_hold(F::now(call, machine_of(ex)))) {
      F::run(ex, call);
    } else {
      run_first(forms<Rest...>{}, ex, call);
    }
  } else {
    F::run(ex, call);
  }
}

}  // namespace detail

/// Runs a call by the first form of its table whose needs hold.  The table is a template argument,
/// so that specialising it after its first use is an error instead of being ignored.
template <class Ex, described_call Call, class Table = form_table_t<Call, machine_t<Ex>>>
[[gnu::always_inline]] inline void run_call(Ex const& ex, Call const& call) {
  detail::run_first(Table{}, ex, call);
}

/// Runs a call by a form that the caller names, after the caller has checked its needs on values.
template <class Form, class Ex, described_call Call>
void run_call_by(Ex const& ex, Call const& call) {
  static_assert(fits<Form, Call>,
                "run_call_by: the form that was named does not fit the types of this call");
  Form::run(ex, call);
}

/// Runs a call by a form that some compilers cannot read, such as one of kernels: an overload of
/// launch_form for the form and the executor, beside them.  Where there is none, as with the compiler of
/// the host, the call runs by steps.
///
///     struct some_form : launched_form<some_form> {...};       in a header of the table
///     template <class Call>
///     void launch_form(some_form, gpu::executor const&, Call const&);     in a header of kernels
template <class Form, class Ex, class Call>
void launch_form(Form, Ex const& ex, Call const& call) {
  run_call_by<first_fitting_t<typename Call::family::by_steps, Call>>(ex, call);
}
template <class Form>
struct launched_form {
  static void run(auto const& ex, auto const& call) { launch_form(Form{}, ex, call); }
};

}  // namespace ravel::inline v0
