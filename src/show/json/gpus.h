// The description of the GPUs of a report.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/report.h"
#include "show/json/fields.h"
#include "show/json/findings.h"
#include "show/json/formats.h"
#include "show/json/verdict.h"

namespace lowtide::show {

struct ListedGpu {
  std::optional<int> index;
  std::string name;
  std::string id;
  std::optional<std::uint64_t> total_bytes;
  std::optional<std::uint64_t> used_bytes;
  std::optional<std::int64_t> pid;
  std::optional<std::uint64_t> allocated_bytes;
  std::optional<std::uint64_t> reserved_bytes;
  std::reference_wrapper<const model::Verdict> verdict;
  const model::GpuReport* watched = nullptr;
};

std::vector<ListedGpu> gpus_of(const model::Report& report);

constexpr auto describe(Tag<model::GpuLedger>) {
  using model::GpuLedger;
  return object("GpuLedger", "what fills a GPU at the moment of a heap snapshot",
                field_as<Number, &GpuLedger::at_s>("at_s", "seconds into the run"),
                field<&GpuLedger::parts>("parts", "they add up to the memory of the GPU"));
}

constexpr auto describe(Tag<ListedGpu>) {
  using model::GpuReport;
  using model::TorchReading;
  constexpr auto kTorch = &GpuReport::torch;
  constexpr auto kWatched = &ListedGpu::watched;
  return object(
      "Gpu", "a GPU of the job; what torch or JAX does not report is null",
      field<&ListedGpu::index>("index", "its number"),
      field_as<NonEmpty, &ListedGpu::name>("name", "its model"),
      only(
          "log", +[](const ListedGpu& gpu) { return gpu.watched == nullptr; },
          field_as<NonEmpty, &ListedGpu::id>("id", "its UUID or bus, where the log has no index")),
      field<&ListedGpu::total_bytes>("total_bytes", "memory of the device"),
      field<&ListedGpu::used_bytes>("used_bytes", "used, by all processes"),
      field<&ListedGpu::pid>("pid", "the process of the job that has most on it"),
      field<kWatched, &GpuReport::process_bytes>(
          "process_bytes", "what that process has; what torch reserves, where the driver does not report it"),
      field<&ListedGpu::allocated_bytes>("allocated_bytes", "what torch or JAX has handed out"),
      field<&ListedGpu::reserved_bytes>("reserved_bytes", "what torch or JAX has from the driver"),
      field<kWatched, kTorch, &TorchReading::inactive_split_bytes>("fragmented_bytes",
                                                                   "free pieces between blocks in use"),
      field("outside_torch_bytes",
            "what the driver counts beyond `reserved_bytes`; null where the driver does not report it",
            [](const ListedGpu& gpu) {
              return gpu.watched != nullptr ? model::outside_torch_bytes(*gpu.watched) : std::nullopt;
            }),
      of_recording(
          field<kWatched, kTorch, &TorchReading::framework>("framework", "whose allocator was read")),
      of_recording(field<kWatched, kTorch, &TorchReading::retries>(
          "retries", "times that torch returned all free memory and tried again")),
      of_recording(field<kWatched, kTorch, &TorchReading::ooms>("ooms", "allocations that failed")),
      of_recording(
          field<kWatched, kTorch, &TorchReading::pinned_bytes>("pinned_bytes", "pinned host memory")),
      of_recording(field<kWatched, &GpuReport::ledger>(
          "ledger", "at the last snapshot; null if a part of the memory is not known")),
      of_recording(field<kWatched, &GpuReport::peak_ledger>(
          "peak_ledger", "at the snapshot with most memory, if that is another")),
      field<&ListedGpu::verdict>(
          "verdict",
          "of the allocated memory, or of the memory outside of torch where that leaks; "
          "without torch, of the used memory"));
}

}  // namespace lowtide::show
