#include "watch/series_answer.h"

#include <utility>

#include "explain/answer.h"

namespace lowtide::watch {

show::AnswerWords series_answer(const model::Judgement& judgement, const model::Tick& tick,
                                std::uint64_t peak_bytes) {
  model::SeriesReport series;
  series.name = "the process tree";
  series.verdict = judgement.verdict;
  series.last_bytes = tick.target.bytes;
  series.peak_bytes = peak_bytes;
  model::Report report;
  report.source.type = model::SourceType::Recording;
  report.verdict = judgement.verdict;
  report.runs.emplace_back().series.push_back(std::move(series));
  report.answer = explain::find_answer(report);
  return show::answer_words(report);
}

}  // namespace lowtide::watch
