#include "algorithms.hpp"
#include "in_order.hpp"
#include "sample_sort.hpp"

#include <ravel/algorithms/comparison_sort.hpp>

namespace ravel::examples {

template <class Backend, class T>
void merge_numbers(backend_executor const& ex, on_backend<T const> in, on_backend<T> out,
                   bool downward) {
  comparison_sort(ex, in, out, in_order{downward});
}

template <class Backend, class T>
void merge_pairs(backend_executor const& ex, on_backend<T const> keys,
                 on_backend<std::int64_t const> values, on_backend<T> keys_out,
                 on_backend<std::int64_t> values_out, bool downward) {
  comparison_sort_pairs(ex, keys, values, keys_out, values_out, in_order{downward});
}

template <class Backend, class T>
void sample_numbers(backend_executor const& ex, on_backend<T const> in, on_backend<T> out,
                    bool downward) {
  sample_sort(ex, in.size(), rows<T const, no_value const>{in.data(), nullptr},
              rows<T, no_value>{out.data(), nullptr}, in_order{downward});
}

template <class Backend, class T>
void sample_pairs(backend_executor const& ex, on_backend<T const> keys,
                  on_backend<std::int64_t const> values, on_backend<T> keys_out,
                  on_backend<std::int64_t> values_out, bool downward) {
  sample_sort(ex, keys.size(), rows<T const, std::int64_t const>{keys.data(), values.data()},
              rows<T, std::int64_t>{keys_out.data(), values_out.data()}, in_order{downward});
}

#define RAVEL_COMPARE_NUMBERS(T)                                                      \
  template void merge_numbers<backend>(backend_executor const&, on_backend<T const>,  \
                                       on_backend<T>, bool);                          \
  template void merge_pairs<backend>(backend_executor const&, on_backend<T const>,    \
                                     on_backend<std::int64_t const>, on_backend<T>,   \
                                     on_backend<std::int64_t>, bool);                 \
  template void sample_numbers<backend>(backend_executor const&, on_backend<T const>, \
                                        on_backend<T>, bool);                         \
  template void sample_pairs<backend>(backend_executor const&, on_backend<T const>,   \
                                      on_backend<std::int64_t const>, on_backend<T>,  \
                                      on_backend<std::int64_t>, bool);
RAVEL_COMPARE_NUMBERS(std::uint32_t)
RAVEL_COMPARE_NUMBERS(std::uint64_t)
RAVEL_COMPARE_NUMBERS(std::int32_t)
RAVEL_COMPARE_NUMBERS(std::int64_t)
RAVEL_COMPARE_NUMBERS(float)
RAVEL_COMPARE_NUMBERS(double)

}  // namespace ravel::examples
