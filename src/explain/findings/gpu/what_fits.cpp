#include "explain/findings/gpu/what_fits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/text.h"
#include "base/units.h"
#include "explain/findings/gpu/fragmentation.h"
#include "explain/words.h"

namespace lowtide::explain {
namespace {

using base::format_count;
using model::Snapshot;
using model::TensorCount;

std::string size_words(std::uint64_t bytes) {
  return bytes_words(static_cast<double>(bytes));
}

std::string shape_words(const TensorCount& tensors) {
  std::string out;
  for (const std::int64_t size : tensors.shape)
    out +=
        (out.empty() ? "" : ", ") + format_count(static_cast<std::uint64_t>(std::max<std::int64_t>(size, 0)));
  return fmt::format("[{}] {}", out, base::printable(tensors.dtype, 30));
}

bool has_shape(const Snapshot& snapshot, const TensorCount& like) {
  return std::any_of(snapshot.tensors.begin(), snapshot.tensors.end(), [&](const TensorCount& each) {
    return each.device == like.device && each.dtype == like.dtype && each.shape == like.shape;
  });
}

// The dimension in which the one is smaller, if that is the only one in which they differ.
std::optional<std::size_t> smaller_dimension(const TensorCount& small, const TensorCount& large) {
  if (small.device != large.device || small.dtype != large.dtype || small.shape.size() != large.shape.size())
    return std::nullopt;
  std::optional<std::size_t> out;
  for (std::size_t at = 0; at < small.shape.size(); ++at) {
    if (small.shape[at] == large.shape[at]) continue;
    if (out || small.shape[at] > large.shape[at]) return std::nullopt;
    out = at;
  }
  return out;
}

// Tensors that were smaller in one dimension, in a step that fitted. Both shapes are new to the other
// snapshot: two layers of a model differ in one dimension as well.
struct Smaller {
  const TensorCount* then = nullptr;
  const TensorCount* now = nullptr;
  const Snapshot* snapshot = nullptr;
  std::size_t dimension = 0;
};

void look_in(const Snapshot& before, const Snapshot& failed, const TensorCount& large, Smaller& into) {
  if (has_shape(before, large)) return;
  for (const TensorCount& small : before.tensors) {
    const auto dimension = smaller_dimension(small, large);
    if (!dimension || has_shape(failed, small)) continue;
    if (into.then != nullptr && into.then->shape[into.dimension] >= small.shape[*dimension]) continue;
    into = {&small, &large, &before, *dimension};
  }
}

std::optional<Smaller> find_smaller(const Evidence& evidence, const GpuFailure& failure) {
  constexpr double kLeastShare = 0.1;  // of all tensors: smaller groups are not why it failed
  const Snapshot& failed = *failure.snapshot;
  for (const TensorCount& large : failed.tensors) {
    if (large.device.find("cuda") == std::string::npos || large.shape.empty()) continue;
    if (static_cast<double>(large.storage_bytes) < kLeastShare * static_cast<double>(failed.device_bytes))
      continue;
    Smaller found;
    for (const record::RecordedSnapshot& recorded : evidence.snapshots) {
      if (recorded.process == failure.process && recorded.snapshot.at_s < failed.at_s)
        look_in(recorded.snapshot, failed, large, found);
    }
    if (found.then != nullptr) return found;
  }
  return std::nullopt;
}

std::string step_words(const Evidence& evidence, double at_s) {
  const auto point = nearest(evidence.target, at_s);
  if (evidence.target.empty() || std::isnan(point->step) || point->step < 0)
    return base::format_seconds(at_s);
  return "step " + format_count(static_cast<std::uint64_t>(point->step));
}

void add_smaller(const Evidence& evidence, const std::optional<Smaller>& found, WhatFits& out) {
  if (!found) return;
  const std::string when = step_words(evidence, found->snapshot->at_s);
  out.evidence.push_back(fmt::format("tensors of {} fitted at {}; when it failed they were {}, and held {}",
                                     shape_words(*found->then), when, shape_words(*found->now),
                                     size_words(found->now->storage_bytes)));
  const auto size = format_count(static_cast<std::uint64_t>(found->then->shape[found->dimension]));
  out.advice.push_back(found->dimension == 0
                           ? fmt::format("use batches of {}, which fitted at {}", size, when)
                           : fmt::format("use at most {} in dimension {}, which fitted at {}", size,
                                         found->dimension + 1, when));
}

void add_peak(const GpuFailure& failure, WhatFits& out) {
  for (const model::GpuPeak& peak : failure.snapshot->gpu_peaks) {
    if (peak.steps == 0 || peak.bytes == 0 || peak.bytes > failure.snapshot->cuda_allocated_bytes * 4)
      continue;
    out.evidence.push_back(fmt::format("the first {} steps fitted: torch had allocated {} at most",
                                       format_count(peak.steps), size_words(peak.bytes)));
  }
  for (const model::GpuLine& line : failure.snapshot->gpu_lines) {
    if (!line.is_at_peak || line.kind != model::GpuLineKind::Line) continue;
    out.evidence.push_back(fmt::format(
        "at the peak of step {}, {} had allocated {}", format_count(failure.snapshot->gpu_blocks.peak_step),
        model::place_of({.file = line.file, .line = line.line}), size_words(line.bytes)));
    return;  // the largest comes first
  }
}

// The input of the step itself has the shape that grew: it can be smaller, and not be released.
bool is_input(const model::MemoryPart& part, const std::optional<Smaller>& found) {
  if (!found || found->now->storages == 0) return false;
  const std::uint64_t one = found->now->storage_bytes / found->now->storages;
  return part.bytes <= one + one / 100;
}

// What a variable holds can be released; what the model or the optimizer needs cannot.
void add_variables(std::uint64_t missing, const GpuFailure& failure, const std::optional<Smaller>& found,
                   WhatFits& out) {
  constexpr std::size_t kMostNamed = 2;
  std::size_t named = 0;
  for (const model::MemoryPart& part : failure.held.parts) {
    if (part.kind != model::MemoryPartKind::Variable || part.bytes < missing || named == kMostNamed ||
        is_input(part, found))
      continue;
    ++named;
    out.evidence.push_back(
        fmt::format("{} holds {}; {} were missing", part.name, size_words(part.bytes), size_words(missing)));
    out.advice.push_back(
        fmt::format("release {} ({}) if it is no longer needed", part.name, size_words(part.bytes)));
  }
}

void add_fragmentation(std::uint64_t missing, const GpuFailure& failure, WhatFits& out) {
  const Fragmentation found = explain_fragmentation(failure.snapshot->gpu_pools);
  if (found.free_bytes < missing) return;
  out.evidence.insert(out.evidence.end(), found.evidence.begin(), found.evidence.end());
  out.advice.insert(out.advice.end(), found.advice.begin(), found.advice.end());
}

}  // namespace

WhatFits find_what_fits(const Evidence& evidence, const model::Event& event, const GpuFailure& failure) {
  WhatFits out;
  if (failure.snapshot == nullptr || event.is_refused_by_torch) return out;
  const std::optional<Smaller> found = find_smaller(evidence, failure);
  add_smaller(evidence, found, out);
  add_peak(failure, out);
  if (event.asked_bytes <= event.free_bytes) return out;
  const std::uint64_t missing = event.asked_bytes - event.free_bytes;
  add_variables(missing, failure, found, out);
  add_fragmentation(missing, failure, out);
  return out;
}

}  // namespace lowtide::explain
