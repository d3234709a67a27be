#include <ravel/software_device/device.hpp>

#include "block.hpp"

#include <ravel/software_device/observer.hpp>

#include <pthread.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <mutex>
#include <semaphore>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace ravel::software {

std::uint64_t dice::state_ = 1;

void dice::seed(std::uint64_t s) { state_ = s * 0x9e3779b97f4a7c15 + 1; }

unsigned dice::roll(unsigned n) {
  state_ ^= state_ << 13;
  state_ ^= state_ >> 7;
  state_ ^= state_ << 17;
  return static_cast<unsigned>((state_ >> 32) % n);
}

namespace {

/// Chooses the block that runs next.
///
/// Each resident block has a host thread, so that __shared__ variables can be thread_local; only
/// one of these threads runs at any time.
class scheduler {
  // More than any terminating kernel needs.
  static constexpr unsigned most_idle_passes = 500;
  static constexpr unsigned most_polls = 100'000;

  struct worker {
    block of;
    std::binary_semaphore turn{0};
    std::jthread thread;
  };

  std::mutex one_launch_;
  std::vector<std::unique_ptr<worker>> workers_;  // the first is the launching thread
  std::vector<worker*> resting_, alive_;
  std::vector<unsigned> pending_;
  void (*body_)(void const*) = nullptr;
  void const* that_ = nullptr;
  shape shape_{};
  unsigned room_ = 0;
  std::exception_ptr failed_;
  bool ending_ = false;
  unsigned launches_ = 0;
  unsigned begun_ = 0;
  unsigned progress_ = 0;  // synchronisations, and changes of shared data
  unsigned idle_ = 0;      // passes since the last progress
  unsigned polls_ = 0;     // polls since the last change of shared data
  static inline thread_local worker* current_ = nullptr;
  static inline thread_local bool in_kernel_ = false;
  observer* observer_ = nullptr;
  char const *stack_ = nullptr, *stack_end_ = nullptr;

  void find_stack() {
    pthread_attr_t of;
    void* first = nullptr;
    std::size_t bytes = 0;
    if (pthread_getattr_np(pthread_self(), &of) != 0) return;
    pthread_attr_getstack(&of, &first, &bytes);
    pthread_attr_destroy(&of);
    stack_ = static_cast<char const*>(first);
    stack_end_ = stack_ + bytes;
  }

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

  /// Lets any block that can run continue, or starts a new one.
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
    b.begin(id, shape_, [this] { body_(that_); });
    while (b.threads.alive() > 0 && !failed_) {
      unsigned const before = progress_;
      unsigned const alive = b.threads.alive();
      b.others_may_go_on = false;
      if (b.run_errands()) changed();
      in_kernel_ = true;
      b.pass();
      in_kernel_ = false;
      if (b.threads.thrown()) {
        failed_ = b.threads.thrown();
      } else if (polls_ > most_polls) {
        fail("software device: all blocks wait for what none of them publishes");
      } else if (b.threads.alive() != alive || progress_ != before) {
        idle_ = 0;
      } else if (++idle_ > most_idle_passes) {
        fail("software device: a barrier that some thread of the block never reaches");
      } else {
        b.wake_all();  // no running warps are left
      }
      if (!failed_ && b.threads.alive() > 0 && (b.others_may_go_on || idle_ > 4)) hand_over(w);
    }
    b.threads.drop();
    if (failed_) return;
    if (observer_ != nullptr) observer_->block_ends();
    if (char const* const why = b.left_over()) fail(why);
    while (!b.errands.empty()) b.run_errands();
  }

 public:
  scheduler() { hire(); }
  scheduler(scheduler const&) = delete;
  scheduler& operator=(scheduler const&) = delete;
  ~scheduler() {
    ending_ = true;
    for (auto& w : workers_) w->turn.release();
  }

