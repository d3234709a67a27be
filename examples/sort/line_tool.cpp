#include "check.hpp"
#include "lines.hpp"
#include "options.hpp"
#include "record.hpp"
#include "spill.hpp"
#include "support/input.hpp"
#include "support/numbers.hpp"
#include "support/output.hpp"
#include "support/parallel_text.hpp"
#include "support/tokens.hpp"

#include <ravel/core/cpu/executor.hpp>
#include <ravel/core/tile.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/pack.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <numeric>
#include <string>
#include <utility>

namespace ravel::examples {
namespace {

std::string_view part_of(view<char const> text, index_t begin, index_t end) {
  return {text.data() + begin, static_cast<std::size_t>(end - begin)};
}

/// Calls f(begin, end) for each line of a text that begins in a tile; text[end] is its newline.
template <class F>
void for_each_line(view<char const> text, tile t, F const& f) {
  auto const newline = [&](index_t from, index_t end) {
    auto const* const at =
        std::memchr(text.data() + from, '\n', static_cast<std::size_t>(end - from));
    return at != nullptr ? static_cast<char const*>(at) - text.data() : end;
  };
  index_t begin = t.begin;
  if (begin > 0 && text[begin - 1] != '\n') begin = newline(begin, t.end) + 1;
  for (index_t end; begin < t.end; begin = end + 1) {
    end = newline(begin, text.size());
    f(begin, end);
  }
}

/// The number of lines of a text that begin in a tile, in blocks whose counts fit in bytes: in vectors.
index_t count_lines(view<char const> text, tile t) {
  index_t count = t.begin == 0;
  for (index_t i = std::max<index_t>(t.begin, 1) - 1; i < t.end - 1;) {
    std::uint8_t of_block = 0;
    for (index_t const end = std::min(i + 255, t.end - 1); i < end; ++i)
      of_block += text[i] == '\n';
    count += of_block;
  }
  return count;
}

/// Lines that are sorted in memory.
class sorted_lines {
  input_chunks::chunk chunk_;
  record_order const& before_;
  cpu::buffer<index_t> begins_, ends_;  // of lines
  std::vector<index_t> order_;
  cpu::buffer<index_t> firsts_;  // the places in the order that are kept, if not all

 public:
  sort_measure measure{"lines"};

  sorted_lines(cpu::threads const& ex, arguments const& a, device d, record_order const& before,
               input_chunks::chunk chunk);

