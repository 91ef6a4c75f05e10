// verdict_corpus --seed S --n N [--shift] [--other] > corpus.jsonl
#include <cstdio>

#include <CLI/CLI.hpp>

#include "verdict/corpus.h"
#include "verdict/series_json.h"

int main(int argc, char** argv) {
  lowtide::bench::CorpusPlan plan;
  CLI::App app{"Writes labelled memory series as JSON lines"};
  app.add_option("--seed", plan.seed, "names the corpus")->capture_default_str();
  app.add_option("--n", plan.series, "number of series")->capture_default_str();
  app.add_flag("--shift", plan.shifted, "shifted parameters: more noise, smaller leaks, rounder knees");
  app.add_flag("--other", plan.other, "other families: burst leaks, leaks after a plateau, noisy sawteeth");
  CLI11_PARSE(app, argc, argv);

  for (std::size_t i = 0; i < plan.series; ++i) {
    const std::string line = to_json_line(make_series(plan, i)) + "\n";
    if (std::fwrite(line.data(), 1, line.size(), stdout) != line.size()) return 3;
  }
  return 0;
}
