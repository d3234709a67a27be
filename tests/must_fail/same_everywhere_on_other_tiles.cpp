// must fail: same_everywhere: the executor has other tiles than of 2048 elements
#include <ravel/core/cpu/executor.hpp>
#include <ravel/core/same_everywhere.hpp>
#include <ravel/primitives/scan.hpp>

#include <vector>

struct small_tiles {
  using space = ravel::host_space;
  template <class T>
  auto allocate(ravel::index_t n) const {
    return ravel::cpu::buffer<T>(n);
  }
  template <class T>
  auto scratch(ravel::index_t n) const {
    return ravel::cpu::buffer<T>(n);
  }
  template <class T>
  void copy(T const* from, T* to, ravel::index_t n) const {
    ravel::cpu::sequential::copy(from, to, n);
  }
  static constexpr ravel::index_t tile_count(ravel::index_t n) { return ravel::div_up(n, 100); }
  template <class F>
  void for_each_tile(ravel::index_t n, F f) const {
    ravel::cpu::sequential::for_each_tile_of(100, n, f);
  }
  void wait() const {}
};

void scan(std::vector<float>& x) {
  ravel::inclusive_scan(ravel::same_everywhere(small_tiles{}), x, x);
}
