#include "observe/tree/shared_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

#include "observe/tree/folder_entries.h"
#include "procfs/stat.h"
#include "procfs/text_file.h"

namespace lowtide::observe {
namespace {

constexpr std::size_t kMostFiles = 20'000;
constexpr std::size_t kMostFilesElsewhere = 4'000;  // of each other tmpfs
constexpr std::size_t kMostProcesses = 4'000;
constexpr int kDeepest = 4;  // folders below the mount

std::optional<procfs::Stat> read_stat(const std::string& proc, std::int64_t pid) {
  const auto text = procfs::read_text(fmt::format("{}/{}/stat", proc, pid));
  const auto stat = text ? procfs::parse_stat(text.value()) : base::Result<procfs::Stat>(text.error());
  return stat ? std::optional(stat.value()) : std::nullopt;
}

std::optional<uid_t> user_of(const std::string& proc, std::int64_t pid) {
  struct stat status {};
  if (::stat(fmt::format("{}/{}", proc, pid).c_str(), &status) != 0) return std::nullopt;
  return status.st_uid;
}

bool is_digit(char letter) {
  return std::isdigit(static_cast<unsigned char>(letter)) != 0;
}

bool is_word(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0;
}

std::vector<std::int64_t> numbers_in(std::string_view path) {
  std::vector<std::int64_t> out;
  for (std::size_t at = 0; at < path.size(); ++at) {
    if (!is_digit(path[at])) continue;
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(path.data() + at, path.data() + path.size(), number);
    if (error == std::errc()) out.push_back(number);
    at = static_cast<std::size_t>(end - path.data());
  }
  return out;
}

// In /tmp many programs have files like "/tmp/*".
bool has_telling_name(std::string_view shape) {
  constexpr std::ptrdiff_t kFewestLetters = 3;
  const std::string_view name = shape.substr(shape.rfind('/') + 1);
  return std::count_if(name.begin(), name.end(), is_word) >= kFewestLetters;
}

struct FileTime {
  double unix_s = 0;
  bool is_birth = false;
};

template <typename Time>
double seconds_of(const Time& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

// When the file was made; where the file system does not know, when it was changed last.
std::optional<FileTime> made_at(const std::string& path) {
  struct statx status {};
  constexpr int kFlags = AT_SYMLINK_NOFOLLOW | AT_STATX_DONT_SYNC;
  if (::statx(AT_FDCWD, path.c_str(), kFlags, STATX_BTIME | STATX_CTIME, &status) != 0) return std::nullopt;
  const bool is_birth = (status.stx_mask & STATX_BTIME) != 0;
  const statx_timestamp& at = is_birth ? status.stx_btime : status.stx_ctime;
  return FileTime{.unix_s = seconds_of(at), .is_birth = is_birth};
}

// By the clock of time stamps of files.
double now_of_files() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return seconds_of(now);
}

}  // namespace

std::string shape_of(std::string_view path) {
  std::string out;
  for (std::size_t at = 0; at < path.size();) {
    if (!is_word(path[at])) {
      out += path[at++];
      continue;
    }
    std::size_t end = at;
    while (end < path.size() && is_word(path[end])) ++end;
    const std::string_view word = path.substr(at, end - at);
    const std::size_t digits =
        static_cast<std::size_t>(std::find_if(word.begin(), word.end(), is_digit) - word.begin());
    const bool is_counted =
        std::all_of(word.begin() + static_cast<std::ptrdiff_t>(digits), word.end(), is_digit);
    if (digits == word.size()) {
      out += word;
    } else {
      out += is_counted ? std::string(word.substr(0, digits)) + "*" : "*";
    }
    at = end;
  }
  return out;
}

SharedFiles::SharedFiles(procfs::Roots roots, std::optional<double> since_unix_s)
    : roots_(std::move(roots)),
      knows_start_(since_unix_s.has_value()),
      began_unix_s_(since_unix_s.value_or(now_of_files())),
      written_(roots_.proc, knows_start_) {
  for (std::int64_t pid = ::getpid(); pid > 1 && ancestors_.insert(pid).second;) {
    const auto stat = read_stat(roots_.proc, pid);
    pid = stat ? stat->ppid : 0;
  }
}

std::uint64_t SharedFiles::read(std::span<const std::int64_t> pids, std::span<const TmpfsFolder> folders,
                                std::span<const OpenFile> open) {
  for (const std::int64_t pid : pids) {
    if (const auto user = user_of(roots_.proc, pid)) users_.insert(*user);
  }
  written_.read(pids);
  leave_out_own_files(pids, folders);
  for (auto& [key, file] : files_) {
    file.is_there = false;
    file.is_new = false;
  }
  for (std::size_t at = 0; at < folders.size(); ++at) list_folder(at, folders[at], open);
  take_deleted(folders, open);
  std::erase_if(files_, [](const auto& each) { return !each.second.is_there; });
  has_begun_ = true;
  attribute(pids, folders, open);
  std::uint64_t owned = 0;
  std::uint64_t unknown = 0;
  for (const auto& [key, file] : files_) {
    if (file.owner == Owner::Job) owned += file.bytes;
    if (file.owner == Owner::Unknown && file.folder == 0) unknown += file.bytes;
  }
  counts_unknown_ = owned + unknown <= written_.all();
  find_writer();
  return counts_unknown_ ? owned + unknown : owned;
}

// The recording may be in a tmpfs, and has the pid of the job in its name.
void SharedFiles::leave_out_own_files(std::span<const std::int64_t> pids,
                                      std::span<const TmpfsFolder> folders) {
  const std::int64_t own = ::getpid();
  if (std::find(pids.begin(), pids.end(), own) != pids.end()) return;  // a test watches itself
  for (const OpenFile& file : read_open_files(roots_.proc, std::span(&own, 1), folders)) {
    if (!file.is_memfd) foreign_.emplace(file.device, file.inode);
  }
}

bool SharedFiles::counts(const File& file) const {
  return file.owner == Owner::Job || (file.owner == Owner::Unknown && file.folder == 0 && counts_unknown_);
}

std::vector<model::SharedGroup> SharedFiles::groups() const {
  struct Parts {
    model::SharedGroup group;
    std::map<std::int64_t, std::pair<std::uint64_t, model::SharedLink>> of_pids;
  };
  std::map<std::string_view, Parts> all;
  for (const auto& [key, file] : files_) {
    if (!counts(file)) continue;
    Parts& parts = all[file.shape];
    parts.group.name = file.shape;
    ++parts.group.count;
    parts.group.bytes += file.bytes;
    if (file.pid == 0) continue;
    auto& [bytes, link] = parts.of_pids[file.pid];
    bytes += file.bytes;
    link = file.link;
  }
  std::vector<model::SharedGroup> out;
  for (auto& [shape, parts] : all) {
    parts.group.processes = parts.of_pids.size();
    for (const auto& [pid, part] : parts.of_pids) {
      if (part.first < parts.group.pid_bytes || part.first == 0) continue;
      parts.group.pid = pid;
      parts.group.pid_bytes = part.first;
      parts.group.link = part.second;
    }
    out.push_back(std::move(parts.group));
  }
  return out;
}

std::uint64_t SharedFiles::bytes_in(std::size_t folder) const {
  std::uint64_t bytes = 0;
  for (const auto& [key, file] : files_) {
    if (file.folder == folder && counts(file)) bytes += file.bytes;
  }
  return bytes;
}

// A large /tmp is listed only if it grew, or if the job has a file of it open that may be new. A job that
// lowtide started may have filled it before it was seen first.
void SharedFiles::list_folder(std::size_t number, const TmpfsFolder& folder, std::span<const OpenFile> open) {
  constexpr std::uint64_t kGrownBytes = 1U << 20U;
  listed_ = 0;
  const bool is_first = knows_start_ && seen_.insert(number).second;
  if (number > 0 && !is_first) {
    const auto room = read_tmpfs_room(folder.access);
    const bool has_grown =
        room && folder.first_used_bytes && room->used_bytes >= *folder.first_used_bytes + kGrownBytes;
    const bool is_written = std::any_of(open.begin(), open.end(), [&](const OpenFile& file) {
      return file.folder == number && file.is_written && !file.is_memfd;
    });
    const bool has_files = std::any_of(files_.begin(), files_.end(),
                                       [&](const auto& each) { return each.second.folder == number; });
    if (!has_begun_ || (!has_grown && !is_written && !has_files)) return;
  }
  if (!folder.access.empty()) list_files(number, folder, folder.access, 0);
}

// `name`: without the path of the folder, whose numbers are no pids.
void SharedFiles::set_name(File& file, const TmpfsFolder& folder, std::string_view name) {
  file.shape = folder.path + shape_of(name);
  file.numbers = numbers_in(name);
}

// In /dev/shm all files of the first call are known; elsewhere there may be too many.
bool SharedFiles::is_foreign(std::size_t folder, const Key& key, const std::string& path) const {
  if (folder == 0 || foreign_.contains(key)) return foreign_.contains(key);
  const auto made = made_at(path);
  return !made || made->unix_s < began_unix_s_;
}

// A job that lowtide started may have written files before the first call.
bool SharedFiles::is_of_early_job(const std::string& path) const {
  if (!knows_start_) return false;
  const auto made = made_at(path);
  return made && made->is_birth && made->unix_s >= began_unix_s_;
}

void SharedFiles::list_files(std::size_t number, const TmpfsFolder& folder, const std::string& path,
                             int depth) {
  const std::size_t most = number == 0 ? kMostFiles : kMostFilesElsewhere;
  for_each_entry(path, most, [&](const std::filesystem::path& entry) {
    struct stat status {};
    if (listed_ == most || ::lstat(entry.c_str(), &status) != 0) return;
    if (folder.is_tmpfs && status.st_dev != folder.device) return;  // another mount
    if (S_ISDIR(status.st_mode) && depth < kDeepest) list_files(number, folder, entry.string(), depth + 1);
    if (!S_ISREG(status.st_mode)) return;
    ++listed_;
    const Key key(status.st_dev, status.st_ino);
    if (!has_begun_ && !is_of_early_job(entry.string())) foreign_.insert(key);
    auto known = files_.find(key);
    if (known == files_.end()) {
      if (!users_.contains(status.st_uid) || is_foreign(number, key, entry.string())) return;
      known = files_.emplace(key, File{.folder = number}).first;
      const std::string name = entry.string();
      set_name(known->second, folder,
               std::string_view(name).substr(std::min(name.size(), folder.access.size())));
    }
    known->second.bytes = taken_bytes(status);
    known->second.is_there = true;
  });
}

// Memory of a file is kept as long as a process has it open.
void SharedFiles::take_deleted(std::span<const TmpfsFolder> folders, std::span<const OpenFile> open) {
  for (const OpenFile& each : open) {
    if (!each.is_deleted || each.is_memfd) continue;
    const Key key(each.device, each.inode);
    if (!has_begun_) foreign_.insert(key);
    if (foreign_.contains(key)) continue;
    File& file = files_[key];
    if (file.shape.empty()) {
      file.folder = each.folder;
      const TmpfsFolder& folder = folders[each.folder];
      set_name(file, folder, std::string_view(each.name).substr(folder.path.size()));
    }
    file.bytes = each.bytes;
    file.is_there = true;
  }
}

// What cannot be named after a file of the job does not count outside of /dev/shm in any case.
bool SharedFiles::has_unknown() const {
  std::set<std::string_view> shapes;
  for (const auto& [key, file] : files_) {
    if (file.owner == Owner::Job) shapes.insert(file.shape);
  }
  return std::any_of(files_.begin(), files_.end(), [&](const auto& each) {
    const File& file = each.second;
    return file.owner == Owner::Unknown && (file.folder == 0 || shapes.contains(file.shape));
  });
}

void SharedFiles::attribute(std::span<const std::int64_t> pids, std::span<const TmpfsFolder> folders,
                            std::span<const OpenFile> open) {
  attribute_by_numbers();
  attribute_open_files(open, Owner::Job);
  if (!has_unknown()) return;
  const std::set<std::int64_t> own(pids.begin(), pids.end());
  for_each_entry(roots_.proc, kMostProcesses, [&](const std::filesystem::path& path) {
    const std::string name = path.filename().string();
    std::int64_t pid = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (error != std::errc() || end != name.data() + name.size() || own.contains(pid) ||
        !is_other_process(pid))
      return;
    attribute_open_files(read_open_files(roots_.proc, std::span(&pid, 1), folders), Owner::Others);
  });
  attribute_by_shape();
}

// A number of one file alone is a count; one of several may be a pid.
void SharedFiles::attribute_by_numbers() {
  std::map<std::int64_t, std::size_t> files_with;
  std::map<std::string_view, std::size_t> files_like;
  for (const auto& [key, file] : files_) {
    ++files_like[file.shape];
    for (const std::int64_t number : std::set(file.numbers.begin(), file.numbers.end())) ++files_with[number];
  }
  for (auto& [key, file] : files_) {
    if (file.owner != Owner::Unknown) continue;
    for (const std::int64_t number : file.numbers) {
      const bool may_be_pid = files_with[number] > 1 || files_like[file.shape] == 1;
      if (!may_be_pid || file.owner != Owner::Unknown) continue;
      if (written_.contains(number)) {
        file.owner = Owner::Job;
        file.pid = number;
        file.link = model::SharedLink::Name;
      } else if (is_other_process(number)) {
        file.owner = Owner::Others;
      }
    }
  }
}

// In /tmp, which every program uses, a file that the job only reads need not be its own.
void SharedFiles::attribute_open_files(std::span<const OpenFile> open, Owner owner) {
  for (const OpenFile& each : open) {
    if (each.is_memfd || (owner == Owner::Job && each.folder > 0 && !each.is_written)) continue;
    const auto found = files_.find(Key(each.device, each.inode));
    if (found == files_.end()) continue;
    File& file = found->second;
    if (file.owner == Owner::Unknown) file.owner = owner;
    if (owner != Owner::Job || file.owner != Owner::Job || file.pid != 0) continue;
    file.pid = each.pid;
    file.link = model::SharedLink::Open;
  }
}

void SharedFiles::attribute_by_shape() {
  std::map<std::string, Owner> owners;  // Unknown: of several
  for (const auto& [key, file] : files_) {
    if (file.owner == Owner::Unknown) continue;
    const auto [known, is_new] = owners.emplace(file.shape, file.owner);
    if (!is_new && known->second != file.owner) known->second = Owner::Unknown;
  }
  for (auto& [key, file] : files_) {
    const auto known = owners.find(file.shape);
    const bool is_telling = file.folder == 0 || has_telling_name(file.shape);
    if (file.owner == Owner::Unknown && known != owners.end() && is_telling) file.owner = known->second;
  }
}

// What came since the call before was written since then.
void SharedFiles::find_writer() {
  const auto has_no_process = [&](const File& file) { return file.is_new && file.pid == 0 && counts(file); };
  std::uint64_t bytes = 0;
  for (const auto& [key, file] : files_) {
    if (has_no_process(file)) bytes += file.bytes;
  }
  const auto writer = written_.only_writer(bytes);
  if (!writer) return;
  for (auto& [key, file] : files_) {
    if (!has_no_process(file)) continue;
    file.pid = *writer;
    file.link = model::SharedLink::Writer;
  }
}

// A live process of the same user that is not part of the job, and did not start lowtide.
bool SharedFiles::is_other_process(std::int64_t pid) const {
  if (pid <= 1 || written_.contains(pid) || ancestors_.contains(pid)) return false;
  const auto user = user_of(roots_.proc, pid);
  return user && users_.contains(*user);
}

}  // namespace lowtide::observe
