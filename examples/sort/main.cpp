/// Sorts numbers, from text or from bytes, or the lines of a text, on the CPU or on a GPU.

#include "check.hpp"
#include "lines.hpp"
#include "sorting.hpp"
#include "support/command_line.hpp"
#include "support/copy_bandwidth.hpp"
#include "support/device.hpp"
#include "support/input.hpp"
#include "support/numbers.hpp"
#include "support/output.hpp"
#include "support/report.hpp"

#include <ravel/core/cpu/executor.hpp>
#include <ravel/primitives/map.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <iterator>
#include <limits>
#include <numeric>

namespace ravel::examples {
namespace {

struct arguments : tool_options {
  std::string file = "-";
  std::string type = "f64";
  std::string algorithm = "auto";
  bool pairs = false;
  bool binary = false;
  index_t column = 0;
  bool descending = false;
  bool argsort = false;
  index_t generate = -1;
  std::uint64_t seed = 1;
};

/// The i-th word of SplitMix64 with this seed.
///
/// Source   Steele, Lea and Flood, "Fast Splittable Pseudorandom Number
///          Generators", OOPSLA 2014.
std::uint64_t random_word(std::uint64_t seed, index_t i) {
  std::uint64_t z = seed + (static_cast<std::uint64_t>(i) + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

/// A number from the highest bits of a word: uniform over all integers, or over [0, 1).
template <class T>
T uniform(std::uint64_t word) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(word >> (64 - 8 * sizeof(T)));
  } else {
    constexpr int digits = std::numeric_limits<T>::digits;
    return static_cast<T>(word >> (64 - digits)) / static_cast<T>(std::uint64_t{1} << digits);
  }
}

/// The input: numbers, or pairs of numbers and values.
template <class T>
struct given {
  cpu::buffer<T> numbers;
  cpu::buffer<std::int64_t> values;
};

template <class T>
given<T> input_of(arguments const& a) {
  cpu::threads const ex(a.where.threads);
  if (a.generate >= 0) {
    given<T> made{cpu::buffer<T>(a.generate), cpu::buffer<std::int64_t>(a.pairs ? a.generate : 0)};
    for_each_index(ex, a.generate,
                   [&](index_t i) { made.numbers[i] = uniform<T>(random_word(a.seed, i)); });
    std::iota(made.values.begin(), made.values.end(), 0);
    return made;
  }
  auto const input = a.binary ? read_raw(a.file) : read_input(a.file);
  auto const text = input.all();
  if (a.binary) return {read_binary_numbers<T>(text, a.file), {}};
  if (!a.pairs) return {read_numbers<T>(ex, text, a.file, a.column), {}};
  return {read_numbers<T>(ex, text, a.file, 1), read_numbers<std::int64_t>(ex, text, a.file, 2)};
}

template <class T>
void write(arguments const& a, std::vector<T> const& numbers, std::string const& path) {
  view<T const> const all(numbers.data(), std::ssize(numbers));
  if (a.binary) {
    write_binary_numbers(all, path);
  } else {
    write_numbers(cpu::threads(a.where.threads), all, path);
  }
}

/// Writes one pair a line.
template <class T>
void write_pairs(sorted<T> const& pairs, std::string const& path) {
  std::string text;
  for (std::size_t i = 0; i < pairs.numbers.size(); ++i) {
    fmt::format_to(std::back_inserter(text), "{} {}\n", pairs.numbers[i], pairs.values[i]);
  }
  write_text(text, path);
}

sort_job job_of(arguments const& a) {
  return {a.algorithm == "merge"    ? sort_algorithm::merge
          : a.algorithm == "sample" ? sort_algorithm::sample
          : a.algorithm == "quick"  ? sort_algorithm::quick
                                    : sort_algorithm::radix,
          a.pairs     ? sort_result::pairs
          : a.argsort ? sort_result::order
                      : sort_result::numbers,
          a.descending, a.where.threads, a.repeats};
}

/// Reports a sort of n elements, and whether it was right: `bytes` is the least traffic, each
/// element read once and it or its index written once.
int report_sort(arguments const& a, device d, char const* things, index_t n, double bytes,
                double seconds, std::string const& wrong) {
  double const rate = static_cast<double>(n) / seconds;
  double const bandwidth = bytes / seconds;
  bool const checked = a.check && wrong.empty();
  report r{{
               {"n", n},
               {"type", a.type},
               {"algorithm", a.algorithm == "auto" ? "radix" : a.algorithm},
               {"device", name_of(d)},
               {"seconds", seconds},
               {"keys_per_s", rate},
               {"gbytes_per_s", bandwidth / 1e9},
               {"copy_fraction", nullptr},
               {"descending", a.descending},
               {"argsort", a.argsort},
               {"pairs", a.pairs},
               {"checked", checked},
           },
           fmt::format("{} {} of type {} sorted in {:.3g} s on {}: {:.4g} million a second{}\n", n,
                       things, a.type, seconds, description_of(d, a.where.threads), rate / 1e6,
                       checked ? ", and checked" : ""),
           wrong};
  if (a.repeats > 0) {
    r.values["copy_fraction"] = bandwidth / with_backend(d, [&]<class B>(std::type_identity<B>) {
                                  return copy_bandwidth<B>(a.where.threads, bytes);
                                });
  }
  return finish("ravel-sort", a, r);
}

template <class T>
int run(arguments const& a) {
  auto const d = chosen_device(a.where);
  auto const input = input_of<T>(a);
  view<T const> const in(input.numbers.data(), input.numbers.size());
  view<std::int64_t const> const values(input.values.data(), input.values.size());
  if (a.pairs && values.size() != in.size()) {
    throw bad_input(
        fmt::format("{}: there are {} keys and {} values", a.file, in.size(), values.size()));
  }
  auto const result = with_backend(
      d, [&]<class B>(std::type_identity<B>) { return sort_numbers<B>(in, values, job_of(a)); });

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
  if (a.writes_results()) {
    if (a.pairs) {
      write_pairs(result, a.target());
    } else if (a.argsort) {
      write(a, result.values, a.target());
    } else {
      write(a, result.numbers, a.target());
    }
  }
  double const bytes = a.pairs     ? 2.0 * (sizeof(T) + sizeof(std::int64_t))
                       : a.argsort ? sizeof(T) + sizeof(index_t)
                                   : 2 * sizeof(T);
  return report_sort(a, d, a.pairs ? "pairs" : "numbers", in.size(),
                     bytes * static_cast<double>(in.size()), result.seconds, wrong);
}

int run_lines(arguments const& a) {
  auto const d = chosen_device(a.where);
  auto const input = read_input(a.file);
  auto const text = input.all();
  auto const result = with_backend(
      d, [&]<class B>(std::type_identity<B>) { return sort_lines<B>(text, job_of(a)); });
  auto const line = [&](index_t i) {
    auto const k = static_cast<std::size_t>(i);
    return std::string_view(text.data() + result.begins[k],
                            static_cast<std::size_t>(result.ends[k] - result.begins[k]));
  };

  std::string wrong;
  if (a.check) {
    wrong = what_is_wrong_with_order(
        std::ssize(result.begins), result.order,
        [&](index_t i, index_t j) { return a.descending ? line(j) < line(i) : line(i) < line(j); });
  }
  if (a.writes_results() && a.argsort) {
    write(a, result.order, a.target());
  } else if (a.writes_results()) {
    std::string sorted;
    sorted.reserve(static_cast<std::size_t>(text.size()) + 1);
    for (index_t const i : result.order) sorted.append(line(i)) += '\n';
    write_text(sorted, a.target());
  }
  auto const lines = std::ssize(result.order);
  double const out =
      static_cast<double>(a.argsort ? lines * index_t{sizeof(index_t)} : text.size());
  return report_sort(a, d, "lines", lines, static_cast<double>(text.size()) + out, result.seconds,
                     wrong);
}

int run_type(arguments const& a) {
  if (a.type == "text") {
    if (a.binary || a.column > 0 || a.generate >= 0 || a.pairs || a.algorithm != "auto") {
      throw bad_input(
          "ravel-sort: --type text sorts the lines of a FILE, so --binary, --column, --generate, "
          "--pairs and --algorithm are for numbers");
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
      "FILE", a.file,
      "numbers separated by white space or commas, or lines, gzipped or not; standard "
      "input if absent");
  app.add_option("--type", a.type,
                 "of the numbers: integers, unsigned or not, or floating point; or text, whose "
                 "lines are sorted")
      ->check(CLI::IsMember({"u32", "u64", "i32", "i64", "f32", "f64", "text"}))
      ->capture_default_str();
  app.add_option("--algorithm", a.algorithm,
                 "radix: by digits; merge, sample or quick: by comparing; auto is radix")
      ->check(CLI::IsMember({"auto", "radix", "merge", "sample", "quick"}))
      ->capture_default_str();
  auto* const binary =
      app.add_flag("--binary", a.binary, "read and write raw numbers, the lowest byte first");
  auto* const column = add_integer(app, "--column", a.column,
                                   "sort this column of each line alone, the first being 1",
                                   index_t{1}, index_t{1} << 40)
                           ->default_str("")
                           ->excludes(binary);
  app.add_flag("--descending", a.descending, "the greatest first");
  auto* const argsort =
      app.add_flag("--argsort", a.argsort,
                   "write the places that the sorted numbers had, from 0, instead of the numbers");
  app.add_flag("--pairs", a.pairs,
               "a line is a key and a value, an integer, which stays with it; of random numbers "
               "the values are their places")
      ->excludes(binary)
      ->excludes(column)
      ->excludes(argsort);
  auto* const generate =
      add_integer(app, "--generate", a.generate,
                  "sort this many random numbers: integers of all values, or [0, 1)", index_t{0},
                  index_t{1} << 40)
          ->default_str("")
          ->excludes(column)
          ->excludes(file);
  add_integer(app, "--seed", a.seed, "of the random numbers", std::uint64_t{0},
              std::numeric_limits<std::uint64_t>::max())
      ->needs(generate);
  add_output_options(app, a, "what is sorted");
  add_work_options(app, a, "look at the result");
  return run_program(app, argc, argv, [&] { return run_type(a); });
}
