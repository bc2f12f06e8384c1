#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace mbll::app {

/// The arguments without the program's name, with those of `--config FILE` (a JSON object: option → value)
/// added where the command line does not give the option itself. Throws UsageError naming file and key.
[[nodiscard]] std::vector<std::string> with_config(const CLI::App& app, std::vector<std::string> arguments);

/// What to tell the user about an argument that the parser did not know: with the nearest name.
[[nodiscard]] std::string describe_unknown(const CLI::App& app, const std::vector<std::string>& arguments);

/// Options that several commands have in common.
void add_model(CLI::App& command, std::string& model);
void add_data(CLI::App& command, std::string& data, const std::string& description);
void add_missing(CLI::App& command, std::string& missing,
                 const std::string& description = "error, drop or mean (of the training data)");

/// "a, b" split at commas, blanks around parts removed. Throws UsageError naming the option for an empty
/// part.
[[nodiscard]] std::vector<std::string> split_list(const std::string& option, const std::string& text);
[[nodiscard]] std::vector<long> split_counts(const std::string& option, const std::string& text);
[[nodiscard]] std::vector<double> split_numbers(const std::string& option, const std::string& text);

}  // namespace mbll::app
