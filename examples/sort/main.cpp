/// Sorts numbers, from text or from bytes, or the lines of a text, on the CPU or on a GPU.

#include "check.hpp"
#include "options.hpp"
#include "random.hpp"
#include "record.hpp"
#include "spill.hpp"
#include "support/command_line.hpp"
#include "support/copy_bandwidth.hpp"
#include "support/device.hpp"
#include "support/input.hpp"
#include "support/numbers.hpp"
#include "support/output.hpp"
#include "support/parallel_text.hpp"
#include "support/report.hpp"

#include <ravel/core/cpu/executor.hpp>
#include <ravel/primitives/map.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

namespace ravel::examples {
namespace {

/// Numbers, or pairs of numbers and values.
template <class T>
struct given {
  cpu::buffer<T> numbers;
  cpu::buffer<std::int64_t> values;
};

template <class T>
given<T> random_numbers(cpu::threads const& ex, arguments const& a) {
  given<T> made{cpu::buffer<T>(a.generate), cpu::buffer<std::int64_t>(a.pairs ? a.generate : 0)};
  for_each_index(ex, a.generate,
                 [&](index_t i) { made.numbers[i] = uniform<T>(random_word(a.seed, i)); });
  std::iota(made.values.begin(), made.values.end(), 0);
  return made;
}

/// The numbers of a column of a chunk, or of all if it is 0.
template <class T>
cpu::buffer<T> numbers_of(cpu::threads const& ex, arguments const& a, input_chunks::chunk const& c,
                          index_t column) {
  std::vector<cpu::buffer<T>> parts;
  index_t all = 0, end = c.text.size;
  for (auto const& p : c.pieces) {
    auto const k = static_cast<std::size_t>(&p - c.pieces.data());
    end = k + 1 < c.pieces.size() ? c.pieces[k + 1].begin : c.text.size;
    auto const text = c.text.all().slice(p.begin, end - p.begin);
    parts.push_back(a.binary ? read_binary_numbers<T>(text, p.name)
                             : read_numbers<T>(ex, text, p.name, a.column_at(column), p.first_line,
                                               words_are_text));
    all += parts.back().size();
  }
  if (parts.size() == 1) return std::move(parts[0]);
  cpu::buffer<T> numbers(all);
  T* to = numbers.data();
  for (auto const& part : parts) to = std::copy(part.begin(), part.end(), to);
  return numbers;
}

template <class T>
given<T> input_of(cpu::threads const& ex, arguments const& a, input_chunks::chunk const& c) {
  if (!a.pairs) return {numbers_of<T>(ex, a, c, a.column), {}};
  return {numbers_of<T>(ex, a, c, 1), numbers_of<std::int64_t>(ex, a, c, 2)};
}

template <class T>
void write(cpu::threads const& ex, arguments const& a, view<T const> numbers, output& to) {
  if (a.binary) {
    write_binary_numbers(numbers, to);
  } else {
    write_numbers(ex, numbers, to);
  }
}

template <class T>
sorted<T> sort_on(arguments const& a, device d, view<T const> in, view<std::int64_t const> values) {
  auto const job = a.job(a.pairs     ? sort_result::pairs
                         : a.argsort ? sort_result::order
                                     : sort_result::numbers);
  return with_backend(
      d, [&]<class B>(std::type_identity<B>) { return sort_numbers<B>(in, values, job); });
}

/// Removes all but the first of equal numbers, which are neighbours.
template <class T>
void drop_equal(arguments const& a, std::vector<T>& numbers) {
  in_order const before{a.descending};
  auto const same = [&](T x, T y) { return !before(x, y) && !before(y, x); };
  numbers.erase(std::unique(numbers.begin(), numbers.end(), same), numbers.end());
}

/// Sorts what is in memory.
template <class T>
sort_measure sort_in_memory(cpu::threads const& ex, arguments const& a, device d,
                            given<T> const& input) {
  view<T const> const in(input.numbers.data(), input.numbers.size());
  view<std::int64_t const> const values(input.values.data(), input.values.size());
  if (a.pairs && values.size() != in.size()) {
    throw bad_input(
        fmt::format("{}: there are {} keys and {} values", a.files[0], in.size(), values.size()));
  }
  auto result = sort_on(a, d, in, values);
  std::string wrong;
  if (a.check && a.argsort) {
    wrong = what_is_wrong_with_order(in.size(), result.values,
                                     [&, before = in_order{a.descending}](index_t i, index_t j) {
                                       return before(in[i], in[j]);
                                     });
  } else if (a.check && a.pairs) {
    wrong = what_is_wrong_with_pairs(in, values, result.numbers, result.values, a.descending);
  } else if (a.check) {
    wrong = what_is_wrong(in, result.numbers, a.descending);
  }
  if (a.unique) drop_equal(a, result.numbers);
  auto const all = [](auto const& v) { return view(v.data(), std::ssize(v)); };
  if (a.writes_results()) {
    output to(a.target());
    if (a.pairs) {
      write_texts(
          ex, in.size(), index_t{1} << 20,
          [&](fmt::memory_buffer& text, index_t i) {
            auto const k = static_cast<std::size_t>(i);
            fmt::format_to(std::back_inserter(text), "{} {}\n", result.numbers[k],
                           result.values[k]);
          },
          [&](std::string_view text) { to.write(text); });
    } else if (a.argsort) {
      write<std::int64_t>(ex, a, all(result.values), to);
    } else {
      write<T>(ex, a, all(result.numbers), to);
    }
    to.commit();
  }
  double const bytes = a.pairs     ? 2.0 * (sizeof(T) + sizeof(std::int64_t))
                       : a.argsort ? sizeof(T) + sizeof(index_t)
                                   : 2 * sizeof(T);
  return {a.pairs ? "pairs" : "numbers",
          in.size(),
          bytes * static_cast<double>(in.size()),
          result.seconds,
          0,
          wrong};
}

/// Reads the numbers of a run.
template <class T>
class number_source {
  read_function read_;
  std::vector<T> buffer_;
  std::size_t next_ = 0, end_ = 0;

