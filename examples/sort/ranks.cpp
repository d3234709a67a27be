/// Sorts numbers on several processes: each reads its part of the file, and writes its part of the
/// result.

#include "support/ranks.hpp"
#include "check.hpp"
#include "in_order.hpp"
#include "options.hpp"
#include "random.hpp"
#include "support/numbers.hpp"

#include <ravel/core/cpu/executor.hpp>
#include <ravel/distributed/map.hpp>
#include <ravel/distributed/mpi.hpp>
#include <ravel/distributed/sequence.hpp>
#include <ravel/distributed/sort.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>

namespace ravel::examples {
namespace {

using distributed::mpi;
template <class T>
cpu::buffer<T> numbers_of_rank(arguments const& a, mpi const& ranks, cpu::threads const& ex) {
  if (a.generate < 0) {
    auto const part = read_on_ranks(ranks, a.files[0], a.binary ? index_t{sizeof(T)} : 0, a.header);
    return agreed(ranks, [&] {
      auto const text = part.text.all();
      return a.binary
                 ? read_binary_numbers<T>(text, a.files[0])
                 : read_numbers<T>(ex, text, a.files[0], a.column_at(a.column), part.first_line);
    });
  }
  auto const begins = distributed::even_begins(a.generate, ranks.size());
  index_t const first = begins[ranks.rank()];
  return agreed(ranks, [&] {
    cpu::buffer<T> made(begins[ranks.rank() + 1] - first);
    for_each_index(ex, made.size(),
                   [&](index_t i) { made[i] = uniform<T>(random_word(a.seed, first + i)); });
    return made;
  });
}

template <class T>
void write_sorted(arguments const& a, mpi const& ranks, cpu::threads const& ex,
                  view<T const> numbers) {
  fmt::memory_buffer text;
  std::string_view bytes(reinterpret_cast<char const*>(numbers.data()),
                         static_cast<std::size_t>(numbers.size()) * sizeof(T));
  if (!a.binary) {
    text = text_of_numbers(ex, numbers);
    bytes = {text.data(), text.size()};
  }
  write_on_ranks(ranks, a.output, bytes);
}

/// What is wrong with the result of all ranks; empty if it is sorted and has the given numbers.
template <class T>
std::string wrong_on_ranks(mpi const& ranks, fingerprint const& given, view<T const> out,
                           bool is_descending) {
  in_order const before{is_descending};
  auto const is_less = [&](T x, T y) { return before(x, y); };
  struct part {
    bool is_sorted, is_empty;
    T first, last;
    fingerprint in, out;
  };
  auto const end = out.data() + out.size();
  bool const none = out.size() == 0;
  part const mine{std::is_sorted(out.data(), end, is_less),
                  none,
                  none ? T{} : out[0],
                  none ? T{} : end[-1],
                  given,
                  fingerprint(out)};
  fingerprint all_in, all_out;
  part const* last = nullptr;
  auto const parts = distributed::gather_values(ranks, mine);
  for (part const& p : parts) {
    if (!p.is_sorted || (last && !p.is_empty && before(p.first, last->last))) {
      return "the result is not sorted";
    }
    if (!p.is_empty) last = &p;
    all_in += p.in;
    all_out += p.out;
  }
  return all_in == all_out ? "" : "the result has not the numbers of the input";
}

/// A word that ascends as the numbers with these bits are wanted.  One sort of words serves all
/// numbers of a size.
template <class Word>
struct key_of_bits {
  bool is_descending;
  Word sign;      // of signed integers and floating-point numbers
  Word infinity;  // its bits, or 0 for integers

