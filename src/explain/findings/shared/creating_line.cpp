#include "explain/findings/shared/creating_line.h"

#include <array>
#include <span>
#include <string_view>

namespace lowtide::explain {
namespace {

struct Creation {
  std::string_view function;
  std::string_view with;  // in the line as well: without it the call opens what exists
};

constexpr std::array<Creation, 1> kMemfds{{{"memfd_create", ""}}};
constexpr std::array<Creation, 2> kSegments{{{"SharedMemory", ""}, {"shmget", ""}}};
constexpr std::array<Creation, 2> kFiles{{{"SharedMemory", "create=True"}, {"shm_open", ""}}};

std::span<const Creation> creations_of(model::SharedKind kind) {
  switch (kind) {
    case model::SharedKind::Memfd:
      return kMemfds;
    case model::SharedKind::Segment:
      return kSegments;
    case model::SharedKind::File:
      break;
  }
  return kFiles;
}

}  // namespace

std::optional<model::CodeLine> find_creating_line(const Scene& scene, const model::SharedGroup& group) {
  std::optional<model::CodeLine> found;
  for (const std::string& file : own_files(scene)) {
    const PythonSource* source = scene.sources.find(file);
    if (source == nullptr) continue;
    for (const Creation& creation : creations_of(group.kind)) {
      for (const std::uint32_t line : source->calls(creation.function)) {
        if (source->line(line).find(creation.with) == std::string_view::npos) continue;
        if (found) return std::nullopt;
        found = model::CodeLine{.role = model::LineRole::Allocates,
                                .file = file,
                                .line = line,
                                .source = scene.sources.line(file, line)};
      }
    }
  }
  return found;
}

}  // namespace lowtide::explain
