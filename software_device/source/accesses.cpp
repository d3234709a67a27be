/// What -fsanitize=thread has compiled kernels call for each access to memory, in place of the runtime
/// of ThreadSanitizer; and the names of __shared__ variables.

#include <ravel/software_device/observer.hpp>

#include <cxxabi.h>
#include <elf.h>
#include <link.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <future>
#include <iterator>
#include <vector>

namespace ravel::software {
namespace {

struct range {
  char const* first = nullptr;
  char const* last = nullptr;
  bool has(void const* p) const { return first <= p && p < last; }
};

/// The thread_local variables of this thread, which the program itself has: __shared__ is
/// thread_local here.
range thread_locals() {
  thread_local range const it = [] {
    range found;
    dl_iterate_phdr(
        [](dl_phdr_info* program, std::size_t, void* found) {
          for (int k = 0; k < program->dlpi_phnum; ++k) {
            if (program->dlpi_phdr[k].p_type != PT_TLS || program->dlpi_tls_data == nullptr)
              continue;
            auto* const first = static_cast<char const*>(program->dlpi_tls_data);
            *static_cast<range*>(found) = {first, first + program->dlpi_phdr[k].p_memsz};
          }
          return 1;  // the first is the program
        },
        &found);
    return found;
  }();
  return it;
}

void report(void const* at, std::size_t bytes, bool writes, void const* instruction) {
  observer* const by = device::observer_of(at);
  if (by == nullptr) return;
  unobserved const here;
  bool const shared = thread_locals().has(at) || device::has_dynamic_shared(at);
  by->accessed({at, bytes, writes, shared ? memory::shared : memory::global, instruction});
}

/// The name of a variable, without its scope.
std::string variable_of(std::string const& symbol) {
  int status = 0;
  char* const demangled = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status);
  std::string name = status == 0 ? demangled : symbol;
  std::free(demangled);
  auto const scope = name.rfind("::");
  if (scope != std::string::npos) name = name.substr(scope + 2);
  if (status == 0) return name;
  // In a function of lambdas, which the demangler may not know: the symbol ends in length and name.
  for (std::size_t length = 1; length < name.size(); ++length) {
    auto const digits = std::to_string(length);
    std::size_t const end = name.size() - length;
    if (end >= digits.size() && name.compare(end - digits.size(), digits.size(), digits) == 0)
      return name.substr(end);
  }
  return name;
}

std::vector<shared_variable> read_names() {
  std::ifstream file("/proc/self/exe", std::ios::binary);
  std::vector<char> const image{std::istreambuf_iterator<char>(file), {}};
  auto const at = [&](auto offset) { return image.data() + offset; };
  std::vector<shared_variable> found;
  if (image.size() < sizeof(Elf64_Ehdr)) return found;
  auto const& header = *reinterpret_cast<Elf64_Ehdr const*>(at(0));
  auto const* const sections = reinterpret_cast<Elf64_Shdr const*>(at(header.e_shoff));
  for (int k = 0; k < header.e_shnum; ++k) {
    if (sections[k].sh_type != SHT_SYMTAB) continue;
    char const* const names = at(sections[sections[k].sh_link].sh_offset);
    auto const* const symbols = reinterpret_cast<Elf64_Sym const*>(at(sections[k].sh_offset));
    for (std::size_t s = 0; s < sections[k].sh_size / sizeof(Elf64_Sym); ++s) {
      if (ELF64_ST_TYPE(symbols[s].st_info) != STT_TLS) continue;
      found.push_back({variable_of(names + symbols[s].st_name),
                       reinterpret_cast<char const*>(symbols[s].st_value), symbols[s].st_size});
    }
  }
  return found;
}

}  // namespace

