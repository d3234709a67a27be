#pragma once

/// Walks along sublists: from each head and each splitter to the next splitter.

#include <ravel/algorithms/list_cells.hpp>
#include <ravel/algorithms/list_options.hpp>
#include <ravel/core/atomic.hpp>
#include <ravel/core/std_algorithm.hpp>

namespace ravel::inline v0::detail {

/// What chooses the splitters of a pass, and the options of its steps.
struct list_steps {
  index_t count = 0;     // of splitters that walks begin at; 0 if there are none
  index_t first = 0;     // of them, where other executors walk from the others
  bool in_turn = false;  // whether one walk ranks the sublists of a list, as in Wei and JaJa
  walk_grid_of grid;     // of the walks

  /// Whether that walk is one of the host.
  static constexpr bool on_host = false;

  /// Source   Appleby, MurmurHash3, 2011: the 32-bit finaliser.
  RAVEL_HD static std::uint32_t hash(index_t block) {
    auto x = static_cast<std::uint32_t>(block ^ (block >> 32)) + 1;
    x = (x ^ x >> 16) * 0x85ebca6b;
    x = (x ^ x >> 13) * 0xc2b2ae35;
    return x ^ x >> 16;
  }
};

/// One node out of each block of 2^log_spacing neighbours in memory, at a place in the block that a
/// hash chooses.  Whether a node is a splitter is thus computed without a load, and only an
/// adversarial order of the nodes has long stretches with few splitters.
struct splitters : list_steps {
  int log_spacing = 0;

  splitters() = default;
  splitters(index_t n, int log) : log_spacing(log) { count = div_up(n, index_t{1} << log); }

  RAVEL_HD index_t place(index_t block) const {
    return static_cast<index_t>(hash(block)) & ((index_t{1} << log_spacing) - 1);
  }
  /// The splitter of a block; that of the last may be beyond the end, and then does not exist.
  RAVEL_HD index_t node(index_t block) const { return (block << log_spacing) + place(block); }
  RAVEL_HD index_t block(index_t node) const { return node >> log_spacing; }
  RAVEL_HD bool has(index_t node_) const { return log_spacing > 0 && node(block(node_)) == node_; }
};

/// The same with any number of blocks.  Block k begins at k n / count, in binary with as many places as
/// fit, and a node's block is estimated by a multiplication.
struct counted_splitters : list_steps {
  int places = 0;          // of the binary fraction
  std::uint64_t step = 0;  // n / count, as such a number
  double blocks_a_node = 0;

  counted_splitters(index_t n, index_t wanted) {
    count = std::min(n, wanted);
    if (count == 0) return;
    places =
        std::clamp(62 - static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n))), 0, 32);
    auto const size = static_cast<std::uint64_t>(n), parts = static_cast<std::uint64_t>(count);
    step = (size / parts << places) + ((size % parts << places) / parts);
    blocks_a_node = static_cast<double>(count) / static_cast<double>(n);
  }

  RAVEL_HD index_t start(index_t block) const {
    return static_cast<index_t>(static_cast<std::uint64_t>(block) * step >> places);
  }
  RAVEL_HD index_t node(index_t block) const {
    auto const first = start(block), size = start(block + 1) - first;
    return first +
           static_cast<index_t>(
               static_cast<std::uint64_t>(hash(block)) * static_cast<std::uint64_t>(size) >> 32);
  }
  RAVEL_HD index_t block(index_t node) const {
    auto k = static_cast<index_t>(static_cast<double>(node) * blocks_a_node);
    if (k >= count) k = count - 1;
    while (start(k) > node) --k;
    while (k + 1 < count && start(k + 1) <= node) ++k;
    return k;
  }
  RAVEL_HD bool has(index_t node_) const { return count > 0 && node(block(node_)) == node_; }
};

/// The same, whose sublists the host ranks.
template <class By>
struct ranked_on_host : By {
  explicit ranked_on_host(By const& split) : By(split) {}
  static constexpr bool on_host = true;
};

/// The sublists, one for each splitter, and the prefix before each.  They form a list of sublists,
/// which is ranked as the lists themselves are.
template <class Word, class T>
struct list_of_sublists {
  value_cells<Word, T> sublists;  // the next sublist, and the combination over this one
  std::uint32_t* first;           // bits: whether the splitter is the first of its list
  T* ahead;                       // for such a splitter, the prefix before it
  Word* ended_early;              // the number of sublists that did
  index_t of_splitters;  // the sublists of splitters; the others continue sublists that ended early

  RAVEL_HD void enter(index_t sublist, T const& known) const {
    ahead[sublist] = known;
    fetch_or(first + sublist / 32, std::uint32_t{1} << (sublist % 32));
  }
};

/// Initial state: each sublist is its own end, and none is the first of a list.
template <class Word, class T, class M>
struct clear_sublists {
  list_of_sublists<Word, T> to;
  M m;
  RAVEL_HD void operator()(index_t s) const {
    to.sublists.begin(s, s, T(m.identity()));
    if (s % 32 == 0) to.first[s / 32] = 0;
    if (s == 0) *to.ended_early = 0;
  }
};

