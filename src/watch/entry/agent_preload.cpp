#include "watch/entry/agent_preload.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "procfs/rights.h"
#include "procfs/text_file.h"
#include "wire/layout.h"

namespace lowtide::watch {
namespace {

constexpr const char* kLibrary = "liblowtide_agent.so";

std::string setting(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): no thread changes it
  return value == nullptr ? "" : value;
}

// The loader splits LD_PRELOAD at spaces and colons, and has no way to quote them.
bool can_be_preloaded(const std::string& path) {
  return path.find_first_of(" :\t\n") == std::string::npos && ::access(path.c_str(), R_OK) == 0;
}

}  // namespace

std::optional<std::string> find_agent_library() {
  if (const std::string named = setting("LOWTIDE_AGENT"); !named.empty())
    return can_be_preloaded(named) ? std::optional(named) : std::nullopt;
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return std::nullopt;
  const std::filesystem::path here = self.parent_path();
  // Installed, unpacked side by side, and in the build folder.
  for (const auto& folder : {here / "../lib/lowtide", here, here / "../agent"}) {
    const std::string path = (folder / kLibrary).lexically_normal().string();
    if (can_be_preloaded(path)) return path;
  }
  return std::nullopt;
}

std::vector<std::string> agent_environment(const std::string& library, const std::string& socket_path) {
  const std::string others = setting("LD_PRELOAD");
  const auto status = procfs::read_text("/proc/self/status");
  const std::uint64_t filters = status ? procfs::count_seccomp_filters(status.value()) : 0;
  return {"LD_PRELOAD=" + library + (others.empty() ? "" : ":" + others),
          std::string(wire::kSocketVariable) + "=" + socket_path,
          std::string(wire::kFiltersVariable) + "=" + std::to_string(filters)};
}

}  // namespace lowtide::watch
