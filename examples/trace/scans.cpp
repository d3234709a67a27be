/// The named scans of ravel, run on the device in software by the code that runs on a device.

#include "algorithms.hpp"
#include "programs.hpp"
#include "recorded.hpp"

#include <ravel/primitives/scan_algorithm.hpp>
#include <ravel/software_device/executor.hpp>

#include <ravel/primitives/cuda/named/chained_cyclic.cuh>
#include <ravel/primitives/cuda/named/decoupled_look_back.cuh>
#include <ravel/primitives/cuda/named/local_sums.cuh>
#include <ravel/primitives/cuda/named/mindex.cuh>
#include <ravel/primitives/cuda/scan.cuh>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <stdexcept>

namespace ravel::trace {
namespace {

/// The name of a __shared__ array is that of the variable, and a tree is swept in one.
template <class T, class Ex, class By>
picture run(Ex const& ex, By by, request const& r, std::size_t tile) {
  recorder rec;
  now = &rec;
  auto const n = std::ssize(r.values);
  auto in = ex.template allocate<T>(n), out = ex.template allocate<T>(n);
  for (index_t i = 0; i < n; ++i) {  // a device in software has the host's memory
    int const x = r.values[static_cast<std::size_t>(i)];
    in.data()[i] = {};
    in.data()[i].v = value::made(x, rec.leaf(x));
  }
  auto heads = ex.template allocate<int>(std::ssize(r.heads));
  std::copy(r.heads.begin(), r.heads.end(), heads.data());
  auto const bytes = static_cast<std::size_t>(n) * sizeof(T);
  rec.know_heads("in", r.heads);
  rec.know({"in", reinterpret_cast<char const*>(in.data()), bytes, sizeof(T)});
  rec.know({"out", reinterpret_cast<char const*>(out.data()), bytes, sizeof(T)});
  rec.ignore(heads.data(), r.heads.size() * sizeof(int));
  if constexpr (std::same_as<typename Ex::space, device_space>) rec.draw_shared_by_value();
  if constexpr (std::same_as<typename By::kind, detail::option::segmented_scan>) {
    rec.know_elements(sizeof(flagged<T>));
    record(rec, [&] { segmented_inclusive_scan(ex, in, by_heads(heads), out, recorded<T>{}, by); });
  } else {
    rec.know_elements(sizeof(T));
    record(rec, [&] { inclusive_scan(ex, in, out, recorded<T>{}, by); });
  }
  picture p = std::move(rec).finish(tile);
  p.block = tile;
  p.warp = RAVEL_WARP_SIZE;
  return p;
}

template <class By>
picture sweep(request const& r, By by) {
  if (r.values.size() <= 8) return run<element<2048>>(blocks<RAVEL_WARP_SIZE, 8>{}, by, r, 8);
  return run<element<1024>>(blocks<of_block, 16>{}, by, r, 16);
}
template <class By>
picture in_blocks(request const& r, By by) {
  return run<plain>(blocks<of_block, of_block>{}, by, r, of_block);
}
template <class By>
picture in_chosen_blocks(request const& r, By by) {
  constexpr index_t wide = 2 * of_block;
  if (r.block == wide) return run<plain>(blocks<wide, wide>{}, by, r, wide);
  return in_blocks(r, by);
}
template <class By>
picture on_device(request const& r, By by) {
  return run<plain>(software_device{}, by, r, of_block);
}

/// The form of look_ahead that has no more than a tile in each block: others need 32 lanes.
struct look_ahead_in_blocks {
  using kind = detail::option::scan;
  static constexpr bool device_only = true;
};
template <class Load, class Visit, class M, class Seed, class Total>
void scan_by(look_ahead_in_blocks, gpu::executor const& ex, index_t n, Load load, Visit visit, M m,
             Seed seed, Total total) {
  run_call_by<gpu::scan_in_blocks>(ex, describe_scan_on(n, load, visit, m, seed, total));
}

struct algorithm {
  entry is;
  picture (*run)(request const&);
  char const* source;
};

/// The numbers of Blelloch's example of the sweeps, which Sengupta, Harris and Garland take over with
/// segments; and those of his split radix sort and, in tenths, of his quicksort.
std::vector<int> const blelloch{3, 1, 7, 0, 4, 1, 6, 3}, in_segments{2, 3, 2, 1},
    split_by_bits{5, 7, 3, 1, 4, 2, 7, 2}, in_tenths{64, 92, 34, 16, 87, 41, 92, 34};
/// Three tiles, so that one-pass forms show what a tile gets from others.
std::vector<int> const three_tiles{3, 1, 2, 4, 1, 5, 2, 3, 1, 1, 1, 1,
                                   2, 2, 2, 2, 4, 0, 1, 3, 2, 5, 1, 2};

using namespace scan_algorithm;
using namespace segmented_algorithm;
algorithm const all[] = {
    {{"naive", "each element combines its own prefix", false},
     [](request const& r) { return in_chosen_blocks(r, naive); },
     "the definition"},
    {{"step_doubling", "each element with the one 1, 2, 4, ... places before it", false},
     [](request const& r) { return in_chosen_blocks(r, step_doubling); },
     "Hillis and Steele 1986"},
    {{"work_efficient", "up a tree, and down again", false, false, blelloch},
     [](request const& r) { return sweep(r, work_efficient); },
     "Blelloch 1990"},
    {{"work_efficient_unpadded", "the same without padding against bank conflicts", false, false,
      blelloch},
     [](request const& r) { return sweep(r, work_efficient_unpadded); },
     "Blelloch 1990"},
    {{"brent_kung", "up a tree, and down to inclusive prefixes, without a swap", false},
     [](request const& r) { return sweep(r, brent_kung); },
     "Brent and Kung 1982"},
    {{"warp_hierarchical", "lanes, warps, blocks, grid", false},
     [](request const& r) { return in_chosen_blocks(r, warp_hierarchical); },
     "Sengupta, Harris and Garland 2008"},
    {{"reduce_then_scan", "totals of tiles, their scan, then each tile", false},
     [](request const& r) { return in_chosen_blocks(r, reduce_then_scan); },
     "Dotsenko et al. 2008"},
    {{"chained_cyclic", "one pass; each tile waits for the prefix of the one before", false, false,
      three_tiles},
     [](request const& r) { return on_device(r, chained_cyclic); },
     "Liu and Aluru 2016"},
    {{"lightscan", "the same, where a warp scans row after row by shuffles", false},
     [](request const& r) {
       return run<plain>(software_device{}, lightscan, r, gpu::lightscan_tile<plain>::width);
     },
     "Liu and Aluru 2016"},
    {{"decoupled_look_back", "one pass; each tile looks back over published aggregates", false,
      false, three_tiles},
     [](request const& r) { return on_device(r, decoupled_look_back); },
     "Merrill and Garland 2016"},
    {{"local_sums", "one pass; persistent blocks add what the others published", false, false,
      three_tiles},
     [](request const& r) { return on_device(r, local_sums); },
     "Maleki, Yang and Burtscher 2016"},
    {{"look_ahead", "one pass; each tile adds what its group has published, in a fixed order",
      false, false, three_tiles},
     [](request const& r) { return on_device(r, look_ahead_in_blocks{}); },
     "ravel, after Merrill and Garland 2016"},
    {{"operator_transform", "a scan of pairs of a value and a head flag", true, false, blelloch,
      in_segments},
     [](request const& r) { return on_device(r, operator_transform); },
     "Schwartz 1980, Blelloch 1989"},
    {{"mindex", "lanes stop at the nearest head", true, false, blelloch, in_segments},
     [](request const& r) { return on_device(r, mindex); },
     "Sengupta, Harris and Garland 2008"},
    {{"compaction", "the odd values, or those with --flags 1, by a scan of flags", false, true},
     compaction,
     "Blelloch 1990"},
    {{"spmv", "matrix times vector: products, their sums in each row, and the last of each", true,
      true},
     spmv,
     "Blelloch, Heroux and Zagha 1993"},
    {{"split_radix_sort", "a split for each bit, the lowest first", false, true, split_by_bits},
     split_radix_sort,
     "Blelloch 1990"},
    {{"quicksort_levels", "all segments of a level split by their first values", false, true,
      in_tenths},
     quicksort_levels,
     "Blelloch 1990"},
    {{"list_ranking",
      "pointer jumping; each value is the link of a node",
      false,
      true,
      {4, 2, 2, 0, 1}},
     list_ranking,
     "Wyllie 1979"},
    {{"list_ranking_by_splitters",
      "walks of sublists, which begin at each third node, and pointer jumping over these",
      false,
      true,
      {5, 6, 7, 0, 2, 1, 4, 7}},
     list_ranking_by_splitters,
     "Wei and JaJa 2010"},
    {{"pipeline", "squares, their sums, and of those the odd ones: map | scan | filter", false,
      true},
     pipeline,
     "One pass: a call of scan_then_pack"},
    {{"pipeline_backward", "sums, from the last to the first: scan | reverse", false, true},
     pipeline_backward,
     "Two passes: reverse wants all sums"},
    {{"nested_sums",
      "each row's sum of squares: each(rows, [](auto row) { return sum(row * row); })",
      true,
      true,
      {3, 1, 2, 4, 1, 5, 2, 3},
      {3, 0, 3, 2}},
     nested_sums,
     "Blelloch and Sabot 1990"},
    {{"nested_scan",
      "a scan of each row: each(rows, [](auto row) { return inclusive_scan(row); })",
      true,
      true,
      {3, 1, 2, 4, 1, 5, 2, 3},
      {3, 0, 3, 2}},
     nested_scan,
     "Blelloch and Sabot 1990"},
    {{"nested_filter",
      "the odd values of each row",
      true,
      true,
      {3, 1, 2, 4, 1, 5, 2, 3},
      {3, 0, 3, 2}},
     nested_filter,
     "Blelloch and Sabot 1990"},
    {{"nested_choice",
      "by if_, the maximum of each row that has more than two values, and the sum of others",
      true,
      true,
      {3, 1, 2, 4, 1, 5, 2, 3},
      {3, 0, 3, 2}},
     nested_choice,
     "Blelloch and Sabot 1990"},
    {{"nested_quicksort",
      "quicksort of each row, by rec",
      true,
      true,
      {3, 1, 5, 4, 9, 8, 7},
      {4, 0, 3}},
     nested_quicksort,
     "Blelloch 1990"},
    {{"nested_product",
      "a matrix times a vector: each(rows, [&](auto row) { return sum(snd(row) * gather(x, "
      "fst(row))); })",
      true, true},
     nested_product,
     "Blelloch and Sabot 1990"},
};

/// The lowest 32 bits, as in the player.
std::int32_t wrapped(std::int64_t x) { return static_cast<std::int32_t>(x); }

struct named_operation {
  char const* name;
  operation run;
  std::int32_t identity;
};
named_operation const operations[] = {
    {"plus", [](std::int32_t a, std::int32_t b) { return wrapped(std::int64_t{a} + b); }, 0},
    {"times", [](std::int32_t a, std::int32_t b) { return wrapped(std::int64_t{a} * b); }, 1},
    {"max", [](std::int32_t a, std::int32_t b) { return std::max(a, b); }, INT32_MIN},
    {"min", [](std::int32_t a, std::int32_t b) { return std::min(a, b); }, INT32_MAX},
    {"or", [](std::int32_t a, std::int32_t b) { return a | b; }, 0},
};

}  // namespace

std::vector<entry> const& algorithms() {
  static std::vector<entry> const names = [] {
    std::vector<entry> found;
    for (algorithm const& s : all) found.push_back(s.is);
    return found;
  }();
  return names;
}

picture trace(request const& given) {
  auto const found = std::find_if(std::begin(all), std::end(all),
                                  [&](algorithm const& s) { return s.is.name == given.algorithm; });
  if (found == std::end(all))
    throw std::invalid_argument("there is no algorithm " + given.algorithm);
  request r = given;
  if (r.values.empty()) throw std::invalid_argument("there are no values");
  auto const in_any_blocks = {"naive", "step_doubling", "warp_hierarchical", "reduce_then_scan"};
  if (r.block != 0 &&
      std::find(in_any_blocks.begin(), in_any_blocks.end(), r.algorithm) == in_any_blocks.end())
    throw std::invalid_argument(r.algorithm + " has blocks of one width only");
  if (r.block != 0 && r.block != of_block && r.block != 2 * of_block)
    throw std::invalid_argument("there are blocks of " + std::to_string(of_block) + " and of " +
                                std::to_string(2 * of_block) + " threads, and not of " +
                                std::to_string(r.block));
  if (found->is.is_program && r.op != "plus")
    throw std::invalid_argument(r.algorithm + " has no operator to choose");
  if (found->is.segmented) {
    if (!r.lengths.empty()) {
      r.heads.assign(r.values.size(), 0);
      std::size_t begin = 0;
      for (int const length : r.lengths) {
        if (length < 0)
          throw std::invalid_argument("a segment has " + std::to_string(length) + " values");
        if (begin < r.heads.size()) r.heads[begin] = 1;
        begin += static_cast<std::size_t>(length);
      }
      if (begin != r.heads.size()) {
        throw std::invalid_argument("there are " + std::to_string(r.heads.size()) +
                                    " values, and the segments have " + std::to_string(begin));
      }
    }
    if (r.heads.empty()) {
      throw std::invalid_argument(r.algorithm +
                                  " needs segments: --segments 3,5 or --flags 1,0,0,1,0,0,0,0");
    }
    if (r.heads.size() != r.values.size()) {
      throw std::invalid_argument("there are " + std::to_string(r.values.size()) + " values and " +
                                  std::to_string(r.heads.size()) + " flags");
    }
  } else if (r.algorithm == "compaction" && r.lengths.empty()) {
    if (!r.heads.empty() && r.heads.size() != r.values.size()) {
      throw std::invalid_argument("there are " + std::to_string(r.values.size()) + " values and " +
                                  std::to_string(r.heads.size()) + " flags");
    }
  } else if (!r.heads.empty() || !r.lengths.empty()) {
    throw std::invalid_argument(r.algorithm + " has no segments");
  }
  for (named_operation const& each : operations) {
    if (each.name != (r.op == "symbols" ? "plus" : r.op)) continue;
    op = each.run;
    identity_number = each.identity;
  }
  software::dice::seed(r.seed);
  counted = {};
  picture p = found->run(r);
  if (p.counts.empty()) p.counts = text_of(counted);
  p.is_decided = found->is.is_program;
  p.title = r.algorithm;
  p.op = r.op;
  if (r.op == "symbols") {
    use_symbols(p);
    p.op = "join";  // the name of the player
  }
  if (p.observed.empty()) {
    p.observed = std::string(p.is_decided ? "calls of the library" : "the library's own code") +
                 " on the device in software, warps of " + std::to_string(p.warp) + ", tiles of " +
                 std::to_string(p.block);
  }
  p.source = found->source;
  return p;
}

}  // namespace ravel::trace
