#include "observe/tree/shared_files.h"

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
constexpr std::size_t kMostProcesses = 4'000;
constexpr std::size_t kMostWriters = 100'000;
constexpr std::uint64_t kAnything = std::uint64_t{1} << 42U;
constexpr int kDeepest = 4;  // folders below /dev/shm

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

// What a process handed to write(), and what it touched in mapped memory: at most that can be in files that
// it made. None: the counters may not be read.
std::optional<std::uint64_t> written_by(const std::string& proc, std::int64_t pid) {
  constexpr std::string_view kWrites = "wchar: ";
  const auto io = procfs::read_text(fmt::format("{}/{}/io", proc, pid));
  const std::size_t at = io ? io.value().find(kWrites) : std::string::npos;
  if (at == std::string::npos) return std::nullopt;
  const std::string_view number = std::string_view(io.value()).substr(at + kWrites.size());
  std::uint64_t bytes = 0;
  std::from_chars(number.data(), number.data() + number.size(), bytes);
  const auto stat = read_stat(proc, pid);
  const auto page_bytes = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return stat ? bytes + stat->minor_faults * page_bytes : bytes;
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
      out += is_counted ? std::string(word.substr(0, digits)) + "#" : "#";
    }
    at = end;
  }
  return out;
}

std::uint64_t SharedFiles::read(std::span<const std::int64_t> pids) {
  for (const std::int64_t pid : pids) {
    if (const auto user = user_of(roots_.proc, pid)) users_.insert(*user);
  }
  note_written(pids);
  for (auto& [key, file] : files_) file.is_there = false;
  listed_ = 0;
  list_files(roots_.shm, 0);
  std::erase_if(files_, [](const auto& each) { return !each.second.is_there; });
  has_begun_ = true;
  if (has_unknown()) attribute(pids);
  std::uint64_t owned = 0;
  std::uint64_t unknown = 0;
  for (const auto& [key, file] : files_) {
    if (file.owner == Owner::Job) owned += file.bytes;
    if (file.owner == Owner::Unknown) unknown += file.bytes;
  }
  counts_unknown_ = owned + unknown <= written_bytes();
  return counts_unknown_ ? owned + unknown : owned;
}

SharedGroup SharedFiles::largest_group() const {
  std::map<std::string_view, SharedGroup> groups;
  SharedGroup largest;
  for (const auto& [key, file] : files_) {
    if (file.owner == Owner::Others || (file.owner == Owner::Unknown && !counts_unknown_)) continue;
    SharedGroup& group = groups[file.shape];
    ++group.count;
    group.bytes += file.bytes;
    if (group.bytes > largest.bytes) largest = {roots_.shm + file.shape, group.count, group.bytes};
  }
  return largest;
}

void SharedFiles::list_files(const std::string& folder, int depth) {
  for_each_entry(folder, kMostFiles, [&](const std::filesystem::path& path) {
    struct stat status {};
    if (listed_ == kMostFiles || ::lstat(path.c_str(), &status) != 0) return;
    if (S_ISDIR(status.st_mode) && depth < kDeepest) list_files(path.string(), depth + 1);
    if (!S_ISREG(status.st_mode)) return;
    ++listed_;
    const Key key(status.st_dev, status.st_ino);
    if (!has_begun_) foreign_.insert(key);
    if (foreign_.contains(key) || !users_.contains(status.st_uid)) return;
    File& file = files_[key];
    if (file.shape.empty()) {
      const std::string name = path.string().substr(std::min(path.string().size(), roots_.shm.size()));
      file.shape = shape_of(name);
      file.numbers = numbers_in(name);
    }
    file.bytes = taken_bytes(status);
    file.is_there = true;
  });
}

bool SharedFiles::has_unknown() const {
  return std::any_of(files_.begin(), files_.end(),
                     [](const auto& each) { return each.second.owner == Owner::Unknown; });
}

void SharedFiles::attribute(std::span<const std::int64_t> pids) {
  attribute_by_numbers();
  for (const std::int64_t pid : pids) attribute_open_files(pid, Owner::Job);
  attribute_by_shape();
  if (!has_unknown()) return;
  for_each_entry(roots_.proc, kMostProcesses, [&](const std::filesystem::path& path) {
    const std::string name = path.filename().string();
    std::int64_t pid = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (error == std::errc() && end == name.data() + name.size() && is_other_process(pid))
      attribute_open_files(pid, Owner::Others);
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
      if (written_.contains(number)) file.owner = Owner::Job;
      if (is_other_process(number)) file.owner = Owner::Others;
    }
  }
}

void SharedFiles::attribute_open_files(std::int64_t pid, Owner owner) {
  for_each_entry(fmt::format("{}/{}/fd", roots_.proc, pid), kMostDescriptors,
                 [&](const std::filesystem::path& path) {
                   // stat() of another file may wait for a file system that does not answer.
                   std::error_code error;
                   const std::string target = std::filesystem::read_symlink(path, error).string();
                   struct stat status {};
                   if (error || !target.starts_with(roots_.shm) || ::stat(path.c_str(), &status) != 0) return;
                   const auto file = files_.find(Key(status.st_dev, status.st_ino));
                   if (file != files_.end() && file->second.owner == Owner::Unknown)
                     file->second.owner = owner;
                 });
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
    if (file.owner == Owner::Unknown && known != owners.end()) file.owner = known->second;
  }
}

// A live process of the same user that is not part of the job, and did not start lowtide.
bool SharedFiles::is_other_process(std::int64_t pid) const {
  if (pid <= 1 || written_.contains(pid) || ancestors_.contains(pid)) return false;
  const auto user = user_of(roots_.proc, pid);
  return user && users_.contains(*user);
}

void SharedFiles::note_written(std::span<const std::int64_t> pids) {
  if (!has_begun_) {
    for (std::int64_t pid = ::getpid(); pid > 1 && ancestors_.insert(pid).second;) {
      const auto stat = read_stat(roots_.proc, pid);
      pid = stat ? stat->ppid : 0;
    }
  }
  for (const std::int64_t pid : pids) {
    if (written_.size() == kMostWriters && !written_.contains(pid)) continue;
    const auto read = written_by(roots_.proc, pid);
    const std::uint64_t bytes = read.value_or(kAnything);
    const auto [known, is_new] = written_.emplace(pid, Written{has_begun_ || !read ? 0 : bytes, bytes});
    // At its end a process may no longer be read.
    if (read) known->second.last_bytes = std::max(known->second.last_bytes, bytes);
  }
}

std::uint64_t SharedFiles::written_bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& [pid, written] : written_) bytes += written.last_bytes - written.first_bytes;
  return bytes;
}

}  // namespace lowtide::observe
