#pragma once

/// The two halves of a bucket sort of integers, between which keys can move to another device: a
/// split by the highest digit, and a sort of pieces that agree in that digit, wherever they are in
/// memory.
///
/// bucket_sort.cuh describes the kernels.

#include <ravel/algorithms/cuda/bucket_sort.cuh>
#include <ravel/algorithms/cuda/pair_buckets.cuh>
#include <ravel/algorithms/cuda/part_tile.cuh>
#include <ravel/algorithms/cuda/sort_buckets.cuh>
#include <ravel/algorithms/radix_sort/cuda.hpp>
#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/shared.cuh>
#include <ravel/primitives/cuda/count_values.cuh>
#include <ravel/primitives/cuda/digit_pass.cuh>
#include <ravel/primitives/cuda/digit_plan.cuh>
#include <ravel/primitives/cuda/digit_policy.hpp>
#include <ravel/primitives/cuda/digits.hpp>
#include <ravel/primitives/rows.hpp>
#include <ravel/primitives/scan.hpp>

#include <vector>

namespace ravel::inline v0::gpu {

/// The number of values of the highest digit, by which keys are split, and its bits.
inline constexpr int highest_digits = detail::bucket_plan::ways;
inline constexpr int bits_of_highest_digit = detail::bucket_plan::digit_bits;

namespace detail {
/// The order of integers within a range from `low` on, shifted up by `shift` bits: so the highest
/// bits of the words differ, and make good buckets.
template <class U>
struct range_order {
  U flip, low;
  int shift;
  RAVEL_HD U operator()(U x) const {
    return static_cast<U>(static_cast<U>((x ^ flip) - low) << shift);
  }
  RAVEL_HD U back(U u) const { return static_cast<U>(static_cast<U>((u >> shift) + low) ^ flip); }
};
}  // namespace detail

/// The function that returns the highest digit of a key.
template <class U>
detail::by_highest_bits<detail::integer_order<U>> highest_digit(detail::integer_order<U> order) {
  return {order, int{8 * sizeof(U)} - bits_of_highest_digit};
}

/// Moves the keys with highest digit d to the places of `out` from starts[d] on, in any order.
/// `starts`, in host memory, must live until the copy to the device is done.  Places that no digit
/// fills are not written.
///
/// Cost     O(n) work.  Reads and writes each key once.
template <class U>
void split_by_highest_digit(executor const& ex, index_t n, U const* in, U* out,
                            detail::integer_order<U> order,
                            std::vector<detail::word64> const& starts) {
  using detail::bucket_plan;
  using bucket = detail::by_highest_bits<detail::integer_order<U>>;
  if (n == 0) return;
  auto const plan = ex.scratch<bucket_plan>(1);
  auto const next = ex.scratch<detail::word64>(highest_digits);
  ex.clear(plan);
  ex.copy(starts.data(), next.data(), highest_digits);
  constexpr index_t tile = index_t{digit_policy::threads} * detail::part_items<U>;
  ex.launch_sharing<detail::part_keys_kernel<U, bucket, 1>>(
      {div_up(n, tile), digit_policy::threads, false, detail::part_keys_bytes<U>}, n, in, out,
      detail::bucket_digit<bucket>{highest_digit(order), 0, bucket_plan::ways - 1},
      bucket_plan::ways, plan.data(), next.data());
}

namespace detail {
template <class K, class V, class Digit>
__global__ void __launch_bounds__(digit_policy::pass::threads, digit_policy::pass::blocks)
    split_rows_kernel(index_t n, rows<K const, V const> in, rows<K, V> out, Digit digit,
                      word64 const* starts, digit_states states) {
  constexpr index_t width = pass_shape<K, V>::width;
  index_t const t = block_in_order();
  using tiles = placed_tiles<K, V, Digit>;
  tiles const group{in, out, starts, 0, 0, states, digit};
  digit_tile<K, V, tiles>{group, t, static_cast<int>(::min(n - t * width, width))}.run();
}
}  // namespace detail

/// As split_by_highest_digit, stably, for rows and any digits of 8 bits.  starts[d] must leave
/// enough places for the rows of digit d.
///
/// Cost     O(n) work.  Reads and writes each row once.
template <class K, class V, class Digit>
void split_rows_by_digit(executor const& ex, index_t n, rows<K const, V const> in, rows<K, V> out,
                         Digit const& digit, std::vector<detail::word64> const& starts) {
  using shape = detail::pass_shape<K, V>;
  if (n == 0) return;
  index_t const tiles = div_up(n, index_t{shape::width});
  auto const places = ex.scratch<detail::word64>(highest_digits);
  auto const states = ex.scratch<detail::word64>(detail::digit_states::size(tiles));
  ex.clear(states);
  ex.copy(starts.data(), places.data(), highest_digits);
  ex.launch_sharing<detail::split_rows_kernel<K, V, Digit>>(
      {tiles, shape::threads, false, shape::shared_bytes}, n, in, out, digit, places.data(),
      detail::digit_states{states.data()});
}

/// Sorts rows in buckets, if their number suits that; returns whether it did.  The highest digits
/// of the keys are in [first, first + digits).
template <class U, class M>
bool sort_pairs_of_digits(executor const& ex, index_t n, rows<U const, M const> in, rows<U, M> out,
                          detail::integer_order<U> order, int first, int digits) {
  if constexpr (sizeof(U) == 4 && sizeof(M) <= 8) {
    constexpr int width = 8 * sizeof(U) - bits_of_highest_digit;
    int const shift =
        bits_of_highest_digit - static_cast<int>(std::bit_width(static_cast<unsigned>(digits - 1)));
    if (n < ex.tuned().bucketed || !detail::fills_pair_buckets(n)) return false;
    sort_pairs_in_buckets(
        ex, n, in, out, rows<U, M>{nullptr, nullptr},
        detail::range_order<U>{order.flip, static_cast<U>(U(first) << width), shift});
    return true;
  }
  return false;
}

/// A piece: keys in contiguous memory that agree in their highest digit.
template <class U>
struct piece_of_keys {
  U const* keys;
  index_t size;
  int digit;  // the highest digit, less the least piece's
};

namespace detail {

/// A piece, the number of its first tile among the tiles of all pieces, and its place in the
/// result.
template <class U>
struct placed_piece {
  U const* keys;
  index_t size, place;
  unsigned first_tile, digit;
};

/// The bucket of a key, counted from the bucket of the least possible key.
template <class U>
struct bucket_from {
  integer_order<U> order;
  int shift;
  unsigned first;
  __device__ unsigned operator()(U x) const {
    return static_cast<unsigned>(order(x) >> shift) - first;
  }
};

template <class U, int Bits>
struct part_pieces {
  static constexpr int threads = digit_policy::threads;
  static constexpr int items = part_items<U>;
  static constexpr index_t tile = index_t{threads} * items;
  using room = part_room_of<Bits>;
  static constexpr std::size_t bytes = sizeof(room) + sizeof(U) * static_cast<std::size_t>(tile);
};

/// Partitions the keys of pieces into buckets by their next `bits` bits, at most Bits.  If a bucket
/// would be too large for a block, it only copies pieces to their places.  The entry after the last
/// piece begins after the last tile.
template <class U, int Bits>
__global__ void __launch_bounds__(digit_policy::threads, digit_policy::blocks)
    part_pieces_kernel(placed_piece<U> const* pieces, int count, U* out, bucket_from<U> bucket,
                       int bits, bucket_plan const* plan, word64* next) {
  using shape = part_pieces<U, Bits>;
  auto& room = *reinterpret_cast<typename shape::room*>(shared_bytes());
  auto* const staged = reinterpret_cast<U*>(shared_bytes() + sizeof(room));
  int const thread = threadIdx.x;
  for (int p = thread; p < count; p += shape::threads) {
    unsigned const first = pieces[p].first_tile;
    if (first <= blockIdx.x && blockIdx.x < pieces[p + 1].first_tile) room.part = p;
  }
  for (int d = thread; d < shape::room::ways; d += shape::threads) room.count[d] = 0;
  __syncthreads();
  placed_piece<U> const piece = pieces[room.part];
  index_t const begin = (blockIdx.x - piece.first_tile) * shape::tile;
  auto const size = static_cast<int>(::min(piece.size - begin, shape::tile));
  U const* const in = piece.keys + begin;
  if (plan->too_large) {
    for (int i = thread; i < size; i += shape::threads) out[piece.place + begin + i] = in[i];
    return;
  }
  int const ways = 1 << bits;
  auto const digit = [=](U x) { return bucket(x) & static_cast<unsigned>(ways - 1); };
  word64* const of_digit = next + index_t{piece.digit} * ways;
  if (size == shape::tile) {
    part_tile<true, shape::items>(room, staged, in, size, out, digit, ways, of_digit);
  } else {
    part_tile<false, shape::items>(room, staged, in, size, out, digit, ways, of_digit);
  }
}

}  // namespace detail

/// Sorts pieces together.  Their highest digits are in [first, first + digits).
///
///     auto const sort = sort_pieces(...);   // when the sizes are known
///     sort.count(ex, n, keys);              // once for each sequence of keys, of one or several
///                                           // pieces, as soon as it is there
///     sort.run(ex, pieces, out);            // when all are there; `sort` lives until it is done
///     sort.has_failed()                     // on the device: nonzero if keys are too uneven:
///                                           // then `out` has them unsorted
///
/// Cost     O(n) work.  Reads each key three times and writes it twice.
template <class U>
class sort_pieces {
  using order_t = detail::integer_order<U>;
  using plan_t = detail::bucket_plan;

