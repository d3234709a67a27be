#pragma once

/// Explain: the form that runs a call, and why the forms before it in the table do not.
///
/// It evaluates the needs of the same table as run_call does.  It is for people and for tests:
/// names of forms may change with any release.  Code that runs calls does not include it.

#include <ravel/core/range_copy.hpp>
#include <ravel/core/readable.hpp>
#include <ravel/core/table.hpp>

#include <string>
#include <vector>

namespace ravel::inline v0 {

namespace gpu {
struct device;
}

/// A form that was considered, and its needs.
struct considered_form {
  char const* name;
  std::vector<need> needs;
  bool chosen;
};

/// The form that runs a call.
struct explanation {
  char const* form = "none";
  char const* why = "";
  std::vector<considered_form> considered;  ///< in the order of the table, the chosen form last
  std::vector<explanation> inner;           ///< how the chosen form passes the call on

  /// The form, its reason, and, for each form before it, the needs that the call does not meet:
  ///
  ///     streamed: One pass at the speed of a copy. ...
  ///       not few: needs fewer than 64 elements;
  std::string text(std::string const& indent = "") const {
    std::string out = indent + form + ": " + why + '\n';
    for (auto const& c : considered) {
      if (c.chosen) continue;
      out += indent + "  not " + c.name + ':';
      for (auto const& n : c.needs) {
        if (!n.holds) out += std::string(" needs ") + n.text + ';';
      }
      out.back() = '\n';
    }
    for (auto const& e : inner) out += e.text(indent + "  ");
    return out;
  }
};

template <class Machine, described_call Call>
explanation explain_on(Machine const& machine, Call const& call);

namespace detail {

/// A form that passes a call on to another table defines passes_on(call, machine, f), which calls
/// f(machine, call) with the machine and the call that it passes on.
template <class F, class Call, class Machine>
bool consider(explanation& e, Call const& call, Machine const& machine) {
  constexpr auto of_types = needs_of_types<F, Call>;
  considered_form c{F::name, {of_types.begin(), of_types.end()}, all_hold(of_types)};
  if constexpr (needs_values<F, Call, Machine>) {
    auto const of_values = F::now(call, machine);
    c.needs.insert(c.needs.end(), of_values.begin(), of_values.end());
    c.chosen = all_hold(of_values);
  }
  if (c.chosen) {
    e.form = F::name;
    e.why = F::why;
    auto const passed_on = [&](auto const& m, auto const& passed) {
      e.inner.push_back(explain_on(m, passed));
    };
    if constexpr (requires { F::passes_on(call, machine, passed_on); }) {
      F::passes_on(call, machine, passed_on);
    }
  }
  e.considered.push_back(c);
  return c.chosen;
}

}  // namespace detail

/// What run_call would do on such a machine, which need not exist.
///
///     explain_on(gpu::device{.capability = 80}, describe_run_lengths(keys, values, lengths)).text()
template <class Machine, described_call Call>
explanation explain_on(Machine const& machine, Call const& call) {
  using family = typename Call::family;
  if constexpr (requires { family::has_forms_of_devices; } && std::same_as<Machine, gpu::device>) {
    static_assert(!std::same_as<form_table_t<Call, Machine>, typename family::by_steps>,
                  "explain_on: the forms of a device are in a header cuda.hpp beside the call's, "
                  "which docs/forms.md names");
  }
  explanation e;
  [&]<class... F>(forms<F...>) {
    (void)(detail::consider<F>(e, call, machine) || ...);
  }(form_table_t<Call, Machine>{});
  return e;
}

/// What run_call(ex, call) would do.
template <class Ex, described_call Call>
explanation explain(Ex const& ex, Call const& call) {
  return explain_on(machine_of(ex), call);
}

/// How calls on `ex` read a range:
///
///     explain(ex, std::list{3, 1}).form       "copied_in_order"
///
///     in_memory         where it is: a sequence
///     by_index          where it is, by calls that take sources; others copy it first, by all threads
///     copied_in_order   a copy, by the calling thread: the range has no random access
///
/// `from`, of nested programs, copies the first two by all threads, and the others in order.
template <executor Ex, class R>
requires(!described_call<R> && range_on<R const&, Ex>) explanation explain(Ex const&, R const&) {
  if constexpr (sequence<R const&>) {
    return {"in_memory", "A sequence, read where it is.", {}, {}};
  } else if constexpr (detail::copied_by_index<Ex, R const&>) {
    return {"by_index",
            "A range with random access, read where it is by calls that take sources, and copied "
            "by all "
            "threads before others.",
            {},
            {}};
  } else {
    return {"copied_in_order",
            "A range without random access, copied once, by one thread, before the call.",
            {},
            {}};
  }
}

}  // namespace ravel::inline v0
