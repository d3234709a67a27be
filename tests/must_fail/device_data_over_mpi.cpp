// must fail: distributed::executor: the communicator carries data in another memory than that of the local executor: in_process and mpi are for hosts, nccl for devices
#include <ravel/core/tile.hpp>
#include <ravel/core/view.hpp>
#include <ravel/distributed/executor.hpp>
#include <ravel/distributed/in_process.hpp>

/// Has the memory of devices, as gpu::executor has.
struct on_a_device {
  using space = ravel::device_space;
};

template class ravel::distributed::executor<on_a_device, ravel::distributed::in_process>;
