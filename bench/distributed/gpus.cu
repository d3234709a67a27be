/// Reduce, scan, pack, filter and NCCL's exchange on the GPUs of one host, beside the same calls on one
/// GPU.
///
///     bench.distributed.gpus [--gpus N] [--processes] --record bench/record
///
/// gpu_ranks.cuh describes rows and options.  Every result is checked.

#include "distributed/gpu_ranks.cuh"

#include <ravel/distributed/deferred_scan.hpp>
#include <ravel/distributed/pack.hpp>
#include <ravel/distributed/reduce.hpp>
#include <ravel/distributed/scan.hpp>

#include <array>
#include <cstdint>

namespace ravel::bench {
namespace {

/// Element i is i mod 3, so that sums are known; and small enough that double adds exactly.
template <class T>
struct element {
  RAVEL_HD T operator()(index_t i) const { return static_cast<T>(i % 3); }
};
template <class T>
RAVEL_HD T sum_through(index_t i) {
  return static_cast<T>((i + 1) / 3 * 3 + ((i + 1) % 3 == 2));
}
template <class T>
struct is_no_sum {
  T const* sums;
  index_t first;
  __device__ bool operator()(index_t i) const { return sums[i] != sum_through<T>(first + i); }
};
template <class T>
struct is_one {
  RAVEL_HD bool operator()(T x) const { return x == 1; }
};
struct flag_of_one {
  RAVEL_HD std::uint8_t operator()(index_t i) const { return i % 3 == 1; }
};
template <class T>
struct is_no_one {
  T const* x;
  __device__ bool operator()(index_t i) const { return x[i] != 1; }
};

template <class T>
std::vector<part> reduces(on_gpus const& ex, sizes n) {
  auto const x = piece<T>(ex, n.each, element<T>());
  auto const one = alone<T>(ex, n.alone, element<T>());
  auto const sum = std::make_shared<gpu::buffer<T>>(ex.local().allocate<T>(1));
  using replica = decltype(std::declval<on_gpus const&>().template replicate<T>(1));
  std::shared_ptr<replica> const sums(new replica(ex.replicate<T>(1)));
  return {{"ours", [=] { reduce(ex, *x, *sums); },
           [=] { return at_sync(ex, *sums) == sum_through<T>(x->total_size() - 1); }},
          {"peer:one GPU", [=] { reduce(ex.local(), *one, *sum); },
           [=] { return at_sync(ex.local(), *sum) == sum_through<T>(n.alone - 1); }, true}};
}

template <class T>
std::vector<part> scans(on_gpus const& ex, sizes n) {
  auto const x = piece<T>(ex, n.each, element<T>());
  auto const y = std::make_shared<elements<T>>(ex, *x);
  auto const in = alone<T>(ex, n.alone, element<T>());
  auto const out = alone<T>(ex, n.alone);
  return {{"ours", [=] { inclusive_scan(ex, *x, *y); },
           [=] {
             return none(ex.local(), y->size(), is_no_sum<T>{y->data(), y->first()});
           }},
          {"peer:one GPU", [=] { inclusive_scan(ex.local(), *in, *out); },
           [=] {
             return none(ex.local(), out->size(), is_no_sum<T>{out->data(), 0});
           },
           true}};
}
template <class T>
std::vector<part> deferred_scans(on_gpus const& ex, sizes n) {
  auto all = scans<T>(ex, n);
  auto const x = piece<T>(ex, n.each, element<T>());
  auto const y = std::make_shared<elements<T>>(ex, *x);
  all[0] = {"ours", [=] { deferred_inclusive_scan(ex, *x, *y); },
            [=] {
              deferred_inclusive_scan(ex, *x, *y).settle();
              return none(ex.local(), y->size(), is_no_sum<T>{y->data(), y->first()});
            }};
  return all;
}

template <bool ByFlags, class Ex, class In, class Flags, class Out>
index_t pack_on(Ex const& ex, In const& in, Flags const& flags, Out& out) {
  if constexpr (ByFlags) {
    return pack_sync(ex, in, flags, out);
  } else {
    return filter_sync(ex, in, is_one<element_t<In const&>>(), out);
  }
}
template <class T, bool ByFlags>
std::vector<part> packs(on_gpus const& ex, sizes n) {
  auto const x = piece<T>(ex, n.each, element<T>());
  auto const flags = piece<std::uint8_t>(ex, ByFlags ? n.each : 0, flag_of_one());
  auto const y = std::make_shared<elements<T>>(ex, *x);
  auto const in = alone<T>(ex, n.alone, element<T>());
  auto const flags_in = alone<std::uint8_t>(ex, ByFlags ? n.alone : 0, flag_of_one());
  auto const out = alone<T>(ex, n.alone);
  auto const kept = std::make_shared<index_t>(0);
  auto const right = [=](index_t all, T const* of, index_t size) {
    return *kept == (all + 1) / 3 && none(ex.local(), size, is_no_one<T>{of});
  };
  return {{"ours", [=] { *kept = pack_on<ByFlags>(ex, *x, *flags, *y); },
           [=] { return right(x->total_size(), y->data(), y->size()); }},
          {"peer:one GPU", [=] { *kept = pack_on<ByFlags>(ex.local(), *in, *flags_in, *out); },
           [=] { return right(n.alone, out->data(), *kept); }, true}};
}

/// Equal pieces from each GPU to each, beside NCCL's own all-to-all.
std::vector<part> exchanges(on_gpus const& ex, sizes n) {
  using T = std::uint32_t;
  int const gpus = ex.ranks().size();
  index_t const each = n.each / gpus;
  auto const x = piece<T>(ex, each * gpus, element<T>());
  auto const y = std::make_shared<elements<T>>(ex, *x);
  ncclUniqueId id{};
  if (ex.ranks().rank() == 0) ncclGetUniqueId(&id);
  auto const ids = distributed::gather_values(ex.ranks().host(), std::to_array(id.internal));
  std::copy(ids[0].begin(), ids[0].end(), id.internal);
  gpu::on_device const here(ex.local().device());
  ncclComm_t made = nullptr;
  if (ncclCommInitRank(&made, gpus, id, ex.ranks().rank()) != ncclSuccess) {
    throw std::runtime_error("ncclCommInitRank has failed");
  }
  std::shared_ptr<ncclComm> const comm(made, ncclCommDestroy);
  auto const bytes = static_cast<std::size_t>(each) * sizeof(T);
  return {{"ours",
           [=] {
             std::vector<index_t> const counts(static_cast<std::size_t>(gpus), each);
             distributed::exchange(ex, x->local(), counts, y->local(), counts);
           }},
          {"peer:ncclAlltoAll", [=] {
             gpu::on_device const here(ex.local().device());
             ncclAlltoAll(x->data(), y->data(), bytes, ncclInt8, comm.get(), ex.local().stream());
           }}};
}

gpus_rows rows() {
  using u32 = std::uint32_t;
  using u64 = std::uint64_t;
  gpus_rows all;
  for (int const log : {24, 28}) {
    all.add(log, "reduce.u32", "reduce u32", 4, reduces<u32>);
    all.add(log, "inclusive_scan.u32", "inclusive_scan u32", 8, scans<u32>);
    all.add(log, "deferred_scan.u32", "deferred_inclusive_scan u32", 8, deferred_scans<u32>);
    all.add(log, "filter.u32", "filter_sync u32, a third kept", 4 + 4 / 3.0, packs<u32, false>);
    all.add(log, "pack.u32", "pack_sync u32, a third kept", 5 + 4 / 3.0, packs<u32, true>);
    all.add(log, "all_to_all.u32", "exchange of u32", 8, exchanges);
  }
  all.add(28, "reduce.f64", "reduce f64", 8, reduces<double>);
  all.add(28, "inclusive_scan.u64", "inclusive_scan u64", 16, scans<u64>);
  all.add(28, "inclusive_scan.f64", "inclusive_scan f64", 16, scans<double>);
  all.add(28, "deferred_scan.f64", "deferred_inclusive_scan f64", 16, deferred_scans<double>);
  all.add(28, "filter.u64", "filter_sync u64, a third kept", 8 + 8 / 3.0, packs<u64, false>);
  all.add(30, "reduce.u32", "reduce u32", 4, reduces<u32>, true);
  all.add(30, "inclusive_scan.u32", "inclusive_scan u32", 8, scans<u32>, true);
  all.add(30, "deferred_scan.u32", "deferred_inclusive_scan u32", 8, deferred_scans<u32>, true);
  all.add(30, "filter.u32", "filter_sync u32, a third kept", 4 + 4 / 3.0, packs<u32, false>, true);
  return all;
}

}  // namespace
}  // namespace ravel::bench

int main(int argc, char** argv) {
  return ravel::bench::run_on_gpus("gpus", ravel::bench::rows(), argc, argv);
}
