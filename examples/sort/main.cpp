/// Sorts numbers, from text or from bytes, on the CPU or on a GPU.

#include "check.hpp"
#include "sorting.hpp"
#include "support/command_line.hpp"
#include "support/copy_bandwidth.hpp"
#include "support/device.hpp"
#include "support/input.hpp"
#include "support/numbers.hpp"

#include <ravel/core/cpu/executor.hpp>
#include <ravel/primitives/map.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <limits>

namespace ravel::examples {
namespace {

struct arguments {
  std::string file;
  std::string type = "f64";
  bool binary = false;
  index_t column = 0;
  bool descending = false;
  bool argsort = false;
  index_t generate = -1;
  std::uint64_t seed = 1;
  device_options where;
  int repeats = 3;
  std::string out;
  bool check = false;
  bool json = false;
};

/// The i-th word of SplitMix64 started with `seed`.
///
/// Source   Steele, Lea and Flood, "Fast Splittable Pseudorandom Number
///          Generators", OOPSLA 2014.
std::uint64_t random_word(std::uint64_t seed, index_t i) {
  std::uint64_t z = seed + (static_cast<std::uint64_t>(i) + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

/// A number of the highest bits of a word: uniform over all integers, or over [0, 1).
template <class T>
T uniform(std::uint64_t word) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(word >> (64 - 8 * sizeof(T)));
  } else {
    constexpr int digits = std::numeric_limits<T>::digits;
    return static_cast<T>(word >> (64 - digits)) / static_cast<T>(std::uint64_t{1} << digits);
  }
}

/// The numbers that are to be sorted.
template <class T>
cpu::buffer<T> input_of(arguments const& a) {
  cpu::threads const ex(a.where.threads);
  if (a.generate >= 0) {
    cpu::buffer<T> numbers(a.generate);
    for_each_index(ex, a.generate,
                   [&](index_t i) { numbers[i] = uniform<T>(random_word(a.seed, i)); });
    return numbers;
  }
  if (a.binary) return read_binary_numbers<T>(read_raw(a.file).all(), a.file);
  return read_numbers<T>(ex, read_input(a.file).all(), a.file, a.column);
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

template <class T>
int run(arguments const& a) {
  auto const d = chosen_device(a.where);
  auto const numbers = input_of<T>(a);
  view<T const> const in(numbers.data(), numbers.size());
  sort_job const job{a.descending, a.argsort, a.where.threads, a.repeats};
  auto const result =
      with_backend(d, [&]<class B>(std::type_identity<B>) { return sort_numbers<B>(in, job); });

  std::string wrong;
  if (a.check) {
    wrong = a.argsort ? what_is_wrong_with_order(in, result.order, a.descending)
                      : what_is_wrong(in, result.numbers, a.descending);
  }
  if (!a.json || !a.out.empty()) {
    std::string const path = a.out.empty() ? "-" : a.out;
    if (a.argsort) {
      write(a, result.order, path);
    } else {
      write(a, result.numbers, path);
    }
  }

  auto const n = static_cast<double>(in.size());
  double const rate = n / result.seconds;
  if (a.json) {
    // What must move: each number once in, and it or its place once out.
    double const bytes = n * (sizeof(T) + (a.argsort ? sizeof(index_t) : sizeof(T)));
    double const bandwidth = bytes / result.seconds;
    double const copy = with_backend(
        d, [&]<class B>(std::type_identity<B>) { return copy_bandwidth<B>(a.where.threads); });
    nlohmann::ordered_json const report{
        {"n", in.size()},
        {"type", a.type},
        {"device", name_of(d)},
        {"seconds", result.seconds},
        {"keys_per_s", rate},
        {"gbytes_per_s", bandwidth / 1e9},
        {"copy_fraction", bandwidth / copy},
        {"descending", a.descending},
        {"argsort", a.argsort},
        {"checked", a.check && wrong.empty()},
    };
    fmt::print("{}\n", report.dump());
  } else {
    fmt::print(stderr,
               "{} numbers of type {} sorted in {:.3g} s on {}: {:.4g} million a second{}\n",
               in.size(), a.type, result.seconds, description_of(d, a.where.threads), rate / 1e6,
               a.check && wrong.empty() ? ", and checked" : "");
  }
  if (!wrong.empty()) fmt::print(stderr, "ravel-sort: the check fails: {}\n", wrong);
  return wrong.empty() ? success : check_failed;
}

int run_type(arguments const& a) {
  if (a.file.empty() == (a.generate < 0)) {
    throw bad_input(a.file.empty()
                        ? "ravel-sort: what is to be sorted? Name a FILE, - for standard input, "
                          "or --generate N"
                        : "ravel-sort: a FILE and --generate: which of the two?");
  }
  if (a.json && a.out == "-") {
    throw bad_input("ravel-sort: --json and -o - both want standard output");
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
      "Sorts numbers, by their value and stably. -0.0 equals +0.0, and NaNs of either sign are\n"
      "equal and come last; --descending turns all around, and keeps equal ones in their order.",
      "ravel-sort"};
  arguments a;
  app.add_option("FILE", a.file,
                 "numbers separated by white space or commas, gzipped or not; - is standard input");
  app.add_option("--type", a.type, "of the numbers: integers, unsigned or not, or floating point")
      ->check(CLI::IsMember({"u32", "u64", "i32", "i64", "f32", "f64"}))
      ->capture_default_str();
  auto* const binary =
      app.add_flag("--binary", a.binary, "read and write raw numbers, the lowest byte first");
  app.add_option("--column", a.column, "sort this column of each line alone, the first being 1")
      ->check(CLI::Range(index_t{1}, index_t{1} << 40))
      ->excludes(binary);
  app.add_flag("--descending", a.descending, "the greatest first");
  app.add_flag("--argsort", a.argsort,
               "write the places that the sorted numbers had, from 0, instead of the numbers");
  app.add_option("--generate", a.generate,
                 "sort this many random numbers: integers of all values, or [0, 1)")
      ->check(CLI::Range(index_t{0}, index_t{1} << 40));
  app.add_option("--seed", a.seed, "of the random numbers")->capture_default_str();
  add_device_options(app, a.where);
  app.add_option("--repeat", a.repeats, "how many times to sort, of which the median is told")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_option("-o,--output", a.out,
                 "where to write; standard output if absent, or with --json nowhere");
  app.add_flag("--check", a.check, "look at the result, and exit with 1 if it is wrong");
  app.add_flag("--json", a.json, "print one JSON object");
  return run_program(app, argc, argv, [&] { return run_type(a); });
}
