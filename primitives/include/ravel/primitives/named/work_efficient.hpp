#pragma once

/// The work-efficient scans: an upsweep of a tree, and a downsweep with the swap or without.

#include <ravel/primitives/named/scan_then_propagate.hpp>

namespace ravel::inline v0 {
namespace detail {

/// Sweeps a tile in sections of a power of two, each as a tree in shared memory.  One element of
/// padding after every 32 avoids bank conflicts at the strides of a tree.
template <class T, class Load, class M, bool Padded>
struct tree_sweep_by {
  Load load;
  T* through;
  T* totals;
  M m;

  static constexpr std::size_t room = 16 << 10;
  static constexpr int most =
      sizeof(T) <= room ? static_cast<int>(std::bit_floor(room / sizeof(T))) : 1;
  static constexpr int width = most < 512 ? most : 512;

  static constexpr int places = Padded ? width + width / 32 : width;

  static RAVEL_HD int place(index_t i) { return static_cast<int>(Padded ? i + (i >> 5) : i); }

  template <class There, class Tree>
  struct fill {
    There load;
    Tree& tree;
    index_t begin, end;
    M m;
    RAVEL_HD void operator()(index_t k) const {
      tree[place(k)] = begin + k < end ? T(load(begin + k)) : T(m.identity());
    }
  };
  /// Each parent, which is stored in the place of its right child, becomes the combination of its
  /// children.
  template <class Tree>
  struct up {
    Tree& tree;
    index_t distance;
    M m;
    RAVEL_HD void operator()(index_t k) const {
      T& right = tree[place((2 * k + 2) * distance - 1)];
      right = m(T(tree[place((2 * k + 1) * distance - 1)]), T(right));
    }
  };
  /// Loads the leaves of a section, the identity beyond `end`, and sweeps up.
  template <class Team, class There, class Tree>
  static RAVEL_HD void grow(Team const& team, There const& load, Tree& tree, index_t begin,
                            index_t end, M m) {
    team.for_each({0, 0, width}, fill<There, Tree>{load, tree, begin, end, m});
    team.sync();
    for (index_t d = 1; d < width; d *= 2) {
      team.for_each({0, 0, width / (2 * d)}, up<Tree>{tree, d, m});
      team.sync();
    }
  }
  /// The prefix of a parent is the prefix of its left child; that of its right child is the
  /// parent's combined with the left child.
  template <class Tree>
  struct down {
    Tree& tree;
    index_t distance;
    M m;
    RAVEL_HD void operator()(index_t k) const {
      T& left = tree[place((2 * k + 1) * distance - 1)];
      T& right = tree[place((2 * k + 2) * distance - 1)];
      T const of_left = left;
      left = right;
      right = m(T(right), of_left);
    }
  };
  template <class There, class Tree>
  struct drain {
    There load;
    Tree& tree;
    index_t begin, end;
    T* through;
    M m;
    RAVEL_HD void operator()(index_t k) const {
      if (begin + k < end) through[begin + k] = m(T(tree[place(k)]), T(load(begin + k)));
    }
  };

  template <class Team>
  RAVEL_HD void operator()(Team const& team, tile t) const {
    auto const load_here = on_tile(load, t);
    auto&& tree = team.template shared<T, places>();
    using There = std::remove_const_t<decltype(load_here)>;
    using Tree = std::remove_reference_t<decltype(tree)>;
    T carry = m.identity();
    for (index_t begin = t.begin; begin < t.end; begin += width) {
      grow(team, load_here, tree, begin, t.end, m);
      T const next = m(carry, T(tree[place(width - 1)]));
      team.sync();
      if (team.leads()) tree[place(width - 1)] = carry;
      team.sync();
      for (index_t d = width / 2; d > 0; d /= 2) {
        team.for_each({0, 0, width / (2 * d)}, down<Tree>{tree, d, m});
        team.sync();
      }
      team.for_each({0, 0, width}, drain<There, Tree>{load_here, tree, begin, t.end, through, m});
      team.sync();
      carry = next;
    }
    if (team.leads()) totals[t.id] = carry;
  }
};

template <class T, class Load, class M>
using tree_sweep = tree_sweep_by<T, Load, M, true>;
template <class T, class Load, class M>
using unpadded_tree_sweep = tree_sweep_by<T, Load, M, false>;

/// The same upsweep, and then down to inclusive prefixes, without swap and without a second load.
template <class T, class Load, class M>
struct inclusive_tree_sweep {
  using trees = tree_sweep<T, Load, M>;
  Load load;
  T* through;
  T* totals;
  M m;

