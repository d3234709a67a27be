#include "support/progress.hpp"

#include "support/output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace ravel::examples {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::steady_clock::duration first_on_terminal = 500ms, next_on_terminal = 100ms;
constexpr std::chrono::steady_clock::duration elsewhere = 5s;
constexpr int bar_width = 30;

}  // namespace

progress::progress(std::string what, index_t total, char const* unit)
    : what_(std::move(what)),
      unit_(unit),
      total_(static_cast<double>(std::max<index_t>(total, 1))),
      on_terminal_(isatty(STDERR_FILENO) != 0),
      due_(on_terminal_ ? first_on_terminal : elsewhere) {}

progress::~progress() {
  if (on_terminal_ && drawn_) warn_text("\r\x1b[K");
}

void progress::draw(double seconds) {
  double const part = std::min(static_cast<double>(done_.load()) / total_, 1.0);
  auto const filled = static_cast<int>(part * bar_width);
  std::string left = "";
  if (part > 0.02) {
    left = fmt::format("  {:.3g} M{}/s  {:.0f} s left", part * total_ / seconds / 1e6, unit_,
                       seconds / part - seconds);
  }
  std::string const bar = fmt::format("[{:#<{}}{:{}}]", "", filled, "", bar_width - filled);
  warn("{}{}  {} {:3.0f} %{}{}", on_terminal_ ? "\r" : "", what_, bar, 100 * part, left,
       on_terminal_ ? "\x1b[K" : "\n");
  drawn_ = true;
}

void progress::advance(index_t n) {
  if (is_quiet()) return;
  done_ += n;
  auto const elapsed = clock::now() - begin_;
  if (elapsed < due_.load(std::memory_order_relaxed)) return;
  std::unique_lock const mine(drawing_, std::try_to_lock);
  if (!mine || elapsed < due_.load()) return;  // another thread draws, or has just drawn
  due_ = elapsed + (on_terminal_ ? next_on_terminal : elsewhere);
  draw(std::chrono::duration<double>(elapsed).count());
}

}  // namespace ravel::examples
