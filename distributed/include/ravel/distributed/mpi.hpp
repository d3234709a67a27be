#pragma once

/// Processes as ranks: a communicator for host data, by MPI.
///
///     int main(int argc, char** argv) {
///       return run_mpi(argc, argv, [](mpi const& ranks) {
///         executor const ex(cpu::threads(), ranks);
///         ...
///       });
///     }
///
/// No call blocks in MPI, so every wait has a time limit and ends when another rank has failed: the
/// error goes to all ranks by messages of their own.  If several fail at once, ranks may throw
/// different ones of their errors.  After an error the group makes no more calls, and its process
/// should end, as run_mpi does: MPI may still refer to the operands of the call.
///
/// Messages are cut into parts of 1 GiB at most, since MPI before version 4 counts with int.
///
/// Without mpi.h this header is empty.  With CMake link MPI::MPI_CXX.

#if __has_include(<mpi.h>)

#  include <ravel/core/error.hpp>
#  include <ravel/core/view.hpp>
#  include <ravel/distributed/communicator.hpp>

#  include <algorithm>
#  include <chrono>
#  include <cstddef>
#  include <cstdint>
#  include <cstdio>
#  include <cstring>
#  include <memory>
#  include <optional>
#  include <span>
#  include <string>
#  include <thread>
#  include <utility>
#  include <vector>

// The C++ bindings that MPI has removed.
#  ifndef OMPI_SKIP_MPICXX
#    define OMPI_SKIP_MPICXX
#  endif
#  ifndef MPICH_SKIP_MPICXX
#    define MPICH_SKIP_MPICXX
#  endif
#  include <mpi.h>

namespace ravel::inline v0::distributed {

struct mpi_options {
  std::chrono::milliseconds limit{60'000};           ///< on waiting for another rank
  std::size_t message_bytes = std::size_t{1} << 30;  ///< of the longest message
};

class mpi {
  using clock = std::chrono::steady_clock;

  /// An error, as it is sent.
  struct notice {
    int rank = 0;
    char call[60] = {};
    char sentence[960] = {};
  };
  struct group {
    MPI_Comm data, errors, ends;
    int rank, size;
    mpi_options options;
    std::uint64_t sent = 0;
    std::optional<error> failure;
    notice sent_notice;  // stays until the process ends

    group(group const&) = delete;
    group& operator=(group const&) = delete;
    group(MPI_Comm ranks, mpi_options const& o) : options(o) {
      MPI_Comm_dup(ranks, &data);
      MPI_Comm_dup(ranks, &errors);
      MPI_Comm_dup(ranks, &ends);
      MPI_Comm_set_errhandler(data, MPI_ERRORS_RETURN);
      MPI_Comm_set_errhandler(errors, MPI_ERRORS_RETURN);
      MPI_Comm_rank(data, &rank);
      MPI_Comm_size(data, &size);
    }
    ~group() {
      int over = 0;
      MPI_Finalized(&over);
      if (over || failure) return;
      MPI_Comm_free(&data);
      MPI_Comm_free(&errors);
      MPI_Comm_free(&ends);
    }
  };
  using requests = std::vector<MPI_Request>;

  std::shared_ptr<group> group_;
  explicit mpi(std::shared_ptr<group> ranks) : group_(std::move(ranks)) {}

 public:
  using memory = host_space;

  /// A group of the processes of `ranks`.  All of them make it, after MPI_Init.
  explicit mpi(MPI_Comm ranks, mpi_options const& options = {})
      : group_(std::make_shared<group>(ranks, options)) {}

  int rank() const { return group_->rank; }
  int size() const { return group_->size; }
  std::uint64_t sent() const { return group_->sent; }
  std::optional<error> failure() const {
    look_for_failure();
    return group_->failure;
  }

  void all_gather(auto const& on, void const* src, void* dst, std::size_t bytes) const {
    on.wait();
    gather("all_gather", src, dst, bytes);
  }
  void all_gather_host(void const* src, void* dst, std::size_t bytes) const {
    gather("all_gather_host", src, dst, bytes);
  }

