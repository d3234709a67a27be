#include <ravel/core/explain.hpp>
#include <ravel/core/launches.hpp>
#include <ravel/core/run_call.hpp>
#include <ravel/primitives/pack.hpp>

#include "support/device_forms.hpp"
#include "support/executors.hpp"
#include "support/segmentations.hpp"
#include "support/sizes.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>

namespace ravel::pack_test {
namespace {

/// The reference.
template <class T>
std::vector<T> oracle(std::vector<T> const& in, std::vector<bool> const& flags) {
  std::vector<T> kept;
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (flags[i]) kept.push_back(in[i]);
  }
  return kept;
}

struct is_odd {
  RAVEL_HD bool operator()(int x) const { return x % 2 != 0; }
};

struct odd_at {
  int const* in;
  RAVEL_HD bool operator()(index_t i) const { return in[i] % 2 != 0; }
};
struct halved {
  RAVEL_HD double operator()(int x) const { return x / 2.0; }
};

/// No flag, every flag, one in seven, and runs of both.
bool flag_in_pattern(int pattern, index_t i) {
  switch (pattern) {
    case 0:
      return false;
    case 1:
      return true;
    case 2:
      return i % 7 == 3;
    default:
      return i / 100 % 2 == 1 || i % 3 == 0;
  }
}

template <class Ex>
struct pack : testing::on_executor<Ex> {};
TYPED_TEST_SUITE(pack, testing::all_executors);

LOCAL_TYPED_TEST(pack, gives_the_examples_in_the_header) {
  auto const in = this->there(std::vector<char>{'a', 'b', 'c', 'd', 'e', 'f'});
  auto const flags = this->there(std::vector<bool>{1, 0, 0, 1, 0, 1});
  auto const bits = this->there(std::vector<std::uint32_t>{0b101001});
  auto out = this->template allocate<char>(3);
  auto indices = this->template allocate<int>(3);

  ravel::pack(this->ex(), in, flags, out);
  EXPECT_EQ(this->here(out), (std::vector{'a', 'd', 'f'}));
  ravel::pack(this->ex(), in, by_bits(bits, 6), out);
  EXPECT_EQ(this->here(out), (std::vector{'a', 'd', 'f'}));
  pack_index(this->ex(), flags, indices);
  EXPECT_EQ(this->here(indices), (std::vector{0, 3, 5}));
  EXPECT_EQ(pack_index_sync(this->ex(), by_bits(bits, 6), indices), 3);
  EXPECT_EQ(this->here(indices), (std::vector{0, 3, 5}));

  auto const numbers = this->there(std::vector{3, 1, 2, 4, 1, 5});
  auto odd = this->template allocate<int>(4);
  EXPECT_EQ(filter_sync(this->ex(), numbers, is_odd{}, odd), 4);
  EXPECT_EQ(this->here(odd), (std::vector{3, 1, 1, 5}));
}

LOCAL_TYPED_TEST(pack, agrees_with_the_loop_at_every_size) {
  for (index_t const n : testing::sizes()) {
    for (int pattern = 0; pattern < 4; ++pattern) {
      SCOPED_TRACE(::testing::Message() << n << " elements, pattern " << pattern);
      std::vector<int> host;
      std::vector<bool> flags;
      for (index_t i = 0; i < n; ++i) {
        host.push_back(static_cast<int>(i * 7 % 1000));
        flags.push_back(flag_in_pattern(pattern, i));
      }
      auto const expected = oracle(host, flags);
      auto const in = this->there(host);
      auto const there = this->there(flags);
      auto const bits = this->there(testing::bits_of(flags));
      auto out = this->template allocate<int>(std::ssize(expected));
      auto total = this->template allocate<std::uint32_t>(1);

      ravel::pack(this->ex(), in, there, out, total_to(total));
      EXPECT_EQ(this->here(out), expected);
      EXPECT_EQ(this->here(total).front(), expected.size());

      auto again = this->template allocate<int>(std::ssize(expected));
      EXPECT_EQ(pack_sync(this->ex(), in, by_bits(bits, n), again), std::ssize(expected));
      EXPECT_EQ(this->here(again), expected);
    }
  }
}

TYPED_TEST(pack, returns_the_number_of_elements_that_it_keeps) {
  for (index_t const n : testing::sizes()) {
    SCOPED_TRACE(n);
    std::vector<int> host, places;
    std::vector<std::uint8_t> flags;
    for (int i = 0; i < n; ++i) {
      host.push_back(i * 7 % 1000);
      flags.push_back(is_odd{}(host.back()));
      if (flags.back() != 0) places.push_back(i);
    }
    auto const expected = oracle(host, std::vector<bool>(flags.begin(), flags.end()));
    auto const in = this->there(host);
    auto const there = this->there(flags);
    auto out = this->template allocate_results<int>(in, std::ssize(expected));
    EXPECT_EQ(pack_sync(this->ex(), in, there, out), std::ssize(expected));
    EXPECT_EQ(this->here(out), expected);
    auto indices = this->template allocate_results<int>(in, std::ssize(expected));
    EXPECT_EQ(pack_index_sync(this->ex(), there, indices), std::ssize(expected));
    EXPECT_EQ(this->here(indices), places);
    auto odd = this->template allocate_results<int>(in, std::ssize(expected));
    EXPECT_EQ(filter_sync(this->ex(), in, is_odd{}, odd), std::ssize(expected));
    EXPECT_EQ(this->here(odd), expected);
  }
}

LOCAL_TYPED_TEST(pack, leaves_what_follows_the_kept_elements) {
  for (index_t const n : testing::sizes()) {
    SCOPED_TRACE(n);
    std::vector<int> host, expected;
    for (int i = 0; i < n; ++i) host.push_back(i * 7 % 1000);
    std::ranges::copy_if(host, std::back_inserter(expected), is_odd{});
    expected.resize(host.size(), -1);
    auto out = this->there(std::vector(host.size(), -1));
    filter_sync(this->ex(), this->there(host), is_odd{}, out);
    EXPECT_EQ(this->here(out), expected);
  }
}

LOCAL_TYPED_TEST(pack, counts_what_it_has_no_room_for) {
  auto const in = this->there(std::vector{1, 3, 5, 7});
  auto out = this->there(std::vector{0, 0, 0});
  view const two = view_of(out).slice(0, 2);
  EXPECT_EQ(filter_sync(this->ex(), in, is_odd{}, two), 4);
  EXPECT_EQ(this->here(out), (std::vector{1, 3, 0}));
}

LOCAL_TYPED_TEST(pack, writes_what_is_made_of_kept_elements) {
  for (index_t const n : {index_t{0}, index_t{63}, index_t{2500}}) {
    std::vector<int> host;
    std::vector<double> expected;
    for (int i = 0; i < n; ++i) {
      host.push_back(i * 7 % 1000);
      if (host.back() % 2 != 0) expected.push_back(host.back() / 2.0);
    }
    auto const in = this->there(host);
    auto const room = std::min<index_t>(std::ssize(expected), 1100);
    auto const out = this->there(std::vector<double>(static_cast<std::size_t>(room + 1), -1));
    auto const total = this->template allocate<index_t>(1);
    pack_on(this->ex(), n, odd_at{in.data()},
            write_made_of_kept<int, halved, double>{in.data(), {}, out.data(), room},
            detail::store_total<index_t>{total.data()});
    EXPECT_EQ(this->here(total).front(), std::ssize(expected));
    expected.resize(static_cast<std::size_t>(room));
    expected.push_back(-1);
    EXPECT_EQ(this->here(out), expected);
  }
}

/// A user's keep and visit that declare what they read and write.
struct keeps_odd {
  int const* in;
  RAVEL_HD bool operator()(index_t i) const { return is_odd{}(in[i]); }
  auto structure() const { return by_predicate<contiguous<int>, is_odd>{{in}, {}}; }
};
struct keeps_odd_elements {
  int const* in;
  RAVEL_HD bool operator()(index_t i) const { return of(in[i]); }
  RAVEL_HD int const* elements() const { return in; }
  RAVEL_HD bool of(int x) const { return is_odd{}(x); }
};
struct moves {
  int const* in;
  int* out;
  index_t room;
  RAVEL_HD void operator()(index_t i, index_t place) const {
    if (place < room) out[place] = in[i];
  }
  auto structure() const {
    return packed_into<contiguous<int>, into_contiguous<int>>{{in}, {out, room}};
  }
};

THOROUGH_LOCAL_TYPED_TEST(pack, takes_one_form_for_every_description) {
  constexpr index_t n = gpu::tuning{}.packed_bytes / 4 + 11;
  std::vector<int> host, expected;
  for (index_t i = 0; i < n; ++i) {
    host.push_back(static_cast<int>(i * 7 % 1000));
    if (host.back() % 2 != 0) expected.push_back(host.back());
  }
  auto const in = this->there(host);
  auto const out = this->template allocate<int>(std::ssize(expected));
  auto const total = this->template allocate<index_t>(1);
  using space = typename TypeParam::space;
  detail::store_total<index_t> const to_total{total.data()};
  auto const filtered = explain(this->ex(), describe_filter(in, is_odd{}, out)).text();
  auto const expect = [&](auto const& call) {
    EXPECT_EQ(explain(this->ex(), call).text(), filtered);
    [[maybe_unused]] auto const before = detail::launches_of_thread;
    run_call(this->ex(), call);
    if constexpr (std::same_as<TypeParam, gpu::executor>) {
      if (this->ex().machine().capability >= 90) {
        EXPECT_EQ(detail::launches_of_thread - before, 1);
      }
    }
    EXPECT_EQ(this->here(total).front(), std::ssize(expected));
    EXPECT_EQ(this->here(out), expected);
  };
  view<int const, space> const const_view(in.data(), n);
  moves const move{in.data(), out.data(), std::ssize(expected)};
  expect(describe_filter(const_view, is_odd{}, out, total_to(total)));
  expect(describe_pack_on(n, keeps_odd{in.data()}, move, to_total));
  expect(describe_pack_on(n, keeps_odd_elements{in.data()},
                          write_packed<int, int>{in.data(), move.out, move.room}, to_total));
  expect(describe_pack_on(
      n, keeps_odd{in.data()},
      write_made_of_kept<int, identity_function, int>{in.data(), {}, move.out, move.room},
      to_total));
}

/// A pack of views that begin `first` elements, `flag` flags and `place` results after the others.
template <class T, class Test>
void expect_packed_views(Test const& test, index_t n, index_t first, index_t flag, index_t place) {
  SCOPED_TRACE(::testing::Message() << sizeof(T) << " bytes, from " << first << ", flags from "
                                    << flag << ", to " << place);
  std::vector<T> in(static_cast<std::size_t>(first), T(99));
  std::vector<T> expected(static_cast<std::size_t>(place), T(77));
  std::vector<std::uint8_t> flags(static_cast<std::size_t>(flag), 1);
  for (index_t i = 0; i < n; ++i) {
    in.push_back(static_cast<T>(i * 7 % 101));
    flags.push_back(i * i % 7 < 3 ? 2 : 0);
    if (flags.back() != 0) expected.push_back(in.back());
  }
  auto const from = test.there(in);
  auto const at = test.there(flags);
  auto const kept = std::ssize(expected) - place;
  auto out = test.there(std::vector<T>(expected.size(), T(77)));
  ravel::pack(test.ex(), view_of(from).slice(first, n), view_of(at).slice(flag, n),
              view_of(out).slice(place, kept));
  EXPECT_EQ(test.here(out), expected);
}
LOCAL_TYPED_TEST(pack, takes_views_that_begin_anywhere) {
  constexpr index_t bytes = gpu::tuning{}.packed_bytes;
  std::vector<std::array<index_t, 3>> const begins{
      {0, 0, 0}, {1, 1, 0}, {3, 0, 1}, {0, 5, 0}, {5, 13, 2}};
  for (auto const& [first, flag, place] : begins) {
    expect_packed_views<std::uint8_t>(*this, bytes + 77, first, flag, place);
    expect_packed_views<std::int32_t>(*this, bytes / 4 + 77, first, flag, place);
    expect_packed_views<double>(*this, bytes / 8 + 77, first, flag, place);
  }
}

struct two {
  float kind, value;
};
struct is_of_kind_0 {
  RAVEL_HD bool operator()(two const& x) const { return x.kind == 0; }
};

LOCAL_TYPED_TEST(pack, keeps_pairs_that_begin_between_multiples_of_their_size) {
  constexpr index_t n = gpu::tuning{}.packed_bytes / 8 + 5;
  std::vector<float> host{-1}, expected{-1};
  for (index_t i = 0; i < n; ++i) {
    float const pair[] = {static_cast<float>(i % 3), static_cast<float>(i)};
    host.insert(host.end(), pair, pair + 2);
    if (i % 3 == 0) expected.insert(expected.end(), pair, pair + 2);
  }
  auto in = this->there(host);
  auto out = this->there(std::vector<float>(expected.size(), -1));
  using pairs = view<two, typename TypeParam::space>;
  filter(this->ex(), pairs(reinterpret_cast<two*>(in.data() + 1), n), is_of_kind_0{},
         pairs(reinterpret_cast<two*>(out.data() + 1), std::ssize(expected) / 2));
  EXPECT_EQ(this->here(out), expected);
}

LOCAL_TYPED_TEST(pack, refuses_flags_of_another_number) {
  auto const in = this->there(std::vector{1, 2, 3});
  auto const flags = this->there(std::vector<bool>{1, 0});
  auto out = this->template allocate<int>(3);
  EXPECT_THROW(ravel::pack(this->ex(), in, flags, out), contract_error);
}

}  // namespace
}  // namespace ravel::pack_test
