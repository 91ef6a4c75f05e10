#include "watch/entry/entry_places.h"

#include <sys/stat.h>

#include <filesystem>

#include "procfs/status.h"
#include "procfs/text_file.h"

namespace lowtide::watch {

base::Result<EntryPlaces::FileSystem> EntryPlaces::file_system_of(pid_t pid) {
  const std::string process = "/proc/" + std::to_string(pid);
  const auto text = procfs::read_text(process + "/status");
  if (!text) return text.error();
  const auto status = procfs::parse_status(text.value());
  if (!status) return status.error();
  struct stat mounts {};
  struct stat root {};
  FileSystem out{.uid = static_cast<uid_t>(status.value().uid)};
  if (::stat((process + "/ns/mnt").c_str(), &mounts) == 0 &&
      ::stat((std::filesystem::path(process) / "root" / ".").c_str(), &root) == 0) {
    out.mount_namespace = mounts.st_ino;
    out.root_device = root.st_dev;
    out.root_inode = root.st_ino;
  }
  return out;
}

bool EntryPlaces::may_use_ours(pid_t pid, uid_t uid) {
  const std::string folder = socket_path_.substr(0, socket_path_.rfind('/'));
  if (attach::sees_another(pid, agent_path_) || attach::sees_another(pid, folder)) return false;
  if (!our_user_) our_user_ = uid;
  return *our_user_ == uid;
}

base::Result<attach::InjectOptions> EntryPlaces::find(pid_t pid) {
  const auto file_system = file_system_of(pid);
  if (!file_system) return file_system.error();
  if (may_use_ours(pid, file_system.value().uid)) {
    attach::InjectOptions options;
    options.agent_path = agent_path_;
    options.socket_path = socket_path_;
    return options;
  }
  const auto known = footholds_.find(file_system.value());
  if (known != footholds_.end()) return known->second.options();
  auto made = Foothold::make(pid, agent_path_);
  if (!made) return std::move(made).error();
  Foothold& foothold = footholds_.emplace(file_system.value(), std::move(made).value()).first->second;
  if (auto socket = foothold.take_socket()) sockets_.push_back(std::move(*socket));
  return foothold.options();
}

}  // namespace lowtide::watch