  void all_to_all_v(auto const& on, void const* src, byte_counts counts, void* dst,
                    byte_counts to_counts) const {
    on.wait();
    requests pending = begin("all_to_all_v");
    auto const* out = static_cast<std::byte const*>(src);
    auto* in = static_cast<std::byte*>(dst);
    for (int r = 0; r < size(); out += counts[r], in += to_counts[r], ++r) {
      if (r == rank()) {
        if (to_counts[r] > 0) std::memcpy(in, out, counts[r]);
      } else {
        receive("all_to_all_v", in, to_counts[r], r, pending);
        send("all_to_all_v", out, counts[r], r, pending);
      }
    }
    complete("all_to_all_v", pending);
  }

  void exchange_beside(auto const& on, void const* src, std::span<run_of_bytes const> out,
                       void* dst, std::span<run_of_bytes const> in, auto const& work) const {
    char const* const call = "exchange_beside";
    work.prepare(on);
    on.wait();
    requests pending = begin(call);
    for (int r = 0; r < size(); ++r) {
      if (r == rank()) continue;
      receive(call, static_cast<std::byte*>(dst) + in[r].begin, in[r].size, r, pending);
      send(call, static_cast<std::byte const*>(src) + out[r].begin, out[r].size, r, pending);
    }
    work.beside();
    complete(call, pending);
    work.finish(on);
  }

  void wait(auto const& on) const { on.wait(); }

  [[noreturn]] void abort(std::string const& call, std::string const& sentence) const {
    look_for_failure();
    if (!group_->failure) {
      group_->failure.emplace(rank(), call, sentence);
      notify_all(call, sentence);
    }
    throw error(*group_->failure);
  }

  /// Returns once all ranks make this call, however long that takes; ends with the error of any of them.
  /// A process in MPI_Finalize would not hear of it, and mpirun of Open MPI 4.1 crash.
  void wait_for_ends() const {
    requests pending = begin("run_mpi");
    pending.emplace_back();
    succeed("run_mpi", MPI_Ibarrier(group_->ends, &pending.back()));
    complete("run_mpi", pending, std::chrono::hours(1 << 16));
  }

