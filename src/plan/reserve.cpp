// Free memory that allocators keep.
//
// Free blocks arise where memory is allocated and freed again: gradients, activations and batches, at every
// step. Weights and optimizer states are allocated once and leave none.

#include <fmt/format.h>

#include "base/units.h"
#include "plan/parts.h"
#include "plan/range.h"
#include "plan/shape.h"

namespace lowtide::plan {
namespace {

using model::PlanComponent;

// Of the host: a job whose memory had settled at 17.69 GB released 0.66 GB of it within 150 steps. No source
// gives an upper bound; a fifth is a guess.
constexpr double kHostShare = 0.04;
constexpr double kMostHostShare = 0.2;

// Of the device: on average 15% of what eight models reserved was fragmented, up to 33% (GMLake,
// arXiv:2401.08156). Those shares are of all memory but frozen weights; the upper bound follows that.
constexpr double kDeviceShare = 0.15;
constexpr double kLeastDeviceShare = 0.02;
constexpr double kMostDeviceShare = 0.33;

bool is_allocated_once(PlanComponent component) {
  return component == PlanComponent::Weights || component == PlanComponent::QuantizationConstants ||
         component == PlanComponent::LoraWeights || component == PlanComponent::OptimizerStates;
}

bool is_frozen(const JobSetup& setup, PlanComponent component) {
  return has_frozen_weights(setup) &&
         (component == PlanComponent::Weights || component == PlanComponent::QuantizationConstants);
}

}  // namespace

PlanParts reserve_parts(const JobSetup& setup, const PlanParts& others) {
  double host = 0;
  double device = 0;
  double most_device = 0;
  for (const model::PlanPart& part : others) {
    // Libraries are mapped, not allocated, and the figures of child processes include what they keep.
    if (part.component == PlanComponent::Libraries || part.in_children) continue;
    if (is_frozen(setup, part.component)) continue;
    if (part.host) host += part.host->estimate;
    if (!part.device) continue;
    most_device += part.device->estimate;
    if (!is_allocated_once(part.component)) device += part.device->estimate;
  }
  if (host <= 0 && device <= 0) return {};
  model::PlanPart part;
  part.component = PlanComponent::AllocatorReserve;
  if (host > 0) {
    part.host = about(host * kHostShare, 0, host * kMostHostShare);
    part.formula = fmt::format("4% of {} allocated on the host", base::format_bytes(host));
  }
  if (device > 0) {
    part.device = about(device * kDeviceShare, device * kLeastDeviceShare, most_device * kMostDeviceShare);
    part.formula += fmt::format("{}15% of {} allocated at each step on the GPU", host > 0 ? ", " : "",
                                base::format_bytes(device));
  }
  part.assumption = "fragmentation: free blocks that the allocator keeps for later requests";
  return {part};
}

}  // namespace lowtide::plan
