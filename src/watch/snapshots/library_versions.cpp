#include "watch/snapshots/library_versions.h"

#include <algorithm>

#include "explain/settle/sites/own_frames.h"
#include "observe/package_version.h"

namespace lowtide::watch {

void LibraryVersions::tick(const observe::Monitor& monitor, record::Writer& writer) {
  constexpr std::size_t kMost = 64;
  const observe::AgentRegistry* const agents = monitor.agents();
  if (agents == nullptr) return;
  const auto& members = monitor.tree().members();
  for (const model::SiteInfo& site : agents->begun()) {
    const explain::NativeLibrary library = explain::find_native_library(site.frames);
    if (library.name.empty() || known_.size() == kMost || !known_.insert(library.name).second) continue;
    const auto member = std::find_if(members.begin(), members.end(),
                                     [&](const auto& each) { return each.info.id == site.process; });
    if (member == members.end()) continue;
    const auto pid = static_cast<std::int32_t>(member->info.pid);
    if (auto version = observe::read_package_version(pid, library.file))
      writer.add_library({library.name, std::move(*version)});
  }
}

}  // namespace lowtide::watch
