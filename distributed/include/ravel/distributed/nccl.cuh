#pragma once

/// GPUs as ranks: a communicator for device data, by NCCL, beside one for host data.
///
/// The host communicator, in_process or mpi, starts the group, carries values of the host, and
/// passes errors to all ranks.  For the GPUs of one process:
///
///     run_ranks(gpus, [](in_process const& threads) {
///       gpu::executor const device(threads.rank());
///       executor const ex(device, nccl(threads, device.device()));
///       ...
///     });
///
/// Calls are issued on the stream of the executor.  NCCL takes each on the caller's thread, which
/// costs a tenth of its calls that do not block the host; another thread ends those that wait for a
/// rank beyond the time limit, and a rank that fails ends the kernels of the others.
///
/// Without nccl.h this header is empty.  Link -lnccl.

#if __has_include(<nccl.h>)

#  include <ravel/core/cuda/error.cuh>
#  include <ravel/core/cuda/executor.cuh>
#  include <ravel/core/error.hpp>
#  include <ravel/core/view.hpp>
#  include <ravel/distributed/communicator.hpp>
#  include <ravel/distributed/exchange.hpp>
#  include <ravel/distributed/gpu_of_rank.hpp>
#  include <ravel/distributed/gpu_room.cuh>
#  include <ravel/distributed/side_stream.cuh>

#  include <algorithm>
#  include <atomic>
#  include <chrono>
#  include <condition_variable>
#  include <cstddef>
#  include <cstdint>
#  include <limits>
#  include <memory>
#  include <mutex>
#  include <optional>
#  include <span>
#  include <string>
#  include <thread>
#  include <vector>

#  include <cuda_runtime_api.h>
#  include <nccl.h>

namespace ravel::inline v0::distributed {

template <communicator Host>
class nccl {
  using clock = std::chrono::steady_clock;

  /// One rank's NCCL communicator, and a thread that aborts it when a call takes too long.
  struct group {
    Host host;
    std::chrono::milliseconds limit;
    gpu::side_stream beside;
    gpu::executor on_beside;
    std::atomic<ncclComm_t> comm = nullptr;
    std::uint64_t sent = 0;
    detail::gpu_room room;

    group(Host const& h, int device, std::chrono::milliseconds l)
        : host(h), limit(l), beside(device), on_beside(device, beside.stream()), watcher_([this] {
            watch();
          }) {}
    group(group const&) = delete;
    group& operator=(group const&) = delete;
    ~group() {
      if (comm && !host.failure()) {
        room.close(comm);
        auto const state = watched([](ncclComm_t c) { return ncclCommFinalize(c); });
        if (state == ncclSuccess) ncclCommDestroy(comm.exchange(nullptr));
      }
      abort();
      room.close(nullptr);
      {
        std::lock_guard const lock(mutex_);
        is_over_ = true;
      }
      over_.notify_one();
      watcher_.join();
    }

    /// f(comm), a call that blocks; aborted after the time limit.
    template <class F>
    auto watched(F const& f) {
      end_of_call_ = (clock::now() + limit).time_since_epoch().count();
      auto const result = f(comm.load());
      end_of_call_ = no_call;
      return result;
    }
    void abort() {
      if (auto const c = comm.exchange(nullptr)) ncclCommAbort(c);
    }

   private:
    static constexpr auto no_call = std::numeric_limits<clock::rep>::max();
    std::atomic<clock::rep> end_of_call_ = no_call;
    std::mutex mutex_;
    std::condition_variable over_;
    bool is_over_ = false;
    std::thread watcher_;  // the last member: it uses the others

    void watch() {
      std::unique_lock lock(mutex_);
      while (!over_.wait_for(lock, std::chrono::milliseconds(50), [&] { return is_over_; })) {
        if (clock::now().time_since_epoch().count() >= end_of_call_) abort();
      }
    }
  };
  std::shared_ptr<group> group_;

 public:
  using memory = device_space;

