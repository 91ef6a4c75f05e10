#include "explain/tensor_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "base/units.h"
#include "explain/findings/held/identifier_words.h"
#include "explain/settle/sites/own_frames.h"

namespace lowtide::explain {
namespace {

using model::HeldNode;
using model::MemoryPartKind;
using model::Snapshot;

constexpr const char* kSavedInGraphs = "saved in autograd graphs for backward()";
constexpr double kLeastRow = 0.005;  // of all tensors; smaller parts are added up

// The variables of a module or a function: nothing that a reader would call a variable.
bool is_namespace(const HeldNode& node) {
  return !node.holder && node.type == "dict";
}

bool is_variable(const Snapshot& snapshot, const HeldNode& node) {
  if (!node.holder) return !is_namespace(node);
  return *node.holder < snapshot.nodes.size() && is_namespace(snapshot.nodes[*node.holder]);
}

bool has_child(const Snapshot& snapshot, std::size_t at, std::string_view attribute) {
  const std::string path = snapshot.nodes[at].path + std::string(attribute);
  return std::any_of(snapshot.nodes.begin(), snapshot.nodes.end(),
                     [&](const HeldNode& node) { return node.holder == at && node.path == path; });
}

// It is a tensor, and what it retains is mostly what functions of an autograd graph keep below it.
bool is_graph(const Snapshot& snapshot, std::size_t at) {
  if (snapshot.nodes[at].type != "torch.Tensor") return false;
  return std::any_of(snapshot.contents.begin(), snapshot.contents.end(), [&](const model::HeldType& content) {
    return content.node == at && content.graph_functions > 0;
  });
}

std::string described(const HeldNode& node) {
  std::string out = "a " + base::printable(node.type, 60);
  if (node.length && node.type != "torch.Tensor")
    out += fmt::format(" of {} items", base::format_count(*node.length));
  return out;
}

// Parameters and gradients below each node, on devices.
std::vector<std::uint64_t> model_bytes_below(const Snapshot& snapshot) {
  std::vector<std::uint64_t> out(snapshot.nodes.size());
  for (const model::HeldUse& use : snapshot.uses) {
    if (use.node && use.use != model::TensorUse::Saved) out[*use.node] += use.device_bytes;
  }
  for (std::size_t at = out.size(); at-- > 0;) {  // a holder comes before what it holds
    const auto holder = snapshot.nodes[at].holder;
    if (holder && *holder < at) out[*holder] += out[at];
  }
  return out;
}

// What the tensors of a variable are used for, without parameters and gradients; empty where it has no name.
model::MemoryPart part_of(const Snapshot& snapshot, std::size_t at, std::uint64_t bytes) {
  const HeldNode& node = snapshot.nodes[at];
  const std::string variable = base::printable(quoted_variable(node), 60);
  if (is_graph(snapshot, at)) {
    // The user does not know the local variables of a library.
    const bool is_own =
        node.file.empty() || is_own_python({.language = model::FrameLanguage::Python, .file = node.file});
    return {.name = "activations",
            .bytes = bytes,
            .what = is_own ? "in the autograd graph of " + variable : kSavedInGraphs,
            .variable = variable_of(node),
            .kind = MemoryPartKind::Activations};
  }
  if (node.type.starts_with("torch.optim."))
    return {.name = "optimizer state", .bytes = bytes, .what = variable};
  if (has_child(snapshot, at, "._modules") || has_child(snapshot, at, "._parameters")) {
    // Recordings before 2026-11-19 have no uses.
    return snapshot.uses.empty()
               ? model::MemoryPart{.name = "model", .bytes = bytes, .what = variable}
               : model::MemoryPart{.name = "buffers of the model", .bytes = bytes, .what = variable};
  }
  if (named_part(node).empty()) return {};
  return {.name = variable,
          .bytes = bytes,
          .what = described(node),
          .kind = is_code(variable_of(node)) ? MemoryPartKind::Variable : MemoryPartKind::Other};
}

class PartList {
 public:
  explicit PartList(const Snapshot& snapshot)
      : snapshot_(snapshot), rows_(snapshot.nodes.size()), left_(snapshot.device_bytes) {}

  void add(model::MemoryPart part) {
    part.bytes = std::min(part.bytes, left_);
    left_ -= part.bytes;
    if (part.bytes > 0) out_.parts.push_back(std::move(part));
  }

  void add_model() {
    std::uint64_t parameters = 0;
    std::uint64_t gradients = 0;
    for (const model::HeldUse& use : snapshot_.uses) {
      if (use.use == model::TensorUse::Parameter) parameters += use.device_bytes;
      if (use.use == model::TensorUse::Gradient) gradients += use.device_bytes;
    }
    add({.name = "parameters", .bytes = parameters});
    add({.name = "gradients", .bytes = gradients});
  }

  void add_variables() {
    const double least = kLeastRow * static_cast<double>(snapshot_.device_bytes);
    const std::vector<std::uint64_t> of_model = model_bytes_below(snapshot_);
    for (std::size_t at = 0; at < snapshot_.nodes.size(); ++at) {
      const HeldNode& node = snapshot_.nodes[at];
      const std::uint64_t bytes = node.device_bytes - std::min(node.device_bytes, of_model[at]);
      if (!is_variable(snapshot_, node) || static_cast<double>(bytes) < least) continue;
      model::MemoryPart part = part_of(snapshot_, at, bytes);
      if (part.what.empty()) continue;  // it has no name
      rows_[at] = true;
      add_variable(std::move(part));
    }
  }

  // What no variable holds alone.
  void add_rest() {
    std::uint64_t saved = 0;
    for (const model::HeldUse& use : snapshot_.uses) {
      if (use.use == model::TensorUse::Saved && !(use.node && is_in_row(*use.node)))
        saved += use.device_bytes;
    }
    of_graphs_ += std::min(saved, left_);
    add({.name = "activations", .bytes = saved, .what = kSavedInGraphs, .kind = MemoryPartKind::Activations});
  }

  TensorParts take() {
    std::stable_sort(out_.parts.begin(), out_.parts.end(),
                     [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
    out_.is_mostly_graph = 2 * of_graphs_ > snapshot_.device_bytes;
    add({.name = "other tensors",
         .bytes = left_,
         .what = "each small, or held by several variables",
         .kind = MemoryPartKind::OtherTensors});
    return std::move(out_);
  }

 private:
  void add_variable(model::MemoryPart part) {
    if (part.kind == MemoryPartKind::Activations) of_graphs_ += part.bytes;
    if (part.kind == MemoryPartKind::Variable && part.bytes > out_.variable_bytes) {
      out_.variable = part.name;
      out_.variable_bytes = part.bytes;
    }
    add(std::move(part));
  }

  // The node, or one that holds it, has a row.
  [[nodiscard]] bool is_in_row(std::size_t at) const {
    for (;;) {
      if (rows_[at]) return true;
      const auto holder = snapshot_.nodes[at].holder;
      if (!holder || *holder >= at) return false;
      at = *holder;
    }
  }

  const Snapshot& snapshot_;
  std::vector<bool> rows_;
  TensorParts out_;
  std::uint64_t left_;
  std::uint64_t of_graphs_ = 0;
};

}  // namespace

TensorParts find_tensor_parts(const Snapshot& snapshot) {
  PartList list(snapshot);
  list.add_model();
  list.add_variables();
  list.add_rest();
  return list.take();
}

}  // namespace lowtide::explain
