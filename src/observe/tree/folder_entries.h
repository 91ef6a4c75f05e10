// The entries of a folder that changes while it is read.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <system_error>

namespace lowtide::observe {

inline constexpr std::size_t kMostDescriptors = 4'000;  // of one process

// Calls use(path) for the entries, up to a limit.
template <typename Use>
void for_each_entry(const std::filesystem::path& folder, std::size_t most, Use use) {
  std::error_code error;
  std::filesystem::directory_iterator entries(folder, error);
  for (std::size_t count = 0; !error && entries != std::filesystem::directory_iterator() && count < most;
       ++count) {
    use(entries->path());
    entries.increment(error);
  }
}

inline std::uint64_t taken_bytes(const struct stat& status) {
  constexpr std::uint64_t kBlockBytes = 512;
  return static_cast<std::uint64_t>(status.st_blocks) * kBlockBytes;
}

}  // namespace lowtide::observe
