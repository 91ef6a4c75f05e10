#include "procfs/cgroup_path.h"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "procfs/mount_text.h"
#include "procfs/scan.h"
#include "procfs/text_file.h"

namespace lowtide::procfs {
namespace {

constexpr std::string_view kUsualPlace = "/sys/fs/cgroup";

bool is_folder(const std::string& path) {
  struct stat found {};
  return ::stat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode);
}

// What of `path` is below `root`, as "" or "/a/b"; none when it is not below it.
std::optional<std::string> below(std::string_view path, std::string_view root) {
  if (path == "/") {
    path = "";
  }
  if (root == "/") {
    root = "";
  }
  if (!path.starts_with(root) || (path.size() > root.size() && path[root.size()] != '/')) {
    return std::nullopt;
  }
  return std::string(path.substr(root.size()));
}

std::optional<CgroupFolder> resolve(const CgroupMount& mount, const std::string& path) {
  // "/../x": the process is outside of the cgroup namespace that we are in.
  if (path.starts_with("/..")) {
    return std::nullopt;
  }
  auto rest = below(path, mount.root);
  if (!rest && mount.root != "/") {
    // Path and mount are from different cgroup namespaces; the mount is
    // the container's own cgroup, and that is as near as one can get.
    rest = "";
  }
  if (!rest || !is_folder(mount.point + *rest)) {
    return std::nullopt;
  }
  return CgroupFolder{mount.version, mount.point, *std::move(rest)};
}

// Where mountinfo cannot be read: the usual three places.
std::vector<CgroupMount> guess_mounts(const Roots& roots) {
  return {{2, "/", roots.cgroup}, {1, "/", roots.cgroup + "/memory"}, {2, "/", roots.cgroup + "/unified"}};
}

std::vector<CgroupMount> read_mounts(const Roots& roots) {
  const auto text = read_text(roots.proc + "/self/mountinfo", kMostMountinfoBytes);
  std::vector<CgroupMount> mounts = text ? parse_cgroup_mounts(text.value()) : std::vector<CgroupMount>{};
  if (mounts.empty()) {
    return guess_mounts(roots);
  }
  for (CgroupMount& mount : mounts) {
    if (const auto rest = below(mount.point, kUsualPlace)) {
      mount.point = roots.cgroup + *rest;
    }
  }
  return mounts;
}

}  // namespace

base::Result<CgroupMembership> parse_cgroup_membership(std::string_view text) {
  CgroupMembership membership;
  bool any = false;
  while (!text.empty()) {
    // "4:memory:/a/b", "0::/a/b"; the path may hold colons.
    const auto hierarchy = split_key(take_line(text));
    const auto rest = hierarchy ? split_key(hierarchy->value) : std::nullopt;
    if (!rest || !rest->value.starts_with('/')) {
      continue;
    }
    any = true;
    if (has_item(rest->key, "memory")) {
      membership.memory_v1 = std::string(rest->value);
    } else if (hierarchy->key == "0" && rest->key.empty()) {
      membership.unified = std::string(rest->value);
    }
  }
  if (!any) {
    return base::Error{base::ErrorCode::Malformed, "no cgroup line"};
  }
  return membership;
}

std::vector<CgroupMount> parse_cgroup_mounts(std::string_view mountinfo) {
  std::vector<CgroupMount> mounts;
  while (!mountinfo.empty()) {
    // 35 31 0:32 /root /mount/point rw,relatime shared:1 - cgroup cgroup rw,memory
    std::string_view line = take_line(mountinfo);
    const std::size_t dash = line.find(" - ");
    if (dash == std::string_view::npos) {
      continue;
    }
    std::string_view system = line.substr(dash + 3);
    const std::string_view type = take_word(system);
    take_word(system);  // source
    const bool unified = type == "cgroup2";
    if (!unified && !(type == "cgroup" && has_item(take_word(system), "memory"))) {
      continue;
    }
    for (int field = 0; field < 3; ++field) {
      take_word(line);
    }
    std::string root = unescape_mount(take_word(line));
    std::string point = unescape_mount(take_word(line));
    if (!root.empty() && !point.empty()) {
      mounts.push_back({unified ? 2 : 1, std::move(root), std::move(point)});
    }
  }
  return mounts;
}

base::Result<std::string> read_cgroup_membership(const Roots& roots, std::int32_t pid) {
  return read_text(roots.proc + "/" + std::to_string(pid) + "/cgroup");
}

base::Result<CgroupFolder> find_memory_cgroup(const Roots& roots, std::int32_t pid) {
  auto text = read_cgroup_membership(roots, pid);
  if (!text) {
    return std::move(text).error();
  }
  auto membership = parse_cgroup_membership(text.value());
  if (!membership) {
    return std::move(membership).error();
  }
  const auto& memory_v1 = membership.value().memory_v1;
  const int version = memory_v1 ? 1 : 2;
  const auto& path = memory_v1 ? memory_v1 : membership.value().unified;
  if (!path) {
    return base::Error{base::ErrorCode::Unsupported, "no cgroup counts memory: the memory controller is off"};
  }
  for (const CgroupMount& mount : read_mounts(roots)) {
    if (mount.version != version) {
      continue;
    }
    if (auto folder = resolve(mount, *path)) {
      return *std::move(folder);
    }
  }
  return base::Error{base::ErrorCode::Unsupported, "the cgroup " + *path + " is not mounted here"};
}

}  // namespace lowtide::procfs
