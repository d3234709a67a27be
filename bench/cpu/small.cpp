/// Few elements on the CPU: each primitive compared with the equivalent serial loop.

#include "support/few.hpp"

#include <ravel/algorithms/comparison_sort.hpp>
#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/primitives/adjacent_difference.hpp>
#include <ravel/primitives/distribute.hpp>
#include <ravel/primitives/expand.hpp>
#include <ravel/primitives/gather.hpp>
#include <ravel/primitives/histogram.hpp>
#include <ravel/primitives/iota.hpp>
#include <ravel/primitives/linear_recurrence.hpp>
#include <ravel/primitives/merge.hpp>
#include <ravel/primitives/pack.hpp>
#include <ravel/primitives/reduce_by_key.hpp>
#include <ravel/primitives/run_length.hpp>
#include <ravel/primitives/scan.hpp>
#include <ravel/primitives/scatter.hpp>
#include <ravel/primitives/search.hpp>
#include <ravel/primitives/segmented_reduce.hpp>
#include <ravel/primitives/segmented_scan.hpp>
#include <ravel/primitives/split.hpp>
#include <ravel/primitives/unique.hpp>

#include <algorithm>
#include <cstdint>

namespace ravel::bench::host::few {
namespace {

/// Saturating sums: a monoid that the library does not know.
struct bounded_plus {
  static T identity() { return 0; }
  T operator()(T x, T y) const { return std::min<T>(x + y, 5000); }
};
struct is_small {
  bool operator()(T x) const { return x < T{1} << 31; }
};
template <T Values>
struct lowest_bits {
  int operator()(T x) const { return static_cast<int>(x % Values); }
};

/// The loop beside reduce_by_key.
template <class V>
void sum_runs(on_t d, V const* in, V* out) {
  T const* const keys = d.keys.data();
  T* const out_keys = d.out.data();
  V sum = 0;
  index_t runs = 0;
  for (index_t i = 0, n = d.keys.size(); i < n; ++i) {
    sum += in[i];
    if (i + 1 == n || keys[i] != keys[i + 1]) {
      out_keys[runs] = keys[i];
      out[runs++] = sum;
      sum = 0;
    }
  }
  d.counts[0] = runs;
}

void add_maps(rows_of_all& rows, ex_t ex) {
  add(
      rows, ex, "map", "squares u32",
      [](ex_t by, on_t d) {
        map(
            by, [](T x) { return x * x; }, d.out, d.in);
      },
      [](on_t d) {
        T const* const in = d.in.data();
        T* const out = d.out.data();
        for (index_t i = 0, n = d.in.size(); i < n; ++i) out[i] = in[i] * in[i];
      });
  add(
      rows, ex, "distribute", "one value u32", [](ex_t by, on_t d) { distribute(by, T{7}, d.out); },
      [](on_t d) {
        T* const out = d.out.data();
        for (index_t i = 0, n = d.out.size(); i < n; ++i) out[i] = 7;
      });
  add(
      rows, ex, "iota", "indices u32", [](ex_t by, on_t d) { iota(by, d.out); },
      [](on_t d) {
        T* const out = d.out.data();
        for (index_t i = 0, n = d.out.size(); i < n; ++i) out[i] = static_cast<T>(i);
      });
  add(
      rows, ex, "gather", "gather u32", [](ex_t by, on_t d) { gather(by, d.in, d.at, d.out); },
      [](on_t d) {
        T const* const in = d.in.data();
        std::int32_t const* const at = d.at.data();
        T* const out = d.out.data();
        for (index_t i = 0, n = d.at.size(); i < n; ++i) out[i] = in[at[i]];
      });
  add(
      rows, ex, "scatter", "scatter u32", [](ex_t by, on_t d) { scatter(by, d.in, d.at, d.out); },
      [](on_t d) {
        T const* const in = d.in.data();
        std::int32_t const* const at = d.at.data();
        T* const out = d.out.data();
        for (index_t i = 0, n = d.at.size(); i < n; ++i) out[at[i]] = in[i];
      });
  add(
      rows, ex, "adjacent_difference", "differences u32",
      [](ex_t by, on_t d) { adjacent_difference(by, d.in, d.out); },
      [](on_t d) {
        T const* const in = d.in.data();
        T* const out = d.out.data();
        index_t const n = d.in.size();
        if (n > 0) out[0] = in[0];
        for (index_t i = 1; i < n; ++i) out[i] = in[i] - in[i - 1];
      });
}

template <class X>
void sum_by_loop(buffer<X> const& in, buffer<X> const& out) {
  X sum = 0;
  for (index_t i = 0, n = in.size(); i < n; ++i) sum += in[i];
  out[0] = sum;
}
template <class X>
void scan_by_loop(buffer<X> const& in, buffer<X> const& out) {
  X const* const from = in.data();
  X* const to = out.data();
  X sum = 0;
  for (index_t i = 0, n = in.size(); i < n; ++i) to[i] = sum += from[i];
}

void add_scans(rows_of_all& rows, ex_t ex) {
  add(
      rows, ex, "reduce.u32", "sum u32",
      [](ex_t by, on_t d) { reduce(by, d.in, view<T>(d.out.data(), 1)); },
      [](on_t d) { sum_by_loop(d.in, d.out); });
  add(
      rows, ex, "reduce.f32", "sum f32",
      [](ex_t by, on_t d) { reduce(by, d.reals, view<float>(d.sums.data(), 1)); },
      [](on_t d) { sum_by_loop(d.reals, d.sums); });
  add(
      rows, ex, "scan.u32", "inclusive scan u32",
      [](ex_t by, on_t d) { inclusive_scan(by, d.in, d.out); },
      [](on_t d) { scan_by_loop(d.in, d.out); });
  add(
      rows, ex, "scan.f32", "inclusive scan f32",
      [](ex_t by, on_t d) { inclusive_scan(by, d.reals, d.sums); },
      [](on_t d) { scan_by_loop(d.reals, d.sums); });
  add(
      rows, ex, "scan.exclusive", "exclusive scan u32",
      [](ex_t by, on_t d) { exclusive_scan(by, d.in, d.out); },
      [](on_t d) {
        T const* const in = d.in.data();
        T* const out = d.out.data();
        T sum = 0;
        for (index_t i = 0, n = d.in.size(); i < n; ++i) {
          T const before = sum;
          sum += in[i];
          out[i] = before;
        }
      });
  add(
      rows, ex, "scan.backward", "inclusive scan u32 from behind",
      [](ex_t by, on_t d) { inclusive_scan(by, d.in, d.out, plus{}, backward); },
      [](on_t d) {
        T const* const in = d.in.data();
        T* const out = d.out.data();
        T sum = 0;
        for (index_t i = d.in.size(); i-- > 0;) out[i] = sum += in[i];
      });
  add(
      rows, ex, "scan.any", "inclusive scan u32 of bounded sums",
      [](ex_t by, on_t d) { inclusive_scan(by, d.little, d.out, bounded_plus{}); },
      [](on_t d) {
        T const* const in = d.little.data();
        T* const out = d.out.data();
        T sum = 0;
        for (index_t i = 0, n = d.little.size(); i < n; ++i) {
          out[i] = sum = bounded_plus{}(sum, in[i]);
        }
      },
      data::new_to_all);
  add(
      rows, ex, "scan.tuples3", "sums of tuples of 3, u32",
      [](ex_t by, on_t d) { inclusive_scan(by, d.in, d.out, plus{}, of_tuples<3>); },
      [](on_t d) {
        T const* const in = d.in.data();
        T* const out = d.out.data();
        for (index_t i = 0, n = d.in.size(); i < n; ++i) {
          out[i] = i < 3 ? in[i] : out[i - 3] + in[i];
        }
      });
  add(
      rows, ex, "scan.order2", "sums of order 2, u32",
      [](ex_t by, on_t d) { inclusive_scan(by, d.in, d.out, plus{}, of_order<2>); },
      [](on_t d) {
        T const* const in = d.in.data();
        T* const out = d.out.data();
        T sum = 0, sum_of_sums = 0;
        for (index_t i = 0, n = d.in.size(); i < n; ++i) out[i] = sum_of_sums += sum += in[i];
      });
  add(
      rows, ex, "recurrence", "recurrence u32 of one coefficient",
      [](ex_t by, on_t d) { linear_recurrence(by, d.in, coefficients{d.factor}, d.out); },
      [](on_t d) {
        T const* const in = d.in.data();
        T* const out = d.out.data();
        T const factor = d.factor;
        T y = 0;
        for (index_t i = 0, n = d.in.size(); i < n; ++i) out[i] = y = in[i] + factor * y;
      });
}

template <class X>
void scan_segments_by_loop(buffer<X> const& in, buffer<std::uint8_t> const& heads,
                           buffer<X> const& out) {
  X const* const from = in.data();
  std::uint8_t const* const head = heads.data();
  X* const to = out.data();
  X sum = 0;
  for (index_t i = 0, n = in.size(); i < n; ++i) {
    to[i] = sum = head[i] != 0 ? from[i] : sum + from[i];
  }
}

void add_segmented(rows_of_all& rows, ex_t ex) {
  add(
      rows, ex, "segmented_scan.heads", "segmented scan u32 by heads",
      [](ex_t by, on_t d) { segmented_inclusive_scan(by, d.in, by_heads(d.heads), d.out); },
      [](on_t d) { scan_segments_by_loop(d.in, d.heads, d.out); }, data::new_to_all);
  add(
      rows, ex, "segmented_scan.bits", "segmented scan u32 by head bits",
      [](ex_t by, on_t d) { segmented_inclusive_scan(by, d.in, d.heads_as_bits(), d.out); },
      [](on_t d) {
        T const* const in = d.in.data();
        std::uint64_t const* const bits = d.bits.data();
        T* const out = d.out.data();
        T sum = 0;
        for (index_t i = 0, n = d.in.size(); i < n; ++i) {
          out[i] = sum = (bits[i / 64] >> i % 64 & 1) != 0 ? in[i] : sum + in[i];
        }
      },
      data::new_to_all);
  add(
      rows, ex, "segmented_scan.offsets", "segmented scan f32 by offsets",
      [](ex_t by, on_t d) { segmented_inclusive_scan(by, d.reals, by_offsets(d.offsets), d.sums); },
      [](on_t d) {
        float const* const in = d.reals.data();
        std::int32_t const* const offsets = d.offsets.data();
        float* const out = d.sums.data();
        for (index_t s = 0, count = d.offsets.size() - 1; s < count; ++s) {
          float sum = 0;
          for (index_t i = offsets[s]; i < offsets[s + 1]; ++i) out[i] = sum += in[i];
        }
      },
      data::new_to_all);
  add(
      rows, ex, "segmented_reduce.offsets", "sums of segments f32 by offsets",
      [](ex_t by, on_t d) {
        segmented_reduce(by, d.reals, by_offsets(d.offsets),
                         view<float>(d.sums.data(), d.offsets.size() - 1));
      },
      [](on_t d) {
        float const* const in = d.reals.data();
        std::int32_t const* const offsets = d.offsets.data();
        float* const out = d.sums.data();
        for (index_t s = 0, count = d.offsets.size() - 1; s < count; ++s) {
          float sum = 0;
          for (index_t i = offsets[s]; i < offsets[s + 1]; ++i) sum += in[i];
          out[s] = sum;
        }
      },
      data::new_to_all);
  add(
      rows, ex, "segmented_reduce.heads", "sums of segments u32 by heads",
      [](ex_t by, on_t d) {
        segmented_reduce(by, d.in, by_heads(d.heads), d.out, plus{}, total_to(d.count()));
      },
      [](on_t d) {
        T const* const in = d.in.data();
        std::uint8_t const* const heads = d.heads.data();
        T* const out = d.out.data();
        T sum = 0;
        index_t runs = 0;
        for (index_t i = 0, n = d.in.size(); i < n; ++i) {
          if (i > 0 && heads[i] != 0) {
            out[runs++] = sum;
            sum = 0;
          }
          sum += in[i];
        }
        if (d.in.size() > 0) out[runs++] = sum;
        d.counts[0] = runs;
      },
      data::new_to_all);
  add(
      rows, ex, "reduce_by_key", "sums u32 of runs of keys",
      [](ex_t by, on_t d) {
        reduce_by_key(by, d.keys, d.in, d.out, d.other, plus{}, total_to(d.count()));
      },
      [](on_t d) { sum_runs(d, d.in.data(), d.other.data()); }, data::new_to_all);
  add(
      rows, ex, "reduce_by_key.f32", "sums f32 of runs of keys",
      [](ex_t by, on_t d) {
        reduce_by_key(by, d.keys, d.reals, d.out, d.sums, plus{}, total_to(d.count()));
      },
      [](on_t d) { sum_runs(d, d.reals.data(), d.sums.data()); }, data::new_to_all);
  add(
      rows, ex, "run_length_encode", "runs of keys u32",
      [](ex_t by, on_t d) { run_length_encode(by, d.keys, d.out, d.other, total_to(d.count())); },
      [](on_t d) {
        T const* const keys = d.keys.data();
        T* const values = d.out.data();
        T* const lengths = d.other.data();
        index_t runs = 0, begin = 0;
        for (index_t i = 1, n = d.keys.size(); i <= n; ++i) {
          if (i == n || keys[i] != keys[i - 1]) {
            values[runs] = keys[begin];
            lengths[runs++] = static_cast<T>(i - begin);
            begin = i;
          }
        }
        d.counts[0] = runs;
      },
      data::new_to_all);
  add(
      rows, ex, "replicate", "an element u32 for each of a segment",
      [](ex_t by, on_t d) {
        replicate(by, d.one_for_each_segment(), by_offsets(d.offsets), d.out);
      },
      [](on_t d) {
        T const* const in = d.in.data();
        std::int32_t const* const offsets = d.offsets.data();
        T* const out = d.out.data();
        for (index_t s = 0, count = d.offsets.size() - 1; s < count; ++s) {
          for (index_t i = offsets[s]; i < offsets[s + 1]; ++i) out[i] = in[s];
        }
      },
      data::new_to_all);
}

void add_packs(rows_of_all& rows, ex_t ex) {
  add(
      rows, ex, "pack", "flagged elements u32",
      [](ex_t by, on_t d) { pack(by, d.in, d.flags, d.out, total_to(d.count())); },
      [](on_t d) {
        T const* const in = d.in.data();
        std::uint8_t const* const flags = d.flags.data();
        T* const out = d.out.data();
        index_t kept = 0;
        for (index_t i = 0, n = d.in.size(); i < n; ++i) {
          if (flags[i] != 0) out[kept++] = in[i];
        }
        d.counts[0] = kept;
      },
      data::new_to_all);
  add(
      rows, ex, "pack_index", "indices u32 of flagged elements",
      [](ex_t by, on_t d) { pack_index(by, d.flags, d.out, total_to(d.count())); },
      [](on_t d) {
        std::uint8_t const* const flags = d.flags.data();
        T* const out = d.out.data();
        index_t kept = 0;
        for (index_t i = 0, n = d.flags.size(); i < n; ++i) {
          if (flags[i] != 0) out[kept++] = static_cast<T>(i);
        }
        d.counts[0] = kept;
      },
      data::new_to_all);
  add(
      rows, ex, "filter", "small elements u32",
      [](ex_t by, on_t d) { filter(by, d.in, is_small{}, d.out, total_to(d.count())); },
      [](on_t d) {
        T const* const in = d.in.data();
        d.counts[0] = std::copy_if(in, in + d.in.size(), d.out.data(), is_small{}) - d.out.data();
      },
      data::new_to_all);
  add(
      rows, ex, "unique", "one u32 of each run",
      [](ex_t by, on_t d) { unique(by, d.keys, d.out, total_to(d.count())); },
      [](on_t d) {
        T const* const in = d.keys.data();
        d.counts[0] = std::unique_copy(in, in + d.keys.size(), d.out.data()) - d.out.data();
      },
      data::new_to_all);
  add(
      rows, ex, "split2", "split u32 in two",
      [](ex_t by, on_t d) { split(by, d.in, is_small{}, d.out); },
      [](on_t d) {
        T const* const in = d.in.data();
        T const* const end = in + d.in.size();
        T* const second = std::copy_if(in, end, d.out.data(), [](T x) { return !is_small{}(x); });
        std::copy_if(in, end, second, is_small{});
      },
      data::new_to_all);
  add(
      rows, ex, "split8", "split u32 in eight",
      [](ex_t by, on_t d) { split<8>(by, d.in, lowest_bits<8>{}, d.out); },
      [](on_t d) {
        T const* const in = d.in.data();
        T* const out = d.out.data();
        index_t const n = d.in.size();
        index_t next[9] = {};
        for (index_t i = 0; i < n; ++i) ++next[lowest_bits<8>{}(in[i]) + 1];
        for (int k = 1; k < 8; ++k) next[k] += next[k - 1];
        for (index_t i = 0; i < n; ++i) out[next[lowest_bits<8>{}(in[i])]++] = in[i];
      });
  add(
      rows, ex, "histogram", "16 bins of u32",
      [](ex_t by, on_t d) { histogram(by, d.in, d.counts, lowest_bits<16>{}); },
      [](on_t d) {
        T const* const in = d.in.data();
        index_t* const counts = d.counts.data();
        for (index_t k = 0, bins = d.counts.size(); k < bins; ++k) counts[k] = 0;
        for (index_t i = 0, n = d.in.size(); i < n; ++i) ++counts[lowest_bits<16>{}(in[i])];
      });
}

void add_sorted(rows_of_all& rows, ex_t ex) {
  add(
      rows, ex, "merge", "merge u32",
      [](ex_t by, on_t d) { merge(by, d.first_sorted(), d.second_sorted(), d.out); },
      [](on_t d) {
        auto const a = d.first_sorted(), b = d.second_sorted();
        std::merge(a.begin(), a.end(), b.begin(), b.end(), d.out.data());
      },
      data::new_to_all);
  add(
      rows, ex, "lower_bound", "searches for u32",
      [](ex_t by, on_t d) { lower_bound(by, d.in, d.sorted, d.out); },
      [](on_t d) {
        T const* const in = d.in.data();
        T const* const from = d.sorted.data();
        T* const out = d.out.data();
        for (index_t i = 0, n = d.in.size(); i < n; ++i) {
          out[i] = static_cast<T>(std::lower_bound(from, from + n, in[i]) - from);
        }
      },
      data::new_to_all);
  add(
      rows, ex, "radix_sort", "sort u32 by bits",
      [](ex_t by, on_t d) { radix_sort(by, d.in, d.out); },
      [](on_t d) {
        std::copy_n(d.in.data(), d.in.size(), d.out.data());
        std::sort(d.out.begin(), d.out.end());
      },
      data::new_to_all);
  add(
      rows, ex, "comparison_sort", "sort u32 by an order, stably",
      [](ex_t by, on_t d) {
        comparison_sort(by, d.in, d.out, [](T x, T y) { return x % 65536 < y % 65536; });
      },
      [](on_t d) {
        std::copy_n(d.in.data(), d.in.size(), d.out.data());
        std::stable_sort(d.out.begin(), d.out.end(),
                         [](T x, T y) { return x % 65536 < y % 65536; });
      },
      data::new_to_all);
}

suite all(executor const& ex) {
  suite s = make_suite("cpu.small", ex);
  s.seconds = seconds_of;  // no other thread is woken, so none needs time to sleep again
  add_maps(s.rows, ex);
  add_scans(s.rows, ex);
  add_segmented(s.rows, ex);
  add_packs(s.rows, ex);
  add_sorted(s.rows, ex);
  return s;
}

}  // namespace
}  // namespace ravel::bench::host::few

int main(int argc, char** argv) {
  using namespace ravel::bench::host;
  return run_suite(few::all, argc, argv);
}
