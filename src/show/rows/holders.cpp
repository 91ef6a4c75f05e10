#include "show/rows/holders.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "base/units.h"

namespace lowtide::show {
namespace {

std::string cache_words(const model::HeldNode& node) {
  switch (node.cache) {
    case model::CacheKind::Bounded:
      return fmt::format(", a cache of at most {}", base::format_count(node.bound));
    case model::CacheKind::Unbounded:
      return ", a cache without a bound";
    case model::CacheKind::None:
      break;
  }
  return "";
}

}  // namespace

std::string holder_name(const model::HeldNode& node) {
  constexpr std::size_t kMostBytes = 300;
  std::string out = node.path + " (" + node.type;
  if (!node.file.empty())
    out += fmt::format(", in {}:{}", node.file.substr(node.file.rfind('/') + 1), node.line);
  return base::printable(out + cache_words(node) + ")", kMostBytes);
}

std::vector<const model::HolderReport*> largest_holders(const std::vector<model::HolderReport>& all) {
  constexpr double kExplained = 0.8;
  std::vector<double> below(all.size(), 0);
  std::vector<bool> is_element(all.size(), false);
  for (std::size_t at = 0; at < all.size(); ++at) {
    const auto holder = all[at].node.holder;
    if (!holder || *holder >= all.size()) continue;
    is_element[at] = is_element[*holder] || !model::is_named_within(all[at].node, all[*holder].node);
    if (!is_element[at]) below[*holder] += static_cast<double>(held_bytes(all[at].node));
  }
  std::vector<const model::HolderReport*> out;
  for (std::size_t at = 0; at < all.size(); ++at) {
    if (!is_element[at] && below[at] < kExplained * static_cast<double>(held_bytes(all[at].node))) {
      out.push_back(&all[at]);
    }
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const auto* a, const auto* b) { return held_bytes(a->node) > held_bytes(b->node); });
  return out;
}

}  // namespace lowtide::show
