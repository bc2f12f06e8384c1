// How fast a numeric CSV file becomes a table.
//   csv_bench                makes a file of 100 MB in the temporary folder and prints the rates
//   csv_bench FILE REPEATS   reads that file; prints "threads seconds" (the minimum) and the exclusive or of
//   all numbers' bits, for
//                            bench/csv_pandas.py
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "mbll/data/read.hpp"
#include "mbll/parallel.hpp"

namespace {

/// 17 significant digits: the longest numbers that anybody writes, and the slowest to round exactly.
void make_file(const std::string& path, std::size_t bytes) {
  mbll::Rng rng = mbll::make_rng(1);
  std::normal_distribution<double> normal;
  fmt::memory_buffer text;
  std::ofstream file(path, std::ios::binary);
  for (int c = 0; c < 10; ++c) fmt::format_to(std::back_inserter(text), "{}x{}", c == 0 ? "" : ",", c);
  std::size_t written = 0;
  while (written < bytes) {
    for (int c = 0; c < 10; ++c)
      fmt::format_to(std::back_inserter(text), "{}{:.16e}", c == 0 ? '\n' : ',', normal(rng));
    if (text.size() < (1U << 20)) continue;
    file.write(text.data(), static_cast<std::streamsize>(text.size()));
    written += text.size();
    text.clear();
  }
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file << '\n';
}

double seconds_to_read(const std::string& path, int threads, int repeats) {
  double best = 1e300;
  for (int k = 0; k < repeats; ++k) {
    const auto start = std::chrono::steady_clock::now();
    const mbll::Table table = mbll::read_table(path, {.threads = threads});
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    best = std::min(best, time.count());
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) try {
  const int all = mbll::thread_count(0);
  if (argc == 3) {
    for (const int threads : {1, all})
      std::cout << threads << ' ' << seconds_to_read(argv[1], threads, std::atoi(argv[2])) << '\n';
    std::uint64_t bits = 0;
    const mbll::Table table = mbll::read_table(argv[1]);
    for (const double value : table.values().reshaped()) bits ^= std::bit_cast<std::uint64_t>(value);
    std::cout << "bits " << bits << '\n';
    return 0;
  }
  const auto path = std::filesystem::temp_directory_path() / "mbll_csv_bench.csv";
  make_file(path.string(), 100'000'000);
  const double megabytes = static_cast<double>(std::filesystem::file_size(path)) / 1e6;
  for (const int threads : {1, all})
    std::cout << fmt::format("{:.0f} MB of 17-digit numbers, {} thread{}: {:.0f} MB/s\n", megabytes, threads,
                             threads == 1 ? "" : "s", megabytes / seconds_to_read(path.string(), threads, 5));
  std::filesystem::remove(path);
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
