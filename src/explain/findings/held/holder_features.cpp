#include "explain/findings/held/holder_features.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "explain/settle/growth.h"
#include "explain/settle/holders/holder_history.h"
#include "model/cause_types.h"

namespace lowtide::explain {
namespace {

// Share of the items that the variable gained.
constexpr double kMostOfThem = 0.5;
constexpr double kMostOfBytes = 0.5;
constexpr double kDictsOfState = 1.5;
constexpr std::int64_t kFewestTimers = 20;  // libraries have a few of their own
constexpr double kMostPerItem = 4;          // functions: an object with many is not kept for one of them
constexpr std::int64_t kFewest = 3;         // fewer may be there by chance

// The first of the snapshots was taken before the variable was large enough to be listed. Between that one
// and the next, imports count as well: only what came between two that list it shows what it holds.
bool is_listed_later(const HeldGrowth& grown) {
  return !grown.holder.growth_length && grown.first_listed != nullptr &&
         grown.first_listed != grown.last_listed;
}

std::optional<std::uint64_t> length_in(const model::Snapshot& snapshot, const model::HeldNode& wanted) {
  const auto found = std::find_if(snapshot.nodes.begin(), snapshot.nodes.end(), [&](const auto& node) {
    return node.path == wanted.path && node.type == wanted.type;
  });
  return found == snapshot.nodes.end() ? std::nullopt : found->length;
}

// Items that the variable gained: all of them where no earlier snapshot had it.
double items_gained(const HeldGrowth& grown) {
  const model::HeldNode& node = grown.holder.node;
  if (grown.holder.growth_length) return std::max(1.0, static_cast<double>(*grown.holder.growth_length));
  double items = static_cast<double>(node.length.value_or(1));
  if (is_listed_later(grown)) items -= static_cast<double>(length_in(*grown.first_listed, node).value_or(0));
  return std::max(1.0, items);
}

// The class of the nearest object that the variable is in; containers between them do not count. Empty: none.
std::string_view owner_type(const HeldGrowth& grown) {
  constexpr std::size_t kMostHops = 4;
  if (grown.last_listed == nullptr) return {};
  const auto& nodes = grown.last_listed->nodes;
  const model::HeldNode* node = find_node(*grown.last_listed, grown.holder.node);
  for (std::size_t hop = 0; node != nullptr && node->holder && hop < kMostHops; ++hop) {
    node = *node->holder < nodes.size() ? &nodes[*node->holder] : nullptr;
    if (node != nullptr && node->type.find('.') != std::string::npos) return node->type;
  }
  return {};
}

// Classes of the standard library only: a class of the job may have any name.
bool is_queue_type(std::string_view type) {
  constexpr std::array<std::string_view, 9> kTypes{"queue.Queue",
                                                   "queue.LifoQueue",
                                                   "queue.PriorityQueue",
                                                   "_queue.SimpleQueue",
                                                   "asyncio.queues.Queue",
                                                   "asyncio.queues.PriorityQueue",
                                                   "asyncio.queues.LifoQueue",
                                                   "multiprocessing.queues.Queue",
                                                   "multiprocessing.queues.JoinableQueue"};
  return std::find(kTypes.begin(), kTypes.end(), type) != kTypes.end();
}

bool is_executor_type(std::string_view type) {
  return type == "concurrent.futures.thread.ThreadPoolExecutor" ||
         type == "concurrent.futures.process.ProcessPoolExecutor";
}

// The dict in which torch keeps the hooks of a module or tensor, by the name of the attribute.
bool is_dict_of_hooks(const model::HeldNode& node) {
  constexpr std::array<std::string_view, 9> kNames{
      "._forward_hooks",        "._forward_pre_hooks",          "._backward_hooks",
      "._backward_pre_hooks",   "._post_accumulate_grad_hooks", "._state_dict_hooks",
      "._state_dict_pre_hooks", "._load_state_dict_pre_hooks",  "._load_state_dict_post_hooks"};
  return node.type == model::cause_types::kOrderedDict &&
         std::any_of(kNames.begin(), kNames.end(),
                     [&](std::string_view name) { return std::string_view(node.path).ends_with(name); });
}

// Objects of a class that came with the items: they, and not a function that each of them has, may be what
// keeps the memory.
bool has_objects_in_items(const HeldContents& contents, double items) {
  return std::any_of(contents.types().begin(), contents.types().end(), [&](const GainedType& each) {
    const std::string_view type = each.type;
    const bool is_class = type.find('.') != std::string_view::npos && !type.starts_with("numpy.") &&
                          !type.starts_with("torch.") && !type.starts_with("collections.") &&
                          type != "functools.partial";
    return is_class && static_cast<double>(each.count) >= kMostOfThem * items;
  });
}

// Phases are those of the whole process: another variable may hold what the other phases kept, so these must
// have kept little. A model that only predicts is in the mode of an evaluation all the time, and has no other
// phase.
bool is_kept_by_evaluation(const Scene& scene, std::int64_t pid, double gained_bytes) {
  constexpr double kLittleOfOthers = 0.25;
  double of_evaluations = 0;
  double of_others = 0;
  bool has_others = false;
  for (const model::PhaseReport& phase : scene.report.phases) {
    if (phase.pid != pid) continue;
    has_others |= !is_evaluation(phase.phase.name);
    (is_evaluation(phase.phase.name) ? of_evaluations : of_others) +=
        static_cast<double>(phase.phase.kept_bytes);
  }
  return has_others && of_evaluations > of_others &&
         of_others <= kLittleOfOthers * std::max(gained_bytes, of_evaluations);
}

// What a process gained on all GPUs while the snapshots were taken; absent without readings of it.
std::optional<double> gained_on_gpus(const Evidence& evidence, model::ProcessId id, double from_s,
                                     double to_s) {
  std::optional<double> out;
  for (const GpuEvidence& gpu : evidence.gpus) {
    for (const GpuEvidence::Share& share : gpu.processes) {
      if (share.id != id) continue;
      const RecordedSeries& series = share.allocated.empty() ? share.series : share.allocated;
      out = out.value_or(0) + change_between(series, from_s, to_s);
    }
  }
  return out;
}

// Several processes run the same code, and only this one grows.
bool are_others_flat(const Scene& scene, const ProcessHolders& holders, const HeldGrowth& grown) {
  constexpr double kLittleGain = 0.1;
  const model::ProcessInfo& process = holders.process;
  const auto gained = static_cast<double>(grown.holder.growth_device_bytes);
  const bool is_on_devices = grown.holder.growth_device_bytes > grown.holder.growth_bytes;
  std::size_t others = 0;
  for (const WatchedProcess& watched : scene.processes) {
    const model::ProcessInfo& info = watched.report.info;
    if (info.pid == process.pid || info.ppid != process.ppid || info.role != process.role) continue;
    if (!run_same_code(scene.sites, process, info)) continue;
    if (!is_flat(watched)) return false;
    if (is_on_devices) {
      const auto other = gained_on_gpus(scene.evidence, info.id, holders.from_s, holders.to_s);
      if (!other || *other > kLittleGain * gained) return false;
    }
    ++others;
  }
  return others > 0;
}

bool is_shared_growth(const Scene& scene, const ProcessHolders& holders, const HeldGrowth& grown) {
  for (const WatchedProcess& watched : scene.processes) {
    if (watched.report.info.id != holders.process.id) continue;
    const double shared =
        change(watched.series, scene.evidence.early, scene.evidence.late, &SeriesPoint::shmem_bytes);
    // What it gained on devices is no shared memory of the host.
    const std::int64_t gained = grown.holder.growth_bytes + grown.holder.growth_device_bytes;
    return shared >= kMostOfBytes * static_cast<double>(gained);
  }
  return false;
}

// By torch's own count, which is the same on all GPUs of the process.
bool is_pinned_growth(const Scene& scene, const ProcessHolders& holders, const HeldGrowth& grown) {
  if (grown.holder.growth_device_bytes > grown.holder.growth_bytes) return false;
  const double gained = kMostOfBytes * static_cast<double>(grown.holder.growth_bytes);
  for (const GpuEvidence& gpu : scene.evidence.gpus) {
    for (const GpuEvidence::Share& share : gpu.processes) {
      if (share.id != holders.process.id || share.pinned.empty()) continue;
      const double pinned = static_cast<double>(share.pinned.back().low_bytes) -
                            static_cast<double>(share.pinned.front().low_bytes);
      if (gained > 0 && pinned >= gained) return true;
    }
  }
  return false;
}

bool has_started_workers(const Scene& scene, const model::ProcessInfo& process) {
  return std::any_of(scene.processes.begin(), scene.processes.end(), [&](const WatchedProcess& other) {
    return other.report.info.ppid == process.pid && other.report.info.role == model::ProcessRole::Worker;
  });
}

}  // namespace

bool is_evaluation(std::string_view phase) {
  IdentifierWords words;
  words.add(phase);
  return words.has_any({"eval", "evaluate", "evaluation", "val", "valid", "validate", "validation", "test"});
}

// One tensor, or array, that is as large as what the variable retains: it holds nothing else.
bool is_its_own_storage(const ProcessHolders& holders, const HeldGrowth& grown) {
  constexpr double kNearlyAll = 0.8;
  const model::HeldNode& node = grown.holder.node;
  if (node.type == "numpy.ndarray") return true;
  const double retained = static_cast<double>(node.retained_bytes + node.device_bytes);
  const auto& all = holders.difference.tensors;
  return std::any_of(all.begin(), all.end(), [&](const model::TensorGrowth& growth) {
    const double bytes = static_cast<double>(growth.tensors.bytes);
    return growth.tensors.count == 1 && bytes >= kNearlyAll * retained && retained >= kNearlyAll * bytes;
  });
}

// Tensors of one kind came with the items, each with a storage of its own, and these storages are what the
// variable retains. Tensors are counted in the whole process: equal counts and equal bytes show that they are
// those of the variable.
bool are_small_views(const ProcessHolders& holders, const HeldGrowth& grown, double items) {
  constexpr double kSmall = 0.1;
  constexpr double kNearly = 0.1;
  const double retained =
      static_cast<double>(grown.holder.node.retained_bytes + grown.holder.node.device_bytes);
  const auto is_near = [](double value, double wanted) {
    return std::abs(value - wanted) <= kNearly * wanted;
  };
  const auto& all = holders.difference.tensors;
  return std::any_of(all.begin(), all.end(), [&](const model::TensorGrowth& growth) {
    const auto storage_bytes = static_cast<double>(growth.tensors.storage_bytes);
    return growth.growth_count >= kFewest && is_near(static_cast<double>(growth.growth_count), items) &&
           is_near(static_cast<double>(growth.tensors.storages), static_cast<double>(growth.tensors.count)) &&
           is_near(storage_bytes, retained) &&
           static_cast<double>(growth.tensors.bytes) <= kSmall * storage_bytes;
  });
}

const model::HeldNode* find_gained_hooks(const HeldGrowth& grown) {
  if (grown.last_listed == nullptr) return nullptr;
  const auto gained = static_cast<double>(grown.holder.growth_bytes + grown.holder.growth_device_bytes);
  const std::string& path = grown.holder.node.path;
  for (const model::HeldNode& node : grown.last_listed->nodes) {
    const char next = node.path.size() > path.size() ? node.path[path.size()] : '.';
    const bool is_in_it = node.path.starts_with(path) && (next == '.' || next == '[');
    if (!is_in_it || !is_dict_of_hooks(node)) continue;
    const model::HeldNode* before = grown.first_listed == nullptr || grown.first_listed == grown.last_listed
                                        ? nullptr
                                        : find_node(*grown.first_listed, node);
    const auto hooks = static_cast<std::int64_t>(node.length.value_or(0)) -
                       static_cast<std::int64_t>(before == nullptr ? 0 : before->length.value_or(0));
    const double bytes = static_cast<double>(model::held_bytes(node)) -
                         static_cast<double>(before == nullptr ? 0 : model::held_bytes(*before));
    if (hooks >= kFewest && bytes >= kMostOfBytes * gained) return &node;
  }
  return nullptr;
}

HolderFeatures clues_of(const Scene& scene, const ProcessHolders& holders, const HeldGrowth& grown) {
  const model::HeldNode& node = grown.holder.node;
  const double items = items_gained(grown);
  const HeldContents contents = HeldContents::gained_by(grown);
  const auto comes_with_items = [&](std::int64_t count) {
    return count >= kFewest && static_cast<double>(count) >= kMostOfThem * items;
  };
  HolderFeatures out;
  // A logger of the logging module has handlers, and no entries.
  if (!owner_type(grown).starts_with("logging.")) out.owner.add(owner_type(grown));
  out.role = holders.process.role;
  out.is_tensor = node.type == "torch.Tensor" || node.type == "torch.nn.parameter.Parameter";
  out.is_queue = is_queue_type(node.type) || is_queue_type(owner_type(grown));
  out.is_simple_queue = node.type == "_queue.SimpleQueue" || owner_type(grown) == "_queue.SimpleQueue";
  const bool is_of_executor =
      is_executor_type(node.type) || is_executor_type(owner_type(grown)) || out.is_queue;
  out.has_waiting_tasks = is_of_executor && contents.count_of(model::cause_types::kThreadTask) +
                                                    contents.count_of(model::cause_types::kProcessTask) >=
                                                kFewest;
  out.keeps_hooks = find_gained_hooks(grown) != nullptr;
  out.is_own_storage = (out.is_tensor || node.type == "numpy.ndarray") && is_its_own_storage(holders, grown);
  const auto function = owning_function(node);
  out.is_default = function && function->is_default;
  out.has_length = node.length.has_value() && !out.is_tensor;
  out.is_unbounded = node.cache == model::CacheKind::Unbounded;
  out.keeps_tensors = comes_with_items(tensors_in(contents));
  out.keeps_graphs =
      out.is_tensor ? contents.graph_functions() >= kFewest : comes_with_items(contents.graph_functions());
  out.keeps_views = out.keeps_tensors && !out.keeps_graphs && are_small_views(holders, grown, items);
  const auto is_few_per_item = [&](std::int64_t count) {
    return static_cast<double>(count) <= kMostPerItem * items;
  };
  const std::int64_t functions = contents.count_of(model::cause_types::kFunction);
  out.keeps_closures = comes_with_items(contents.count_of(model::cause_types::kCell)) &&
                       comes_with_items(functions) && is_few_per_item(functions) &&
                       !has_objects_in_items(contents, items);
  const bool is_loop = node.type.ends_with("EventLoop") || owner_type(grown).ends_with("EventLoop");
  out.keeps_timers = is_loop && contents.count_of(model::cause_types::kTimer) >= kFewestTimers;
  out.keeps_tracebacks = comes_with_items(contents.count_of(model::cause_types::kTraceback)) ||
                         node.type == model::cause_types::kTraceback;
  // A state dict has a second dict with the versions of its modules.
  out.keeps_state_dicts =
      out.keeps_tensors &&
      static_cast<double>(contents.count_of(model::cause_types::kOrderedDict)) >= kDictsOfState * items;
  out.is_shared = is_shared_growth(scene, holders, grown);
  out.is_pinned = is_pinned_growth(scene, holders, grown);
  out.has_workers = has_started_workers(scene, holders.process);
  const auto gained_bytes = static_cast<double>(grown.holder.growth_bytes);
  const bool is_on_device = grown.holder.growth_device_bytes > grown.holder.growth_bytes;
  out.stack = stack_features(scene.sites, holders.process.id, is_on_device ? 0 : gained_bytes);
  out.is_of_evaluation =
      !out.stack.is_training && is_kept_by_evaluation(scene, holders.process.pid, gained_bytes);
  out.others_are_flat = are_others_flat(scene, holders, grown);
  return out;
}

bool is_only_namespace(const model::HolderReport& holder) {
  constexpr std::int64_t kFewNames = 10;
  return holder.node.type == "dict" && holder.node.path.find_first_of(".<[") == std::string::npos &&
         holder.growth_length.value_or(0) < kFewNames;
}

std::int64_t tensors_in(const HeldContents& contents) {
  std::int64_t count = 0;
  for (const GainedType& gained : contents.types()) {
    if (gained.type.starts_with("torch.") && gained.type.find("ensor") != std::string::npos)
      count += gained.count;
  }
  return count;
}

}  // namespace lowtide::explain
