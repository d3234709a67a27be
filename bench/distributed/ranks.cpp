/// Calls on the processes of an MPI program, beside the same call of one process with as many
/// threads; sorts beside a sample sort of std::sort and MPI_Alltoallv, and sparse products beside
/// those of PETSc and, on a square number of processes, of CombBLAS, if CMake has found them.
///
///     mpirun -np 2 --bind-to none bench.distributed.ranks --record bench/record
///
/// Rank 0 runs the rows; the others follow its commands.  n of a row is that of each rank.

#include "distributed/products.hpp"
#include "support/host.hpp"

#include <ravel/core/cpu/executor.hpp>
#include <ravel/distributed/deferred_scan.hpp>
#include <ravel/distributed/gather.hpp>
#include <ravel/distributed/map.hpp>
#include <ravel/distributed/mpi.hpp>
#include <ravel/distributed/nested.hpp>
#include <ravel/distributed/pack.hpp>
#include <ravel/distributed/pipelines.hpp>
#include <ravel/distributed/reduce.hpp>
#include <ravel/distributed/scan.hpp>
#include <ravel/distributed/segments.hpp>
#include <ravel/distributed/sequence.hpp>
#include <ravel/distributed/sort.hpp>
#include <ravel/distributed/split.hpp>
#include <ravel/distributed/spmv.hpp>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#if !__has_include(<mpi.h>)
#  error "bench/distributed/ranks.cpp needs mpi.h"
#endif

