// Files in /dev/shm that the job made. The file system does not record which process made a file, and other
// jobs of the same user make files there too. So a file is attributed by evidence:
//
// - its name contains the pid of a process of the job, or of another live process (`torch_4711_...`)
// - a process of the job, or another one of the same user, has it open
// - it is named like files that were attributed ("psm_#")
//
// What is left counts if the processes of the job wrote that much, by the kernel's counters of writes and
// page faults. Otherwise it belongs to somebody else.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "procfs/roots.h"

namespace lowtide::observe {

// Objects with similar names.
struct SharedGroup {
  std::string shape;  // "/dev/shm/batch#.npy"
  std::size_t count = 0;
  std::uint64_t bytes = 0;
};

// A name with "#" for numbers: "batch#.npy" of "batch0012.npy", "psm_#" of "psm_4f1a90cc".
std::string shape_of(std::string_view path);

class SharedFiles {
 public:
  explicit SharedFiles(procfs::Roots roots) : roots_(std::move(roots)) {}

  // The bytes of the job's files that were not there at the first call. `pids`: its processes now.
  std::uint64_t read(std::span<const std::int64_t> pids);
  // Of the files that count; empty where there is none.
  [[nodiscard]] SharedGroup largest_group() const;

 private:
  enum class Owner { Unknown, Job, Others };
  using Key = std::pair<dev_t, ino_t>;
  struct File {
    std::string shape;                  // its path with "#" for numbers
    std::vector<std::int64_t> numbers;  // in its path
    std::uint64_t bytes = 0;
    Owner owner = Owner::Unknown;
    bool is_there = false;
  };

  void list_files(const std::string& folder, int depth);
  void attribute(std::span<const std::int64_t> pids);
  void attribute_by_numbers();
  void attribute_open_files(std::int64_t pid, Owner owner);
  void attribute_by_shape();
  void note_written(std::span<const std::int64_t> pids);
  [[nodiscard]] bool has_unknown() const;
  [[nodiscard]] bool is_other_process(std::int64_t pid) const;
  [[nodiscard]] std::uint64_t written_bytes() const;

  struct Written {
    std::uint64_t first_bytes = 0;
    std::uint64_t last_bytes = 0;
  };

  procfs::Roots roots_;
  bool has_begun_ = false;
  std::size_t listed_ = 0;                   // by the call that runs
  std::set<uid_t> users_;                    // of the job
  std::set<Key> foreign_;                    // files that were there before
  std::map<Key, File> files_;                // that came since
  std::map<std::int64_t, Written> written_;  // by each process of the job until now
  bool counts_unknown_ = false;              // files that nobody is known to have made
  std::set<std::int64_t> ancestors_;         // of lowtide itself: a script may name files after its own pid
};

}  // namespace lowtide::observe
