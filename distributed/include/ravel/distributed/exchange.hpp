#pragma once

/// Exchanges of elements: the calls of communicators for sequences and values with types.

#include <ravel/distributed/communicator.hpp>

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

namespace ravel::inline v0::distributed {

/// Whether elements of T can be sent: byte by byte.
template <class T>
inline constexpr bool can_be_sent = std::is_trivially_copyable_v<T>;

/// The value of each rank, on the host of every rank, in the order of ranks.
template <communicator C, class T>
std::vector<T> gather_values(C const& ranks, T const& value) {
  static_assert(can_be_sent<T>, "gather_values: values that are sent are trivially copyable");
  std::vector<T> values(ranks.size());
  ranks.all_gather_host(reinterpret_cast<std::byte const*>(&value),
                        reinterpret_cast<std::byte*>(values.data()), sizeof(T));
  return values;
}

/// Makes pieces[r * n + i] of every rank what rank r has in piece[i], for n elements.  `pieces` and `piece`
/// are in the memory of the local executor, and `piece` may be its own place in `pieces`.
template <class Ex, class T>
void gather_pieces(Ex const& ex, T const* piece, index_t n, T* pieces) {
  static_assert(can_be_sent<T>, "gather_pieces: elements that are sent are trivially copyable");
  ex.ranks().all_gather(ex.local(), piece, pieces, static_cast<std::size_t>(n) * sizeof(T));
}

/// The bytes of counts of elements of x.
template <class T, class X>
std::vector<std::size_t> bytes_of_counts(X const& x, std::span<index_t const> counts) {
  auto const size = view_of(x).size();
  expects(std::accumulate(counts.begin(), counts.end(), index_t{}) <= size,
          "exchange: the counts are more than the ", size, " elements");
  std::vector<std::size_t> bytes;
  for (index_t const n : counts) bytes.push_back(static_cast<std::size_t>(n) * sizeof(T));
  return bytes;
}

/// Sends counts[r] elements of `in`, which has them in the order of ranks, to rank r, and puts
/// to_counts[r] elements from there into `out`, likewise.
template <class Ex, class From, class To>
void exchange(Ex const& ex, From const& in, std::span<index_t const> counts, To&& out,
              std::span<index_t const> to_counts) {
  using T = element_t<To>;
  static_assert(std::is_same_v<T, element_t<From const&>> && can_be_sent<T>,
                "exchange: both sequences have elements of one type, which is trivially copyable");
  ex.ranks().all_to_all_v(ex.local(), view_of(in).data(), bytes_of_counts<T>(in, counts),
                          view_of(out).data(), bytes_of_counts<T>(out, to_counts));
}

namespace detail {

/// Whether `holds` is true on a rank.
bool any_of_ranks(communicator auto const& ranks, bool holds) {
  auto const answers = gather_values(ranks, std::byte{holds});
  return std::ranges::count(answers, std::byte{}) < std::ssize(answers);
}

/// The first rank after `rank` for which has(values[r]) is true, or the number of ranks.
template <class T, class Has>
int next_rank(std::vector<T> const& values, int rank, Has const& has) {
  return static_cast<int>(std::ranges::find_if(values.begin() + rank + 1, values.end(), has) -
                          values.begin());
}
/// The last rank before `rank` for which it is, or -1.
template <class T, class Has>
int previous_rank(std::vector<T> const& values, int rank, Has const& has) {
  do --rank;
  while (rank >= 0 && !has(values[rank]));
  return rank;
}

/// How many of the elements [first, last) are in each of pieces that begin at `begins`.
inline std::vector<index_t> shared_with(index_t first, index_t last,
                                        std::span<index_t const> begins) {
  std::vector<index_t> counts;
  for (std::size_t r = 0; r + 1 < begins.size(); ++r) {
    counts.push_back(
        std::max<index_t>(0, std::min(last, begins[r + 1]) - std::max(first, begins[r])));
  }
  return counts;
}

/// Moves elements to other pieces: rank r has those from begins[r] to begins[r + 1] in `in`, and gets those
/// from to_begins[r] to to_begins[r + 1] in `out`.
void move_between(auto const& ex, auto const& in, std::span<index_t const> begins, auto&& out,
                  std::span<index_t const> to_begins) {
  int const rank = ex.ranks().rank();
  exchange(ex, in, shared_with(begins[rank], begins[rank + 1], to_begins), out,
           shared_with(to_begins[rank], to_begins[rank + 1], begins));
}

/// Consecutive elements.
struct run_of_elements {
  index_t begin, size;
};
/// Sends elements sent[r] of `src` to rank r, and puts what comes from there into received[r] of `dst`, with
/// work around that.  What a rank sends to itself stays.
template <class Ex, class T, class Work = work_around<>>
void exchange_runs(Ex const& ex, T const* src, std::vector<run_of_elements> const& sent, T* dst,
                   std::vector<run_of_elements> const& received, Work const& work = {}) {
  static_assert(can_be_sent<T>, "exchange: elements that are sent are trivially copyable");
  auto const in_bytes = [](std::vector<run_of_elements> const& runs) {
    std::vector<run_of_bytes> result;
    result.reserve(runs.size());
    for (auto const& [begin, size] : runs) {
      result.push_back({static_cast<std::size_t>(begin) * sizeof(T),
                        static_cast<std::size_t>(size) * sizeof(T)});
    }
    return result;
  };
  ex.ranks().exchange_beside(ex.local(), src, in_bytes(sent), dst, in_bytes(received), work);
}

}  // namespace detail
}  // namespace ravel::inline v0::distributed
