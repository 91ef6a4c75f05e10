// One piece of code that processes have mapped: names, lines and unwind rules,
// each read when it is first asked for.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "symbols/debug_info.h"
#include "symbols/elf_file.h"
#include "symbols/frame_table.h"
#include "symbols/source_frame.h"
#include "symbols/symbol_table.h"
#include "symbols/target_files.h"

namespace lowtide::symbols {

// One thread at a time: libdw keeps state. Addresses are those of the file.
class ElfImage {
 public:
  // `path` as the target sees it; `files` is asked for separate debuginfo.
  ElfImage(ElfFile file, std::string path, TargetFiles files);
  ~ElfImage() = default;
  ElfImage(const ElfImage&) = delete;
  ElfImage& operator=(const ElfImage&) = delete;
  ElfImage(ElfImage&&) = delete;
  ElfImage& operator=(ElfImage&&) = delete;

  // Never given twice, unlike an address in memory.
  [[nodiscard]] std::uint64_t id() const { return id_; }
  [[nodiscard]] const ElfFile& file() const { return file_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const BuildId& build_id() const { return file_.build_id(); }

  // From the inside out, the last one not inlined. Never empty: at the worst a
  // frame with module and offset alone.
  std::vector<SourceFrame> find_frames(std::uint64_t address);
  FrameRule make_rule(std::uint64_t address);

  // The functions known by name; 0 for a stripped program.
  std::size_t symbol_count();

  // What names and lines take of our memory, about.
  [[nodiscard]] std::size_t bytes() const;
  // How often a name was asked for, in all images, when one of this was.
  [[nodiscard]] std::uint64_t last_used() const { return last_used_; }
  // Gives pages of the file back that were read, and with `with_names` the tables made of them. All are made
  // again when they are asked for.
  void give_back(bool with_names);

 private:
  void load_names();
  DebugInfo* debug_info() const { return own_info_ != nullptr ? own_info_.get() : debug_info_.get(); }

  std::uint64_t id_;
  std::string path_;
  TargetFiles files_;
  ElfFile file_;
  // Declared behind what they read from, so that they go first.
  std::optional<ElfFile> debug_file_;
  std::optional<ElfFile> mini_file_;
  bool names_loaded_ = false;
  std::uint64_t last_used_ = 0;
  unsigned rules_ = 0;  // number made
  SymbolTable symbols_;
  std::unique_ptr<DebugInfo> own_info_;
  std::unique_ptr<DebugInfo> debug_info_;
  std::unique_ptr<FrameTable> frames_;
};

}  // namespace lowtide::symbols
