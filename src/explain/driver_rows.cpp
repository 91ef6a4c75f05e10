#include "explain/driver_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/units.h"
#include "explain/driver_memory.h"
#include "explain/words.h"

namespace lowtide::explain {
namespace {

using model::CudaDriver;
using model::MemoryPart;

constexpr std::uint64_t kLeastBytes = 1U << 20U;

const model::HeapReading* find_heap(const Evidence& evidence, model::ProcessId process) {
  const auto found = std::find_if(evidence.heaps.begin(), evidence.heaps.end(),
                                  [&](const HeapEvidence& heap) { return heap.process == process; });
  return found == evidence.heaps.end() ? nullptr : &found->last;
}

MemoryPart not_divided(const model::HeapReading* heap, std::uint64_t bytes) {
  const bool is_late = heap != nullptr && heap->cuda_driver == CudaDriver::Late;
  return {
      .name = "outside torch",
      .bytes = bytes,
      .what =
          is_late
              ? "CUDA context and code, libraries; not followed, the driver was loaded before lowtide came"
              : "CUDA context and code, cuBLAS, NCCL, other libraries",
      .has_tensors = false};
}

std::string what_of(const DriverUse& use, const std::optional<double>& growth) {
  std::string out = call_words(use);
  if (growth && *growth >= 1) out += fmt::format(", +{} per step", bytes_words(*growth));
  return out;
}

// What nobody asked the driver for: its own.
std::string remainder_words(const model::HeapReading& heap, std::uint64_t too_much) {
  std::string out = fmt::format("the rest of what the driver counts; {} modules of code",
                                base::format_count(heap.cuda_modules));
  if (heap.cuda_unsized > 0)
    out += fmt::format(", {} arrays or graph nodes of unknown size", base::format_count(heap.cuda_unsized));
  if (heap.cuda_dropped_bytes > 0)
    out += fmt::format(", {} whose calls were not recorded",
                       bytes_words(static_cast<double>(heap.cuda_dropped_bytes)));
  if (too_much > 0)
    out += fmt::format("; the calls asked for {} more than the driver counts",
                       bytes_words(static_cast<double>(too_much)));
  return out;
}

}  // namespace

DriverRows driver_rows(const Evidence& evidence, model::ProcessId process, double at_s,
                       std::uint64_t outside_bytes) {
  DriverRows out;
  const model::HeapReading* const heap = find_heap(evidence, process);
  if (heap == nullptr || heap->cuda_driver != CudaDriver::Followed) {
    if (outside_bytes > 0) out.parts.push_back(not_divided(heap, outside_bytes));
    return out;
  }
  std::uint64_t small = 0;
  std::uint64_t followed = 0;
  for (const DriverUse& use : find_driver_uses(evidence, process, DriverPlace::Gpu)) {
    const std::uint64_t bytes = use.bytes_at(at_s);
    if (use.is_of_framework || bytes == 0) continue;
    followed += bytes;
    if (bytes < kLeastBytes) {
      small += bytes;
      continue;
    }
    const std::optional<double> growth = growth_per_step(use, evidence);
    MemoryPart part{
        .name = owner_words(use), .bytes = bytes, .what = what_of(use, growth), .has_tensors = false};
    part.growth_per_step = growth;
    if (!use.line.file.empty()) part.line = use.line;
    out.parts.push_back(std::move(part));
  }
  if (small > 0)
    out.parts.push_back(
        {.name = "other libraries", .bytes = small, .what = "less than 1 MiB each", .has_tensors = false});
  // Where the driver names no process it counts nothing for this one.
  if (outside_bytes == 0) outside_bytes = out.unnamed_bytes = followed;
  std::uint64_t left = outside_bytes;
  for (MemoryPart& part : out.parts) {
    part.bytes = std::min(part.bytes, left);
    left -= part.bytes;
  }
  out.parts.push_back({.name = "CUDA context and code",
                       .bytes = left,
                       .what = remainder_words(*heap, followed - std::min(followed, outside_bytes)),
                       .has_tensors = false});
  return out;
}

}  // namespace lowtide::explain
