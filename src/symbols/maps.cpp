#include "symbols/maps.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <optional>
#include <system_error>

#include "base/fd.h"

namespace lowtide::symbols {
namespace {

constexpr std::string_view kDeletedMark = " (deleted)";
constexpr std::string_view kNewline = "\\012";
// The kernel allows 65,530 mappings unless told otherwise; a path has 4 KiB.
constexpr std::size_t kMostMappings = 1U << 20U;
constexpr std::size_t kMostTextBytes = 256U << 20U;

bool take_hex(std::string_view& text, auto& into) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into, 16);
  if (error != std::errc{}) {
    return false;
  }
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

bool take_char(std::string_view& text, char wanted) {
  if (text.empty() || text.front() != wanted) {
    return false;
  }
  text.remove_prefix(1);
  return true;
}

bool take_permissions(std::string_view& text, Mapping& mapping) {
  if (text.size() < 4) {
    return false;
  }
  mapping.readable = text[0] == 'r';
  mapping.executable = text[2] == 'x';
  text.remove_prefix(4);
  return true;
}

bool take_inode(std::string_view& text, std::uint64_t& inode) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), inode);
  if (error != std::errc{}) {
    return false;
  }
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

std::string unescape(std::string_view name) {
  std::string text;
  text.reserve(name.size());
  while (!name.empty()) {
    if (name.starts_with(kNewline)) {
      text += '\n';
      name.remove_prefix(kNewline.size());
    } else {
      text += name.front();
      name.remove_prefix(1);
    }
  }
  return text;
}

MappingKind kind_of(std::string_view name, std::uint64_t inode) {
  if (name == "[vdso]") {
    return MappingKind::Vdso;
  }
  if (name.starts_with("/memfd:")) {
    return MappingKind::Memfd;
  }
  // Names that the kernel or the target made up have no inode or no slash.
  return name.starts_with('/') && inode != 0 ? MappingKind::File : MappingKind::Anonymous;
}

void take_name(std::string_view text, Mapping& mapping) {
  const std::size_t begin = text.find_first_not_of(' ');
  std::string_view name = begin == std::string_view::npos ? std::string_view{} : text.substr(begin);
  mapping.kind = kind_of(name, mapping.inode);
  const bool names_file = mapping.kind == MappingKind::File || mapping.kind == MappingKind::Memfd;
  if (names_file && name.ends_with(kDeletedMark)) {
    mapping.deleted = true;
    name.remove_suffix(kDeletedMark.size());
  }
  mapping.path = unescape(name);
}

std::optional<Mapping> parse_line(std::string_view line) {
  Mapping mapping;
  if (!take_hex(line, mapping.start) || !take_char(line, '-') || !take_hex(line, mapping.end) ||
      !take_char(line, ' ') || !take_permissions(line, mapping) || !take_char(line, ' ') ||
      !take_hex(line, mapping.file_offset_bytes) || !take_char(line, ' ') ||
      !take_hex(line, mapping.device_major) || !take_char(line, ':') ||
      !take_hex(line, mapping.device_minor) || !take_char(line, ' ') || !take_inode(line, mapping.inode) ||
      mapping.start >= mapping.end) {
    return std::nullopt;
  }
  take_name(line, mapping);
  return mapping;
}

base::Error system_error(const std::string& path) {
  const int number = errno;
  base::ErrorCode code = base::ErrorCode::Io;
  if (number == ENOENT || number == ESRCH) {
    code = base::ErrorCode::Gone;
  } else if (number == EACCES || number == EPERM) {
    code = base::ErrorCode::Denied;
  }
  return {code, path + ": " + std::generic_category().message(number)};
}

}  // namespace

base::Result<std::vector<Mapping>> parse_maps(std::string_view text) {
  std::vector<Mapping> mappings;
  while (!text.empty() && mappings.size() < kMostMappings) {
    const std::size_t end = text.find('\n');
    if (auto mapping = parse_line(text.substr(0, end))) {
      mappings.push_back(std::move(*mapping));
    }
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  if (mappings.empty()) {
    return base::Error{base::ErrorCode::Malformed, "maps has no mapping"};
  }
  // The kernel gives them in order and apart. Text that was read in pieces while
  // the target mapped and unmapped need not be: the one that came first stays.
  std::stable_sort(mappings.begin(), mappings.end(),
                   [](const Mapping& a, const Mapping& b) { return a.start < b.start; });
  std::size_t kept = 1;
  for (std::size_t at = 1; at < mappings.size(); ++at) {
    if (mappings[at].start >= mappings[kept - 1].end) {
      if (at != kept) {
        mappings[kept] = std::move(mappings[at]);
      }
      ++kept;
    }
  }
  mappings.resize(kept);
  return mappings;
}

const Mapping* find_mapping(const std::vector<Mapping>& mappings, std::uint64_t address) {
  const auto after =
      std::upper_bound(mappings.begin(), mappings.end(), address,
                       [](std::uint64_t wanted, const Mapping& mapping) { return wanted < mapping.start; });
  if (after == mappings.begin()) {
    return nullptr;
  }
  const Mapping& mapping = *std::prev(after);
  return address < mapping.end ? &mapping : nullptr;
}

base::Result<std::string> read_maps_text(const std::string& proc, std::int32_t pid) {
  const std::string path = proc + "/" + std::to_string(pid) + "/maps";
  const base::Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!fd.valid()) {
    return system_error(path);
  }
  std::string text;
  std::array<char, 16384> piece{};
  while (text.size() < kMostTextBytes) {
    const ssize_t got = ::read(fd.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      return system_error(path);
    }
    if (got == 0) {
      break;
    }
    text.append(piece.data(), static_cast<std::size_t>(got));
  }
  return text;
}

}  // namespace lowtide::symbols
