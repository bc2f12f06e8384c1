#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace mbll::app {
namespace {

std::string duration(double seconds) {
  const auto whole = std::lround(seconds);
  if (whole >= 3600) return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

}  // namespace

ProgressBar::ProgressBar(bool wanted) : active_(wanted && ::isatty(STDERR_FILENO) == 1) {}

bool ProgressBar::due() {
  if (!active_) return false;
  const Clock::time_point now = Clock::now();
  if (drawn_ && now - last_ < std::chrono::milliseconds(100)) return false;
  last_ = now;
  return true;
}

void ProgressBar::show(double fraction, const std::string& stage) {
  if (!due()) return;
  fraction = std::clamp(fraction, 0.0, 1.0);
  const double elapsed = std::chrono::duration<double>(last_ - begin_).count();
  constexpr int width = 30;
  std::string bar;
  for (int i = 0; i < width; ++i) bar += i < static_cast<int>(fraction * width) ? "█" : "·";
  const double rate = elapsed > 0 ? 100 * fraction / elapsed : 0;
  draw(fmt::format("{} {} {:3.0f} %  {:.1f} %/s  {} left", stage, bar, 100 * fraction, rate,
                   fraction > 0 ? duration(elapsed * (1 - fraction) / fraction) : "?"));
}

void ProgressBar::show_count(long count, const char* unit) {
  if (!due()) return;
  const double elapsed = std::chrono::duration<double>(last_ - begin_).count();
  draw(fmt::format("{} {}  {:.0f} {}/s", count, unit,
                   elapsed > 0 ? static_cast<double>(count) / elapsed : 0.0, unit));
}

void ProgressBar::draw(const std::string& line) {
  fmt::print(stderr, "\r\033[K{}", line);
  std::fflush(stderr);
  drawn_ = true;
}

void ProgressBar::clear() {
  if (!drawn_) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
  drawn_ = false;
}

}  // namespace mbll::app
