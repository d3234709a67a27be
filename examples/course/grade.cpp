/// Grades an exercise of the course: results on many shapes, work and steps, and races, on the device
/// in software.  Prints a sentence for each verdict; scripts/ravel-check replaces {ADDRESS} by a line.

#include "exercise.hpp"

#include <ravel/software_device/observer.hpp>

#include <execinfo.h>
#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <random>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>

namespace exercise {

using ravel::software::device;
using ravel::software::dice;

namespace {

constexpr unsigned width = 32;  // of a block
constexpr index none = ~index{0};

/// What a step does to a byte: who wrote it, and at most two who read it.
struct use {
  index writer = none, reader = none, other_reader = none;
  void const *written_at = nullptr, *read_at = nullptr;
};

/// The counts of a run, and the race that was found first.
struct machine : ravel::software::observer {
  std::size_t work = 0, steps = 0, parallel = 0;
  std::vector<std::size_t> calls;  // of combine, by each processor of the step
  std::unordered_map<char const*, use> uses;
  std::string race;

  static index processor() { return index{device::block()} * width + device::thread(); }

  void report(char const* one, index p, void const* p_at, char const* two, index q,
              void const* q_at) {
    char text[200];
    std::snprintf(
        text, sizeof text,
        "in step %zu of for_all processor %zu %s (at {%p}) what processor %zu %s (at {%p})",
        parallel, p, one, p_at, q, two, q_at);
    race = text;
  }
  void accessed(ravel::software::access const& a) override {
    if (!race.empty()) return;
    index const me = processor();
    auto const* const first = static_cast<char const*>(a.at);
    for (std::size_t k = 0; k < a.bytes && race.empty(); ++k) {
      use& u = uses[first + k];
      if (u.writer != none && u.writer != me) {
        report("writes", u.writer, u.written_at, a.writes ? "writes" : "reads", me, a.instruction);
      } else if (!a.writes) {
        if (u.reader == none || u.reader == me) {
          u.reader = me;
        } else {
          u.other_reader = me;
        }
        u.read_at = a.instruction;
      } else {
        index const reader = u.reader != me ? u.reader : u.other_reader;
        if (reader != none) report("writes", me, a.instruction, "reads", reader, u.read_at);
        u.writer = me;
        u.written_at = a.instruction;
      }
    }
  }
};
machine* now = nullptr;
bool in_step = false;
index elements = 0;  // of the run

/// Says where it crashed: scripts/ravel-check finds the line among the callers.
void crashes(int signal) {
  std::printf("wrong: with %zu element%s ", elements, elements == 1 ? "" : "s");
  if (in_step) std::printf("in step %zu of for_all ", now->parallel);
  std::printf(signal == SIGABRT ? "an index is out of range, or the program gives up (at {"
                                : "memory is used that is not there (at {");
  void* callers[64];
  int const many = backtrace(callers, 64);
  for (int i = 0; i < many; ++i) std::printf(i > 0 ? " %p" : "%p", callers[i]);
  std::printf("}).\n");
  std::fflush(stdout);
  std::_Exit(1);
}

/// Memory that a processor frees is used again only after the step, so that two that use it in turn
/// are not a race.
struct freed {
  freed* next;
};
freed* late = nullptr;

}  // namespace

/// How values were made: an element, or a combination of two.
struct node {
  std::uint32_t left = 0, right = 0;
  std::size_t element = 0;
};
struct history {
  static inline std::vector<node> all{node{}};

  static value add(node const& n) {
    all.push_back(n);
    return value(static_cast<std::uint32_t>(all.size() - 1));
  }
  static value element(std::size_t i) { return add({0, 0, i}); }
  static std::uint32_t combination(std::uint32_t left, std::uint32_t right) {
    return left == 0 ? right : right == 0 ? left : add({left, right, 0}).id_;
  }

