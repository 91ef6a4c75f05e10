#include "explain/evidence/snapshots.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "explain/tensor_parts.h"

namespace lowtide::explain {
namespace {

using model::HeldNode;
using model::Snapshot;

constexpr double kExplains = 0.7;  // so much of a holder's growth in one that it holds: then it is that one
constexpr double kAllExplained = 0.8;  // in several together
constexpr double kWorthNaming = 0.02;  // of all growth
constexpr std::int64_t kLeastHeldGrowth = 16 << 10;
constexpr std::int64_t kLargestDifference = 1LL << 60U;

std::int64_t signed_difference(std::uint64_t later, std::uint64_t earlier) {
  return static_cast<std::int64_t>(later) - static_cast<std::int64_t>(earlier);
}

std::int64_t host_bytes(const Snapshot& snapshot) {
  return static_cast<std::int64_t>(snapshot.object_bytes + snapshot.storage_bytes);
}

std::int64_t whole(const Snapshot& snapshot) {
  return host_bytes(snapshot) + static_cast<std::int64_t>(snapshot.device_bytes);
}

// An object and the dict of its attributes have the same path.
using Name = std::pair<std::string_view, std::string_view>;

Name held_name(const HeldNode& node) {
  return {node.path, node.type};
}

std::int64_t growth_of(const model::HolderReport& holder) {
  return holder.growth_bytes + holder.growth_device_bytes;
}

const HeldNode kTooSmallToTell;

// "pandas.core.frame.DataFrame"; no container, nor an object of a class of the user.
bool is_foreign_object(std::string_view type, const OwnModules& own) {
  const std::size_t dot = type.find('.');
  return dot != std::string_view::npos && !type.starts_with("collections.") &&
         !own.contains(type.substr(0, dot));
}

bool is_own_object(std::string_view type, const OwnModules& own) {
  const std::size_t dot = type.find('.');
  return dot != std::string_view::npos && own.contains(type.substr(0, dot));
}

// Whether the way from the object to what it holds begins with a private name, or has no name.
bool is_private_way(std::string_view way) {
  return way.starts_with("._") || way.starts_with(".<");
}

// Which nodes are not named, but the object of a foreign class to which they belong: its private parts and
// what is below them, and the dict of its attributes. An object of a class of the user has its name again,
// wherever a library keeps it: `trainer.callbacks[1].ranked`.
std::vector<bool> find_private_parts(const Snapshot& snapshot, const OwnModules& own) {
  std::vector<bool> out(snapshot.nodes.size(), false);
  std::vector<bool> is_hidden(snapshot.nodes.size(), false);  // with what is below it
  std::vector<std::string_view> owner_types(snapshot.nodes.size());
  for (std::size_t at = 0; at < snapshot.nodes.size(); ++at) {
    const HeldNode& node = snapshot.nodes[at];
    owner_types[at] = node.type;
    if (!node.holder || *node.holder >= at || is_own_object(node.type, own)) continue;
    const HeldNode& holder = snapshot.nodes[*node.holder];
    const bool is_within = node.path.starts_with(holder.path);
    const bool is_of_foreign = is_within && is_foreign_object(owner_types[*node.holder], own);
    // The dict of the attributes of an object has the path of the object.
    const bool is_dict = is_within && node.path.size() == holder.path.size();
    if (is_dict) owner_types[at] = owner_types[*node.holder];
    is_hidden[at] = is_hidden[*node.holder] ||
                    (is_of_foreign && is_private_way(std::string_view(node.path).substr(holder.path.size())));
    out[at] = is_hidden[at] || (is_of_foreign && is_dict);
  }
  return out;
}

class Growth {
 public:
  Growth(const Snapshot& earlier, const Snapshot& later, const OwnModules* own)
      : later_(later), grown_(later.nodes.size()) {
    is_private_ =
        own != nullptr ? find_private_parts(later, *own) : std::vector<bool>(later.nodes.size(), false);
    std::map<Name, const HeldNode*> by_name;
    std::map<std::pair<std::uint64_t, std::string_view>, const HeldNode*> by_place;
    for (const HeldNode& node : earlier.nodes) {
      by_name.emplace(held_name(node), &node);
      by_place.emplace(std::pair(node.address, std::string_view(node.type)), &node);
    }
    for (std::size_t at = 0; at < later.nodes.size(); ++at) {
      const HeldNode& node = later.nodes[at];
      const HeldNode* before = nullptr;
      if (const auto found = by_name.find(held_name(node)); found != by_name.end()) {
        before = found->second;
        leave_out_moved(earlier, *before, node);
      } else if (const auto place = by_place.find({node.address, node.type}); place != by_place.end()) {
        before = place->second;
      }
      if (before == nullptr && is_old_name(node)) before = &kTooSmallToTell;
      if (before == nullptr) continue;
      grown_[at].earlier = before;
      grown_[at].bytes += signed_difference(held_bytes(node), held_bytes(*before));
    }
    // Holders come before what they hold, so from the end every sum is complete.
    for (std::size_t at = later.nodes.size(); at-- > 0;) {
      const auto above = later.nodes[at].holder;
      if (!above || grown_[at].earlier == nullptr || grown_[at].bytes <= 0) continue;
      Grown& holder = grown_[*above];
      if (is_private_[at]) {  // what has a name below it is below the holder
        holder.largest_below = std::max(holder.largest_below, grown_[at].largest_below);
        holder.all_below += grown_[at].all_below;
        continue;
      }
      holder.largest_below = std::max(holder.largest_below, grown_[at].bytes);
      holder.all_below += grown_[at].bytes;
      if (is_entry(later.nodes[at], later.nodes[*above])) holder.entries_below += grown_[at].bytes;
    }
  }

