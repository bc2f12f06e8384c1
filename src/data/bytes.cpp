#include "bytes.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "mbll/error.hpp"

namespace mbll::data {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 18;

std::string system_message(int code) { return std::generic_category().message(code); }

}  // namespace

std::span<char> ByteBuffer::room(std::size_t count) {
  if (capacity_ - end_ < count && begin_ > 0) {
    std::memmove(bytes_.get(), bytes_.get() + begin_, size());
    end_ -= begin_;
    begin_ = 0;
  }
  if (capacity_ - end_ < count) {
    const std::size_t capacity = std::max(end_ + count, 2 * capacity_);
    auto grown = std::make_unique_for_overwrite<char[]>(capacity);
    if (end_ > 0) std::memcpy(grown.get(), bytes_.get(), end_);
    bytes_ = std::move(grown);
    capacity_ = capacity;
  }
  return {bytes_.get() + end_, capacity_ - end_};
}

struct ByteSource::State {
  std::string name;
  int descriptor = -1;
  bool owned = false;
  std::size_t size_hint = 0;   // bytes of a regular file
  std::array<char, 2> head{};  // read in advance to recognise gzip
  std::size_t head_size = 0;
  std::size_t head_given = 0;

  bool compressed = false;
  bool member_open = false;  // inside a gzip member: the end of the file must not come now
  z_stream stream{};
  std::unique_ptr<char[]> input;

  ~State() {
    if (compressed) inflateEnd(&stream);
    if (owned) ::close(descriptor);
  }

  [[noreturn]] void fail(const std::string& message) const { throw DataError(name + ": " + message); }

  std::size_t read_descriptor(char* out, std::size_t size) const {
    for (;;) {
      const ssize_t count = ::read(descriptor, out, std::min(size, std::size_t{1} << 30));
      if (count >= 0) return static_cast<std::size_t>(count);
      if (errno != EINTR) fail(system_message(errno));
    }
  }

  std::size_t read_raw(char* out, std::size_t size) {
    if (head_given == head_size) return read_descriptor(out, size);
    const std::size_t count = std::min(size, head_size - head_given);
    std::copy_n(head.begin() + static_cast<std::ptrdiff_t>(head_given), count, out);
    head_given += count;
    return count;
  }

  bool refill() {
    stream.next_in = reinterpret_cast<Bytef*>(input.get());
    stream.avail_in = static_cast<uInt>(read_raw(input.get(), kBlock));
    return stream.avail_in > 0;
  }

  /// Between two members: zero padding is legal, anything else must be the next member.
  bool next_member() {
    for (;;) {
      if (stream.avail_in == 0 && !refill()) return false;
      if (*stream.next_in != 0) break;
      ++stream.next_in;
      --stream.avail_in;
    }
    inflateReset(&stream);
    member_open = true;
    return true;
  }

  std::size_t read_compressed(char* out, std::size_t size) {
    stream.next_out = reinterpret_cast<Bytef*>(out);
    stream.avail_out = static_cast<uInt>(std::min(size, std::size_t{1} << 30));
    const uInt wanted = stream.avail_out;
    while (stream.avail_out == wanted) {
      if (!member_open && !next_member()) return 0;
      if (stream.avail_in == 0 && !refill()) fail("the gzip data ends early (truncated file?)");
      const int code = inflate(&stream, Z_NO_FLUSH);
      if (code == Z_STREAM_END)
        member_open = false;
      else if (code == Z_MEM_ERROR)
        throw std::bad_alloc();
      else if (code != Z_OK)
        fail("the gzip data is damaged");
    }
    return wanted - stream.avail_out;
  }
};

ByteSource::ByteSource(const std::string& path) : state_(std::make_unique<State>()) {
  State& s = *state_;
  if (path == "-") {
    s.name = "standard input";
    s.descriptor = STDIN_FILENO;
  } else {
    s.name = path;
    s.descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (s.descriptor < 0) s.fail(system_message(errno));
    s.owned = true;
  }
  struct stat info {};
  if (::fstat(s.descriptor, &info) != 0) s.fail(system_message(errno));
  if (S_ISDIR(info.st_mode)) s.fail("is a directory, expected a file");
  if (S_ISREG(info.st_mode)) s.size_hint = static_cast<std::size_t>(info.st_size);
  while (s.head_size < 2) {
    const std::size_t count = s.read_descriptor(s.head.data() + s.head_size, 2 - s.head_size);
    if (count == 0) break;
    s.head_size += count;
  }
  if (s.head_size == 2 && s.head[0] == '\x1f' && s.head[1] == '\x8b') {
    constexpr int kGzipOnly = 15 + 16;
    if (inflateInit2(&s.stream, kGzipOnly) != Z_OK) throw std::bad_alloc();
    s.compressed = true;
    s.member_open = true;
    s.input = std::make_unique_for_overwrite<char[]>(kBlock);
  }
}

ByteSource::~ByteSource() = default;

const std::string& ByteSource::name() const { return state_->name; }

std::size_t ByteSource::read(std::span<char> out) {
  return state_->compressed ? state_->read_compressed(out.data(), out.size())
                            : state_->read_raw(out.data(), out.size());
}

ByteBuffer ByteSource::read_all(ByteBuffer head) {
  // One byte more than the file has: the read that finds the end needs no growth.
  std::size_t wanted = std::max(state_->size_hint + 1, kBlock);
  for (;;) {
    const std::size_t count = read(head.room(wanted));
    if (count == 0) return head;
    head.added(count);
    wanted = 1;
  }
}

}  // namespace mbll::data