 public:
  number_source(read_function read, index_t buffered)
      : read_(std::move(read)), buffer_(static_cast<std::size_t>(buffered) / sizeof(T)) {}

  bool next() {
    if (next_ == end_) {
      next_ = 0;
      end_ = static_cast<std::size_t>(read_(reinterpret_cast<char*>(buffer_.data()),
                                            std::ssize(buffer_) * index_t{sizeof(T)})) /
             sizeof(T);
    }
    return next_++ < end_;
  }
  T current() const { return buffer_[next_ - 1]; }
};

/// Sorts chunks that fit in memory to runs on disk, and merges them.
template <class T>
sort_measure sort_beyond_memory(cpu::threads const& ex, arguments const& a, device d,
                                input_chunks& input, input_chunks::chunk chunk) {
  spill runs(a.temporary);
  sort_measure sum{"numbers"};
  for (bool more = true; more;) {
    more = !chunk.is_last;
    auto const in = numbers_of<T>(ex, a, std::exchange(chunk, {}), a.column);
    auto const result = sort_on(a, d, view<T const>(in.data(), in.size()), {});
    runs.write(
        {reinterpret_cast<char const*>(result.numbers.data()), result.numbers.size() * sizeof(T)});
    runs.end_run();
    sum += {"numbers", in.size(), 2.0 * sizeof(T) * static_cast<double>(in.size()), result.seconds};
    if (more) chunk = input.next(a.chunk_size());
  }
  output to(a.target());
  in_order const before{a.descending};
  std::vector<number_source<T>> sources;
  for (index_t k = 0; k < runs.size(); ++k) {
    sources.emplace_back(runs.reader(k), runs.buffer_size(a.chunk_size()));
  }
  std::vector<T> merged;
  auto const flush = [&](std::size_t kept) {
    if (a.unique) drop_equal(a, merged);
    kept = std::min(kept, merged.size());
    std::size_t const count = merged.size() - kept;
    write<T>(ex, a, {merged.data(), static_cast<index_t>(count)}, to);
    merged.erase(merged.begin(), merged.begin() + static_cast<std::ptrdiff_t>(count));
  };
  merge_sources(
      sources, [&](auto const& s, auto const& t) { return before(s.current(), t.current()); },
      [&](auto const& s) {
        merged.push_back(s.current());
        if (merged.size() == std::size_t{1} << 20) flush(1);  // for the next to compare with
      });
  flush(0);
  to.commit();
  sum.runs = runs.size();
  return sum;
}

/// Whether the numbers are sorted.
template <class T>
int check_numbers(cpu::threads const& ex, arguments const& a, input_chunks& input,
                  input_chunks::chunk chunk) {
  in_order const before{a.descending};
  std::optional<T> last;
  index_t n = 0;
  for (;;) {
    for (T const x : numbers_of<T>(ex, a, chunk, a.column)) {
      ++n;
      if (last && (a.unique ? !before(*last, x) : before(x, *last))) {
        note("{}: disorder: number {} is {}\n", a.files[0], n, x);
        return check_failed;
      }
      last = x;
    }
    if (chunk.is_last) return success;
    chunk = input.next(a.chunk_size());
  }
}

template <class T>
int run(arguments const& a) {
  cpu::threads const ex(a.where.threads);
  auto const d = chosen_device(a.where);
  if (a.generate >= 0) {
    return report_sort(a, d, sort_in_memory<T>(ex, a, d, random_numbers<T>(ex, a)));
  }
  input_chunks input(a.files, a.binary ? index_t{sizeof(T)} : 0, a.header);
  auto chunk = input.next(a.chunk_size());
  if (a.is_sorted) return check_numbers<T>(ex, a, input, std::move(chunk));
  if (chunk.is_last) {
    return report_sort(a, d,
                       sort_in_memory<T>(ex, a, d, input_of<T>(ex, a, std::exchange(chunk, {}))));
  }
  refuse_beyond_memory(a);
  return report_sort(a, d, sort_beyond_memory<T>(ex, a, d, input, std::move(chunk)));
}

int run_type(arguments const& a) {
  if (!a.separator.empty() && a.key == 0 && a.column == 0 && !a.pairs) {
    throw bad_input("ravel-sort: --separator is of the columns of --key, --column and --pairs");
  }
  if (a.mpi) return run_on_ranks(a);
  if (a.is_sorted && a.files.size() > 1) {
    throw bad_input("ravel-sort: --is-sorted looks at one FILE");
  }
  bool const is_text = a.type == "text";
  if (is_text || a.key > 0) {
    if (a.binary || a.column > 0 || a.generate >= 0 || a.pairs || a.algorithm != "auto") {
      throw bad_input(
          "ravel-sort: --type text and --key sort the lines of a FILE, so --binary, --column, "
          "--generate, --pairs and --algorithm are for numbers");
    }
    return run_lines(a);
  }
  if (a.type == "u32") return run<std::uint32_t>(a);
  if (a.type == "u64") return run<std::uint64_t>(a);
  if (a.type == "i32") return run<std::int32_t>(a);
  if (a.type == "i64") return run<std::int64_t>(a);
  if (a.type == "f32") return run<float>(a);
  return run<double>(a);
}

}  // namespace

#ifndef RAVEL_EXAMPLE_MPI
int run_on_ranks(arguments const&) {
  throw bad_input("ravel-sort: --mpi: this program was built without MPI");
}
#endif

sort_job arguments::job(sort_result wanted) const {
  return {algorithm == "merge"    ? sort_algorithm::merge
          : algorithm == "sample" ? sort_algorithm::sample
          : algorithm == "quick"  ? sort_algorithm::quick
                                  : sort_algorithm::radix,
          wanted, descending, where.threads, repeats};
}

index_t arguments::chunk_size() const {
  index_t const half = sysconf(_SC_PHYS_PAGES) / 2 * sysconf(_SC_PAGESIZE);
  return std::max<index_t>((memory > 0 ? memory : half) / 12, 1);
}

void refuse_beyond_memory(arguments const& a) {
  for (auto const& [is_given, name] :
       {std::pair(a.argsort, "--argsort"), std::pair(a.pairs, "--pairs"),
        std::pair(a.check, "--check"), std::pair(a.repeats > 0, "--bench")}) {
    if (!is_given) continue;
    throw bad_input(fmt::format(
        "ravel-sort: {} takes the whole input in memory, and it is longer than --memory admits",
        name));
  }
}

int report_sort(arguments const& a, device d, sort_measure const& m) {
  double const rate = static_cast<double>(m.n) / m.seconds;
  double const bandwidth = m.bytes / m.seconds;
  bool const checked = a.check && m.wrong.empty();
  auto const on = description_of(d, a.where.threads);
  report r{{
               {"n", m.n},
               {"type", a.type},
               {"algorithm", a.algorithm == "auto" ? "radix" : a.algorithm},
               {"device", name_of(d)},
               {"seconds", m.seconds},
               {"keys_per_s", rate},
               {"gbytes_per_s", bandwidth / 1e9},
               {"copy_fraction", nullptr},
               {"descending", a.descending},
               {"argsort", a.argsort},
               {"pairs", a.pairs},
               {"runs", m.runs},
               {"checked", checked},
           },
           fmt::format("{} {} of type {} sorted in {:.3g} s on {}: {:.4g} million a second{}{}\n",
                       m.n, m.things, a.type, m.seconds,
                       m.ranks > 0 ? fmt::format("{} ranks, each on {}", m.ranks, on) : on,
                       rate / 1e6, m.runs > 0 ? fmt::format(", in {} runs on disk", m.runs) : "",
                       checked ? ", and checked" : ""),
           m.wrong};
  if (m.ranks > 0) r.values["ranks"] = m.ranks;
  if (a.repeats > 0) {
    r.values["copy_fraction"] = bandwidth / with_backend(d, [&]<class B>(std::type_identity<B>) {
                                  return copy_bandwidth<B>(a.where.threads, m.bytes);
                                });
  }
  return finish("ravel-sort", a, r);
}

}  // namespace ravel::examples