  [[nodiscard]] std::vector<model::HolderReport> holders(std::int64_t all) const {
    const auto least = std::max<std::int64_t>(
        kLeastHeldGrowth, static_cast<std::int64_t>(kWorthNaming * static_cast<double>(all)));
    std::vector<model::HolderReport> out;
    for (std::size_t at = 0; at < grown_.size(); ++at) {
      const Grown& grown = grown_[at];
      const auto bytes = static_cast<double>(grown.bytes);
      if (is_private_[at] || grown.earlier == nullptr || grown.bytes < least || is_explained(grown) ||
          is_one_of_several(at)) {
        continue;
      }
      model::HolderReport holder;
      holder.pid = later_.pid;
      holder.node = later_.nodes[at];
      // A second name for the same thing, at one of the two moments, makes it much more than all.
      constexpr double kMuchMore = 1.25;
      const bool is_too_much = all > 0 && bytes > kMuchMore * static_cast<double>(all);
      const std::int64_t growth = is_too_much ? all : grown.bytes;
      holder.growth_device_bytes =
          std::min(signed_difference(holder.node.device_bytes, grown.earlier->device_bytes), growth);
      holder.growth_bytes = growth - holder.growth_device_bytes;
      holder.growth_objects =
          signed_difference(holder.node.retained_objects, grown.earlier->retained_objects);
      if (holder.node.length && grown.earlier->length) {
        holder.growth_length = signed_difference(*holder.node.length, *grown.earlier->length);
      }
      if (all > 0) holder.share = std::min(1.0, bytes / static_cast<double>(all));
      out.push_back(std::move(holder));
    }
    std::stable_sort(out.begin(), out.end(),
                     [](const auto& a, const auto& b) { return growth_of(a) > growth_of(b); });
    return out;
  }

 private:
  struct Grown {
    const HeldNode* earlier = nullptr;
    std::int64_t bytes = 0;
    std::int64_t largest_below = 0;
    std::int64_t all_below = 0;
    std::int64_t entries_below = 0;  // of all_below: entries of a dict or list
  };

  // What something holds now that was there before and was held by nobody, or by another, is no growth of it.
  void leave_out_moved(const Snapshot& earlier, const HeldNode& before, const HeldNode& node) {
    constexpr int kMostHops = 64;  // a path is not longer; a recording may be hostile
    const auto moved =
        static_cast<std::int64_t>(std::min<std::uint64_t>(held_bytes(before), kLargestDifference));
    int hops = 0;
    for (auto above = node.holder; above && ++hops < kMostHops; above = later_.nodes[*above].holder) {
      auto was = before.holder;
      int back = 0;
      while (was && ++back < kMostHops && held_name(earlier.nodes[*was]) != held_name(later_.nodes[*above]))
        was = earlier.nodes[*was].holder;
      if (was) return;  // and from here on upwards too
      grown_[*above].bytes = std::max(grown_[*above].bytes - moved, -kLargestDifference);
    }
  }

  static bool is_entry(const HeldNode& node, const HeldNode& holder) {
    return node.path.ends_with(']') && model::is_named_within(node, holder) &&
           node.path[holder.path.size()] == '[';
  }

