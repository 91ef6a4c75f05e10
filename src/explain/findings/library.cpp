#include "explain/findings/library.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <regex>
#include <string>

#include "base/text.h"
#include "base/units.h"
#include "explain/findings/advice.h"
#include "explain/findings/held/holder_features.h"
#include "explain/findings/held/identifier_words.h"
#include "explain/findings/held/known_registries.h"
#include "explain/findings/running_calls.h"
#include "explain/settle/holders/held_contents.h"
#include "explain/settle/sites/own_frames.h"
#include "explain/words.h"

namespace lowtide::explain {
namespace {

constexpr double kLittleKnown = 0.3;  // of what the site allocated

// The share of what the site allocated that came to Python objects.
double share_in_objects(const ProcessHolders& holders, const SiteGroup& site) {
  const double allocated = change_between(site.live, holders.from_s, holders.to_s);
  const auto known = static_cast<double>(holders.difference.growth_bytes);
  return allocated > 0 ? std::clamp(known / allocated, 0.0, 1.0) : 1;
}

struct MethodCall {
  std::string object;
  std::string method;
};

// "self.index.add(vectors)": add() of self.index. A name that the file imports is a module, not an object.
MethodCall method_call_in(Scene const& scene, const model::CodeLine& line) {
  static const std::regex kPattern(
      R"(([A-Za-z_][A-Za-z_0-9]*(?:\.[A-Za-z_][A-Za-z_0-9]*)*)\.([A-Za-z_][A-Za-z_0-9]*)\()");
  constexpr std::size_t kLongest = 500;
  const std::string text = line.source.value_or("").substr(0, kLongest);
  std::smatch match;
  if (!std::regex_search(text, match, kPattern)) return {};
  const std::string object = match[1];
  const std::string root = object.substr(0, object.find('.'));
  const PythonSource* source = scene.sources.find(line.file);
  return source == nullptr || source->imports(root) ? MethodCall{} : MethodCall{object, match[2]};
}

// Objects of this type may have memory that snapshots do not measure: those of a library. What Python, numpy
// and torch allocate is measured, and so is what objects of the job's own classes hold.
bool may_have_native_memory(std::string_view type, const OwnModules& own) {
  constexpr std::array<std::string_view, 9> kMeasured{"numpy.",    "torch.",    "collections.",
                                                      "array.",    "datetime.", "itertools.",
                                                      "_asyncio.", "asyncio.",  "_io."};
  const std::size_t dot = type.find('.');
  return dot != std::string_view::npos && !own.contains(type.substr(0, dot)) &&
         std::none_of(kMeasured.begin(), kMeasured.end(),
                      [&](std::string_view module) { return type.starts_with(module); });
}

// Such objects came with the items of the variable. Recordings of earlier versions do not have its contents.
bool gained_native_objects(const HeldGrowth& grown, const OwnModules& own) {
  constexpr double kMostOfThem = 0.5;
  if (grown.last_listed == nullptr) return true;
  const HeldContents contents = HeldContents::gained_by(grown);
  if (contents.types().empty()) return true;
  const double items =
      grown.holder.growth_length.value_or(0) > 0 ? static_cast<double>(*grown.holder.growth_length) : 1;
  return std::any_of(contents.types().begin(), contents.types().end(), [&](const GainedType& each) {
    return static_cast<double>(each.count) >= kMostOfThem * items && may_have_native_memory(each.type, own);
  });
}

bool gains_objects(const HeldGrowth& grown) {
  constexpr std::size_t kFewestGains = 2;
  constexpr std::int64_t kFewestObjects = 50;
  return grown.gains >= kFewestGains && grown.losses == 0 && !grown.slows_down && !grown.has_stopped &&
         grown.holder.node.cache != model::CacheKind::Bounded &&
         grown.holder.growth_objects >= kFewestObjects;
}

// The variable that gained the most objects, and never lost any. How large they are is not known.
const HeldGrowth* find_likely_holder(const ProcessHolders& holders) {
  const auto found = std::find_if(holders.grown.begin(), holders.grown.end(), gains_objects);
  return found == holders.grown.end() ? nullptr : &*found;
}

// The same, of objects that may have memory of a library. A list of numbers grows beside it in many jobs.
const HeldGrowth* find_holder_of_native(const Scene& scene, const ProcessHolders& holders) {
  const OwnModules own = own_modules(scene.evidence.sites);
  const auto found = std::find_if(holders.grown.begin(), holders.grown.end(), [&](const HeldGrowth& grown) {
    return gains_objects(grown) && gained_native_objects(grown, own);
  });
  return found == holders.grown.end() ? nullptr : &*found;
}

// "pyarrow 17.0.0"; the name alone where no version was found.
std::string with_version(const Scene& scene, const std::string& library) {
  const auto& all = scene.evidence.libraries;
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.name == library; });
  return found == all.end() ? library : library + " " + found->version;
}

