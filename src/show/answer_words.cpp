#include "show/answer_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/text.h"
#include "base/units.h"
#include "show/words.h"

namespace lowtide::show {
namespace {

using model::AnswerKind;
using model::VerdictKind;

constexpr std::size_t kLongestVariable = 60;

// "malloc() at train.py:40, never freed", "train.py:30 -> history", or either half of it.
std::string cause_words(const model::Report& report, const model::Finding& cause, SubjectForm form) {
  const model::Answer& answer = report.answer;
  std::string place = answer.line ? base::printable(model::place_of(*answer.line), 100) : "";
  if (!answer.variable.empty()) {
    std::string variable = base::printable(answer.variable, kLongestVariable);
    if (form == SubjectForm::Short) variable = variable.substr(variable.rfind('.') + 1);
    if (cause.running_calls > 0)
      variable += fmt::format(" in {} running calls", base::format_count(cause.running_calls));
    return place.empty() ? "variable " + variable : place + " -> " + variable;
  }
  if (!cause.library.empty() && !place.empty())
    return fmt::format("{}, in {}", place, base::printable(cause.library, 40));
  if (!cause.callee.empty() && !place.empty())
    return fmt::format("{}() at {}, never freed", base::printable(cause.callee, 60), place);
  return place;
}

// "2 workers: train.py:30 -> history"; empty where neither a line nor a variable is known.
std::string place_words(const model::Report& report, const model::Finding& cause, SubjectForm form) {
  const std::string what = cause_words(report, cause, form);
  return what.empty() || report.answer.process.empty() ? what : report.answer.process + ": " + what;
}

std::string process_name(const model::Report& report, const model::Finding& cause) {
  if (!report.answer.process.empty() || !cause.pid) return report.answer.process;
  for (const model::ProcessReport& process : report.processes) {
    if (process.info.pid == *cause.pid) return fmt::format("{}, pid {}", role_name(process.info), *cause.pid);
  }
  return fmt::format("pid {}", *cause.pid);
}

// ", 116 GB of activations": what most of the memory was used for when an allocation failed.
std::string main_part_words(const model::Finding& failure) {
  const std::vector<model::MemoryPart>& parts = failure.parts;
  if (parts.empty() || 2 * parts.front().bytes <= model::sum_of(parts)) return "";
  const model::MemoryPart& main = parts.front();
  return fmt::format(", {} {} {}", bytes_words(main.bytes),
                     main.kind == model::MemoryPartKind::Variable ? "in" : "of",
                     base::printable(main.name, 40));
}

std::string size_words(const model::Report& report) {
  const model::SeriesReport* series = speaker(report);
  const std::uint64_t bytes = series != nullptr ? series->last_bytes : 0;
  const std::size_t count = report.processes.size();
  return bytes_words(bytes) + (count > 1 ? fmt::format(" in {} processes", count) : "");
}

std::string flat_words(const model::Report& report) {
  const model::Verdict& verdict = report.verdict;
  const model::SeriesReport* series = speaker(report);
  const std::string peak = series != nullptr ? bytes_words(series->peak_bytes) : "";
  if (verdict.kind == VerdictKind::Warmup) {
    const std::string end = verdict.warmup_end ? place(*verdict.warmup_end) : "";
    return end.empty() ? "the warm-up has ended" : "the warm-up ended at " + end;
  }
  if (verdict.kind == VerdictKind::Spikes && verdict.spike_bytes)
    return fmt::format("spikes of {} recover, peak {}", bytes_words(*verdict.spike_bytes), peak);
  if (has_fallen(verdict)) return "the floor fell to " + bytes_words(verdict.floor.last_bytes);
  if (verdict.levels) {
    return fmt::format("memory alternates between {} and {}", bytes_words(verdict.levels->low_bytes),
                       bytes_words(verdict.levels->high_bytes));
  }
  return size_words(report);
}

// "the kernel killed it", "CUDA out of memory": the last event of that kind.
std::string oom_words(const model::Report& report) {
  std::string out = "the job failed";
  for (const model::Event& event : report.events) {
    if (event.kind == model::EventKind::CudaOom) {
      out = event.is_refused_by_torch ? "a limit of torch probably refused a CUDA allocation"
                                      : "CUDA allocation failed";
    }
    if (event.kind == model::EventKind::OomKill) {
      out = "killed";
      if (report.limit) out += " at " + base::format_limit(report.limit->bytes);
    }
  }
  return out;
}

// "GPU 0 may leak".
std::string second_words(const model::SeriesReport& second) {
  return base::printable(second.name, 60) +
         (second.verdict.kind == VerdictKind::Leak ? " leaks" : " may leak");
}

}  // namespace

const model::Finding* cause_of(const model::Report& report) {
  const auto& at = report.answer.finding;
  return at && *at < report.findings.size() ? &report.findings[*at] : nullptr;
}

std::string answer_label(const model::Answer& answer) {
  switch (answer.kind) {
    case AnswerKind::Leak:
      return "LEAK";
    case AnswerKind::Bounded:
      return "BOUNDED GROWTH";
    case AnswerKind::Oom:
      return "OUT OF MEMORY";
    case AnswerKind::Warmup:
    case AnswerKind::Spikes:
    case AnswerKind::Stable:
      return "NO LEAK";
    case AnswerKind::Inconclusive:
      break;
  }
  return "INCONCLUSIVE";
}

std::string answer_subject(const model::Report& report, SubjectForm form) {
  const model::Finding* cause = cause_of(report);
  const bool is_flat = report.answer.kind == AnswerKind::Warmup || report.answer.kind == AnswerKind::Spikes ||
                       report.answer.kind == AnswerKind::Stable;
  const model::SeriesReport* series = speaker(report);
  if (const model::SeriesReport* second = find_second(report)) {
    return fmt::format("in {}, but {}", base::printable(series->name, 60), second_words(*second));
  }
  std::string out = report.answer.kind == AnswerKind::Oom ? oom_words(report) : "";
  std::string what;
  if (cause != nullptr) {
    const std::string who = process_name(report, *cause);
    what = place_words(report, *cause, form);
    const bool is_shared = what.empty() && cause->mechanism == model::Mechanism::SharedMemory;
    if (what.empty()) what = who;
    if (is_shared && !cause->files.empty()) {
      what = "files like " + cause->files;
    } else if (is_shared)
      what = who.empty() ? "shared memory that no process maps" : "shared memory of " + who;
  }
  if (series != nullptr && model::is_gpu_memory(series->quantity) && !is_flat) {
    const std::string gpu = base::printable(series->name, 60);
    const char* const separator = report.answer.process.empty() ? ": " : ", ";
    what = what.empty() ? gpu : (series->short_name.empty() ? gpu : series->short_name) + separator + what;
  }
  if (cause != nullptr && cause->id == "cuda-out-of-memory") {
    if (report.answer.line) out += " at " + base::printable(model::place_of(*report.answer.line), 100);
    return out + main_part_words(*cause);
  }
  if (is_flat) {
    const bool is_full = cause != nullptr && cause->mechanism == model::Mechanism::BoundedCache;
    what = is_full ? what + ", cache is full" : flat_words(report);
  }
  if (what.empty() && series != nullptr && report.answer.kind != AnswerKind::Inconclusive)
    what = base::printable(series->name, 60);
  if (what.empty()) what = report.verdict.samples == 0 ? "no memory readings" : size_words(report);
  if (out.empty()) return what;
  return model::may_leak(report.verdict) ? out + ": " + what : out;
}

std::string answer_rate(const model::Report& report) {
  if (const model::SeriesReport* second = find_second(report)) return "+" + rate_words(*second);
  const model::SeriesReport* series = speaker(report);
  if (report.answer.kind == AnswerKind::Bounded && report.answer.end_bytes)
    return "at most " + bytes_words(*report.answer.end_bytes);
  if (!report.answer.rate || series == nullptr) {
    const bool is_flat = report.verdict.kind != VerdictKind::Inconclusive &&
                         report.answer.kind != AnswerKind::Leak && report.answer.kind != AnswerKind::Oom;
    return is_flat ? "flat" : "";
  }
  return "+" + rate_words(*series);
}

std::string answer_confidence(const model::Report& report) {
  if (const model::SeriesReport* second = find_second(report)) {
    const model::Verdict& verdict = second->verdict;
    return percent(verdict.lean ? verdict.lean->confidence : verdict.confidence) + " sure";
  }
  // That the memory ran out is certain.
  if (report.answer.kind == AnswerKind::Oom && (!model::may_leak(report.verdict) || !report.answer.rate))
    return "";
  if (report.verdict.kind != VerdictKind::Inconclusive) return percent(report.answer.confidence) + " sure";
  return lean_words(report.verdict.lean.value_or(model::Lean{}));
}

std::string answer_failure(const model::Report& report) {
  const int status = report.exit_status.value_or(0);
  if (status == 0 || report.answer.kind == AnswerKind::Oom) return "";
  const char* const signal = status > 128 ? sigabbrev_np(status - 128) : nullptr;
  std::string out =
      signal == nullptr ? fmt::format("exit {}", status) : fmt::format("ended by SIG{}", signal);
  for (const model::TmpfsReport& tmpfs : report.tmpfs) {
    if (tmpfs.was_full) out += fmt::format(", {} was full", base::printable(tmpfs.path, 40));
  }
  return out;
}

Role answer_role(const model::Report& report) {
  if (find_second(report) != nullptr) return Role::Unsure;
  const AnswerKind kind = report.answer.kind;
  if (kind == AnswerKind::Leak || kind == AnswerKind::Oom) return Role::Leak;
  return kind == AnswerKind::Bounded || kind == AnswerKind::Inconclusive ? Role::Unsure : Role::NoLeak;
}

std::string answer_verdict(const model::Report& report) {
  const std::string label = answer_label(report.answer);
  if (const model::SeriesReport* second = find_second(report))
    return label + ", but " + second_words(*second);
  std::string sure = answer_confidence(report);
  if (report.answer.kind == AnswerKind::Inconclusive) return sure;
  return sure.empty() ? label : label + ", " + sure;
}

AnswerWords answer_words(const model::Report& report) {
  return {
      .role = answer_role(report),
      .label = answer_label(report.answer),
      .subject = answer_subject(report, SubjectForm::Short),
      .cause = cause_of(report) != nullptr ? place_words(report, *cause_of(report), SubjectForm::Short) : "",
      .rate = answer_rate(report),
      .confidence = answer_confidence(report),
      .verdict = answer_verdict(report)};
}

std::string answer_sentence(const model::Report& report) {
  // The line is cut where it is too long, and the bound must not be.
  const SubjectForm form =
      report.answer.kind == AnswerKind::Bounded ? SubjectForm::Short : SubjectForm::Whole;
  std::string out = answer_subject(report, form);
  const std::string rate = answer_rate(report);
  if (!rate.empty() && report.answer.kind != AnswerKind::Spikes) out += ", " + rate;
  const std::string failure = answer_failure(report);
  return failure.empty() ? out : out + ", " + failure;
}

std::string answer_line(const model::Report& report) {
  return answer_label(report.answer) + "  " + answer_sentence(report);
}

}  // namespace lowtide::show
