#include "observe/tree/tmpfs_folders.h"

#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <algorithm>
#include <set>
#include <utility>

#include "procfs/mount_text.h"
#include "procfs/text_file.h"
#include "procfs/tmpfs_mounts.h"

namespace lowtide::observe {
namespace {

constexpr std::size_t kMostFolders = 16;
constexpr std::size_t kMostNamespaces = 8;
constexpr const char* kUsualShm = "/dev/shm";

std::optional<dev_t> device_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return status.st_dev;
}

using NamespaceId = std::pair<dev_t, ino_t>;

std::optional<NamespaceId> mount_namespace_of(const std::string& proc, const std::string& pid) {
  struct stat status {};
  if (::stat(fmt::format("{}/{}/ns/mnt", proc, pid).c_str(), &status) != 0) return std::nullopt;
  return NamespaceId(status.st_dev, status.st_ino);
}

}  // namespace

std::optional<TmpfsRoom> read_tmpfs_room(const std::string& path) {
  struct statfs room {};
  if (path.empty() || ::statfs(path.c_str(), &room) != 0 || room.f_type != TMPFS_MAGIC) return std::nullopt;
  if (room.f_blocks == 0 || room.f_blocks < room.f_bfree) return std::nullopt;  // a tmpfs without a size
  const auto unit_bytes = static_cast<std::uint64_t>(room.f_bsize);
  return TmpfsRoom{.used_bytes = (room.f_blocks - room.f_bfree) * unit_bytes,
                   .total_bytes = room.f_blocks * unit_bytes};
}

TmpfsFolders::TmpfsFolders(const procfs::Roots& roots) : proc_(roots.proc), shm_(roots.shm) {
  add(shm_, shm_, device_of(shm_).value_or(0));
}

void TmpfsFolders::update(std::span<const std::int64_t> pids) {
  const auto own = mount_namespace_of(proc_, "self");
  std::set<NamespaceId> seen;
  for (const std::int64_t pid : pids) {
    const auto space = mount_namespace_of(proc_, std::to_string(pid));
    if (!space || seen.size() == kMostNamespaces || !seen.insert(*space).second) continue;
    add_mounts(pid, space == own);
  }
}

void TmpfsFolders::add_mounts(std::int64_t pid, bool is_own_namespace) {
  const auto table =
      procfs::read_text(fmt::format("{}/{}/mountinfo", proc_, pid), procfs::kMostMountinfoBytes);
  if (!table) return;
  for (const procfs::TmpfsMount& mount : procfs::parse_tmpfs_mounts(table.value())) {
    const std::string access =
        is_own_namespace ? mount.point : fmt::format("{}/{}/root{}", proc_, pid, mount.point);
    // Another mount may hide it, and a folder of a container may lead elsewhere.
    if (device_of(access) == mount.device) add(mount.point, access, mount.device);
  }
}

void TmpfsFolders::add(const std::string& path, const std::string& access, dev_t device) {
  auto found = std::find_if(folders_.begin(), folders_.end(),
                            [&](const TmpfsFolder& folder) { return folder.device == device; });
  // In a container of its own the job has another /dev/shm than lowtide.
  if (found == folders_.end() && !folders_.empty() && path == kUsualShm && shm_ == kUsualShm) {
    found = folders_.begin();
    *found = {.path = path, .access = access, .device = device, .is_tmpfs = true};
  }
  if (found != folders_.end()) {
    if (found->path == path) found->access = access;
    return;
  }
  if (folders_.size() == kMostFolders) return;
  const auto room = read_tmpfs_room(access);
  folders_.push_back({.path = path,
                      .access = access,
                      .device = device,
                      .is_tmpfs = room.has_value(),
                      .first_used_bytes = room ? std::optional(room->used_bytes) : std::nullopt});
}

}  // namespace lowtide::observe
