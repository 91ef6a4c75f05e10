#include <functional>
#include <optional>

#include "show/compare.h"
#include "show/json/findings.h"
#include "show/json/verdict.h"

namespace lowtide::show {

using model::Compared;
using model::ComparedFinding;
using model::Comparison;

struct ComparedSide {
  std::reference_wrapper<const model::Report> report;
};

constexpr auto describe(Tag<ComparedSide>) {
  using model::Report;
  return object(
      "ComparedRun", "one of the two runs",
      field<&ComparedSide::report, &Report::source, &model::Source::path>("path", "its recording"),
      field<&ComparedSide::report, &Report::source, &model::Source::command>(
          "command", "what was run; empty if unknown"),
      field("page_cache_bytes", "page cache of the cgroup, which other jobs share; null if it is unknown",
            [](const ComparedSide& side) {
              const auto& reconciliation = side.report.get().reconciliation;
              return reconciliation ? std::optional(reconciliation->cache_bytes) : std::nullopt;
            }),
      field<&ComparedSide::report, &Report::verdict>("verdict", "of the whole job"));
}

constexpr auto describe(Tag<Compared>) {
  return object("ComparedValue", "one quantity of both runs", field<&Compared::name>("name", "what it is"),
                field<&Compared::measure>("unit", "its unit"),
                field_as<Number, &Compared::before>("before", "null if that run does not have it"),
                field_as<Number, &Compared::after>("after", "the same for the other run"),
                field<&Compared::differs>("differs",
                                          "whether they differ by more than noise; null if that is unknown"));
}

constexpr auto describe(Tag<ComparedFinding>) {
  return extends<&ComparedFinding::finding>(
      object("ComparedFinding", "a finding of either run; if both have it, that of the later run",
             field<&ComparedFinding::fate>("fate", "what became of it")));
}

constexpr auto describe(Tag<Comparison>) {
  return object(
      "Comparison", "what `lowtide compare --json` prints", program_version<Comparison>(),
      schema_version<Comparison>(), field<&Comparison::outcome>("outcome", "what the change did"),
      field<&Comparison::reason>("reason", "one sentence"),
      field_as<StepNumber, &Comparison::aligned_step>(
          "aligned_step", "both runs are compared up to this step; null: by time"),
      field("before", "the run before the change",
            [](const Comparison& comparison) { return ComparedSide{comparison.before}; }),
      field("after", "the run after it",
            [](const Comparison& comparison) { return ComparedSide{comparison.after}; }),
      field<&Comparison::values>("values", "the figures of the verdicts"),
      field<&Comparison::parts>("parts", "the parts of the memory"),
      field<&Comparison::findings>("findings", "gone ones first, then those that stay, then new ones"));
}

ObjectText comparison_text() {
  return text_of<Comparison>();
}

std::string to_json(const Comparison& comparison) {
  return document_of(comparison);
}

}  // namespace lowtide::show
