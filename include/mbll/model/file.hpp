#pragma once

#include <string>
#include <string_view>

#include "mbll/model/model.hpp"

/// One self-contained file per model (docs/model-file.md): JSON, or CBOR with the same content in about half
/// the bytes. Every double survives exactly, so a loaded model predicts the same bits. The content depends on
/// data, options and seed only: FitReport::seconds is not stored.
namespace mbll {

/// The newest version of the format that this library reads, and the one it writes.
inline constexpr int model_format = 1;

enum class ModelEncoding { json, cbor };

/// CBOR if the path ends with ".cbor", else JSON.
[[nodiscard]] ModelEncoding model_encoding_of(std::string_view path);

/// Writes the file so that `path` is either the whole new model or what it was before. Throws WriteError
/// naming the path, and InvalidArgument for a feature map that is none of the library's.
void save_model(const Model& model, const std::string& path);

/// Reads either encoding, recognised by content. Throws DataError naming the file and the field if the file
/// is not there, damaged, forged, or of a newer format. Never allocates more than a small multiple of the
/// file's size.
[[nodiscard]] Model load_model(const std::string& path);

/// The same in memory; `source` is how messages call the bytes.
[[nodiscard]] std::string model_to_bytes(const Model& model, ModelEncoding encoding = ModelEncoding::json);
[[nodiscard]] Model model_from_bytes(std::string_view bytes, const std::string& source = "model");

}  // namespace mbll