shared_variable shared_variable_at(void const* p) {
  // On a thread of its own: the demangler takes more stack than a fibre has.
  static auto const names = std::async(std::launch::async, read_names).get();
  range const all = thread_locals();
  if (!all.has(p)) return {};
  for (shared_variable const& v : names) {
    char const* const first = all.first + reinterpret_cast<std::uintptr_t>(v.first);
    if (first <= p && p < first + v.bytes) return {v.name, first, v.bytes};
  }
  return {};
}

}  // namespace ravel::software

using ravel::software::report;

#define RAVEL_ACCESS(call, bytes, writes) \
  void call(void* p) { report(p, bytes, writes, __builtin_return_address(0)); }
#define RAVEL_ACCESSES(bytes)                              \
  RAVEL_ACCESS(__tsan_read##bytes, bytes, false)           \
  RAVEL_ACCESS(__tsan_write##bytes, bytes, true)           \
  RAVEL_ACCESS(__tsan_unaligned_read##bytes, bytes, false) \
  RAVEL_ACCESS(__tsan_unaligned_write##bytes, bytes, true)

// Atomic operations of the host's code in the same program: as without -fsanitize=thread.
#define RAVEL_FETCH(T, bits, what)                                \
  T __tsan_atomic##bits##_fetch_##what(T volatile* p, T x, int) { \
    return __atomic_fetch_##what(p, x, __ATOMIC_SEQ_CST);         \
  }
#define RAVEL_EXCHANGE(T, bits, how, weak)                                                        \
  int __tsan_atomic##bits##_compare_exchange_##how(T volatile* p, T* expected, T x, int, int) {   \
    return __atomic_compare_exchange_n(p, expected, x, weak, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
  }
#define RAVEL_ATOMICS(T, bits)                                \
  T __tsan_atomic##bits##_load(T const volatile* p, int) {    \
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);              \
  }                                                           \
  void __tsan_atomic##bits##_store(T volatile* p, T x, int) { \
    __atomic_store_n(p, x, __ATOMIC_SEQ_CST);                 \
  }                                                           \
  T __tsan_atomic##bits##_exchange(T volatile* p, T x, int) { \
    return __atomic_exchange_n(p, x, __ATOMIC_SEQ_CST);       \
  }                                                           \
  RAVEL_FETCH(T, bits, add)                                   \
  RAVEL_FETCH(T, bits, sub)                                   \
  RAVEL_FETCH(T, bits, and)                                   \
  RAVEL_FETCH(T, bits, or)                                    \
  RAVEL_FETCH(T, bits, xor)                                   \
  RAVEL_EXCHANGE(T, bits, strong, false)                      \
  RAVEL_EXCHANGE(T, bits, weak, true)

extern "C" {
RAVEL_ACCESSES(1)
RAVEL_ACCESSES(2)
RAVEL_ACCESSES(4)
RAVEL_ACCESSES(8)
RAVEL_ACCESSES(16)
RAVEL_ATOMICS(unsigned char, 8)
RAVEL_ATOMICS(unsigned short, 16)
RAVEL_ATOMICS(unsigned, 32)
RAVEL_ATOMICS(unsigned long, 64)
void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
void __tsan_atomic_signal_fence(int) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }
void __tsan_read_range(void* p, unsigned long n) {
  report(p, n, false, __builtin_return_address(0));
}
void __tsan_write_range(void* p, unsigned long n) {
  report(p, n, true, __builtin_return_address(0));
}
// Clang's names for calls of the C library.
void* __tsan_memset(void* p, int byte, unsigned long n) {
  report(p, n, true, __builtin_return_address(0));
  return std::memset(p, byte, n);
}
void* __tsan_memcpy(void* to, void const* from, unsigned long n) {
  report(from, n, false, __builtin_return_address(0));
  report(to, n, true, __builtin_return_address(0));
  return std::memcpy(to, from, n);
}
void* __tsan_memmove(void* to, void const* from, unsigned long n) {
  report(from, n, false, __builtin_return_address(0));
  report(to, n, true, __builtin_return_address(0));
  return std::memmove(to, from, n);
}
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
}