  /// Ends the process after an error, once all ranks have heard of it, or after two seconds.
  [[noreturn]] void end_all() const {
    auto const e = *group_->failure;
    if (e.rank() == rank()) std::fprintf(stderr, "%s\n", e.what());
    std::fflush(stderr);
    MPI_Request all_know = MPI_REQUEST_NULL;
    int done = 0;
    MPI_Ibarrier(group_->errors, &all_know);
    for (auto const end = clock::now() + std::chrono::seconds(2); !done && clock::now() < end;) {
      MPI_Test(&all_know, &done, MPI_STATUS_IGNORE);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    MPI_Abort(group_->errors, 1);
    std::_Exit(1);
  }

  /// A file that all processes of the group have opened, by MPI-IO.  Each reads and writes at its
  /// places; only opening and closing wait for the others.
  class file {
    std::shared_ptr<group> group_;
    MPI_File file_ = MPI_FILE_NULL;

    static void succeed(int status) {
      if (status != MPI_SUCCESS) throw call_error(text_of(status));
    }
    /// Calls transfer(done, count, &status), which transfers some bytes, until all are.
    void repeat(std::size_t bytes, auto const& transfer) const {
      for (std::size_t done = 0; done < bytes;) {
        MPI_Status status;
        int n = 0;
        std::size_t const rest = std::min(group_->options.message_bytes, bytes - done);
        succeed(transfer(done, static_cast<int>(rest), &status));
        MPI_Get_count(&status, MPI_BYTE, &n);
        if (n <= 0) {
          throw call_error(ravel::detail::sentence("it ends ", bytes - done, " bytes too early"));
        }
        done += static_cast<std::size_t>(n);
      }
    }

   public:
    file(mpi const& ranks, std::string const& path, bool writes) : group_(ranks.group_) {
      succeed(MPI_File_open(group_->data, path.c_str(), writes ? MPI_MODE_WRONLY : MPI_MODE_RDONLY,
                            MPI_INFO_NULL, &file_));
    }
    file(file&& other) noexcept
        : group_(std::move(other.group_)), file_(std::exchange(other.file_, MPI_FILE_NULL)) {}
    file& operator=(file&&) = delete;
    ~file() {
      if (file_ != MPI_FILE_NULL && !group_->failure) MPI_File_close(&file_);
    }

    std::int64_t size() const {
      MPI_Offset bytes = 0;
      succeed(MPI_File_get_size(file_, &bytes));
      return bytes;
    }
    void read(std::int64_t begin, std::byte* dst, std::size_t bytes) const {
      repeat(bytes, [&](std::size_t done, int count, MPI_Status* status) {
        return MPI_File_read_at(file_, begin + static_cast<MPI_Offset>(done), dst + done, count,
                                MPI_BYTE, status);
      });
    }
    void write(std::int64_t begin, std::byte const* src, std::size_t bytes) const {
      repeat(bytes, [&](std::size_t done, int count, MPI_Status* status) {
        return MPI_File_write_at(file_, begin + static_cast<MPI_Offset>(done), src + done, count,
                                 MPI_BYTE, status);
      });
    }
    void close() { succeed(MPI_File_close(&file_)); }
  };
  file open_file(std::string const& path, bool writes) const { return {*this, path, writes}; }

 private:
  static constexpr int tag = 0;
  static constexpr std::size_t most_bytes_of_rounds = std::size_t{1} << 20;

  requests begin(char const* call) const {
    if (failure()) abort(call, "");
    return {};
  }

  static std::string text_of(int status) {
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    MPI_Error_string(status, text, &length);
    return ravel::detail::sentence("MPI: ", std::string(text, length));
  }
  void succeed(char const* call, int status) const {
    if (status != MPI_SUCCESS) abort(call, text_of(status));
  }

  void gather(char const* call, void const* src, void* dst, std::size_t bytes) const {
    requests pending = begin(call);
    auto* const places = static_cast<std::byte*>(dst);
    auto* const own = places + rank() * bytes;
    if (own != src && bytes > 0) std::memcpy(own, src, bytes);
    if (bytes * size() <= std::min(most_bytes_of_rounds, group_->options.message_bytes)) {
      gather_in_rounds(call, places, bytes);
    } else if (bytes <= group_->options.message_bytes) {
      int const count = static_cast<int>(bytes);
      pending.emplace_back();
      succeed(call, MPI_Iallgather(MPI_IN_PLACE, count, MPI_BYTE, dst, count, MPI_BYTE,
                                   group_->data, &pending.back()));
      group_->sent += bytes * (size() - 1);
    } else {
      for (int r = 0; r < size(); ++r) {
        if (r == rank()) continue;
        receive(call, places + r * bytes, bytes, r, pending);
        send(call, own, bytes, r, pending);
      }
    }
    complete(call, pending);
  }

  /// All-gather in log2 p rounds, where MPI_Iallgather may send a message to every rank: before the
  /// round of n blocks each rank has those of n ranks from its own on, and sends them to the rank n
  /// before it.
  ///
  /// Source   Bruck, Ho, Kipnis, Upfal and Weathersby, "Efficient Algorithms for All-to-All
  ///          Communications in Multiport Message-Passing Systems", IEEE TPDS 8(11), 1997.
  void gather_in_rounds(char const* call, std::byte* places, std::size_t bytes) const {
    auto const p = static_cast<std::size_t>(size()), r = static_cast<std::size_t>(rank());
    std::vector<std::byte> blocks(places + r * bytes, places + (r + 1) * bytes);
    blocks.resize(p * bytes);  // block i is that of rank r + i
    for (std::size_t n = 1; n < p; n *= 2) {
      std::size_t const length = std::min(n, p - n) * bytes;
      requests pending;
      receive(call, blocks.data() + n * bytes, length, static_cast<int>((r + n) % p), pending);
      send(call, blocks.data(), length, static_cast<int>((r + p - n) % p), pending);
      complete(call, pending);
    }
    std::copy_n(blocks.data(), (p - r) * bytes, places + r * bytes);
    std::copy_n(blocks.data() + (p - r) * bytes, r * bytes, places);
  }

  /// Calls part(first, bytes) for each part of a message.
  void cut(std::size_t bytes, auto const& part) const {
    std::size_t const longest = group_->options.message_bytes;
    for (std::size_t k = 0; k < bytes; k += longest) {
      part(k, static_cast<int>(std::min(longest, bytes - k)));
    }
  }
  void send(char const* call, std::byte const* data, std::size_t bytes, int receiver,
            requests& pending) const {
    cut(bytes, [&](std::size_t first, int count) {
      pending.emplace_back();
      succeed(call, MPI_Isend(data + first, count, MPI_BYTE, receiver, tag, group_->data,
                              &pending.back()));
    });
    group_->sent += bytes;
  }
  void receive(char const* call, std::byte* data, std::size_t bytes, int sender,
               requests& pending) const {
    cut(bytes, [&](std::size_t first, int count) {
      pending.emplace_back();
      succeed(call,
              MPI_Irecv(data + first, count, MPI_BYTE, sender, tag, group_->data, &pending.back()));
    });
  }

  void complete(char const* call, requests& pending) const {
    complete(call, pending, group_->options.limit);
  }
  void complete(char const* call, requests& pending, std::chrono::milliseconds limit) const {
    auto const begun = clock::now();
    for (int done = 0;;) {
      int const status =
          MPI_Testall(static_cast<int>(pending.size()), pending.data(), &done, MPI_STATUSES_IGNORE);
      if (status == MPI_ERR_IN_STATUS) {
        abort(call,
              "a message does not fit: ranks make different calls, or with different sizes; "
              "checked(ranks) names them");
      }
      succeed(call, status);
      if (done) return;
      if (failure()) abort(call, "");
      auto const waited = clock::now() - begun;
      if (waited > limit) abort(call, detail::waited(limit, "other ranks"));
      if (waited > std::chrono::milliseconds(1)) {
        std::this_thread::sleep_for(std::chrono::microseconds(50));
      } else {
        std::this_thread::yield();
      }
    }
  }

  void look_for_failure() const {
    if (group_->failure) return;
    int is_there = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, tag, group_->errors, &is_there, &status);
    if (!is_there) return;
    notice n;
    MPI_Recv(&n, sizeof n, MPI_BYTE, status.MPI_SOURCE, tag, group_->errors, MPI_STATUS_IGNORE);
    group_->failure.emplace(n.rank, n.call, n.sentence);
  }

