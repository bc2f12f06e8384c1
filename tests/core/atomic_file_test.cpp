#include "mbll/atomic_file.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "mbll/error.hpp"
#include "support/folder.hpp"

namespace mbll {
namespace {

namespace fs = std::filesystem;

class AtomicFileTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }
  [[nodiscard]] std::string read(const std::string& name) const {
    std::ifstream stream(path(name));
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  [[nodiscard]] long entries() const { return temporary_.entries(); }
  test::Folder temporary_;
  fs::path folder_ = temporary_.path();
};

TEST_F(AtomicFileTest, AppearsOnlyWhenCommitted) {
  write_atomically(path("a"), "old");
  {
    AtomicFile file(path("a"));
    file.write("new ");
    file.write("content");
    EXPECT_EQ(read("a"), "old");
    file.commit();
    EXPECT_EQ(read("a"), "new content");
  }
  EXPECT_EQ(entries(), 1);
}

TEST_F(AtomicFileTest, LeavesNothingBehindWithoutCommit) {
  write_atomically(path("a"), "old");
  {
    AtomicFile file(path("a"));
    file.write("half");
    AtomicFile other(path("b"));
    other.write("half");
  }
  EXPECT_EQ(read("a"), "old");
  EXPECT_EQ(entries(), 1);
}

TEST_F(AtomicFileTest, KeepsLinksAndPermissions) {
  write_atomically(path("real"), "old");
  fs::permissions(path("real"), fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("real", path("link"));
  write_atomically(path("link"), "new");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(read("real"), "new");
  EXPECT_EQ(fs::status(path("real")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(AtomicFileTest, NamesWhatCannotBeWritten) {
  try {
    AtomicFile file(path("no/such/file"));
    FAIL();
  } catch (const WriteError& error) {
    EXPECT_EQ(std::string(error.what()), path("no/such/file") + ": cannot write: No such file or directory");
  }
  EXPECT_THROW(AtomicFile(folder_.string()), WriteError);
  // A device is not replaced by a file, and says when it is full.
  EXPECT_THROW(write_atomically("/dev/full", "x"), WriteError);
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
  EXPECT_EQ(entries(), 0);
}

}  // namespace
}  // namespace mbll
