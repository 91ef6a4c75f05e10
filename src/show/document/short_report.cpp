// The default report: the answer, the lines of code that cause it, the fix, the evidence, and the answer
// again, because a terminal shows the end of its output. Its plot is as high as a terminal of 24 rows allows.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "base/units.h"
#include "show/answer_words.h"
#include "show/document/report_sections.h"
#include "show/words.h"

namespace lowtide::show {
namespace {

using base::format_count;
using base::format_seconds;
using base::printable;
using model::AnswerKind;
using model::VerdictKind;

constexpr std::size_t kWidestShortLine = 100;
constexpr std::size_t kMostShortLines = 24;  // the height of a terminal
constexpr std::size_t kMostEvidence = 3;
constexpr std::size_t kMostText = 400;

const model::Finding* cause_of(const model::Report& report) {
  const auto& at = report.answer.finding;
  return at && *at < report.findings.size() ? &report.findings[*at] : nullptr;
}

Section last_line(const model::Report& report) {
  Answer answer = answer_of(report);
  const std::string line = answer_line(report);
  answer.words = line.substr(line.find_first_not_of(' ', answer.label.size()));
  answer.more.clear();
  answer.is_one_line = true;
  return {.blocks = {std::move(answer)}, .follows = true};
}

const model::HolderReport* find_holder(const model::Report& report, const model::Finding& cause) {
  const auto found = std::find_if(report.holders.begin(), report.holders.end(), [&](const auto& holder) {
    return cause.where.holder == holder.node.path && cause.pid == holder.pid;
  });
  return found == report.holders.end() ? nullptr : &*found;
}

// Where the last snapshot is much older than the end, the count is too.
std::string last_seen(const model::Report& report, const model::HolderReport& holder) {
  constexpr double kOld = 0.8;  // of the run
  if (holder.course.empty() || !report.source.duration_s) return "";
  const double at_s = holder.course.back().at_s;
  return at_s < kOld * *report.source.duration_s ? " at " + format_seconds(at_s) : "";
}

// "`history`, a list of 853 items"
std::string held_by(const model::Report& report, const model::Finding& cause) {
  const bool is_in_words = cause.variable.empty() || cause.running_calls > 0;
  if (is_in_words && !cause.held_by.empty()) return printable(cause.held_by, kMostText);
  if (cause.variable.empty()) {
    if (cause.mechanism == model::Mechanism::NativeLive)
      return fmt::format("{}: gc and tracemalloc cannot see this memory",
                         cause.callee.empty() ? "not known" : "no Python object");
    const bool has_snapshots = report.overhead && report.overhead->looks > 1;
    return cause.mechanism == model::Mechanism::LiveObjects && has_snapshots
               ? "not known: the snapshots show no Python variable that grew with it"
               : "";
  }
  std::string words = fmt::format("`{}`", printable(cause.variable, kMostText));
  const model::HolderReport* holder = find_holder(report, cause);
  if (holder == nullptr) return words;
  const model::HeldNode& node = holder->node;
  if (node.type == "functools._lru_cache_wrapper") {
    words = "the cache of " + words;
  } else {
    words += ", a " + printable(node.type, 80);
  }
  if (node.cache == model::CacheKind::Bounded) {
    words +=
        fmt::format(", {} of {} entries", format_count(node.length.value_or(0)), format_count(node.bound));
  } else if (node.length) {
    const bool only_entries_grow =
        holder->growth_length == 0 && holder->growth_bytes + holder->growth_device_bytes > 0;
    words +=
        only_entries_grow ? " whose entries grow" : fmt::format(" of {} items", format_count(*node.length));
    if (!only_entries_grow) words += last_seen(report, *holder);
  }
  for (const model::CodeLine& line : cause.lines) {
    if (line.role == model::LineRole::Creates && cause.lines.size() > 1)
      words += line.file == cause.lines.front().file
                   ? fmt::format(", created at line {}", line.line)
                   : fmt::format(", created at {}", printable(model::place_of(line), 100));
  }
  return words;
}

Fact line_fact(const model::CodeLine& line) {
  Fact out{.in = kText, .name = printable(model::place_of(line), 60), .value = "", .is_code = true};
  if (line.source) {
    out.value = *line.source;
  } else {
    out.value =
        line.function.empty() ? "(the recording has no copy of the file)" : "in " + line.function + "()";
  }
  return out;
}

}  // namespace

Facts cause_facts(const model::Report& report, Formats in) {
  Facts out{.in = in};
  const auto add = [&](std::string name, const std::string& value) {
    if (!value.empty())
      out.facts.push_back({.in = in, .name = std::move(name), .value = printable(value, kMostText)});
  };
  const model::Finding* cause = cause_of(report);
  if (cause != nullptr) {
    // The line that stores is usually the one to edit, and the first line of the report has the other one.
    for (const bool is_storing : {true, false}) {
      for (const model::CodeLine& line : cause->lines) {
        if (cause->lines.size() > 1 && line.role == model::LineRole::Creates) continue;
        if ((line.role == model::LineRole::Stores) != is_storing) continue;
        out.facts.push_back(line_fact(line));
        out.facts.back().in = in;
      }
    }
    const bool is_variable =
        cause->id.row().theme == model::FindingTheme::Variable || !cause->variable.empty();
    const bool is_line = !cause->lines.empty() && cause->id.row().theme == model::FindingTheme::Growth &&
                         cause->mechanism != model::Mechanism::CopyOnWrite;
    // These repeat the first line, or the sentence below.
    const bool is_shape =
        cause->id == "validation-spikes" || cause->id == "spikes-recover" || cause->id == "warmup-ended";
    const bool has_title = !is_variable && !is_line && !is_shape;
    add("cause", !cause->cause.empty() ? cause->cause : has_title ? cause->title : "");
    add("held by", held_by(report, *cause));
    if (!cause->phase.empty()) add("phase", cause->phase);
  }
  const bool has_example = cause != nullptr && !cause->hint.empty() && !cause->ruled_out;
  add("fix", report.answer.fix + (has_example ? fmt::format(": `{}`", cause->hint) : ""));
  return out;
}

namespace {

std::string steps_words(const model::SeriesReport& series) {
  const bool has_time = series.first_s && series.last_s && *series.last_s > *series.first_s;
  std::string time = has_time ? format_seconds(*series.last_s - *series.first_s) : "";
  if (series.first_step && series.last_step && *series.last_step > *series.first_step) {
    return fmt::format("{} steps{}",
                       format_count(static_cast<std::uint64_t>(*series.last_step - *series.first_step)),
                       time.empty() ? "" : " (" + time + ")");
  }
  return time;
}

// With three digits: an estimate has no more.
std::string rounded_count(double value) {
  constexpr double kMost = 1e15;
  const double count = value > 0 ? std::min(value, kMost) : 0;
  double unit = 1;
  while (count / unit >= 1000) unit *= 10;
  return format_count(static_cast<std::uint64_t>(std::round(count / unit) * unit));
}

// When the limit is reached, in the tense that fits the job.
std::string forecast_sentence(const model::Report& report, const model::SeriesReport& series) {
  const AnswerKind kind = report.answer.kind;
  if (!report.forecast || kind == AnswerKind::Bounded || kind == AnswerKind::Oom) return "";
  const model::Forecast& forecast = *report.forecast;
  const bool is_running = report.ending == model::Ending::Running;
  std::string when;
  if (forecast.step) when = " at about step " + rounded_count(forecast.step->estimate);
  if (forecast.seconds) {
    const double left_s = std::max(0.0, forecast.seconds->estimate - series.last_s.value_or(0));
    const std::string time = format_seconds(left_s);
    when += (when.empty() ? " " : ", ") + (is_running ? "in about " + time : time + " later");
  }
  if (forecast.limit == model::LimitKind::Tmpfs) {
    return fmt::format(" The job {} {} ({}){}.", is_running ? "fills" : "would have filled",
                       printable(forecast.path, 60), base::format_limit(forecast.limit_bytes), when);
  }
  const bool is_gpu = forecast.limit == model::LimitKind::Gpu;
  if (!is_gpu && !report.limit) return "";
  const bool is_machine =
      !is_gpu && report.limit->told_by_machine && report.limit->kind == model::LimitKind::Host;
  const std::string whose = is_machine ? "the memory of this machine" : "the limit";
  if (forecast.reach_bytes) {
    return fmt::format(" The job {} the {} {} (of {}){}.", is_running ? "uses up" : "would have used up",
                       bytes_words(bytes_left(forecast, series)),
                       is_gpu       ? "free on the GPU"
                       : is_machine ? "free on this machine"
                                    : "left below the limit",
                       base::format_limit(forecast.limit_bytes), when);
  }
  return fmt::format(" The job {} {} ({}){}.", is_running ? "reaches" : "would have reached", whose,
                     base::format_limit(forecast.limit_bytes), when);
}

// "floor is flat": of what, is clear in a table, but not in a sentence.
std::string reason_sentence(const model::Verdict& verdict) {
  return sentence(verdict.is_reason_on_floor ? "the memory " + verdict.reason : verdict.reason);
}

// " Run it again, about 200 steps longer."
std::string needs_sentence(const model::Report& report, const model::Verdict& verdict) {
  if (!verdict.needs) return "";
  const model::Needs& needs = *verdict.needs;
  if (report.ending != model::Ending::Closed || !model::has_length(needs))
    return " It needs " + model::needs_words(needs) + ".";
  if (needs.kind == model::NeedsKind::MoreSteps)
    return fmt::format(" Run it again, about {} steps longer.", base::format_number(needs.amount));
  return " Run it again, with " + model::needs_words(needs) + ".";
}

std::string growth_sentence(const model::Report& report, const model::SeriesReport& series) {
  const model::Verdict& verdict = report.verdict;
  const std::string steps = steps_words(series);
  if (verdict.kind == VerdictKind::Inconclusive)
    return reason_sentence(verdict) + needs_sentence(report, verdict);
  if (verdict.kind != VerdictKind::Leak) {
    std::string out = reason_sentence(verdict);
    if (verdict.kind != VerdictKind::Stable)
      out += fmt::format(" The job needs its peak of {}.", bytes_words(series.peak_bytes));
    return out;
  }
  std::string out = floor_words(verdict.floor) + (steps.empty() ? "" : " in " + steps) + ".";
  if (report.answer.kind == AnswerKind::Bounded && report.answer.end_bytes)
    return out + fmt::format(" The growth {} at {} at the most.",
                             report.ending == model::Ending::Running ? "ends" : "would have ended",
                             bytes_words(*report.answer.end_bytes));
  return out + forecast_sentence(report, series);
}

struct ShortRow {
  std::string name;
  model::ProcessRole role = model::ProcessRole::Other;
  std::size_t count = 0;
  bool leaks = false;
  model::Ends ends = {};
};

// Processes of one role that do not leak are one row.
std::vector<ShortRow> rows_of(const model::Report& report) {
  std::vector<ShortRow> rows;
  for (const model::ProcessReport& process : report.processes) {
    const bool leaks = process.series.verdict.kind == VerdictKind::Leak;
    const auto same = std::find_if(rows.begin(), rows.end(), [&](const ShortRow& row) {
      return !leaks && !row.leaks && row.role == process.info.role;
    });
    ShortRow& row = same == rows.end()
                        ? rows.emplace_back(ShortRow{
                              .name = role_name(process.info), .role = process.info.role, .leaks = leaks})
                        : *same;
    ++row.count;
    row.ends.early_bytes += process.ends.early_bytes;
    row.ends.late_bytes += process.ends.late_bytes;
  }
  return rows;
}

// A single process holds the memory: a table with a shell beside it adds nothing.
bool has_several_holders(const model::Report& report) {
  constexpr double kLeast = 0.02;  // of the process tree
  const std::vector<ShortRow> rows = rows_of(report);
  const double least = kLeast * static_cast<double>(report.ends.late_bytes);
  return std::count_if(rows.begin(), rows.end(), [&](const ShortRow& row) {
           return static_cast<double>(std::max(row.ends.early_bytes, row.ends.late_bytes)) >= least;
         }) > 1;
}

double grown_bytes(const model::Ends& ends) {
  return static_cast<double>(ends.late_bytes) - static_cast<double>(ends.early_bytes);
}

// Of a leak, the processes that have no part in it: one row is enough for them.
bool is_bystander(const model::Report& report, const ShortRow& row) {
  constexpr double kNoPart = 0.02;  // of the growth
  return report.verdict.kind == VerdictKind::Leak && !row.leaks &&
         std::abs(grown_bytes(row.ends)) < kNoPart * grown_bytes(report.ends);
}

// One row per process or group, and one for what they share: the rows add up to the process tree.
Section process_section(const model::Report& report) {
  constexpr std::size_t kMostRows = 5;
  Table table{.in = kText, .columns = {{"process"}, {"memory, early → late"}, {"growth"}}};
  const auto add = [&](const std::string& name, const model::Ends& ends) {
    const auto grown =
        static_cast<std::int64_t>(ends.late_bytes) - static_cast<std::int64_t>(ends.early_bytes);
    table.rows.push_back({{name, floor_words({ends.early_bytes, ends.late_bytes}), signed_bytes(grown)}});
  };
  const std::vector<ShortRow> rows = rows_of(report);
  const auto bystanders =
      std::count_if(rows.begin(), rows.end(), [&](const ShortRow& row) { return is_bystander(report, row); });
  model::Ends sum;
  model::Ends rest;
  std::size_t rest_count = 0;
  for (const ShortRow& row : rows) {
    sum.early_bytes += row.ends.early_bytes;
    sum.late_bytes += row.ends.late_bytes;
    const bool is_listed = bystanders < 2 || !is_bystander(report, row);
    if (is_listed && table.rows.size() < kMostRows) {
      add(row.count > 1 ? fmt::format("{} x {}", row.count, model::to_string(row.role)) : row.name, row.ends);
    } else {
      rest.early_bytes += row.ends.early_bytes;
      rest.late_bytes += row.ends.late_bytes;
      rest_count += row.count;
    }
  }
  if (rest_count > 0) add(fmt::format("{} others", rest_count), rest);
  const auto left = [](std::uint64_t tree, std::uint64_t processes) {
    return tree - std::min(tree, processes);
  };
  const model::Ends shared{left(report.ends.early_bytes, sum.early_bytes),
                           left(report.ends.late_bytes, sum.late_bytes)};
  if (shared.early_bytes + shared.late_bytes > 0) add("shared", shared);
  add("total", report.ends);
  return {.blocks = {std::move(table)}};
}

// What tensors held when an allocation failed.
Section parts_section(const model::Finding& cause) {
  constexpr std::size_t kMostRows = 8;
  Table table{.in = kText, .columns = {{"held when it failed"}, {"size"}, {""}}};
  std::uint64_t rest = 0;
  for (const model::MemoryPart& part : cause.parts) {
    if (table.rows.size() < kMostRows) {
      table.rows.push_back({{printable(part.name, 40), bytes_words(part.bytes), printable(part.what, 60)}});
    } else {
      rest += part.bytes;
    }
  }
  if (rest > 0) table.rows.push_back({{"others", bytes_words(rest), ""}});
  return {.blocks = {std::move(table)}};
}

std::string ruled_out_words(const model::Report& report, const model::Finding* cause) {
  std::string out;
  if (cause != nullptr) {
    for (const model::ExcludedCause& excluded : cause->excluded) {
      constexpr double kShownAsZero = 0.5;  // percent
      if (excluded.mechanism && excluded.share * 100 <= kShownAsZero)
        out += (out.empty() ? "" : ", ") + excluded.what;
    }
    if (!out.empty()) out += ": 0% of the growth";
  }
  if (!out.empty() || cause != nullptr || report.verdict.kind == VerdictKind::Leak) return out;
  for (const model::Finding& finding : report.findings) {
    // The others repeat the first line.
    const bool is_other = finding.id == "page-cache" || finding.id == "wrapper-is-stable";
    if (finding.ruled_out && is_other && &finding != cause) out += (out.empty() ? "" : "; ") + finding.title;
  }
  return out;
}

std::string job_words(const model::Report& report) {
  const std::size_t count = report.processes.size();
  const auto is_main = [&](const model::ProcessReport& process) {
    return count == 1 || process.info.role == model::ProcessRole::Trainer;
  };
  const auto main = std::find_if(report.processes.begin(), report.processes.end(), is_main);
  std::string out = fmt::format("{} processes", count);
  if (main != report.processes.end()) {
    out = fmt::format("{}, pid {}", role_name(main->info), main->info.pid);
    if (count > 1) out += fmt::format(", and {} other{}", count - 1, count == 2 ? "" : "s");
  }
  if (report.exit_status) out += fmt::format(", exit {}", *report.exit_status);
  for (const model::Finding& finding : report.findings) {
    if (finding.id == "short-lived-processes") out += ", " + finding.title;
  }
  if (report.ending == model::Ending::Running) out += ", still running";
  if (report.ending == model::Ending::CutOff) out += ", the recording was cut off";
  return out;
}

// Processes without the agent: their lines and variables are not known.
std::string not_entered_words(const model::OverheadReport& overhead) {
  if (overhead.not_entered.empty()) return fmt::format("{} processes", overhead.not_entered_count);
  const std::uint64_t others = overhead.not_entered_count - 1;
  return overhead.not_entered.front() + (others > 0 ? fmt::format("; and {} more", others) : "");
}

void add_evidence(const model::Report& report, const model::SeriesReport& series, Facts& out) {
  const model::Finding* cause = cause_of(report);
  std::vector<std::string> evidence;
  if (cause != nullptr) evidence = texts_of(cause->evidence);
  if (cause == nullptr && report.verdict.kind == VerdictKind::Leak) evidence.push_back(report.verdict.reason);
  if (const model::SeriesReport* second = find_second(report))
    evidence.push_back(fmt::format("{} also grows: {}", second->name, second->verdict.reason));
  if (evidence.size() > kMostEvidence) evidence.resize(kMostEvidence);
  for (std::string& text : evidence) text = printable(text, kMostText);
  if (!evidence.empty()) {
    Fact fact{.in = kText, .name = "evidence", .value = evidence.front()};
    fact.more.assign(evidence.begin() + 1, evidence.end());
    out.facts.push_back(std::move(fact));
  }
  const auto add = [&](std::string name, const std::string& value) {
    if (!value.empty())
      out.facts.push_back({.in = kText, .name = std::move(name), .value = printable(value, kMostText)});
  };
  // What was ruled out is about the memory of the host.
  if (!model::is_gpu_memory(series.quantity)) add("ruled out", ruled_out_words(report, cause));
  const bool is_own_limit = report.limit && !report.limit->told_by_machine;
  if (is_own_limit && !report.forecast) add("limit", limit_words(*report.limit, series));
  if (report.runs.size() > 1) {
    const std::string why = why_primary(report.runs[report.primary_run]);
    add("run", fmt::format("{} of {} runs{}{}", report.runs[report.primary_run].name, report.runs.size(),
                           why.empty() ? "" : ", ", why));
  }
  for (const model::Event& event : report.events) {
    const bool is_cause = cause != nullptr && cause->title == event.text;
    if (event.kind != model::EventKind::Exit && event.kind != model::EventKind::Restart && !is_cause) {
      add("event", fmt::format("{}, {}: {}", event_place(event), model::to_string(event.kind), event.text));
      break;
    }
  }
  if (report.overhead && report.overhead->not_entered_count > 0)
    add("not entered", not_entered_words(*report.overhead));
  for (const model::Finding& finding : report.findings) {
    if (finding.id == "trim-trial") add("trim trial", finding.title);
  }
  if (is_recording(report)) {
    add("job", job_words(report));
    add("more", fmt::format("lowtide report --all {} (or --html FILE)", source_name(report.source)));
  } else {
    add("read",
        fmt::format("{}: {} readings{}", source_name(report.source), format_count(series.verdict.samples),
                    report.source.format.empty() ? "" : ", " + report.source.format));
    if (report.source.path != "-")
      add("more", fmt::format("lowtide analyze --all {}", source_name(report.source)));
  }
}

}  // namespace

Document short_report_document(const model::Report& report) {
  Document out{.widest_line = kWidestShortLine, .most_lines = kMostShortLines};
  out.sections.push_back(Section{.blocks = {answer_of(report)}, .is_brief = true});
  const model::SeriesReport* series = speaker(report);
  if (series == nullptr) {
    out.sections.push_back(
        {.blocks = {Paragraph{.in = kText, .text = report.verdict.reason}}, .is_brief = true});
    out.sections.push_back(events_section(report));
    return out;
  }
  out.sections.push_back({.blocks = {cause_facts(report, kText)}, .is_brief = true});
  // The series shows the host, or tensors between two readings: neither is about the failure.
  const model::Finding* const cause = cause_of(report);
  const bool is_gpu_full = cause != nullptr && cause->id == "cuda-out-of-memory";
  if (!is_gpu_full) {
    out.sections.push_back(
        {.blocks = {Paragraph{.in = kText, .text = printable(growth_sentence(report, *series), 1000)}}});
  }
  // The rows are about the memory of the host.
  const bool has_rows =
      report.processes.size() > 1 && has_several_holders(report) && !model::is_gpu_memory(series->quantity);
  if (!is_gpu_full && (!has_rows || report.answer.process.empty()))
    out.sections.push_back({.blocks = {Plot{.series = series, .is_small = true, .is_optional = has_rows}}});
  if (has_rows) out.sections.push_back(process_section(report));
  if (is_gpu_full && !cause->parts.empty()) out.sections.push_back(parts_section(*cause));
  Facts facts;
  add_evidence(report, *series, facts);
  out.sections.push_back({.blocks = {std::move(facts)}});
  out.sections.push_back(last_line(report));
  return out;
}

}  // namespace lowtide::show
