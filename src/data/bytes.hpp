#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

/// Bytes of a file or of standard input, decompressed if they are gzip. Internal to data/.
namespace mbll::data {

/// A queue of bytes: filled at the back, used up from the front. Grows without writing zeros first.
class ByteBuffer {
 public:
  [[nodiscard]] std::span<const char> view() const { return {bytes_.get() + begin_, end_ - begin_}; }
  [[nodiscard]] std::size_t size() const { return end_ - begin_; }
  /// Where to write next, at least `count` bytes.
  [[nodiscard]] std::span<char> room(std::size_t count);
  void added(std::size_t count) { end_ += count; }
  void drop_front(std::size_t count) { begin_ += count; }
  void drop_back(std::size_t count) { end_ -= count; }

 private:
  std::unique_ptr<char[]> bytes_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t capacity_ = 0;
};

/// Reads a file ("-": standard input) from front to end. gzip is recognised by its first two bytes, and all
/// its members are read. Every failure is a DataError that names the file.
class ByteSource {
 public:
  explicit ByteSource(const std::string& path);
  ~ByteSource();
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  [[nodiscard]] const std::string& name() const;
  /// Waits until there is something; returns how many bytes were written to `out`, 0 at the end.
  std::size_t read(std::span<char> out);
  /// Everything that is left, after `head`.
  [[nodiscard]] ByteBuffer read_all(ByteBuffer head = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace mbll::data
