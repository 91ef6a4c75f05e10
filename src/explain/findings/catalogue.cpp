#include "explain/findings/catalogue.h"

#include <algorithm>
#include <array>

#include "explain/findings/gpu/allocating_line.h"
#include "explain/findings/gpu/failed_step.h"
#include "explain/findings/held/exclusions.h"
#include "explain/findings/join_causes.h"
#include "explain/settle/sites/own_frames.h"

namespace lowtide::explain {
namespace {

using Matcher = void (*)(const Scene&, Findings&);

// Causes first, then where memory grew, then what is not a leak.
constexpr std::array<Matcher, 18> kCatalogue{find_full_tmpfs,    find_ending,
                                             find_copy_on_write, find_holding,
                                             find_shared_graph,  find_leaking_sites,
                                             find_leaks,         find_keeping_phase,
                                             find_shared_memory, find_gpu_growth,
                                             find_limit_ahead,   find_shape,
                                             find_first_touch,   find_allocator_retention,
                                             find_trim_trial,    find_settled_holding,
                                             find_overhead,      find_page_cache};

}  // namespace

std::vector<std::string> own_files(const Scene& scene) {
  std::vector<std::string> out;
  for (const SiteGroup& group : scene.sites.groups) {
    for (const model::Frame& frame : group.frames()) {
      if (is_own_python(frame) && std::find(out.begin(), out.end(), frame.file) == out.end())
        out.push_back(frame.file);
    }
  }
  return out;
}

Findings find_all(const Scene& scene) {
  Findings out;
  for (const Matcher match : kCatalogue) match(scene, out);
  weigh(scene, out);
  join_causes(out);
  add_allocating_lines(scene.report.gpus, out);
  clear_growth_of_failed_step(out);
  std::stable_sort(out.begin(), out.end(),
                   [](const model::Finding& a, const model::Finding& b) { return a.severity < b.severity; });
  name_creator(scene, out);
  add_exclusions(scene, out);
  // These are about the measurement, not about the job. They do not come first, whatever their severity.
  find_agent_faults(scene, out);
  find_recording_faults(scene, out);
  return out;
}

}  // namespace lowtide::explain
