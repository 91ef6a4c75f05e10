#include "observe/tree/open_files.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>

#include "observe/tree/folder_entries.h"
#include "procfs/scan.h"

namespace lowtide::observe {
namespace {

// "/tmp/a" is below "/tmp", and "/tmpfile" is not.
bool is_below(std::string_view path, std::string_view folder) {
  if (!path.starts_with(folder)) return false;
  return folder.ends_with('/') || (path.size() > folder.size() && path[folder.size()] == '/');
}

}  // namespace

std::vector<OpenFile> read_open_files(const std::string& proc, std::span<const std::int64_t> pids,
                                      std::span<const TmpfsFolder> folders) {
  std::vector<OpenFile> out;
  const auto use = [&](std::int64_t pid, const std::filesystem::path& path) {
    std::error_code error;
    OpenFile file{.pid = pid, .name = std::filesystem::read_symlink(path, error).string()};
    if (error) return;
    file.is_memfd = file.name.starts_with(kMemfd);
    const bool may_be_in_folder =
        file.is_memfd || std::any_of(folders.begin(), folders.end(), [&](const TmpfsFolder& folder) {
          return is_below(file.name, folder.path);
        });
    struct stat status {};
    if (!may_be_in_folder || ::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return;
    const auto folder = std::find_if(folders.begin(), folders.end(), [&](const TmpfsFolder& each) {
      return (each.device == status.st_dev || !each.is_tmpfs) && is_below(file.name, each.path);
    });
    if (!file.is_memfd && folder == folders.end()) return;
    file.is_deleted = file.name.ends_with(procfs::kDeletedMark);
    if (file.is_deleted) file.name.resize(file.name.size() - procfs::kDeletedMark.size());
    file.folder = static_cast<std::size_t>(folder - folders.begin());
    file.device = status.st_dev;
    file.inode = status.st_ino;
    file.bytes = taken_bytes(status);
    struct stat link {};
    file.is_written = ::lstat(path.c_str(), &link) == 0 && (link.st_mode & S_IWUSR) != 0;
    out.push_back(std::move(file));
  };
  for (const std::int64_t pid : pids) {
    for_each_entry(fmt::format("{}/{}/fd", proc, pid), kMostDescriptors,
                   [&](const std::filesystem::path& path) { use(pid, path); });
  }
  return out;
}

}  // namespace lowtide::observe
