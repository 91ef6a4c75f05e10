#include "explain/findings/gpu_failure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "base/units.h"
#include "explain/findings/held/identifier_words.h"
#include "explain/settle/own_frames.h"
#include "model/python_stack.h"

namespace lowtide::explain {
namespace {

using model::HeldNode;
using model::Snapshot;

constexpr double kNearS = 5;          // between the failure and its snapshot
constexpr double kLeastPart = 0.005;  // of all tensors; smaller parts are added up

const Snapshot* find_snapshot(const Evidence& evidence, double at_s) {
  const Snapshot* found = nullptr;
  for (const record::RecordedSnapshot& recorded : evidence.snapshots) {
    const Snapshot& snapshot = recorded.snapshot;
    const bool is_near = std::abs(snapshot.at_s - at_s) <= kNearS;
    if (is_near && snapshot.device_bytes > 0 && snapshot.is_finished) found = &snapshot;
  }
  return found;
}

// The variables of a module or a function: nothing that a reader would call a variable.
bool is_namespace(const HeldNode& node) {
  return !node.holder && node.type == "dict";
}

bool is_variable(const Snapshot& snapshot, const HeldNode& node) {
  if (!node.holder) return !is_namespace(node);
  return *node.holder < snapshot.nodes.size() && is_namespace(snapshot.nodes[*node.holder]);
}

bool has_child(const Snapshot& snapshot, std::size_t at, std::string_view attribute) {
  const std::string path = snapshot.nodes[at].path + std::string(attribute);
  return std::any_of(snapshot.nodes.begin(), snapshot.nodes.end(),
                     [&](const HeldNode& node) { return node.holder == at && node.path == path; });
}

// It is a tensor, and what it retains is mostly what functions of an autograd graph keep below it.
bool is_graph(const Snapshot& snapshot, std::size_t at) {
  if (snapshot.nodes[at].type != "torch.Tensor") return false;
  return std::any_of(snapshot.contents.begin(), snapshot.contents.end(), [&](const model::HeldType& content) {
    return content.node == at && content.graph_functions > 0;
  });
}

std::string described(const HeldNode& node) {
  std::string out = "a " + base::printable(node.type, 60);
  if (node.length && node.type != "torch.Tensor")
    out += fmt::format(" of {} items", base::format_count(*node.length));
  return out;
}

model::MemoryPart part_of(const Snapshot& snapshot, std::size_t at) {
  const HeldNode& node = snapshot.nodes[at];
  const std::string variable = base::printable(quoted_variable(node), 60);
  if (is_graph(snapshot, at))
    return {
        .name = "activations", .bytes = node.device_bytes, .what = "in the autograd graph of " + variable};
  if (node.type.starts_with("torch.optim."))
    return {.name = "optimizer state", .bytes = node.device_bytes, .what = variable};
  if (has_child(snapshot, at, "._modules") || has_child(snapshot, at, "._parameters"))
    return {.name = "model", .bytes = node.device_bytes, .what = variable + ", with its gradients"};
  return {.name = variable, .bytes = node.device_bytes, .what = described(node)};
}

void find_parts(const Snapshot& snapshot, GpuFailure& out) {
  const auto all = static_cast<double>(snapshot.device_bytes);
  std::uint64_t listed = 0;
  std::uint64_t of_graphs = 0;
  for (std::size_t at = 0; at < snapshot.nodes.size(); ++at) {
    const HeldNode& node = snapshot.nodes[at];
    if (!is_variable(snapshot, node) || static_cast<double>(node.device_bytes) < kLeastPart * all) continue;
    model::MemoryPart part = part_of(snapshot, at);
    listed += part.bytes;
    const bool is_of_graph = part.name == "activations";
    if (is_of_graph) of_graphs += part.bytes;
    const bool is_plain = part.name.starts_with('`') && !is_of_graph;
    if (is_plain && part.bytes > out.variable_bytes) {
      out.variable = part.name;
      out.variable_bytes = part.bytes;
    }
    out.parts.push_back(std::move(part));
  }
  std::stable_sort(out.parts.begin(), out.parts.end(),
                   [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  // An upper bound where the walk was not exact.
  if (listed < snapshot.device_bytes &&
      static_cast<double>(snapshot.device_bytes - listed) >= kLeastPart * all)
    out.parts.push_back({.name = "other tensors",
                         .bytes = snapshot.device_bytes - listed,
                         .what = "several variables hold them, as model and optimizer do parameters"});
  out.is_mostly_graph = 2 * of_graphs > snapshot.device_bytes;
}

std::optional<model::CodeLine> line_of(const Scene& scene, const model::Event& event) {
  const std::vector<model::Frame> frames = model::frames_of(event.stack);
  if (frames.empty()) return std::nullopt;
  const model::Frame& frame = frames[frame_to_act_on(frames)];
  if (frame.line == 0) return std::nullopt;
  return model::CodeLine{.role = model::LineRole::Allocates,
                         .file = frame.file,
                         .line = frame.line,
                         .function = frame.function,
                         .source = scene.sources.line(frame.file, frame.line)};
}

}  // namespace

GpuFailure find_gpu_failure(const Scene& scene, const model::Event& event) {
  GpuFailure out;
  out.line = line_of(scene, event);
  const Snapshot* const snapshot = event.at_s ? find_snapshot(scene.evidence, *event.at_s) : nullptr;
  if (snapshot != nullptr) find_parts(*snapshot, out);
  return out;
}

}  // namespace lowtide::explain
