#include "explain/findings/running_calls.h"

#include <map>

#include "explain/findings/held/identifier_words.h"

namespace lowtide::explain {
namespace {

constexpr std::size_t kFewestNewCalls = 5;

struct Calls {
  const model::HeldNode* example = nullptr;
  std::size_t count = 0;
  double bytes = 0;
  bool is_at_one_line = true;
};

// By the path of the variable.
std::map<std::string_view, Calls> calls_in(const model::Snapshot& snapshot) {
  std::map<std::string_view, Calls> out;
  for (const model::HeldNode& node : snapshot.nodes) {
    if (node.file.empty() || node.depth != 1) continue;
    Calls& calls = out[node.path];
    if (calls.example != nullptr && calls.example->line != node.line) calls.is_at_one_line = false;
    calls.example = &node;
    ++calls.count;
    calls.bytes += static_cast<double>(node.retained_bytes);
  }
  return out;
}

// "handle" of "__main__.handle.samples"
std::string function_of(const model::HeldNode& node) {
  const std::string_view path = node.path;
  const std::string_view owner = path.substr(0, path.rfind('.'));
  return std::string(owner.substr(owner.rfind('.') + 1));
}

}  // namespace

std::optional<RunningCalls> find_running_calls(const Scene& scene, const ProcessHolders& holders) {
  const model::Snapshot* first = nullptr;
  const model::Snapshot* last = nullptr;
  for (const record::RecordedSnapshot& taken : scene.evidence.snapshots) {
    const model::Snapshot& snapshot = taken.snapshot;
    if (taken.process != holders.process.id || !snapshot.has_holders || snapshot.at_s < holders.from_s ||
        snapshot.at_s > holders.to_s) {
      continue;
    }
    if (first == nullptr) first = &snapshot;
    last = &snapshot;
  }
  if (first == last) return std::nullopt;
  const auto before = calls_in(*first);
  std::optional<RunningCalls> found;
  for (const auto& [path, calls] : calls_in(*last)) {
    const auto known = before.find(path);
    const Calls was = known == before.end() ? Calls{} : known->second;
    const double growth = calls.bytes - was.bytes;
    if (calls.count < was.count + kFewestNewCalls || (found && growth <= found->growth_bytes)) continue;
    found = RunningCalls{.variable = variable_of(*calls.example),
                         .function = function_of(*calls.example),
                         .line = calls.is_at_one_line ? calls.example->line : 0,
                         .at_first = was.count,
                         .at_last = calls.count,
                         .growth_bytes = growth};
  }
  return found;
}

}  // namespace lowtide::explain