  // Several entries of a dict or list grow: the container is named, not each of them.
  [[nodiscard]] static bool has_several_entries(const Grown& grown) {
    const auto bytes = static_cast<double>(grown.bytes);
    return static_cast<double>(grown.largest_below) < kExplains * bytes &&
           static_cast<double>(grown.entries_below) >= kAllExplained * bytes;
  }

  // What it holds grew as much.
  [[nodiscard]] static bool is_explained(const Grown& grown) {
    const auto bytes = static_cast<double>(grown.bytes);
    return !has_several_entries(grown) && (static_cast<double>(grown.largest_below) >= kExplains * bytes ||
                                           static_cast<double>(grown.all_below) >= kAllExplained * bytes);
  }

  [[nodiscard]] bool is_one_of_several(std::size_t at) const {
    const HeldNode& node = later_.nodes[at];
    return node.holder && is_entry(node, later_.nodes[*node.holder]) &&
           has_several_entries(grown_[*node.holder]);
  }

  // Its owner existed in the earlier snapshot, but the variable held too little to be listed there.
  [[nodiscard]] bool is_old_name(const HeldNode& node) const {
    if (node.holder) {
      const HeldNode& holder = later_.nodes[*node.holder];
      const HeldNode* const before = grown_[*node.holder].earlier;
      if (before == nullptr || !model::is_named_within(node, holder)) return false;
      // A dict with more entries than before: this one may be new.
      return !node.path.ends_with(']') || holder.length.value_or(0) <= before->length.value_or(0);
    }
    const HeldNode nowhere;
    return !node.path.starts_with('<') && model::is_named_within(node, nowhere);
  }

  const Snapshot& later_;
  std::vector<Grown> grown_;
  std::vector<bool> is_private_;  // parts that are not named
};

auto group_of(const model::TensorCount& tensors) {
  return std::tie(tensors.device, tensors.dtype, tensors.shape, tensors.requires_grad);
}

template <typename Row>
void sort_by_growth(std::vector<Row>& rows) {
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.growth_bytes > b.growth_bytes; });
}

}  // namespace

model::SnapshotReport describe_snapshot(Snapshot snapshot) {
  model::SnapshotReport out;
  for (const HeldNode& node : snapshot.nodes) {
    model::HolderReport holder;
    holder.pid = snapshot.pid;
    holder.node = node;
    if (whole(snapshot) > 0) {
      holder.share =
          std::min(1.0, static_cast<double>(held_bytes(node)) / static_cast<double>(whole(snapshot)));
    }
    out.holders.push_back(std::move(holder));
  }
  for (const model::TensorCount& tensors : snapshot.tensors) out.tensors.push_back({tensors, 0, 0});
  for (const model::TypeCount& type : snapshot.types) out.types.push_back({type, 0, 0});
  if (snapshot.device_bytes > 0) out.gpu_parts = find_tensor_parts(snapshot).parts;
  out.snapshot = std::move(snapshot);
  return out;
}

model::SnapshotReport compare_snapshots(const Snapshot& earlier, Snapshot later, const OwnModules* own) {
  model::SnapshotReport out;
  out.has_earlier = true;
  out.since_s = later.at_s - earlier.at_s;
  out.growth_bytes = host_bytes(later) - host_bytes(earlier);
  out.growth_device_bytes = signed_difference(later.device_bytes, earlier.device_bytes);
  out.holders = Growth(earlier, later, own).holders(whole(later) - whole(earlier));

  std::map<std::string_view, const model::TypeCount*> types;
  for (const model::TypeCount& type : earlier.types) types.emplace(type.type, &type);
  for (const model::TypeCount& type : later.types) {
    const auto before = types.find(type.type);
    const model::TypeCount none;
    const model::TypeCount& was = before == types.end() ? none : *before->second;
    out.types.push_back(
        {type, signed_difference(type.count, was.count), signed_difference(type.bytes, was.bytes)});
  }
  sort_by_growth(out.types);
  for (const model::TensorCount& tensors : later.tensors) {
    const auto before = std::find_if(earlier.tensors.begin(), earlier.tensors.end(),
                                     [&](const auto& other) { return group_of(other) == group_of(tensors); });
    const model::TensorCount none;
    const model::TensorCount& was = before == earlier.tensors.end() ? none : *before;
    out.tensors.push_back(
        {tensors, signed_difference(tensors.count, was.count), signed_difference(tensors.bytes, was.bytes)});
  }
  sort_by_growth(out.tensors);
  out.snapshot = std::move(later);
  return out;
}

}  // namespace lowtide::explain
