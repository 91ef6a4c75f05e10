#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/units.h"
#include "show/document/writers.h"
#include "show/rows/holders.h"
#include "show/snapshot.h"
#include "show/words.h"

namespace lowtide::show {
namespace {

constexpr std::size_t kMostSnapshotRows = 12;
constexpr std::size_t kMostBriefRows = 3;

std::string shape_words(const model::TensorCount& tensors) {
  std::string out = "[";
  for (const std::int64_t side : tensors.shape) out += (out.size() > 1 ? ", " : "") + std::to_string(side);
  return out + "]" + (tensors.requires_grad ? " grad" : "");
}

std::string length_words(const model::HolderReport& holder, bool has_earlier) {
  if (!holder.node.length) return "";
  std::string length = base::format_count(*holder.node.length);
  if (!has_earlier || !holder.growth_length) return length;
  return fmt::format("{} ({})", length, signed_count(*holder.growth_length));
}

std::string on_devices(const std::string& words) {
  return words + " on devices";
}

// What it holds, or by what that grew.
std::string host_words(const model::HolderReport& holder, bool has_earlier) {
  return has_earlier ? signed_bytes(holder.growth_bytes) : bytes_words(holder.node.retained_bytes);
}

std::string device_words(const model::HolderReport& holder, bool has_earlier) {
  if (holder.node.device_bytes == 0 && holder.growth_device_bytes == 0) return "";
  return on_devices(has_earlier ? signed_bytes(holder.growth_device_bytes)
                                : bytes_words(holder.node.device_bytes));
}

std::vector<const model::HolderReport*> grown(const model::SnapshotReport& report) {
  std::vector<const model::HolderReport*> out;
  for (const model::HolderReport& holder : report.holders) out.push_back(&holder);
  return out;
}

std::string snapshot_headline(const model::SnapshotReport& report) {
  const model::Snapshot& snapshot = report.snapshot;
  std::string words = fmt::format("process {}, Python {}: {} objects, {}", snapshot.pid, snapshot.python,
                                  base::format_count(snapshot.objects), bytes_words(snapshot.object_bytes));
  if (snapshot.has_tensors)
    words += fmt::format(", and {} in tensors in host memory", bytes_words(snapshot.storage_bytes));
  if (snapshot.device_bytes > 0) words += ", " + on_devices(bytes_words(snapshot.device_bytes));
  if (report.has_earlier) {
    words += fmt::format("; {}", signed_bytes(report.growth_bytes));
    if (report.growth_device_bytes != 0) words += ", " + on_devices(signed_bytes(report.growth_device_bytes));
    if (report.since_s > 0) words += fmt::format(" in {}", base::format_seconds(report.since_s));
  }
  return words;
}

Section holders_section(const model::SnapshotReport& report, bool is_brief) {
  if (!report.snapshot.has_holders)
    return {.label = "The walk ended before it could name what holds memory", .is_brief = true};
  const auto all = report.has_earlier ? grown(report) : largest_holders(report.holders);
  if (report.has_earlier && all.empty()) return {.label = "No holder grew", .is_brief = true};
  const Formats on_devices = report.snapshot.device_bytes > 0 ? kText : Formats{0};
  Table table{.columns = {{"host"}, {"devices", on_devices}, {"share"}, {"length"}, {"name"}},
              .has_head_in_text = false};
  const std::size_t most = is_brief ? kMostBriefRows : kMostSnapshotRows;
  for (std::size_t at = 0; at < std::min(all.size(), most); ++at) {
    const model::HolderReport& holder = *all[at];
    table.rows.push_back({{host_words(holder, report.has_earlier), device_words(holder, report.has_earlier),
                           holder.share ? percent(*holder.share) : "",
                           length_words(holder, report.has_earlier), holder_name(holder.node)}});
  }
  Section section{.label = report.has_earlier ? "What grew, and what holds it" : "What holds most",
                  .blocks = {std::move(table)},
                  .is_brief = true};
  if (!report.snapshot.is_exact)
    section.blocks.emplace_back(
        Paragraph{.text = "(upper bounds: the graph was too tangled to settle in time)"});
  return section;
}

std::string number_words(std::uint64_t count, std::int64_t growth, bool has_earlier) {
  return base::format_count(count) + (has_earlier ? " (" + signed_count(growth) + ")" : "");
}

Section tensors_section(const model::SnapshotReport& report) {
  if (!report.snapshot.has_tensors) return {.label = "Tensors: torch did not answer"};
  Table table{.columns = {{"device"}, {"dtype"}, {"bytes"}, {"count"}, {"shape"}}, .has_head_in_text = false};
  for (std::size_t at = 0; at < std::min(report.tensors.size(), kMostSnapshotRows); ++at) {
    const model::TensorGrowth& row = report.tensors[at];
    table.rows.push_back(
        {{row.tensors.device, row.tensors.dtype, bytes_words(row.tensors.bytes),
          number_words(row.tensors.count, row.growth_count, report.has_earlier), shape_words(row.tensors)}});
  }
  return {.label = "Tensors", .blocks = {std::move(table)}};
}

Section types_section(const model::SnapshotReport& report) {
  Table table{.columns = {{"bytes"}, {"count"}, {"type"}}, .has_head_in_text = false};
  for (std::size_t at = 0; at < std::min(report.types.size(), kMostSnapshotRows); ++at) {
    const model::TypeGrowth& row = report.types[at];
    table.rows.push_back(
        {{bytes_words(row.type.bytes), number_words(row.type.count, row.growth_count, report.has_earlier),
          row.type.type}});
  }
  return {.label = "Types", .blocks = {std::move(table)}};
}

Section costs_section(const model::Snapshot& snapshot) {
  const std::string words = fmt::format(
      "The interpreter stood still for {}; a forked child then walked for {} with {} of its own.{}",
      base::format_seconds(snapshot.pause_s), base::format_seconds(snapshot.whole_s),
      bytes_words(snapshot.table_bytes),
      snapshot.is_whole ? "" : " The walk was cut short: all figures are lower bounds.");
  return {.blocks = {Paragraph{.text = words, .role = Role::Dim, .is_indented = false}}, .is_brief = true};
}

}  // namespace

std::string to_text(const model::SnapshotReport& report, const TextOptions& options) {
  Document document{.widest_cell = 26};
  document.sections = {{.blocks = {Answer{.words = snapshot_headline(report)}}, .is_brief = true},
                       holders_section(report, options.brief)};
  if (report.snapshot.has_torch) document.sections.push_back(tensors_section(report));
  document.sections.push_back(types_section(report));
  document.sections.push_back(costs_section(report.snapshot));
  return write_text(document, options);
}

}  // namespace lowtide::show
