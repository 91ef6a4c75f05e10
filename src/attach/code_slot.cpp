#include "attach/code_slot.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "attach/remote_memory.h"
#include "attach/stub.h"

namespace lowtide::attach {
namespace {

constexpr std::uint64_t kSlotAlignment = 16;

std::size_t slot_bytes() {
  return (stub_code().size() + kSlotAlignment - 1) & ~(kSlotAlignment - 1);
}

// Nothing where the way back is too far for the branch (aarch64: 128 MiB).
std::optional<std::vector<std::byte>> make_code(std::uint64_t address, std::uint64_t pc) {
  std::vector<std::byte> code(stub_code().begin(), stub_code().end());
  code.resize(slot_bytes());
  if constexpr (!kStubIsShared) {
    const auto distance = static_cast<std::int64_t>(pc - (address + stub_back_offset()));
    constexpr std::int64_t kReach = std::int64_t{1} << 27U;
    if (distance >= kReach || distance < -kReach || distance % 4 != 0) {
      return std::nullopt;
    }
    const auto branch = 0x14000000U | (static_cast<std::uint32_t>(distance / 4) & 0x03ffffffU);
    std::memcpy(code.data() + stub_back_offset(), &branch, sizeof(branch));
  }
  return code;
}

}  // namespace

CodeSlots::CodeSlots(const symbols::TargetFiles& files, const std::vector<Room>& rooms) {
  for (const Room& room : rooms) {
    base::Fd fd = files.open_mapped(room.module_start, room.module_end);
    if (!fd.valid()) {
      fd = files.open(room.path);
    }
    if (!fd.valid()) {
      continue;
    }
    for (std::uint64_t at = 0; at + slot_bytes() <= room.bytes; at += slot_bytes()) {
      // Behind the end of the file a mapping holds zeros.
      std::vector<std::byte> original(slot_bytes());
      if (::pread(fd.get(), original.data(), original.size(),
                  static_cast<off_t>(room.file_offset_bytes + at)) >= 0) {
        candidates_.push_back({room.address + at, std::move(original)});
      }
    }
  }
}

std::optional<CodeSlot> CodeSlots::find(pid_t pid, std::uint64_t pc) const {
  std::optional<CodeSlot> free_slot;
  std::vector<std::byte> now(slot_bytes());
  for (const Candidate& candidate : candidates_) {
    auto code = make_code(candidate.address, pc);
    if (!code || !read_memory(pid, candidate.address, now)) {
      continue;
    }
    if (now == *code) {
      return CodeSlot{candidate.address, std::move(*code), true};
    }
    if (!free_slot && now == candidate.original) {
      free_slot = CodeSlot{candidate.address, std::move(*code), false};
      if (kStubIsShared) {
        return free_slot;  // the first room is where it would have been
      }
    }
  }
  return free_slot;
}

}  // namespace lowtide::attach
