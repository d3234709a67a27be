#pragma once

/// Results that sinks return without waiting: a value, and elements whose number only the executor
/// knows.

#include <ravel/core/owning_iterator.hpp>
#include <ravel/core/std_memory.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/pipelines/node.hpp>
#include <ravel/pipelines/views.hpp>

#include <iterator>
#include <ranges>

namespace ravel::inline v0 {

/// A value that the executor has or will have: get() waits for it.  It is a sequence of
/// one element in the executor's memory, and so can be passed to from(...) without a wait.
template <executor Ex, class T>
class deferred {
  using memory = decltype(std::declval<Ex const&>().template allocate<T>(1));
  Ex ex_;
  memory value_;

 public:
  using value_type = T;
  using space = space_of_t<Ex>;

  explicit deferred(Ex const& ex) : ex_(ex), value_(ex.template allocate<T>(1)) {}

  T* data() const { return value_.data(); }
  T* begin() const { return data(); }
  T* end() const { return data() + 1; }
  index_t size() const { return 1; }

  /// The value.  Waits for it.
  T get() const { return at_sync(ex_, value_); }
};

/// The results of a pipeline that drops elements: the executor knows their number, and the host
/// after a wait.  A copy shares the elements.
///
/// On the host it is a sequence, and a view of its elements.
template <executor Ex, class T>
class collected : public std::ranges::view_base {
  static constexpr bool on_host = std::same_as<space_of_t<Ex>, host_space>;
  using memory = decltype(std::declval<Ex const&>().template allocate<T>(0));
  std::shared_ptr<memory> elements_;
  std::shared_ptr<deferred<Ex, index_t>> count_;

 public:
  using value_type = T;
  using space = space_of_t<Ex>;

  collected() = default;  ///< without elements: range-v3 wants views to have a default constructor
  collected(Ex const& ex, index_t capacity)
      : collected(ex, capacity, std::make_shared<deferred<Ex, index_t>>(ex)) {}
  /// One of several sequences with the same number of elements.
  collected(Ex const& ex, index_t capacity, std::shared_ptr<deferred<Ex, index_t>> count)
      : elements_(std::make_shared<memory>(ex.template allocate<T>(capacity))),
        count_(std::move(count)) {}

  /// From results that exist already.
  collected(memory elements, std::shared_ptr<deferred<Ex, index_t>> count)
      : elements_(std::make_shared<memory>(std::move(elements))), count_(std::move(count)) {}
  /// The first `count` elements, on the host.
  collected(Ex const& ex, memory elements, index_t count)
      : collected(std::move(elements), std::make_shared<deferred<Ex, index_t>>(ex)) {
    *count_->data() = count;
  }

  T* data() const { return elements_ ? elements_->data() : nullptr; }
  /// The number of elements that there is room for.
  index_t capacity() const { return elements_ ? elements_->size() : 0; }
  /// The number of elements, in the executor's memory.
  deferred<Ex, index_t> const& count() const {
    expects(count_ != nullptr, "collected::count: these are the results of no pipeline");
    return *count_;
  }
  /// The number of elements.  Waits for it.
  index_t size_sync() const { return count_ ? count_->get() : 0; }
  /// The elements, as a sequence in the executor's memory.  Waits for their number.
  view<T, space_of_t<Ex>> view_sync() const { return {data(), size_sync()}; }

  T* begin() const requires on_host { return data(); }
  T* end() const requires on_host { return data() + size(); }
  index_t size() const requires on_host { return size_sync(); }

  /// Refused on a device, where nothing on the host can iterate.
  owning_iterator<T> begin() const requires(!on_host) {
    static_assert(on_host,
                  "the results of a pipeline on a device are no range of the host: to_host(ex, "
                  "results.view_sync()) copies them there");
    return {};
  }
  std::default_sentinel_t end() const requires(!on_host) { return {}; }

  /// The source of another pipeline, without a wait.
  auto as_source() const {
    using View = piping::counted_in_memory<T, space_of_t<Ex>>;
    return piping::source<View, collected>{View{data(), capacity(), count().data()}, *this};
  }
};

}  // namespace ravel::inline v0
