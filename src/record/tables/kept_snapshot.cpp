#include "record/tables/kept_snapshot.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "model/cause_types.h"

namespace lowtide::record {
namespace {

constexpr std::size_t kMostNodes = 300;
constexpr std::size_t kMostTensors = 60;
constexpr std::size_t kMostTypes = 40;

// A small part of what it is in, and without a name of its own.
bool is_one_of_many(const std::vector<model::HeldNode>& nodes, std::size_t at) {
  const auto holder = nodes[at].holder;
  return holder && *holder < at && held_bytes(nodes[at]) < held_bytes(nodes[*holder]) / 4 &&
         !model::is_named_within(nodes[at], nodes[*holder]);
}

std::vector<model::TypeCount> kept_types(const std::vector<model::TypeCount>& types) {
  constexpr auto& kCauses = model::cause_types::kAll;
  std::vector<model::TypeCount> out;
  out.reserve(kMostTypes + kCauses.size());
  for (const model::TypeCount& type : types) {
    const bool names_cause = std::find(kCauses.begin(), kCauses.end(), type.type) != kCauses.end();
    if (out.size() < kMostTypes || names_cause) out.push_back(type);
  }
  return out;
}

}  // namespace

std::vector<model::HeldNode> largest_nodes(const std::vector<model::HeldNode>& nodes, std::size_t most) {
  std::vector<std::uint64_t> sizes;
  sizes.reserve(nodes.size());
  for (const model::HeldNode& node : nodes) sizes.push_back(held_bytes(node));
  std::uint64_t least = 0;
  if (sizes.size() > most) {
    std::nth_element(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(most), sizes.end(),
                     std::greater<>());
    least = sizes[most] + 1;
  }
  std::vector<model::HeldNode> out;
  std::vector<std::optional<std::size_t>> places(nodes.size());
  for (std::size_t at = 0; at < nodes.size(); ++at) {
    const auto above = nodes[at].holder;
    const auto place = above && *above < at ? places[*above] : std::nullopt;
    places[at] = place;
    if (held_bytes(nodes[at]) < least || is_one_of_many(nodes, at)) continue;
    places[at] = out.size();
    out.push_back(nodes[at]);
    out.back().holder = place;
  }
  return out;
}

model::Snapshot kept_part(const model::Snapshot& snapshot) {
  model::Snapshot kept = snapshot;
  kept.nodes = largest_nodes(snapshot.nodes, kMostNodes);
  kept.tensors.resize(std::min(kept.tensors.size(), kMostTensors));
  kept.types = kept_types(snapshot.types);
  return kept;
}

}  // namespace lowtide::record
