#include "explain/settle/other_series.h"

#include "explain/settle/gpus.h"

namespace lowtide::explain {
namespace {

Argument note(const std::string& text) {
  return {.rule = ArgumentKind::OtherSeries, .reason = "; but " + text};
}

}  // namespace

std::optional<Argument> note_leaning_gpu(const std::vector<model::SeriesReport>& series) {
  const model::SeriesReport* gpu = model::find_leaning_gpu(series);
  if (gpu == nullptr) return std::nullopt;
  return note(gpu->name + " may leak: " + gpu->verdict.reason);
}

std::optional<Argument> note_other_leak(const std::vector<model::SeriesReport>& series) {
  const model::SeriesReport* other = model::find_other_leak(series);
  if (other == nullptr) return std::nullopt;
  return note(other->name + " leaks: " + other->verdict.reason);
}

std::vector<Argument> note_fragmented_gpus(const std::vector<model::GpuReport>& gpus) {
  std::vector<Argument> out;
  for (const model::GpuReport& gpu : gpus) {
    if (const auto words = fragmentation_words(gpu)) out.push_back(note(*words));
  }
  return out;
}

}  // namespace lowtide::explain
