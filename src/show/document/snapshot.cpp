#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/text.h"
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

std::string on_gpus(const std::string& words) {
  return words + " on GPUs";
}

// What it holds, or by what that grew.
std::string host_words(const model::HolderReport& holder, bool has_earlier) {
  return has_earlier ? signed_bytes(holder.growth_bytes) : bytes_words(holder.node.retained_bytes);
}

std::string device_words(const model::HolderReport& holder, bool has_earlier) {
  if (holder.node.device_bytes == 0 && holder.growth_device_bytes == 0) return "";
  return has_earlier ? signed_bytes(holder.growth_device_bytes) : bytes_words(holder.node.device_bytes);
}

// "+5.00 MB/s"; empty if the time between the snapshots is unknown.
std::string rate_words(std::int64_t bytes, const model::SnapshotReport& report) {
  if (!report.has_earlier || report.since_s <= 0) return "";
  return signed_bytes(static_cast<std::int64_t>(static_cast<double>(bytes) / report.since_s)) + "/s";
}

std::int64_t all_growth(const model::HolderReport& holder) {
  return holder.growth_bytes + holder.growth_device_bytes;
}

std::vector<const model::HolderReport*> grown(const model::SnapshotReport& report) {
  std::vector<const model::HolderReport*> out;
  for (const model::HolderReport& holder : report.holders) out.push_back(&holder);
  return out;
}

// "+1.00 MB in 60.0 s (+16.7 kB/s)"
std::string growth_words(const model::SnapshotReport& report) {
  std::string words = signed_bytes(report.growth_bytes);
  if (report.growth_device_bytes != 0) words += ", " + on_gpus(signed_bytes(report.growth_device_bytes));
  if (report.since_s > 0) {
    words += fmt::format(" in {} ({})", base::format_seconds(report.since_s),
                         rate_words(report.growth_bytes + report.growth_device_bytes, report));
  }
  return words;
}

std::string snapshot_headline(const model::SnapshotReport& report) {
  const model::Snapshot& snapshot = report.snapshot;
  std::string words = fmt::format("process {}, Python {}: {} objects, {}", snapshot.pid, snapshot.python,
                                  base::format_count(snapshot.objects), bytes_words(snapshot.object_bytes));
  if (snapshot.has_tensors)
    words += fmt::format(", and {} in tensors in host memory", bytes_words(snapshot.storage_bytes));
  if (snapshot.device_bytes > 0) words += ", " + on_gpus(bytes_words(snapshot.device_bytes));
  if (report.has_earlier) words += "; " + growth_words(report);
  return words;
}

Section holders_section(const model::SnapshotReport& report, bool is_brief) {
  if (!report.snapshot.has_holders)
    return {.label = "The snapshot ended before it could name the variables that hold memory",
            .is_brief = true};
  const auto all = report.has_earlier ? grown(report) : largest_holders(report.holders);
  if (report.has_earlier && all.empty()) return {.label = "No variable grew", .is_brief = true};
  const Formats with_gpu = report.snapshot.device_bytes > 0 ? kText : Formats{0};
  const Formats with_rate = report.has_earlier && report.since_s > 0 ? kText : Formats{0};
  Table table{.columns = {{report.has_earlier ? "growth" : "holds"},
                          {"on GPUs", with_gpu},
                          {"rate", with_rate},
                          {"share"},
                          {report.has_earlier ? "items (growth)" : "items"},
                          {"variable"}}};
  const std::size_t most = is_brief ? kMostBriefRows : kMostSnapshotRows;
  for (std::size_t at = 0; at < std::min(all.size(), most); ++at) {
    const model::HolderReport& holder = *all[at];
    table.rows.push_back(
        {{host_words(holder, report.has_earlier), device_words(holder, report.has_earlier),
          rate_words(all_growth(holder), report), holder.share ? base::format_share(*holder.share) : "",
          length_words(holder, report.has_earlier), holder_name(holder.node)}});
  }
  Section section{.label = report.has_earlier ? "Variables that grew" : "Variables that hold the most memory",
                  .blocks = {std::move(table)},
                  .is_brief = true};
  if (!report.snapshot.is_exact)
    section.blocks.emplace_back(
        Paragraph{.text = "(upper bounds: the object graph was too large to resolve in time)"});
  return section;
}

std::string number_words(std::uint64_t count, std::int64_t growth, bool has_earlier) {
  return base::format_count(count) + (has_earlier ? " (" + signed_count(growth) + ")" : "");
}

// Rows of a difference are ordered by growth; those that did not change are left out.
template <typename Row>
std::vector<const Row*> rows_to_show(const std::vector<Row>& rows, bool has_earlier) {
  std::vector<const Row*> out;
  for (const Row& row : rows) {
    if (out.size() < kMostSnapshotRows && (!has_earlier || row.growth_bytes != 0)) out.push_back(&row);
  }
  return out;
}