  /// The rank of `host`, with a device that no other rank has.  Waits for all ranks.
  nccl(Host const& host, int device, std::chrono::milliseconds limit = std::chrono::seconds(60))
      : group_(std::make_shared<group>(host, device, limit)) {
    gpu::on_device const here(device);
    detail::abort_on_exception(host, "nccl",
                               [&] { detail::expect_own_gpus(host, uuid_of(device)); });
    ncclUniqueId id{};
    if (rank() == 0) {
      auto const state = ncclGetUniqueId(&id);
      if (state != ncclSuccess) fail("nccl", state);
    }
    std::vector<ncclUniqueId> ids(size());
    host.all_gather_host(reinterpret_cast<std::byte const*>(&id),
                         reinterpret_cast<std::byte*>(ids.data()), sizeof id);
    // Ranks meet without blocking, so that the wait has the time limit; calls of the communicator that
    // is split off block.
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    ncclComm_t meeting = nullptr, made = nullptr;
    auto state = ncclCommInitRankConfig(&meeting, size(), ids[0], rank(), &config);
    group_->comm = meeting;
    meet(state);
    config.blocking = 1;
    state = ncclCommSplit(meeting, 0, rank(), &made, &config);
    meet(state);
    meet(ncclCommFinalize(meeting));
    group_->comm = made;
    meet(ncclCommDestroy(meeting));
  }

  int rank() const { return group_->host.rank(); }
  int size() const { return group_->host.size(); }
  std::uint64_t sent() const { return group_->sent + group_->host.sent(); }
  std::optional<error> failure() const { return group_->host.failure(); }
  Host const& host() const { return group_->host; }

  void all_gather(gpu::executor const& on, void const* src, void* dst, std::size_t bytes) const {
    if (on.is_planned() || bytes == 0) return;
    expect_running("all_gather");
    gpu::on_device const here(on.device());
    succeed("all_gather", [&](ncclComm_t comm) {
      return ncclAllGather(src, dst, bytes, ncclInt8, comm, on.stream());
    });
    group_->sent += bytes * (size() - 1);
  }
  void all_gather_host(void const* src, void* dst, std::size_t bytes) const {
    group_->host.all_gather_host(static_cast<std::byte const*>(src), static_cast<std::byte*>(dst),
                                 bytes);
  }

  /// What a rank keeps is copied; the rest is one group of sends and receives.
  void all_to_all_v(gpu::executor const& on, void const* src, byte_counts counts, void* dst,
                    byte_counts to_counts) const {
    if (on.is_planned()) return;
    expect_running("all_to_all_v");
    gpu::on_device const here(on.device());
    auto const out = messages_of(static_cast<std::byte const*>(src), counts);
    auto const in = messages_of(static_cast<std::byte*>(dst), to_counts);
    auto const stage =
        on.scratch<std::byte>(static_cast<index_t>(staged_bytes(out) + staged_bytes(in)));
    auto const staged_out = staged_in(stage.data(), out);
    auto const staged_back = staged_in(stage.data() + staged_bytes(out), in);

    copy(on, in[rank()].at, out[rank()].at, to_counts[rank()]);
    for (int r = 0; r < size(); ++r) {
      if (out[r].is_staged) copy(on, staged_out[r], out[r].at, counts[r]);
    }
    std::vector<part_of_exchange<std::byte const>> sent;
    std::vector<part_of_exchange<std::byte>> received;
    for (int r = 0; r < size(); ++r) {
      if (r == rank()) continue;
      sent.push_back({r, out[r].is_staged ? staged_out[r] : out[r].at, counts[r]});
      received.push_back({r, in[r].is_staged ? staged_back[r] : in[r].at, to_counts[r]});
    }
    send_and_receive("all_to_all_v", on.stream(), sent, received);
    for (int r = 0; r < size(); ++r) {
      if (in[r].is_staged) copy(on, in[r].at, staged_back[r], to_counts[r]);
    }
  }

  /// The memory is kept until more is needed.
  std::byte* open_room(gpu::executor const& on, std::size_t bytes) const {
    expect_running("open_room");
    detail::gpu_room& room = group_->room;
    if (room.size() >= bytes) return room.data();
    gpu::on_device const here(on.device());
    wait(on);
    gather_values(group_->host, rank());  // none copies from it any more
    room.close(group_->comm);
    succeed("open_room", [&](ncclComm_t) { return room.allocate(bytes); });
    bool const reads_all =
        group_->watched([&](ncclComm_t comm) { return room.register_with(comm, size()); });
    if (!detail::any_of_ranks(group_->host, !reads_all)) {
      room.find_others(on, size());
      wait(on);
    }
    return room.data();
  }

  /// An exchange that runs beside the work of an executor.
  class arrival {
    friend class nccl;
    gpu::moment done_;
    explicit arrival(cudaStream_t stream) : done_(stream) {}

