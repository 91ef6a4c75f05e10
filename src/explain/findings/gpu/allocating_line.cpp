#include "explain/findings/gpu/allocating_line.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"
#include "explain/gpu_lines.h"
#include "explain/words.h"

namespace lowtide::explain {
namespace {

using model::Finding;

bool is_about(const Finding& finding, const model::GpuReport& gpu) {
  if (!gpu.pid || finding.ruled_out) return false;
  const bool is_on_gpu =
      finding.is_on_device || finding.id == "gpu-memory-leaks" || finding.id == "gpu-memory-grows";
  if (!is_on_gpu) return false;
  if (finding.pid == gpu.pid) return true;
  return finding.process && std::ranges::count(finding.process->pids, *gpu.pid) > 0;
}

// The sampled allocations of the host may have named another line: those of the tensors' Python objects.
void add_line(const model::GpuBlocksReport& blocks, const model::GpuLineReport& grown, int gpu,
              Finding& finding) {
  // A variable that gained much more than the line has allocated has it from another one.
  constexpr double kMainPart = 0.3;
  if (finding.id.row().theme == model::FindingTheme::Variable &&
      static_cast<double>(grown.bytes) < kMainPart * finding.growth_bytes)
    return;
  std::erase_if(finding.lines, [&](const model::CodeLine& known) {
    return known.role == model::LineRole::Allocates && known.file == grown.line.file &&
           known.line == grown.line.line;
  });
  finding.lines.insert(finding.lines.begin(), grown.line);
  finding.where.file = grown.line.file;
  finding.where.line = grown.line.line;
  finding.where.function = grown.line.function;
  std::string text = fmt::format("{} allocated {} per step on GPU {} that stayed",
                                 model::place_of(grown.line), bytes_words(*grown.growth_per_step), gpu);
  if (blocks.blocks.steps > 0)
    text += fmt::format(" ({} of {} steps recorded)", base::format_count(blocks.blocks.recorded_steps),
                        base::format_count(blocks.blocks.steps));
  finding.evidence.emplace_back(std::move(text));
}

}  // namespace

void add_allocating_lines(const std::vector<model::GpuReport>& gpus, Findings& findings) {
  for (const model::GpuReport& gpu : gpus) {
    const model::GpuLineReport* const grown = find_growing_line(gpu);
    if (grown == nullptr) continue;
    for (Finding& finding : findings) {
      if (is_about(finding, gpu)) add_line(*gpu.blocks, *grown, gpu.index, finding);
    }
  }
}

}  // namespace lowtide::explain
