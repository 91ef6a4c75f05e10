// Lines that say what ended the job: killed, out of memory, restarted.
//
// Events are rare and their text matters, digits and all, so they are read from
// the line itself and never from a shape. Some take several lines: the
// kernel writes up to a hundred about one kill, and a long CUDA message is
// wrapped by whatever carried it. Both become one event.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/report.h"

namespace lowtide::ingest {

class EventReader {
 public:
  // One line; gives the event that is complete now, if any.
  std::optional<model::Event> read(std::string_view text, std::uint64_t line);

  // True while a message goes on over lines: then every line must be shown to read().
  [[nodiscard]] bool collecting() const { return !wrapped_.empty(); }

  // What is still open when the log ends.
  std::optional<model::Event> finish();

 private:
  std::optional<model::Event> read_kernel(std::string_view text, std::uint64_t line);
  std::optional<model::Event> close_wrapped();

  std::string wrapped_;  // the part of a CUDA message that has been read
  std::uint64_t wrapped_line_ = 0;
  int wrapped_lines_ = 0;
  std::int64_t killed_pid_ = -1;  // the kernel's last victim: later lines about it are the same event
  std::uint64_t killed_line_ = 0;
  std::optional<model::Event> open_kill_;  // told by the kernel, victim's size not yet
};

}  // namespace lowtide::ingest
