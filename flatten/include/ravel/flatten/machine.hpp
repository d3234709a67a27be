#pragma once

/// @file
/// What all contexts of a program share: its executor, and what has failed.

#include <ravel/core/concepts.hpp>
#include <ravel/core/monoid.hpp>
#include <ravel/flatten/errors.hpp>
#include <ravel/flatten/held.hpp>
#include <ravel/flatten/stats.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/reduce.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <memory>
#include <utility>

namespace ravel::inline v0::flattening {

/// The failures of one thread's programs on one kind of executor.
template <class Ex>
struct faults {
  held<fault_record> record;
  index_t written = 0;  // operations that may fail, since the record was last read

  explicit faults(Ex const& ex) : record(hold<fault_record>(ex, 1)) { clear(ex); }

  void clear(Ex const& ex) {
    fault_record const none;
    ex.copy(&none, record.data, 1);
    ex.wait();
    written = 0;
  }
};

struct tell_host {
  index_t const* from;
  fault_record* to;
  RAVEL_HD void operator()(index_t i) const { to->told[i] = from[i]; }
};

/// What all contexts of a program share.
template <class Ex>
struct machine {
  Ex ex;
  std::shared_ptr<faults<Ex>> failures;

  /// How the next operation that may fail tells of it.
  fault next_fault(fault_of what) const {
    index_t const order = std::min(failures->written++, fault_record::sequence_limit - 1);
    return {failures->record.data,
            (order << fault_record::operation_bits | static_cast<index_t>(what))
                << fault_record::instance_bits};
  }

  /// Waits, and throws if an instance has failed.
  void sync() const { told(); }

  /// Elements [0, N) of `from`, on the host.  Waits, and throws if an instance has
  /// failed.
  template <std::size_t N>
  std::array<index_t, N> read(index_t const* from) const {
    std::array<index_t, N> values;
    if constexpr (std::same_as<space_of_t<Ex>, host_space> || N > fault_record::room) {
      ex.copy(from, values.data(), N);
      sync();
    } else {
      for_each_index(ex, N, tell_host{from, failures->record.data});
      auto const seen = told();
      std::copy_n(seen.told, N, values.begin());
    }
    return values;
  }
  index_t read(index_t const* from, index_t i) const { return read<1>(from + i)[0]; }

 private:
  fault_record told() const {
    fault_record seen;
    ex.copy(failures->record.data, &seen, 1);
    ex.wait();
    if (seen.key != fault_record::none) {
      failures->clear(ex);
      throw_fault(seen);
    }
    return seen;
  }
};

/// Programs of one thread share their failures, so that whoever waits first is told.
template <class Ex>
std::shared_ptr<machine<Ex> const> machine_on(Ex const& ex) {
  thread_local std::weak_ptr<faults<Ex>> of_this_thread;
  auto failures = of_this_thread.lock();
  if (!failures) of_this_thread = failures = std::make_shared<faults<Ex>>(ex);
  return std::make_shared<machine<Ex> const>(machine<Ex>{ex, std::move(failures)});
}

/// The least instance for which bad(i) is not 0, or n.
template <class B>
struct first_bad {
  B bad;
  index_t n;
  RAVEL_HD index_t operator()(index_t i) const { return bad(i) ? i : n; }
};
struct no_instance {
  index_t n;
  RAVEL_HD index_t operator()() const { return n; }
};
struct store_index {
  index_t* to;
  RAVEL_HD void operator()(index_t x) const { *to = x; }
};
template <class Ex, class B>
index_t first_where(machine<Ex> const& on, index_t n, B bad) {
  if (n == 0) return 0;
  auto const found = hold<index_t>(on.ex, 1);
  count_step("check", n, text_of_type<B>());
  reduce_on(on.ex, n, first_bad<B>{bad, n}, minimum<index_t>{}, no_instance{n},
            store_index{found.data});
  return on.read(found.data, 0);
}

}  // namespace ravel::inline v0::flattening