  std::vector<index_t> const& order() const { return order_; }
  /// The number of the line at a place among those kept.
  index_t line_at(index_t place) const {
    return order_[static_cast<std::size_t>(firsts_.size() > 0 ? firsts_[place] : place)];
  }
  std::string_view line(index_t i) const {
    return part_of(chunk_.text.all(), begins_[i], ends_[i]);
  }
  record record_of(index_t i) const {
    record r{line(i), {}, 0};
    before_.find_key(r);
    return r;
  }
  /// Whether the keys of two lines differ, of whole lines already by their lengths.
  bool differ(index_t i, index_t j) const {
    if (before_.is_text() && !before_.skips_blank()) return line(i) != line(j);
    return before_(record_of(i), record_of(j));
  }
  /// Of `count` lines in order, prefetches two after a place: they are far apart in the text.
  void prefetch_after(index_t place, index_t count) const {
    constexpr index_t distance = 16;
    if (place + 2 * distance >= count) return;
    index_t const second = line_at(place + 2 * distance), first = line_at(place + distance);
    __builtin_prefetch(&begins_[second]);
    __builtin_prefetch(&ends_[second]);
    __builtin_prefetch(chunk_.text.memory.data() + begins_[first]);
  }
  /// Passes the lines kept, in order.
  template <class Write>
  void write(cpu::threads const& ex, Write const& write) const {
    index_t const count = firsts_.size() > 0 ? firsts_.size() : measure.n;
    index_t const length = chunk_.text.size / std::max<index_t>(measure.n, 1) + 1;
    write_texts(
        ex, count, std::max<index_t>((index_t{1} << 20) / length, 1000),
        [&](fmt::memory_buffer& text, index_t place) {
          prefetch_after(place, count);
          auto const from = line(line_at(place));
          text.append(from.data(), from.data() + from.size());
          text.push_back('\n');
        },
        write);
  }
};

sorted_lines::sorted_lines(cpu::threads const& ex, arguments const& a, device d,
                           record_order const& before, input_chunks::chunk chunk)
    : chunk_(std::move(chunk)), before_(before) {
  auto const text = chunk_.text.all();
  bool const skip = before.skips_blank();
  auto const is_data = [&](index_t begin, index_t end) {
    return !skip || !trimmed(part_of(text, begin, end)).empty();
  };
  constexpr index_t width = index_t{1} << 16;
  std::vector<index_t> lines_before(static_cast<std::size_t>(div_up(text.size(), width)) + 1);
  ex.for_each_tile_of(width, text.size(), [&](cpu::worker, tile t) {
    index_t count = 0;
    if (skip) {
      for_each_line(text, t, [&](index_t begin, index_t end) { count += is_data(begin, end); });
    } else {
      count = count_lines(text, t);
    }
    lines_before[static_cast<std::size_t>(t.id) + 1] = count;
  });
  std::partial_sum(lines_before.begin(), lines_before.end(), lines_before.begin());
  index_t const n = lines_before.back();
  begins_ = cpu::buffer<index_t>(n);
  ends_ = cpu::buffer<index_t>(n);
  cpu::buffer<index_t> key_begins(skip ? n : 0), key_ends(skip ? n : 0);
  cpu::buffer<std::uint64_t> bits(before.is_text() ? 0 : n);
  std::atomic<index_t> first_wrong = n;
  auto const read_key = [&](index_t i) {
    record r{line(i), {}, 0};
    if (!before.find_key(r).empty()) {
      index_t first = first_wrong;
      while (i < first && !first_wrong.compare_exchange_weak(first, i)) {
      }
    } else if (before.is_text()) {
      key_begins[i] = r.text.data() - text.data();
      key_ends[i] = key_begins[i] + std::ssize(r.text);
    } else {
      bits[i] = r.bits;
    }
  };
  ex.for_each_tile_of(width, text.size(), [&](cpu::worker, tile t) {
    index_t i = lines_before[static_cast<std::size_t>(t.id)];
    for_each_line(text, t, [&](index_t begin, index_t end) {
      if (!is_data(begin, end)) return;
      begins_[i] = begin;
      ends_[i] = end;
      if (skip || !before.is_text()) read_key(i);
      ++i;
    });
  });
  if (index_t const i = first_wrong; i < n) {
    record r{line(i), {}, 0};
    throw bad_input(chunk_.place_of(begins_[i]) + ": " + before.find_key(r));
  }

  with_backend(d, [&]<class B>(std::type_identity<B>) {
    auto job = a.job(sort_result::order);
    auto const indices = [](auto const& b) { return view<index_t const>(b.data(), b.size()); };
    if (before.is_text()) {
      auto found = sort_strings<B>(text, indices(skip ? key_begins : begins_),
                                   indices(skip ? key_ends : ends_), job);
      order_ = std::move(found.order);
      measure.seconds = found.seconds;
    } else {
      job.downward = false;  // the bits are in the order of the lines
      auto found = sort_numbers<B, std::uint64_t>({bits.data(), n}, {}, job);
      order_ = std::move(found.values);
      measure.seconds = found.seconds;
    }
  });
  measure.n = n;
  measure.bytes = static_cast<double>(text.size()) * 2;
  if (a.unique && n > 0) {
    cpu::buffer<bool> is_first(n);
    ex.for_each_tile(n, [&](cpu::worker, tile t) {
      for (index_t place = t.begin; place < t.end; ++place) {
        prefetch_after(place, n);
        is_first[place] = place == 0 || differ(line_at(place - 1), line_at(place));
      }
    });
    firsts_ = cpu::buffer<index_t>(std::count(is_first.begin(), is_first.end(), true));
    pack_index(ex, is_first, firsts_);
  }
}

/// A copy of a record, kept while its source reads on.
class kept_record {
  std::string line_;
  record copy_;
  bool is_there_ = false;

