// The line that allocates what is kept.

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/units.h"
#include "explain/findings/advice.h"
#include "explain/findings/catalogue.h"
#include "explain/findings/free_call.h"
#include "explain/findings/library.h"
#include "explain/settle/growth.h"
#include "explain/settle/process_reports.h"
#include "explain/settle/sites/own_frames.h"
#include "explain/settle/sites/site_rules.h"
#include "explain/words.h"

namespace lowtide::explain {
namespace {

using model::VerdictKind;

constexpr std::size_t kMostSites = 3;
constexpr double kLeastSiteShare = 0.05;  // of the growth of all live memory
constexpr double kNamedShare = 0.25;      // the same, for a place that only grows
constexpr double kLiveOfTree = 0.3;       // of the tree's growth is live: else the places do not explain it
constexpr double kLeastSiteBytes = 1e6;

double site_share(const Scene& scene, const SiteGroup& group) {
  return scene.sites.growth_bytes > 0 ? std::clamp(group.change_bytes / scene.sites.growth_bytes, 0.0, 1.0)
                                      : 0;
}

bool is_material_site(const Scene& scene, const SiteGroup& group, double least_share) {
  return group.there_late && group.change_bytes >= std::max(kLeastSiteBytes, 2 * group.error_bytes) &&
         site_share(scene, group) >= least_share;
}

model::Place site_place(const SiteGroup& group) {
  model::Place place;
  const model::Frame* frame = group.frame();
  if (frame == nullptr) return place;
  if (!frame->file.empty()) {
    place.file = frame->file;
  } else if (!frame->module.empty()) {
    place.file = frame->module;
  }
  if (frame->line > 0) place.line = frame->line;
  if (!frame->function.empty()) place.function = frame->function;
  return place;
}

// The first Python line outside of a native function: who calls it.
const model::Frame* find_caller(const SiteGroup& group) {
  for (std::size_t at = group.act_on + 1; at < group.frames().size(); ++at) {
    if (is_own_python(group.frames()[at])) return &group.frames()[at];
  }
  return nullptr;
}

// "line 30", or the function where the line is not known.
std::string line_words(const SiteGroup& group) {
  const model::Frame* frame = group.frame();
  return frame != nullptr && frame->line > 0 ? fmt::format("line {}", frame->line) : group.words();
}

// More was allocated than is resident: blocks that are not written in full.
bool is_partly_resident(const Scene& scene, const SiteGroup& group, double live_bytes) {
  const auto process = std::find_if(scene.processes.begin(), scene.processes.end(), [&](const auto& each) {
    return each.report.info.id == group.process.id;
  });
  return process != scene.processes.end() &&
         live_bytes > level(process->series, scene.evidence.late).value_or(live_bytes);
}

std::vector<model::Observation> site_facts(const Scene& scene, const SiteGroup& group) {
  const auto early = level(group.live, group.early);
  const auto late = level(group.live, scene.evidence.late);
  std::vector<model::Observation> out;
  const std::string freed = freed_words(group);
  out.emplace_back(
      fmt::format("{} allocated {} of the growth{}{}", line_words(group),
                  base::format_share(site_share(scene, group)), freed.empty() ? "" : "; ", freed),
      model::ObservationKind::LineShare);
  const bool is_partly = is_partly_resident(scene, group, late.value_or(0));
  out.emplace_back(
      fmt::format("live memory from this line: {} {} -> {} {}{}{}", bytes_words(early.value_or(0)),
                  at_middle(group.early, scene.evidence), bytes_words(late.value_or(0)),
                  at_middle(scene.evidence.late, scene.evidence),
                  group.error_bytes > 0 ? fmt::format(" (+/- {})", bytes_words(group.error_bytes)) : "",
                  is_partly ? "; not all of it is resident" : ""));
  const model::Frame* frame = group.frame();
  if (frame != nullptr && frame->language == model::FrameLanguage::Native) {
    if (const model::Frame* caller = find_caller(group)) {
      out.emplace_back("it is called from " + site_words(caller));
    }
  } else if (is_native_allocation(group.frames(), group.act_on)) {
    const bool is_own_call = !function_behind_bridge(group.frames(), group.act_on).empty();
    out.emplace_back(is_own_call ? "the line calls a C function through ctypes or cffi"
                                 : "it is allocated in a call through ctypes or cffi");
  }
  return out;
}

model::Finding site_finding(const Scene& scene, const SiteGroup& group) {
  const bool native = is_native_allocation(group.frames(), group.act_on);
  model::Finding out;
  out.mechanism = group.is_shared() ? model::Mechanism::SharedMemory
                  : native          ? model::Mechanism::NativeLive
                                    : model::Mechanism::LiveObjects;
  out.pid = group.process.pid;
  out.process = process_of(group.process);
  out.where = site_place(group);
  if (const model::Frame* frame = group.frame(); frame != nullptr && !frame->file.empty()) {
    out.lines.push_back({.role = model::LineRole::Allocates,
                         .file = frame->file,
                         .line = frame->line,
                         .function = frame->function,
                         .source = scene.sources.line(frame->file, frame->line)});
  }
  out.share = site_share(scene, group);
  out.growth_bytes = group.change_bytes;
  out.callee = function_behind_bridge(group.frames(), group.act_on);
  out.evidence = site_facts(scene, group);
  out.fix = group.is_shared() ? advice::kSharedLine : native ? advice::kNative : advice::kObjects;
  if (native && !out.lines.empty()) {
    out.hint = free_call(out.callee, out.lines.front().source.value_or(""));
    if (!out.hint.empty()) out.fix = advice::kFreeCall;
  }
  if (out.hint.empty()) {
    const std::string library = find_native_library(group.frames()).name;
    // Only what ctypes or cffi return is the caller's to free.
    if (native && out.callee.empty() && !library.empty())
      out.fix = fmt::format(fmt::runtime(advice::kLibrary), library);
    describe_library(scene, group, library, out);
    if (out.library.empty() && out.mechanism == model::Mechanism::LiveObjects)
      describe_objects_without_holder(scene, group, library, out);
  }
  return out;
}

model::Finding leak_at(const Scene& scene, const SiteGroup& group) {
  model::Finding out = site_finding(scene, group);
  out.id = out.mechanism == model::Mechanism::NativeLive ? model::FindingId("native-leak")
                                                         : model::FindingId("leaking-site");
  out.severity = scene.report.verdict.kind == VerdictKind::Leak && *out.share >= 0.1
                     ? model::Severity::High
                     : model::Severity::Medium;
  const model::Frame* frame = group.frame();
  const bool is_in_library =
      !out.library.empty() && (frame == nullptr || frame->language == model::FrameLanguage::Native);
  out.title = fmt::format("{} allocated {} that was never freed", is_in_library ? out.library : group.words(),
                          bytes_words(group.change_bytes));
  out.confidence = group.verdict.confidence;
  return out;
}

model::Finding growth_at(const Scene& scene, const SiteGroup& group) {
  model::Finding out = site_finding(scene, group);
  const bool leaks = scene.report.verdict.kind == VerdictKind::Leak;
  out.id = "growing-site";
  out.severity = model::Severity::Medium;
  out.title = fmt::format("{} has {} more live memory than at first{}", group.words(),
                          bytes_words(group.change_bytes), leaks ? "" : "; too early to call it a leak");
  out.confidence = 0.7;
  constexpr double kMostFreed = 0.8;
  if (!leaks && group.freed_samples > kMostFreed * (group.freed_samples + group.new_samples)) {
    out.fix = advice::kMostlyFreed;
    out.held_by.clear();
  }
  return out;
}

bool is_flat_kind(VerdictKind kind) {
  return kind == VerdictKind::Stable || kind == VerdictKind::Spikes || kind == VerdictKind::Warmup;
}

}  // namespace

void find_leaking_sites(const Scene& scene, Findings& out) {
  const model::Verdict& tree = scene.report.verdict;
  if (!model::may_leak(tree)) return;
  std::size_t named = 0;
  for (const SiteGroup& group : scene.sites.groups) {
    if (group.verdict.kind != VerdictKind::Leak || !is_material_site(scene, group, kLeastSiteShare)) continue;
    out.push_back(leak_at(scene, group));
    if (++named == kMostSites) break;
  }
  if (named > 0 || scene.sites.growth_bytes < kLiveOfTree * tree_change(scene.evidence)) return;
  for (const SiteGroup& group : scene.sites.groups) {
    if (is_flat_kind(group.verdict.kind) || !is_material_site(scene, group, kNamedShare)) continue;
    out.push_back(growth_at(scene, group));
    if (++named == kMostSites) break;
  }
}

}  // namespace lowtide::explain
