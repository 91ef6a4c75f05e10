// What each process of the job handed to write(), and what it touched in mapped memory: at most that can be
// in files that it made.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace lowtide::observe {

class WrittenBytes {
 public:
  // `counts_from_start`: also what the processes of the first call wrote before it.
  explicit WrittenBytes(std::string proc, bool counts_from_start = false)
      : proc_(std::move(proc)), has_begun_(counts_from_start) {}

  // Reads the counters of the kernel. What a process wrote before the first call is not counted.
  void read(std::span<const std::int64_t> pids);

  // By all processes since the first call. More than can be where a counter may not be read.
  [[nodiscard]] std::uint64_t all() const;
  [[nodiscard]] bool contains(std::int64_t pid) const { return written_.contains(pid); }

  // The process that alone can have written this much since the call before the last: all the others together
  // wrote less than a quarter of it. None: there are several, a counter may not be read, or a process started
  // or ended in this time.
  [[nodiscard]] std::optional<std::int64_t> only_writer(std::uint64_t bytes) const;

 private:
  struct Written {
    std::uint64_t first_bytes = 0;
    std::uint64_t before_bytes = 0;  // at the call before the last
    std::uint64_t last_bytes = 0;
    bool is_known = true;
  };

  std::string proc_;
  bool has_begun_ = false;
  std::vector<std::int64_t> pids_;  // of the last call
  bool are_same_pids_ = false;      // as at the call before
  std::map<std::int64_t, Written> written_;
};

}  // namespace lowtide::observe
