// The table of the short report: which processes have the memory, early and late.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "show/document/short_report.h"
#include "show/words.h"

namespace lowtide::show {
namespace {

using model::VerdictKind;

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

double grown_bytes(const model::Ends& ends) {
  return static_cast<double>(ends.late_bytes) - static_cast<double>(ends.early_bytes);
}

// Of a leak, the processes that have no part in it: one row is enough for them.
bool is_bystander(const model::Report& report, const ShortRow& row) {
  constexpr double kNoPart = 0.02;  // of the growth
  return report.verdict.kind == VerdictKind::Leak && !row.leaks &&
         std::abs(grown_bytes(row.ends)) < kNoPart * grown_bytes(report.ends);
}

}  // namespace

bool has_several_holders(const model::Report& report) {
  constexpr double kLeast = 0.02;  // of the process tree
  const std::vector<ShortRow> rows = rows_of(report);
  const double least = kLeast * static_cast<double>(report.ends.late_bytes);
  return std::count_if(rows.begin(), rows.end(), [&](const ShortRow& row) {
           return static_cast<double>(std::max(row.ends.early_bytes, row.ends.late_bytes)) >= least;
         }) > 1;
}

Section short_processes_section(const model::Report& report) {
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

}  // namespace lowtide::show
