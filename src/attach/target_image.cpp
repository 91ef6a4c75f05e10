#include "attach/target_image.h"

#include <algorithm>
#include <array>
#include <utility>

#include "attach/elf_names.h"

namespace lowtide::attach {
namespace {

constexpr std::string_view kAgentName = "liblowtide_agent.so";
constexpr std::array<std::string_view, 6> kAllocators = {"jemalloc", "tcmalloc", "mimalloc",
                                                         "hoard",    "snmalloc", "scudo"};

std::string_view file_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

bool is_loader(std::string_view name) {
  return name.starts_with("ld-linux") || name.starts_with("ld-2.");
}

bool is_libc(std::string_view name) {
  return name == "libc.so.6" || name.starts_with("libc-2.") || name.starts_with("libpthread.so") ||
         name.starts_with("libpthread-2.");
}

bool is_dl(std::string_view name) {
  return name.starts_with("libdl.so") || name.starts_with("libdl-2.");
}

bool is_known_allocator(std::string_view name) {
  return std::any_of(kAllocators.begin(), kAllocators.end(),
                     [name](std::string_view part) { return name.find(part) != std::string_view::npos; });
}

// In words for the user; empty: nothing against it.
std::string obstacle_in(std::string_view name) {
  if (name.starts_with("ld-musl") || name.starts_with("libc.musl")) {
    return "it uses musl, and the agent needs glibc";
  }
  for (const std::string_view part :
       {"libasan", "libtsan", "libmsan", "libhwasan", "liblsan", "libclang_rt."}) {
    if (name.starts_with(part)) {
      return "it uses a sanitizer, which replaces the allocator";
    }
  }
  if (name.starts_with("vgpreload_")) {
    return "it runs under Valgrind";
  }
  return {};
}

constexpr std::array<std::string_view, 16> kMallocNames = {
    "malloc",         "free",      "calloc",  "realloc",      "memalign",
    "aligned_alloc",  "valloc",    "pvalloc", "malloc_trim",  "malloc_usable_size",
    "mallinfo",       "mallinfo2", "mallopt", "malloc_stats", "malloc_info",
    "posix_memalign",
};

bool is_malloc_name(std::string_view name) {
  while (name.starts_with('_')) {
    name.remove_prefix(1);
  }
  if (name.starts_with("libc_")) {
    name.remove_prefix(5);
  }
  return std::find(kMallocNames.begin(), kMallocNames.end(), name) != kMallocNames.end();
}

// One object file holds all of malloc, so its code lies in one piece, functions without
// names among it: from the last other function before it to the first one behind.
Range find_malloc_code(const std::vector<ExportedFunction>& exports) {
  const auto is_it = [](const ExportedFunction& function) { return is_malloc_name(function.name); };
  const auto first = std::find_if(exports.begin(), exports.end(), is_it);
  if (first == exports.end()) {
    return {};
  }
  const auto last = std::find_if(exports.rbegin(), exports.rend(), is_it).base();
  Range range{0, ~0ULL};
  if (first != exports.begin()) {
    const ExportedFunction& before = *std::prev(first);
    range.begin = before.address + before.bytes;
  }
  if (last != exports.end()) {
    range.end = last->address;
  }
  return range;
}

}  // namespace

base::Result<TargetImage> TargetImage::read(symbols::ImageStore& store, symbols::TargetFiles files) {
  TargetImage image(std::make_unique<symbols::AddressSpace>(store, std::move(files)));
  if (auto fresh = image.space_->refresh(); !fresh) {
    return std::move(fresh).error();
  }
  if (auto surveyed = image.survey(); !surveyed) {
    return std::move(surveyed).error();
  }
  return image;
}

bool TargetImage::refresh() {
  const auto changed = space_->refresh();
  if (!changed || !changed.value()) {
    return false;
  }
  // What was found before stays true as long as libc does; a module that is gone is not
  // harmful in the list.
  return survey().ok();
}

base::Result<bool> TargetImage::survey() {
  modules_.clear();
  rooms_.clear();
  names_.clear();
  malloc_code_.clear();
  loader_data_.clear();
  agent_.reset();
  has_libc_ = false;
  bool has_loader = false;
  for (const symbols::Mapping& mapping : space_->mappings()) {
    const std::string_view name = file_name(mapping.path);
    if (mapping.kind == symbols::MappingKind::File) {
      if (std::string obstacle = obstacle_in(name); !obstacle.empty()) {
        return base::Error{base::ErrorCode::Unsupported, obstacle};
      }
      has_loader = has_loader || is_loader(name);
      if ((is_loader(name) || is_libc(name)) && !mapping.executable) {
        loader_data_.push_back({mapping.start, mapping.end});
      }
    }
    if (mapping.executable) {
      survey_mapping(mapping);
    }
  }
  if (!obstacle_.empty()) {
    return base::Error{base::ErrorCode::Unsupported, obstacle_};
  }
  if (!has_loader || !has_libc_) {
    return base::Error{base::ErrorCode::Unsupported, "it is statically linked"};
  }
  if (functions_.open_library == 0 || functions_.find_function == 0 || functions_.last_error == 0 ||
      functions_.errno_location == 0) {
    return base::Error{base::ErrorCode::Unsupported, "its libc has no dlopen"};
  }
  std::sort(rooms_.begin(), rooms_.end(), [](const Room& a, const Room& b) { return a.bytes > b.bytes; });
  return true;
}

void TargetImage::survey_mapping(const symbols::Mapping& mapping) {
  Module module{.range = {mapping.start, mapping.end}};
  const auto place = space_->find(mapping.start);
  const std::string_view name = file_name(mapping.path);
  if (!place || place->image == nullptr) {
    if (name == kAgentName) obstacle_ = "it has an agent of another version";
    module.kind = mapping.kind == symbols::MappingKind::Vdso ? ModuleKind::Other : ModuleKind::Unnamed;
    modules_.push_back(module);
    return;
  }
  const symbols::ElfFile& file = place->image->file();
  module.bias = mapping.start - place->address;
  if (mapping.kind != symbols::MappingKind::File) {
    modules_.push_back(module);
    return;
  }
  if (file.arch() != symbols::kNativeArch) {
    obstacle_ = "its code is for another architecture";
  }
  if (is_loader(name)) {
    module.kind = ModuleKind::Loader;
  } else if (is_libc(name) || is_dl(name)) {
    module.kind = ModuleKind::Libc;
    take_libc(file, module);
  } else if (name == kAgentName) {
    module.kind = ModuleKind::Agent;
    agent_ = LoadedAgent{mapping.path, mapping.inode, read_exports(file)};
  } else {
    const auto exports = read_exports(file);
    if (find_export(exports, "__asan_init") || find_export(exports, "__tsan_init") ||
        find_export(exports, "__msan_init")) {
      obstacle_ = "it uses a sanitizer, which replaces the allocator";
    }
    if (is_known_allocator(name) || find_export(exports, "malloc")) {
      module.kind = ModuleKind::Allocator;
    }
  }
  if (module.kind != ModuleKind::Agent && module.kind != ModuleKind::Loader) {
    find_room(file, mapping, module.bias);
  }
  modules_.push_back(module);
}

void TargetImage::take_libc(const symbols::ElfFile& file, Module& module) {
  has_libc_ = true;
  auto names = std::make_unique<symbols::SymbolTable>();
  names->add(file);
  names->finish();
  module.names = names_.size();
  names_.push_back(std::move(names));
  const auto exports = read_exports(file);
  const auto take = [&](std::string_view name, std::uint64_t& into) {
    if (const auto address = find_export(exports, name)) {
      into = *address + module.bias;
    }
  };
  take("dlopen", functions_.open_library);
  take("dlsym", functions_.find_function);
  take("dlerror", functions_.last_error);
  take("__errno_location", functions_.errno_location);
  take("pthread_create", functions_.create_thread);
  take("pthread_detach", functions_.detach_thread);
  take("pthread_self", functions_.this_thread);
  if (const Range range = find_malloc_code(exports); range.end != 0) {
    malloc_code_.push_back(
        {range.begin + module.bias, range.end == ~0ULL ? module.range.end : range.end + module.bias});
  }
}

void TargetImage::find_room(const symbols::ElfFile& file, const symbols::Mapping& mapping,
                            std::uint64_t bias) {
  const auto end = find_segment_end(file, mapping.start - bias);
  if (!end) {
    return;
  }
  constexpr std::uint64_t kAlignment = 16;
  const std::uint64_t begin = (*end + bias + kAlignment - 1) & ~(kAlignment - 1);
  if (begin <= mapping.start || begin >= mapping.end) {
    return;
  }
  rooms_.push_back({begin, mapping.end - begin, begin - mapping.start + mapping.file_offset_bytes,
                    mapping.start, mapping.end, mapping.path});
}

const TargetImage::Module* TargetImage::module_at(std::uint64_t address) const {
  const auto after = std::upper_bound(
      modules_.begin(), modules_.end(), address,
      [](std::uint64_t wanted, const Module& module) { return wanted < module.range.begin; });
  if (after == modules_.begin() || !std::prev(after)->range.holds(address)) {
    return nullptr;
  }
  return &*std::prev(after);
}

ModuleKind TargetImage::kind_at(std::uint64_t address) const {
  const Module* module = module_at(address);
  return module == nullptr ? ModuleKind::Unnamed : module->kind;
}

std::string TargetImage::libc_name_at(std::uint64_t address) const {
  const Module* module = module_at(address);
  if (module == nullptr || module->kind != ModuleKind::Libc) {
    return {};
  }
  const auto symbol = names_[module->names]->find(address - module->bias);
  // Without a size it is the end of something else.
  return symbol && symbol->size_bytes != 0 ? symbol->name : std::string{};
}

bool TargetImage::is_in_libc_malloc(std::uint64_t address) const {
  return std::any_of(malloc_code_.begin(), malloc_code_.end(),
                     [address](const Range& range) { return range.holds(address); });
}

bool TargetImage::is_loader_data(std::uint64_t address) const {
  return std::any_of(loader_data_.begin(), loader_data_.end(),
                     [address](const Range& range) { return range.holds(address); });
}

}  // namespace lowtide::attach
