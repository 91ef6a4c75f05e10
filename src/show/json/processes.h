// The description of the processes of a report.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "model/report.h"
#include "show/json/fields.h"
#include "show/json/formats.h"
#include "show/json/verdict.h"

namespace lowtide::show {

// A process of a recording, or of a log that distinguishes processes.
struct ListedProcess {
  std::reference_wrapper<const model::SeriesReport> series;
  const model::ProcessReport* watched = nullptr;
};

struct ListedBytes {
  std::uint64_t rss_bytes = 0;
  const model::ProcessBytes* watched = nullptr;
};

std::vector<ListedProcess> processes_of(const model::Report& report);

constexpr auto describe(Tag<ListedBytes>) {
  using model::ProcessBytes;
  constexpr auto kWatched = &ListedBytes::watched;
  return object(
      "ProcessBytes", "the latest reading of a process; a log has `rss` alone",
      field<&ListedBytes::rss_bytes>("rss", "resident memory"),
      field<kWatched, &ProcessBytes::pss_bytes>("pss", "the same, shared pages divided among their users"),
      field<kWatched, &ProcessBytes::uss_bytes>("uss", "pages of this process alone"),
      of_recording(field_as<Seconds, kWatched, &ProcessBytes::pss_age_s>(
          "pss_age_s", "how much older `pss` and `uss` are than the rest")),
      field<kWatched, &ProcessBytes::anon_bytes>("anon", "heap, stacks and other memory without a file"),
      field<kWatched, &ProcessBytes::file_bytes>("file", "mapped files"),
      field<kWatched, &ProcessBytes::shmem_bytes>("shmem", "shared memory"),
      field<kWatched, &ProcessBytes::swap_bytes>("swap", "swapped out"));
}

constexpr auto describe(Tag<ListedProcess>) {
  using model::ProcessInfo;
  using model::ProcessReport;
  using model::SeriesReport;
  constexpr auto kWatched = &ListedProcess::watched;
  constexpr auto kInfo = &ProcessReport::info;
  return object(
      "Process", "a process; workers that were respawned are one entry, with the latest pid",
      field("pid", "its process id",
            [](const ListedProcess& process) {
              return process.watched != nullptr ? process.watched->info.pid : *process.series.get().pid;
            }),
      field<kWatched, kInfo, &ProcessInfo::ppid>("ppid", "its parent; null in a log"),
      field<kWatched, kInfo, &ProcessInfo::role>("role", "what it is there for; null in a log"),
      of_recording(field<kWatched, kInfo, &ProcessInfo::index>("index", "its number: rank 3, worker 0")),
      field("command", "its command line",
            [](const ListedProcess& process) {
              return NonEmpty{process.watched != nullptr ? process.watched->info.command
                                                         : process.series.get().command};
            }),
      field_as<Seconds, kWatched, kInfo, &ProcessInfo::started_s>(
          "started_s", "when it began; below 0: before the recording; null in a log"),
      field_as<Seconds, kWatched, kInfo, &ProcessInfo::ended_s>("ended_s", "when it ended"),
      field<kWatched, kInfo, &ProcessInfo::exit_status>(
          "exit", "its exit status as in a shell: 128 + n for signal n"),
      of_recording(field("processes", "how many processes the entry stands for",
                         [](const ListedProcess& process) { return process.watched->processes; })),
      field<&ListedProcess::series, &SeriesReport::verdict>(
          "verdict", "of the memory that would go with this process alone"),
      of_recording(field("peak_bytes", "its highest reading",
                         [](const ListedProcess& process) { return process.series.get().peak_bytes; })),
      of_recording(field_as<Share, kWatched, &ProcessReport::growth_share>(
          "growth_share", "its part of the growth of the tree; null where the tree did not grow")),
      field("bytes", "its memory", [](const ListedProcess& process) {
        return process.watched != nullptr
                   ? ListedBytes{process.watched->bytes.rss_bytes, &process.watched->bytes}
                   : ListedBytes{process.series.get().last_bytes};
      }));
}

}  // namespace lowtide::show
