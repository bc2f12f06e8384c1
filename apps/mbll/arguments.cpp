#include "arguments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "mbll/data/nearest_name.hpp"

namespace mbll::app {
namespace {

using Json = nlohmann::ordered_json;

/// "--target" of "--target=y".
std::string option_name(const std::string& argument) { return argument.substr(0, argument.find('=')); }

/// The command that the arguments name, or null.
const CLI::App* chosen(const CLI::App& app, const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    if (argument.starts_with("-")) continue;
    for (const CLI::App* command : app.get_subcommands(nullptr))
      if (command->get_name() == argument) return command;
    return nullptr;
  }
  return nullptr;
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

std::string suggestion(const std::string& word, const std::vector<std::string>& candidates) {
  const std::string nearest = nearest_name(word, candidates);
  return nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest);
}

std::string value_text(const std::string& file, const std::string& key, const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number()) return value.dump();
  if (value.is_array() && !value.empty()) {
    std::string joined;
    for (const Json& entry : value) joined += (joined.empty() ? "" : ",") + value_text(file, key, entry);
    return joined;
  }
  throw UsageError(
      fmt::format("{}: '{}': expected text, a number, true, false or a list of these", file, key));
}

Json read_config(const std::string& file) {
  std::ifstream stream(file);
  if (!stream) throw UsageError(fmt::format("{}: cannot read the options: {}", file, std::strerror(errno)));
  const std::string text(std::istreambuf_iterator<char>(stream), {});
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object())
    throw UsageError(fmt::format("{}: expected a JSON object such as {{\"target\": \"y\"}}", file));
  return json;
}

template <class T>
T parse_number(const std::string& option, const std::string& text) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end)
    throw UsageError(fmt::format("--{}: '{}' is not a {}", option, text,
                                 std::is_integral_v<T> ? "whole number" : "number"));
  return value;
}

}  // namespace

std::vector<std::string> with_config(const CLI::App& app, std::vector<std::string> arguments) {
  const auto is_config = [](const std::string& a) { return option_name(a) == "--config"; };
  const auto found = std::find_if(arguments.begin(), arguments.end(), is_config);
  const CLI::App* command = chosen(app, arguments);
  if (found == arguments.end() || command == nullptr) return arguments;
  std::string file;
  if (const std::size_t equals = found->find('='); equals != std::string::npos)
    file = found->substr(equals + 1);
  else if (std::next(found) != arguments.end())
    file = *std::next(found);
  else
    return arguments;  // the parser says what is wrong

  const std::vector<std::string> known = option_names(*command);
  const std::vector<std::string> given = arguments;
  const Json config = read_config(file);  // outlives the loop over it
  for (const auto& [key, value] : config.items()) {
    std::string option = "--" + key;
    std::replace(option.begin(), option.end(), '_', '-');
    if (std::find(known.begin(), known.end(), option) == known.end() || option == "--config")
      throw UsageError(fmt::format("{}: unknown option '{}'{}", file, key, suggestion(option, known)));
    const auto same = [&](const std::string& a) { return option_name(a) == option; };
    if (std::any_of(given.begin(), given.end(), same)) continue;
    if (value.is_boolean()) {
      if (value.get<bool>()) arguments.push_back(option);
      continue;
    }
    arguments.push_back(option + "=" + value_text(file, key, value));
  }
  return arguments;
}

std::string describe_unknown(const CLI::App& app, const std::vector<std::string>& arguments) {
  const CLI::App* command = chosen(app, arguments);
  if (command == nullptr) {
    std::vector<std::string> names;
    for (const CLI::App* each : app.get_subcommands(nullptr)) names.push_back(each->get_name());
    for (const std::string& argument : arguments)
      if (!argument.starts_with("-"))
        return fmt::format("unknown command '{}'{}", argument, suggestion(argument, names));
    if (arguments.empty()) return fmt::format("which command? {}", fmt::join(names, ", "));
    return fmt::format("unknown option {}", arguments.front());
  }
  const std::vector<std::string> known = option_names(*command);
  for (const std::string& argument : arguments) {
    if (!argument.starts_with("--")) continue;
    const std::string name = option_name(argument);
    if (std::find(known.begin(), known.end(), name) == known.end())
      return fmt::format("unknown option {}{}", name, suggestion(name, known));
  }
  return "";
}

void add_model(CLI::App& command, std::string& model) {
  command.add_option("model", model, "model file")->required()->type_name("MODEL");
}

void add_data(CLI::App& command, std::string& data, const std::string& description) {
  command.add_option("data", data, description)->required()->type_name("DATA");
}

void add_missing(CLI::App& command, std::string& missing, const std::string& description) {
  command.add_option("--missing", missing, description)->capture_default_str()->type_name("");
}

std::vector<std::string> split_list(const std::string& option, const std::string& text) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    std::string part = text.substr(begin, end - begin);
    part.erase(0, part.find_first_not_of(' '));
    part.erase(part.find_last_not_of(' ') + 1);
    if (part.empty()) throw UsageError(fmt::format("--{}: '{}' has an empty part", option, text));
    parts.push_back(std::move(part));
    begin = end + 1;
  }
  return parts;
}

std::vector<long> split_counts(const std::string& option, const std::string& text) {
  std::vector<long> result;
  for (const std::string& part : split_list(option, text)) result.push_back(parse_number<long>(option, part));
  return result;
}

std::vector<double> split_numbers(const std::string& option, const std::string& text) {
  std::vector<double> result;
  for (const std::string& part : split_list(option, text))
    result.push_back(parse_number<double>(option, part));
  return result;
}

}  // namespace mbll::app
