#pragma once

/// Sorted runs on disk, and their merge.

#include <ravel/core/view.hpp>

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ravel::examples {

/// Reads at most n bytes, and returns how many; 0 at the end.
using read_function = std::function<index_t(char*, index_t)>;

/// Runs of bytes in a temporary file, which the system removes when the program ends.
///
/// Errors   bad_input "FOLDER: reason" if it cannot be written.
class spill {
  std::string folder_;
  int fd_ = -1;
  std::vector<index_t> ends_;  // of the runs
  index_t written_ = 0;

 public:
  /// In `folder`; the one that TMPDIR names, or /tmp, if that is empty.
  explicit spill(std::string folder);
  ~spill();
  spill(spill const&) = delete;
  spill& operator=(spill const&) = delete;

  void write(std::string_view bytes);
  void end_run() { ends_.push_back(written_); }
  index_t size() const { return std::ssize(ends_); }
  read_function reader(index_t run) const;

  /// How many bytes of each run to buffer, so that all together take about `memory`.
  index_t buffer_size(index_t memory) const {
    return std::clamp<index_t>(memory / std::max<index_t>(size(), 1), 1 << 12, 1 << 18);
  }
};

/// Merges sorted sources stably: of equal records the one of the first source comes first.
///
/// source.next() moves to the next record, and returns false at the end; before(s, t) compares the
/// current records of two sources; emit(s) takes that of s.
template <class Source, class Before, class Emit>
void merge_sources(std::vector<Source>& sources, Before before, Emit emit) {
  std::vector<Source*> heap;
  auto const after = [&](Source* s, Source* t) {
    return before(*t, *s) || (t < s && !before(*s, *t));
  };
  for (Source& s : sources) {
    if (s.next()) heap.push_back(&s);
  }
  std::make_heap(heap.begin(), heap.end(), after);
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end(), after);
    Source* const first = heap.back();
    heap.pop_back();
    bool more = true;
    do {
      emit(*first);
      more = first->next();
    } while (more && (heap.empty() || after(heap.front(), first)));
    if (!more) continue;
    heap.push_back(first);
    std::push_heap(heap.begin(), heap.end(), after);
  }
}

}  // namespace ravel::examples
