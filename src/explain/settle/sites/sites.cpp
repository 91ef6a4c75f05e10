#include "explain/settle/sites/sites.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "explain/settle/sites/own_frames.h"
#include "explain/settle/sites/seen_sites.h"

namespace lowtide::explain {

const model::Frame* SiteGroup::frame() const {
  return act_on < frames().size() ? &frames()[act_on] : nullptr;
}

std::string SiteGroup::words() const {
  const std::string called = function_behind_bridge(frames(), act_on);
  const std::string place = site_words(frame());
  return called.empty() ? place : fmt::format("{}(), called at {},", base::printable(called, 80), place);
}

const AgentProcess* Sites::find_process(model::ProcessId id) const {
  const auto found = std::find_if(processes.begin(), processes.end(),
                                  [&](const AgentProcess& process) { return process.info.id == id; });
  return found == processes.end() ? nullptr : &*found;
}

std::string site_words(const model::Frame* frame) {
  if (frame == nullptr) return "an unknown place";
  const auto name_of = [](const std::string& path) { return path.substr(path.rfind('/') + 1); };
  std::string place = name_of(frame->file);
  if (!place.empty() && frame->line > 0) place += fmt::format(":{}", frame->line);
  std::string words = frame->function;
  if (frame->language == model::FrameLanguage::Python) {
    words =
        frame->function.empty() || frame->function == "<module>" ? place : place + " in " + frame->function;
  } else if (!place.empty()) {
    words += (words.empty() ? "" : " at ") + place;
  } else if (!frame->module.empty()) {
    words += (words.empty() ? "" : " in ") + name_of(frame->module);
  }
  return words.empty() ? "an unknown place" : base::printable(words, 160);
}

std::vector<model::SiteReport> site_reports(const Sites& sites) {
  std::vector<model::SiteReport> out;
  for (const SiteGroup& group : sites.groups) {
    model::SiteReport report;
    report.pid = group.process.pid;
    report.verdict = group.verdict;
    report.live_bytes = group.live_bytes;
    report.growth_bytes = std::llround(group.change_bytes);
    report.error_bytes = static_cast<std::uint64_t>(std::max(0.0, group.error_bytes));
    if (sites.growth_bytes > 0) report.share = std::clamp(group.change_bytes / sites.growth_bytes, 0.0, 1.0);
    report.live_samples = group.live_samples;
    report.allocated_bytes = group.allocated_bytes;
    report.frames = group.frames();
    report.act_on = group.act_on;
    report.native_function = function_behind_bridge(group.frames(), group.act_on);
    report.cut = group.members.front()->info.cut;
    report.stacks = group.members.size();
    report.curve = curve_of(group.live);
    out.push_back(std::move(report));
  }
  return out;
}

std::vector<model::ProfileSample> profile_samples(const Evidence& evidence) {
  std::vector<model::ProfileSample> out;
  for (const SiteEvidence& site : evidence.sites) {
    const ProcessEvidence* process = evidence.find_process(site.info.process);
    if (process == nullptr) continue;
    const Seen seen = seen_of(evidence, *process);
    const SiteMoment last = site.at(window_middle(evidence.late));
    out.push_back({process->info.pid, site.info.frames, last.live_bytes, last.live_samples,
                   site.moments.back().allocated_bytes,
                   std::llround(site_growth(site, seen.early, evidence.late))});
  }
  return out;
}

}  // namespace lowtide::explain
