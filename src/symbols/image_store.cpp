#include "symbols/image_store.h"

#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <tuple>

#include "symbols/mapped_build_id.h"

namespace lowtide::symbols {
namespace {

constexpr std::size_t kMostImages = 256;

bool is_same_file(const struct stat& status, const Mapping& mapping) {
  return status.st_ino == mapping.inode && gnu_dev_major(status.st_dev) == mapping.device_major &&
         gnu_dev_minor(status.st_dev) == mapping.device_minor;
}

// Where the first byte of the file behind mappings[index] is mapped.
const Mapping* find_head(const std::vector<Mapping>& mappings, std::size_t index) {
  for (std::size_t at = index + 1; at > 0; --at) {
    const Mapping& mapping = mappings[at - 1];
    if (mapping.path != mappings[index].path || mapping.inode != mappings[index].inode) {
      // The gap between two segments may be filled by something without a name.
      if (mapping.kind == MappingKind::Anonymous) {
        continue;
      }
      return nullptr;
    }
    if (mapping.file_offset_bytes == 0) {
      return &mapping;
    }
  }
  return nullptr;
}

// The name leads to another inode, or the file system has renumbered its files
// (overlayfs, btrfs). The build-id in memory decides.
bool is_same_build(const TargetFiles& files, const std::vector<Mapping>& mappings, std::size_t index,
                   const BuildId& of_file, bool has_same_inode) {
  const Mapping* head = find_head(mappings, index);
  const auto mapped = head == nullptr ? std::nullopt : read_mapped_build_id(files, head->start);
  if (!mapped) {
    return has_same_inode;
  }
  return *mapped == of_file;
}

}  // namespace

std::shared_ptr<MappedCode> ImageStore::share(std::vector<Mapping> mappings) {
  std::erase_if(shared_, [](const auto& code) { return code.expired(); });
  for (const auto& known : shared_) {
    if (auto code = known.lock(); code != nullptr && code->mappings == mappings) {
      return code;
    }
  }
  mappings.shrink_to_fit();
  auto code = std::make_shared<MappedCode>();
  code->mappings = std::move(mappings);
  code->opened.resize(code->mappings.size());
  shared_.push_back(code);
  return code;
}

base::Result<std::shared_ptr<ElfImage>> ImageStore::open(const TargetFiles& files,
                                                         const std::vector<Mapping>& mappings,
                                                         std::size_t index) {
  const Mapping& mapping = mappings[index];
  if (mapping.kind == MappingKind::Vdso) {
    return open_vdso();
  }
  if (mapping.kind == MappingKind::Anonymous) {
    return base::Error{base::ErrorCode::Unsupported, "code that belongs to no file"};
  }
  if (base::Fd fd = files.open_mapped(mapping.start, mapping.end); fd.valid()) {
    return open_file(files, mapping, std::move(fd));
  }
  base::Fd fd = files.open(mapping.path);
  struct stat status {};
  if (!fd.valid() || ::fstat(fd.get(), &status) != 0) {
    return base::Error{base::ErrorCode::Gone, mapping.path + ": the file no longer exists"};
  }
  if (is_same_file(status, mapping) && !mapping.deleted) {
    return open_file(files, mapping, std::move(fd));
  }
  auto image = open_file(files, mapping, std::move(fd));
  if (image && !is_same_build(files, mappings, index, image.value()->build_id(),
                              !mapping.deleted && status.st_ino == mapping.inode)) {
    return base::Error{base::ErrorCode::Gone, mapping.path + ": replaced since it was loaded"};
  }
  return image;
}

base::Result<std::shared_ptr<ElfImage>> ImageStore::open_file(const TargetFiles& files,
                                                              const Mapping& mapping, base::Fd fd) {
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) {
    return base::Error{base::ErrorCode::Io, mapping.path + ": no status"};
  }
  const FileKey key{.device = status.st_dev,
                    .inode = status.st_ino,
                    .size_bytes = status.st_size,
                    .changed_s = status.st_mtim.tv_sec,
                    .changed_ns = status.st_mtim.tv_nsec};
  if (const auto known = by_file_.find(key); known != by_file_.end()) {
    return known->second;
  }
  auto file = ElfFile::open(std::move(fd));
  if (!file) {
    return std::move(file).error().within(mapping.path);
  }
  drop_unused();
  const std::string build_id = to_hex(file.value().build_id());
  if (const auto known = by_build_id_.find(build_id); !build_id.empty() && known != by_build_id_.end()) {
    by_file_.emplace(key, known->second);
    return known->second;
  }
  auto image = std::make_shared<ElfImage>(std::move(file).value(), mapping.path, files);
  by_file_.emplace(key, image);
  if (!build_id.empty()) {
    by_build_id_.emplace(build_id, image);
  }
  return image;
}

// The target runs on the same kernel, so its vdso is ours.
base::Result<std::shared_ptr<ElfImage>> ImageStore::open_vdso() {
  if (vdso_ != nullptr) {
    return vdso_;
  }
  const std::uint64_t start = ::getauxval(AT_SYSINFO_EHDR);
  const auto text = read_maps_text("/proc", static_cast<std::int32_t>(::getpid()));
  const auto mappings = text ? parse_maps(text.value()) : base::Result<std::vector<Mapping>>(text.error());
  const Mapping* own = mappings ? find_mapping(mappings.value(), start) : nullptr;
  if (start == 0 || own == nullptr || own->kind != MappingKind::Vdso || own->start != start) {
    return base::Error{base::ErrorCode::Unsupported, "[vdso]: none in this process"};
  }
  std::vector<std::byte> bytes(own->end - own->start);
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel gives the address as a number
  std::memcpy(bytes.data(), reinterpret_cast<const void*>(start), bytes.size());
  auto file = ElfFile::open(std::move(bytes));
  if (!file) {
    return std::move(file).error().within("[vdso]");
  }
  vdso_ = std::make_shared<ElfImage>(std::move(file).value(), "[vdso]", TargetFiles{});
  return vdso_;
}

void ImageStore::give_back(std::size_t most_bytes) {
  std::vector<ElfImage*> images;
  for (const auto& [key, image] : by_file_) {
    images.push_back(image.get());
  }
  std::sort(images.begin(), images.end(), [](const ElfImage* a, const ElfImage* b) {
    return std::tuple(b->last_used(), b) < std::tuple(a->last_used(), a);
  });
  images.erase(std::unique(images.begin(), images.end()), images.end());  // one image may be several files
  std::size_t kept = 0;
  for (ElfImage* image : images) {
    kept += image->bytes();
    image->give_back(kept > most_bytes);
  }
}

void ImageStore::drop_unused() {
  if (by_file_.size() < kMostImages) {
    return;
  }
  // An image that only this store knows is counted once here and once by its build-id.
  std::erase_if(by_file_, [](const auto& entry) {
    return entry.second.use_count() <= (entry.second->build_id().empty() ? 1 : 2);
  });
  std::erase_if(by_build_id_, [](const auto& entry) { return entry.second.use_count() == 1; });
}

}  // namespace lowtide::symbols
