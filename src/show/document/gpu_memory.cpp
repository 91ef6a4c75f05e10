#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "base/units.h"
#include "show/document/report_sections.h"
#include "show/words.h"

namespace lowtide::show {
namespace {

const model::MemoryPart* find_part(const model::GpuLedger& ledger, const model::MemoryPart& like) {
  const auto found = std::find_if(
      ledger.parts.begin(), ledger.parts.end(),
      [&](const model::MemoryPart& part) { return part.name == like.name && part.what == like.what; });
  return found == ledger.parts.end() ? nullptr : &*found;
}

// Every part of the last snapshot, and then those that only the peak has.
Table ledger_table(const model::GpuReport& gpu) {
  const model::GpuLedger& last = *gpu.ledger;
  const bool has_peak = gpu.peak_ledger.has_value();
  Table table{.columns = {{"memory"}, {"at " + base::format_seconds(last.at_s)}, {"what it is"}}};
  if (has_peak) {
    table.columns.insert(table.columns.begin() + 2,
                         {"at the peak, " + base::format_seconds(gpu.peak_ledger->at_s)});
  }
  const auto add = [&](const model::MemoryPart& part, const model::MemoryPart* at_end,
                       const model::MemoryPart* at_peak) {
    const auto size = [](const model::MemoryPart* one) {
      return one != nullptr ? bytes_words(one->bytes) : "-";
    };
    TableRow row{{base::printable(part.name, 60), size(at_end)}};
    if (has_peak) row.cells.push_back(size(at_peak));
    row.cells.push_back(base::printable(part.what, 100));
    table.rows.push_back(std::move(row));
  };
  for (const model::MemoryPart& part : last.parts)
    add(part, &part, has_peak ? find_part(*gpu.peak_ledger, part) : nullptr);
  if (!has_peak) return table;
  for (const model::MemoryPart& part : gpu.peak_ledger->parts) {
    if (find_part(last, part) == nullptr) add(part, nullptr, &part);
  }
  return table;
}

}  // namespace

Section gpu_memory_section(const model::Report& report) {
  Section out{.label = "what fills the GPU", .title = "What fills the GPU"};
  for (const model::GpuReport& gpu : report.gpus) {
    if (!gpu.ledger) continue;
    out.blocks.emplace_back(
        Paragraph{.text = fmt::format("GPU {}{} has {}.", gpu.index,
                                      gpu.name.empty() ? "" : " (" + base::printable(gpu.name, 60) + ")",
                                      bytes_words(gpu.total_bytes))});
    out.blocks.emplace_back(ledger_table(gpu));
  }
  return out.blocks.empty() ? Section() : out;
}

}  // namespace lowtide::show