std::string gained_words(const HeldGrowth& grown) {
  const std::string name = quoted_variable(grown.holder.node);
  if (grown.holder.growth_length.value_or(0) > 0) {
    return fmt::format("{}, which grew by {} items", name,
                       base::format_count(static_cast<std::uint64_t>(*grown.holder.growth_length)));
  }
  return fmt::format("{}, which grew by {} objects", name,
                     base::format_count(static_cast<std::uint64_t>(grown.holder.growth_objects)));
}

const ProcessHolders* find_compared(const Scene& scene, const SiteGroup& site) {
  const auto found = std::find_if(
      scene.holders.begin(), scene.holders.end(),
      [&](const ProcessHolders& each) { return each.process.id == site.process.id && each.snapshots > 1; });
  return found == scene.holders.end() ? nullptr : &*found;
}

std::string likely_words(const HeldGrowth& likely, const ProcessHolders& holders) {
  return fmt::format("perhaps {} in {} snapshots (not proven)", gained_words(likely), holders.snapshots);
}

// `advice` for a variable of the user. One of a library is not his to change.
std::string advice_for(const Scene& scene, const model::HeldNode& node, const char* advice) {
  std::string out = advice_for_library_variable(scene, node);
  if (out.empty()) out = fmt::format(fmt::runtime(advice), quoted_variable(node));
  return out;
}

}  // namespace

void describe_objects_without_holder(const Scene& scene, const SiteGroup& site, const std::string& library,
                                     model::Finding& finding) {
  constexpr double kHolds = 0.3;          // of what the process gained
  constexpr double kLeastOfLikely = 0.1;  // the same
  constexpr std::size_t kFewestSnapshots = 3;
  const ProcessHolders* holders = find_compared(scene, site);
  if (holders == nullptr || holders->snapshots < kFewestSnapshots) return;
  for (const HeldGrowth& grown : holders->grown) {
    if (!is_only_namespace(grown.holder) && grown.of_process >= kHolds) return;
  }
  const auto calls = find_running_calls(scene, *holders);
  if (calls && calls->growth_bytes >= kHolds * site.change_bytes) {
    finding.held_by =
        fmt::format("`{}` in {} running calls of `{}()`, {} at first{}", calls->variable,
                    base::format_count(calls->at_last), calls->function, base::format_count(calls->at_first),
                    calls->line > 0 ? fmt::format("; they are at line {}", calls->line) : "");
    finding.variable = calls->variable;
    finding.running_calls = calls->at_last;
    finding.fix = fmt::format(fmt::runtime(advice::kRunningCalls), calls->function);
    return;
  }
  const HeldGrowth* likely = find_likely_holder(*holders);
  if (likely != nullptr && likely->of_process >= kLeastOfLikely) {
    finding.held_by = likely_words(*likely, *holders);
    finding.fix = advice_for(scene, likely->holder.node, advice::kItemsOfLikely);
    return;
  }
  finding.held_by =
      fmt::format("not known: {} snapshots show no variable that grew with it", holders->snapshots);
  // numpy allocates the data of arrays: what keeps the arrays leaks.
  const bool is_suspect = !library.empty() && library != "numpy";
  finding.fix = fmt::format(
      fmt::runtime(advice::kUnheld),
      !is_suspect ? ""
                  : fmt::format(" ({} is on the stack: try another version)", with_version(scene, library)));
}

void describe_library(const Scene& scene, const SiteGroup& site, const std::string& library,
                      model::Finding& finding) {
  const ProcessHolders* found = find_compared(scene, site);
  if (found == nullptr || library.empty()) return;
  const double known = share_in_objects(*found, site);
  if (known >= kLittleKnown) return;
  finding.library = library;
  finding.cause = fmt::format("native code of {} allocates this memory; Python objects account for {} of it",
                              with_version(scene, library), base::format_share(known));
  if (const HeldGrowth* likely = find_holder_of_native(scene, *found)) {
    finding.cause =
        fmt::format("native code of {} allocates this memory; the sizes of Python objects do not include it",
                    with_version(scene, library));
    finding.held_by = likely_words(*likely, *found);
    finding.fix = advice_for(scene, likely->holder.node, advice::kObjectsOfLibrary);
    return;
  }
  finding.held_by =
      fmt::format("not known; {} snapshots show no Python objects of this size", found->snapshots);
  if (!finding.callee.empty()) {
    finding.fix =
        fmt::format(fmt::runtime(advice::kReleaseCall), base::printable(finding.callee, 80), library);
    return;
  }
  const MethodCall call = finding.lines.empty() ? MethodCall{} : method_call_in(scene, finding.lines.front());
  finding.fix = call.object.empty()
                    ? fmt::format(fmt::runtime(advice::kLibrary), library)
                    : fmt::format(fmt::runtime(advice::kLibraryObject), call.object, call.method, library);
}

}  // namespace lowtide::explain
