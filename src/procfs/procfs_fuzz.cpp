// All parsers of the kernel's text on arbitrary bytes. In a container another
// program may stand in for /proc (lxcfs, gVisor), and names come from the job.
// The first byte chooses the parser.
#include <csignal>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "procfs/cgroup.h"
#include "procfs/cgroup_path.h"
#include "procfs/meminfo.h"
#include "procfs/pressure.h"
#include "procfs/process_info.h"
#include "procfs/rights.h"
#include "procfs/smaps_rollup.h"
#include "procfs/stat.h"
#include "procfs/statm.h"
#include "procfs/status.h"
#include "procfs/tmpfs_mounts.h"

namespace {

namespace procfs = lowtide::procfs;

void try_process(unsigned which, std::string_view text) {
  if (which == 0) {
    (void)procfs::parse_statm(text, 65536);
  } else if (which == 1) {
    const auto status = procfs::parse_status(text);
    LOWTIDE_CHECK(!status || status.value().ns_depth <= procfs::kMaxPidNamespaces, "namespaces fit");
  } else if (which == 2) {
    const auto stat = procfs::parse_stat(text);
    LOWTIDE_CHECK(!stat || stat.value().comm_length <= stat.value().comm_text.size(), "the name fits");
  } else if (which == 3) {
    (void)procfs::parse_smaps_rollup(text);
  } else {
    (void)procfs::parse_fdinfo(text);
  }
}

void try_machine(unsigned which, std::string_view text) {
  if (which == 6) {
    const auto meminfo = procfs::parse_meminfo(text);
    LOWTIDE_CHECK(!meminfo || meminfo.value().total_bytes > 0, "a machine has memory");
  } else if (which == 7) {
    (void)procfs::parse_pressure(text);
  } else if (which == 8) {
    (void)procfs::parse_cgroup_membership(text);
  } else if (which == 9) {
    (void)procfs::parse_cgroup_mounts(text);
    for (const procfs::TmpfsMount& mount : procfs::parse_tmpfs_mounts(text))
      LOWTIDE_CHECK(mount.point.starts_with('/'), "a mount point is an absolute path");
  } else if (which == 10) {
    (void)procfs::parse_cgroup_limit(text);
    (void)procfs::parse_cgroup_events(text);
  } else if (which == 11) {
    (void)procfs::parse_cgroup_stat(text, 1);
    (void)procfs::parse_cgroup_stat(text, 2);
  } else if (which == 12) {
    (void)procfs::parse_capabilities(text);
    (void)procfs::would_die_of(text, SIGUSR2);
  } else {
    procfs::MappedLibraries found;
    procfs::note_library(text, found);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const unsigned which = data[0] % 14U;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (which < 6) {
    try_process(which, text);
  } else {
    try_machine(which, text);
  }
  return 0;
}
