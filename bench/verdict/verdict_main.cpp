// verdict: the table of scores of our detector beside what people use today.
//
//   verdict                              the three corpora of lowtide, judged at the end and while running,
//                                        and the settled verdicts of whole recordings
//   verdict --corpus FILE [--corpus -]   any labelled corpus (JSON lines; plain, or `zcat X | verdict
//   --corpus -`)
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "verdict/corpus.h"
#include "verdict/report.h"
#include "verdict/series_json.h"
#include "verdict/settled_score.h"

namespace {

using namespace lowtide::bench;  // NOLINT(google-build-using-namespace): a main of this very module

struct Options {
  std::vector<std::string> corpora;
  std::vector<std::string> methods;
  std::size_t series = 1000;
  std::uint64_t seed = 31;  // 11 and 12 were tuned on
  std::uint64_t shifted_seed = 32;
  std::uint64_t other_seed = 33;
  bool no_live = false;
  std::size_t jobs = 2000;
  bool families = false;
  std::string json_path;
};

struct NamedCorpus {
  std::string name;
  std::vector<Series> series;
};

lowtide::base::Result<NamedCorpus> read_named(const std::string& path) {
  if (path == "-") {
    auto corpus = read_corpus(std::cin);
    if (!corpus) return std::move(corpus).error().within("standard input");
    return NamedCorpus{.name = "standard input", .series = std::move(corpus).value()};
  }
  std::ifstream file(path);
  if (!file) return lowtide::base::Error{lowtide::base::ErrorCode::Io, "cannot open " + path};
  auto corpus = read_corpus(file);
  if (!corpus) return std::move(corpus).error().within(path);
  return NamedCorpus{.name = path, .series = std::move(corpus).value()};
}

std::vector<Method> choose_methods(const std::vector<std::string>& names) {
  std::vector<Method> chosen;
  std::vector<Method> all = baseline_methods();
  all.push_back(detector_method());
  for (Method& method : all) {
    const bool wanted = names.empty() || std::find(names.begin(), names.end(), method.name) != names.end();
    if (wanted) chosen.push_back(std::move(method));
  }
  return chosen;
}

std::string report(const NamedCorpus& corpus, const std::vector<Method>& methods, const Options& options) {
  fmt::print("\n## {}: {} series\n\n", corpus.name, corpus.series.size());
  const Live live = options.no_live ? Live::No : Live::Yes;
  std::vector<NamedScore> scores;
  scores.reserve(methods.size());
  for (const Method& method : methods) {
    scores.push_back({.method = method.name, .score = score_method(method, corpus.series, live)});
  }
  fmt::print("At the end of the series (percent)\n\n{}\n", last_table(scores));
  if (live == Live::Yes) fmt::print("While it runs: judged at 24 moments\n\n{}\n", live_table(scores));
  for (const auto& [method, score] : scores) {
    if (!score.calibration.empty()) fmt::print("Calibration of {}\n\n{}\n", method, calibration_table(score));
    if (!options.families) continue;
    fmt::print("### {}\n\n{}\n{}\n", method, confusion_table(score), family_table(score));
  }
  return to_json(corpus.name, corpus.series.size(), scores);
}

bool report_settled(const Options& options) {
  const std::string folder = std::filesystem::temp_directory_path() / fmt::format("verdict-{}", ::getpid());
  std::filesystem::create_directories(folder);
  const auto jobs = judge_jobs(options.seed, options.jobs, folder);
  std::filesystem::remove_all(folder);
  if (!jobs) {
    fmt::print(stderr, "verdict: {}\n", jobs.error().message);
    return false;
  }
  fmt::print("\n## Verdicts of whole recordings, seed {}: {} jobs\n\n{}", options.seed, jobs.value().size(),
             settled_table(jobs.value()));
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app{"Scores lowtide's detector beside the baselines"};
  app.add_option("--corpus", options.corpora, "labelled series as JSON lines, - for standard input");
  app.add_option("--methods", options.methods, "only these")->delimiter(',');
  app.add_option("--n", options.series, "series in each corpus of our own")->capture_default_str();
  app.add_option("--seed", options.seed, "of our first corpus")->capture_default_str();
  app.add_option("--shifted-seed", options.shifted_seed, "of our second, with shifted parameters")
      ->capture_default_str();
  app.add_option("--other-seed", options.other_seed, "of our third, with other families")
      ->capture_default_str();
  app.add_option("--jobs", options.jobs, "recordings of jobs; 0: none")->capture_default_str();
  app.add_flag("--no-live", options.no_live, "only at the end of the series");
  app.add_flag("--families", options.families, "confusion and the score of every family");
  app.add_option("--json", options.json_path, "write the scores here as well");
  CLI11_PARSE(app, argc, argv);

  const std::vector<Method> methods = choose_methods(options.methods);
  if (methods.empty()) {
    fmt::print(stderr, "verdict: no such method\n");
    return 2;
  }
  std::vector<std::string> json;
  if (options.corpora.empty()) {
    const CorpusPlan plain{.seed = options.seed, .series = options.series};
    const CorpusPlan shifted{.seed = options.shifted_seed, .series = options.series, .shifted = true};
    const CorpusPlan other{.seed = options.other_seed, .series = options.series, .other = true};
    for (const auto& [what, plan] :
         {std::pair("", plain), {" with shifted parameters", shifted}, {" of other families", other}}) {
      const std::string name = fmt::format("own corpus{}, seed {}", what, plan.seed);
      json.push_back(report({.name = name, .series = make_corpus(plan)}, methods, options));
    }
    if (options.jobs > 0 && !report_settled(options)) return 3;
  }
  for (const std::string& path : options.corpora) {
    const auto corpus = read_named(path);
    if (!corpus) {
      fmt::print(stderr, "verdict: {}\n", corpus.error().message);
      return 3;
    }
    json.push_back(report(corpus.value(), methods, options));
  }
  if (!options.json_path.empty()) {
    std::ofstream file(options.json_path);
    file << fmt::format("{{\"corpora\": [{}]}}\n", fmt::join(json, ", "));
    if (!file.flush()) {
      fmt::print(stderr, "verdict: cannot write {}\n", options.json_path);
      return 3;
    }
  }
  return 0;
}