  Word operator()(Word bits) const {
    Word key = bits ^ sign;
    if (infinity != 0) {
      Word const magnitude = bits & static_cast<Word>(~sign);
      bool const is_negative = magnitude != bits && magnitude != 0;  // -0.0 equals 0.0
      key = magnitude > infinity ? static_cast<Word>(~Word{})
                                 : static_cast<Word>(is_negative ? ~bits : magnitude | sign);
    }
    return is_descending ? static_cast<Word>(~key) : key;
  }
};

template <class T>
auto key_of(bool is_descending) {
  using word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  key_of_bits<word> key{is_descending, 0, 0};
  if (std::is_signed_v<T>) key.sign = word{1} << (8 * sizeof(T) - 1);
  if constexpr (std::is_floating_point_v<T>) {
    key.infinity = std::bit_cast<word>(std::numeric_limits<T>::infinity());
  }
  return key;
}

template <class Ex, class T, class Word>
void sort_by_value(Ex const& ex, distributed::sequence<T, Ex>& numbers, key_of_bits<Word> key) {
  distributed::sequence<Word, Ex> bits(ex, numbers), sorted(ex, numbers);
  map(
      ex, [](T x) { return std::bit_cast<Word>(x); }, bits, numbers);
  radix_sort(ex, bits, sorted, by(key));
  map(
      ex, [](Word x) { return std::bit_cast<T>(x); }, numbers, sorted);
}

template <class T>
sort_measure sort_on(arguments const& a, mpi const& ranks) {
  distributed::executor const ex(cpu::threads(a.where.threads), ranks);
  auto numbers = balance(ex, from_pieces(ex, numbers_of_rank<T>(a, ranks, ex.local())));
  view<T const> const here(numbers.data(), numbers.size());
  fingerprint const given = a.check ? fingerprint(here) : fingerprint();
  auto const begun = std::chrono::steady_clock::now();
  sort_by_value(ex, numbers, key_of<T>(a.descending));
  std::chrono::duration<double> const took = std::chrono::steady_clock::now() - begun;
  auto const seconds = distributed::gather_values(ranks, took.count());
  sort_measure m{"numbers", numbers.total_size(),
                 2.0 * sizeof(T) * static_cast<double>(numbers.total_size()),
                 *std::ranges::max_element(seconds)};
  m.ranks = ranks.size();
  if (a.check) m.wrong = wrong_on_ranks(ranks, given, here, a.descending);
  if (!a.output.empty()) write_sorted(a, ranks, ex.local(), here);
  return m;
}

sort_measure sort_type(arguments const& a, mpi const& ranks) {
  if (a.type == "u32") return sort_on<std::uint32_t>(a, ranks);
  if (a.type == "u64") return sort_on<std::uint64_t>(a, ranks);
  if (a.type == "i32") return sort_on<std::int32_t>(a, ranks);
  if (a.type == "i64") return sort_on<std::int64_t>(a, ranks);
  if (a.type == "f32") return sort_on<float>(a, ranks);
  return sort_on<double>(a, ranks);
}

void refuse_on_ranks(arguments const& a) {
  if (a.type == "text" || a.key > 0 || a.pairs || a.argsort || a.unique || a.merge || a.is_sorted ||
      a.repeats > 0 || (a.algorithm != "auto" && a.algorithm != "radix")) {
    throw bad_input(
        "ravel-sort: --mpi sorts numbers by radix, and takes no lines, --pairs, --argsort, "
        "--unique, --merge, --is-sorted, --bench or other --algorithm");
  }
  if (a.generate < 0 && (a.files.size() > 1 || a.files[0] == "-")) {
    throw bad_input("ravel-sort: --mpi reads one FILE, of which each process reads a part");
  }
  if (a.output == "-" || (a.writes_results() && a.output.empty() && a.json.empty())) {
    throw bad_input("ravel-sort: --mpi writes to a file: -o FILE");
  }
}

}  // namespace

int run_on_ranks(arguments const& a) {
  return run_processes([&](mpi const& ranks) {
    refuse_on_ranks(a);
    auto const m = sort_type(a, ranks);
    int const status = m.wrong.empty() ? success : check_failed;
    return ranks.rank() == 0 ? report_sort(a, device::cpu, m) : status;
  });
}

}  // namespace ravel::examples