  /// The last leaf of each subtree has its prefix already, and is combined with the middle of the
  /// subtree to its right.
  template <class Tree>
  struct across {
    Tree& tree;
    index_t distance;
    M m;
    RAVEL_HD void operator()(index_t k) const {
      index_t const left = (2 * k + 2) * distance - 1;
      T& middle = tree[trees::place(left + distance)];
      middle = m(T(tree[trees::place(left)]), T(middle));
    }
  };
  template <class Tree>
  struct drain {
    Tree& tree;
    index_t begin, end;
    T* through;
    T carry;
    M m;
    RAVEL_HD void operator()(index_t k) const {
      if (begin + k < end) through[begin + k] = m(carry, T(tree[trees::place(k)]));
    }
  };

  template <class Team>
  RAVEL_HD void operator()(Team const& team, tile t) const {
    constexpr int width = trees::width;
    auto const load_here = on_tile(load, t);
    auto&& tree = team.template shared<T, trees::places>();
    using Tree = std::remove_reference_t<decltype(tree)>;
    T carry = m.identity();
    for (index_t begin = t.begin; begin < t.end; begin += width) {
      trees::grow(team, load_here, tree, begin, t.end, m);
      for (index_t d = width / 4; d > 0; d /= 2) {
        team.for_each({0, 0, width / (2 * d) - 1}, across<Tree>{tree, d, m});
        team.sync();
      }
      T const next = m(carry, T(tree[trees::place(width - 1)]));
      team.for_each({0, 0, width}, drain<Tree>{tree, begin, t.end, through, carry, m});
      team.sync();
      carry = next;
    }
    if (team.leads()) totals[t.id] = carry;
  }
};

}  // namespace detail

namespace scan_algorithm {

/// The type of `work_efficient`.
struct work_efficient_t : detail::by_sweeps<detail::tree_sweep> {};

/// The upsweep combines pairs, pairs of pairs, and so on, in a tree; the downsweep passes down the
/// exclusive prefix of each node:
///
///     3   1   2   4   1   5   0   0
///     3   4   2  10   1   6   0  16        upsweep: combinations of 2, 4, 8, in place
///     3   4   2   0   1   6   0  10        downsweep: prefixes of the halves
///     3   0   2   4   1  10   0  16        prefixes of the quarters
///     0   3   4   6  10  11  16  16        prefixes of each element
///
/// 2 (n - 1) operations in 2 log2 n steps, in most of which most threads are idle.  Trees have 512
/// leaves in shared memory; a tile is several of them, one after another; the totals of tiles are
/// scanned by the same algorithm, and then added to the elements, for any length.
///
/// Cost     5 n work, on a device 5.6 n, O(log n) steps.  2 launches for n up to a tile of b, and 2
///          ceil(log_b n) - 1 beyond.  Moves 4 n, and needs memory for n values.
/// Source   Blelloch, "Prefix Sums and Their Applications", CMU-CS-90-190, 1990; on GPUs, and for
///          the padding, Harris, Sengupta and Owens, "Parallel Prefix Sum (Scan) with CUDA", GPU
///          Gems 3, chapter 39, 2007.
inline constexpr work_efficient_t work_efficient{};

/// The type of `work_efficient_unpadded`.
struct work_efficient_unpadded_t : detail::by_sweeps<detail::unpadded_tree_sweep> {};

/// The same without the padding, to show its effect: at stride s the lanes of a warp access 32 / s banks
/// of shared memory, so that each access is serialised s times.  docs/scan.md counts bank conflicts.
inline constexpr work_efficient_unpadded_t work_efficient_unpadded{};

/// The type of `brent_kung`.
struct brent_kung_t : detail::by_sweeps<detail::inclusive_tree_sweep> {};

/// The same upsweep, after which the prefixes at the left edge of the tree are complete; the
/// downsweep adds each to the middle of the subtree to its right.  It needs no swap, and each
/// element is loaded once:
///
///     3   1   2   4   1   5   2   3
///     3   4   2  10   1   6   2  21        upsweep
///     3   4   2  10   1  16   2  21        10 is added two places to its right,
///     3   4   6  10  11  16  18  21        and 4, 10 and 16 one place
///
/// Cost     5 n work, O(log n) steps.  2 launches for n up to a tile of b, and 2 ceil(log_b n) - 1
///          beyond.  Moves 4 n, and needs memory for n values.
/// Source   Brent and Kung, "A Regular Layout for Parallel Adders", IEEE Trans. Computers C-31(3),
///          1982.
inline constexpr brent_kung_t brent_kung{};

}  // namespace scan_algorithm
}  // namespace ravel::inline v0
