// The line that allocates what is kept.

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/units.h"
#include "explain/findings/catalogue.h"
#include "explain/settle/growth.h"
#include "explain/settle/own_frames.h"
#include "explain/settle/site_rules.h"
#include "explain/words.h"

namespace lowtide::explain {
namespace {

using model::VerdictKind;

constexpr std::size_t kMostSites = 3;
constexpr double kLeastSiteShare = 0.05;  // of the growth of all that is alive
constexpr double kNamedShare = 0.25;      // the same, for a place that only grows
constexpr double kLiveOfTree = 0.3;       // of the tree's growth is alive: else the places do not explain it
constexpr double kLeastSiteBytes = 1e6;

const char* const kFixObjects =
    "find what keeps the result of this line: a list, dict, cache or closure it goes into; drop it there or "
    "give it a bound, and of tensors keep .item() or .detach() only";
const char* const kFixNative =
    "this is memory of native code, that no garbage collector frees: free what the call returns, or call the "
    "library's own release function";

const char* const kFixShared =
    "what this line gets lies in memory that processes share, and lives as long as somebody maps it: keep a "
    "copy (.clone()) of what is kept, or drop the reference; close and unlink segments that are done";

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

std::string rate_words(const model::Verdict& verdict) {
  if (!verdict.rate || !(verdict.rate->bytes > 0)) return "";
  return fmt::format(", {} per {}", bytes_words(verdict.rate->bytes),
                     verdict.axis == model::Axis::Step ? "step" : "second");
}

std::vector<std::string> site_facts(const Scene& scene, const SiteGroup& group) {
  const auto early = level(group.live, group.early);
  const auto late = level(group.live, scene.evidence.late);
  std::vector<std::string> out;
  out.push_back(fmt::format("alive from here: {} then, {} now (error {}){}", bytes_words(early.value_or(0)),
                            bytes_words(late.value_or(0)), bytes_words(group.error_bytes),
                            rate_words(group.verdict)));
  out.push_back(freed_words(group));
  const model::Frame* frame = group.frame();
  if (frame != nullptr && frame->language == model::FrameLanguage::Native) {
    if (const model::Frame* caller = find_caller(group)) {
      out.push_back("called from " + site_words(caller));
    }
  } else if (is_native_allocation(group.frames(), group.act_on)) {
    out.emplace_back("a C function is called from Python, through ctypes or cffi");
  }
  out.push_back(fmt::format(
      "{:.0f} % of the growth of all that is alive; {}{}", site_share(scene, group) * 100,
      process_words(group.process),
      group.members.size() == 1 ? "" : fmt::format(", {} stacks", base::format_count(group.members.size()))));
  return out;
}

model::Finding site_finding(const Scene& scene, const SiteGroup& group) {
  const bool native = is_native_allocation(group.frames(), group.act_on);
  model::Finding out;
  out.mechanism = group.is_shared() ? model::Mechanism::SharedMemory
                  : native          ? model::Mechanism::NativeLive
                                    : model::Mechanism::LiveObjects;
  out.pid = group.process.pid;
  out.where = site_place(group);
  out.share = site_share(scene, group);
  out.evidence = site_facts(scene, group);
  out.fix = group.is_shared() ? kFixShared : native ? kFixNative : kFixObjects;
  return out;
}

model::Finding leak_at(const Scene& scene, const SiteGroup& group) {
  model::Finding out = site_finding(scene, group);
  out.id = out.mechanism == model::Mechanism::NativeLive ? model::FindingId("native-leak")
                                                         : model::FindingId("leaking-site");
  out.severity = scene.report.verdict.kind == VerdictKind::Leak && *out.share >= 0.1
                     ? model::Severity::High
                     : model::Severity::Medium;
  out.title = fmt::format("{} leaks: {} more alive, {:.0f} % of what grew", group.words(),
                          bytes_words(group.change_bytes), *out.share * 100);
  out.confidence = group.verdict.confidence;
  return out;
}

model::Finding growth_at(const Scene& scene, const SiteGroup& group) {
  model::Finding out = site_finding(scene, group);
  const bool leaks = scene.report.verdict.kind == VerdictKind::Leak;
  out.id = "growing-site";
  out.severity = model::Severity::Medium;
  out.title = fmt::format("{} grows: {} more alive, {:.0f} % of what grew{}", group.words(),
                          bytes_words(group.change_bytes), *out.share * 100,
                          leaks ? "" : "; too early to call it a leak");
  out.confidence = 0.7;
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