namespace ravel::bench {
namespace {

using distributed::mpi;
using on_ranks = distributed::executor<cpu::threads, mpi>;
template <class T>
using elements = distributed::sequence<T, on_ranks>;

/// An implementation, as each rank runs it; or rank 0 alone.
struct part {
  std::string name;
  std::function<void()> run;
  std::function<bool()> right;
  bool is_alone = false;
};
struct ranks_row {
  std::string id, work;
  index_t n;
  double bytes_of_each;  // for each element of each rank
  std::function<std::vector<part>(on_ranks const&, index_t)> make;
};

// ---- rows ---------------------------------------------------------------------------------------

/// Element i of all ranks.
std::uint32_t small_number(index_t i) { return static_cast<std::uint32_t>(random_below(1, i, 16)); }

template <class T, class F>
std::shared_ptr<elements<T>> piece(on_ranks const& ex, index_t n, F const& f) {
  auto x = std::make_shared<elements<T>>(ex, n * ex.ranks().size());
  for (index_t i = 0; i < n; ++i) x->data()[i] = f(x->first() + i);
  return x;
}
/// All elements on rank 0, and none on the others.
template <class T, class F>
host::shared<T> all_on_one(on_ranks const& ex, index_t n, F const& f) {
  index_t const ranks = ex.ranks().size();
  return host::generate<T>(cpu::threads(), ex.ranks().rank() == 0 ? n * ranks : 0, f);
}
cpu::threads one_process(on_ranks const& ex) { return cpu::threads(ex.ranks().size()); }

std::vector<part> reduces(on_ranks const& ex, index_t n) {
  auto const x = piece<std::uint32_t>(ex, n, small_number);
  auto const all = all_on_one<std::uint32_t>(ex, n, small_number);
  auto const sum = std::make_shared<std::uint32_t>(0);
  auto const expected = reduce_sync(ex, *x);
  auto const right = [=] { return *sum == expected; };
  return {{"ours", [=] { *sum = reduce_sync(ex, *x); }, right},
          {"peer:one process", [=] { *sum = reduce_sync(one_process(ex), *all); }, right, true}};
}

/// Whether each element of `out` is the one before, and that of `in`.
template <class In, class Out>
bool are_sums(In const& in, Out const& out, index_t n) {
  for (index_t i = 1; i < n; ++i) {
    if (out.data()[i] != out.data()[i - 1] + in.data()[i]) return false;
  }
  return true;
}
std::vector<part> scans(on_ranks const& ex, index_t n) {
  auto const x = piece<std::uint32_t>(ex, n, small_number);
  auto const all = all_on_one<std::uint32_t>(ex, n, small_number);
  auto const y = std::make_shared<elements<std::uint32_t>>(ex, *x);
  auto const sums = host::allocate<std::uint32_t>(cpu::threads(), all->size());
  return {{"ours", [=] { inclusive_scan(ex, *x, *y); }, [=] { return are_sums(*x, *y, n); }},
          {"peer:one process", [=] { inclusive_scan(one_process(ex), *all, *sums); },
           [=] { return are_sums(*all, *sums, all->size()); }, true}};
}

/// Scans whose carries are kept beside the pieces; those of one process as above.
std::vector<part> deferred_scans(on_ranks const& ex, index_t n) {
  auto parts = scans(ex, n);
  auto const x = piece<std::uint32_t>(ex, n, small_number);
  auto const y = std::make_shared<elements<std::uint32_t>>(ex, *x);
  parts[0].run = [=] { deferred_inclusive_scan(ex, *x, *y); };
  parts[0].right = [=] {
    deferred_inclusive_scan(ex, *x, *y).settle();
    return are_sums(*x, *y, n);
  };
  return parts;
}

std::vector<part> filters(on_ranks const& ex, index_t n) {
  auto const x = piece<std::uint32_t>(ex, n, small_number);
  auto const all = all_on_one<std::uint32_t>(ex, n, small_number);
  auto const y = std::make_shared<elements<std::uint32_t>>(ex, *x);
  auto const out = host::allocate<std::uint32_t>(cpu::threads(), all->size());
  auto const is_kept = [](std::uint32_t k) { return k < 5; };
  auto const kept = std::make_shared<index_t>(0);
  index_t own = 0;
  for (index_t i = 0; i < n; ++i) own += is_kept(x->data()[i]);
  auto const counts = distributed::gather_values(ex.ranks(), own);
  index_t const expected = std::accumulate(counts.begin(), counts.end(), index_t{});
  auto const right = [=] { return *kept == expected; };
  return {{"ours", [=] { *kept = filter_sync(ex, *x, is_kept, *y); }, right},
          {"peer:one process", [=] { *kept = filter_sync(one_process(ex), *all, is_kept, *out); },
           right, true}};
}

/// The even numbers, summed up to each, of which those below a half of the bound are kept.
struct is_even {
  bool operator()(std::uint32_t k) const { return k % 2 == 0; }
};
struct has_low_bit {
  bool operator()(std::uint32_t k) const { return k & 4; }
};
auto const sums_of_some = filter(is_even{}) | inclusive_scan(plus{}) | filter(has_low_bit{});

std::vector<part> pipelines(on_ranks const& ex, index_t n) {
  auto const x = piece<std::uint32_t>(ex, n, small_number);
  auto const all = all_on_one<std::uint32_t>(ex, n, small_number);
  auto const y = std::make_shared<elements<std::uint32_t>>(ex, *x);
  auto const out = host::allocate<std::uint32_t>(cpu::threads(), all->size());
  auto const kept = std::make_shared<index_t>(0);
  elements<std::uint32_t> sums(ex, *x);
  map(
      ex, [](std::uint32_t k) { return is_even{}(k) ? k : 0; }, sums, *x);
  inclusive_scan(ex, sums, sums);
  index_t own = 0;
  for (index_t i = 0; i < n; ++i) own += is_even{}(x->data()[i]) && has_low_bit{}(sums.data()[i]);
  auto const counts = distributed::gather_values(ex.ranks(), own);
  index_t const expected = std::accumulate(counts.begin(), counts.end(), index_t{});
  auto const right = [=] { return *kept == expected; };
  return {{"ours", [=] { *kept = (on(ex, *x) | sums_of_some | into(*y)).get(); }, right},
          {"peer:one process",
           [=] { *kept = (on(one_process(ex), *all) | sums_of_some | into(*out)).get(); }, right,
           true}};
}

// ---- calls of which both sides have the same text -----------------------------------------------

/// The operands of a call: numbers, the places of all elements in a random order, and room for results.
template <class X>
struct operands {
  X x, places, y;
  index_t total;
};

/// call(ex, operands) on ranks and on one process, whose results are those of the ranks.
/// finish(ex, operands) is for a result that a call leaves to its next reader.
template <class Call, class CallOfOne, class Finish>
std::vector<part> same_calls(on_ranks const& ex, index_t n, Call const& call,
                             CallOfOne const& call_of_one, Finish const& finish) {
  index_t const total = n * ex.ranks().size();
  auto const place = [=](index_t i) {
    std::uint64_t const mask = std::bit_ceil(static_cast<std::uint64_t>(total)) - 1;
    auto next = static_cast<std::uint64_t>(i);
    do {  // a permutation of [0, 2^k), of which those in range follow one another
      next = next * 0x9e3779b1 & mask;
    } while (next >= static_cast<std::uint64_t>(total));
    return static_cast<std::uint32_t>(next);
  };
  using piece_of_ranks = std::remove_cvref_t<decltype(*piece<std::uint32_t>(ex, n, small_number))>;
  auto const mine = std::make_shared<operands<std::shared_ptr<piece_of_ranks>>>();
  mine->x = piece<std::uint32_t>(ex, n, small_number);
  mine->places = piece<std::uint32_t>(ex, n, place);
  mine->y = std::make_shared<piece_of_ranks>(ex, *mine->x);
  mine->total = total;
  auto const whole = std::make_shared<operands<host::shared<std::uint32_t>>>();
  whole->x = all_on_one<std::uint32_t>(ex, n, small_number);
  whole->places = all_on_one<std::uint32_t>(ex, n, place);
  whole->y = host::allocate<std::uint32_t>(cpu::threads(), whole->x->size());
  whole->total = total;
  auto const is_as_on_one = [=] {
    finish(ex, *mine);
    auto const found = gather_to(ex, *mine->y, 0);
    if (ex.ranks().rank() > 0) return true;
    call_of_one(one_process(ex), *whole);
    return std::equal(found.begin(), found.end(), whole->y->data());
  };
  return {{"ours", [=] { call(ex, *mine); }, is_as_on_one},
          {"peer:one process", [=] { call_of_one(one_process(ex), *whole); }, [] { return true; },
           true}};
}
template <class Call>
auto same_call(Call const& call) {
  return [=](on_ranks const& ex, index_t n) {
    return same_calls(ex, n, call, call, [](auto const&, auto const&) {});
  };
}

std::vector<part> deferred_exclusive_scans(on_ranks const& ex, index_t n) {
  return same_calls(
      ex, n, [](auto const& on, auto const& o) { deferred_exclusive_scan(on, *o.x, *o.y); },
      [](auto const& on, auto const& o) { exclusive_scan(on, *o.x, *o.y); },
      [](auto const& on, auto const& o) { deferred_exclusive_scan(on, *o.x, *o.y).settle(); });
}

struct by_some_bits {
  bool operator()(std::uint32_t a, std::uint32_t b) const { return a / 4 < b / 4; }
};

// ---- sparse products ----------------------------------------------------------------------------

using stencil_rows = decltype(stencil(0, 0, 0));
using rows_of_ranks = distributed::csr<std::vector<index_t>, std::vector<int>, std::vector<double>>;

std::vector<part> products(on_ranks const& ex, index_t n) {
  index_t const all = n * ex.ranks().size(), first = n * ex.ranks().rank();
  auto const a = std::make_shared<rows_of_ranks>(ex, stencil(first, n, all));
  auto const plan = std::make_shared<spmv_plan<on_ranks, rows_of_ranks>>(ex, *a);
  auto const x = piece<double>(ex, n, element_of_x);
  auto const y = std::make_shared<elements<double>>(ex, *x);
  bool const is_one = ex.ranks().rank() == 0;
  auto const whole = std::make_shared<stencil_rows>(stencil(0, is_one ? all : 0, all));
  auto const all_x = all_on_one<double>(ex, n, element_of_x);
  auto const all_y = host::allocate<double>(cpu::threads(), all_x->size());
  using one_plan = spmv_plan<cpu::threads, stencil_rows>;
  auto const plan_of_one = is_one ? std::make_shared<one_plan>(one_process(ex), *whole) : nullptr;
  std::vector<part> parts{{"ours",
                           [=] {
                             (void)a;
                             spmv(ex, *plan, *x, *y);
                           },
                           [=] { return is_product(*y, first, all); }},
                          {"peer:one process",
                           [=] {
                             (void)whole;
                             spmv(one_process(ex), *plan_of_one, *all_x, *all_y);
                           },
                           [=] { return is_product(*all_y, 0, all); }, true}};
#ifdef RAVEL_BENCH_PETSC
  auto const petsc = std::make_shared<petsc_product>(a->block, first, all);
  parts.push_back({"peer:PETSc", [=] { petsc->multiply(); }, [=] { return petsc->is_right(); }});
#endif
#ifdef RAVEL_BENCH_COMBBLAS
  if (combblas_product::can_run_on(ex.ranks().size())) {
    auto const combblas = std::make_shared<combblas_product>(all);
    parts.push_back(
        {"peer:CombBLAS", [=] { combblas->multiply(); }, [=] { return combblas->is_right(); }});
  }
#endif
  return parts;
}

/// The same product as a nested program: of the elements of x that the rows of a rank read.
template <class Rows, class Values, class X>
auto nested_product(Rows const& rows, Values const& values, X const& x) {
  return each(rows, values, [&](auto columns, auto factors) {
    return sum(each(columns, factors, [&](auto c, auto v) { return v * at(x, c); }));
  });
}
std::vector<part> nested_products(on_ranks const& ex, index_t n) {
  index_t const all = n * ex.ranks().size(), first = n * ex.ranks().rank();
  auto const x = piece<double>(ex, n, element_of_x);
  auto const a = std::make_shared<stencil_rows>(stencil(first, n, all));
  auto const plan =
      std::make_shared<distributed::gather_plan<on_ranks, int>>(ex, x->begins(), a->columns);
  auto const rows = from_pieces(ex, from_offsets(ex.local(), plan->numbers(), a->offsets));
  auto const values = from_pieces(ex, from_offsets(ex.local(), a->values, a->offsets));
  auto const near = host::allocate<double>(cpu::threads(), plan->size());
  auto const y = std::make_shared<elements<double>>(ex, *x);
  bool const is_one = ex.ranks().rank() == 0;
  auto const whole = std::make_shared<stencil_rows>(stencil(0, is_one ? all : 0, all));
  auto const all_x = all_on_one<double>(ex, n, element_of_x);
  auto const all_y = std::make_shared<std::vector<double>>();
  auto const one = one_process(ex);
  auto const all_rows = from_offsets(one, whole->columns, whole->offsets);
  auto const all_values = from_offsets(one, whole->values, whole->offsets);
  return {{"ours",
           [=] {
             (void)a;
             plan->fetch(*x, *near);
             *y = distributed::elements(nested_product(rows, values, borrow(ex.local(), *near)));
           },
           [=] { return is_product(*y, first, all); }},
          {"peer:one process",
           [=] {
             (void)whole;
             auto const product =
                 ravel::elements(nested_product(all_rows, all_values, borrow(one, *all_x)));
             all_y->assign(product.begin(), product.end());
           },
           [=] { return is_product(*all_y, 0, all); }, true}};
}

// ---- sorts --------------------------------------------------------------------------------------

/// Sorts the keys of all processes, and returns the piece of this one, of about even size unless
/// keys are equal.
template <class T>
std::vector<T> sample_sort(std::vector<T> keys, MPI_Datatype type) {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::sort(keys.begin(), keys.end());

  int const each = 32 * ranks;
  std::vector<T> samples(each), all(each * ranks);
  for (int k = 0; k < each; ++k) samples[k] = keys[keys.size() * (2 * k + 1) / (2 * each)];
  MPI_Allgather(samples.data(), each, type, all.data(), each, type, MPI_COMM_WORLD);
  std::sort(all.begin(), all.end());

  std::vector<int> begins(ranks), counts(ranks), from(ranks), got(ranks);
  for (int r = 1; r < ranks; ++r) {
    begins[r] = static_cast<int>(
        std::lower_bound(keys.begin(), keys.end(), all[all.size() * r / ranks]) - keys.begin());
  }
  for (int r = 0; r < ranks; ++r) {
    counts[r] = (r + 1 < ranks ? begins[r + 1] : static_cast<int>(keys.size())) - begins[r];
  }
  MPI_Alltoall(counts.data(), 1, MPI_INT, got.data(), 1, MPI_INT, MPI_COMM_WORLD);
  std::exclusive_scan(got.begin(), got.end(), from.begin(), 0);
  std::vector<T> sorted(from.back() + got.back());
  MPI_Alltoallv(keys.data(), counts.data(), begins.data(), type, sorted.data(), got.data(),
                from.data(), type, MPI_COMM_WORLD);
  for (int r = 1; r < ranks; ++r) {
    std::inplace_merge(sorted.begin(), sorted.begin() + from[r], sorted.begin() + from[r] + got[r]);
  }
  return sorted;
}

/// Whether pieces are sorted over all ranks, and have keys of this sum.
template <class X>
bool is_sorted_on(on_ranks const& ex, X const& x, std::uint64_t sum) {
  using T = std::remove_cvref_t<decltype(*x.data())>;
  struct ends {
    bool is_sorted, is_empty;
    T first, last;
    std::uint64_t sum;
  };
  auto const n = static_cast<index_t>(x.size());
  auto const* const begin = x.data();
  ends const mine{std::is_sorted(begin, begin + n), n == 0, n > 0 ? begin[0] : T{},
                  n > 0 ? begin[n - 1] : T{}, std::accumulate(begin, begin + n, std::uint64_t{})};
  T last{};
  for (ends const& e : distributed::gather_values(ex.ranks(), mine)) {
    if (!e.is_sorted || (!e.is_empty && e.first < last)) return false;
    if (!e.is_empty) last = e.last;
    sum -= e.sum;
  }
  return sum == 0;
}

enum class keys { random, zipf, equal };

template <class T, keys Kind>
std::vector<part> sorts(on_ranks const& ex, index_t n) {
  auto const key = [](index_t i) {
    auto const bits = random_bits(2, i);
    if (Kind == keys::equal) return T{7};
    if (Kind == keys::random) return static_cast<T>(bits);
    return static_cast<T>(std::min(1 / std::ldexp(static_cast<double>(bits >> 11) + 1, -53), 1e9));
  };
  auto const x = piece<T>(ex, n, key);
  auto const all = all_on_one<T>(ex, n, key);
  auto const y = std::make_shared<elements<T>>(ex, *x);
  auto const out = host::allocate<T>(cpu::threads(), all->size());
  auto const given = std::make_shared<std::vector<T>>(x->begin(), x->end());
  auto const samples = std::make_shared<std::vector<T>>();
  auto const type = sizeof(T) == 4 ? MPI_UINT32_T : MPI_UINT64_T;
  auto const sums = distributed::gather_values(
      ex.ranks(), std::accumulate(x->begin(), x->end(), std::uint64_t{}));
  auto const sum = std::accumulate(sums.begin(), sums.end(), std::uint64_t{});
  return {{"ours", [=] { radix_sort(ex, *x, *y); }, [=] { return is_sorted_on(ex, *y, sum); }},
          {"peer:one process", [=] { radix_sort(one_process(ex), *all, *out); },
           [=] { return std::is_sorted(out->begin(), out->end()); }, true},
          {"peer:std::sort and MPI_Alltoallv", [=] { *samples = sample_sort(*given, type); },
           [=] { return is_sorted_on(ex, *samples, sum); }}};
}

std::vector<ranks_row> rows() {
  std::vector<ranks_row> all;
  auto const add = [&](int log, std::string const& id, std::string const& work, double bytes,
                       auto make) {
    all.push_back(
        {"ranks." + id + ".2^" + std::to_string(log), work, index_t{1} << log, bytes, make});
  };
  for (int const log : {24, 26}) {
    add(log, "reduce.u32", "reduce_sync", 4, reduces);
    add(log, "inclusive_scan.u32", "inclusive_scan", 8, scans);
    add(log, "deferred_scan.u32", "deferred_inclusive_scan", 8, deferred_scans);
    add(log, "filter.u32", "filter_sync, a third kept", 4 + 4 / 3.0, filters);
  }
  auto const add_same = [&](int log, std::string const& call, std::string const& work, double bytes,
                            auto make) { add(log, call + ".u32", work, bytes, same_call(make)); };
  add(24, "deferred_exclusive_scan.u32", "deferred_exclusive_scan", 8, deferred_exclusive_scans);
  add_same(24, "exclusive_scan", "exclusive_scan", 8,
           [](auto const& ex, auto const& o) { exclusive_scan(ex, *o.x, *o.y); });
  add_same(24, "segmented_scan", "segmented_inclusive_scan of segments of 64", 8,
           [](auto const& ex, auto const& o) {
             segmented_inclusive_scan(ex, *o.x, chunks(o.total, 64), *o.y);
           });
  add_same(22, "split", "split by 8 digits", 8, [](auto const& ex, auto const& o) {
    split<8>(
        ex, *o.x, [](std::uint32_t k) { return static_cast<int>(k % 8); }, *o.y);
  });
  add_same(20, "gather", "gather at random", 12,
           [](auto const& ex, auto const& o) { gather(ex, *o.x, *o.places, *o.y); });
  add_same(20, "scatter", "scatter at random", 12,
           [](auto const& ex, auto const& o) { scatter(ex, *o.x, *o.places, *o.y); });
  add_same(20, "comparison_sort", "comparison_sort, stable", 8,
           [](auto const& ex, auto const& o) { comparison_sort(ex, *o.x, *o.y, by_some_bits{}); });
  add(24, "pipeline.u32", "filter, inclusive_scan and filter in a pipeline", 4 + 4 / 4.0,
      pipelines);
  for (int const log : {20, 22}) {
    add(log, "spmv.f64", "spmv, a 5-point stencil", 5 * 12 + 24, products);
  }
  add(20, "nested_spmv.f64", "each, a 5-point stencil", 5 * 12 + 24, nested_products);
  for (int const log : {22, 24, 26}) {
    add(log, "radix_sort.u32", "radix_sort", 8, sorts<std::uint32_t, keys::random>);
  }
  add(22, "radix_sort.u64", "radix_sort of 64 bits", 16, sorts<std::uint64_t, keys::random>);
  add(22, "radix_sort.zipf", "radix_sort, Zipf", 8, sorts<std::uint32_t, keys::zipf>);
  add(22, "radix_sort.equal", "radix_sort, equal keys", 8, sorts<std::uint32_t, keys::equal>);
  return all;
}

// ---- ranks --------------------------------------------------------------------------------------

/// What all ranks do next.
struct command {
  enum { make, run, check, end } what = end;
  index_t k = 0;  // the row or the part
  index_t n = 0;
};

class group {
  on_ranks ex_;
  std::vector<ranks_row> rows_ = rows();
  std::vector<part> parts_;

