#include <ravel/core/view.hpp>

#include <ravel/core/cpu/buffer.hpp>
#include <ravel/core/cpu/executor.hpp>
#include <ravel/core/transfer.hpp>

#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <list>
#include <map>
#include <ranges>
#include <span>
#include <string>
#include <vector>

namespace ravel::view_test {
namespace {

/// The shape of thrust::device_vector: its pointers unwrap to raw ones, and its elements must not
/// be accessed on the host.
template <class T>
struct fancy_pointer {
  T* raw;
  T* get() const { return raw; }
};
template <class T>
class fancy_vector {
  std::vector<T> elements_;

 public:
  using value_type = T;
  using iterator = fancy_pointer<T>;
  explicit fancy_vector(std::vector<T> elements) : elements_(std::move(elements)) {}
  fancy_pointer<T> data() { return {elements_.data()}; }
  fancy_pointer<T const> data() const { return {elements_.data()}; }
  std::size_t size() const { return elements_.size(); }
};

/// Expects the view of `r` to have `size` elements from `data`, of type T, in Space.
template <class T, class Space, class R>
void expect_seen(R&& r, T* data, index_t size) {
  static_assert(sequence<R>);
  static_assert(std::same_as<decltype(view_of(std::forward<R>(r))), view<T, Space>>);
  static_assert(std::same_as<element_t<R>, std::remove_cv_t<T>>);
  static_assert(std::same_as<space_of_t<R>, Space>);
  auto const seen = view_of(std::forward<R>(r));
  EXPECT_EQ(seen.data(), data);
  EXPECT_EQ(seen.size(), size);
  EXPECT_EQ(size_of(std::forward<R>(r)), size);
}

TEST(view_of, std_vector) {
  std::vector<int> v{1, 2, 3};
  std::vector<int> const& constant = v;
  expect_seen<int, host_space>(v, v.data(), 3);
  expect_seen<int const, host_space>(constant, v.data(), 3);
  static_assert(sequence<std::vector<int>>, "a temporary lives as long as the call");
}

TEST(view_of, an_empty_vector) {
  std::vector<double> const none;
  EXPECT_EQ(view_of(none).size(), 0);
  EXPECT_TRUE(view_of(none).empty());
}

TEST(view_of, std_span) {
  std::vector<int> v{1, 2, 3};
  std::span<int> const some(v.data() + 1, 2);
  std::span<int const, 3> const all(v);
  expect_seen<int, host_space>(some, v.data() + 1, 2);
  expect_seen<int const, host_space>(all, v.data(), 3);
  expect_seen<int, host_space>(std::span(v), v.data(), 3);
}

TEST(view_of, arrays) {
  int plain[] = {1, 2, 3, 4};
  double const constant[] = {0.5};
  std::array<char, 2> standard{'a', 'b'};
  expect_seen<int, host_space>(plain, plain, 4);
  expect_seen<double const, host_space>(constant, constant, 1);
  expect_seen<char, host_space>(standard, standard.data(), 2);
  expect_seen<char const, host_space>(std::as_const(standard), standard.data(), 2);
}

TEST(view_of, std_string) {
  std::string const text = "abc";
  expect_seen<char const, host_space>(text, text.data(), 3);
}

TEST(view_of, a_buffer) {
  cpu::buffer<float> const buffer(5);
  expect_seen<float, host_space>(buffer, buffer.data(), 5);
}

TEST(view_of, a_raw_pointer_and_a_size) {
  int storage[4] = {};
  expect_seen<int, host_space>(view{storage, 3}, storage, 3);
  expect_seen<int, device_space>(device_view(storage, 4), storage, 4);
  expect_seen<int const, device_space>(device_view<int const>(storage, 4), storage, 4);
}

TEST(view_of, a_vector_of_fancy_device_pointers) {
  fancy_vector<short> v({1, 2, 3});
  fancy_vector<short> const& constant = v;
  expect_seen<short, device_space>(v, v.data().get(), 3);
  expect_seen<short const, device_space>(constant, v.data().get(), 3);
  static_assert(!sequence_on<fancy_vector<short>, cpu::sequential>);
}

TEST(view_of, nothing_that_is_not_contiguous) {
  static_assert(!sequence<std::vector<bool>>);
  static_assert(!sequence<std::list<int>>);
  static_assert(!sequence<std::deque<int>>);
  static_assert(!sequence<std::map<int, int>>);
  static_assert(!sequence<int>);
  static_assert(!sequence<int*>);
  static_assert(!sequence<cpu::sequential>);
}

TEST(view, of_mutable_elements_is_one_of_const_elements_and_not_the_other_way) {
  static_assert(std::convertible_to<view<int>, view<int const>>);
  static_assert(!std::convertible_to<view<int const>, view<int>>);
  static_assert(!std::convertible_to<view<int>, view<double>>);
  static_assert(!std::convertible_to<view<int, device_space>, view<int const, host_space>>);
  int storage[2] = {1, 2};
  view<int const> const constant = view{storage, 2};
  EXPECT_EQ(constant[1], 2);
}

TEST(view, lets_elements_be_written_though_it_is_const) {
  int storage[2] = {1, 2};
  view const v{storage, 2};
  v[1] = 7;
  EXPECT_EQ(storage[1], 7);
}

TEST(view, is_a_range_of_the_standard) {
  static_assert(std::ranges::contiguous_range<view<int>>);
  static_assert(std::ranges::sized_range<view<int>>);
  static_assert(std::ranges::borrowed_range<view<int>>);
  static_assert(std::ranges::view<view<int>>);
  static_assert(std::is_trivially_copyable_v<view<int>>, "it crosses to kernels");
  int storage[3] = {1, 2, 3};
  int sum = 0;
  for (int const x : view{storage, 3}) sum += x;
  EXPECT_EQ(sum, 6);
}

TEST(view, slices) {
  int storage[5] = {1, 2, 3, 4, 5};
  view const v{storage, 5};
  expect_seen<int, host_space>(v.slice(1, 3), storage + 1, 3);
  EXPECT_TRUE(v.slice(5, 0).empty());
}

TEST(a_range, shows_whether_it_ends) {
  namespace views = std::views;
  auto const odd = [](int x) { return x % 2 == 1; };
  auto const twice = [](int x) { return 2 * x; };
  auto const endless = []<class R>(R const&) { return is_endless<R>; };
  auto const all = views::iota(0);
  EXPECT_TRUE(endless(all));
  EXPECT_TRUE(endless(all | views::transform(twice) | views::drop(2)));
  EXPECT_TRUE(endless(all | views::filter(odd) | views::transform(twice) | views::filter(odd)));
  EXPECT_TRUE(endless(all | views::transform(twice) | views::drop_while(odd)));
  EXPECT_FALSE(endless(all | views::take(3) | views::transform(twice)));
  EXPECT_FALSE(endless(all | views::transform(twice) | views::take(3)));
  EXPECT_FALSE(endless(all | views::filter(odd) | views::take(3) | views::filter(odd)));
  EXPECT_FALSE(endless(all | views::transform(twice) | views::take_while(odd)));
  EXPECT_FALSE(endless(all | views::take_while(odd) | views::transform(twice)));
  EXPECT_FALSE(endless(views::iota(0, 3) | views::transform(twice) | views::reverse));
  EXPECT_FALSE(endless(std::vector<int>()));
}

}  // namespace
}  // namespace ravel::view_test