 public:
  explicit operator bool() const { return is_there_; }
  record const& operator*() const { return copy_; }
  record const& keep(record const& r) {
    line_ = r.line;
    auto const offset = r.text.empty() ? 0 : r.text.data() - r.line.data();
    copy_ = {line_, std::string_view(line_).substr(static_cast<std::size_t>(offset), r.text.size()),
             r.bits};
    is_there_ = true;
    return copy_;
  }
};

/// Reads the lines of a file or a run.
class line_source {
  std::string name_;
  read_function read_;
  record_order const* before_;
  std::vector<char> buffer_;         // longer than two lines
  std::size_t begin_ = 0, end_ = 0;  // what is buffered and not taken
  index_t number_ = 0;               // of the line
  record current_, previous_;
  kept_record copy_;  // of the previous record, once the buffer has lost it

  /// The next line, without its end; false at the end of the file.
  bool take_line(std::string_view& line) {
    std::size_t searched = begin_;
    for (;;) {
      auto const* const at =
          static_cast<char const*>(std::memchr(buffer_.data() + searched, '\n', end_ - searched));
      if (at != nullptr) {
        line = {buffer_.data() + begin_, static_cast<std::size_t>(at - buffer_.data()) - begin_};
        begin_ += line.size() + 1;
        return true;
      }
      if (previous_.line.data() != nullptr) previous_ = copy_.keep(previous_);
      std::copy(buffer_.data() + begin_, buffer_.data() + end_, buffer_.data());
      end_ -= std::exchange(begin_, 0);
      searched = end_;
      if (2 * end_ > buffer_.size()) buffer_.resize(2 * buffer_.size());
      auto const got = read_(buffer_.data() + end_, std::ssize(buffer_) - std::ssize(buffer_) / 2);
      if (got == 0) {
        line = {buffer_.data(), end_};
        begin_ = end_;
        return !line.empty();
      }
      end_ += static_cast<std::size_t>(got);
    }
  }

 public:
  line_source(std::string name, read_function read, record_order const& before,
              index_t buffered = 1 << 18)
      : name_(std::move(name)),
        read_(std::move(read)),
        before_(&before),
        buffer_(static_cast<std::size_t>(buffered)) {}

  bool next() {
    previous_ = current_;
    do {
      if (!take_line(current_.line)) return false;
      ++number_;
    } while (before_->skips_blank() && trimmed(current_.line).empty());
    if (auto const reason = before_->find_key(current_); !reason.empty()) {
      throw bad_input(fmt::format("{}:{}: {}", name_, number_, reason));
    }
    return true;
  }
  record const& current() const { return current_; }
  /// The record before the current one; there is one unless `line` of it is null.
  record const& previous() const { return previous_; }
  std::string place() const { return fmt::format("{}:{}", name_, number_); }

