#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <csignal>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "command.hpp"
#include "mbll/core.hpp"
#include "mbll/error.hpp"
#include "mbll/model/fit.hpp"
#include "output.hpp"

namespace mbll::app {
namespace {

volatile std::sig_atomic_t interrupt_flag = 0;

extern "C" void on_interrupt(int /*signal*/) { interrupt_flag = 1; }

void handle_signals() {
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction action {};
    sigaction(signal, nullptr, &action);
    if (action.sa_handler == SIG_IGN) continue;  // nohup, background jobs
    action.sa_handler = on_interrupt;
    action.sa_flags = static_cast<int>(SA_RESETHAND);  // the second Ctrl-C does what it always does
    sigaction(signal, &action, nullptr);
  }
  (void)std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is seen where it is written to
}

void start_log() {
  auto log = spdlog::stderr_logger_st("mbll");
  log->set_pattern("mbll: %v");
  spdlog::set_default_logger(std::move(log));
}

int parse(CLI::App& app, std::vector<std::string> arguments) {
  const std::vector<std::string> given = arguments;
  try {
    arguments = with_config(app, std::move(arguments));
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());  // what CLI11 expects
    app.parse(std::move(reversed));
    return kDone;
  } catch (const CLI::Success& success) {  // --help, --version
    std::ostringstream text;
    app.exit(success, text, text);
    print(text.str());
    return -1;
  } catch (const CLI::ParseError& error) {
    const std::string unknown = describe_unknown(app, given);
    spdlog::error(unknown.empty() ? error.what() : unknown);
  } catch (const UsageError& error) {
    spdlog::error(error.what());
  }
  const bool known = !app.get_subcommands().empty();
  spdlog::error("see 'mbll {}--help'", known ? app.get_subcommands().front()->get_name() + " " : "");
  return kUsage;
}

int guarded(CLI::App& app, const std::vector<std::string>& arguments, const Program& program) {
  try {
    if (const int code = parse(app, arguments); code != kDone) return code < 0 ? int{kDone} : code;
    return program.run();
  } catch (const ClosedPipe&) {
    return kDone;
  } catch (const Interrupted& error) {
    spdlog::error(error.what());
    return kInterrupted;
  } catch (const Cancelled&) {
    spdlog::error(Interrupted().what());
    return kInterrupted;
  } catch (const UsageError& error) {
    spdlog::error(error.what());
    return kUsage;
  } catch (const WriteError& error) {
    spdlog::error(error.what());
    return kFailure;
  } catch (const DataError& error) {
    spdlog::error(error.what());
    return kBadData;
  } catch (const InvalidArgument& error) {
    spdlog::error(error.what());
    return kBadData;
  } catch (const std::bad_alloc&) {
    spdlog::error("not enough memory");
    return kFailure;
  } catch (const std::exception& error) {
    spdlog::error(error.what());
    return kFailure;
  }
}

}  // namespace

bool interrupted() { return interrupt_flag != 0; }

void throw_if_interrupted() {
  if (interrupted()) throw Interrupted();
}

CLI::App* Program::add(const std::string& name, const std::string& description, const std::string& examples) {
  CLI::App* command = app_.add_subcommand(name, description);
  command->footer("Examples:\n" + examples);
  command->add_option_function<std::string>(
      "--config", [](const std::string&) {}, "JSON file with options; the command line goes first");
  return command;
}

void Program::on_run(CLI::App* command, std::function<int()> run) {
  command->final_callback([this, run = std::move(run)] { run_ = run; });
}

}  // namespace mbll::app

// What may be thrown before `guarded` is a wrong definition of an option: a defect that every run shows.
// NOLINTNEXTLINE(bugprone-exception-escape)
int main(int argc, char** argv) {
  using namespace mbll::app;
  handle_signals();
  start_log();
  CLI::App app("Regression with calibrated uncertainty, split into noise and what more data would remove",
               "mbll");
  app.set_version_flag("--version", fmt::format("mbll {}", mbll::version()));
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 done, 1 failure, 2 wrong usage, 3 bad data, 4 not converged (with --strict).\n"
      "'mbll COMMAND --help' has examples.");
  app.get_formatter()->column_width(36);
  Program program(app);
  add_fit(program);
  add_predict(program);
  add_evaluate(program);
  add_update(program);
  add_select(program);
  add_inspect(program);
  add_report(program);
  add_demo(program);
  add_reproduce(program);
  return guarded(app, std::vector<std::string>(argv + 1, argv + argc), program);
}
