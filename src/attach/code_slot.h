// A place for the stub in the target's memory.

#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "attach/target_image.h"
#include "symbols/target_files.h"

namespace lowtide::attach {

struct CodeSlot {
  std::uint64_t address = 0;
  std::vector<std::byte> code;  // as it must be there
  bool is_written = false;      // it is there already
};

class CodeSlots {
 public:
  // Reads what the files have where there is room: bytes that are still so are free.
  CodeSlots(const symbols::TargetFiles& files, const std::vector<Room>& rooms);

  // For a thread that goes back to `pc`. Never one whose code somebody may be running,
  // unless that is the same code. Reads the target's memory, no file.
  [[nodiscard]] std::optional<CodeSlot> find(pid_t pid, std::uint64_t pc) const;

 private:
  struct Candidate {
    std::uint64_t address = 0;
    std::vector<std::byte> original;
  };

  std::vector<Candidate> candidates_;
};

}  // namespace lowtide::attach
