// The defect that scripts/support/kernels.py finds.  With --expt-relaxed-constexpr nvcc
// compiles this without a warning, and the kernel writes nothing, since a constexpr
// function calls one that is host-only.

template <class T>
struct tripled {
  T x;
  T on_the_host() const { return 3 * x; }
  constexpr T value() const { return on_the_host(); }
};

template <class T>
__global__ void emptied(tripled<T> in, T* out) {
  *out = in.value();
}
template __global__ void emptied<int>(tripled<int>, int*);
