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

constexpr auto describe(Tag<model::GpuPool>) {
  using model::GpuPool;
  return object(
      "GpuPool", "a pool of torch's CUDA allocator",
      field<&GpuPool::name>("name", "`default`, `CUDA graph 1`, `private pool 1`"),
      field<&GpuPool::reserved_bytes>("reserved_bytes", "what it has from the driver"),
      field<&GpuPool::allocated_bytes>("allocated_bytes", "in blocks of the job"),
      field<&GpuPool::requested_bytes>("requested_bytes", "of these, before torch rounded them up"),
      field<&GpuPool::awaiting_bytes>("awaiting_bytes", "freed by the job, and still in use by a stream"),
      field<&GpuPool::split_bytes>("split_bytes", "free, in segments that have blocks in use"),
      field<&GpuPool::whole_bytes>("whole_bytes", "free, in segments that torch can return to the driver"),
      field<&GpuPool::largest_free_bytes>("largest_free_bytes", "the largest free block"),
      field<&GpuPool::free_blocks>("free_blocks", "number of free blocks"),
      field<&GpuPool::segments>("segments", "number of segments"),
      field<&GpuPool::is_expandable>("is_expandable", "whether its segments can grow (expandable_segments)"));
}

constexpr auto describe(Tag<model::GpuLineReport>) {
  using model::GpuLineReport;
  return object(
      "GpuLine", "live memory of a GPU that the same line has allocated",
      field<&GpuLineReport::kind>("kind", "`line`, or what has no line"),
      field("line", "the innermost line of the user; null for other kinds",
            [](const GpuLineReport& row) {
              return row.kind == model::GpuLineKind::Line ? std::optional(row.line) : std::nullopt;
            }),
      field<&GpuLineReport::bytes>(
          "bytes", "an estimate: what grows is counted for the steps that were not recorded too"),
      field<&GpuLineReport::seen_bytes>("seen_bytes", "in blocks with this stack"),
      field_as<WholeBytes, &GpuLineReport::growth_per_step>(
          "growth_per_step", "bytes; null where too few steps were recorded between two snapshots"));
}

constexpr auto describe(Tag<model::GpuBlocksReport>) {
  using model::GpuBlocks;
  using model::GpuBlocksReport;
  constexpr auto kBlocks = &GpuBlocksReport::blocks;
  return object(
      "GpuBlocks", "what torch's CUDA allocator had at the last snapshot",
      field_as<Number, &GpuBlocksReport::at_s>("at_s", "seconds into the run"),
      field<kBlocks, &GpuBlocks::allocator>("allocator", "`native`, `cudaMallocAsync`, `pluggable`"),
      field<kBlocks, &GpuBlocks::steps>("steps", "steps of the trainer until then"),
      field<kBlocks, &GpuBlocks::recorded_steps>("recorded_steps", "of these, the steps with stacks"),
      field_as<NonEmpty, kBlocks, &GpuBlocks::no_stacks>("no_stacks",
                                                         "why no further steps are recorded; null: they are"),
      field<&GpuBlocksReport::pools>("pools", "they add up to what torch has reserved"),
      field<&GpuBlocksReport::lines>("lines", "most first; they add up to what torch has allocated"),
      field_as<NonZero, kBlocks, &GpuBlocks::peak_step>("peak_step",
                                                        "the step that `peak_lines` is about; null: none"),
      field<&GpuBlocksReport::peak_lines>("peak_lines", "the same when that step had most"));
}

constexpr auto describe(Tag<model::GpuOom>) {
  using model::GpuOom;
  return object(
      "GpuOom", "the last request of torch that failed",
      field_as<Seconds, &GpuOom::at_s>("at", "seconds into the run"),
      field<&GpuOom::asked_bytes>("asked_bytes", "what was asked for"),
      field<&GpuOom::free_bytes>("free_bytes", "what the driver had free on the GPU"),
      field<&GpuOom::line>("line", "the line that asked; null if it is not known"),
      field<&GpuOom::parts>("categories",
                            "what filled the GPU then; empty if the job went on, or without a snapshot"));
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
      of_recording(field<kWatched, &GpuReport::blocks>(
          "blocks", "pools and lines of torch's allocator; null if they were not read")),
      of_recording(field<kWatched, &GpuReport::oom>("oom", "the last request that failed; null: none")),
      field<&ListedGpu::verdict>(
          "verdict",
          "of the allocated memory, or of the memory outside of torch where that leaks; "
          "without torch, of the used memory"));
}

}  // namespace lowtide::show
