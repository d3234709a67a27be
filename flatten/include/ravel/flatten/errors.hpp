#pragma once

/// The exceptions of nested programs, and how an instance that fails in a kernel reports it.

#include <ravel/core/atomic.hpp>
#include <ravel/flatten/archived.hpp>

#include <initializer_list>

namespace ravel::inline v0 {

/// Sequences that must have one length differ, or lengths do not add up.
struct shape_error : call_error {
  using call_error::call_error;
};

/// An index is out of the range of its sequence.
struct index_error : call_error {
  using call_error::call_error;
};

/// An operation has no result for its operand: the minimum of no elements, x / 0.
struct domain_error : call_error {
  using call_error::call_error;
};

/// A value was used where its instances do not exist: after the lambda that it
/// was a parameter of had returned.  Or calls of `rec` are nested more deeply than its limit.
struct context_error : call_error {
  using call_error::call_error;
};

namespace flattening {

using ravel::detail::sentence;

/// The operations that may fail in a kernel.
enum class fault_of {
  at,
  slice,
  take,
  drop,
  write,
  permute,
  division,
  min_index,
  max_index,
  range,
  iota,
  dist,
  split,
  unflatten,
  from_lengths,
  // operands whose sequences differ in length
  lengths_of_each,
  lengths_of_pack,
  lengths_of_reduce_by_index,
  lengths_of_permute,
  lengths_of_write
};

/// The operation that makes consecutive numbers, as errors name it.
constexpr char const* name_of_numbers(fault_of f) {
  return f == fault_of::iota ? "iota" : f == fault_of::dist ? "dist" : "range";
}

/// The least failure in kernels so far, as the host reads it.
///
/// `key` orders failures by the operation's position in the program, then by
/// instance.  `index` and `length` are the operands of that instance.
struct fault_record {
  static constexpr index_t none = std::numeric_limits<index_t>::max();
  static constexpr int instance_bits = 40;
  static constexpr int operation_bits = 5;
  static constexpr index_t sequence_limit = index_t{1} << (62 - instance_bits - operation_bits);

  index_t key = none;
  index_t index = 0;
  index_t length = 0;
  std::uint32_t busy = 0;  // a lock, held while the least failure so far writes its operands

  // Other numbers for the host, read in the same wait.
  static constexpr int room = 8;
  index_t numbers[room] = {};
  index_t read = 0;  // the number of the wait, which a device writes last

  index_t failing_instance() const { return key & ((index_t{1} << instance_bits) - 1); }
  fault_of operation() const {
    return static_cast<fault_of>(key >> instance_bits & ((1 << operation_bits) - 1));
  }
};

/// A failure that is not a fault yet, as the value of its instance has not been used.
struct failure {
  index_t key = fault_record::none;
  index_t index = 0;
  index_t length = 0;
};

/// How an operation in a kernel reports an instance that fails.
struct fault {
  fault_record* record;
  index_t order;  // of the key, without the instance

  RAVEL_HD index_t key_of(index_t instance) const { return order | instance; }
  RAVEL_HD void operator()(index_t instance, index_t index, index_t length) const {
    index_t const key = key_of(instance);
    if (key >= keep_least(&record->key, key)) return;
    in_turn(&record->busy, [&] {
      if (keep_least(&record->key, key) < key) return;  // a lesser failure has written, or will
      record->index = index;
      record->length = length;
    });
  }
};

/// Throws an E with the sentence that `words` make.
template <class E>
[[noreturn, gnu::cold, gnu::noinline]] void throw_sentence(
    std::initializer_list<ravel::detail::streamed> words) {
  throw E(ravel::detail::sentence_of(words));
}

/// Throws that the sequences of an instance have so many elements.
[[noreturn, gnu::cold]] void throw_lengths_differ(fault_of call, index_t instance, index_t a,
                                                  index_t b);
/// Throws the exception for a record.
[[noreturn, gnu::cold]] void throw_fault(fault_record const& record);
#ifdef RAVEL_DEFINES_NESTED
RAVEL_NESTED void throw_lengths_differ(fault_of call, index_t instance, index_t a, index_t b) {
  constexpr char const* names[] = {"each", "pack", "reduce_by_index", "permute", "write"};
  auto const name = names[static_cast<int>(call) - static_cast<int>(fault_of::lengths_of_each)];
  throw_sentence<shape_error>(
      {name, ": the sequences differ in length at instance ", instance, ": ", a, " and ", b});
}
RAVEL_NESTED void throw_fault(fault_record const& record) {
  index_t const instance = record.failing_instance();
  switch (record.operation()) {
    case fault_of::at:
      throw_sentence<index_error>({"at: index ", record.index, " is not in [0, ", record.length,
                                   "), at instance ", instance});
    case fault_of::slice:
      throw_sentence<index_error>({"slice: [", record.index, ", ", record.length,
                                   ") is not inside the sequence, at instance ", instance});
    case fault_of::take:
      throw_sentence<index_error>({"take: of ", record.length, " elements the first ", record.index,
                                   " are wanted, at instance ", instance});
    case fault_of::drop:
      throw_sentence<index_error>({"drop: of ", record.length, " elements all but the first ",
                                   record.index, " are wanted, at instance ", instance});
    case fault_of::write:
      throw_sentence<index_error>({"write: index ", record.index, " is not in [0, ", record.length,
                                   "), at instance ", instance});
    case fault_of::permute:
      if (record.length > 0)
        throw_sentence<domain_error>({"permute: index ", record.index, " is not in [0, ",
                                      record.length, "), at instance ", instance});
      throw_sentence<domain_error>({"permute: no index is ", record.index,
                                    ", so they are no permutation, at instance ", instance});
    case fault_of::division:
      throw_sentence<domain_error>({"division by zero, at instance ", instance});
    case fault_of::min_index:
      throw_sentence<domain_error>({"min_index: the sequence is empty, at instance ", instance});
    case fault_of::max_index:
      throw_sentence<domain_error>({"max_index: the sequence is empty, at instance ", instance});
    case fault_of::iota:
    case fault_of::dist:
    case fault_of::range:
      if (record.index != 0) {
        throw_sentence<domain_error>({name_of_numbers(record.operation()),
                                      ": it has more than 2^63 - 1 elements, at instance ",
                                      instance});
      }
      throw_sentence<domain_error>({"range: the step is 0, at instance ", instance});
    case fault_of::split:
      throw_sentence<domain_error>({"split: the digit ", record.index, " is not in [0, ",
                                    record.length, "), at instance ", instance});
    case fault_of::unflatten:
      throw_sentence<shape_error>({"unflatten: length ", instance, " is ", record.index});
    case fault_of::from_lengths:
      throw_sentence<shape_error>({"from_lengths: length ", instance, " is ", record.index});
    case fault_of::lengths_of_each:
    case fault_of::lengths_of_pack:
    case fault_of::lengths_of_reduce_by_index:
    case fault_of::lengths_of_permute:
    case fault_of::lengths_of_write:
      throw_lengths_differ(record.operation(), instance, record.index, record.length);
  }
  throw call_error("a failure of an unknown operation");
}
#endif

}  // namespace flattening
}  // namespace ravel::inline v0
