#pragma once

/// Compiled: what all nested programs of cpu::threads share, which the archive ravel::nested holds.
///
/// Programs that link it compile none of it.

#include <ravel/flatten/archived.hpp>

#ifdef RAVEL_LINKS_NESTED

#  include <ravel/core/cpu/executor.hpp>
#  include <ravel/flatten/each.hpp>
#  include <ravel/flatten/host_values.hpp>
#  include <ravel/flatten/open.hpp>
#  include <ravel/flatten/sequences.hpp>

// The types of elements for which the archive holds copies of elements and of scalars.
#  define RAVEL_NESTED_TYPES(each) \
    each(bool) each(char) each(int) each(unsigned) each(index_t) each(float) each(double)

// How a program sees the two parts of the archive; each part's source defines its own as `template`.
#  ifndef RAVEL_NESTED_CONTEXTS
#    define RAVEL_NESTED_CONTEXTS extern template
#  endif
#  ifndef RAVEL_NESTED_STEPS
#    define RAVEL_NESTED_STEPS extern template
#  endif

namespace ravel::inline v0::flattening {

// What is done once for a step, or for a context.
RAVEL_NESTED_CONTEXTS struct route<cpu::threads>;
RAVEL_NESTED_STEPS struct machine<cpu::threads>;
RAVEL_NESTED_CONTEXTS class moved_values<cpu::threads>;
RAVEL_NESTED_CONTEXTS struct context<cpu::threads>;
RAVEL_NESTED_STEPS class inside<cpu::threads>;
RAVEL_NESTED_CONTEXTS struct descriptor<cpu::threads>;
RAVEL_NESTED_CONTEXTS way<cpu::threads> way_of(held<index_t const> const&);
RAVEL_NESTED_CONTEXTS std::shared_ptr<machine<cpu::threads> const> machine_on(cpu::threads const&);
RAVEL_NESTED_CONTEXTS context_ptr<cpu::threads> root_on(cpu::threads const&);
RAVEL_NESTED_CONTEXTS context_ptr<cpu::threads> opened_in(context_ptr<cpu::threads> const&, index_t,
                                                          starts_held, bool);
RAVEL_NESTED_CONTEXTS context_ptr<cpu::threads> restricted_to(context_ptr<cpu::threads> const&,
                                                              indices_held);
RAVEL_NESTED_CONTEXTS void keep_opened(context_ptr<cpu::threads> const&,
                                       context_ptr<cpu::threads> const&);
RAVEL_NESTED_CONTEXTS context_ptr<cpu::threads> const& above(context_ptr<cpu::threads> const&, int);
RAVEL_NESTED_CONTEXTS context_ptr<cpu::threads> const& covered_above(
    context_ptr<cpu::threads> const&, int);
RAVEL_NESTED_CONTEXTS descriptor_ptr<cpu::threads> moved(cpu::threads const&,
                                                         descriptor_ptr<cpu::threads> const&,
                                                         way<cpu::threads> const&);
RAVEL_NESTED_CONTEXTS descriptor_ptr<cpu::threads> dense_rows(index_t, index_t,
                                                              indices_held const&);
RAVEL_NESTED_CONTEXTS descriptor_ptr<cpu::threads> uniform_rows(index_t, index_t);
RAVEL_NESTED_CONTEXTS descriptor_ptr<cpu::threads> rows_by(index_t, index_t, starts_held const&);
RAVEL_NESTED_CONTEXTS index_t left_by_other_branches(descriptor<cpu::threads> const&);
RAVEL_NESTED_CONTEXTS index_t known_total(descriptor<cpu::threads> const&);
RAVEL_NESTED_CONTEXTS index_t measure_all(machine<cpu::threads> const&,
                                          std::vector<descriptor<cpu::threads> const*> const&);
RAVEL_NESTED_CONTEXTS void measure(machine<cpu::threads> const&, descriptor<cpu::threads> const&);
RAVEL_NESTED_CONTEXTS std::string text_of_length(machine<cpu::threads> const&,
                                                 descriptor<cpu::threads> const&);
RAVEL_NESTED_CONTEXTS context_ptr<cpu::threads> open(descriptor_ptr<cpu::threads> const&,
                                                     context_ptr<cpu::threads> const&);
RAVEL_NESTED_CONTEXTS indices_held offsets_in_memory(cpu::threads const&, starts_held const&,
                                                     index_t);
RAVEL_NESTED_CONTEXTS way<cpu::threads> const& way_to_elements(machine<cpu::threads> const&,
                                                               descriptor<cpu::threads> const&);
RAVEL_NESTED_CONTEXTS owners owners_of(descriptor_ptr<cpu::threads> const&);
RAVEL_NESTED_CONTEXTS void expect_same_shape(machine<cpu::threads> const&, fault_of,
                                             descriptor_ptr<cpu::threads> const&,
                                             descriptor_ptr<cpu::threads> const&);
RAVEL_NESTED_CONTEXTS std::shared_ptr<void const> owner_of(counted_memory<cpu::memory_pool::block>);

RAVEL_NESTED_CONTEXTS descriptor_ptr<cpu::threads> sent_rows(cpu::threads const&, index_t,
                                                             index_t const*);
RAVEL_NESTED_CONTEXTS std::vector<index_t> offsets_on_host(context<cpu::threads> const&);
RAVEL_NESTED_CONTEXTS void expect_one(char const*, context_ptr<cpu::threads> const&);
RAVEL_NESTED_CONTEXTS context_ptr<cpu::threads> ambient_of(context_ptr<cpu::threads> const&);
RAVEL_NESTED_CONTEXTS int level_in(context_ptr<cpu::threads> const&,
                                   context_ptr<cpu::threads> const&);
RAVEL_NESTED_CONTEXTS context_ptr<cpu::threads> const& resolved(context_ptr<cpu::threads> const&,
                                                                int);

RAVEL_NESTED_CONTEXTS void each_part(cpu::threads const&, index_t, call_of_part);

// Loops over instances.
RAVEL_NESTED_STEPS index_t first_where(machine<cpu::threads> const&, index_t, lengths_differ);
RAVEL_NESTED_CONTEXTS index_t first_where(machine<cpu::threads> const&, index_t, has_none);
RAVEL_NESTED_STEPS held<index_t> offsets_of_lengths(cpu::threads const&, index_t, length_of,
                                                    store_all_before const&,
                                                    machine<cpu::threads> const*);
RAVEL_NESTED_STEPS void visit_indices(cpu::threads const&, index_t, evaluate<offset_at, index_t>);
RAVEL_NESTED_STEPS void visit_indices(
    cpu::threads const&, index_t,
    evaluate<application<std::index_sequence<0>, through, place>, index_t>);
RAVEL_NESTED_STEPS held<index_t> sequence_of_each(cpu::threads const&, starts_held const&, index_t,
                                                  index_t);
RAVEL_NESTED_STEPS void visit_elements(machine<cpu::threads> const&,
                                       descriptor<cpu::threads> const&, write_element_place);
RAVEL_NESTED_CONTEXTS descriptor_ptr<cpu::threads> sliced_rows<fault_of::slice>(
    context_ptr<cpu::threads> const&, descriptor<cpu::threads> const&, constant<index_t> const&,
    constant<index_t> const&);

// Of each type; steps are loops over elements.
#  define RAVEL_NESTED_STEPS_OF(T)                                                                 \
    RAVEL_NESTED_CONTEXTS held<T> hold<T>(cpu::threads const&, index_t);                           \
    RAVEL_NESTED_CONTEXTS held<T const> sent<T>(cpu::threads const&, T const*, index_t);           \
    RAVEL_NESTED_CONTEXTS auto imported(cpu::threads const&, std::vector<T> const* const*,         \
                                        index_t);                                                  \
    RAVEL_NESTED_CONTEXTS auto exported(context_ptr<cpu::threads> const&, cells<leaf<T>> const&);  \
    RAVEL_NESTED_CONTEXTS auto exported(context_ptr<cpu::threads> const&,                          \
                                        ragged<cpu::threads, cells<leaf<T>>> const&);              \
    RAVEL_NESTED_CONTEXTS cells<leaf<T>> elements_of(context_ptr<cpu::threads> const&,             \
                                                     ragged<cpu::threads, cells<leaf<T>>> const&); \
    RAVEL_NESTED_CONTEXTS cells<leaf<T>> storage_in(context_ptr<cpu::threads> const&,              \
                                                    lifted<cpu::threads, cells<leaf<T>>> const&);  \
    RAVEL_NESTED_CONTEXTS ragged<cpu::threads, cells<leaf<T>>> storage_in(                         \
        context_ptr<cpu::threads> const&,                                                          \
        lifted<cpu::threads, ragged<cpu::threads, cells<leaf<T>>>> const&);                        \
    RAVEL_NESTED_STEPS void visit_elements(                                                        \
        machine<cpu::threads> const&, descriptor<cpu::threads> const&, copy_element<leaf<T>, T>);  \
    RAVEL_NESTED_STEPS void visit_indices(cpu::threads const&, index_t, evaluate<leaf<T>, T>);
RAVEL_NESTED_TYPES(RAVEL_NESTED_STEPS_OF)
#  undef RAVEL_NESTED_STEPS_OF

}  // namespace ravel::inline v0::flattening

#  undef RAVEL_NESTED_TYPES
#  undef RAVEL_NESTED_CONTEXTS
#  undef RAVEL_NESTED_STEPS

#endif