   public:
    void wait(gpu::executor const& on) const {
      gpu::on_device const here(on.device());
      done_.before_work_of(on.stream());
    }
  };

  /// NCCL takes 20 us to issue an exchange, so beside() issues its work before.
  template <class Work>
  void exchange_beside(gpu::executor const& on, void const* src, std::span<run_of_bytes const> out,
                       void* dst, std::span<run_of_bytes const> in, Work const& work) const {
    char const* const call = "exchange_beside";
    expect_running(call);
    gpu::on_device const here(on.device());
    cudaStream_t const stream = group_->beside.stream();
    gpu::moment(on.stream()).before_work_of(stream);
    work.beside();
    work.prepare(group_->on_beside);
    exchange_step step;
    for (int r = 0; r < size(); ++r) {
      if (r == rank()) continue;
      step.sent.push_back({r, out[r].begin, out[r].size});
      step.received.push_back(
          {r, in[r].begin, in[r].size, static_cast<std::byte*>(dst) + in[r].begin});
    }
    send_and_receive(call, stream, static_cast<std::byte const*>(src), step);
    work.finish(group_->on_beside);
    arrival(stream).wait(on);
  }

  std::vector<arrival> start_exchanges(gpu::executor const& on,
                                       std::vector<exchange_step> const& steps) const {
    char const* const call = "start_exchanges";
    expect_running(call);
    gpu::on_device const here(on.device());
    detail::gpu_room const& room = group_->room;
    cudaStream_t const stream = group_->beside.stream();
    if (room.is_copied_from()) meet_on(on, call);
    gpu::moment(on.stream()).before_work_of(stream);
    std::vector<arrival> arrivals;
    for (exchange_step const& step : steps) {
      if (room.is_copied_from()) {
        for (auto const& run : step.received) room.copy(run, stream);
        for (auto const& run : step.sent) group_->sent += run.size;
      } else {
        send_and_receive(call, stream, room.data(), step);
      }
      arrivals.push_back(arrival(stream));
    }
    return arrivals;
  }

  void wait(gpu::executor const& on) const {
    expect_running("wait");
    gpu::on_device const here(on.device());
    auto const begin = clock::now();
    auto looked = begin;  // for failures: a look takes a lock that all ranks share
    while (cudaStreamQuery(on.stream()) == cudaErrorNotReady) {
      std::this_thread::yield();
      auto const now = clock::now();
      if (now - looked < std::chrono::milliseconds(1)) continue;
      looked = now;
      state_of("wait");
      if (now - begin >= group_->limit) abort("wait", waited());
    }
    on.wait();
  }

  [[noreturn]] void abort(std::string const& call, std::string const& sentence) const {
    try {
      group_->host.abort(call, sentence);
    } catch (error const&) {
      group_->abort();
      throw;
    }
  }

 private:
  std::string waited() const { return detail::waited(group_->limit, "other ranks"); }

  static bool has_failed(ncclResult_t state) {
    return state != ncclSuccess && state != ncclInProgress;
  }

  /// What one rank sends or receives.  Large messages that do not begin at a multiple of 16 go through scratch,
  /// which made exchanges of them faster by half (docs/scale.md).
  template <class Byte>
  struct message {
    Byte* at;
    std::size_t bytes;
    bool is_staged;
    std::size_t room() const { return is_staged ? (bytes + 15) / 16 * 16 : 0; }
  };
  static constexpr std::size_t least_staged = std::size_t{1} << 20;

  template <class Byte>
  std::vector<message<Byte>> messages_of(Byte* at, byte_counts counts) const {
    std::vector<message<Byte>> messages;
    for (std::size_t const bytes : counts) {
      bool const is_aligned = reinterpret_cast<std::uintptr_t>(at) % 16 == 0;
      bool const is_remote = std::ssize(messages) != rank();
      messages.push_back({at, bytes, is_remote && !is_aligned && bytes >= least_staged});
      at += bytes;
    }
    return messages;
  }
  template <class Byte>
  static std::size_t staged_bytes(std::vector<message<Byte>> const& messages) {
    std::size_t bytes = 0;
    for (auto const& m : messages) bytes += m.room();
    return bytes;
  }
  template <class Byte>
  static std::vector<std::byte*> staged_in(std::byte* stage,
                                           std::vector<message<Byte>> const& messages) {
    std::vector<std::byte*> places;
    for (auto const& m : messages) {
      places.push_back(stage);
      stage += m.room();
    }
    return places;
  }
  static void copy(gpu::executor const& on, std::byte* dst, std::byte const* src,
                   std::size_t bytes) {
    gpu::check(cudaMemcpyAsync(dst, src, bytes, cudaMemcpyDeviceToDevice, on.stream()),
               "all_to_all_v: copying ", bytes, " bytes");
  }

