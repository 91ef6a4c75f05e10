#include "symbols/symbolizer.h"

namespace lowtide::symbols {
namespace {

// A site has about thirty frames, most of them in common with others: a few thousand in all. A name of C++
// has some hundred letters.
constexpr std::size_t kMostKnown = 1U << 14U;

}  // namespace

const std::vector<SourceFrame>& Symbolizer::symbolize(AddressSpace& space, std::uint64_t address) {
  const auto place = space.find(address);
  if (!place || place->image == nullptr) {
    SourceFrame frame;
    frame.module = place ? place->mapping->path : std::string{};
    frame.module_offset = place ? place->address : address;
    unnamed_.assign(1, frame);
    return unnamed_;
  }
  const Key key{place->image->id(), place->address};
  const auto known = known_.find(key);
  if (known != known_.end()) {
    return known->second;
  }
  if (known_.size() >= kMostKnown) {
    known_.clear();
  }
  return known_.emplace(key, place->image->find_frames(place->address)).first->second;
}

std::vector<SourceFrame> Symbolizer::symbolize(AddressSpace& space,
                                               const std::vector<std::uint64_t>& addresses) {
  std::vector<SourceFrame> frames;
  for (const std::uint64_t address : addresses) {
    const std::vector<SourceFrame>& here = symbolize(space, address);
    frames.insert(frames.end(), here.begin(), here.end());
  }
  return frames;
}

}  // namespace lowtide::symbols
