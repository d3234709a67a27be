#pragma once

/// Records a run of device code: each value knows which operation made it, so that every place where
/// it appears, in a register or in memory, shows how it came there.

#include "picture.hpp"

#include <ravel/software_device/observer.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ravel::trace {

/// A number, and the operation or the input that made it; 0 is an identity.  The mark distinguishes
/// it from other contents of memory.
struct value {
  static constexpr std::uint32_t mark = 0xa5000000, mask = 0xff000000;
  std::int32_t number;
  std::uint32_t marked;

  static value made(std::int32_t number, std::uint32_t id) { return {number, id | mark}; }
  bool is_marked() const { return (marked & mask) == mark; }
  std::uint32_t id() const { return marked & ~mask; }
  friend bool operator==(value a, value b) { return a.number == b.number; }
};

using operation = std::int32_t (*)(std::int32_t, std::int32_t);

class recorder : public software::observer {
 public:
  /// An array whose elements begin with a value.
  struct array {
    std::string name;
    char const* first;
    std::size_t bytes, element;  // of each element
    unsigned block = 0;          // of shared memory
    bool is_shared = false;
    bool is_found = false;  // by an access: drawn where its values belong, not by index
    std::size_t count() const { return bytes / element; }
  };

  /// Global memory; and the bytes of an element of shared memory.
  void know(array const& a) { arrays_.push_back(a); }
  void ignore(void const* first, std::size_t bytes) {
    arrays_.push_back({"", static_cast<char const*>(first), bytes, 1});
  }
  /// What threads did while nothing was observed.
  void forget_threads() { state_.clear(); }
  void know_elements(std::size_t bytes) { element_ = bytes; }

  std::uint32_t leaf(std::int32_t number);
  /// A number that a thread computes of up to two values, otherwise than by the operator.
  value compute(std::int32_t number, value of = value::made(0, 0),
                value and_of = value::made(0, 0));
  /// Where segments begin in the rows of that name.
  void know_heads(std::string const& name, std::vector<int> const& heads) { heads_[name] = heads; }
  value combine(value a, value b, operation);

  /// Ends the recording.  Titles are the caller's.  `tile` elements are those of a block.
  picture finish(std::size_t tile) &&;
  /// Blocks take tiles in an order of their own: shared memory is drawn where its values belong.
  void draw_shared_by_value() { shared_by_value_ = true; }

  void begins(software::shape const&) override;
  void block_ends() override;
  void synchronised() override;
  void exchanged(char const*, unsigned, std::uint64_t const*) override;
  void accessed(software::access const&) override;

 private:
  /// A place of a value: an element of an array, or a register of a thread, one for each value.
  struct place {
    std::size_t array, index;
    auto operator<=>(place const&) const = default;
  };
  static place register_of(std::size_t thread, std::uint32_t id) {
    return {registers, thread << 32 | id};
  }
  static constexpr std::size_t registers = SIZE_MAX, unknown = SIZE_MAX - 1;

  struct node {
    value result = value::made(0, 0);
    std::uint32_t left = 0, right = 0;
    std::size_t last = 0;  // of the elements that it combines
    std::size_t depth = 0;
    std::optional<int> computed = {};
  };
  /// What a thread has done since it last synchronised.
  struct thread_state {
    std::vector<std::uint32_t> made;
    std::vector<std::pair<place, value>> read, written;
    std::size_t operations = 0, loads = 0, stores = 0, shared_loads = 0, shared_stores = 0;
  };
  struct source {
    place at;
    bool combined;
  };
  struct change {
    place at;
    value v;
    std::vector<source> from;
  };
  /// What all threads did at the same logical time: a warp synchronises at the times 1, 2, ..., later
  /// than all that it has seen of others.
  struct frame {
    std::vector<change> changes;
    std::set<std::size_t> active;
    std::size_t operations = 0, loads = 0, stores = 0, shared_loads = 0, shared_stores = 0;
  };
  using time = std::pair<std::size_t, std::size_t>;  // launch, and logical time in it

  std::size_t thread() const;
  place place_of(software::access const&);
  value read(place) const;
  std::optional<place> home(std::size_t thread, std::uint32_t id) const;
  void add_sources(std::size_t thread, std::uint32_t id, bool combined,
                   std::vector<source>& to) const;
  void settle(std::size_t warp);
  void settle_block();

  friend class painter;

  std::size_t element_ = sizeof(value);
  bool shared_by_value_ = false;
  std::vector<array> arrays_;
  std::map<std::string, std::vector<int>> heads_;
  std::vector<node> nodes_{node{}};
  std::map<std::size_t, thread_state> state_;
  std::map<time, frame> frames_;
  std::set<place> held_;                 // registers with a value
  std::map<std::uint32_t, place> last_;  // where each value was put last
  std::size_t launch_ = 0, scratches_ = 0;
  std::map<std::size_t, std::size_t> clock_;  // of each warp, in this launch
  std::map<place, time> put_;                 // when each place got its value
  picture picture_;
};

}  // namespace ravel::trace