  static scheduler& the() {
    static scheduler it;
    return it;
  }
  static block& here() { return current_->of; }
  unsigned grid() const { return shape_.blocks; }
  unsigned launches() const { return launches_; }
  observer* observing() const { return observer_; }
  observer* observe(observer* by) { return std::exchange(observer_, by); }
  /// Whether `p` is on the stack of the thread that launched, where a kernel's arguments are.
  bool launcher_has(void const* p) const { return stack_ <= p && p < stack_end_; }
  static bool in_kernel() { return in_kernel_; }

  /// Called by a thread that waits for another block.
  void poll() {
    ++polls_;
    here().others_may_go_on = true;
    here().threads.yield();
  }
  /// Called when other threads of the block can continue.
  void progress() { ++progress_; }
  /// Called by a thread that has changed data shared by blocks.
  void changed() {
    ++progress_;
    polls_ = 0;
  }

  void launch(shape const& of, void (*body)(void const*), void const* that) {
    std::lock_guard const lock(one_launch_);
    ++launches_;
    shape_ = of;
    body_ = body;
    that_ = that;
    room_ = of.all_at_once ? of.blocks : of.one_at_a_time ? 1 : 1 + dice::roll(device::room);
    failed_ = nullptr;
    idle_ = polls_ = begun_ = 0;
    pending_.resize(of.blocks);
    for (unsigned id = 0; id < of.blocks; ++id) pending_[id] = id;
    if (observer_ != nullptr) {
      find_stack();
      observer_->begins(of);
    }
    worker* const me = workers_.front().get();
    alive_.push_back(me);
    work(me);
    if (!alive_.empty()) {
      any_alive()->turn.release();
      me->turn.acquire();
    }
    pending_.clear();
    if (observer_ != nullptr) observer_->ends();
    if (failed_) std::rethrow_exception(std::exchange(failed_, nullptr));
  }
};

/// Waits while a copy that the thread has committed is `pending`.
template <class Pending>
void wait_for_copies(Pending pending) {
  block const& b = scheduler::here();
  unsigned const me = device::thread();
  auto const is_awaited = [&](errand const& e) {
    return e.arrives_at == nullptr && e.thread == me && e.group < b.groups[me] && pending(e);
  };
  while (std::any_of(b.errands.begin(), b.errands.end(), is_awaited)) device::poll();
}

/// Expects the bit of `lane`, whose value is read, to be set in `mask`.
void expect_named(char const* what, unsigned mask, unsigned lane) {
  if ((mask >> lane & 1) != 0) return;
  throw fault(std::string("software device: ") + what +
              ": reads a lane that its mask does not name");
}

/// The lanes of `mask` whose word is as wanted.
template <class Wanted>
unsigned lanes_of(char const* what, unsigned mask, std::uint64_t word, Wanted wanted) {
  std::uint64_t const* const words = meet(what, mask, word);
  unsigned found = 0;
  for (unsigned l = 0; l < device::lanes(); ++l) {
    if ((mask >> l & 1) != 0 && wanted(words[l])) found |= 1u << l;
  }
  return found;
}

}  // namespace

void device::run(shape const& of, void (*body)(void const*), void const* that) {
  scheduler::the().launch(of, body, that);
}
unsigned device::launches() { return scheduler::the().launches(); }

unsigned device::thread() { return scheduler::here().threads.current(); }
unsigned device::block() { return scheduler::here().id; }
unsigned device::threads() { return scheduler::here().width; }
unsigned device::blocks() { return scheduler::the().grid(); }
unsigned device::lanes() { return scheduler::here().lanes; }
namespace {
thread_local bool is_unobserved = false;
}
unobserved::unobserved() : before_(std::exchange(is_unobserved, true)) {}
unobserved::~unobserved() { is_unobserved = before_; }

observer* device::observer_of(void const* p) {
  if (!scheduler::in_kernel() || is_unobserved) return nullptr;
  observer* const by = scheduler::the().observing();
  if (by == nullptr) return nullptr;
  bool const is_local =
      scheduler::here().threads.has_on_stack(p) || scheduler::the().launcher_has(p);
  return is_local ? nullptr : by;
}
bool device::has_dynamic_shared(void const* p) { return scheduler::here().has_shared(p); }
observer* observe(observer* by) { return scheduler::the().observe(by); }
unsigned device::begun() { return scheduler::here().begun; }
char* device::shared() { return scheduler::here().dynamic_memory(); }

