#pragma once

/// @file
/// A device in software: thread blocks whose threads are fibres.
///
/// Several blocks are alive at once, as many as the device has room for, and the
/// others begin, in any order, as these end.  A thread keeps its turn until it waits
/// or touches memory that blocks share; then anybody may go on.
///
/// If all wait and nobody can go on, the launch says so instead of hanging.
///
/// Each block that is alive has a host thread, so that what is __shared__ can be
/// thread_local; of these threads only one runs at any time.

#include "support/lockstep/block.hpp"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <semaphore>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace ravel::testing::lockstep {

/// What a launch asks for.
struct shape {
  unsigned blocks;
  unsigned threads;
  bool all_at_once;  // as a cooperative launch does
  std::size_t shared_bytes = 0;
  bool one_at_a_time = false;  // blocks that have nothing to say to each other
};

class device {
 public:
  static constexpr unsigned multiprocessors = 4;
  static constexpr unsigned room = 8;  // blocks that can be alive

 private:
  // More than any kernel needs that ends.
  static constexpr unsigned most_idle_passes = 500;
  static constexpr unsigned most_polls = 100'000;

  struct worker {
    block of;
    std::binary_semaphore turn{0};
    std::jthread thread;
  };

  std::mutex one_launch_;
  std::vector<std::unique_ptr<worker>> workers_;  // the first is whoever launches
  std::vector<worker*> resting_, alive_;
  std::vector<unsigned> pending_;
  std::function<void()> body_;
  shape shape_{};
  unsigned room_ = 0;
  std::exception_ptr failed_;
  bool ending_ = false;
  unsigned launches_ = 0;
  unsigned begun_ = 0;
  unsigned progress_ = 0;  // meetings, and what is shared that changed
  unsigned idle_ = 0;      // passes since
  unsigned polls_ = 0;     // since something that is shared changed
  static inline thread_local worker* current_ = nullptr;

  worker* hire() {
    workers_.push_back(std::make_unique<worker>());
    worker* const w = workers_.back().get();
    if (workers_.size() > 1) {
      w->thread = std::jthread([this, w] {
        for (w->turn.acquire(); !ending_; w->turn.acquire()) {
          work(w);
          (alive_.empty() ? workers_.front().get() : any_alive())->turn.release();
        }
      });
    }
    return w;
  }

  worker* any_alive() { return alive_[dice::roll(static_cast<unsigned>(alive_.size()))]; }

  /// Lets anybody go on who can, or a block begin.
  void hand_over(worker* w) {
    bool const one_more = !pending_.empty() && alive_.size() < room_;
    auto const chosen = dice::roll(static_cast<unsigned>(alive_.size()) + one_more);
    worker* next = nullptr;
    if (chosen < alive_.size()) {
      next = alive_[chosen];
    } else {
      if (resting_.empty()) resting_.push_back(hire());
      next = resting_.back();
      resting_.pop_back();
      alive_.push_back(next);
    }
    if (next == w) return;
    next->turn.release();
    w->turn.acquire();
  }

  /// Runs blocks, one after another, while there are any.
  void work(worker* w) {
    current_ = w;
    while (!failed_ && !pending_.empty()) {
      std::swap(pending_[dice::roll(static_cast<unsigned>(pending_.size()))], pending_.back());
      unsigned const id = pending_.back();
      pending_.pop_back();
      run(w, id);
    }
    std::erase(alive_, w);
    if (w != workers_.front().get()) resting_.push_back(w);
  }

  void fail(char const* why) { failed_ = std::make_exception_ptr(fault(why)); }

  void run(worker* w, unsigned id) {
    block& b = w->of;
    b.begun = begun_++;
    b.begin(id, shape_.threads, shape_.shared_bytes, body_);
    while (b.threads.alive() > 0 && !failed_) {
      unsigned const before = progress_;
      unsigned const alive = b.threads.alive();
      b.others_may_go_on = false;
      if (b.run_errands()) changed();
      b.pass();
      if (b.threads.thrown()) {
        failed_ = b.threads.thrown();
      } else if (polls_ > most_polls) {
        fail("lockstep: all blocks wait for what none of them publishes");
      } else if (b.threads.alive() != alive || progress_ != before) {
        idle_ = 0;
      } else if (++idle_ > most_idle_passes) {
        fail("lockstep: a barrier that some thread of the block never reaches");
      } else {
        b.wake_all();  // for nobody is left to run ahead of them
      }
      if (!failed_ && b.threads.alive() > 0 && (b.others_may_go_on || idle_ > 4)) hand_over(w);
    }
    b.threads.drop();
    if (failed_) return;
    if (char const* const why = b.left_behind()) fail(why);
    while (!b.errands.empty()) b.run_errands();
  }

