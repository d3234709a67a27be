#pragma once

/// Where the elements of one operand occur in another over all ranks: what search_sync and find_end_sync of
/// searches.hpp do.

#include <ravel/distributed/communicator.hpp>
#include <ravel/distributed/exchange.hpp>
#include <ravel/distributed/operands.hpp>
#include <ravel/distributed/routes.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/searches.hpp>

#include <algorithm>
#include <vector>

namespace ravel::inline v0::distributed::detail {

/// A place in the piece of a rank of n elements; n if nothing was found.
struct place_in_piece {
  index_t n, place;
};
/// The first place among the elements of all ranks where one has found something, or the last; of none their
/// number.
template <bool Last = false, class C>
index_t place_of_ranks(C const& ranks, place_in_piece found) {
  index_t before = 0, place = -1;
  for (place_in_piece const& r : gather_values(ranks, found)) {
    if (r.place < r.n && (Last || place < 0)) place = before + r.place;
    before += r.n;
  }
  return place < 0 ? before : place;
}

/// The last m - 1 elements of the piece, or all if it is shorter, and the m - 1 elements that follow, from
/// as many ranks as have them.  Of an empty piece nothing.
///
/// Volume   At most m - 1 elements to each rank before whose piece is that near.
auto elements_at_end(auto const& ex, auto const& in, index_t m) {
  using S = source_t<decltype(in.local())>;
  using T = element_of_t<S>;
  auto const& local = ex.local();
  auto const begins = in.begins();
  auto const end_for = [&](std::size_t r) {
    index_t const end = begins[r + 1];
    return begins[r] == end ? end : std::min(end + m - 1, begins.back());
  };
  auto const rank = static_cast<std::size_t>(ex.ranks().rank());
  index_t const n = in.size(), own = std::min(m - 1, n), first = begins[rank], last = first + n;

  auto firsts = local.template scratch<T>(own);
  auto at_end = local.template allocate<T>(own + end_for(rank) - last);
  S const source = source_of(in.local());
  map_on(local, own, source, ravel::detail::store<T>{firsts.data()});
  map_on(local, own, shifted<S>{source, n - own}, ravel::detail::store<T>{at_end.data()});

  std::vector<run_of_elements> sent, received;
  for (std::size_t r = 0; r + 1 < begins.size(); ++r) {
    index_t const out = r < rank ? std::min(last, end_for(r)) - first : 0;
    index_t const in = r > rank ? std::min(begins[r + 1], end_for(rank)) - begins[r] : 0;
    sent.push_back({0, std::max<index_t>(out, 0)});
    received.push_back({in > 0 ? own + begins[r] - last : 0, std::max<index_t>(in, 0)});
  }
  exchange_runs(ex, firsts.data(), sent, at_end.data(), received);
  return at_end;
}

/// The first place of all ranks at which the elements of `what` begin in `in`, or the last.
template <bool Last, class Ex, class In, class What, class Eq>
index_t occurrence(Ex const& ex, char const* call, In const& in, What const& what, Eq const& eq) {
  auto const& local = ex.local();
  auto const& x = in_pieces(ex, call, in);
  auto const part = piece_of(what);
  using S = source_t<decltype(part)>;
  using U = element_of_t<S>;
  auto const pattern = written_by_all<U>(ex, operand_size(part), [&](U* out) {
    map_on(local, operand_size(part), source_of(part), ravel::detail::store<U>{out});
  });
  index_t const m = pattern.size(), n = x.size();
  if (m == 0 || m > x.total_size()) return m == 0 && !Last ? 0 : x.total_size();

  auto const find = [&](auto const& elements) {
    if constexpr (Last)
      return find_end_sync(local, elements, pattern, eq);
    else
      return search_sync(local, elements, pattern, eq);
  };
  auto const at_end = elements_at_end(ex, x, m);
  auto const within = [&] { return find(x.local()); };
  auto const across = [&] {
    index_t const place = find(at_end);
    return place < at_end.size() ? n - std::min(m - 1, n) + place : n;
  };
  index_t place = Last ? across() : within();
  if (place == n) place = Last ? within() : across();
  return place_of_ranks<Last>(ex.ranks(), {n, place});
}

}  // namespace ravel::inline v0::distributed::detail