  order_t order_;
  int bits_, digits_;
  unsigned first_;
  buffer<plan_t> plan_;
  std::vector<detail::placed_piece<U>> placed_;

  int shift() const { return int{8 * sizeof(U)} - bits_of_highest_digit - bits_; }
  int buckets() const { return digits_ << bits_; }
  detail::word64* next() const { return plan_.data()->of_bucket; }
  detail::bucket_from<U> bucket() const { return {order_, shift(), first_ << bits_}; }

  template <int Bits>
  void part(executor const& ex, index_t tiles, detail::placed_piece<U> const* pieces, int count,
            U* out) const {
    using shape = detail::part_pieces<U, Bits>;
    ex.launch_sharing<detail::part_pieces_kernel<U, Bits>>(
        {tiles, shape::threads, false, shape::bytes}, pieces, count, out, bucket(), bits_,
        plan_.data(), next());
  }

 public:
  static constexpr int most_bits = 10;

  /// The number of bits that divide n keys of one digit into buckets that blocks can sort; 0 if
  /// that would need too many buckets.
  static int bits_for(index_t n) {
    int bits = 1;
    while (bits < most_bits && (n >> bits) > digit_policy::bucket_keys * 17 / 16) {
      ++bits;
    }
    return (n >> bits) <= detail::large_bucket<U>::most * 7 / 8 ? bits : 0;
  }