/// Heads as bits, 32 to a start.
template <class Initial>
struct heads_by_bits {
  std::uint32_t const* bits;
  std::uint32_t flip;  // all ones where a set bit means that the node is not a head
  index_t n;
  Initial initial;
  index_t first = 0;  // the node of the first bit

  RAVEL_HD index_t count() const { return div_up(n, 32); }
  RAVEL_HD std::uint32_t some(index_t k) const {
    index_t const rest = n - 32 * k;
    return (bits[k] ^ flip) & (rest < 32 ? (std::uint32_t{1} << rest) - 1 : ~std::uint32_t{0});
  }
  RAVEL_HD index_t node(index_t k, int bit) const { return first + 32 * k + bit; }
};

/// Given heads, one to a start.
template <class H, class Initial>
struct heads_given {
  H const* heads;
  index_t given;
  index_t n;
  Initial initial;

  RAVEL_HD index_t count() const { return given; }
  RAVEL_HD std::uint32_t some(index_t k) const {
    auto const head = static_cast<index_t>(heads[k]);
    return 0 <= head && head < n ? 1 : 0;
  }
  RAVEL_HD index_t node(index_t k, int) const { return static_cast<index_t>(heads[k]); }
};

/// All walks of a pass.  A `walker` goes from node to node:
///
///     walker w;
///     for (bool going = walks.begin(w, k); going; going = walks.step(w)) {}
///
/// for each k in [0, starts()), where address(w) is the address that the next step reads.
///
/// A walk ends at a node that was visited before, so that walks end even if links are
/// malformed.
template <class Cells, class Heads, class By, class M, bool Inclusive>
struct list_walks {
  using Word = typename Cells::word;
  using T = typename Cells::value;

  Cells cells;
  Heads heads;
  By by;
  list_of_sublists<Word, T> above;
  M m;

  struct walker {
    index_t node;
    Word sublist;
    T sum;
    std::uint32_t heads;  // still to be walked from
    index_t start;
  };

  RAVEL_HD index_t starts() const { return heads.count() + by.count; }
  RAVEL_HD void const* address(walker const& w) const { return cells.at + w.node; }

  RAVEL_HD bool begin(walker& w, index_t k) const {
    w.start = k;
    w.heads = 0;
    if (k < heads.count()) {
      w.heads = heads.some(k);
      return next_head(w);
    }
    index_t const s = by.first + k - heads.count();
    w.node = by.node(s);
    w.sublist = static_cast<Word>(s);
    w.sum = T(m.identity());
    return w.node < cells.n;
  }

  RAVEL_HD bool step(walker& w) const { return step(w, cells); }

  /// The same, with cells accessed through `at`.
  template <class Access>
  RAVEL_HD bool step(walker& w, Access&& at) const {
    auto const cell = at.read(w.node);
    if (cells.is_visited(cell)) {
      end_list(w);
      return next_head(w);
    }
    T const through = m(w.sum, T(cells.own(cell)));
    at.write(w.node, w.sublist, Inclusive ? through : w.sum);
    w.sum = through;
    index_t const next = cells.next(cell);
    if (next == w.node) {
      end_list(w);
      return next_head(w);
    }
    if (by.has(next)) {
      if (w.sublist == cells.whole) {
        above.enter(by.block(next), through);
      } else {
        end_sublist(w, by.block(next));
      }
      return next_head(w);
    }
    w.node = next;
    return !cells.ends_early(w.sublist, through) || go_on_in_another(w);
  }

 private:
  RAVEL_HD void end_sublist(walker const& w, index_t next) const {
    above.sublists.begin(static_cast<index_t>(w.sublist), next, w.sum);
  }
  /// The last sublist of a list is its own next.
  RAVEL_HD void end_list(walker const& w) const {
    if (w.sublist != cells.whole) end_sublist(w, static_cast<index_t>(w.sublist));
  }

  RAVEL_HD bool next_head(walker& w) const {
    while (w.heads != 0) {
      int const bit = lowest_bit(w.heads);
      w.heads &= w.heads - 1;
      w.node = heads.node(w.start, bit);
      w.sum = T(heads.initial(w.node));
      w.sublist = cells.whole;
      if (!by.has(w.node)) return true;
      above.enter(by.block(w.node), w.sum);
    }
    return false;
  }

  RAVEL_HD bool go_on_in_another(walker& w) const {
    index_t const another =
        above.of_splitters + static_cast<index_t>(fetch_add(above.ended_early, Word{1}));
    if (another >= above.sublists.n) return next_head(w);  // where lists meet
    end_sublist(w, another);
    w.sublist = static_cast<Word>(another);
    w.sum = T(m.identity());
    return true;
  }
};

/// One walk after another.
template <class Walks>
struct walk_alone {
  Walks walks;
  RAVEL_HD void operator()(index_t k) const {
    typename Walks::walker w;
    for (bool going = walks.begin(w, k); going; going = walks.step(w)) {
    }
  }
};

/// log2 of the number of nodes for each splitter; 0 if no splitters are faster.
int log_splitter_spacing(auto const&, index_t n) { return n <= 256 ? 0 : 3; }

}  // namespace ravel::inline v0::detail
