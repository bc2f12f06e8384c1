#include "mbll/model/file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "mbll/atomic_file.hpp"
#include "model/file_parts.hpp"

namespace mbll {
namespace {

using file::Field;
using file::Json;

Json scaled_to_json(const std::vector<std::string>& names, const Scaler& scaler) {
  return {{"names", names}, {"mean", file::numbers(scaler.mean)}, {"scale", file::numbers(scaler.scale)}};
}

Scaler scaler_from(const Field& field, std::size_t names) {
  const auto size = static_cast<Index>(names);
  return {field["mean"].numbers(size), field["scale"].numbers(size)};
}

Json lags_to_json(const LagSpec& lags) {
  if (lags.empty()) return nullptr;
  return {{"input_order", lags.input_order},
          {"output_order", lags.output_order},
          {"inputs", lags.inputs},
          {"time", lags.time},
          {"step", file::number(lags.step)}};
}

LagSpec lags_from(const Field& field) {
  return {field["input_order"].count(), field["output_order"].count(), field["inputs"].texts(),
          field["time"].text(), field["step"].number()};
}

Json to_json(const Model& model) {
  const Model::Parts& parts = model.parts();
  Json members = Json::array();
  for (const Member& member : parts.members) members.push_back(file::member_to_json(member));
  return {{"format", model_format},
          {"mbll", version()},
          {"inputs", scaled_to_json(parts.input_names, parts.inputs)},
          {"outputs", scaled_to_json(parts.output_names, parts.outputs)},
          {"noise_column", parts.noise_column},
          {"lags", lags_to_json(parts.lags)},
          {"members", std::move(members)},
          {"report", file::report_to_json(parts.report)}};
}

void check_format(const Field& root) {
  if (!root.has("format")) root.fail("is not a model file: it has no field 'format'");
  const Index format = root["format"].count();
  if (format > model_format)
    root.fail(
        fmt::format("was written by a newer mbll (format {}, this is mbll {} with format {}); upgrade to "
                    "read it",
                    format, version(), model_format));
  if (format < 1) root["format"].fail(fmt::format("is {}, expected 1 … {}", format, model_format));
}

Model from_json(const Field& root) {
  check_format(root);
  std::vector<std::string> input_names = root["inputs"]["names"].texts();
  std::vector<std::string> output_names = root["outputs"]["names"].texts();
  Scaler inputs = scaler_from(root["inputs"], input_names.size());
  Scaler outputs = scaler_from(root["outputs"], output_names.size());
  LagSpec lags;
  if (root.has("lags")) lags = lags_from(root["lags"]);
  std::vector<Member> members;
  for (const Field& member : root["members"].items()) members.push_back(file::member_from(member));
  return root.checked([&] {
    return Model({std::move(input_names), std::move(output_names), root["noise_column"].text(),
                  std::move(lags), std::move(inputs), std::move(outputs), std::move(members),
                  file::report_from(root["report"])});
  });
}

std::string read_bytes(const std::string& path) {
  const auto refuse = [&](const std::string& reason) {
    return DataError(fmt::format("{}: cannot read the model: {}", path, reason));
  };
  if (std::error_code ignored; std::filesystem::is_directory(path, ignored)) throw refuse("is a directory");
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw refuse(std::strerror(errno));
  std::string bytes(std::istreambuf_iterator<char>(stream), {});
  if (stream.bad()) throw refuse("the file cannot be read to its end");
  return bytes;
}

}  // namespace

ModelEncoding model_encoding_of(std::string_view path) {
  return path.ends_with(".cbor") ? ModelEncoding::cbor : ModelEncoding::json;
}

std::string model_to_bytes(const Model& model, ModelEncoding encoding) {
  const Json json = to_json(model);
  std::string bytes;
  if (encoding == ModelEncoding::cbor) {
    Json::to_cbor(json, bytes);
  } else {
    // A column name that is not UTF-8 is stored with the replacement character.
    bytes = json.dump(-1, ' ', false, Json::error_handler_t::replace);
    bytes += '\n';
  }
  return bytes;
}

Model model_from_bytes(std::string_view bytes, const std::string& source) {
  const Json json = file::parse(bytes, source);
  return from_json(Field(json, source));
}

void save_model(const Model& model, const std::string& path) {
  write_atomically(path, model_to_bytes(model, model_encoding_of(path)));
}

Model load_model(const std::string& path) { return model_from_bytes(read_bytes(path), path); }

}  // namespace mbll