Section tensors_section(const model::SnapshotReport& report) {
  if (!report.snapshot.has_tensors) return {.label = "Tensors: torch did not answer"};
  const auto rows = rows_to_show(report.tensors, report.has_earlier);
  if (rows.empty()) return {.label = report.has_earlier ? "Tensors: none changed" : "Tensors: none"};
  const Formats with_growth = report.has_earlier ? kText : Formats{0};
  Table table{.columns = {{"growth", with_growth},
                          {"memory"},
                          {report.has_earlier ? "count (growth)" : "count"},
                          {"device"},
                          {"type"},
                          {"shape"}}};
  for (const model::TensorGrowth* row : rows) {
    table.rows.push_back({{signed_bytes(row->growth_bytes), bytes_words(row->tensors.bytes),
                           number_words(row->tensors.count, row->growth_count, report.has_earlier),
                           row->tensors.device, row->tensors.dtype, shape_words(row->tensors)}});
  }
  return {.label = report.has_earlier ? "Tensors, by growth" : "Tensors", .blocks = {std::move(table)}};
}

Section gpu_parts_section(const model::SnapshotReport& report) {
  Table table{.columns = {{"memory"}, {"used for"}, {""}}, .text = {.first = kMostSnapshotRows}};
  for (const model::MemoryPart& part : report.gpu_parts)
    table.rows.push_back(
        {{bytes_words(part.bytes), base::printable(part.name, 60), base::printable(part.what, 80)}});
  return table.rows.empty() ? Section() : table_section("Tensors on GPUs", std::move(table));
}

Section types_section(const model::SnapshotReport& report) {
  const auto rows = rows_to_show(report.types, report.has_earlier);
  if (rows.empty()) return {.label = report.has_earlier ? "Types: none changed" : "Types: none"};
  const Formats with_growth = report.has_earlier ? kText : Formats{0};
  Table table{
      .columns = {
          {"growth", with_growth}, {"memory"}, {report.has_earlier ? "count (growth)" : "count"}, {"type"}}};
  for (const model::TypeGrowth* row : rows) {
    table.rows.push_back(
        {{signed_bytes(row->growth_bytes), bytes_words(row->type.bytes),
          number_words(row->type.count, row->growth_count, report.has_earlier), row->type.type}});
  }
  return {.label = report.has_earlier ? "Types, by growth" : "Types", .blocks = {std::move(table)}};
}

Section costs_section(const model::Snapshot& snapshot) {
  const std::string words = fmt::format(
      "The interpreter was paused for {}; a forked child then counted the objects for {} and used {}.{}",
      base::format_seconds(snapshot.pause_s), base::format_seconds(snapshot.whole_s),
      bytes_words(snapshot.table_bytes),
      snapshot.is_whole ? "" : " It ran out of time: all figures are lower bounds.");
  return {.blocks = {Paragraph{.text = words, .role = Role::Dim, .is_indented = false}}, .is_brief = true};
}

constexpr std::size_t kWidestSnapshotCell = 26;

}  // namespace

std::string to_watch_text(const model::SnapshotReport& report, const TextOptions& options) {
  const model::Snapshot& snapshot = report.snapshot;
  const std::uint64_t held = snapshot.object_bytes + snapshot.storage_bytes + snapshot.device_bytes;
  Section section{.blocks = {Answer{.words = bytes_words(held) + ", " + growth_words(report)}},
                  .is_brief = true};
  Table table{.columns = {{"growth"}, {"on GPUs"}, {"rate"}, {"items"}, {"variable"}},
              .has_head_in_text = false};
  for (std::size_t at = 0; at < std::min(report.holders.size(), kMostBriefRows); ++at) {
    const model::HolderReport& holder = report.holders[at];
    std::string length = length_words(holder, true);
    if (!length.empty()) length += " items";
    const std::string device = device_words(holder, true);
    table.rows.push_back(
        {{host_words(holder, true), device.empty() ? "" : on_gpus(device),
          rate_words(all_growth(holder), report), std::move(length), holder_name(holder.node)}});
  }
  section.blocks.emplace_back(std::move(table));
  return write_text({.sections = {std::move(section)}, .widest_cell = kWidestSnapshotCell}, options);
}

std::string to_text(const model::SnapshotReport& report, const TextOptions& options) {
  Document document{.widest_cell = kWidestSnapshotCell};
  document.sections = {{.blocks = {Answer{.words = snapshot_headline(report)}}, .is_brief = true},
                       holders_section(report, options.brief)};
  document.sections.push_back(gpu_parts_section(report));
  if (report.snapshot.has_torch || report.snapshot.has_tensors)
    document.sections.push_back(tensors_section(report));
  document.sections.push_back(types_section(report));
  document.sections.push_back(costs_section(report.snapshot));
  return write_text(document, options);
}

}  // namespace lowtide::show
