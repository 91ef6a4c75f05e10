#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/floor.h"
#include "show/answer_words.h"
#include "show/json/details.h"
#include "show/json/findings.h"
#include "show/json/gpus.h"
#include "show/json/holders.h"
#include "show/json/json.h"
#include "show/json/processes.h"
#include "show/json/report_part.h"
#include "show/json/verdict.h"
#include "show/words.h"

namespace lowtide::show {

using model::Report;
using model::SeriesReport;

struct ListedGrowth {
  std::optional<std::int64_t> floor_bytes;
  std::optional<double> explained_share = {};
  std::vector<model::MechanismShare> mechanisms = {};
};

struct ListedTarget {
  const SeriesReport* series;
  std::reference_wrapper<const Report> report;
};

struct ListedAnswer {
  std::reference_wrapper<const Report> report;
};

struct ListedRate {
  std::optional<double> bytes_per_step;
  std::optional<double> bytes_per_second;
};

struct WholeReport {
  std::reference_wrapper<const Report> report;
  const model::Gate* gate = nullptr;
};

namespace {

bool is_watched(const Report& report) {
  return report.source.type == model::SourceType::Recording;
}

ListedGrowth growth_of(const Report& report) {
  if (is_watched(report)) {
    if (!report.growth) return {};
    return {report.growth->floor_bytes, report.growth->explained_share, report.growth->mechanisms};
  }
  if (report.verdict.samples == 0) return {};
  return {model::floor_growth(report.verdict.floor)};
}

template <typename Row>
std::vector<Grown<Row>> grown(const std::vector<std::pair<std::int64_t, Row>>& rows) {
  std::vector<Grown<Row>> list;
  list.reserve(rows.size());
  for (const auto& [pid, row] : rows) list.push_back({pid, row});
  return list;
}

std::vector<GrownHolder> grown(const std::vector<model::HolderReport>& holders) {
  std::vector<GrownHolder> list;
  list.reserve(holders.size());
  for (const model::HolderReport& holder : holders) list.push_back({holder.pid, holder});
  return list;
}

constexpr auto of_recording(Field<WholeReport> field) {
  return only(
      "recording", +[](const WholeReport& row) { return is_watched(row.report); }, field);
}

}  // namespace

constexpr auto describe(Tag<ListedGrowth>) {
  return object(
      "Growth", "what the growth of the floor is made of",
      field<&ListedGrowth::floor_bytes>("floor_bytes", "by how much the floor grew; below 0: it fell"),
      field_as<Share, &ListedGrowth::explained_share>(
          "explained_share", "the part that has a mechanism other than `unexplained`"),
      field<&ListedGrowth::mechanisms>("mechanisms", "its parts; they add up to the growth of the tree"));
}

constexpr auto describe(Tag<ListedTarget>) {
  constexpr auto kSeries = &ListedTarget::series;
  constexpr auto kReport = &ListedTarget::report;
  return object("Target", "the process tree, shared pages counted once",
                field<kSeries, &SeriesReport::peak_bytes>("peak_bytes", "its highest reading"),
                field<kSeries, &SeriesReport::last_bytes>("last_bytes", "its last reading"),
                field<kReport, &Report::limit, &model::Limit::kind>(
                    "limit", "whose limit it is; `host` also where the user gave it"),
                field<kReport, &Report::limit, &model::Limit::bytes>("limit_bytes", "the limit"),
                field<kReport, &Report::ending>(
                    "ending", "how the recording ended; `cut-off`: the monitor was killed"));
}

constexpr auto describe(Tag<model::TmpfsReport>) {
  using model::TmpfsReport;
  return object("Tmpfs", "a file system in memory, at the last reading",
                field<&TmpfsReport::path>("path", "where it is mounted, as the job sees it"),
                field<&TmpfsReport::total_bytes>("total_bytes", "its size"),
                field<&TmpfsReport::used_bytes>("used_bytes", "used by all files, those of other jobs too"),
                field<&TmpfsReport::job_bytes>("job_bytes", "used by files that the job made"),
                field<&TmpfsReport::was_full>("was_full", "it was full when a process of the job failed"));
}

constexpr auto describe(Tag<model::SharedGroup>) {
  using model::SharedGroup;
  return object(
      "SharedMemory", "objects of shared memory with similar names",
      field<&SharedGroup::kind>("kind", "`file` in a tmpfs, System V `segment`, `memfd`"),
      field_as<NonEmpty, &SharedGroup::name>("name", "their names, with * for numbers"),
      field<&SharedGroup::count>("count", "number of objects"),
      field<&SharedGroup::bytes>("bytes", "their memory"),
      field<&SharedGroup::link>("link",
                                "how `pid` is known; `creator`: from the kernel, `name`: it is in the names, "
                                "`open`: it has them open, "
                                "`writer`: the only process of the job that wrote that much at that time"),
      field(
          "pid", "the process that made or holds them; of several the one with most; null: not known",
          [](const SharedGroup& group) { return group.pid != 0 ? std::optional(group.pid) : std::nullopt; }),
      field<&SharedGroup::pid_bytes>("pid_bytes", "of `bytes`, the part of `pid`"));
}

constexpr auto describe(Tag<ListedRate>) {
  return object("AnswerRate", "how fast memory grows",
                field_as<WholeBytes, &ListedRate::bytes_per_step>("bytes_per_step", "null without steps"),
                field_as<WholeBytes, &ListedRate::bytes_per_second>("bytes_per_second", "null with steps"));
}

constexpr auto describe(Tag<ListedAnswer>) {
  constexpr auto kAnswer = &Report::answer;
  constexpr auto kReport = &ListedAnswer::report;
  using model::Answer;
  return object(
      "Answer", "the first line of the report: what, where, how fast, how sure",
      field<kReport, kAnswer, &Answer::kind>("kind",
                                             "`bounded` grows to a known end; `oom` ran out of memory"),
      field("headline", "one line", [](const ListedAnswer& answer) { return answer_line(answer.report); }),
      field<kReport, kAnswer, &Answer::line>("line", "the line of code to look at first"),
      field_as<NonEmpty, kReport, kAnswer, &Answer::variable>("variable",
                                                              "the variable that holds the memory"),
      field("process", "the processes that grow; null where the whole job is meant",
            [](const ListedAnswer& answer) {
              const Report& report = answer.report;
              return report.answer.finding ? report.findings[*report.answer.finding].process : std::nullopt;
            }),
      field("rate", "null where memory does not grow",
            [](const ListedAnswer& answer) -> std::optional<ListedRate> {
              const model::Answer& own = answer.report.get().answer;
              if (!own.rate) return std::nullopt;
              const bool is_step = own.axis == model::Axis::Step;
              return ListedRate{is_step ? own.rate : std::nullopt, is_step ? std::nullopt : own.rate};
            }),
      field_as<Share, kReport, kAnswer, &Answer::confidence>("confidence",
                                                             "the chance that it is right, 0 to 1"),
      field<kReport, kAnswer, &Answer::end_bytes>("end_bytes", "where bounded growth ends"),
      field_as<NonEmpty, kReport, kAnswer, &Answer::fix>("fix", "what to change"));
}

constexpr auto describe(Tag<WholeReport>) {
  constexpr auto kReport = &WholeReport::report;
  return object(
      "Report", "what `--json` prints for a recording or a log", program_version<WholeReport>(),
      schema_version<WholeReport>(), field<kReport, &Report::source>("source", "what it was made from"),
      field("answer", "what to read first",
            [](const WholeReport& whole) { return ListedAnswer{whole.report}; }),
      field<kReport, &Report::verdict>("verdict", "of the whole job"),
      field("processes",
            "of a recording, those that lived long enough to be judged; of a log that names them",
            [](const WholeReport& whole) { return processes_of(whole.report); }),
      field("runs", "each run or restart in a log; empty for a recording",
            [](const WholeReport& whole) {
              const std::span<const model::RunReport> runs = whole.report.get().runs;
              return is_watched(whole.report) ? runs.first(0) : runs;
            }),
      field("growth", "what grew", [](const WholeReport& whole) { return growth_of(whole.report); }),
      field<kReport, &Report::sites>(
          "sites", "the lines that allocate, most growth first, at most 50; needs an agent"),
      field("holders",
            "the variables that keep memory, most growth first, between the first and the last snapshot",
            [](const WholeReport& whole) { return grown(whole.report.get().holders); }),
      field("tensors", "tensors, between the same snapshots",
            [](const WholeReport& whole) { return grown(whole.report.get().tensors); }),
      field("types", "Python objects, between the same snapshots",
            [](const WholeReport& whole) { return grown(whole.report.get().types); }),
      field("gpus", "the GPUs of the job", [](const WholeReport& whole) { return gpus_of(whole.report); }),
      field<kReport, &Report::phases>(
          "phases", "phases of the trainer, from torch or from `lowtide.phase()`; of a recording"),
      field<kReport, &Report::forecast>("forecast",
                                        "null when the floor does not rise or is at the limit already"),
      field<kReport, &Report::events>(
          "events", "of more than 200 the first 20 and the last 180, and a warning counts the rest"),
      field<kReport, &Report::findings>("findings",
                                        "of a recording, the gravest first, faults of the measurement last"),
      field("overhead", "what the measurement cost; of a recording",
            [](const WholeReport& whole) {
              return whole.report.get().overhead.value_or(model::OverheadReport{});
            }),
      field<kReport, &Report::warnings>("warnings", "what was not used, or was assumed"),
      of_recording(field("target", "the process tree",
                         [](const WholeReport& whole) {
                           return ListedTarget{tree_series(whole.report), whole.report};
                         })),
      of_recording(field<kReport, &Report::tmpfs>(
          "tmpfs", "file systems in memory in which the job has files, and /dev/shm")),
      of_recording(field<kReport, &Report::shared_memory>(
          "shared_memory", "shared memory of the job, mapped or not, by similar names; the largest first")),
      of_recording(field<kReport, &Report::short_lived>("short_lived", "processes that are not listed")),
      of_recording(field<kReport, &Report::trim_trials>("trim_trials", "with `--trim-trial`; else empty")),
      of_recording(field<kReport, &Report::reconciliation>("reconciliation", "null without a cgroup")),
      only(
          "`check`", +[](const WholeReport& whole) { return whole.gate != nullptr; },
          field("gate", "the rules of `check`",
                [](const WholeReport& whole) { return std::cref(*whole.gate); })));
}

ObjectText report_text() {
  return text_of<WholeReport>();
}

Json ReportPart::json() const {
  return json_of(WholeReport{report});
}

TypeText ReportPart::type() {
  return type_of<WholeReport>();
}

std::string to_json(const Report& report, const model::Gate* gate) {
  return document_of(WholeReport{report, gate});
}

std::string to_json_line(std::string_view id_json, const model::Verdict& verdict) {
  // Put together by hand: the id stays as it was written, a number of 30 digits included.
  return "{\"id\":" + std::string(id_json) + ",\"verdict\":" + written(json_of(verdict)) + "}\n";
}

std::string to_json_error_line(std::string_view error) {
  const Json json = {{"id", nullptr}, {"error", std::string(error)}};
  return written(json) + "\n";
}

}  // namespace lowtide::show
