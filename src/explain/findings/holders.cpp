// The variable that holds what grew.

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/text.h"
#include "base/units.h"
#include "explain/findings/advice.h"
#include "explain/findings/catalogue.h"
#include "explain/findings/held/held_causes.h"
#include "explain/findings/held/known_registries.h"
#include "explain/settle/sites/own_frames.h"
#include "explain/source/holder_lines.h"
#include "explain/words.h"

namespace lowtide::explain {
namespace {

constexpr double kLeastHolderShare = 0.1;  // of what the process, or its tensors on devices, grew by
constexpr double kLeastHolderBytes = 1e6;
constexpr std::size_t kMostHolders = 3;
constexpr double kMostOfHolder = 0.5;

bool is_worth_naming(const Scene& scene, const ProcessHolders& holders, const HeldGrowth& grown) {
  if (is_only_namespace(grown.holder)) return false;
  const auto much = [](std::int64_t bytes, double share) {
    return share >= kLeastHolderShare && static_cast<double>(bytes) >= kLeastHolderBytes;
  };
  const bool is_of_leak =
      model::may_leak(scene.report.verdict) && holds_what_leaked(scene.sites, holders, grown);
  return (grown.gains > 0 || is_of_leak) && (much(grown.holder.growth_bytes, grown.of_process) ||
                                             much(grown.holder.growth_device_bytes, grown.of_device));
}

std::string times_words(std::size_t count) {
  return count == 1 ? "once" : fmt::format("{} times", count);
}

// "12.0 MB", "3.4 GB of GPU memory", or both.
std::string held_words(double host_bytes, double device_bytes) {
  const std::string device = bytes_words(device_bytes) + " of GPU memory";
  if (device_bytes < kLeastHolderBytes) return bytes_words(host_bytes);
  return host_bytes < kLeastHolderBytes ? device : bytes_words(host_bytes) + " of host memory and " + device;
}

std::string growth_words(const model::HolderReport& holder) {
  return held_words(static_cast<double>(holder.growth_bytes),
                    static_cast<double>(holder.growth_device_bytes));
}

// "`history` grew by 853 items (335 MB)"
std::string title_of(const HeldGrowth& grown) {
  const model::HolderReport& holder = grown.holder;
  const std::string name = quoted_variable(holder.node);
  if (holder.growth_length.value_or(0) <= 0)
    return fmt::format("{} retains {} more", name, growth_words(holder));
  const auto items = static_cast<std::uint64_t>(*holder.growth_length);
  return fmt::format("{} grew by {} item{} ({})", name, base::format_count(items), items == 1 ? "" : "s",
                     growth_words(holder));
}

void add_cause(const HeldCause& cause, const HolderFeatures& features, const model::HeldNode& node,
               model::Finding& out) {
  const std::string name = quoted_variable(node);
  const std::string evaluation = base::printable(features.stack.evaluation, 60);
  const auto filled_in = [&](const char* text) { return fmt::format(fmt::runtime(text), name, evaluation); };
  out.id = cause.id;
  if (*cause.what != '\0') {
    out.cause = filled_in(cause.what);
    out.title = fmt::format("{}: {}", out.cause, out.title);
    out.evidence.emplace_back(filled_in(cause.why));
  }
  out.fix = filled_in(cause.fix);
  out.watch = filled_in(cause.watch);
  if (is_code(out.variable) && (node.type == "list" || (cause.is_hint_for_tensors && features.is_tensor)))
    out.hint = fmt::format(fmt::runtime(cause.hint), out.variable);
}

// Where memory has stopped growing, the variable that it went into is not accused.
bool is_settled(const model::Verdict& verdict) {
  return verdict.kind != model::VerdictKind::Leak && verdict.kind != model::VerdictKind::Inconclusive;
}

// The tensors that account for what the variable gained. Their shapes are known of the whole process: they
// count where so many tensors came to the variable.
std::vector<model::TensorGrowth> tensors_of(const ProcessHolders& holders, const HeldGrowth& grown,
                                            const HeldContents& contents) {
  const double held = static_cast<double>(grown.holder.growth_bytes + grown.holder.growth_device_bytes);
  const auto& all = holders.difference.tensors;
  const auto most = std::max_element(
      all.begin(), all.end(), [](const auto& a, const auto& b) { return a.growth_bytes < b.growth_bytes; });
  if (most == all.end() || static_cast<double>(most->growth_bytes) < kMostOfHolder * held) return {};
  if (static_cast<double>(tensors_in(contents)) < kMostOfHolder * static_cast<double>(most->growth_count))
    return {};
  return {*most};
}

// "853 tensors [1536, 64] float32, +335 MB"
std::string tensor_words(const model::TensorGrowth& growth) {
  std::string shape;
  for (const std::int64_t size : growth.tensors.shape)
    shape += fmt::format("{}{}", shape.empty() ? "" : ", ", size);
  const auto count = static_cast<std::uint64_t>(std::max<std::int64_t>(0, growth.growth_count));
  return fmt::format("{} tensor{} [{}] {}{}, +{}", base::format_count(count), count == 1 ? "" : "s", shape,
                     growth.tensors.dtype, growth.tensors.requires_grad ? " with autograd graph" : "",
                     bytes_words(static_cast<double>(growth.growth_bytes)));
}

// "it gained 930 objects of type `numpy.ndarray` (371 MB)"; empty where no type is most of it
std::string contents_words(const HeldContents& contents, const HeldGrowth& grown) {
  if (contents.types().empty()) return {};
  const GainedType& most = contents.types().front();
  const double held = static_cast<double>(grown.holder.growth_bytes + grown.holder.growth_device_bytes);
  if (static_cast<double>(most.bytes) < kMostOfHolder * held) return {};
  return fmt::format("it gained {} object{} of type `{}` ({})",
                     base::format_count(static_cast<std::uint64_t>(most.count)), most.count == 1 ? "" : "s",
                     most.type, bytes_words(static_cast<double>(most.bytes)));
}

// "`history` gained 930 items (372 MB) in 28 s (6 snapshots), never shrank"
std::string history_words(const ProcessHolders& holders, const HeldGrowth& grown) {
  const model::HolderReport& holder = grown.holder;
  const std::string items =
      holder.growth_length.value_or(0) > 0
          ? fmt::format("{} items ({})",
                        base::format_count(static_cast<std::uint64_t>(*holder.growth_length)),
                        growth_words(holder))
          : growth_words(holder);
  // What a running function has in hand as well is not retained by the variable alone.
  const bool has_length = holder.node.length.has_value();
  const std::string losses = grown.losses == 0 ? "never shrank"
                             : has_length      ? "shrank " + times_words(grown.losses)
                                               : "retained less " + times_words(grown.losses);
  return fmt::format("{} gained {} in {} ({} snapshots), {}", quoted_variable(holder.node), items,
                     base::format_seconds(holders.to_s - holders.from_s), holders.snapshots, losses);
}

// Where only one snapshot shows it.
std::string single_words(const HeldGrowth& grown) {
  const model::HeldNode& node = grown.holder.node;
  const std::string items =
      node.length ? fmt::format(" in {} items", base::format_count(*node.length)) : std::string();
  return fmt::format(
      "{} retained {}{} in the only snapshot that shows it, which is as much as the line had "
      "allocated by then",
      quoted_variable(node), bytes_words(static_cast<double>(node.retained_bytes)), items);
}

std::string retained_words(const HeldGrowth& grown, bool is_growing) {
  const model::HeldNode& node = grown.holder.node;
  std::string words = fmt::format(
      "it retained {} at the last snapshot",
      held_words(static_cast<double>(node.retained_bytes), static_cast<double>(node.device_bytes)));
  if (grown.bytes_per_step && is_growing)
    words += fmt::format(", +{}/step", bytes_words(*grown.bytes_per_step));
  return words;
}

// "`memo` is in the default value of a parameter of `lookup()`"
std::string owner_words(const model::HeldNode& node, const OwningFunction& function) {
  const std::string name = function.name.empty() ? "a function" : fmt::format("`{}()`", function.name);
  return function.is_default
             ? fmt::format("{} is in the default value of a parameter of {}", quoted_variable(node), name)
             : fmt::format("{} is captured by {}", quoted_variable(node), name);
}

// "evaluator.results" of "evaluator.results._buffer", where no file of the job has the name `_buffer`: its
// class is one of a library. Empty otherwise.
std::string object_with_private_part(const Scene& scene, const std::string& variable) {
  const std::size_t dot = variable.rfind("._");
  if (dot == std::string::npos || variable.substr(dot + 2).starts_with('_')) return {};
  const std::size_t end = variable.find_first_of(".[", dot + 1);
  const std::string name = variable.substr(dot + 1, end == std::string::npos ? end : end - dot - 1);
  const std::string whole = variable.substr(0, dot);
  const std::vector<std::string> files = own_files(scene);
  const bool is_own = std::any_of(files.begin(), files.end(), [&](const std::string& file) {
    const PythonSource* source = scene.sources.find(file);
    return source == nullptr || source->mentions(name);
  });
  return is_own || files.empty() || !is_code(whole) ? std::string() : whole;
}

// The name that the user's code has for the variable, in all sentences.
void use_name_in_code(model::Finding& finding) {
  const std::string from = finding.variable;
  const std::string to = name_in_code(finding.lines, from);
  if (to.empty()) return;
  const auto replace = [&](std::string& text) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  };
  for (std::string* text : {&finding.variable, &finding.title, &finding.fix, &finding.hint, &finding.watch})
    replace(*text);
  for (model::Observation& seen : finding.evidence) replace(seen.text);
}

// Of hooks that are kept the module or tensor is named, and not a dict in which all modules are.
model::HolderReport named_holder(const HeldGrowth& grown) {
  model::HolderReport out = grown.holder;
  if (const model::HeldNode* hooks = find_gained_hooks(grown)) {
    out.node = *hooks;
    out.node.path.resize(hooks->path.rfind('.'));
    out.node.length.reset();
    out.growth_length.reset();
  }
  return out;
}

model::Finding holder_finding(const Scene& scene, const ProcessHolders& holders, const HeldGrowth& of_all) {
  HeldGrowth grown = of_all;
  const HeldContents contents = HeldContents::gained_by(of_all);
  const bool is_kept_here = is_kept(holders, of_all) || keeps_what_leaks(scene.sites, holders, of_all);
  grown.holder = named_holder(of_all);
  const model::HeldNode& node = grown.holder.node;
  model::Finding out;
  const bool has_bound = node.cache == model::CacheKind::Bounded;
  const bool is_bounded = has_bound || (is_full(grown) && is_settled(scene.report.verdict));
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
  out.process = process_of(holders.process);
  out.variable = variable_of(node);
  out.where.holder = node.path;
  if (!node.file.empty()) out.where.file = node.file;
  if (node.line > 0) out.where.line = node.line;
  out.share = std::max(grown.of_process, grown.of_device);
  out.growth_bytes = static_cast<double>(grown.holder.growth_bytes + grown.holder.growth_device_bytes);
  out.is_on_device = grown.holder.growth_device_bytes > grown.holder.growth_bytes;
  out.confidence = grown.losses == 0 ? 0.9 : 0.6;
  out.tensors = tensors_of(holders, grown, contents);
  out.lines = find_holder_lines(scene.sources, node, own_files(scene));
  const bool is_seen_once = grown.gains == 0;
  out.evidence = {is_seen_once ? single_words(grown) : history_words(holders, grown)};
  if (is_seen_once) {
    out.confidence = 0.6;
    out.share = std::max(out.share.value_or(0), kMostOfHolder);  // of what the leaking lines allocated
  }
  if (!out.tensors.empty()) {
    out.evidence.emplace_back(tensor_words(out.tensors.front()));
  } else if (const std::string words = contents_words(contents, grown); !words.empty()) {
    out.evidence.emplace_back(words);
  }
  if (!is_seen_once) out.evidence.emplace_back(retained_words(grown, !is_innocent));
  if (const auto function = owning_function(node)) out.evidence.emplace_back(owner_words(node, *function));
  if (grown.slows_down && !is_innocent) out.evidence.emplace_back("it gained less from snapshot to snapshot");
  const std::string length = base::format_count(node.length.value_or(0));
  if (has_bound) {
    out.evidence.emplace_back(
        fmt::format("it holds {} of {} entries", length, base::format_count(node.bound)));
  } else if (is_bounded) {
    out.evidence.emplace_back(fmt::format("it filled up to {} entries and gained none since then", length));
  } else if (is_innocent) {
    out.id = "holder";  // no cause where nothing is wrong
  } else {
    const HolderFeatures features = clues_of(scene, holders, of_all);
    add_cause(cause_of(features), features, node, out);
    const std::string package = node.type.substr(0, node.type.find('.'));
    const bool is_data = features.has_length || features.is_tensor;
    if (out.cause.empty() && node.type == "bytearray")
      out.fix = fmt::format(fmt::runtime(advice::kByteArray), quoted_variable(node));
    if (out.cause.empty() && !is_data && has_installed_package(scene.evidence.sites, package))
      out.fix = fmt::format(fmt::runtime(advice::kObjectOfPackage), quoted_variable(node), package);
    if (const std::string whole = object_with_private_part(scene, out.variable);
        out.cause.empty() && !whole.empty())
      out.fix = fmt::format(fmt::runtime(advice::kPrivatePart), quoted_variable(node), whole);
    if (out.cause.empty()) {
      if (const std::string advice = advice_for_library_variable(scene, node); !advice.empty())
        out.fix = advice;
    }
  }
  use_name_in_code(out);
  return out;
}

template <typename Wanted>
void add_holder_findings(const Scene& scene, Findings& out, const Wanted& wanted) {
  for (const ProcessHolders& holders : scene.holders) {
    std::size_t named = 0;
    for (const HeldGrowth& grown : holders.grown) {
      if (named == kMostHolders || !is_worth_naming(scene, holders, grown)) continue;
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
