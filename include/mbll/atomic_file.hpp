#pragma once

#include <string>
#include <string_view>

namespace mbll {

/// A file that appears whole or not at all: it is written beside its destination, and moved there by
/// `commit`. Without a commit the destination stays what it was and nothing is left behind. What is not a
/// regular file (a device, a pipe) cannot be replaced and is written to directly.
class AtomicFile {
 public:
  /// Throws WriteError naming the path, here and below.
  explicit AtomicFile(std::string path);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  void write(std::string_view content);
  /// Waits until the content is on the disk, then moves it to its destination.
  void commit();

 private:
  [[noreturn]] void fail(int error) const;

  std::string path_;       // as the caller named it, for messages
  std::string target_;     // where links lead to
  std::string temporary_;  // empty when written to directly, and after the move
  int descriptor_ = -1;
};

/// The whole file at once. Throws WriteError.
void write_atomically(const std::string& path, std::string_view content);

}  // namespace mbll
