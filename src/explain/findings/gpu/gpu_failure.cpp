#include "explain/findings/gpu/gpu_failure.h"

#include <cmath>

#include "explain/settle/sites/own_frames.h"
#include "model/python_stack.h"

namespace lowtide::explain {
namespace {

using model::Snapshot;

constexpr double kNearS = 5;  // between the failure and its snapshot

const record::RecordedSnapshot* find_snapshot(const Evidence& evidence, double at_s) {
  const record::RecordedSnapshot* found = nullptr;
  for (const record::RecordedSnapshot& recorded : evidence.snapshots) {
    const Snapshot& snapshot = recorded.snapshot;
    const bool is_near = std::abs(snapshot.at_s - at_s) <= kNearS;
    if (is_near && snapshot.device_bytes > 0 && snapshot.is_finished) found = &recorded;
  }
  return found;
}

}  // namespace

std::optional<model::CodeLine> line_of_stack(SourceFiles& sources, const std::string& stack) {
  const std::vector<model::Frame> frames = model::frames_of(stack);
  if (frames.empty()) return std::nullopt;
  const model::Frame& frame = frames[frame_to_act_on(frames)];
  if (frame.line == 0) return std::nullopt;
  return model::CodeLine{.role = model::LineRole::Allocates,
                         .file = frame.file,
                         .line = frame.line,
                         .function = frame.function,
                         .source = sources.line(frame.file, frame.line)};
}

GpuFailure find_gpu_failure(const Scene& scene, const model::Event& event) {
  GpuFailure out;
  out.line = line_of_stack(scene.sources, event.stack);
  const auto* const recorded = event.at_s ? find_snapshot(scene.evidence, *event.at_s) : nullptr;
  if (recorded == nullptr) return out;
  out.held = find_tensor_parts(recorded->snapshot);
  out.at_s = recorded->snapshot.at_s;
  out.snapshot = &recorded->snapshot;
  out.process = recorded->process;
  return out;
}

}  // namespace lowtide::explain
