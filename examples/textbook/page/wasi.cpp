/// What the libraries of WASI leave out, and how an error ends a call of the page: with its sentence.

#include <cstddef>
#include <cstdlib>
#include <exception>

extern "C" {

[[noreturn]] __attribute__((import_module("page"), import_name("failed"))) void failed(
    char const* sentence);

void* __cxa_allocate_exception(std::size_t bytes) { return std::malloc(bytes); }
void __cxa_free_exception(void* memory) { std::free(memory); }
/// Nothing is unwound, so the page begins anew.  All exceptions here begin with a std::exception.
[[noreturn]] void __cxa_throw(void* thrown, void*, void (*)(void*)) {
  failed(static_cast<std::exception*>(thrown)->what());
}

int __cxa_thread_atexit(void (*)(void*), void*, void*) {
  return 0;
}  // the only thread does not end
int madvise(void*, std::size_t, int) { return 0; }

}  // extern "C"
