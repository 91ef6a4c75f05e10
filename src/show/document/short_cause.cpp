// The facts of a report that belong to its cause: the lines of code, what holds the memory, the fix.

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "base/units.h"
#include "show/answer_words.h"
#include "show/document/report_sections.h"

namespace lowtide::show {
namespace {

using base::format_count;
using base::format_seconds;
using base::printable;

constexpr std::size_t kMostCauseText = 400;

const model::HolderReport* find_holder(const model::Report& report, const model::Finding& cause) {
  const auto found = std::find_if(report.holders.begin(), report.holders.end(), [&](const auto& holder) {
    return cause.where.holder == holder.node.path && cause.pid == holder.pid;
  });
  return found == report.holders.end() ? nullptr : &*found;
}

// Where the last snapshot is much older than the end, the count is too.
std::string last_seen(const model::Report& report, const model::HolderReport& holder) {
  constexpr double kOld = 0.8;  // of the run
  if (holder.curve.empty() || !report.source.duration_s) return "";
  const double at_s = holder.curve.back().at_s;
  return at_s < kOld * *report.source.duration_s ? " at " + format_seconds(at_s) : "";
}

// "`history`, a list of 853 items"
std::string held_by(const model::Report& report, const model::Finding& cause) {
  const bool is_in_words = cause.variable.empty() || cause.running_calls > 0;
  if (is_in_words && !cause.held_by.empty()) return printable(cause.held_by, kMostCauseText);
  if (cause.variable.empty()) {
    if (cause.mechanism == model::Mechanism::NativeLive)
      return fmt::format("{}: gc and tracemalloc cannot see this memory",
                         cause.callee.empty() ? "not known" : "no Python object");
    const bool has_snapshots = report.overhead && report.overhead->snapshots > 1;
    return cause.mechanism == model::Mechanism::LiveObjects && has_snapshots
               ? "not known: the snapshots show no Python variable that grew with it"
               : "";
  }
  std::string words = fmt::format("`{}`", printable(cause.variable, kMostCauseText));
  const model::HolderReport* holder = find_holder(report, cause);
  if (holder == nullptr) return words;
  const model::HeldNode& node = holder->node;
  if (node.type == "functools._lru_cache_wrapper") {
    words = "the cache of " + words;
  } else {
    const bool is_vowel =
        std::string_view("aeio").find(node.type.empty() ? ' ' : node.type.front()) != std::string_view::npos;
    words += (is_vowel ? ", an " : ", a ") + printable(node.type, 80);
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
      out.facts.push_back({.in = in, .name = std::move(name), .value = printable(value, kMostCauseText)});
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

}  // namespace lowtide::show
