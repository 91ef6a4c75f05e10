#include "show/compare.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/units.h"
#include "show/document/writers.h"
#include "show/words.h"

namespace lowtide::show {
namespace {

using model::Compared;
using model::Measure;

std::string value_words(const std::optional<double>& value, Measure measure) {
  if (!value) return "unknown";
  switch (measure) {
    case Measure::Bytes:
      return base::format_bytes(*value);
    case Measure::BytesPerStep:
      return base::format_bytes(*value) + "/step";
    case Measure::BytesPerSecond:
      return base::format_bytes(*value) + "/s";
    case Measure::Seconds:
      return base::format_seconds(*value);
  }
  return "";
}

std::string change_words(const Compared& value) {
  if (!value.before || !value.after) return "";
  if (value.differs == false) return "same within noise";
  const double change = *value.after - *value.before;
  if (change == 0) return "same";
  constexpr double kTimes = 2;  // above that a percentage is hard to read
  if (*value.before <= 0 || *value.after > kTimes * *value.before) {
    return value.measure == Measure::Bytes ? "+" + base::format_bytes(change) : "more";
  }
  return fmt::format("{:+.0f}%", 100 * change / *value.before);
}

Role role_of_outcome(model::ChangeOutcome outcome) {
  switch (outcome) {
    case model::ChangeOutcome::Better:
      return Role::NoLeak;
    case model::ChangeOutcome::Worse:
      return Role::Leak;
    case model::ChangeOutcome::Same:
    case model::ChangeOutcome::Open:
      break;
  }
  return Role::Unsure;
}

// "better: the leak is gone"
std::string comparison_headline(const model::Comparison& comparison) {
  const bool is_open = comparison.outcome == model::ChangeOutcome::Open;
  return (is_open ? "inconclusive" : std::string(to_string(comparison.outcome))) + ": " + comparison.reason;
}

std::string alignment(const model::Comparison& comparison) {
  const std::string until =
      comparison.aligned_step
          ? "up to step " + base::format_count(static_cast<std::uint64_t>(*comparison.aligned_step))
          : "by time, because one of them has no steps";
  return "compared " + until + "; the floor is the median of the last fifth";
}

// Two recordings of different commands may not be of the same job.
std::string command_warning(const model::Comparison& comparison) {
  const std::string& before = comparison.before.source.command;
  const std::string& after = comparison.after.source.command;
  if (before.empty() || after.empty() || before == after) return "";
  constexpr std::size_t kMostBytes = 200;
  return fmt::format("the commands differ: `{}` before, `{}` after", base::printable(before, kMostBytes),
                     base::printable(after, kMostBytes));
}

// The cgroup, or the machine, keeps it for all its jobs. It is not part of the memory that is compared.
std::string page_cache_words(const model::Comparison& comparison) {
  const auto& before = comparison.before.reconciliation;
  const auto& after = comparison.after.reconciliation;
  if (!before || !after) return "";
  return fmt::format("{} before, {} after; it belongs to the host, other jobs included, and is not compared",
                     bytes_words(before->cache_bytes), bytes_words(after->cache_bytes));
}

Facts comparison_facts(const model::Comparison& comparison) {
  std::vector<Fact> facts;
  const auto add = [&](std::string name, std::string value) {
    if (!value.empty()) facts.push_back({.name = std::move(name), .value = std::move(value)});
  };
  add("warning", command_warning(comparison));
  add("before", source_name(comparison.before.source));
  add("after", source_name(comparison.after.source));
  add("page cache", page_cache_words(comparison));
  add("", alignment(comparison));
  return {.facts = std::move(facts)};
}

std::string verdict_words(const model::Report& report) {
  const model::SeriesReport* tree = tree_series(report);
  return tree == nullptr ? "unknown" : brief(*tree);
}

Table values_table(const std::vector<Compared>& values) {
  Table table{.columns = {{""}, {"before"}, {"after"}, {"change"}}};
  for (const Compared& value : values) {
    table.rows.push_back({{value.name, value_words(value.before, value.measure),
                           value_words(value.after, value.measure), change_words(value)}});
  }
  return table;
}

}  // namespace

Document comparison_document(const model::Comparison& comparison) {
  const std::string words = base::printable(comparison_headline(comparison));
  Table values = values_table(comparison.values);
  values.rows.insert(values.rows.begin(), TableRow{{"verdict", verdict_words(comparison.before),
                                                    verdict_words(comparison.after), ""}});
  Table findings{.columns = {{""}, {"severity"}, {"finding"}}, .has_head_in_text = false};
  for (const model::ComparedFinding& each : comparison.findings) {
    findings.rows.push_back(
        {{std::string(to_string(each.fate)), std::string(to_string(each.finding.severity)),
          base::printable(each.finding.title)}});
  }
  Section answer{.blocks = {Answer{.in = kText, .label = words, .role = role_of_outcome(comparison.outcome)},
                            comparison_facts(comparison)},
                 .is_brief = true};
  return {.title = sentence(words),
          .sections = {std::move(answer), table_section("what changed", std::move(values)),
                       table_section("parts", values_table(comparison.parts)),
                       table_section("findings", std::move(findings))},
          .widest_cell = 44};
}

std::string to_text(const model::Comparison& comparison, const TextOptions& options) {
  return write_text(comparison_document(comparison), options);
}

std::string to_markdown(const model::Comparison& comparison) {
  return write_markdown(comparison_document(comparison));
}

}  // namespace lowtide::show
