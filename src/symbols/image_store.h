// The images of all processes that are watched, each opened once.
//
// Four hundred workers map the same libtorch; in other containers it has another
// path and another inode, but the same build-id.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "symbols/elf_image.h"
#include "symbols/maps.h"
#include "symbols/rule_cache.h"
#include "symbols/target_files.h"

namespace lowtide::symbols {

// The code of one or more processes that have the same files at the same addresses, as forked workers do.
struct MappedCode {
  struct Opened {
    bool tried = false;
    std::shared_ptr<ElfImage> image;
  };

  std::vector<Mapping> mappings;
  std::vector<Opened> opened;  // one per mapping
  std::shared_ptr<RuleCache> rules = std::make_shared<RuleCache>();
};

// One thread at a time. Each image keeps one or two descriptors open; beyond 256
// those that no process needs any more are closed.
class ImageStore {
 public:
  // The image behind mappings[index]. Gone: the file was deleted or replaced
  // since it was mapped, and what took its place is another build; reading that
  // would give wrong names.
  base::Result<std::shared_ptr<ElfImage>> open(const TargetFiles& files, const std::vector<Mapping>& mappings,
                                               std::size_t index);

  // What another process has made of the same mappings, or a new one.
  std::shared_ptr<MappedCode> share(std::vector<Mapping> mappings);

  [[nodiscard]] std::size_t count() const { return by_file_.size(); }

  // Pages of files that were read leave our memory; of the tables made of them those that were used last
  // stay, `most_bytes` of them. To be called from time to time.
  void give_back(std::size_t most_bytes);

 private:
  struct FileKey {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::int64_t size_bytes = 0;
    std::int64_t changed_s = 0;
    std::int64_t changed_ns = 0;

    // NOLINTNEXTLINE(modernize-use-nullptr): clang 14 takes the 0 of a comparison for a pointer
    friend auto operator<=>(const FileKey&, const FileKey&) = default;
  };

  base::Result<std::shared_ptr<ElfImage>> open_file(const TargetFiles& files, const Mapping& mapping,
                                                    base::Fd fd);
  base::Result<std::shared_ptr<ElfImage>> open_vdso();
  void drop_unused();

  std::map<FileKey, std::shared_ptr<ElfImage>> by_file_;
  std::map<std::string, std::shared_ptr<ElfImage>> by_build_id_;
  std::shared_ptr<ElfImage> vdso_;
  std::vector<std::weak_ptr<MappedCode>> shared_;
};

}  // namespace lowtide::symbols
