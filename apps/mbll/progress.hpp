#pragma once

#include <chrono>
#include <string>

namespace mbll::app {

/// One line on standard error that is drawn over and over: how far, how fast, how long still. Silent unless
/// standard error is a terminal (and, for results that go to the same terminal, the caller asks for it).
class ProgressBar {
 public:
  explicit ProgressBar(bool wanted = true);
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  ~ProgressBar() { clear(); }

  /// A job whose end is known: fraction 0 … 1.
  void show(double fraction, const std::string& stage);
  /// A job whose end is not known.
  void show_count(long count, const char* unit);
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  [[nodiscard]] bool due();
  void draw(const std::string& line);

  bool active_;
  bool drawn_ = false;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point last_;
};

}  // namespace mbll::app
