// A tick parses this text for every process, so the sixty lines are distinguished
// by their first letters, and nothing is read after "Threads:", the last that
// we want: the long lines of signals and CPUs come after it.
//
// The kernel escapes newlines in the name, so a process cannot forge a line.
#include "procfs/status.h"

#include "procfs/scan.h"

namespace lowtide::procfs {
namespace {

struct Seen {
  bool pid = false;
  bool ppid = false;
  bool state = false;
  bool anon = false;
};

bool take_namespace_pids(std::string_view value, Status& status) {
  status.ns_depth = 0;
  std::int64_t pid = 0;
  while (status.ns_depth < kMaxPidNamespaces && take_number(value, pid)) {
    status.ns_pids[status.ns_depth++] = pid;
  }
  return status.ns_depth > 0;
}

bool add_kilobytes(std::string_view value, std::uint64_t& sum_bytes) {
  std::uint64_t bytes = 0;
  if (!take_kilobytes(value, bytes)) return false;
  sum_bytes += bytes;
  return true;
}

// Vm... and Rss...
bool take_memory_line(std::string_view key, std::string_view value, Status& status, Seen& seen) {
  if (key == "VmRSS") {
    status.has_memory = true;
    return take_kilobytes(value, status.rss_bytes);
  }
  if (key == "VmHWM") {
    return take_kilobytes(value, status.hwm_bytes);
  }
  if (key == "VmSwap") {
    return take_kilobytes(value, status.swap_bytes);
  }
  if (key == "VmData" || key == "VmStk") {
    return add_kilobytes(value, status.writable_bytes);
  }
  if (key == "RssAnon") {
    seen.anon = true;
    return take_kilobytes(value, status.anon_bytes);
  }
  if (key == "RssFile") {
    return take_kilobytes(value, status.file_bytes);
  }
  if (key == "RssShmem") {
    return take_kilobytes(value, status.shmem_bytes);
  }
  return true;
}

// The lines that every process has.
bool take_identity_line(std::string_view key, std::string_view value, Status& status, Seen& seen) {
  if (key == "State") {
    skip_blanks(value);
    seen.state = !value.empty();
    status.state = value.empty() ? '?' : value.front();
    return seen.state;
  }
  if (key == "Pid") {
    seen.pid = true;
    return take_number(value, status.pid);
  }
  if (key == "PPid") {
    seen.ppid = true;
    return take_number(value, status.ppid);
  }
  if (key == "Uid") {
    return take_number(value, status.uid);
  }
  if (key == "NSpid") {
    return take_namespace_pids(value, status);
  }
  if (key == "Threads") {
    return take_number(value, status.threads);
  }
  return true;
}

}  // namespace

base::Result<Status> parse_status(std::string_view text) {
  Status status;
  Seen seen;
  while (!text.empty()) {
    const char first = text.front();
    const std::string_view line = take_line(text);
    const bool memory = first == 'V' || first == 'R';
    if (!memory && first != 'S' && first != 'P' && first != 'U' && first != 'N' && first != 'T') {
      continue;
    }
    const auto pair = split_key(line);
    if (!pair) {
      continue;
    }
    const bool taken = memory ? take_memory_line(pair->key, pair->value, status, seen)
                              : take_identity_line(pair->key, pair->value, status, seen);
    if (!taken) {
      return base::Error{base::ErrorCode::Malformed, "status has no number at " + std::string(pair->key)};
    }
    if (pair->key == "Threads") {
      break;
    }
  }
  if (!seen.pid || !seen.ppid || !seen.state) {
    return base::Error{base::ErrorCode::Malformed, "status has no Pid, PPid or State"};
  }
  status.has_split = seen.anon;
  return status;
}

}  // namespace lowtide::procfs
