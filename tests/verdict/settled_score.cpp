#include "verdict/settled_score.h"

#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "explain/report.h"
#include "record/reader.h"
#include "verdict/recorded_jobs.h"

namespace lowtide::bench {
namespace {

void remove_recording(const std::string& path) {
  for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(path + suffix);
}

base::Result<JudgedJob> judge_job(const JobFamily& family, Rng& rng, const std::string& path) {
  remove_recording(path);
  if (std::string failure = write_job(family, rng, path); !failure.empty()) {
    return base::Error{base::ErrorCode::Io, std::move(failure)};
  }
  auto recording = record::Recording::open(path);
  if (!recording) return std::move(recording).error();
  const model::Report report = explain::make_report(recording.value(), {path, std::nullopt, std::nullopt});
  return JudgedJob{.family = std::string(family.name), .leaks = family.leaks, .verdict = report.verdict};
}

// "leak by series + sites".
std::string basis_words(const model::Verdict& verdict) {
  return fmt::format("{} by {}", model::to_string(verdict.kind), fmt::join(verdict.basis, " + "));
}

struct Row {
  Tally right;
  double confidence = 0;  // sum of what is stated
};

std::string row_words(const std::string& name, const Row& row) {
  return fmt::format("{:<34} {:>5} of {:<5} {:>6.1f} {:>8.1f}\n", name, row.right.hits, row.right.of,
                     row.right.percent(), 100 * row.confidence / static_cast<double>(row.right.of));
}

}  // namespace

base::Result<std::vector<JudgedJob>> judge_jobs(std::uint64_t seed, std::size_t jobs,
                                                const std::string& folder) {
  double weights = 0;
  for (const JobFamily& family : job_families()) weights += family.weight;
  std::vector<JudgedJob> out;
  std::uint64_t stream = 0;
  for (const JobFamily& family : job_families()) {
    const auto count =
        static_cast<std::size_t>(std::lround(static_cast<double>(jobs) * family.weight / weights));
    for (std::size_t job = 0; job < count; ++job) {
      Rng rng(seed, stream++);
      const std::string path = fmt::format("{}/job.lowtide", folder);
      auto judged = judge_job(family, rng, path);
      remove_recording(path);
      if (!judged) return std::move(judged).error();
      out.push_back(std::move(judged).value());
    }
  }
  return out;
}

Tally settled_right(const std::vector<JudgedJob>& jobs, double confidence) {
  Tally right;
  for (const JudgedJob& job : jobs) {
    if (!job.is_open() && job.is_settled() && job.verdict.confidence >= confidence) right.add(job.is_right());
  }
  return right;
}

double mean_settled_confidence(const std::vector<JudgedJob>& jobs) {
  double sum = 0;
  for (const JudgedJob& job : jobs) sum += !job.is_open() && job.is_settled() ? job.verdict.confidence : 0;
  return sum / static_cast<double>(settled_right(jobs, 0).of);
}

std::string settled_table(const std::vector<JudgedJob>& jobs) {
  std::map<std::string, Row> by_basis;
  std::map<std::string, Row> by_confidence;
  std::map<std::string, std::array<std::size_t, 4>> by_family;  // right, wrong and settled, other wrong, open
  for (const JudgedJob& job : jobs) {
    ++by_family[job.family].at(job.is_open() ? 3 : job.is_right() ? 0 : job.is_settled() ? 1 : 2);
    if (job.is_open()) continue;
    const double confidence = job.verdict.confidence;
    const char* band = confidence >= 0.95 ? "95% or more" : confidence >= 0.9 ? "90 to 95%" : "below 90%";
    const std::string settled = job.is_settled() ? "settled, " : "series alone, ";
    for (Row* row : {&by_basis[basis_words(job.verdict)], &by_confidence[settled + band]}) {
      row->right.add(job.is_right());
      row->confidence += confidence;
    }
  }
  std::string out = fmt::format("{:<34} {:>5}    {:<5} {:>6} {:>8}\n", "basis", "right", "", "%", "stated");
  for (const auto& [name, row] : by_basis) out += row_words(name, row);
  out += '\n';
  for (const auto& [name, row] : by_confidence) out += row_words(name, row);
  out += fmt::format("\n{:<34} {:>5} {:>14} {:>13} {:>5}\n", "family", "right", "wrong: settled",
                     "by its series", "open");
  for (const auto& [name, counts] : by_family) {
    out +=
        fmt::format("{:<34} {:>5} {:>14} {:>13} {:>5}\n", name, counts[0], counts[1], counts[2], counts[3]);
  }
  return out;
}

}  // namespace lowtide::bench
