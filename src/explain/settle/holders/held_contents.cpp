#include "explain/settle/holders/held_contents.h"

#include <algorithm>
#include <map>

#include "explain/settle/holders/holder_history.h"

namespace lowtide::explain {
namespace {

struct Sum {
  std::int64_t count = 0;
  std::int64_t bytes = 0;
  std::int64_t graph_functions = 0;
};
using Sums = std::map<std::string_view, Sum>;

std::int64_t to_signed(std::uint64_t value) {
  constexpr std::uint64_t kMost = 1ULL << 48U;  // a recording may be hostile
  return static_cast<std::int64_t>(std::min(value, kMost));
}

// Of the node and of all nodes below it. Holders come before what they hold.
void add_contents(const model::Snapshot& snapshot, const model::HeldNode& wanted, std::int64_t sign,
                  Sums& into) {
  const model::HeldNode* top = find_node(snapshot, wanted);
  if (top == nullptr) return;
  std::vector<bool> is_below(snapshot.nodes.size(), false);
  for (std::size_t at = 0; at < snapshot.nodes.size(); ++at) {
    const model::HeldNode& node = snapshot.nodes[at];
    is_below[at] = &node == top || (node.holder && *node.holder < at && is_below[*node.holder]);
  }
  for (const model::HeldType& content : snapshot.contents) {
    if (content.node >= is_below.size() || !is_below[content.node]) continue;
    Sum& sum = into[content.type];
    sum.count += sign * to_signed(content.count);
    sum.bytes += sign * to_signed(content.bytes);
    sum.graph_functions += sign * to_signed(content.graph_functions);
  }
}

}  // namespace

HeldContents HeldContents::gained_by(const HeldGrowth& grown) {
  HeldContents out;
  if (grown.last_listed == nullptr) return out;
  Sums sums;
  add_contents(*grown.last_listed, grown.holder.node, 1, sums);
  if (grown.first_listed != nullptr && grown.first_listed != grown.last_listed)
    add_contents(*grown.first_listed, grown.holder.node, -1, sums);
  for (const auto& [type, sum] : sums) {
    out.graph_functions_ += sum.graph_functions;
    if (sum.count > 0) out.types_.push_back({std::string(type), sum.count, sum.bytes});
  }
  std::stable_sort(out.types_.begin(), out.types_.end(),
                   [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  return out;
}

std::int64_t HeldContents::count_of(std::string_view type) const {
  const auto found =
      std::find_if(types_.begin(), types_.end(), [&](const GainedType& each) { return each.type == type; });
  return found == types_.end() ? 0 : found->count;
}

}  // namespace lowtide::explain
