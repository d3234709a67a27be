/// gpu::compiled_executor: a gpu::executor, held by a pointer.

#include "archive.hpp"

#include <memory>

namespace ravel::inline v0::detail::archive {

template <int... Capabilities>
void compiled_for() {}
template void compiled_for<RAVEL_CAPABILITIES>();

}  // namespace ravel::inline v0::detail::archive

namespace ravel::inline v0::gpu {

compiled_executor::compiled_executor() : ex_(std::make_shared<executor const>()) {}
compiled_executor::compiled_executor(int device) : ex_(std::make_shared<executor const>(device)) {}
compiled_executor::compiled_executor(int device, void* stream)
    : ex_(std::make_shared<executor const>(device, static_cast<cudaStream_t>(stream))) {}

void* compiled_executor::stream() const { return ex_->stream(); }
void compiled_executor::wait() const { ex_->wait(); }

std::shared_ptr<void> compiled_executor::allocate_bytes(index_t n) const {
  auto const owner = std::make_shared<buffer<char>>(ex_->allocate<char>(n));
  return {owner, owner->data()};
}
void compiled_executor::copy_bytes(void const* from, void* to, index_t n) const {
  ex_->copy(static_cast<char const*>(from), static_cast<char*>(to), n);
}

}  // namespace ravel::inline v0::gpu
