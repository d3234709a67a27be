#pragma once

/// State shared by all contexts of a program: its executor, and its failures.

#include <ravel/core/launches.hpp>
#include <ravel/core/std_memory.hpp>
#include <ravel/flatten/deferred.hpp>
#include <ravel/flatten/errors.hpp>
#include <ravel/flatten/held.hpp>
#include <ravel/flatten/stats.hpp>
#include <ravel/primitives/find_first.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/options.hpp>

#include <array>
#include <atomic>
#include <optional>
#include <span>

namespace ravel::inline v0::flattening {

/// Whether kernels of an executor can write to host memory.
template <class Ex>
concept writes_to_host = requires(Ex const& ex) {
  ex.template allocate_pinned<fault_record>(1);
};

/// Whether a word becomes wanted while the host polls it, before it had better wait.
template <class T, class Wanted>
bool appears(T* word, Wanted const& is_wanted) {
  // 20 to 100 us.  A wait for the stream takes 1.4 us longer than a poll (H200).
  for (int left = 1 << 16; left > 0; --left) {
    if (is_wanted(std::atomic_ref<T>(*word).load(std::memory_order_acquire))) return true;
  }
  return false;
}

/// Stores a total, and publishes it to the host with the number of its promise, in one word of pinned memory, unless
/// an instance has failed or the total has more than 32 bits.
struct publish_total {
  index_t* to;
  fault_record const* record = nullptr;
  std::uint64_t* host = nullptr;  // null: publishes nothing
  std::uint32_t promise = 0;
  RAVEL_HD void operator()(index_t total) const {
    *to = total;
    if (host == nullptr || record->key != fault_record::none || total >> 32 != 0) return;
    *static_cast<std::uint64_t volatile*>(host) =
        std::uint64_t{promise} << 32 | static_cast<std::uint64_t>(total);
  }
};
/// The last total that a kernel was to publish.
struct promised_total {
  index_t const* to = nullptr;
  index_t launches = 0;  // of the thread, the kernel's included
  std::uint32_t number = 0;
};

using store_index = ravel::detail::store_total<index_t>;

/// The failures of one thread's programs on one executor type.
template <class Ex>
struct faults {
  held<fault_record> record;
  std::shared_ptr<fault_record> seen_by_host;  // where the host reads it: pinned, or its own memory
  index_t written = 0;                         // fallible operations since the record was last read
  index_t reads = 0;                           // by the host
  std::shared_ptr<std::uint64_t> published = {};  // to the host, in pinned memory
  promised_total promised = {};

  explicit faults(Ex const& ex) : record(hold<fault_record>(ex, 1)) {
    if constexpr (writes_to_host<Ex>) {
      struct seen {
        fault_record record;
        std::uint64_t published = 0;
      };
      using memory = decltype(ex.template allocate_pinned<seen>(1));
      auto const pinned = std::make_shared<memory const>(ex.template allocate_pinned<seen>(1));
      *pinned->data() = {};
      seen_by_host = {pinned, &pinned->data()->record};
      published = {pinned, &pinned->data()->published};
    } else {
      seen_by_host = std::make_shared<fault_record>();
    }
    clear(ex);
  }

  void clear(Ex const& ex) {
    fault_record const none;
    ex.copy(&none, record.data, 1);
    ex.wait();
    written = 0;
  }
};

/// Writes a record for the host, with numbers from device memory: one thread, and the number of the read last.
struct write_record {
  index_t const* from[fault_record::room];
  fault_record const* record;
  fault_record* to;
  index_t read;
  RAVEL_HD void operator()(index_t) const {
    index_t numbers[fault_record::room] = {};
    for (int k = 0; k < fault_record::room; ++k) {
      if (from[k]) numbers[k] = *from[k];
    }
    for (int k = 0; k < fault_record::room; ++k) {
      if (from[k]) to->numbers[k] = numbers[k];
    }
    if (to == record) return;
    to->key = record->key;
    to->index = record->index;
    to->length = record->length;
    store_for_host(&to->read, read);
  }
};

/// State shared by all contexts of a program.
template <class Ex>
struct machine {
  Ex ex;
  std::shared_ptr<faults<Ex>> failures;

  /// The fault of the next operation that may fail.
  fault next_fault(fault_of what) const;

  /// Waits, and throws if an instance has failed.
  void sync() const;

  /// Reads numbers at some addresses to the host.  Waits, unless there are none, and throws
  /// if an instance has failed.
  void read_all(std::span<index_t const* const> places, index_t* out) const;
  template <std::size_t N>
  std::array<index_t, N> read_all(std::array<index_t const*, N> const& places) const {
    std::array<index_t, N> values;
    read_all(places, values.data());
    return values;
  }
  /// Elements [0, N) of `data`.
  template <std::size_t N>
  std::array<index_t, N> read(index_t const* data) const {
    std::array<index_t const*, N> places;
    for (std::size_t k = 0; k < N; ++k) places[k] = data + k;
    return read_all(places);
  }
  index_t read(index_t const* data, index_t i) const;

