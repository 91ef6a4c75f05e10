#include "record/tables/kept_snapshot.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "model/cause_types.h"

namespace lowtide::record {
namespace {

constexpr std::size_t kMostNodes = 300;
constexpr std::size_t kMostTensors = 60;
constexpr std::size_t kMostTypes = 40;
constexpr std::size_t kMostTypesOfNode = 6;

// A small part of what it is in, and without a name of its own.
bool is_one_of_many(const std::vector<model::HeldNode>& nodes, std::size_t at) {
  const auto holder = nodes[at].holder;
  return holder && *holder < at && held_bytes(nodes[at]) < held_bytes(nodes[*holder]) / 4 &&
         !model::is_named_within(nodes[at], nodes[*holder]);
}

std::vector<model::TypeCount> kept_types(const std::vector<model::TypeCount>& types) {
  std::vector<model::TypeCount> out;
  out.reserve(kMostTypes + model::cause_types::kAll.size());
  for (const model::TypeCount& type : types) {
    if (out.size() < kMostTypes || model::cause_types::is_one(type.type)) out.push_back(type);
  }
  return out;
}

// Contents of a node that is left out are those of the nearest node above it. Of each node the largest types,
// and those that identify a cause.
std::vector<model::HeldType> kept_contents(const std::vector<model::HeldType>& contents,
                                           const KeptNodes& kept) {
  std::map<std::pair<std::size_t, std::string_view>, model::HeldType> sums;
  for (const model::HeldType& content : contents) {
    const auto place = content.node < kept.places.size() ? kept.places[content.node] : std::nullopt;
    if (!place) continue;
    const std::string_view type =
        content.graph_functions > 0 ? model::cause_types::kGraphFunction : content.type;
    model::HeldType& sum = sums[{*place, type}];
    sum.node = *place;
    sum.type = type;
    sum.count += content.count;
    sum.bytes += content.bytes;
    sum.graph_functions += content.graph_functions;
  }
  std::vector<model::HeldType> all;
  all.reserve(sums.size());
  for (auto& [key, sum] : sums) all.push_back(std::move(sum));
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return a.node != b.node ? a.node < b.node : a.bytes > b.bytes;
  });
  std::vector<model::HeldType> out;
  std::size_t of_node = 0;
  for (const model::HeldType& content : all) {
    of_node = !out.empty() && out.back().node == content.node ? of_node : 0;
    if (of_node >= kMostTypesOfNode && !model::cause_types::is_one(content.type)) continue;
    ++of_node;
    out.push_back(content);
  }
  return out;
}

std::vector<model::HeldUse> kept_uses(const std::vector<model::HeldUse>& uses, const KeptNodes& kept) {
  std::map<std::pair<std::optional<std::size_t>, model::TensorUse>, model::HeldUse> sums;
  for (const model::HeldUse& use : uses) {
    const auto place = use.node && *use.node < kept.places.size() ? kept.places[*use.node] : std::nullopt;
    model::HeldUse& sum = sums[{place, use.use}];
    sum.node = place;
    sum.use = use.use;
    sum.host_bytes += use.host_bytes;
    sum.device_bytes += use.device_bytes;
  }
  std::vector<model::HeldUse> out;
  out.reserve(sums.size());
  for (const auto& [key, sum] : sums) out.push_back(sum);
  return out;
}

}  // namespace

KeptNodes largest_nodes(const std::vector<model::HeldNode>& nodes, std::size_t most) {
  std::vector<std::uint64_t> sizes;
  sizes.reserve(nodes.size());
  for (const model::HeldNode& node : nodes) sizes.push_back(held_bytes(node));
  std::uint64_t least = 0;
  if (sizes.size() > most) {
    std::nth_element(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(most), sizes.end(),
                     std::greater<>());
    least = sizes[most] + 1;
  }
  KeptNodes out;
  out.places.resize(nodes.size());
  for (std::size_t at = 0; at < nodes.size(); ++at) {
    const auto above = nodes[at].holder;
    const auto place = above && *above < at ? out.places[*above] : std::nullopt;
    out.places[at] = place;
    if (held_bytes(nodes[at]) < least || is_one_of_many(nodes, at)) continue;
    out.places[at] = out.nodes.size();
    out.nodes.push_back(nodes[at]);
    out.nodes.back().holder = place;
  }
  return out;
}

model::Snapshot kept_part(const model::Snapshot& snapshot) {
  model::Snapshot kept = snapshot;
  KeptNodes nodes = largest_nodes(snapshot.nodes, kMostNodes);
  kept.contents = kept_contents(snapshot.contents, nodes);
  kept.uses = kept_uses(snapshot.uses, nodes);
  kept.nodes = std::move(nodes.nodes);
  kept.tensors.resize(std::min(kept.tensors.size(), kMostTensors));
  kept.types = kept_types(snapshot.types);
  return kept;
}

}  // namespace lowtide::record
