#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <stdexcept>
#include <string>

/// How the program is put together: every command is one file with one `add_…` function, which declares the
/// command's options and says what to run. main.cpp parses, runs, and turns exceptions into exit codes.
namespace mbll::app {

enum ExitCode : int {
  kDone = 0,
  kFailure = 1,
  kUsage = 2,
  kBadData = 3,
  kNotConverged = 4,
  kInterrupted = 130
};

/// The command line itself is wrong, in a way that the parser cannot know.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Ctrl-C.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("stopped; nothing was written") {}
};

/// Whether Ctrl-C was pressed. The second time ends the program at once.
[[nodiscard]] bool interrupted();
void throw_if_interrupted();

/// The program and the command that was chosen.
class Program {
 public:
  explicit Program(CLI::App& app) : app_(app) {}

  /// A new command. `examples` are lines of the help, each without the leading "mbll".
  CLI::App* add(const std::string& name, const std::string& description, const std::string& examples);
  /// What a command does when it is chosen; returns the exit code.
  void on_run(CLI::App* command, std::function<int()> run);
  [[nodiscard]] int run() const { return run_ ? run_() : kDone; }

 private:
  CLI::App& app_;
  std::function<int()> run_;
};

void add_fit(Program& program);
void add_predict(Program& program);
void add_evaluate(Program& program);
void add_update(Program& program);
void add_select(Program& program);
void add_inspect(Program& program);
void add_report(Program& program);
void add_demo(Program& program);
void add_reproduce(Program& program);

}  // namespace mbll::app
