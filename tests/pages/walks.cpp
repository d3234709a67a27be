/// The functions on the stack when a call reads its first element, and when it writes its first result.
///
/// Each operand is made inaccessible before the call; the first access to it is a fault, whose
/// handler prints the stack and restores access.  walks.py maps these functions to files.

#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/core/cpu/buffer.hpp>
#include <ravel/core/cpu/executor.hpp>
#include <ravel/flatten/flatten.hpp>
#include <ravel/primitives/scan.hpp>
#include <ravel/primitives/segmented_scan.hpp>

#include <execinfo.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

using namespace ravel;

constexpr index_t n = 1 << 20;  // several tiles

struct pages {
  char* begin = nullptr;
  std::size_t size = 0;
  void protect(int how) const {
    if (size > 0 && mprotect(begin, size, how) != 0) std::abort();
  }
};
pages watched[2];  // the input, the output

extern "C" void on_fault(int, siginfo_t* info, void*) {
  auto* const at = static_cast<char*>(info->si_addr);
  for (pages& p : watched) {
    if (at < p.begin || at >= p.begin + p.size) continue;
    p.protect(PROT_READ | PROT_WRITE);
    p = {};
    void* stack[256];
    int const depth = backtrace(stack, 256);
    for (int i = 2; i < depth; ++i) std::printf(" %p", stack[i]);  // the callers of the handler
    std::printf("\n");
    return;
  }
  std::abort();
}

/// The whole pages of a buffer.
template <class T>
pages inside(cpu::buffer<T> const& of) {
  auto const page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  auto const first = (reinterpret_cast<std::uintptr_t>(of.data()) + page - 1) / page * page;
  auto const last = reinterpret_cast<std::uintptr_t>(of.data() + of.size()) / page * page;
  return {reinterpret_cast<char*>(first), last - first};
}

template <class Call>
void walk(char const* name, pages read, pages written, Call const& call) {
  std::printf("%s\n", name);
  watched[0] = read;
  watched[1] = written;
  for (pages const& p : watched) p.protect(PROT_NONE);
  call();
}

cpu::buffer<int> ones() {
  cpu::buffer<int> made(n);
  std::fill_n(made.data(), n, 1);
  return made;
}

void run() {
  cpu::threads const ex(1);  // the same walk on every machine
  auto const in = ones(), out = ones();
  walk("scan", inside(in), inside(out), [&] { inclusive_scan(ex, in, out); });

  cpu::buffer<index_t> offsets(n / 16 + 1);
  for (index_t s = 0; s <= n / 16; ++s) offsets.data()[s] = 16 * s;
  walk("segmented scan", inside(in), inside(out),
       [&] { segmented_inclusive_scan(ex, in, by_offsets(offsets), out); });

  auto keys = ones();
  for (index_t i = 0; i < n; ++i) keys.data()[i] = static_cast<int>(std::rand());
  walk("radix sort", inside(keys), inside(out), [&] { radix_sort(ex, keys, out); });

  auto const rows = from_offsets(ex, in, offsets);
  walk("nested sum", inside(in), {}, [&] { each(rows, [](auto row) { return sum(row * row); }); });
}

}  // namespace

int main() {
  void* warm_up[1];
  backtrace(warm_up, 1);  // loads what it needs, not in the handler
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigaction(SIGSEGV, &action, nullptr);
  run();
}
