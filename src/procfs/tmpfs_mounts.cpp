#include "procfs/tmpfs_mounts.h"

#include <sys/sysmacros.h>

#include <optional>
#include <utility>

#include "procfs/mount_text.h"
#include "procfs/scan.h"

namespace lowtide::procfs {
namespace {

// "0:32"
std::optional<dev_t> parse_device(std::string_view word) {
  unsigned major = 0;
  unsigned minor = 0;
  if (!take_number(word, major) || !word.starts_with(':')) return std::nullopt;
  word.remove_prefix(1);
  if (!take_number(word, minor) || !word.empty()) return std::nullopt;
  return makedev(major, minor);
}

}  // namespace

std::vector<TmpfsMount> parse_tmpfs_mounts(std::string_view mountinfo) {
  std::vector<TmpfsMount> mounts;
  while (!mountinfo.empty()) {
    // 35 31 0:32 /root /mount/point rw,relatime shared:1 - tmpfs tmpfs rw,size=64k
    std::string_view line = take_line(mountinfo);
    const std::size_t dash = line.find(" - ");
    if (dash == std::string_view::npos) continue;
    std::string_view system = line.substr(dash + 3);
    if (take_word(system) != "tmpfs") continue;
    take_word(system);  // source
    take_word(line);    // its number, and that of its parent
    take_word(line);
    const auto device = parse_device(take_word(line));
    take_word(line);  // root
    std::string point = unescape_mount(take_word(line));
    const bool is_read_only = has_item(take_word(line), "ro") || has_item(take_word(system), "ro");
    if (device && point.starts_with('/') && !is_read_only) mounts.push_back({*device, std::move(point)});
  }
  return mounts;
}

}  // namespace lowtide::procfs
