#include "verdict/settled_score.h"

#include <cmath>
#include <cstddef>
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
  const auto& series = report.runs[report.primary_run].series;
  return JudgedJob{.family = std::string(family.name),
                   .leaks = family.leaks,
                   .is_on_gpu = !series.empty() && model::is_gpu_memory(series.front().quantity),
                   .verdict = report.verdict};
}

// "leak by series + sites", "open, leans leak by series, GPU".
std::string basis_words(const JudgedJob& job) {
  const model::Verdict& verdict = job.verdict;
  const std::string kind = job.is_open() ? fmt::format("open, leans {}", model::to_string(verdict.lean->kind))
                                         : std::string(model::to_string(verdict.kind));
  return fmt::format("{} by {}{}", kind, fmt::join(verdict.basis, " + "), job.is_on_gpu ? ", GPU" : "");
}

struct FamilyRow {
  std::size_t right = 0;
  std::size_t wrong_settled = 0;
  std::size_t wrong_by_series = 0;
  std::size_t open = 0;
  std::size_t leaning_right = 0;
  std::size_t leaning_wrong = 0;
  double lean_confidence = 0;  // sum of what is stated

  void add(const JudgedJob& job) {
    if (!job.is_open()) {
      ++(job.is_right() ? right : job.is_settled() ? wrong_settled : wrong_by_series);
      return;
    }
    ++open;
    if (!job.has_lean()) return;
    ++(job.leans_right() ? leaning_right : leaning_wrong);
    lean_confidence += job.verdict.lean->confidence;
  }
};

std::string family_words(const std::string& name, const FamilyRow& row) {
  const std::size_t leaning = row.leaning_right + row.leaning_wrong;
  const std::string stated =
      leaning == 0 ? "" : fmt::format("{:.1f}", 100 * row.lean_confidence / static_cast<double>(leaning));
  return fmt::format("{:<34} {:>5} {:>14} {:>13} {:>5} {:>12} {:>12} {:>12}\n", name, row.right,
                     row.wrong_settled, row.wrong_by_series, row.open, row.leaning_right, row.leaning_wrong,
                     stated);
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
  std::map<std::string, Row> by_lean;
  std::map<std::string, FamilyRow> by_family;
  for (const JudgedJob& job : jobs) {
    by_family[job.family].add(job);
    if (job.is_open()) {
      if (job.has_lean()) {
        Row& row = by_lean[basis_words(job)];
        row.right.add(job.leans_right());
        row.confidence += job.verdict.lean->confidence;
      }
      continue;
    }
    const double confidence = job.verdict.confidence;
    const char* band = confidence >= 0.95 ? "95% or more" : confidence >= 0.9 ? "90 to 95%" : "below 90%";
    const std::string settled = job.is_settled() ? "settled, " : "series alone, ";
    for (Row* row : {&by_basis[basis_words(job)], &by_confidence[settled + band]}) {
      row->right.add(job.is_right());
      row->confidence += confidence;
    }
  }
  std::string out = fmt::format("{:<34} {:>5}    {:<5} {:>6} {:>8}\n", "basis", "right", "", "%", "stated");
  for (const auto* rows : {&by_basis, &by_confidence, &by_lean}) {
    for (const auto& [name, row] : *rows) out += row_words(name, row);
    out += '\n';
  }
  out +=
      fmt::format("{:<34} {:>5} {:>14} {:>13} {:>5} {:>12} {:>12} {:>12}\n", "family", "right",
                  "wrong: settled", "by its series", "open", "leaning right", "leaning wrong", "stated lean");
  for (const auto& [name, row] : by_family) out += family_words(name, row);
  return out;
}

}  // namespace lowtide::bench
