#include "explain/gpu_lines.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "explain/gpu_ledger.h"

namespace lowtide::explain {
namespace {

using model::GpuLine;
using model::GpuLineKind;
using model::GpuLineReport;
using model::Snapshot;

using GpuPlace = std::tuple<std::string, std::uint64_t, std::string>;

GpuPlace gpu_place(const GpuLine& line) {
  return {line.file, line.line, line.function};
}

// The GPU of the process: where it has started a context on others, it has next to nothing there.
int device_of(const Snapshot& snapshot) {
  std::map<int, std::uint64_t> reserved;
  for (const model::GpuPool& pool : snapshot.gpu_pools) reserved[pool.device] += pool.reserved_bytes;
  const auto most = std::max_element(reserved.begin(), reserved.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == reserved.end() ? 0 : most->first;
}

using Lines = std::map<GpuPlace, GpuLine>;

Lines lines_of(const Snapshot& snapshot, int device) {
  Lines out;
  for (const GpuLine& line : snapshot.gpu_lines) {
    if (line.device == device && line.kind == GpuLineKind::Line && !line.is_at_peak)
      out[gpu_place(line)] = line;
  }
  return out;
}

GpuLine line_in(const Lines& lines, const GpuPlace& place) {
  const auto found = lines.find(place);
  return found == lines.end() ? GpuLine{} : found->second;
}

// From the first snapshot with stacks to the last one.
struct LineGrowth {
  Lines before = {};
  std::map<GpuPlace, std::uint64_t> gaining =
      {};  // recorded steps between snapshots in which the line gained blocks
  std::uint64_t recorded_steps = 0;
  std::uint64_t steps = 0;
  double steps_of_report = 1;         // for each step of the script: it counts those of the optimizer
  std::uint64_t recorded_before = 0;  // the first snapshot
  std::uint64_t steps_before = 0;
};

// Blocks of most of the recorded steps are still there: the line keeps something at every step. One that has
// allocated much at one of them does not.
void note_gains(const Lines& earlier, const Lines& later, std::uint64_t recorded, LineGrowth& into) {
  for (const auto& [place, line] : later) {
    if (line.blocks >= line_in(earlier, place).blocks + (recorded + 1) / 2) into.gaining[place] += recorded;
  }
}

// Absent: too few steps were recorded between them.
std::optional<LineGrowth> growth_over(const std::vector<const Snapshot*>& snapshots, int device) {
  constexpr std::uint64_t kLeastRecorded = 2;
  if (snapshots.size() < 2) return std::nullopt;
  const model::GpuBlocks& from = snapshots.front()->gpu_blocks;
  const model::GpuBlocks& to = snapshots.back()->gpu_blocks;
  if (to.recorded_steps < from.recorded_steps + kLeastRecorded || to.steps < from.steps) return std::nullopt;
  LineGrowth out{.before = lines_of(*snapshots.front(), device),
                 .recorded_steps = to.recorded_steps - from.recorded_steps,
                 .steps = to.steps - from.steps,
                 .recorded_before = from.recorded_steps,
                 .steps_before = from.steps};
  Lines earlier = out.before;
  std::uint64_t recorded = from.recorded_steps;
  for (const Snapshot* snapshot : snapshots) {
    if (snapshot->gpu_blocks.recorded_steps <= recorded) continue;
    Lines later = lines_of(*snapshot, device);
    note_gains(earlier, later, snapshot->gpu_blocks.recorded_steps - recorded, out);
    recorded = snapshot->gpu_blocks.recorded_steps;
    earlier = std::move(later);
  }
  return out;
}

void add_growth(const LineGrowth& growth, const GpuLine& line, GpuLineReport& into) {
  const GpuPlace place = gpu_place(line);
  const GpuLine before = line_in(growth.before, place);
  const auto gaining = growth.gaining.find(place);
  const double gained = static_cast<double>(line.bytes) - static_cast<double>(before.bytes);
  const bool is_kept =
      gaining != growth.gaining.end() && 2 * gaining->second >= growth.recorded_steps && gained > 0;
  into.growth_per_step = is_kept ? gained / static_cast<double>(growth.recorded_steps) : 0.0;
  if (!is_kept) return;
  // Before the first snapshot too, if what it had then is of most of the steps recorded until then.
  const bool was_kept = before.blocks >= (growth.recorded_before + 1) / 2;
  const double per_step = *into.growth_per_step;
  const double earlier = std::max(static_cast<double>(before.bytes),
                                  was_kept ? per_step * static_cast<double>(growth.steps_before) : 0);
  into.bytes =
      static_cast<std::uint64_t>(earlier + std::max(gained, per_step * static_cast<double>(growth.steps)));
  *into.growth_per_step /= growth.steps_of_report;
}

// The steps of a report may be those that the job prints, with several of them for one of the optimizer; and
// steps in compiled code are seen several at a time.
double steps_of_report(const Evidence& evidence, const Snapshot& first, const Snapshot& last) {
  const SeriesPoint* const from = nearest(evidence.target, first.at_s);
  const SeriesPoint* const to = nearest(evidence.target, last.at_s);
  if (from == nullptr || to == nullptr || last.gpu_blocks.steps <= first.gpu_blocks.steps) return 1;
  const double steps = to->step - from->step;
  return steps > 0 ? steps / static_cast<double>(last.gpu_blocks.steps - first.gpu_blocks.steps) : 1;
}

// JAX keeps the stack of every array, so nothing is estimated.
void add_growth_of_arrays(const Evidence& evidence, const Snapshot& first, const Snapshot& last, int device,
                          model::GpuBlocksReport& into) {
  const SeriesPoint* const from = nearest(evidence.target, first.at_s);
  const SeriesPoint* const to = nearest(evidence.target, last.at_s);
  const double steps = from == nullptr || to == nullptr ? 0 : to->step - from->step;
  if (!(steps >= 1)) return;
  std::map<GpuPlace, std::uint64_t> before;
  for (const GpuLine& line : first.gpu_lines) {
    if (line.device == device && line.kind == GpuLineKind::Line) before[gpu_place(line)] += line.bytes;
  }
  for (GpuLineReport& row : into.lines) {
    if (row.kind != GpuLineKind::Line) continue;
    const auto known = before.find(GpuPlace{row.line.file, row.line.line, row.line.function});
    const double gained =
        static_cast<double>(row.bytes) - (known == before.end() ? 0.0 : static_cast<double>(known->second));
    row.growth_per_step = std::max(0.0, gained / steps);
  }
}

// The estimates take from what has no stack, and from nothing else.
void balance(std::vector<GpuLineReport>& lines, std::uint64_t without_stack) {
  double added = 0;
  for (const GpuLineReport& line : lines) added += static_cast<double>(line.bytes - line.seen_bytes);
  const double share = added > 0 ? std::min(1.0, static_cast<double>(without_stack) / added) : 1.0;
  std::uint64_t left = without_stack;
  for (GpuLineReport& line : lines) {
    const auto fits = static_cast<std::uint64_t>(static_cast<double>(line.bytes - line.seen_bytes) * share);
    line.bytes = line.seen_bytes + std::min(fits, left);
    left -= std::min(fits, left);
    if (share < 1 && line.growth_per_step) *line.growth_per_step *= share;
  }
  if (left > 0) lines.push_back({.kind = GpuLineKind::WithoutStack, .bytes = left, .seen_bytes = left});
}

GpuLineReport row_of(const GpuLine& line, SourceFiles& sources) {
  GpuLineReport out{.kind = line.kind, .bytes = line.bytes, .seen_bytes = line.bytes};
  if (line.kind == GpuLineKind::Line) {
    out.line = {.role = model::LineRole::Allocates,
                .file = line.file,
                .line = line.line,
                .function = line.function,
                .source = sources.line(line.file, line.line)};
  }
  return out;
}

model::GpuBlocksReport blocks_report(const Snapshot& last, const std::optional<LineGrowth>& growth,
                                     int device, SourceFiles& sources) {
  model::GpuBlocksReport out{.at_s = last.at_s, .blocks = last.gpu_blocks};
  if (growth) out.growth_steps = growth->recorded_steps;
  for (const model::GpuPool& pool : last.gpu_pools) {
    if (pool.device == device) out.pools.push_back(pool);
  }
  std::uint64_t without_stack = 0;
  for (const GpuLine& line : last.gpu_lines) {
    if (line.device != device) continue;
    if (line.is_at_peak) {
      out.peak_lines.push_back(row_of(line, sources));
    } else if (line.kind == GpuLineKind::WithoutStack) {
      without_stack += line.bytes;
    } else {
      out.lines.push_back(row_of(line, sources));
      if (growth && line.kind == GpuLineKind::Line) add_growth(*growth, line, out.lines.back());
    }
  }
  balance(out.lines, without_stack);
  for (auto* rows : {&out.lines, &out.peak_lines})
    std::ranges::stable_sort(*rows, [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  return out;
}

// Of the snapshots of the process that describe its blocks: the last one, and growth since the first one with
// stacks.
std::optional<model::GpuBlocksReport> blocks_of(const Evidence& evidence, model::ProcessId process,
                                                SourceFiles& sources) {
  const Snapshot* first = nullptr;
  const Snapshot* last = nullptr;
  std::vector<const Snapshot*> with_stacks;
  for (const record::RecordedSnapshot& recorded : evidence.snapshots) {
    const Snapshot& snapshot = recorded.snapshot;
    if (recorded.process != process || snapshot.gpu_blocks.allocator.empty()) continue;
    if (snapshot.gpu_blocks.recorded_steps > 0) with_stacks.push_back(&snapshot);
    if (first == nullptr) first = &snapshot;
    last = &snapshot;
  }
  if (last == nullptr) return std::nullopt;
  if (last->gpu_blocks.allocator == model::kJaxAllocator) {
    const int only = last->gpu_lines.empty() ? 0 : last->gpu_lines.front().device;
    model::GpuBlocksReport out = blocks_report(*last, std::nullopt, only, sources);
    if (first != last) add_growth_of_arrays(evidence, *first, *last, only, out);
    return out;
  }
  const int device = device_of(*last);
  std::optional<LineGrowth> growth = growth_over(with_stacks, device);
  if (growth) growth->steps_of_report = steps_of_report(evidence, *with_stacks.front(), *with_stacks.back());
  return blocks_report(*last, growth, device, sources);
}

}  // namespace

void add_gpu_lines(const Evidence& evidence, SourceFiles& sources, std::vector<model::GpuReport>& gpus) {
  for (model::GpuReport& report : gpus) {
    if (const GpuEvidence::Share* const share = main_share(evidence, report))
      report.blocks = blocks_of(evidence, share->id, sources);
  }
}

const model::GpuLineReport* find_growing_line(const model::GpuReport& gpu) {
  if (!gpu.blocks) return nullptr;
  const GpuLineReport* most = nullptr;
  double all = 0;
  for (const GpuLineReport& line : gpu.blocks->lines) {
    const double growth = line.growth_per_step.value_or(0);
    all += growth;
    if (growth > 0 && (most == nullptr || growth > *most->growth_per_step)) most = &line;
  }
  return most != nullptr && 2 * *most->growth_per_step >= all ? most : nullptr;
}

}  // namespace lowtide::explain