  void notify_all(std::string const& call, std::string const& sentence) const {
    notice& n = group_->sent_notice;
    n.rank = rank();
    call.copy(n.call, sizeof n.call - 1);
    sentence.copy(n.sentence, sizeof n.sentence - 1);
    requests pending;
    for (int r = 0; r < size(); ++r) {
      if (r == rank()) continue;
      pending.emplace_back();
      MPI_Isend(&n, sizeof n, MPI_BYTE, r, tag, group_->errors, &pending.back());
    }
    int done = 0;
    for (auto const end = clock::now() + std::chrono::seconds(1); !done && clock::now() < end;) {
      MPI_Testall(static_cast<int>(pending.size()), pending.data(), &done, MPI_STATUSES_IGNORE);
    }
  }
};

/// Initialises MPI, calls f(ranks) with all processes, and finalises MPI.  Returns 0.
///
/// Errors   An exception in one process ends all: the process that failed prints it, and the exit
///          status is 1.  MPI returns errors of calls that f makes on MPI_COMM_WORLD.
template <class F>
int run_mpi(int& argc, char**& argv, F const& f, mpi_options const& options = {}) {
  MPI_Init(&argc, &argv);
  // MPICH also calls this handler for requests of other communicators.
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  {
    mpi const ranks(MPI_COMM_WORLD, options);
    try {
      detail::abort_on_exception(ranks, "", [&] { f(ranks); });
      ranks.wait_for_ends();
    } catch (error const&) {
      ranks.end_all();
    }
  }
  MPI_Finalize();
  return 0;
}

}  // namespace ravel::inline v0::distributed
#endif
