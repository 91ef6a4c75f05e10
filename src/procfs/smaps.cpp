#include "procfs/smaps.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "procfs/scan.h"
#include "procfs/text_file.h"

namespace lowtide::procfs {
namespace {

// A job that maps a file per sample can have a million names: those that came
// first are distinguished, the sums hold all.
constexpr std::size_t kMostNames = 4096;
// A path has 4 KiB, escaped at most four times as many.
constexpr std::size_t kLongestLine = 32768;

void add(MappingBytes& sum, const MappingBytes& one) {
  sum.mappings += one.mappings;
  sum.size_bytes += one.size_bytes;
  sum.rss_bytes += one.rss_bytes;
  sum.pss_bytes += one.pss_bytes;
  sum.private_dirty_bytes += one.private_dirty_bytes;
  sum.swap_bytes += one.swap_bytes;
}

// "7f00-7f10 rw-p 00000000 00:00 0    name": keys begin with a capital letter.
bool is_header(std::string_view line) {
  if (line.empty()) {
    return false;
  }
  const char first = line.front();
  return ((first >= '0' && first <= '9') || (first >= 'a' && first <= 'f')) &&
         line.find('-') != std::string_view::npos;
}

std::string_view name_of(std::string_view header) {
  for (int field = 0; field < 5; ++field) {
    take_word(header);
  }
  skip_blanks(header);
  return header;
}

std::uint64_t* field_of(MappingBytes& bytes, std::string_view key) {
  if (key == "Size") {
    return &bytes.size_bytes;
  }
  if (key == "Rss") {
    return &bytes.rss_bytes;
  }
  if (key == "Pss") {
    return &bytes.pss_bytes;
  }
  if (key == "Private_Dirty") {
    return &bytes.private_dirty_bytes;
  }
  return key == "Swap" ? &bytes.swap_bytes : nullptr;
}

}  // namespace

std::string_view to_word(MappingKind kind) {
  switch (kind) {
    case MappingKind::Heap:
      return "heap";
    case MappingKind::Stack:
      return "stack";
    case MappingKind::Anonymous:
      return "anonymous";
    case MappingKind::File:
      return "file";
    case MappingKind::SharedMemory:
      return "shared-memory";
    case MappingKind::Deleted:
      return "deleted";
    case MappingKind::Kernel:
      return "kernel";
  }
  return "anonymous";
}

MappingKind classify_mapping(std::string_view name) {
  if (name.empty() || name.starts_with("[anon:") || name.starts_with("/anon_hugepage")) {
    return MappingKind::Anonymous;
  }
  if (name == "[heap]") {
    return MappingKind::Heap;
  }
  if (name.starts_with("[stack")) {
    return MappingKind::Stack;
  }
  // Shared anonymous memory is a deleted /dev/zero in the kernel's eyes.
  for (const std::string_view shared :
       {"/dev/shm/", "/memfd:", "/SYSV", "/dev/zero", "[anon_shmem:", "/run/shm/"}) {
    if (name.starts_with(shared)) {
      return MappingKind::SharedMemory;
    }
  }
  if (name.starts_with('[')) {
    return MappingKind::Kernel;
  }
  return name.ends_with(kDeletedMark) ? MappingKind::Deleted : MappingKind::File;
}

void SmapsParser::feed(std::string_view piece) {
  while (!piece.empty()) {
    const std::size_t end = piece.find('\n');
    const std::string_view part = piece.substr(0, end);
    if (end != std::string_view::npos && carry_.empty() && !line_too_long_) {
      take_line(part);
    } else {
      line_too_long_ = line_too_long_ || carry_.size() + part.size() > kLongestLine;
      if (!line_too_long_) {
        carry_ += part;
      }
      if (end != std::string_view::npos) {
        if (!line_too_long_) {
          take_line(carry_);
        }
        carry_.clear();
        line_too_long_ = false;
      }
    }
    piece.remove_prefix(end == std::string_view::npos ? piece.size() : end + 1);
  }
}

void SmapsParser::take_line(std::string_view line) {
  if (is_header(line)) {
    close_mapping();
    in_mapping_ = true;
    name_ = name_of(line);
    current_ = {.mappings = 1};
    return;
  }
  const auto pair = split_key(line);
  std::uint64_t* field = pair && in_mapping_ ? field_of(current_, pair->key) : nullptr;
  if (field != nullptr) {
    take_kilobytes(pair->value, *field);
  }
}

void SmapsParser::close_mapping() {
  if (!in_mapping_) {
    return;
  }
  in_mapping_ = false;
  const MappingKind kind = classify_mapping(name_);
  add(sums_.total, current_);
  add(sums_.by_kind[static_cast<std::size_t>(kind)], current_);
  auto found = names_.find(name_);
  if (found == names_.end()) {
    if (names_.size() >= kMostNames) {
      sums_.names_cut = true;
      return;
    }
    found = names_.emplace(name_, NamedMapping{name_, kind, {}}).first;
  }
  add(found->second.bytes, current_);
}

base::Result<Smaps> SmapsParser::finish(std::size_t top_names) {
  if (!carry_.empty() && !line_too_long_) {
    take_line(carry_);
  }
  carry_.clear();
  close_mapping();
  if (sums_.total.mappings == 0) {
    return base::Error{base::ErrorCode::Malformed, "smaps has no mapping"};
  }
  Smaps smaps = sums_;
  for (const auto& [name, mapping] : names_) {
    smaps.top.push_back(mapping);
  }
  std::sort(smaps.top.begin(), smaps.top.end(), [](const NamedMapping& a, const NamedMapping& b) {
    return a.bytes.pss_bytes != b.bytes.pss_bytes ? a.bytes.pss_bytes > b.bytes.pss_bytes : a.name < b.name;
  });
  if (smaps.top.size() > top_names) {
    smaps.top.resize(top_names);
  }
  return smaps;
}

base::Result<Smaps> read_smaps(const Roots& roots, std::int32_t pid, std::size_t top_names) {
  const std::string path = roots.proc + "/" + std::to_string(pid) + "/smaps";
  auto fd = open_text(AT_FDCWD, path.c_str());
  if (!fd) {
    return std::move(fd).error();
  }
  SmapsParser parser;
  std::array<char, 65536> piece{};
  while (true) {
    const ssize_t got = ::read(fd.value().get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      return make_system_error(errno, path);
    }
    if (got == 0) {
      break;
    }
    parser.feed({piece.data(), static_cast<std::size_t>(got)});
  }
  auto smaps = parser.finish(top_names);
  if (!smaps) {
    // Kernel threads and zombies have an empty one.
    return base::Error{base::ErrorCode::Gone, path + ": the process has no memory"};
  }
  return smaps;
}

}  // namespace lowtide::procfs
