// Everything that a recording holds and the findings look at, read once.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "explain/evidence/gpu_evidence.h"
#include "explain/evidence/series.h"
#include "explain/evidence/site_evidence.h"
#include "explain/evidence/tmpfs_evidence.h"
#include "model/judgement.h"
#include "model/process.h"
#include "model/shared_group.h"
#include "model/watched.h"
#include "record/header.h"
#include "record/reader.h"

namespace lowtide::explain {

struct ProcessEvidence {
  model::ProcessInfo info;
  RecordedSeries series = {};               // own bytes; rss, file and shmem beside them
  std::optional<double> work_ended_s = {};  // it ended then, or its interpreter began to
  // The own bytes are all that it holds, with pages that it shares with the children that it forked.
  bool counts_shared_pages = false;
  model::ProcessBytes bytes = {};
  std::uint64_t pss_readings = 0;
};

struct CgroupMoment {
  double at_s = 0;
  model::CgroupReading reading;
};

struct HostMoment {
  double at_s = 0;
  model::HostReading reading;
};

struct TargetMoment {
  double at_s = 0;
  model::TargetReading reading;
};

struct Evidence {
  record::Header header;
  bool closed = false;
  bool is_running = false;  // the run goes on: a series must show more to be called a leak (judge/live.h)
  double last_at_s = 0;
  std::uint64_t lost_ticks = 0;

  RecordedSeries target;  // rss is the plain sum, file the resident pages of files
  std::vector<TargetMoment> target_moments;
  std::vector<CgroupMoment> cgroup;
  std::vector<HostMoment> host;
  std::vector<TmpfsEvidence> tmpfs;
  std::vector<GpuEvidence> gpus;
  std::vector<model::Phase> phases;
  std::vector<model::PhaseVisit> phase_visits;
  std::vector<ProcessEvidence> processes;
  std::vector<record::RecordedEvent> events;
  std::vector<model::Judgement> judgements;
  std::vector<record::Outage> outages;
  std::vector<SiteEvidence> sites;         // of processes with an agent
  std::vector<SiteEvidence> driver_sites;  // of memory that was asked of the CUDA driver
  std::vector<HeapEvidence> heaps;
  std::vector<model::LibraryVersion> libraries;     // that allocate
  std::string shared_objects;                       // what most of the job's shared memory is
  std::vector<model::SharedGroup> shared_groups;    // all of it; absent in old recordings
  std::vector<record::RecordedSnapshot> snapshots;  // of Python processes, oldest first

  RecordedSeries ticks;  // every moment at which something was read
  Steps steps;
  Window early;  // after the start-up ...
  Window late;   // ... and at the end: between them growth is measured

  [[nodiscard]] const ProcessEvidence* find_process(model::ProcessId id) const;
  [[nodiscard]] const ProcessEvidence* root() const;
  [[nodiscard]] bool has_failed_process() const;  // by its exit status
};

Evidence read_evidence(record::Recording& recording);

// Judges a series that is not the tree's. While the run goes on, a leak must hold by the rules for that too.
model::SeriesReport judge_part(const RecordedSeries& series, const Evidence& evidence);

// Where growth is measured, from the judged part of the run.
void set_windows(Evidence& evidence);

}  // namespace lowtide::explain
