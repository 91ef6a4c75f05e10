#include "explain/findings/held/stack_features.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "explain/findings/held/identifier_words.h"
#include "explain/settle/sites/own_frames.h"

namespace lowtide::explain {
namespace {

using model::Frame;
using Frames = std::vector<Frame>;

bool is_python(const Frame& frame) {
  return frame.language == model::FrameLanguage::Python;
}

bool is_called(const Frame& frame, std::string_view function) {
  return is_python(frame) && std::string_view(frame.function).ends_with(function);
}

bool is_of_file(const Frame& frame, std::string_view file) {
  return is_python(frame) && std::string_view(frame.file).ends_with(file);
}

// The frame in which a module calls its hooks and its forward(); not apply(), train() or state_dict(), which
// call functions of the job as well.
bool is_call_of_module(const Frame& frame) {
  constexpr std::array<std::string_view, 4> kCalls{"_call_impl", "_wrapped_call_impl", "inner", "__call__"};
  return is_of_file(frame, "/torch/nn/modules/module.py") &&
         std::any_of(kCalls.begin(), kCalls.end(),
                     [&](std::string_view function) { return is_called(frame, function); });
}

// The function that the module itself calls, on the way from the line outwards: a hook, unless it is
// forward().
bool is_in_hook(const Frames& frames, std::size_t act_on) {
  const Frame* called = nullptr;
  for (std::size_t at = act_on; at < frames.size(); ++at) {
    if (!is_python(frames[at])) continue;
    if (is_of_file(frames[at], "/torch/nn/modules/module.py"))
      return is_call_of_module(frames[at]) && called != nullptr && is_own_python(*called) &&
             !is_called(*called, "forward");
    called = &frames[at];
  }
  return false;
}

std::string find_evaluation(const Frames& frames, std::size_t act_on) {
  for (std::size_t at = act_on; at < frames.size(); ++at) {
    if (!is_python(frames[at]) || !is_own_python(frames[at])) continue;
    const std::string& qualified = frames[at].function;
    std::string function = qualified.substr(qualified.rfind('.') + 1);
    IdentifierWords words;
    words.add(function);
    // evaluate_actions() of a policy is a part of the training.
    const bool is_of_model =
        words.has_only({"evaluate", "evaluation", "validate", "validation", "run",   "do",  "on",    "model",
                        "network",  "epoch",      "step",     "loop",       "batch", "one", "all",   "set",
                        "dataset",  "data",       "split",    "and",        "train", "log", "report"});
    if (is_of_model && words.has_any({"evaluate", "evaluation", "validate", "validation"})) return function;
  }
  return {};
}

StackFeatures features_of(const SiteGroup& group) {
  const Frames& frames = group.frames();
  const auto outer_has = [&](const auto& is_wanted) {
    return std::any_of(frames.begin() + static_cast<std::ptrdiff_t>(std::min(group.act_on, frames.size())),
                       frames.end(), is_wanted);
  };
  StackFeatures out;
  out.is_in_getitem = outer_has([](const Frame& frame) { return is_called(frame, "__getitem__"); });
  out.is_fetched =
      outer_has([](const Frame& frame) { return is_of_file(frame, "/torch/utils/data/_utils/fetch.py"); });
  out.is_in_hook = is_in_hook(frames, group.act_on);
  out.copies_state = std::any_of(frames.begin(), frames.end(), [](const Frame& frame) {
    return is_called(frame, "deepcopy") || is_called(frame, "state_dict");
  });
  out.is_training = std::any_of(frames.begin(), frames.end(), [](const Frame& frame) {
    return (is_python(frame) && frame.file.find("/torch/optim/") != std::string::npos) ||
           (is_of_file(frame, "/torch/_tensor.py") && is_called(frame, "backward"));
  });
  out.evaluation = find_evaluation(frames, group.act_on);
  return out;
}

using Functions = std::set<std::pair<std::string, std::string>>;  // file and name

// Functions of the job that the process runs by itself: below the call that multiprocessing starts it with.
Functions functions_of(const Sites& sites, const model::ProcessInfo& process) {
  Functions out;
  for (const SiteGroup& group : sites.groups) {
    if (group.process.id != process.id) continue;
    const Frames& frames = group.frames();
    const auto start = std::find_if(frames.begin(), frames.end(), [](const Frame& frame) {
      return is_of_file(frame, "/multiprocessing/process.py");
    });
    if (start == frames.end() && process.role != model::ProcessRole::Rank) continue;
    for (auto frame = frames.begin(); frame != start; ++frame) {
      if (is_python(*frame) && is_own_python(*frame)) out.emplace(frame->file, frame->function);
    }
  }
  return out;
}

}  // namespace

StackFeatures stack_features(const Sites& sites, model::ProcessId process, double gained_bytes) {
  constexpr double kMuch = 0.3;  // of what the variable gained
  std::vector<const SiteGroup*> groups;
  for (const SiteGroup& group : sites.groups) {
    if (group.process.id != process) continue;
    if (groups.empty() || (gained_bytes > 0 && group.change_bytes >= kMuch * gained_bytes))
      groups.push_back(&group);
  }
  if (groups.empty()) return {};
  StackFeatures out = features_of(*groups.front());
  for (const SiteGroup* group : groups) {
    const StackFeatures other = features_of(*group);
    out.is_in_getitem &= other.is_in_getitem;
    out.is_fetched &= other.is_fetched;
    out.is_in_hook &= other.is_in_hook;
    out.copies_state &= other.copies_state;
    out.is_training |= other.is_training;
    if (other.evaluation != out.evaluation) out.evaluation.clear();
  }
  return out;
}

bool run_same_code(const Sites& sites, const model::ProcessInfo& one, const model::ProcessInfo& other) {
  if (one.role == model::ProcessRole::Rank && other.role == model::ProcessRole::Rank) return true;
  const Functions functions = functions_of(sites, one);
  const Functions others = functions_of(sites, other);
  return std::any_of(functions.begin(), functions.end(),
                     [&](const auto& function) { return others.contains(function); });
}

}  // namespace lowtide::explain
