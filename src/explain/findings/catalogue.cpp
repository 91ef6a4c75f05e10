#include "explain/findings/catalogue.h"

#include <algorithm>
#include <array>

namespace lowtide::explain {
namespace {

using Matcher = void (*)(const Scene&, Findings&);

constexpr std::array<Matcher, 16> kCatalogue{
    find_ending,          find_holding,       find_leaking_sites,
    find_leaks,           find_keeping_phase, find_allocator_retention,
    find_trim_trial,      find_copy_on_write, find_shared_memory,
    find_gpu_growth,      find_limit_ahead,   find_shape,
    find_overhead,        find_page_cache,    find_agent_faults,
    find_recording_faults};

}  // namespace

Findings find_all(const Scene& scene) {
  Findings out;
  for (const Matcher match : kCatalogue) match(scene, out);
  std::stable_sort(out.begin(), out.end(),
                   [](const model::Finding& a, const model::Finding& b) { return a.severity < b.severity; });
  return out;
}

}  // namespace lowtide::explain
