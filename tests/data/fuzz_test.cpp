#include <gtest/gtest.h>

#include "data/files.hpp"
#include "data/npy_files.hpp"
#include "mbll/data/read.hpp"
#include "mbll/data/splits.hpp"

namespace mbll {
namespace {

// Valid files, changed at random by a fixed seed. Whatever comes: a table or a DataError, from both ways in
// alike; never a crash, never another exception (a huge allocation would be one).
class Fuzz : public test::Files {
 protected:
  std::string mutate(std::string bytes) {
    const auto position = [&] { return bytes.empty() ? 0 : rng_() % bytes.size(); };
    const int changes = 1 + static_cast<int>(rng_() % 4);
    for (int k = 0; k < changes; ++k) switch (rng_() % 6) {
        case 0:
          if (!bytes.empty()) bytes[position()] = static_cast<char>(rng_());
          break;
        case 1:
          if (!bytes.empty()) bytes[position()] ^= static_cast<char>(1 << rng_() % 8);
          break;
        case 2:
          bytes.insert(position(), 1, ",\n\"\r\t;-.eN 9"[rng_() % 12]);
          break;
        case 3:
          bytes.resize(position());
          break;
        case 4: {
          const std::size_t at = position();
          bytes.erase(at, 1 + rng_() % 8);
          break;
        }
        default: {
          const std::size_t at = position();
          bytes.insert(position(), bytes.substr(at, 1 + rng_() % 20));
        }
      }
    return bytes;
  }

  /// "" if it could be read.
  template <class Read>
  std::string outcome(Read read) {
    try {
      read();
    } catch (const DataError& error) {
      return error.what();
    }
    return "";
  }

  void run(const std::string& valid, int times) {
    int refused = 0;
    for (int k = 0; k < times; ++k) {
      const std::string file = write("f", mutate(valid));
      Index samples = 0;
      Index streamed = 0;
      const std::string whole = outcome([&] { samples = read_table(file, {.threads = 1}).samples(); });
      const std::string stream = outcome([&] {
        TableStream blocks(file);
        Table block;
        while (blocks.next(3, block)) streamed += block.samples();
      });
      // In packed text a stream meets a mistake in the text before one of the packing; otherwise both find
      // the same.
      if (packed_) {
        ASSERT_EQ(whole.empty(), stream.empty());
      } else {
        ASSERT_EQ(whole, stream);
      }
      if (whole.empty()) {
        ASSERT_EQ(samples, streamed);
      }
      refused += whole.empty() ? 0 : 1;
    }
    EXPECT_GT(refused, times / 50) << "the mutations are too tame to test anything";
  }

  Rng rng_ = make_rng(99);
  bool packed_ = false;
};

const std::string kCsv =
    "a,\"b c\",note\n1,2.5,\"x,\"\"y\"\"\"\n-3e5,NA,z\n,7,\"two\nlines\"\n0.001,1e300,w\r\n";

TEST_F(Fuzz, Csv) { run(kCsv, 1000); }
TEST_F(Fuzz, Gzip) {
  packed_ = true;
  run(test::gzip(kCsv), 500);
}
TEST_F(Fuzz, Npy) { run(test::npy<double>("<f8", "(3, 2)", {1, -4, 2, 5, 3, 6}), 600); }
TEST_F(Fuzz, NpzStored) {
  run(test::zip({{"x.npy", test::npy<double>("<f8", "(3,)", {1, 2, 3})}}, false), 600);
}
TEST_F(Fuzz, NpzPacked) {
  run(test::zip({{"x.npy", test::npy<double>("<f8", "(3,)", {1, 2, 3})}}, true), 600);
}

TEST_F(Fuzz, RandomBytes) {
  for (int k = 0; k < 500; ++k) {
    std::string bytes(rng_() % 60, '\0');
    for (char& c : bytes) c = static_cast<char>(rng_());
    const std::string file = write("f", bytes);
    (void)outcome([&] { (void)read_table(file); });
    (void)outcome([&] { (void)read_splits(file, 10); });
  }
}

}  // namespace
}  // namespace mbll
