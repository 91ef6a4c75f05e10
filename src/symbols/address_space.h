// What lies where in one process.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "symbols/image_store.h"
#include "symbols/maps.h"
#include "symbols/rule_source.h"
#include "symbols/target_files.h"

namespace lowtide::symbols {

// A place in code. Valid until the next refresh().
struct CodePlace {
  const Mapping* mapping = nullptr;
  ElfImage* image = nullptr;  // nullptr: no file, or it cannot be read
  std::uint64_t address = 0;  // in the image; without one, the offset in the file
};

// One thread at a time. `store` must outlive it.
class AddressSpace final : public RuleSource {
 public:
  AddressSpace(ImageStore& store, TargetFiles files) : store_(store), files_(std::move(files)) {}

  // Reads the maps again. True: they have changed. To be called at the start, and when an address is not
  // found: libraries are loaded late.
  base::Result<bool> refresh();
  // The same from text that somebody else has read.
  base::Result<bool> refresh_from(const std::string& text);

  [[nodiscard]] const std::vector<Mapping>& mappings() const { return code_->mappings; }
  // The executable mapping that holds `address`.
  std::optional<CodePlace> find(std::uint64_t address);

 protected:
  FrameRule make_rule(Arch arch, std::uint64_t address) override;

 private:
  ElfImage* image_of(std::size_t index);

  ImageStore& store_;
  TargetFiles files_;
  bool has_maps_ = false;
  std::size_t text_hash_ = 0;  // of the maps; the text of a job with torch has 200 kB
  std::shared_ptr<MappedCode> code_ = std::make_shared<MappedCode>();
};

}  // namespace lowtide::symbols
