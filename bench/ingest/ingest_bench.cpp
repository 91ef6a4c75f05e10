// How fast a log is read, compared with `wc -l` on the same file. The goal is 200 MB/s for the training log.
//
//   ingest_bench [MEGABYTES] [FOLDER]      makes the logs (1000 MB each), reads each, removes them
//   ingest_bench --file LOG                reads one log
//   ingest_bench --make MEGABYTES FOLDER   only makes the logs: kind0.log, kind1.log, ...
//
// Three twins take turns on each file, each in a process of its own: `wc -l`, read_log() with a
// receiver that adds up, and the whole of `lowtide analyze --json`. The median of five rounds counts,
// after one round that is not counted and brings the file into the page cache.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "ingest/log_reader.h"
#include "logs.h"
#include "twins.h"

namespace {

using lowtide::bench::Took;
using lowtide::ingest::SeriesIndex;
using lowtide::ingest::SeriesInfo;

constexpr int kRounds = 5;

// Adds up what it is given, so that nothing can be left out.
class Adder : public lowtide::ingest::Sink {
 public:
  void begin_run(const std::string& /*name*/, std::uint64_t /*first_line*/) override {}
  SeriesIndex begin_series(const SeriesInfo& /*info*/) override { return SeriesIndex{0}; }
  void add(SeriesIndex /*series*/, const lowtide::model::Sample& sample, std::uint64_t /*line*/) override {
    total += sample.bytes;
  }
  void event(const lowtide::model::Event& /*event*/) override {}
  std::uint64_t total = 0;
};

std::optional<std::uint64_t> read_readings(const std::string& path) {
  Adder adder;
  const auto summary = lowtide::ingest::read_log(path, adder);
  if (summary) return summary.value().readings;
  fmt::print(stderr, "{}: {}\n", path, summary.error().message);
  return std::nullopt;
}

// The program of the same build, unless LOWTIDE names another.
std::string program() {
  if (const char* const named = std::getenv("LOWTIDE")) return named;  // NOLINT(concurrency-mt-unsafe)
  std::error_code error;
  const auto own = std::filesystem::read_symlink("/proc/self/exe", error);
  return (own.parent_path().parent_path().parent_path() / "src/cli/lowtide").string();
}

Took median(std::vector<Took> all) {
  std::sort(all.begin(), all.end(), [](const Took& a, const Took& b) { return a.seconds < b.seconds; });
  return all[all.size() / 2];
}

void print_heading() {
  fmt::print("{:<32}{:>8}{:>12}{:>12}{:>8}{:>14}{:>12}{:>8}{:>12}\n", "log", "MB", "wc -l MB/s", "read_log",
             "of wc", "M readings/s", "analyze", "of wc", "peak MB");
}

int compare(std::string_view name, const std::string& path) {
  const auto megabytes = static_cast<double>(std::filesystem::file_size(path)) / 1e6;
  std::vector<Took> counts;
  std::vector<Took> reads;
  std::vector<Took> analyses;
  for (int round = 0; round <= kRounds; ++round) {
    const auto count = lowtide::bench::time_program({"wc", "-l", path}, {0});
    const auto read = lowtide::bench::time_in_child([&] { return read_readings(path); });
    // The exit status is the verdict: 0, 1 or 4.
    const auto analysis =
        lowtide::bench::time_program({program(), "analyze", "--json", "--quiet", path}, {0, 1, 4});
    if (!count || !read || !analysis) {
      fmt::print("{:<32}failed: {}\n", name, !count ? "wc -l" : !read ? "read_log" : program() + " analyze");
      return 1;
    }
    if (round == 0) continue;
    counts.push_back(*count);
    reads.push_back(*read);
    analyses.push_back(*analysis);
  }
  const Took count = median(counts);
  const Took read = median(reads);
  const Took analysis = median(analyses);
  fmt::print("{:<32}{:>8.0f}{:>12.0f}{:>12.0f}{:>8.2f}{:>14.1f}{:>12.0f}{:>8.2f}{:>12.1f}\n", name, megabytes,
             megabytes / count.seconds, megabytes / read.seconds, count.seconds / read.seconds,
             static_cast<double>(read.answer) / read.seconds / 1e6, megabytes / analysis.seconds,
             count.seconds / analysis.seconds, static_cast<double>(analysis.peak_bytes) / 1e6);
  std::fflush(stdout);
  return 0;
}

int compare_all(std::uint64_t megabytes, const std::filesystem::path& folder) {
  print_heading();
  int status = 0;
  for (const lowtide::bench::Kind& kind : lowtide::bench::kinds()) {
    const std::string path = (folder / fmt::format("lowtide_ingest_bench_{}.log", ::getpid())).string();
    if (lowtide::bench::make_log(kind, path, megabytes)) {
      status |= compare(kind.name, path);
    } else {
      fmt::print("{:<32}failed: cannot write {} MB to {}\n", kind.name, megabytes, path);
      status = 1;
    }
    std::filesystem::remove(path);
  }
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::strcmp(argv[1], "--file") == 0) {
    print_heading();
    return compare(std::filesystem::path(argv[2]).filename().string(), argv[2]);
  }
  if (argc == 4 && std::strcmp(argv[1], "--make") == 0) {
    const std::uint64_t each = std::strtoull(argv[2], nullptr, 10);
    int number = 0;
    for (const lowtide::bench::Kind& kind : lowtide::bench::kinds()) {
      if (!lowtide::bench::make_log(kind, fmt::format("{}/kind{}.log", argv[3], number++), each)) return 1;
    }
    return 0;
  }
  const std::uint64_t megabytes = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000;
  return compare_all(megabytes, argc > 2 ? argv[2] : std::filesystem::temp_directory_path());
}
