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

constexpr std::size_t kMostGpuLines = 12;

std::string gpu_line_name(const model::GpuLineReport& row) {
  switch (row.kind) {
    case model::GpuLineKind::Line:
      return base::printable(model::place_of(row.line), 60);
    case model::GpuLineKind::FurtherLines:
      return "further lines";
    case model::GpuLineKind::BeforeStep:
      return "before the step";
    case model::GpuLineKind::WithoutStack:
      break;
  }
  return "line not recorded";
}

// In a row of its own, what is not listed: the rows add up to what torch has allocated.
Table line_table(const std::vector<model::GpuLineReport>& lines) {
  Table table{.columns = {{"allocated at"}, {"now"}, {"per step"}, {"what the line does"}}};
  std::uint64_t rest = 0;
  for (std::size_t at = 0; at < lines.size(); ++at) {
    const model::GpuLineReport& row = lines[at];
    if (at >= kMostGpuLines && row.kind == model::GpuLineKind::Line) {
      rest += row.bytes;
      continue;
    }
    const std::string growth = !row.growth_per_step ? "-"
                               : *row.growth_per_step > 0.0
                                   ? "+" + bytes_words(static_cast<std::uint64_t>(*row.growth_per_step))
                                   : "0";
    const std::string what = row.kind == model::GpuLineKind::WithoutStack
                                 ? "before or between the recorded steps, or by a thread of C++"
                                 : base::printable(row.line.source.value_or(row.line.function), 80);
    table.rows.push_back({{gpu_line_name(row), bytes_words(row.bytes), growth, what}});
  }
  if (rest > 0) table.rows.push_back({{"other lines", bytes_words(rest), "-", ""}});
  return table;
}

Table pool_table(const std::vector<model::GpuPool>& pools) {
  Table table{
      .columns = {{"pool"}, {"reserved"}, {"allocated"}, {"free, split"}, {"free, whole"}, {"largest free"}}};
  for (const model::GpuPool& pool : pools) {
    table.rows.push_back(
        {{base::printable(pool.name, 40) + (pool.is_expandable ? ", expandable" : ""),
          bytes_words(pool.reserved_bytes), bytes_words(pool.allocated_bytes), bytes_words(pool.split_bytes),
          bytes_words(pool.whole_bytes), bytes_words(pool.largest_free_bytes)}});
  }
  return table;
}

Table peak_table(const std::vector<model::GpuLineReport>& lines, std::uint64_t step) {
  Table table{.columns = {{"allocated at"},
                          {"at the peak of step " + base::format_count(step)},
                          {"what the line does"}}};
  for (const model::GpuLineReport& row : lines) {
    const std::string what = row.kind == model::GpuLineKind::WithoutStack
                                 ? "by a thread of C++, as in backward()"
                                 : row.line.source.value_or(row.line.function);
    table.rows.push_back({{gpu_line_name(row), bytes_words(row.bytes), base::printable(what, 80)}});
  }
  return table;
}

std::string history_words(const model::GpuBlocks& blocks) {
  if (blocks.allocator == model::kJaxAllocator)
    return "Lines of GPU memory: JAX keeps the stack of each array that is alive.";
  std::string out;
  if (blocks.recorded_steps > 0) {
    out = fmt::format("Lines of GPU memory: torch recorded its stacks in {} of {} steps.",
                      base::format_count(blocks.recorded_steps), base::format_count(blocks.steps));
  } else if (blocks.no_stacks.empty()) {
    out = "Lines of GPU memory are not known: no step of the trainer was recorded.";
  } else {
    return "Lines of GPU memory are not known: " + base::printable(blocks.no_stacks, 120) + ".";
  }
  if (!blocks.no_stacks.empty()) out += " No further ones: " + base::printable(blocks.no_stacks, 120) + ".";
  return out;
}

void add_blocks(const model::GpuBlocksReport& blocks, Section& out) {
  out.blocks.emplace_back(Paragraph{.text = history_words(blocks.blocks)});
  const bool has_lines = blocks.blocks.recorded_steps > 0 || blocks.blocks.allocator == model::kJaxAllocator;
  if (has_lines && !blocks.lines.empty()) out.blocks.emplace_back(line_table(blocks.lines));
  if (!blocks.peak_lines.empty())
    out.blocks.emplace_back(peak_table(blocks.peak_lines, blocks.blocks.peak_step));
  if (!blocks.pools.empty()) out.blocks.emplace_back(pool_table(blocks.pools));
}

}  // namespace

Section gpu_memory_section(const model::Report& report) {
  Section out{.label = "what fills the GPU", .title = "What fills the GPU"};
  for (const model::GpuReport& gpu : report.gpus) {
    if (!gpu.ledger && !gpu.blocks) continue;
    out.blocks.emplace_back(
        Paragraph{.text = fmt::format("GPU {}{} has {}.", gpu.index,
                                      gpu.name.empty() ? "" : " (" + base::printable(gpu.name, 60) + ")",
                                      bytes_words(gpu.total_bytes))});
    if (gpu.ledger) out.blocks.emplace_back(ledger_table(gpu));
    if (gpu.blocks) add_blocks(*gpu.blocks, out);
  }
  return out.blocks.empty() ? Section() : out;
}

}  // namespace lowtide::show
