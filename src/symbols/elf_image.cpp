#include "symbols/elf_image.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <string_view>
#include <utility>

#include "symbols/debug_files.h"
#include "symbols/demangle.h"

namespace lowtide::symbols {
namespace {

std::uint64_t make_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

std::uint64_t next_use() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

std::size_t leading_underscores(std::string_view name) {
  return std::min(name.find_first_not_of('_'), name.size());
}

// Which line of the interpreter or of libc runs says nothing about a job, and libdw takes 10 to 20 MB for the
// lines of each. Their functions have names from the symbols.
bool is_runtime(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  constexpr std::array kRuntimes = {"libpython3", "python3", "libc.so", "libc-2", "ld-linux", "libpthread"};
  return std::any_of(kRuntimes.begin(), kRuntimes.end(),
                     [&](std::string_view runtime) { return name.starts_with(runtime); });
}

}  // namespace

ElfImage::ElfImage(ElfFile file, std::string path, TargetFiles files)
    : id_(make_id()), path_(std::move(path)), files_(std::move(files)), file_(std::move(file)) {}

void ElfImage::load_names() {
  if (std::exchange(names_loaded_, true)) {
    return;
  }
  const bool wants_lines = !is_runtime(path_);
  if (wants_lines && file_.find_section(".debug_info") != nullptr) {
    own_info_ = DebugInfo::make(file_);
  }
  const bool is_stripped = file_.find_section(".symtab") == nullptr;
  if (own_info_ == nullptr || is_stripped) {
    debug_file_ = find_debug_file(file_, path_, files_);
  }
  if (wants_lines && own_info_ == nullptr && debug_file_) {
    debug_info_ = DebugInfo::make(*debug_file_);
  }
  symbols_.add(file_);
  if (is_stripped && debug_file_) {
    symbols_.add(*debug_file_);
  } else if (is_stripped) {
    mini_file_ = find_mini_debuginfo(file_);
    if (mini_file_) {
      symbols_.add(*mini_file_);
    }
  }
  symbols_.finish();
}

std::size_t ElfImage::symbol_count() {
  load_names();
  return symbols_.count();
}

std::size_t ElfImage::bytes() const {
  return symbols_.bytes() + (debug_info() != nullptr ? debug_info()->bytes() : 0);
}

void ElfImage::give_back(bool with_names) {
  file_.give_back();
  if (debug_file_) {
    debug_file_->give_back();
  }
  if (!with_names || !names_loaded_) {
    return;
  }
  frames_.reset();  // they may read from the debuginfo
  own_info_.reset();
  debug_info_.reset();
  symbols_ = {};
  mini_file_.reset();
  debug_file_.reset();
  names_loaded_ = false;
}

std::vector<SourceFrame> ElfImage::find_frames(std::uint64_t address) {
  load_names();
  last_used_ = next_use();
  std::vector<SourceFrame> frames;
  if (debug_info() != nullptr) {
    frames = debug_info()->find_frames(address);
  }
  if (frames.empty()) {
    frames.emplace_back();
  }
  // The debuginfo may know the line of assembly and not its function; and glibc
  // has debuginfo for __GI_getenv alone, which everybody calls getenv; and clang -g1
  // leaves the namespaces out.
  if (const auto symbol = symbols_.find(address)) {
    std::string& function = frames.back().function;
    std::string name = demangle(symbol->name);
    if (function.empty() || leading_underscores(symbol->name) < leading_underscores(function) ||
        name.find("::" + function + "(") != std::string::npos) {
      function = std::move(name);
    }
  }
  for (SourceFrame& frame : frames) {
    frame.module = path_;
    frame.module_offset = address;
  }
  return frames;
}

FrameRule ElfImage::make_rule(std::uint64_t address) {
  if (frames_ == nullptr) {
    // Debuginfo is loaded for code without .eh_frame only: it is dear.
    Dwarf* dwarf = nullptr;
    if (file_.find_section(".eh_frame") == nullptr) {
      load_names();
      dwarf = debug_info() != nullptr ? debug_info()->handle() : nullptr;
    }
    frames_ = std::make_unique<FrameTable>(file_, dwarf);
  }
  // Each touches pages in three places, and with each page the kernel maps 15 others.
  constexpr unsigned kRulesBetween = 32;
  if (++rules_ % kRulesBetween == 0) {
    file_.give_back();
  }
  return frames_->make_rule(address);
}

}  // namespace lowtide::symbols
