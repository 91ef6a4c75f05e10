// How fast a log is read, beside `wc -l` on the same file: the twin that people know.
//
//   ingest_bench [MEGABYTES] [FOLDER]      makes the logs, reads each, removes them
//   ingest_bench --file LOG                reads one log
//   ingest_bench --make MEGABYTES FOLDER   only makes the logs: kind0.log, kind1.log, ...
//
// With LOWTIDE=path/of/lowtide in the environment the whole program is run as well.
// Each is run three times after one to warm the page cache; the median counts, for all.

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "ingest/log_reader.h"

namespace {

using lowtide::ingest::SeriesIndex;
using lowtide::ingest::SeriesInfo;

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

class Random {
 public:
  std::uint64_t below(std::uint64_t limit) {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return (state_ >> 33U) % limit;
  }

 private:
  std::uint64_t state_ = 42;
};

struct Kind {
  std::string_view name;
  std::function<std::string(std::uint64_t, Random&)> line;
  std::string_view header;
};

// Words in any order: no two lines have the same shape.
std::string sentence(Random& random) {
  static constexpr std::string_view kWords[] = {
      "loading", "shard",  "from",  "bucket", "retry",  "tokenizer", "worker", "cache",  "split",
      "epoch",   "saving", "model", "rank",   "synced", "config",    "using",  "device", "waiting"};
  std::string text;
  for (int i = 0; i < 12; ++i) {
    text += kWords[random.below(std::size(kWords))];
    text += ' ';
  }
  return text;
}

std::vector<Kind> kinds() {
  return {
      {"step lines",
       [](std::uint64_t i, Random& random) {
         return fmt::format("Step {}:  {} MB\n", i, 5000 + random.below(20000));
       },
       ""},
      {"step lines, long",
       [](std::uint64_t i, Random& random) {
         return fmt::format(
             "2026-05-18 16:{:02}:{:02},{:03} - train - INFO - step: {} loss: {:.4f} RAM: {:.1f} MB\n",
             i / 60 % 60, i % 60, random.below(1000), i, 0.0001 * static_cast<double>(random.below(30000)),
             5000 + 0.1 * static_cast<double>(random.below(90000)));
       },
       ""},
      {"noise, memory 1 in 50",
       [](std::uint64_t i, Random& random) {
         if (i % 50 == 0) return fmt::format("step {} RAM: {}.5 MB\n", i, 5000 + random.below(90000));
         return fmt::format(
             "2026-05-18 16:04:{:02} INFO trainer: loss={:.4f} lr={:.2e} grad_norm={:.3f} tokens={}\n",
             i % 60, 0.0001 * static_cast<double>(random.below(30000)), 3e-4,
             0.001 * static_cast<double>(random.below(9000)), random.below(100000));
       },
       ""},
      {"noise, any words",
       [](std::uint64_t i, Random& random) {
         if (i % 50 == 0) return fmt::format("step {} RAM: {}.5 MB\n", i, 5000 + random.below(90000));
         return fmt::format("INFO {}{}\n", sentence(random), random.below(1000));
       },
       ""},
      {"CSV",
       [](std::uint64_t i, Random& random) {
         return fmt::format("{:.3f},{},{:.2f},{:.4f}\n", 0.5 * static_cast<double>(i), i,
                            5000 + 0.01 * static_cast<double>(random.below(900000)),
                            0.0001 * static_cast<double>(random.below(30000)));
       },
       "time,step,rss_mb,loss\n"},
      {"JSON lines",
       [](std::uint64_t i, Random& random) {
         return fmt::format("{{\"step\": {}, \"loss\": {:.4f}, \"rss_mb\": {:.1f}}}\n", i,
                            0.0001 * static_cast<double>(random.below(30000)),
                            5000 + 0.1 * static_cast<double>(random.below(90000)));
       },
       ""},
  };
}

double median_of_three(const std::function<void()>& work) {
  work();
  std::array<double, 3> took{};
  for (double& seconds : took) {
    const auto start = std::chrono::steady_clock::now();
    work();
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  std::sort(took.begin(), took.end());
  return took[1];
}

// The whole program, detector and all: `lowtide analyze --json`. 0 = LOWTIDE does not name the program.
double time_of_program(const std::string& path) {
  const char* const program = std::getenv("LOWTIDE");  // NOLINT(concurrency-mt-unsafe)
  if (program == nullptr) return 0;
  const std::string command = fmt::format("'{}' analyze --json --quiet '{}' > /dev/null 2>&1", program, path);
  return median_of_three([&] {
    // The exit status is the verdict: 0, 1 or 4. 3 and more than 4 are failures.
    const int status = std::system(command.c_str());  // NOLINT(concurrency-mt-unsafe)
    if (WEXITSTATUS(status) == 3) fmt::print(stderr, "lowtide failed\n");
  });
}

int compare(std::string_view name, const std::string& path) {
  const auto megabytes = static_cast<double>(std::filesystem::file_size(path)) / 1e6;
  const std::string count = "wc -l '" + path + "' > /dev/null";
  const double wc = median_of_three([&] {
    if (std::system(count.c_str()) != 0) fmt::print(stderr, "wc failed\n");  // NOLINT(concurrency-mt-unsafe)
  });
  std::uint64_t readings = 0;
  std::string failure;
  const double ours = median_of_three([&] {
    Adder adder;
    const auto summary = lowtide::ingest::read_log(path, adder);
    if (summary) {
      readings = summary.value().readings;
    } else {
      failure = summary.error().message;
    }
  });
  if (!failure.empty()) {
    fmt::print("{}: {}\n", name, failure);
    return 1;
  }
  fmt::print(
      "{:<24} {:>6.0f} MB  wc -l {:>6.0f} MB/s  read_log {:>6.0f} MB/s  {:>5.2f} of wc  {:>6.1f} M "
      "readings/s\n",
      name, megabytes, megabytes / wc, megabytes / ours, wc / ours,
      static_cast<double>(readings) / ours / 1e6);
  if (const double program = time_of_program(path); program > 0) {
    fmt::print("{:<24} {:>6.0f} MB  wc -l {:>6.0f} MB/s  analyze  {:>6.0f} MB/s  {:>5.2f} of wc\n", name,
               megabytes, megabytes / wc, megabytes / program, wc / program);
  }
  return 0;
}

void make_log(const Kind& kind, const std::string& path, std::uint64_t megabytes) {
  std::ofstream file(path, std::ios::binary);
  std::string block(kind.header);
  Random random;
  std::uint64_t written = 0;
  for (std::uint64_t i = 1; written < megabytes * 1'000'000; ++i) {
    block += kind.line(i, random);
    if (block.size() < (1U << 20U)) continue;
    file << block;
    written += block.size();
    block.clear();
  }
  file << block;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::strcmp(argv[1], "--file") == 0) return compare(argv[2], argv[2]);
  if (argc == 4 && std::strcmp(argv[1], "--make") == 0) {
    const std::uint64_t each = std::strtoull(argv[2], nullptr, 10);
    int number = 0;
    for (const Kind& kind : kinds()) make_log(kind, fmt::format("{}/kind{}.log", argv[3], number++), each);
    return 0;
  }
  const std::uint64_t megabytes = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000;
  const std::filesystem::path folder = argc > 2 ? argv[2] : std::filesystem::temp_directory_path();
  int status = 0;
  for (const Kind& kind : kinds()) {
    const std::string path = (folder / "lowtide_ingest_bench.log").string();
    make_log(kind, path, megabytes);
    status |= compare(kind.name, path);
    std::filesystem::remove(path);
  }
  return status;
}
