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
  std::uint64_t count = 0;  // of these shape and type
  double bytes = 0;
};

}  // namespace

std::optional<model::TensorFacts> facts_of(std::span<const TensorCount> tensors) {
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
      // Adam has two states of the type of the weight: an odd number of copies has a gradient among them.
      const std::uint64_t copies = (each.count + same_type->second.count / 2) / same_type->second.count;
      if (copies % 2 == 1) gradient = std::min(bytes_of(each), same_type->second.bytes);
    }
    facts.gradient_bytes += gradient;
    facts.optimizer_bytes += bytes_of(each) - gradient;
  }
  if (facts.trained_bytes <= 0 && facts.frozen_bytes <= 0) return std::nullopt;
  return facts;
}

}  // namespace lowtide::plan