  template <class Byte>
  struct part_of_exchange {
    int rank;
    Byte* at;
    std::size_t size;
  };
  /// Sends and receives in one group.
  void send_and_receive(char const* call, cudaStream_t stream,
                        std::vector<part_of_exchange<std::byte const>> const& sent,
                        std::vector<part_of_exchange<std::byte>> const& received) const {
    succeed(call, [&](ncclComm_t comm) {
      auto state = ncclGroupStart();
      for (auto const& [rank, src, size] : sent) {
        if (size == 0 || state != ncclSuccess) continue;
        state = ncclSend(src, size, ncclInt8, rank, comm, stream);
        group_->sent += size;
      }
      for (auto const& [rank, dst, size] : received) {
        if (size == 0 || state != ncclSuccess) continue;
        state = ncclRecv(dst, size, ncclInt8, rank, comm, stream);
      }
      auto const ended = ncclGroupEnd();
      return state == ncclSuccess ? ended : state;
    });
  }

  /// The same for the runs of one step, those that are sent from `src` on.
  void send_and_receive(char const* call, cudaStream_t stream, std::byte const* src,
                        exchange_step const& step) const {
    std::vector<part_of_exchange<std::byte const>> sent;
    std::vector<part_of_exchange<std::byte>> received;
    for (auto const& run : step.sent) sent.push_back({run.rank, src + run.begin, run.size});
    for (auto const& run : step.received) received.push_back({run.rank, run.to, run.size});
    send_and_receive(call, stream, sent, received);
  }

  /// Makes what is issued on `on` from now on wait for what all ranks have issued.
  void meet_on(gpu::executor const& on, char const* call) const {
    auto const words = on.scratch<std::uint64_t>(size());
    succeed(call, [&](ncclComm_t comm) {
      return ncclAllGather(words.data() + rank(), words.data(), sizeof(std::uint64_t), ncclInt8,
                           comm, on.stream());
    });
  }

  static detail::gpu_uuid uuid_of(int device) {
    cudaDeviceProp properties;
    gpu::check(cudaGetDeviceProperties(&properties, device), "nccl: properties of device ", device);
    detail::gpu_uuid id;
    std::copy_n(properties.uuid.bytes, id.size(), id.begin());
    return id;
  }

  /// Throws if a rank has failed: the first error, whatever is passed to abort.
  void expect_running(char const* call) const {
    if (auto const failed = failure()) abort(call, failed->what());
    if (!group_->comm) abort(call, waited());
  }

  /// The state of the communicator; throws if it has failed, or another rank has.
  ncclResult_t state_of(char const* call) const {
    expect_running(call);
    auto state = ncclSuccess;
    auto const queried = ncclCommGetAsyncError(group_->comm, &state);
    if (has_failed(queried)) fail(call, queried);
    if (has_failed(state)) fail(call, state);
    return state;
  }

  [[noreturn]] void fail(char const* call, ncclResult_t state) const {
    abort(call, ravel::detail::sentence("NCCL: ", ncclGetErrorString(state), ": ",
                                        ncclGetLastError(nullptr)));
  }

  /// Makes a call that blocks; throws if NCCL does not take it within the time limit.
  template <class F>
  void succeed(char const* call, F const& f) const {
    auto const state = group_->watched(f);
    if (state == ncclSuccess) return;
    expect_running(call);
    fail(call, state);
  }

  /// Returns once the communicator has done what it has begun without blocking.  Some of these calls
  /// return ncclSuccess before.
  void meet(ncclResult_t begun) const {
    if (has_failed(begun)) fail("nccl", begun);
    auto const end = clock::now() + group_->limit;
    while (state_of("nccl") == ncclInProgress) {
      if (clock::now() >= end) abort("nccl", waited());
      std::this_thread::yield();
    }
  }
};

}  // namespace ravel::inline v0::distributed
#endif
