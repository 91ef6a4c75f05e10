// The variable that keeps what grew.

#include <fmt/format.h>

#include <string>

#include "base/units.h"
#include "explain/findings/catalogue.h"
#include "explain/words.h"

namespace lowtide::explain {
namespace {

constexpr double kLeastOfProcess = 0.1;  // of what the process grew by
constexpr double kLeastBytes = 1e6;
constexpr std::size_t kMostNamed = 3;

const char* const kFixContainer =
    "drop from it what is no longer needed, or give it a bound: keep .item() or .detach() of tensors, write "
    "the rest to disk, "
    "clear it at the end of an epoch";
const char* const kFixChain =
    "it holds on to what came before it: cut the chain with .detach() (a tensor), or drop the reference to "
    "the one before";
const char* const kFixCache =
    "a cache without a bound grows as long as its keys are new: give it a maxsize, or clear it";

std::string title_of(const HeldGrowth& grown) {
  const model::HolderReport& holder = grown.holder;
  const std::string length =
      holder.growth_length && *holder.growth_length > 0
          ? fmt::format("{} more things, ",
                        base::format_count(static_cast<std::uint64_t>(*holder.growth_length)))
          : std::string();
  return fmt::format("{} keeps {}{} more", holder.node.path, length,
                     bytes_words(static_cast<double>(holder.growth_bytes)));
}

model::Finding finding_of(const Scene& scene, const ProcessHolders& holders, const HeldGrowth& grown) {
  const model::HeldNode& node = grown.holder.node;
  model::Finding out;
  const bool is_bounded = node.cache == model::CacheKind::Bounded;
  const bool is_leak = is_kept(holders, grown) && scene.report.verdict.kind == model::VerdictKind::Leak;
  out.id = is_bounded ? "bounded-cache" : "holder";
  out.severity = is_leak      ? model::Severity::High
                 : is_bounded ? model::Severity::Info
                              : model::Severity::Medium;
  out.title = title_of(grown);
  out.mechanism = is_bounded ? model::Mechanism::BoundedCache : model::Mechanism::LiveObjects;
  out.pid = holders.process.pid;
  out.where.holder = node.path;
  if (!node.file.empty()) out.where.file = node.file;
  if (node.line > 0) out.where.line = node.line;
  out.share = grown.of_process;
  out.confidence = grown.losses == 0 ? 0.9 : 0.6;
  out.evidence.push_back(
      fmt::format("a {}; {} looks at all objects of {}: {} times it had more, {} times less", node.type,
                  holders.looks, process_words(holders.process), grown.gains, grown.losses));
  std::string growth = fmt::format("{} would go with it, {} more than {} s before",
                                   bytes_words(static_cast<double>(node.retained_bytes)),
                                   bytes_words(static_cast<double>(grown.holder.growth_bytes)),
                                   fmt::format("{:.0f}", holders.to_s - holders.from_s));
  if (grown.bytes_per_step) growth += fmt::format(", {} per step", bytes_words(*grown.bytes_per_step));
  out.evidence.push_back(growth);
  if (is_bounded) {
    out.evidence.push_back(fmt::format("it holds {} of at most {} entries",
                                       base::format_count(node.length.value_or(0)),
                                       base::format_count(node.bound)));
    out.ruled_out = true;
  } else {
    out.fix = node.cache == model::CacheKind::Unbounded ? kFixCache : node.length ? kFixContainer : kFixChain;
  }
  return out;
}

}  // namespace

void find_holding(const Scene& scene, Findings& out) {
  for (const ProcessHolders& holders : scene.holders) {
    std::size_t named = 0;
    for (const HeldGrowth& grown : holders.grown) {
      if (named == kMostNamed || grown.of_process < kLeastOfProcess ||
          static_cast<double>(grown.holder.growth_bytes) < kLeastBytes || grown.gains == 0) {
        continue;
      }
      out.push_back(finding_of(scene, holders, grown));
      ++named;
    }
  }
}

}  // namespace lowtide::explain