  /// The elements of which a value is made, in order.
  static std::vector<std::size_t> elements(value const& v) {
    std::vector<std::size_t> out;
    std::vector<std::uint32_t> left{v.id_};
    while (!left.empty()) {
      node const n = all[left.back()];
      bool const is_identity = left.back() == 0;
      left.pop_back();
      if (n.left != 0) {
        left.push_back(n.right);
        left.push_back(n.left);
      } else if (!is_identity) {
        out.push_back(n.element);
      }
    }
    return out;
  }
};

std::uint32_t value::combination(std::uint32_t left, std::uint32_t right) {
  if (in_step) {
    ++now->calls[machine::processor()];
  } else {
    ++now->work, ++now->steps;
  }
  return history::combination(left, right);
}

void run_step(index n, void (*processor)(void const*, index), void const* that) {
  if (n == 0) return;
  ++now->parallel;
  now->calls.assign(n, 0);
  now->uses.clear();
  std::exception_ptr failed;
  // On another thread: accesses to the stack that launches are not observed.
  std::thread([&] {
    ravel::software::observe(now);
    in_step = true;
    try {
      device::launch({static_cast<unsigned>((n + width - 1) / width), width, false}, [=] {
        if (machine::processor() < n) processor(that, machine::processor());
      });
    } catch (...) {
      failed = std::current_exception();
    }
    in_step = false;
    ravel::software::observe(nullptr);
  }).join();
  while (late != nullptr) std::free(std::exchange(late, late->next));
  if (failed) std::rethrow_exception(failed);
  std::size_t longest = 1;
  for (std::size_t const c : now->calls) {
    now->work += std::max<std::size_t>(c, 1);
    longest = std::max(longest, c);
  }
  now->steps += longest;
}

namespace {

std::string text_of(std::vector<std::size_t> const& elements) {
  if (elements.empty()) return "the identity";
  std::string out;
  for (std::size_t const e : elements) out += (out.empty() ? "x" : " * x") + std::to_string(e);
  return out.size() > 90 ? out.substr(0, 40) + " ... " + out.substr(out.size() - 40) : out;
}
std::string text_of(index rank) { return std::to_string(rank); }
std::string count(std::size_t n, std::string const& what) {
  return std::to_string(n) + ' ' + what + (n == 1 ? "" : "s");
}
/// `, keep = 1 0 1`, if that is short.
template <class T>
std::string text_of(char const* name, std::vector<T> const& all) {
  if (all.empty() || all.size() > 16) return {};
  std::string out = std::string(", ") + name + " =";
  for (T const x : all) out += ' ' + std::to_string(x);
  return out;
}

/// What a result should be, and what it is: of each element its elements, or its rank.
template <class Element>
std::string difference(std::vector<Element> const& is, std::vector<Element> const& should) {
  if (is.size() != should.size()) {
    return "the result has " + count(is.size(), "element") + ", and should have " +
           std::to_string(should.size());
  }
  for (std::size_t i = 0; i < is.size(); ++i) {
    if (is[i] == should[i]) continue;
    return "element " + std::to_string(i) + " of the result is " + text_of(is[i]) +
           ", and should be " + text_of(should[i]);
  }
  return {};
}

using meaning = std::vector<std::vector<std::size_t>>;
meaning meaning_of(values const& x) {
  meaning out;
  for (value const& v : x) out.push_back(history::elements(v));
  return out;
}
std::vector<std::size_t> from_to(std::size_t first, std::size_t last) {
  std::vector<std::size_t> out;
  for (; first < last; ++first) out.push_back(first);
  return out;
}

/// An input: values, random flags, and a random list.
struct input {
  values x;
  flags bits;
  indices next;
  input(index n, unsigned seed) {
    std::mt19937 random(seed);
    for (index i = 0; i < n; ++i) {
      x.push_back(history::element(i));
      bits.push_back(random() % 3 == 0);
    }
    indices order(n);
    for (index i = 0; i < n; ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), random);
    next.resize(n);
    for (index k = 0; k < n; ++k) next[order[k]] = order[std::min(k + 1, n - 1)];
  }
};

/// The difference from what each function should give, or nothing.
std::string run_reduce(input const& in) {
  meaning const should{from_to(0, in.x.size())};
  return difference(meaning_of({reduce(in.x)}), should);
}
std::string run_inclusive(input const& in) {
  meaning should;
  for (index i = 0; i < in.x.size(); ++i) should.push_back(from_to(0, i + 1));
  return difference(meaning_of(inclusive_scan(in.x)), should);
}
std::string run_exclusive(input const& in) {
  meaning should;
  for (index i = 0; i < in.x.size(); ++i) should.push_back(from_to(0, i));
  return difference(meaning_of(exclusive_scan(in.x)), should);
}
std::string run_segmented(input const& in) {
  meaning should;
  index head = 0;
  for (index i = 0; i < in.x.size(); ++i) {
    if (in.bits[i]) head = i;
    should.push_back(from_to(head, i + 1));
  }
  return difference(meaning_of(segmented_scan(in.x, in.bits)), should);
}
std::string run_compact(input const& in) {
  meaning should;
  for (index i = 0; i < in.x.size(); ++i) {
    if (in.bits[i]) should.push_back({i});
  }
  return difference(meaning_of(compact(in.x, in.bits)), should);
}
std::string run_ranks(input const& in) {
  indices should(in.next.size()), is_last(in.next.size());
  indices before(in.next.size(), none);
  for (index i = 0; i < in.next.size(); ++i) {
    if (in.next[i] != i) before[in.next[i]] = i;
  }
  for (index i = 0; i < in.next.size(); ++i) {
    for (index p = before[i]; p != none; p = before[p]) ++should[i];
  }
  return difference(list_ranks(in.next), should);
}

struct task {
  char const* name;
  bool is_defined;
  std::string (*run)(input const&);
  char const* beside;     // the name of what it takes beside elements, or instead
  double work, work_log;  // allowed: n (work + work_log log2 n) + 4
  double steps;           // allowed: steps log2 n + 4
};

/// Whether all verdicts are good.
bool grade(task const& t) {
  constexpr index sizes[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,   12,  15,
                             16, 17, 31, 32, 33, 40, 63, 64, 65, 100, 128, 200};
  constexpr unsigned seeds = 3;
  std::string wrong, race;
  std::size_t work = 0, steps = 0, n = 0, parallel = 0;
  for (index const size : sizes) {
    for (unsigned seed = 1; seed <= seeds && wrong.empty(); ++seed) {
      dice::seed(seed + 100 * size);
      elements = size;
      history::all.resize(1);
      machine m;
      now = &m;
      input const in(size, seed);
      std::string const found = t.run(in);
      if (!found.empty()) {
        wrong = "for " + count(size, "element") +
                (t.beside == nullptr  ? ""
                 : t.run == run_ranks ? text_of(t.beside, in.next)
                                      : text_of(t.beside, in.bits)) +
                ", in schedule " + std::to_string(seed) + ", " + found;
      }
      if (race.empty() && !m.race.empty()) {
        race = "with " + count(size, "element") + ", " + m.race;
      }
      if (wrong.empty()) work = m.work, steps = m.steps, n = size, parallel = m.parallel;
    }
  }
  bool good = wrong.empty() && race.empty();
  if (wrong.empty()) {
    std::printf("right: %s gives what it should for %zu lengths up to %zu, in %u schedules each.\n",
                t.name, std::size(sizes), n, seeds);
  } else {
    std::printf("wrong: %s.\n", wrong.c_str());
  }
  if (race.empty()) {
    std::printf("no race: no two processors of a step use one place where one of them writes.\n");
  } else {
    std::printf("race: %s.\n", race.c_str());
  }
  if (!wrong.empty()) return false;
  if (parallel == 0) {
    std::printf("not parallel: for_all is never called.\n");
    return false;
  }
  double const log = std::log2(static_cast<double>(n)), d = static_cast<double>(n);
  auto const bound = [&](char const* what, std::size_t is, double allowed) {
    bool const fits = static_cast<double>(is) <= allowed;
    std::printf("%s: %zu %s for %zu elements, of %.0f that are allowed.\n",
                fits ? "fast enough" : "too slow", is, what, n, std::floor(allowed));
    good = good && fits;
  };
  bound("operations", work, allowed_work ? allowed_work(d) : d * (t.work + t.work_log * log) + 4);
  bound("steps", steps, allowed_steps ? allowed_steps(d) : t.steps * log + 4);
  return good;
}

}  // namespace
}  // namespace exercise

