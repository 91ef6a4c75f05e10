#include "agent/python/walk/object_map.h"

#include "agent/python/walk/child_memory.h"

namespace lowtide::agent {

// Of the table of folders few pages are ever written: they are counted with the folders.
bool ObjectMap::begin() {
  std::size_t room = kFolders;
  folders_ = static_cast<Folder**>(reserve_memory(kPointerBytes, kFolders, room));
  return folders_ != nullptr && room == kFolders;
}

ObjectMap::Region* ObjectMap::look_up(std::uintptr_t address) {
  constexpr std::size_t kPageBytes = 4096;
  if ((address >> kAddressBits) != 0) {
    return nullptr;
  }
  Folder*& folder = folders_[address >> kFolderShift];
  if (folder == nullptr && count_memory(kPageBytes)) {
    folder = static_cast<Folder*>(take_memory(sizeof(Folder)));
  }
  if (folder == nullptr) {
    short_of_memory_ = true;
    return nullptr;
  }
  Region*& region = folder->regions[(address >> kRegionShift) % kRegionsOfFolder];
  if (region == nullptr) {
    region = static_cast<Region*>(take_memory(sizeof(Region)));
  }
  if (region == nullptr) {
    short_of_memory_ = true;
    return nullptr;
  }
  last_ = region;
  last_wanted_ = address >> kRegionShift;
  return region;
}

std::uint32_t ObjectMap::number_all() {
  std::uint32_t count = 0;
  for (std::size_t at = 0; at < kFolders; ++at) {
    Folder* folder = folders_[at];
    for (std::size_t in = 0; folder != nullptr && in < kRegionsOfFolder; ++in) {
      Region* region = folder->regions[in];
      for (std::size_t word = 0; region != nullptr && word < kWords; ++word) {
        region->before[word] = count;
        count += count_bits(region->again[word]);
      }
    }
  }
  return count;
}

}  // namespace lowtide::agent