void device::poll() { scheduler::the().poll(); }
void device::changed() { scheduler::the().changed(); }

void device::copy(void* to, void const* from, std::size_t bytes, transaction_barrier* arrives_at) {
  auto& b = scheduler::here();
  unsigned const me = thread();
  if (observer* const by = scheduler::the().observing())
    by->copied(to, from, bytes, arrives_at != nullptr);
  b.errands.push_back({static_cast<char*>(to), static_cast<char const*>(from), bytes, arrives_at,
                       me, b.groups[me]});
}
void device::commit_copies() { ++scheduler::here().groups[thread()]; }
void device::wait_until_read() {
  wait_for_copies([](errand const& e) { return e.read.empty(); });
}
void device::wait_until_written() {
  wait_for_copies([](errand const& e) { return !e.written; });
}

void sync(unsigned id, unsigned expected) {
  block& here = scheduler::here();
  barrier& b = here.barriers[id];
  unsigned const mine = b.generation;
  if (++b.arrived == expected) {
    b.arrived = 0;
    ++b.generation;
    scheduler::the().progress();
    if (observer* const by = scheduler::the().observing()) by->synchronised();
  }
  while (b.generation == mine) here.threads.yield();
}

// Two consecutive counts use separate counters; the last thread to arrive at one clears the other.
unsigned sync_and_count(bool yes) {
  block& b = scheduler::here();
  unsigned const turn = b.count_turn[b.threads.current()] ^= 1;
  b.counts[turn] += yes ? 1 : 0;
  if (b.barriers[0].arrived + 1 == b.width) b.counts[turn ^ 1] = 0;
  sync(0, b.width);
  return b.counts[turn];
}

std::uint64_t const* meet(char const* what, unsigned mask, std::uint64_t word) {
  block& here = scheduler::here();
  unsigned const thread = here.threads.current();
  unsigned const lane = thread % here.lanes;
  if ((mask >> lane & 1) == 0) {
    throw fault(std::string("software device: ") + what +
                ": a lane that its own mask does not name");
  }
  std::vector<meeting>& open = here.warps[thread / here.lanes];
  std::size_t k = 0;
  while (k < open.size() && open[k].mask != mask) ++k;
  if (k == open.size()) open.emplace_back().mask = mask;

  unsigned const turn = open[k].turn[lane];
  open[k].turn[lane] = static_cast<unsigned char>(turn ^ 1);
  if (open[k].arrived[turn] == 0) {
    open[k].what[turn] = what;
  } else if (open[k].what[turn] != what) {
    throw fault(std::string("software device: lanes of a warp meet at ") + what + " and at " +
                open[k].what[turn]);
  }
  open[k].words[turn][lane] = word;
  open[k].arrived[turn] |= 1u << lane;
  if (open[k].arrived[turn] == mask) {
    open[k].arrived[turn ^ 1] = 0;  // all threads have left it
    scheduler::the().progress();
    if (observer* const by = scheduler::the().observing()) {
      by->exchanged(what, mask, open[k].words[turn].data());
    }
  }
  while (open[k].arrived[turn] != mask) here.threads.yield();
  return open[k].words[turn].data();
}

std::uint64_t shuffle(char const* what, unsigned mask, std::uint64_t word, int from) {
  std::uint64_t const* const words = meet(what, mask, word);
  if (from < 0 || from >= static_cast<int>(device::lanes())) return word;
  expect_named(what, mask, static_cast<unsigned>(from));
  return words[from];
}

unsigned votes(char const* what, unsigned mask, bool yes) {
  return lanes_of(what, mask, yes, [](std::uint64_t each) { return each != 0; });
}
unsigned matches(char const* what, unsigned mask, std::uint64_t word) {
  return lanes_of(what, mask, word, [=](std::uint64_t each) { return each == word; });
}

}  // namespace ravel::software
