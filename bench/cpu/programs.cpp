/// Programs beside those of the system: the processor time of a run of each, from file to file.

#include "support/harness.hpp"
#include "support/host.hpp"
#include "support/random.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace ravel::bench::host {
namespace {

/// A folder that ends with its last owner.
std::shared_ptr<std::string const> make_folder() {
  auto path = (std::filesystem::temp_directory_path() / "ravel-bench-XXXXXX").string();
  if (mkdtemp(path.data()) == nullptr) throw std::runtime_error(path + ": cannot be made");
  return {new std::string(path), [](std::string const* folder) {
            std::filesystem::remove_all(*folder);
            delete folder;
          }};
}

void call(std::string const& command) {
  if (std::system(command.c_str()) != 0) throw std::runtime_error("failed: " + command);
}

/// The processor time of the processes that a call runs.
double processor_seconds(std::function<void()> const& runs) {
  auto const used = [] {
    rusage all;
    getrusage(RUSAGE_CHILDREN, &all);
    auto const seconds = [](timeval t) {
      return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
    };
    return seconds(all.ru_utime) + seconds(all.ru_stime);
  };
  double const before = used();
  runs();
  return used() - before;
}

/// One of 50,000 words of 2 to 11 letters; those with low numbers are frequent.
std::string word(index_t i) {
  index_t const number = random_below(1, i, 50'000) * random_below(2, i, 50'000) / 50'000;
  std::string letters;
  for (index_t k = 2 + random_below(3, number, 10); k > 0; --k) {
    letters += static_cast<char>('a' + random_below(4, 16 * number + k, 26));
  }
  return letters;
}
/// Up to 12 words.
std::string line_of_text(index_t i) {
  auto line = word(16 * i);
  for (index_t k = random_below(5, i, 12); k > 0; --k) line += ' ' + word(16 * i + k);
  return line;
}
std::string line_of_log(index_t i) {
  auto const below = [i](int seed, index_t most) { return random_below(seed, i, most); };
  return fmt::format("2026-11-{:02} {:02}:{:02}:{:02} host{} {}[{}]: request {}", 1 + below(6, 28),
                     below(7, 24), below(8, 60), below(9, 60), below(10, 20), word(below(11, 100)),
                     100 + below(12, 9900), below(13, 1'000'000));
}

/// What ours and a program of the system write of n bytes of lines.  `ordered` brings either to one order.
comparison of_file(index_t n, std::string (*line)(index_t), std::string const& ours,
                   std::string const& name, std::string const& peer, std::string const& ordered) {
  auto const folder = make_folder();
  std::ofstream to(*folder + "/in");
  for (index_t i = 0, size = 0; size < n; ++i) {
    auto const next = line(i) + '\n';
    to << next;
    size += std::ssize(next);
  }
  if (!to.flush()) throw std::runtime_error(*folder + "/in: cannot be written");
  auto const quoted = '"' + *folder + '"';
  auto const run = [=](std::string const& program) {
    return [=, kept = folder] { call("cd " + quoted + " && " + program); };
  };
  run(peer + " && " + ordered + " out > expected")();
  auto const right = [=, kept = folder] {
    call("cd " + quoted + " && " + ordered + " out | cmp - expected");
    return true;
  };
  return {.bytes = 2.0 * static_cast<double>(n),
          .contenders = {{"ours", run(ours), right}, {"peer:" + name, run(peer), right}}};
}

suite all(executor const& ex) {
  suite s = make_suite("cpu.programs", ex);
  s.seconds = processor_seconds;
  auto const programs = std::filesystem::read_symlink("/proc/self/exe").parent_path().string();
  auto const own = [&](std::string const& command) { return '"' + programs + '"' + command; };
  struct data {
    std::string name;
    std::string (*line)(index_t);
  };
  auto const add = [&](std::string const& id, std::string const& work, data const& of,
                       auto... programs_of) {
    s.rows.push_back({id + '.' + of.name, work + ' ' + of.name + ", 100 MB, processor time",
                      100'000'000, [=](index_t n) { return of_file(n, of.line, programs_of...); }});
  };
  auto const parallel = fmt::format(" --parallel={}", ex.concurrency());
  for (data const& of :
       {data{"text", line_of_text}, data{"log", line_of_log}, data{"duplicates", word}}) {
    add("cpu.lines", "sort lines of", of, own("/ravel-sort --type text -q in -o out"), "GNU sort",
        "sort --stable in -o out" + parallel, "cat");
    add("cpu.lines_once", "sort and deduplicate lines of", of,
        own("/ravel-sort --type text -u -q in -o out"), "GNU sort", "sort -u in -o out" + parallel,
        "cat");
    add("cpu.words", "count words of", of, own("/ravel-words -q in -o out"), "mawk",
        "mawk '{ for (i = 1; i <= NF; ++i) ++n[$i] } END { for (w in n) print n[w], w }' in > out",
        "sort");
  }
  return s;
}

}  // namespace
}  // namespace ravel::bench::host

int main(int argc, char** argv) {
  using namespace ravel::bench::host;
  setenv("LC_ALL", "C", 1);
  if (std::system("mawk 1 /dev/null && sort /dev/null") != 0) {
    return ravel::bench::nothing_to_run_on;
  }
  return run_suite(all, argc, argv);
}
