// What the recording does not hold: its end, or a stretch of it.

#include <fmt/format.h>

#include "base/text.h"
#include "base/units.h"
#include "explain/findings/advice.h"
#include "explain/findings/catalogue.h"

namespace lowtide::explain {

void find_recording_faults(const Scene& scene, Findings& out) {
  const Evidence& evidence = scene.evidence;
  if (scene.report.ending == model::Ending::CutOff) {
    model::Finding finding;
    finding.id = "recording-cut-off";
    finding.severity = model::Severity::Low;
    finding.title =
        fmt::format("the recording ends {} into the run: the monitor was killed, or the machine went down",
                    base::format_seconds(evidence.last_at_s));
    finding.confidence = 0.95;
    finding.evidence = {"it was not closed, and nothing is written to it anymore",
                        "the data before that is complete; how the job ended is unknown"};
    out.push_back(std::move(finding));
  }
  if (evidence.lost_ticks == 0 && evidence.outages.empty()) return;
  model::Finding finding;
  finding.id = "readings-lost";
  finding.severity = model::Severity::Low;
  finding.title = fmt::format("{} readings could not be written", base::format_count(evidence.lost_ticks));
  finding.confidence = 0.99;
  for (const record::Outage& outage : evidence.outages) {
    if (finding.evidence.size() == 5) break;
    finding.evidence.emplace_back(fmt::format("from {} to {}: {}", base::format_seconds(outage.from_s),
                                              base::format_seconds(outage.to_s),
                                              base::printable(outage.why, 200)));
  }
  finding.fix = advice::kDiskFull;
  out.push_back(std::move(finding));
}

}  // namespace lowtide::explain