  /// The receiver of a total that the next launch stores, of n elements that may fail only before it does.  On a
  /// device, few elements are of one block, which also publishes it, for a read that follows.
  publish_total total_to(index_t* to, index_t n) const requires writes_to_host<Ex>;

 private:
  static constexpr auto room = static_cast<std::size_t>(fault_record::room);

  void expect_none(fault_record const& seen) const;
  fault_record const& fetch_record(std::span<index_t const* const> places) const;
  std::optional<index_t> published(index_t const* place) const;
};

template <class Ex>
fault machine<Ex>::next_fault(fault_of what) const {
  index_t const order = std::min(failures->written++, fault_record::sequence_limit - 1);
  return {failures->record.data,
          (order << fault_record::operation_bits | static_cast<index_t>(what))
              << fault_record::instance_bits};
}
template <class Ex>
void machine<Ex>::sync() const {
  run_deferred_steps();
  if constexpr (std::same_as<space_of_t<Ex>, host_space>) {
    ++counted_steps.waits;
    ex.wait();
    expect_none(*failures->record.data);
  } else {
    fetch_record({});
  }
}
template <class Ex>
void machine<Ex>::read_all(std::span<index_t const* const> places, index_t* out) const {
  if (places.empty()) return;
  run_deferred_steps();
  if constexpr (std::same_as<space_of_t<Ex>, host_space>) {
    sync();
    for (auto const* place : places) *out++ = *place;
  } else {
    if constexpr (writes_to_host<Ex>) {
      if (auto const total = places.size() == 1 ? published(places[0]) : std::nullopt) {
        *out = *total;
        return;
      }
    }
    for (; !places.empty(); places = places.subspan(std::min(places.size(), room))) {
      auto const chunk = places.first(std::min(places.size(), room));
      fault_record const& seen = fetch_record(chunk);
      out = std::copy_n(seen.numbers, chunk.size(), out);
    }
  }
}
template <class Ex>
index_t machine<Ex>::read(index_t const* data, index_t i) const {
  return read<1>(data + i).front();
}
template <class Ex>
void machine<Ex>::expect_none(fault_record const& seen) const {
  if (seen.key == fault_record::none) return;
  fault_record const failed = seen;
  failures->clear(ex);
  throw_fault(failed);
}
template <class Ex>
fault_record const& machine<Ex>::fetch_record(std::span<index_t const* const> places) const {
  ++counted_steps.waits;
  fault_record* const record = failures->record.data;
  fault_record* const host_copy = failures->seen_by_host.get();
  write_record write{{}, record, writes_to_host<Ex> ? host_copy : record, ++failures->reads};
  std::copy(places.begin(), places.end(), write.from);
  for_each_index(ex, 1, write);
  if constexpr (writes_to_host<Ex>) {
    bool const is_polled = !places.empty();
    if (!(is_polled && appears(&host_copy->read, [&](index_t read) { return read == write.read; })))
      ex.wait();
  } else {
    ex.copy(record, host_copy, 1);
    ex.wait();
  }
  expect_none(*host_copy);
  return *host_copy;
}

template <class Ex>
publish_total machine<Ex>::total_to(index_t* to, index_t n) const requires writes_to_host<Ex> {
  constexpr index_t of_one_block = 1024;
  if (n > of_one_block) return {to};
  failures->promised = {to, kernels_launched() + 1, failures->promised.number + 1};
  return {to, failures->record.data, failures->published.get(), failures->promised.number};
}
/// A number that the last launch published, if it did.
template <class Ex>
std::optional<index_t> machine<Ex>::published(index_t const* place) const {
  auto& promised = failures->promised;
  if (promised.to != place || promised.launches != kernels_launched()) return {};
  promised.to = nullptr;  // the memory may become another value's
  std::uint64_t word = 0;
  auto const is_promised = [&](std::uint64_t seen) {
    word = seen;
    return seen >> 32 == promised.number;
  };
  if (!appears(failures->published.get(), is_promised)) return {};
  ++counted_steps.waits;
  return static_cast<index_t>(word & 0xffffffff);
}

/// Programs of one thread share their failures, so that the first wait reports them.
template <class Ex>
std::shared_ptr<machine<Ex> const> machine_on(Ex const& ex) {
  thread_local std::weak_ptr<faults<Ex>> of_this_thread;
  auto failures = of_this_thread.lock();
  if (!failures) of_this_thread = failures = std::make_shared<faults<Ex>>(ex);
  return std::make_shared<machine<Ex> const>(machine<Ex>{ex, std::move(failures)});
}

/// Writes the first of n instances for which bad(i) returns true, or n.
template <class Ex, class B>
void find_first(machine<Ex> const& on, index_t n, B bad, index_t* found) {
  count_step("check", n, text_of_type<B>());
  find_first_on(on.ex, n, bad, store_index{found});
}
/// The same, and waits for it.
template <class Ex, class B>
index_t first_where(machine<Ex> const& on, index_t n, B bad) {
  if (n == 0) return 0;
  auto const found = hold<index_t>(on.ex, 1);
  find_first(on, n, bad, found.data);
  return on.read(found.data, 0);
}

}  // namespace ravel::inline v0::flattening