  bool obey(command const& c) {
    if (c.what == command::end) {
      parts_.clear();
    } else if (c.what == command::make) {
      parts_.clear();
      parts_ = rows_[c.k].make(ex_, c.n);
    } else if (c.what == command::run) {
      parts_[c.k].run();
      distributed::gather_values(ex_.ranks(), 0);
    } else if (c.what == command::check) {
      auto const all = distributed::gather_values(ex_.ranks(), int{parts_[c.k].right()});
      return std::find(all.begin(), all.end(), 0) == all.end();
    }
    return true;
  }

 public:
  explicit group(mpi const& ranks) : ex_(cpu::threads(1), ranks) {}

  /// On rank 0: all ranks obey.
  bool together(command const& c) {
    distributed::gather_values(ex_.ranks(), c);
    return obey(c);
  }
  /// On the others.
  void follow() {
    for (;;) {
      command const c = distributed::gather_values(ex_.ranks(), command{})[0];
      obey(c);
      if (c.what == command::end) return;
    }
  }

  comparison compared(index_t k, index_t n) {
    together({command::make, k, n});
    comparison all;
    all.bytes = rows_[k].bytes_of_each * static_cast<double>(n) * ex_.ranks().size();
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      part const& p = parts_[i];
      auto const at = static_cast<index_t>(i);
      if (p.is_alone) {
        all.contenders.push_back({p.name, p.run, p.right});
      } else {
        all.contenders.push_back({p.name,
                                  [=, this] {
                                    together({command::run, at, 0});
                                  },
                                  [=, this] {
                                    return together({command::check, at, 0});
                                  }});
      }
    }
    return all;
  }

  suite rows_of_harness() {
    suite s = host::make_suite("distributed", one_process(ex_));
    s.context["ranks"] = std::to_string(ex_.ranks().size());
    for (index_t k = 0; k < std::ssize(rows_); ++k) {
      auto const& r = rows_[static_cast<std::size_t>(k)];
      s.rows.push_back({r.id, r.work, r.n, [=, this](index_t n) { return compared(k, n); }});
    }
    return s;
  }
};

}  // namespace
}  // namespace ravel::bench

int main(int argc, char** argv) {
  using namespace ravel;
  int status = 0;
  distributed::run_mpi(argc, argv,
                       [&](distributed::mpi const& ranks) {
#ifdef RAVEL_BENCH_PETSC
                         PetscInitializeNoArguments();
#endif
                         bench::group all(ranks);
                         if (ranks.rank() > 0) {
                           all.follow();
                         } else {
                           status = bench::run(all.rows_of_harness(), argc, argv);
                           all.together({});
                         }
#ifdef RAVEL_BENCH_PETSC
                         PetscFinalize();
#endif
                       },
                       {.limit = std::chrono::hours(1)});
  return status;
}