  sort_pieces(executor const& ex, order_t order, int first, int digits, int bits)
      : order_(order),
        bits_(bits),
        digits_(digits),
        first_(static_cast<unsigned>(first)),
        plan_(ex.allocate_pooled<plan_t>(1)) {
    expects(buckets() <= detail::bucket_list::most, "sort_pieces: there are ", buckets(),
            " buckets");
    ex.clear(plan_);
  }

  void count(executor const& ex, index_t n, U const* keys) const {
    count_values(ex, n, keys, bucket(), buckets(), next());
  }

  unsigned const* has_failed() const { return &plan_.data()->too_large; }

  void run(executor const& ex, std::vector<piece_of_keys<U>> const& pieces, U* out) {
    index_t n = 0, tiles = 0;
    for (auto const& p : pieces) {
      placed_.push_back(
          {p.keys, p.size, n, static_cast<unsigned>(tiles), static_cast<unsigned>(p.digit)});
      n += p.size;
      tiles += div_up(p.size, detail::part_pieces<U, most_bits>::tile);
    }
    if (n == 0) return;
    placed_.push_back({nullptr, 0, n, static_cast<unsigned>(tiles), 0});
    scan_on(ex, index_t{buckets()}, detail::count_in_bucket{next()},
            detail::plan_buckets<U>{next(), plan_.data(), bits_, buckets(), n, nullptr, false},
            plus<index_t>{}, ravel::detail::seed_identity<plus<index_t>>{},
            ravel::detail::no_total{});
    auto const on_device = ex.scratch<detail::placed_piece<U>>(std::ssize(placed_));
    ex.copy(placed_.data(), on_device.data(), std::ssize(placed_));
    int const count = static_cast<int>(pieces.size());
    if (bits_ <= 8) part<8>(ex, tiles, on_device.data(), count, out);
    if (bits_ == 9) part<9>(ex, tiles, on_device.data(), count, out);
    if (bits_ == 10) part<10>(ex, tiles, on_device.data(), count, out);
    detail::sort_buckets(ex, buckets(), static_cast<U const*>(out), out, next(), order_,
                         plan_.data());
  }
};

}  // namespace ravel::inline v0::gpu