  /// Takes the first lines, with their ends.
  std::string take_header(index_t lines) {
    std::string header;
    for (std::string_view line; number_ < lines && take_line(line); ++number_) {
      header.append(line) += '\n';
    }
    return header;
  }
};

/// Merges sorted sources; returns the number of lines.
index_t merge_lines(arguments const& a, record_order const& before,
                    std::vector<line_source>& sources, output& to) {
  constexpr std::size_t at_once = 1 << 20;
  std::string text;
  kept_record last;
  index_t n = 0;
  merge_sources(
      sources,
      [&](line_source const& s, line_source const& t) { return before(s.current(), t.current()); },
      [&](line_source const& s) {
        auto const& r = s.current();
        ++n;
        if (a.unique) {
          if (last && !before(*last, r)) return;
          last.keep(r);
        }
        text.append(r.line) += '\n';
        if (text.size() < at_once) return;
        to.write(text);
        text.clear();
      });
  to.write(text);
  return n;
}

line_source source_of(std::string const& path, record_order const& before) {
  auto const file = std::make_shared<input_stream>(path, reading::decompressed);
  return {path, [file](char* to, index_t n) { return file->read(to, n); }, before};
}

/// Whether each file is sorted.
int check_files(arguments const& a, record_order const& before) {
  for (auto const& path : a.files) {
    auto source = source_of(path, before);
    source.take_header(a.header);
    while (source.next()) {
      auto const &r = source.current(), &last = source.previous();
      if (last.line.data() == nullptr) continue;
      if (a.unique ? !before(last, r) : before(r, last)) {
        note("{}: disorder: {}\n", source.place(), shown(r.line));
        return check_failed;
      }
    }
  }
  return success;
}

int merge_files(arguments const& a, record_order const& before) {
  output to(a.target());
  std::vector<line_source> sources;
  std::string header;
  for (auto const& path : a.files) {
    sources.push_back(source_of(path, before));
    auto const taken = sources.back().take_header(a.header);
    if (header.empty()) header = taken;
  }
  to.write(header);
  index_t const n = merge_lines(a, before, sources, to);
  to.commit();
  note("{} lines of {} files merged\n", n, sources.size());
  return success;
}

/// Sorts chunks that fit in memory to runs on disk, and merges them.
sort_measure sort_beyond_memory(cpu::threads const& ex, arguments const& a, device d,
                                record_order const& before, input_chunks& input,
                                input_chunks::chunk chunk) {
  spill runs(a.temporary);
  sort_measure sum{"lines"};
  for (bool more = true; more;) {
    more = !chunk.is_last;
    sorted_lines const lines(ex, a, d, before, std::move(chunk));
    lines.write(ex, [&](std::string_view text) { runs.write(text); });
    runs.end_run();
    sum += lines.measure;
    if (more) chunk = input.next(a.chunk_size());
  }
  output to(a.target());
  to.write(input.header());
  std::vector<line_source> sources;
  for (index_t k = 0; k < runs.size(); ++k) {
    sources.emplace_back("a temporary file", runs.reader(k), before,
                         runs.buffer_size(a.chunk_size()));
  }
  merge_lines(a, before, sources, to);
  to.commit();
  sum.runs = runs.size();
  return sum;
}

}  // namespace

int run_lines(arguments const& a) {
  record_order const before(a.type, a.column_at(a.key), a.descending);
  if (a.is_sorted) return check_files(a, before);
  if (a.merge) return merge_files(a, before);
  auto const d = chosen_device(a.where);
  cpu::threads const ex(a.where.threads);
  input_chunks input(a.files, 0, a.header);
  auto chunk = input.next(a.chunk_size());
  if (!chunk.is_last) {
    refuse_beyond_memory(a);
    return report_sort(a, d, sort_beyond_memory(ex, a, d, before, input, std::move(chunk)));
  }
  sorted_lines lines(ex, a, d, before, std::move(chunk));
  auto& m = lines.measure;
  if (a.check) {
    m.wrong = what_is_wrong_with_order(m.n, lines.order(), [&](index_t i, index_t j) {
      return before(lines.record_of(i), lines.record_of(j));
    });
  }
  if (a.writes_results() && a.argsort) {
    write_numbers(ex, view<index_t const>(lines.order().data(), m.n), a.target());
  } else if (a.writes_results()) {
    output to(a.target());
    to.write(input.header());
    lines.write(ex, [&](std::string_view text) { to.write(text); });
    to.commit();
  }
  return report_sort(a, d, m);
}

}  // namespace ravel::examples