int main(int argc, char** argv) {
  using namespace ravel::examples;
  using ravel::index_t;
  CLI::App app{
      "Sorts numbers or lines, stably. Lines go by their bytes, as LC_ALL=C sort has them; numbers "
      "by\n"
      "their value: -0.0 equals +0.0, and NaNs of either sign are\n"
      "equal and come last; --descending turns all around, and keeps equal ones in their order.",
      "ravel-sort"};
  arguments a;
  auto* const file = app.add_option(
      "FILE", a.files,
      "numbers separated by white space or commas, or lines, gzipped or not; several "
      "are sorted together; standard input if absent");
  app.add_option("--type", a.type,
                 "of the numbers: integers, unsigned or not, or floating point; or text, whose "
                 "lines are sorted")
      ->check(CLI::IsMember({"u32", "u64", "i32", "i64", "f32", "f64", "text"}))
      ->capture_default_str();
  auto* const binary =
      app.add_flag("--binary", a.binary, "read and write raw numbers, the lowest byte first");
  constexpr index_t most = index_t{1} << 40;
  auto* const key =
      add_integer(app, "-k,--key", a.key,
                  "sort whole lines by this column, from 1: by its number, or with --type text by "
                  "its bytes; columns are separated by commas that are not within double quotes, "
                  "or in a line without commas by white space",
                  index_t{1}, most)
          ->default_str("")
          ->excludes(binary);
  auto* const column =
      add_integer(app, "--column", a.column, "sort the numbers of this column alone, from 1",
                  index_t{1}, most)
          ->default_str("")
          ->excludes(binary)
          ->excludes(key);
  app.add_option("-t,--separator", a.separator, "the character between columns, such as ';' or \\t")
      ->type_name("C")
      ->check(CLI::Validator(
          [](std::string const& given) {
            return given.size() == 1 || given == "\\t" ? ""
                                                       : "'" + given + "' is not one character";
          },
          ""))
      ->excludes(binary);
  add_integer(app, "--header", a.header,
              "so many lines at the begin of each FILE are no data; those of the first are written "
              "first if lines are sorted",
              index_t{0}, most)
      ->excludes(binary);
  app.add_flag("-r,--descending,--reverse", a.descending, "the greatest first");
  auto* const unique =
      app.add_flag("-u,--unique", a.unique, "of what is equal, write the first alone");
  auto* const merge = app.add_flag("-m,--merge", a.merge,
                                   "the FILEs are sorted: merge their lines; numbers are sorted");
  auto* const is_sorted = app.add_flag(
      "-c,--is-sorted", a.is_sorted,
      "do not sort: exit with 1 if FILE is not sorted, or with --unique if two are equal");
  auto* const argsort =
      app.add_flag("--argsort", a.argsort,
                   "write the places that the sorted numbers or lines had, from 0, instead of them")
          ->excludes(unique)
          ->excludes(merge)
          ->excludes(is_sorted);
  app.add_flag("--pairs", a.pairs,
               "a line is a key and a value, an integer, which stays with it; of random numbers "
               "the values are their places")
      ->excludes(binary)
      ->excludes(column)
      ->excludes(unique)
      ->excludes(is_sorted)
      ->excludes(argsort);
  auto* const generate =
      add_integer(app, "--generate", a.generate,
                  "sort this many random numbers: integers of all values, or [0, 1)", index_t{0},
                  most)
          ->default_str("")
          ->excludes(column)
          ->excludes(key)
          ->excludes(is_sorted)
          ->excludes(file);
  add_integer(app, "--seed", a.seed, "of the random numbers", std::uint64_t{0},
              std::numeric_limits<std::uint64_t>::max())
      ->needs(generate);
  app.add_option("--algorithm", a.algorithm,
                 "radix: by digits; merge, sample or quick: by comparing; auto is radix")
      ->check(CLI::IsMember({"auto", "radix", "merge", "sample", "quick"}))
      ->capture_default_str();
  add_integer(app, "-S,--memory", a.memory,
              "bytes of memory to use; what does not fit is sorted in runs on disk, and merged",
              index_t{1}, most)
      ->default_str("half of the machine's");
  app.add_option("-T,--temporary", a.temporary, "the folder for these runs: else TMPDIR, or /tmp")
      ->type_name("FOLDER");
  app.add_flag("--mpi", a.mpi,
               "sort on all processes that mpirun has started, of which each reads, sorts and "
               "writes a part");
  add_output_options(app, a, "what is sorted");
  add_work_options(app, a, "look at the result");
  return run_program(app, argc, argv, [&] { return run_type(a); });
}
