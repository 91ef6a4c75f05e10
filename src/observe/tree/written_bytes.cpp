#include "observe/tree/written_bytes.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "procfs/stat.h"
#include "procfs/text_file.h"

namespace lowtide::observe {
namespace {

constexpr std::size_t kMostWriters = 100'000;
constexpr std::uint64_t kAnything = std::uint64_t{1} << 42U;

// None: the counters may not be read.
std::optional<std::uint64_t> written_by(const std::string& proc, std::int64_t pid) {
  constexpr std::string_view kWrites = "wchar: ";
  const auto io = procfs::read_text(fmt::format("{}/{}/io", proc, pid));
  const std::size_t at = io ? io.value().find(kWrites) : std::string::npos;
  if (at == std::string::npos) return std::nullopt;
  const std::string_view number = std::string_view(io.value()).substr(at + kWrites.size());
  std::uint64_t bytes = 0;
  std::from_chars(number.data(), number.data() + number.size(), bytes);
  const auto text = procfs::read_text(fmt::format("{}/{}/stat", proc, pid));
  const auto stat = text ? procfs::parse_stat(text.value()) : base::Result<procfs::Stat>(text.error());
  const auto page_bytes = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return stat ? bytes + stat.value().minor_faults * page_bytes : bytes;
}

}  // namespace

void WrittenBytes::read(std::span<const std::int64_t> pids) {
  for (auto& [pid, written] : written_) written.before_bytes = written.last_bytes;
  std::vector<std::int64_t> sorted(pids.begin(), pids.end());
  std::sort(sorted.begin(), sorted.end());
  are_same_pids_ = sorted == pids_;
  pids_ = std::move(sorted);
  for (const std::int64_t pid : pids) {
    if (written_.size() == kMostWriters && !written_.contains(pid)) continue;
    const auto read = written_by(proc_, pid);
    const std::uint64_t bytes = read.value_or(kAnything);
    const std::uint64_t first_bytes = has_begun_ || !read ? 0 : bytes;
    const auto [known, is_new] = written_.emplace(pid, Written{.first_bytes = first_bytes,
                                                               .before_bytes = first_bytes,
                                                               .last_bytes = bytes,
                                                               .is_known = read.has_value()});
    // At its end a process may no longer be read.
    if (read) known->second.last_bytes = std::max(known->second.last_bytes, bytes);
  }
  has_begun_ = true;
}

std::uint64_t WrittenBytes::all() const {
  std::uint64_t bytes = 0;
  for (const auto& [pid, written] : written_) bytes += written.last_bytes - written.first_bytes;
  return bytes;
}

std::optional<std::int64_t> WrittenBytes::only_writer(std::uint64_t bytes) const {
  if (!are_same_pids_) return std::nullopt;
  std::uint64_t all_bytes = 0;
  std::uint64_t most_bytes = 0;
  std::optional<std::int64_t> most;
  for (const auto& [pid, written] : written_) {
    if (!written.is_known) return std::nullopt;
    const std::uint64_t now_bytes = written.last_bytes - written.before_bytes;
    all_bytes += now_bytes;
    if (now_bytes <= most_bytes) continue;
    most_bytes = now_bytes;
    most = pid;
  }
  const bool is_only = bytes > 0 && most_bytes >= bytes && all_bytes - most_bytes < bytes / 4;
  return is_only ? most : std::nullopt;
}

}  // namespace lowtide::observe
