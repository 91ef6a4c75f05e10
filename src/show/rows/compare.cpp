#include "show/rows/compare.h"

#include <fmt/format.h>

#include <cmath>

#include "base/units.h"
#include "show/words.h"

namespace lowtide::show {
namespace {

using model::Compared;
using model::Measure;

std::string value_words(const std::optional<double>& value, Measure measure) {
  if (!value) return "not known";
  switch (measure) {
    case Measure::Bytes:
      return base::format_bytes(*value);
    case Measure::BytesPerStep:
      return base::format_bytes(*value) + " per step";
    case Measure::BytesPerSecond:
      return base::format_bytes(*value) + " per second";
    case Measure::Seconds:
      return base::format_seconds(*value);
  }
  return "";
}

std::string change_words(const Compared& value) {
  if (!value.before || !value.after) return "";
  if (value.differs == false) return "the same, but for noise";
  const double change = *value.after - *value.before;
  if (change == 0) return "the same";
  constexpr double kTimes = 2;  // above that a percentage is hard to read
  if (*value.before <= 0 || *value.after > kTimes * *value.before) {
    return value.measure == Measure::Bytes ? "+" + base::format_bytes(change) : "more";
  }
  return fmt::format("{:+.0f} %", 100 * change / *value.before);
}

std::vector<Row> rows_of(const std::vector<Compared>& values) {
  std::vector<Row> rows;
  rows.reserve(values.size());
  for (const Compared& value : values) {
    rows.push_back({value.name, value_words(value.before, value.measure),
                    value_words(value.after, value.measure), change_words(value)});
  }
  return rows;
}

}  // namespace

std::string headline(const model::Comparison& comparison) {
  if (comparison.outcome == model::ChangeOutcome::Open) return "cannot be told: " + comparison.reason;
  return std::string(to_string(comparison.outcome)) + ": " + comparison.reason;
}

std::string alignment(const model::Comparison& comparison) {
  if (!comparison.aligned_step) return "compared by time, since one of them tells no steps";
  return "compared up to step " + base::format_count(static_cast<std::uint64_t>(*comparison.aligned_step));
}

std::vector<Row> value_rows(const model::Comparison& comparison) {
  const auto verdict = [](const model::Report& report) {
    const model::SeriesReport* tree = tree_series(report);
    return tree == nullptr ? std::string("not known") : brief(*tree);
  };
  std::vector<Row> rows = {{"verdict", verdict(comparison.before), verdict(comparison.after), ""}};
  const std::vector<Row> values = rows_of(comparison.values);
  rows.insert(rows.end(), values.begin(), values.end());
  return rows;
}

std::vector<Row> part_rows(const model::Comparison& comparison) {
  return rows_of(comparison.parts);
}

std::vector<Row> finding_rows(const model::Comparison& comparison) {
  std::vector<Row> rows;
  for (const model::ComparedFinding& each : comparison.findings) {
    rows.push_back({std::string(to_string(each.fate)), std::string(to_string(each.finding.severity)),
                    each.finding.title});
  }
  return rows;
}

}  // namespace lowtide::show
