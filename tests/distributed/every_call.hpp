#pragma once

/// Calls on several ranks, each compared with the result of one: compiled once for all communicators.

#include <ravel/core/cpu/executor.hpp>
#include <ravel/distributed/communicator.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace ravel::testing {

/// Any communicator of host data.
class any_ranks {
  using on = cpu::sequential;
  using bytes = std::size_t;
  using counts = distributed::byte_counts;
  using runs = std::span<distributed::run_of_bytes const>;
  using step = std::function<void(on const&)>;
  using work = distributed::work_around<step, std::function<void()>, step>;

  struct model {
    virtual ~model() = default;
    virtual int rank() const = 0;
    virtual int size() const = 0;
    virtual std::uint64_t sent() const = 0;
    virtual std::optional<distributed::error> failure() const = 0;
    virtual void all_gather(on const&, void const*, void*, bytes) const = 0;
    virtual void all_gather_host(void const*, void*, bytes) const = 0;
    virtual void all_to_all_v(on const&, void const*, counts, void*, counts) const = 0;
    virtual void exchange_beside(on const&, void const*, runs, void*, runs, work const&) const = 0;
    virtual void wait(on const&) const = 0;
    [[noreturn]] virtual void abort(std::string const&, std::string const&) const = 0;
  };
  template <class C>
  struct of final : model {
    C c;
    explicit of(C const& ranks) : c(ranks) {}
    int rank() const override { return c.rank(); }
    int size() const override { return c.size(); }
    std::uint64_t sent() const override { return c.sent(); }
    std::optional<distributed::error> failure() const override { return c.failure(); }
    void all_gather(on const& ex, void const* mine, void* all, bytes n) const override {
      c.all_gather(ex, mine, all, n);
    }
    void all_gather_host(void const* mine, void* all, bytes n) const override {
      c.all_gather_host(mine, all, n);
    }
    void all_to_all_v(on const& ex, void const* from, counts out, void* to,
                      counts in) const override {
      c.all_to_all_v(ex, from, out, to, in);
    }
    void exchange_beside(on const& ex, void const* from, runs out, void* to, runs in,
                         work const& w) const override {
      c.exchange_beside(ex, from, out, to, in, w);
    }
    void wait(on const& ex) const override { c.wait(ex); }
    [[noreturn]] void abort(std::string const& call, std::string const& text) const override {
      c.abort(call, text);
    }
  };
  std::shared_ptr<model const> c_;

 public:
  using memory = host_space;

  template <class C>
  requires(!std::same_as<C, any_ranks>) explicit any_ranks(C const& ranks)
      : c_(std::make_shared<of<C>>(ranks)) {}

  int rank() const { return c_->rank(); }
  int size() const { return c_->size(); }
  std::uint64_t sent() const { return c_->sent(); }
  std::optional<distributed::error> failure() const { return c_->failure(); }
  void all_gather(on const& ex, void const* mine, void* all, bytes n) const {
    c_->all_gather(ex, mine, all, n);
  }
  void all_gather_host(void const* mine, void* all, bytes n) const {
    c_->all_gather_host(mine, all, n);
  }
  void all_to_all_v(on const& ex, void const* from, counts out, void* to, counts in) const {
    c_->all_to_all_v(ex, from, out, to, in);
  }
  template <class Work>
  void exchange_beside(on const& ex, void const* from, runs out, void* to, runs in,
                       Work const& w) const {
    c_->exchange_beside(ex, from, out, to, in, work{w.prepare, w.beside, w.finish});
  }
  void wait(on const& ex) const { c_->wait(ex); }
  [[noreturn]] void abort(std::string const& call, std::string const& text) const {
    c_->abort(call, text);
    std::terminate();  // which abort throws before
  }
};

/// Makes the calls, and throws on one that is wrong.
void make_every_call(any_ranks const& ranks);

/// The same of sorts, gathers, pipelines and nested programs, also on a checked communicator.
void make_moves(any_ranks const& ranks);

}  // namespace ravel::testing
