// Files in memory that the job made: in /dev/shm, and in other tmpfs that it writes to. The file system does
// not record which process made a file, and other jobs of the same user make files there too. So a file is
// attributed by evidence:
//
// - its name contains the pid of a process of the job, or of another live process (`torch_4711_...`)
// - a process of the job, or another one of the same user, has it open
// - it is named like files that were attributed ("psm_*")
//
// What is left in /dev/shm counts if the processes of the job wrote that much, by the kernel's counters of
// writes and page faults. Otherwise it belongs to somebody else. In other tmpfs, as /tmp, every program makes
// files: there it does not count.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/shared_group.h"
#include "observe/tree/open_files.h"
#include "observe/tree/tmpfs_folders.h"
#include "observe/tree/written_bytes.h"
#include "procfs/roots.h"

namespace lowtide::observe {

// A name with "*" for numbers: "batch*.npy" of "batch0012.npy", "psm_*" of "psm_4f1a90cc".
std::string shape_of(std::string_view path);

class SharedFiles {
 public:
  // `since_unix_s`: when the job began; absent: now.
  explicit SharedFiles(procfs::Roots roots, std::optional<double> since_unix_s = {});

  // The bytes of the job's files that were made since then. `pids`: its processes now; `open`:
  // what they have open.
  std::uint64_t read(std::span<const std::int64_t> pids, std::span<const TmpfsFolder> folders,
                     std::span<const OpenFile> open);
  // Of the files that count, in no order.
  [[nodiscard]] std::vector<model::SharedGroup> groups() const;
  // In one of the folders.
  [[nodiscard]] std::uint64_t bytes_in(std::size_t folder) const;

 private:
  enum class Owner { Unknown, Job, Others };
  using Key = std::pair<dev_t, ino_t>;
  struct File {
    std::size_t folder = 0;
    std::string shape = {};                  // its path with "*" for numbers
    std::vector<std::int64_t> numbers = {};  // in its path
    std::uint64_t bytes = 0;
    Owner owner = Owner::Unknown;
    std::int64_t pid = 0;  // of the process that made or holds it; 0: not known
    model::SharedLink link = model::SharedLink::Unknown;
    bool is_there = false;
    bool is_new = true;  // came since the call before
  };

  void leave_out_own_files(std::span<const std::int64_t> pids, std::span<const TmpfsFolder> folders);
  void list_folder(std::size_t number, const TmpfsFolder& folder, std::span<const OpenFile> open);
  void list_files(std::size_t number, const TmpfsFolder& folder, const std::string& path, int depth);
  [[nodiscard]] bool is_foreign(std::size_t folder, const Key& key, const std::string& path) const;
  [[nodiscard]] bool is_of_early_job(const std::string& path) const;
  static void set_name(File& file, const TmpfsFolder& folder, std::string_view name);
  void take_deleted(std::span<const TmpfsFolder> folders, std::span<const OpenFile> open);
  void attribute(std::span<const std::int64_t> pids, std::span<const TmpfsFolder> folders,
                 std::span<const OpenFile> open);
  void attribute_by_numbers();
  void attribute_open_files(std::span<const OpenFile> open, Owner owner);
  void attribute_by_shape();
  void find_writer();
  [[nodiscard]] bool counts(const File& file) const;
  [[nodiscard]] bool has_unknown() const;
  [[nodiscard]] bool is_other_process(std::int64_t pid) const;

  procfs::Roots roots_;
  bool has_begun_ = false;
  bool knows_start_ = false;
  double began_unix_s_ = 0;
  std::set<std::size_t> seen_;        // folders
  std::size_t listed_ = 0;            // of the folder that is listed
  std::set<uid_t> users_;             // of the job
  std::set<Key> foreign_;             // of files that were there before, and of lowtide's own
  std::map<Key, File> files_;         // that came since
  WrittenBytes written_;              // by each process of the job until now
  bool counts_unknown_ = false;       // files that nobody is known to have made
  std::set<std::int64_t> ancestors_;  // of lowtide itself: a script may name files after its own pid
};

}  // namespace lowtide::observe
