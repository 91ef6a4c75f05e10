#include "explain/findings/catalogue.h"

#include <algorithm>
#include <array>

#include "explain/findings/held/exclusions.h"

namespace lowtide::explain {
namespace {

using Matcher = void (*)(const Scene&, Findings&);

// Causes before what only tells where; what is innocent after what explains why.
constexpr std::array<Matcher, 15> kCatalogue{find_ending,
                                             find_copy_on_write,
                                             find_holding,
                                             find_leaking_sites,
                                             find_leaks,
                                             find_keeping_phase,
                                             find_allocator_retention,
                                             find_trim_trial,
                                             find_shared_memory,
                                             find_gpu_growth,
                                             find_limit_ahead,
                                             find_shape,
                                             find_settled_holding,
                                             find_overhead,
                                             find_page_cache};

}  // namespace

Findings find_all(const Scene& scene) {
  Findings out;
  for (const Matcher match : kCatalogue) match(scene, out);
  weigh(scene, out);
  std::stable_sort(out.begin(), out.end(),
                   [](const model::Finding& a, const model::Finding& b) { return a.severity < b.severity; });
  add_exclusions(scene, out);
  // Of the measurement, not of the job: whatever their severity, they do not come first.
  find_agent_faults(scene, out);
  find_recording_faults(scene, out);
  return out;
}

}  // namespace lowtide::explain