 public:
  device() { hire(); }
  device(device const&) = delete;
  device& operator=(device const&) = delete;
  ~device() {
    ending_ = true;
    for (auto& w : workers_) w->turn.release();
  }

  static device& the() {
    static device it;
    return it;
  }
  static block& here() { return current_->of; }
  static unsigned thread() { return here().threads.current(); }
  unsigned grid() const { return shape_.blocks; }

  /// Called by a thread of a kernel that waits.
  static void yield() { here().threads.yield(); }
  /// Called by one that waits for what another block does.
  static void poll() {
    ++the().polls_;
    here().others_may_go_on = true;
    yield();
  }
  /// Called by one that others of its block need wait for no longer.
  void progress() { ++progress_; }
  /// Called by one that has changed what is shared by blocks.
  void changed() {
    ++progress_;
    polls_ = 0;
  }

  /// How many launches there were.
  unsigned launches() const { return launches_; }

  /// Runs `body` by every thread of every block.  Throws what one of them throws.
  void launch(shape of, std::function<void()> body) {
    std::lock_guard const lock(one_launch_);
    ++launches_;
    shape_ = of;
    body_ = std::move(body);
    room_ = of.all_at_once ? of.blocks : of.one_at_a_time ? 1 : 1 + dice::roll(room);
    failed_ = nullptr;
    idle_ = polls_ = begun_ = 0;
    pending_.resize(of.blocks);
    for (unsigned id = 0; id < of.blocks; ++id) pending_[id] = id;
    worker* const me = workers_.front().get();
    alive_.push_back(me);
    work(me);
    if (!alive_.empty()) {
      any_alive()->turn.release();
      me->turn.acquire();
    }
    body_ = nullptr;
    pending_.clear();
    if (failed_) std::rethrow_exception(std::exchange(failed_, nullptr));
  }
};

/// Waits until `expected` threads of the block have come.
inline void sync(unsigned id, unsigned expected) {
  barrier& b = device::here().barriers[id];
  unsigned const mine = b.generation;
  if (++b.arrived == expected) {
    b.arrived = 0;
    ++b.generation;
    device::the().progress();
  }
  while (b.generation == mine) device::yield();
}

/// Every thread that `mask` names hands in a word; `read` then sees all of them.
template <class Read>
auto meet(char const* what, unsigned mask, std::uint64_t word, Read read) {
  unsigned const lane = device::thread() % lanes;
  if ((mask >> lane & 1) == 0) {
    throw fault(std::string("lockstep: ") + what + ": a lane that its own mask does not name");
  }
  std::vector<meeting>& open = device::here().warps[device::thread() / lanes];
  std::size_t k = 0;
  while (k < open.size() && open[k].mask != mask) ++k;
  if (k == open.size()) open.emplace_back().mask = mask;

  unsigned const turn = open[k].turn[lane];
  open[k].turn[lane] = static_cast<unsigned char>(turn ^ 1);
  if (open[k].arrived[turn] == 0) {
    open[k].what[turn] = what;
  } else if (open[k].what[turn] != what) {
    throw fault(std::string("lockstep: lanes of a warp meet at ") + what + " and at " +
                open[k].what[turn]);
  }
  open[k].words[turn][lane] = word;
  open[k].arrived[turn] |= 1u << lane;
  if (open[k].arrived[turn] == mask) {
    open[k].arrived[turn ^ 1] = 0;  // all have left it
    device::the().progress();
  }
  while (open[k].arrived[turn] != mask) device::yield();
  return read(open[k].words[turn].data(), lane);
}

/// Whether the bit of `lane` is in `mask`, as that of a lane that is read from must be.
inline void expect_named(char const* what, unsigned mask, unsigned lane) {
  if ((mask >> lane & 1) != 0) return;
  throw fault(std::string("lockstep: ") + what + ": reads a lane that its mask does not name");
}

}  // namespace ravel::testing::lockstep
