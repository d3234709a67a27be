#pragma once

/// Sorts of other projects, compiled from checkouts that -DRAVEL_PEER_NAME=PATH names.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ravel::bench {

/// A key and its value, for peers that sort such records.
struct keyed {
  std::uint32_t key, value;
  friend bool operator<(keyed const& a, keyed const& b) { return a.key < b.key; }
};

/// An order that no sort recognises as that of integers.
struct by_halves {
  bool operator()(std::uint32_t x, std::uint32_t y) const {
    return (x >> 16) != (y >> 16) ? (x >> 16) < (y >> 16) : (x & 0xffff) < (y & 0xffff);
  }
};

namespace peers {

// Each sorts [first, last) in place on so many threads.  T is uint32_t, uint64_t or keyed, or the
// elements are in the order by_halves.

template <class T>
void ips4o_sort(T* first, T* last, int threads);
void ips4o_sort_by_halves(std::uint32_t* first, std::uint32_t* last, int threads);
template <class T>
void ips2ra_sort(T* first, T* last, int threads);
template <class T>
void parlaylib_sort(T* first, T* last, int threads);
void parlaylib_sort_by_halves(std::uint32_t* first, std::uint32_t* last, int threads);
template <class T>
void dovetail_sort(T* first, T* last, int threads);
template <class T>  // of integers
void x86_simd_sort(T* first, T* last, int threads);

/// A sort, and how long its idle threads wait for work before they sleep.
template <class T>
struct sort {
  char const* name;
  void (*run)(T* first, T* last, int threads);
  double rest;  // seconds
};

inline constexpr double parlay_rest = 12e-3;  // PARLAY_ELASTIC_STEAL_TIMEOUT is 10 ms
inline constexpr double openmp_rest = 25e-3;  // libgomp's threads spin for 300,000 pauses

/// The sorts of this build for elements of type T.
template <class T>
std::vector<sort<T>> sorts() {
  std::vector<sort<T>> all;
#ifdef RAVEL_PEER_IPS4O
  all.push_back({"peer:IPS4o", ips4o_sort<T>, 0});
#endif
#ifdef RAVEL_PEER_IPS2RA
  all.push_back({"peer:IPS2Ra", ips2ra_sort<T>, 0});
#endif
#ifdef RAVEL_PEER_PARLAYLIB
  all.push_back({"peer:ParlayLib", parlaylib_sort<T>, parlay_rest});
#endif
#ifdef RAVEL_PEER_DOVETAILSORT
  all.push_back({"peer:DovetailSort", dovetail_sort<T>, parlay_rest});
#endif
#ifdef RAVEL_PEER_X86_SIMD_SORT
  if constexpr (sizeof(T) == alignof(T)) {
    all.push_back({"peer:x86-simd-sort", x86_simd_sort<T>, openmp_rest});
  }
#endif
  return all;
}

/// The sorts of this build by the order by_halves.
inline std::vector<sort<std::uint32_t>> sorts_by_halves() {
  std::vector<sort<std::uint32_t>> all;
#ifdef RAVEL_PEER_IPS4O
  all.push_back({"peer:IPS4o", ips4o_sort_by_halves, 0});
#endif
#ifdef RAVEL_PEER_PARLAYLIB
  all.push_back({"peer:ParlayLib", parlaylib_sort_by_halves, parlay_rest});
#endif
  return all;
}

/// The commits of the checkouts, or the option that names an absent one.
inline std::map<std::string, std::string> versions() {
  std::map<std::string, std::string> all{{"IPS4o", "none: RAVEL_PEER_IPS4O"},
                                         {"IPS2Ra", "none: RAVEL_PEER_IPS2RA"},
                                         {"ParlayLib", "none: RAVEL_PEER_PARLAYLIB"},
                                         {"DovetailSort", "none: RAVEL_PEER_DOVETAILSORT"},
                                         {"x86-simd-sort", "none: RAVEL_PEER_X86_SIMD_SORT"}};
#ifdef RAVEL_PEER_IPS4O
  all["IPS4o"] = RAVEL_PEER_IPS4O;
#endif
#ifdef RAVEL_PEER_IPS2RA
  all["IPS2Ra"] = RAVEL_PEER_IPS2RA;
#endif
#ifdef RAVEL_PEER_PARLAYLIB
  all["ParlayLib"] = RAVEL_PEER_PARLAYLIB;
#endif
#ifdef RAVEL_PEER_DOVETAILSORT
  all["DovetailSort"] = RAVEL_PEER_DOVETAILSORT;
#endif
#ifdef RAVEL_PEER_X86_SIMD_SORT
  all["x86-simd-sort"] = RAVEL_PEER_X86_SIMD_SORT;
#endif
  return all;
}

}  // namespace peers
}  // namespace ravel::bench
