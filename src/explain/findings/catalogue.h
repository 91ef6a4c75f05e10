// The catalogue of findings.
//
// A matcher reads the scene and adds findings, with what was measured. It never
// guesses: a finding without a measurement is left out. One file per theme in
// this folder; a new theme is a file and a line in catalogue.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "explain/evidence/evidence.h"
#include "explain/settle/holders/holders.h"
#include "explain/settle/process_reports.h"
#include "explain/settle/sites/sites.h"
#include "explain/source/source_files.h"
#include "model/finding.h"
#include "model/report.h"

namespace lowtide::explain {

struct Scene {
  const Evidence& evidence;
  const std::vector<WatchedProcess>& processes;
  const Sites& sites;
  const std::vector<ProcessHolders>& holders;
  const model::ShortLived& short_lived;
  SourceFiles& sources;
  const model::Report& report;  // verdict, limit, forecast, events, growth, gpus and trim trials are there
};

using Findings = std::vector<model::Finding>;

// The gravest first; within a severity in the order of the catalogue; faults of the measurement last.
Findings find_all(const Scene& scene);

// Until the limit is reached, of a run that goes on and leaks.
std::optional<double> seconds_to_limit(const Scene& scene);
inline constexpr double kSoonSeconds = 3600;

// What is a small part of the growth is no grave cause; what kills the job within the hour is a critical one.
void weigh(const Scene& scene, Findings& out);

// The job's own Python files that the recorded stacks go through.
std::vector<std::string> own_files(const Scene& scene);

// The phase that the spikes come from; empty: no phase stands out.
std::string spiking_phase(const model::Report& report);

// The matchers, one per theme.
void find_full_tmpfs(const Scene& scene, Findings& out);
void find_leaking_sites(const Scene& scene, Findings& out);
void find_holding(const Scene& scene, Findings& out);
void find_shared_graph(const Scene& scene, Findings& out);
void find_settled_holding(const Scene& scene, Findings& out);
void find_leaks(const Scene& scene, Findings& out);
void find_allocator_retention(const Scene& scene, Findings& out);
void find_first_touch(const Scene& scene, Findings& out);
void find_trim_trial(const Scene& scene, Findings& out);
void find_agent_faults(const Scene& scene, Findings& out);
void find_copy_on_write(const Scene& scene, Findings& out);
void find_shared_memory(const Scene& scene, Findings& out);
// The process that made the memory that no process maps. Its other findings are about other memory, so this
// comes after they are joined.
void name_creator(const Scene& scene, Findings& out);
void find_gpu_growth(const Scene& scene, Findings& out);
void find_keeping_phase(const Scene& scene, Findings& out);
void find_ending(const Scene& scene, Findings& out);
void find_limit_ahead(const Scene& scene, Findings& out);
void find_shape(const Scene& scene, Findings& out);
void find_overhead(const Scene& scene, Findings& out);
void find_page_cache(const Scene& scene, Findings& out);
void find_recording_faults(const Scene& scene, Findings& out);

}  // namespace lowtide::explain