void operator delete(void* p) noexcept {
  using namespace exercise;
  if (in_step && p != nullptr) {
    auto* const f = static_cast<freed*>(p);
    f->next = late;
    late = f;
  } else {
    std::free(p);
  }
}
void operator delete(void* p, std::size_t) noexcept { operator delete(p); }
void* operator new(std::size_t bytes) {
  if (void* const p = std::malloc(std::max(bytes, sizeof(exercise::freed)))) return p;
  throw std::bad_alloc();
}

int main() {
  using namespace exercise;
  for (int const signal : {SIGABRT, SIGSEGV, SIGFPE, SIGBUS}) std::signal(signal, crashes);
  void* none_yet[1];
  backtrace(none_yet, 1);  // loads what it needs
  task const tasks[] = {
      {"reduce", reduce != nullptr, run_reduce, nullptr, 2, 0, 2},
      {"inclusive_scan", inclusive_scan != nullptr, run_inclusive, nullptr, 2, 0, 2},
      {"exclusive_scan", exclusive_scan != nullptr, run_exclusive, nullptr, 4, 0, 2},
      {"segmented_scan", segmented_scan != nullptr, run_segmented, "heads", 6, 0, 3},
      {"compact", compact != nullptr, run_compact, "keep", 7, 0, 3},
      {"list_ranks", list_ranks != nullptr, run_ranks, "next", 5, 2, 2},
  };
  bool good = true, any = false;
  for (task const& t : tasks) {
    if (!t.is_defined) continue;
    any = true;
    try {
      good = grade(t) && good;
    } catch (std::exception const& e) {
      std::printf("wrong: %s throws: %s.\n", t.name, e.what());
      good = false;
    }
  }
  if (!any) {
    std::printf("nothing to grade: exercise.hpp declares");
    for (task const& t : tasks) std::printf(" %s", t.name);
    std::printf(", of which none is defined.\n");
  }
  return good && any ? 0 : 1;
}
