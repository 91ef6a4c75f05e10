// What is loaded in the target, as far as the injector must know it: where libc's
// functions are, which libraries a thread must not be in, where there is room for the
// stub.

#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "attach/elf_names.h"
#include "base/result.h"
#include "symbols/address_space.h"
#include "symbols/symbol_table.h"

namespace lowtide::attach {

enum class ModuleKind : std::uint8_t {
  Other,
  Libc,       // and libpthread, where that is a library of its own
  Loader,     // ld.so
  Allocator,  // brings a malloc of its own
  Agent,
  Unnamed,  // code that belongs to no file: a JIT
};

struct TargetFunctions {
  std::uint64_t open_library = 0;
  std::uint64_t find_function = 0;
  std::uint64_t last_error = 0;
  std::uint64_t errno_location = 0;
  std::uint64_t create_thread = 0;  // 0: no thread was ever made
  std::uint64_t detach_thread = 0;
  std::uint64_t this_thread = 0;
};

// Bytes of an executable mapping behind the end of the code.
struct Room {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::uint64_t file_offset_bytes = 0;
  std::uint64_t module_start = 0;
  std::uint64_t module_end = 0;  // of the mapping
  std::string path;
};

// A range of addresses in the target.
struct Range {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  [[nodiscard]] bool holds(std::uint64_t address) const { return address >= begin && address < end; }
};

struct LoadedAgent {
  std::string path;  // as /proc/PID/maps has it
  std::uint64_t inode = 0;
  std::vector<ExportedFunction> exports;
};

class TargetImage {
 public:
  // Unsupported, with the reason: a static program, musl, another architecture, a
  // program under a sanitizer or Valgrind.
  static base::Result<TargetImage> read(symbols::ImageStore& store, symbols::TargetFiles files);

  // Reads the maps again; true when code was loaded or unloaded.
  bool refresh();

  [[nodiscard]] symbols::AddressSpace& space() { return *space_; }
  [[nodiscard]] const TargetFunctions& functions() const { return functions_; }
  // The largest first.
  [[nodiscard]] const std::vector<Room>& rooms() const { return rooms_; }

  [[nodiscard]] ModuleKind kind_at(std::uint64_t address) const;
  // The exported function of libc that holds `address`; empty: one that is not exported.
  [[nodiscard]] std::string libc_name_at(std::uint64_t address) const;
  // Code of libc's malloc, whether it has a name or not.
  [[nodiscard]] bool is_in_libc_malloc(std::uint64_t address) const;
  // Data of libc and of ld.so: their own locks lie there.
  [[nodiscard]] bool is_loader_data(std::uint64_t address) const;
  // Null where no agent is loaded.
  [[nodiscard]] const LoadedAgent* loaded_agent() const { return agent_ ? &*agent_ : nullptr; }

 private:
  struct Module {
    Range range;
    ModuleKind kind = ModuleKind::Other;
    std::uint64_t bias = 0;  // from the file's addresses to the target's
    std::size_t names = 0;   // index into names_, for Libc
  };

  explicit TargetImage(std::unique_ptr<symbols::AddressSpace> space) : space_(std::move(space)) {}

  base::Result<bool> survey();
  void survey_mapping(const symbols::Mapping& mapping);
  void take_libc(const symbols::ElfFile& file, Module& module);
  void find_room(const symbols::ElfFile& file, const symbols::Mapping& mapping, std::uint64_t bias);
  [[nodiscard]] const Module* module_at(std::uint64_t address) const;

  std::unique_ptr<symbols::AddressSpace> space_;
  TargetFunctions functions_;
  std::vector<Room> rooms_;
  std::vector<Module> modules_;
  std::vector<std::unique_ptr<symbols::SymbolTable>> names_;
  std::vector<Range> malloc_code_;
  std::vector<Range> loader_data_;
  std::string obstacle_;
  bool has_libc_ = false;
  std::optional<LoadedAgent> agent_;
};

}  // namespace lowtide::attach
