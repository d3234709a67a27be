#include <ravel/primitives/segmented_pack.hpp>

#include "support/device_forms.hpp"
#include "support/executors.hpp"
#include "support/segment_shapes.hpp"
#include "support/segmentations.hpp"

namespace ravel::segmented_pack_test {
namespace {

/// The reference: a loop.
struct packed {
  std::vector<int> elements;
  std::vector<index_t> offsets;
};
packed oracle(testing::segment_shape const& shape, std::vector<int> const& in,
              std::vector<bool> const& flags) {
  packed result{{}, {0}};
  std::size_t i = 0;
  for (index_t const length : shape.lengths) {
    for (index_t r = 0; r < length; ++r, ++i) {
      if (flags[i]) result.elements.push_back(in[i]);
    }
    result.offsets.push_back(std::ssize(result.elements));
  }
  return result;
}

template <class Ex>
struct segmented_pack : testing::on_executor<Ex> {};
TYPED_TEST_SUITE(segmented_pack, testing::all_executors);

TYPED_TEST(segmented_pack, gives_the_example_in_the_header) {
  auto const in = this->there(std::vector<char>{'a', 'b', 'c', 'd', 'e', 'f'});
  auto const flags = this->there(std::vector<bool>{1, 0, 1, 0, 0, 1});
  auto const lengths = this->there(std::vector{3, 2, 0, 1});
  auto out = this->template allocate<char>(3);
  auto offsets = this->template allocate<int>(5);
  ravel::segmented_pack(this->ex(), in, flags, by_lengths(lengths), out, offsets);
  EXPECT_EQ(this->here(out), (std::vector{'a', 'c', 'f'}));
  EXPECT_EQ(this->here(offsets), (std::vector{0, 2, 2, 2, 3}));
}

TYPED_TEST(segmented_pack, agrees_with_the_loop_on_every_shape_and_form) {
  for (auto const& shape : testing::segment_shapes()) {
    for (int pattern = 0; pattern < 4; ++pattern) {
      SCOPED_TRACE(::testing::Message() << shape << ", pattern " << pattern);
      std::vector<int> host;
      std::vector<bool> flags;
      index_t const n = testing::offsets_of(shape).back();
      for (index_t i = 0; i < n; ++i) {
        host.push_back(static_cast<int>(i * 7 % 1000));
        flags.push_back(pattern == 0 ? false
                        : pattern == 1
                            ? true
                            : (pattern == 2 ? i % 7 == 3 : i / 100 % 2 == 1 || i % 3 == 0));
      }
      auto const expected = oracle(shape, host, flags);
      auto const in = this->there(host);
      auto const kept = this->there(flags);
      testing::for_each_numbered_form(*this, shape, [&](auto const& segments) {
        auto out = this->template allocate<int>(std::ssize(expected.elements));
        auto offsets = this->template allocate<index_t>(std::ssize(expected.offsets));
        ravel::segmented_pack(this->ex(), in, kept, segments, out, offsets);
        EXPECT_EQ(this->here(out), expected.elements);
        EXPECT_EQ(this->here(offsets), expected.offsets);
      });
    }
  }
}

TYPED_TEST(segmented_pack, counts_what_it_has_no_room_for) {
  auto const in = this->there(std::vector{1, 2, 3, 4});
  auto const flags = this->there(std::vector<bool>{1, 1, 0, 1});
  auto out = this->there(std::vector{0, 0, 0});
  view const two = view_of(out).slice(0, 2);
  auto offsets = this->template allocate<index_t>(3);
  ravel::segmented_pack(this->ex(), in, flags, uniform(2, 2), two, offsets);
  EXPECT_EQ(this->here(out), (std::vector{1, 2, 0}));
  EXPECT_EQ(this->here(offsets), (std::vector<index_t>{0, 2, 3}));
}

TYPED_TEST(segmented_pack, refuses_sizes_that_differ) {
  auto const in = this->there(std::vector{1, 2, 3, 4});
  auto const flags = this->there(std::vector<bool>{1, 1, 0, 1});
  auto out = this->template allocate<int>(4);
  auto offsets = this->template allocate<index_t>(3);
  auto const& ex = this->ex();
  auto const three = this->there(std::vector<bool>{1, 1, 0});
  EXPECT_THROW(ravel::segmented_pack(ex, in, three, uniform(2, 2), out, offsets), contract_error);
  EXPECT_THROW(ravel::segmented_pack(ex, in, flags, uniform(1, 4), out, offsets), contract_error);
  EXPECT_THROW(ravel::segmented_pack(ex, in, flags, uniform(2, 3), out, offsets), contract_error);
}

}  // namespace
}  // namespace ravel::segmented_pack_test
