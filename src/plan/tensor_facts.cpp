#include "plan/tensor_facts.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

namespace lowtide::plan {
namespace {

using model::TensorCount;

bool is_on_host(const TensorCount& tensors) {
  return std::string_view(tensors.device).starts_with("cpu");
}

double bytes_of(const TensorCount& tensors) {
  return static_cast<double>(tensors.storage_bytes);
}

double values_of(const TensorCount& tensors) {
  double values = static_cast<double>(tensors.count);
  for (const std::int64_t extent : tensors.shape)
    values *= static_cast<double>(std::max<std::int64_t>(0, extent));
  return values;
}

struct Trained {
  std::uint64_t count = 0;  // of this shape and type
  double bytes = 0;
};

// LoRA trains two matrices beside a weight, [rank, inputs] and [outputs, rank].
bool has_low_rank_pair(std::span<const TensorCount> tensors) {
  constexpr std::int64_t kLeastRatio = 4;  // of a side to the rank
  const auto is_matrix = [](const TensorCount& each) { return each.requires_grad && each.shape.size() == 2; };
  for (const TensorCount& down : tensors) {
    if (!is_matrix(down) || down.shape[1] < kLeastRatio * down.shape[0]) continue;
    const bool has_partner = std::any_of(tensors.begin(), tensors.end(), [&](const TensorCount& up) {
      return is_matrix(up) && up.shape[1] == down.shape[0] && up.shape[0] >= kLeastRatio * up.shape[1];
    });
    if (has_partner) return true;
  }
  return false;
}

auto kind_of(const TensorCount& tensors) {
  return std::tie(tensors.device, tensors.dtype, tensors.shape, tensors.requires_grad);
}

// One gradient and two optimizer states for each trained tensor of that shape.
bool may_be_training_state(const TensorCount& tensors, std::span<const TensorCount> all) {
  constexpr std::uint64_t kMostPerTensor = 3;
  std::uint64_t trained = 0;
  for (const TensorCount& each : all) {
    if (each.requires_grad && each.shape == tensors.shape) trained += each.count;
  }
  return !tensors.requires_grad && tensors.count <= kMostPerTensor * trained;
}

// Whether there were fewer of them in the snapshot before.
bool grew_since(const model::Snapshot& before, const TensorCount& tensors) {
  const auto was = std::find_if(before.tensors.begin(), before.tensors.end(),
                                [&](const TensorCount& each) { return kind_of(each) == kind_of(tensors); });
  return was == before.tensors.end() || was->count < tensors.count;
}

// A snapshot taken during the imports has no model yet.
bool has_model(const model::Snapshot& snapshot) {
  return std::any_of(snapshot.tensors.begin(), snapshot.tensors.end(),
                     [](const TensorCount& each) { return each.requires_grad; });
}

// The holder knows how many bytes it retains, not of which tensors: take the groups that fit into it.
void remove_held(std::vector<TensorCount>& tensors, const model::HolderReport& holder,
                 std::span<const TensorCount> all) {
  constexpr double kTolerance = 1.1;
  auto left = static_cast<double>(model::held_bytes(holder.node));
  std::stable_sort(tensors.begin(), tensors.end(),
                   [](const TensorCount& a, const TensorCount& b) { return bytes_of(a) > bytes_of(b); });
  std::erase_if(tensors, [&](const TensorCount& each) {
    if (each.requires_grad || may_be_training_state(each, all) || bytes_of(each) > kTolerance * left)
      return false;
    left = std::max(0.0, left - bytes_of(each));
    return true;
  });
}

}  // namespace

std::optional<ModelTensors> tensors_of(std::span<const TensorCount> tensors) {
  model::TensorFacts facts;
  facts.is_on_device =
      std::any_of(tensors.begin(), tensors.end(), [](const TensorCount& each) { return !is_on_host(each); });
  const auto is_of_model = [&](const TensorCount& each) { return is_on_host(each) != facts.is_on_device; };

  std::map<std::vector<std::int64_t>, std::map<std::string, Trained>> trained;
  for (const TensorCount& each : tensors) {
    if (!is_of_model(each)) {
      facts.host_bytes += bytes_of(each);
    } else if (each.requires_grad) {
      facts.trained_bytes += bytes_of(each);
      facts.trained_values += values_of(each);
      Trained& of_kind = trained[each.shape][each.dtype];
      of_kind.count += each.count;
      of_kind.bytes += bytes_of(each);
    }
  }
  for (const TensorCount& each : tensors) {
    if (!is_of_model(each) || each.requires_grad) continue;
    const auto same_shape = trained.find(each.shape);
    if (same_shape == trained.end()) {
      facts.frozen_bytes += bytes_of(each);
      continue;
    }
    const auto same_type = same_shape->second.find(each.dtype);
    double gradient = 0;
    if (same_type != same_shape->second.end() && same_type->second.count > 0) {
      // Adam has two states of the type of the weight: an odd number of copies includes a gradient.
      const std::uint64_t copies = (each.count + same_type->second.count / 2) / same_type->second.count;
      if (copies % 2 == 1) gradient = std::min(bytes_of(each), same_type->second.bytes);
    }
    facts.gradient_bytes += gradient;
    facts.optimizer_bytes += bytes_of(each) - gradient;
  }
  if (facts.trained_bytes <= 0 && facts.frozen_bytes <= 0) return std::nullopt;
  return ModelTensors{facts, facts.frozen_bytes > facts.trained_bytes && has_low_rank_pair(tensors)};
}

std::vector<TensorCount> without_leak(std::span<const model::Snapshot> snapshots,
                                      std::span<const model::HolderReport> growing) {
  if (snapshots.empty()) return {};
  const std::vector<TensorCount>& all = snapshots.back().tensors;
  std::vector<TensorCount> kept = all;
  // Two snapshots of the model show what grows. A single one only shows what growing variables hold.
  if (snapshots.size() >= 2 && has_model(snapshots[snapshots.size() - 2])) {
    const model::Snapshot& before = snapshots[snapshots.size() - 2];
    std::erase_if(kept, [&](const TensorCount& each) {
      return grew_since(before, each) && !may_be_training_state(each, all);
    });
    return kept;
  }
  constexpr double kLeastShare = 0.2;  // of the growth
  for (const model::HolderReport& holder : growing) {
    if (holder.pid == snapshots.back().pid && holder.share.value_or(0) >= kLeastShare)
      remove_held(kept, holder, all);
  }
  return kept;
}

}  // namespace lowtide::plan
