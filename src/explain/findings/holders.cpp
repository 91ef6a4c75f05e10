// The variable that keeps what grew.

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/units.h"
#include "explain/findings/catalogue.h"
#include "explain/findings/held/held_causes.h"
#include "explain/words.h"

namespace lowtide::explain {
namespace {

constexpr double kLeastHolderShare = 0.1;  // of what the process, or its tensors on devices, grew by
constexpr double kLeastHolderBytes = 1e6;
constexpr std::size_t kMostHolders = 3;

bool is_worth_naming(const HeldGrowth& grown) {
  const auto much = [](std::int64_t bytes, double share) {
    return share >= kLeastHolderShare && static_cast<double>(bytes) >= kLeastHolderBytes;
  };
  return grown.gains > 0 && (much(grown.holder.growth_bytes, grown.of_process) ||
                             much(grown.holder.growth_device_bytes, grown.of_device));
}

// "12.0 MB", "3.4 GB on devices", or both.
std::string times_words(std::size_t count) {
  return count == 0 ? "never" : count == 1 ? "once" : fmt::format("{} times", count);
}

std::string held_words(double host_bytes, double device_bytes) {
  const std::string device = bytes_words(device_bytes) + " on devices";
  if (device_bytes < kLeastHolderBytes) return bytes_words(host_bytes);
  return host_bytes < kLeastHolderBytes ? device : bytes_words(host_bytes) + " and " + device;
}

std::string growth_words(const model::HolderReport& holder) {
  return held_words(static_cast<double>(holder.growth_bytes),
                    static_cast<double>(holder.growth_device_bytes));
}

std::string title_of(const HeldGrowth& grown) {
  const model::HolderReport& holder = grown.holder;
  const std::string length =
      holder.growth_length && *holder.growth_length > 0
          ? fmt::format("{} more things, ",
                        base::format_count(static_cast<std::uint64_t>(*holder.growth_length)))
          : std::string();
  return fmt::format("{} keeps {}{} more", holder.node.path, length, growth_words(holder));
}

void add_cause(const HeldCause& cause, const model::HeldNode& node, model::Finding& out) {
  const auto in_their_words = [&](const char* text) {
    return fmt::format(fmt::runtime(text), variable_of(node));
  };
  out.id = cause.id;
  if (out.id != "holder") out.title = fmt::format("{}: {}", cause.what, out.title);
  out.evidence.emplace_back(cause.why);
  out.fix = in_their_words(cause.fix);
  out.hint = in_their_words(cause.hint);
  out.watch = in_their_words(cause.watch);
}

// Where memory has stopped growing, what it went into is no accusation.
bool is_settled(const model::Verdict& verdict) {
  return verdict.kind != model::VerdictKind::Leak && verdict.kind != model::VerdictKind::Inconclusive;
}

model::Finding holder_finding(const Scene& scene, const ProcessHolders& holders, const HeldGrowth& grown) {
  const model::HeldNode& node = grown.holder.node;
  model::Finding out;
  const bool has_bound = node.cache == model::CacheKind::Bounded;
  const bool is_bounded = has_bound || (is_full(grown) && is_settled(scene.report.verdict));
  const bool is_kept_here = is_kept(holders, grown) || keeps_what_leaks(scene.sites, holders, grown);
  const bool is_leak = (is_kept_here && scene.report.verdict.kind == model::VerdictKind::Leak) ||
                       (is_kept_on_device(holders, grown) &&
                        static_cast<double>(grown.holder.growth_device_bytes) >= kLeastHolderBytes);
  const bool is_innocent = is_bounded || (!is_leak && is_settled(scene.report.verdict));
  out.severity = is_leak       ? model::Severity::High
                 : is_innocent ? model::Severity::Info
                               : model::Severity::Medium;
  out.ruled_out = is_innocent;
  out.id = "bounded-cache";
  out.title = title_of(grown);
  out.mechanism = is_bounded ? model::Mechanism::BoundedCache : model::Mechanism::LiveObjects;
  out.pid = holders.process.pid;
  out.where.holder = node.path;
  if (!node.file.empty()) out.where.file = node.file;
  if (node.line > 0) out.where.line = node.line;
  out.share = std::max(grown.of_process, grown.of_device);
  out.confidence = grown.losses == 0 ? 0.9 : 0.6;
  out.evidence.push_back(fmt::format("a {}; {} looks at all objects of {}: {} it had more, {} less",
                                     node.type, holders.looks, process_words(holders.process),
                                     times_words(grown.gains), times_words(grown.losses)));
  std::string growth = fmt::format(
      "{} would go with it, {} more than {:.0f} s before",
      held_words(static_cast<double>(node.retained_bytes), static_cast<double>(node.device_bytes)),
      growth_words(grown.holder), holders.to_s - holders.from_s);
  if (grown.bytes_per_step) growth += fmt::format(", {} per step", bytes_words(*grown.bytes_per_step));
  out.evidence.push_back(growth);
  if (grown.slows_down) out.evidence.emplace_back("it gains less from look to look");
  const std::string length = base::format_count(node.length.value_or(0));
  if (has_bound) {
    out.evidence.push_back(
        fmt::format("it holds {} of at most {} entries", length, base::format_count(node.bound)));
  } else if (is_bounded) {
    out.evidence.push_back(fmt::format("it filled up to {} entries, and has gained none since", length));
  } else if (is_innocent) {
    out.id = "holder";  // no cause where nothing is wrong
  } else {
    add_cause(cause_of(clues_of(scene, holders, grown)), node, out);
  }
  return out;
}

template <typename Wanted>
void add_holder_findings(const Scene& scene, Findings& out, const Wanted& wanted) {
  for (const ProcessHolders& holders : scene.holders) {
    std::size_t named = 0;
    for (const HeldGrowth& grown : holders.grown) {
      if (named == kMostHolders || !is_worth_naming(grown)) continue;
      model::Finding finding = holder_finding(scene, holders, grown);
      if (!wanted(finding)) continue;
      out.push_back(std::move(finding));
      ++named;
    }
  }
}

}  // namespace

void find_holding(const Scene& scene, Findings& out) {
  add_holder_findings(scene, out, [](const model::Finding& finding) {
    return !finding.ruled_out || finding.mechanism == model::Mechanism::BoundedCache;
  });
}

void find_settled_holding(const Scene& scene, Findings& out) {
  add_holder_findings(scene, out, [](const model::Finding& finding) {
    return finding.ruled_out && finding.mechanism != model::Mechanism::BoundedCache;
  });
}

}  // namespace lowtide::explain
