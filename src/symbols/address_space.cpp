#include "symbols/address_space.h"

#include <functional>
#include <utility>

namespace lowtide::symbols {

base::Result<bool> AddressSpace::refresh() {
  auto text = read_maps_text(files_.proc, files_.pid);
  if (!text) {
    return std::move(text).error();
  }
  return refresh_from(text.value());
}

base::Result<bool> AddressSpace::refresh_from(const std::string& text) {
  const std::size_t text_hash = std::hash<std::string>{}(text);
  if (has_maps_ && text_hash == text_hash_) {
    return false;
  }
  auto parsed = parse_maps(text);
  if (!parsed) {
    return std::move(parsed).error();
  }
  // Code, and where its files begin: heaps and stacks come and go all the time, and a job has thousands of
  // mappings.
  std::vector<Mapping> code;
  for (Mapping& mapping : parsed.value()) {
    if (mapping.executable || (mapping.kind == MappingKind::File && mapping.file_offset_bytes == 0)) {
      code.push_back(std::move(mapping));
    }
  }
  has_maps_ = true;
  text_hash_ = text_hash;
  if (code == code_->mappings) {
    return false;
  }
  code_ = store_.share(std::move(code));
  use_rules(code_->rules);
  return true;
}

ElfImage* AddressSpace::image_of(std::size_t index) {
  MappedCode::Opened& opened = code_->opened[index];
  if (!std::exchange(opened.tried, true)) {
    auto image = store_.open(files_, code_->mappings, index);
    if (image) {
      opened.image = std::move(image).value();
    }
  }
  return opened.image.get();
}

std::optional<CodePlace> AddressSpace::find(std::uint64_t address) {
  const Mapping* mapping = find_mapping(mappings(), address);
  if (mapping == nullptr || !mapping->executable) {
    return std::nullopt;
  }
  const std::uint64_t offset = address - mapping->start + mapping->file_offset_bytes;
  ElfImage* image = image_of(static_cast<std::size_t>(mapping - mappings().data()));
  const auto in_file = image == nullptr ? std::nullopt : image->file().address_of(offset);
  if (!in_file) {
    return CodePlace{mapping, nullptr, mapping->kind == MappingKind::Anonymous ? address : offset};
  }
  return CodePlace{mapping, image, *in_file};
}

FrameRule AddressSpace::make_rule(Arch arch, std::uint64_t address) {
  const auto place = find(address);
  if (!place) {
    return {.kind = FrameRule::Kind::NoCode};
  }
  if (place->image == nullptr || place->image->file().arch() != arch) {
    return {.kind = FrameRule::Kind::NoRule};
  }
  return place->image->make_rule(place->address);
}

}  // namespace lowtide::symbols
