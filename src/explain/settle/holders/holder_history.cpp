#include "explain/settle/holders/holder_history.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include "explain/evidence/series.h"

namespace lowtide::explain {
namespace {

constexpr double kGoesOn = 1.3;           // times the size at which it first appeared
constexpr std::size_t kFewestSlower = 4;  // intervals between snapshots, each with less: by chance once in 24
constexpr double kSlower = 0.6;           // of the first rate, the last
constexpr double kStandsStill = 0.01;     // of what it holds

// The change between two snapshots: in elements where they are counted, else in bytes.
double gained(const model::HeldNode& earlier, const model::HeldNode& later) {
  if (earlier.length && later.length && *earlier.length != *later.length) {
    return static_cast<double>(*later.length) - static_cast<double>(*earlier.length);
  }
  return static_cast<double>(held_bytes(later)) - static_cast<double>(held_bytes(earlier));
}

// The number of elements in each snapshot; empty where they are not counted. Bytes would mislead: a dict
// sometimes reserves more than it needs.
std::vector<model::CounterPoint> lengths_of(const Snapshots& snapshots, const model::HeldNode& wanted) {
  std::vector<model::CounterPoint> out;
  for (const model::Snapshot* snapshot : snapshots) {
    const model::HeldNode* node = find_node(*snapshot, wanted);
    if (node == nullptr || !node->length) return {};
    out.push_back({snapshot->at_s, static_cast<double>(*node->length)});
  }
  return out;
}

}  // namespace

const model::HeldNode* find_node(const model::Snapshot& snapshot, const model::HeldNode& wanted) {
  const model::HeldNode* in_its_place = nullptr;
  for (const model::HeldNode& node : snapshot.nodes) {
    if (node.type != wanted.type) continue;
    if (node.path == wanted.path) return &node;
    if (node.address == wanted.address && node.address != 0) in_its_place = &node;
  }
  return in_its_place;
}

void use_usual_name(const Snapshots& snapshots, model::HeldNode& wanted) {
  std::map<std::string_view, std::vector<const model::HeldNode*>> names;
  for (const model::Snapshot* snapshot : snapshots) {
    if (const model::HeldNode* node = find_node(*snapshot, wanted)) names[node->path].push_back(node);
  }
  const auto own = names.find(wanted.path);
  std::size_t most = own == names.end() ? 0 : own->second.size();
  const model::HeldNode* usual = nullptr;
  for (const auto& [name, nodes] : names) {
    if (nodes.size() > most) {
      most = nodes.size();
      usual = nodes.back();
    }
  }
  if (usual == nullptr) return;
  wanted.path = usual->path;
  wanted.file = usual->file;
  wanted.line = usual->line;
  wanted.depth = usual->depth;
}

HeldMoves count_moves(const Snapshots& snapshots, const model::HeldNode& wanted) {
  HeldMoves out;
  const model::HeldNode* before = nullptr;
  const model::HeldNode* came = nullptr;  // where it appeared, if after the first snapshot
  for (const model::Snapshot* snapshot : snapshots) {
    const model::HeldNode* now = find_node(*snapshot, wanted);
    if (before != nullptr) {
      const double moved = now != nullptr ? gained(*before, *now) : -1;
      out.gains += moved > 0 ? 1 : 0;
      out.losses += moved < 0 ? 1 : 0;
    } else if (now != nullptr && snapshot != snapshots.front()) {
      came = now;
    }
    before = now;
  }
  // A list that was empty or too small to be listed gained when it appeared. That counts if it grows further.
  const bool goes_on =
      came != nullptr && before != nullptr &&
      static_cast<double>(held_bytes(*before)) >= kGoesOn * static_cast<double>(held_bytes(*came));
  if (goes_on) ++out.gains;
  return out;
}

std::pair<const model::Snapshot*, const model::Snapshot*> listed_in(const Snapshots& snapshots,
                                                                    const model::HeldNode& wanted) {
  std::pair<const model::Snapshot*, const model::Snapshot*> out{nullptr, nullptr};
  for (const model::Snapshot* snapshot : snapshots) {
    if (find_node(*snapshot, wanted) == nullptr) continue;
    if (out.first == nullptr) out.first = snapshot;
    out.second = snapshot;
  }
  return out;
}

std::vector<model::CounterPoint> holder_history(const Snapshots& snapshots, const model::HeldNode& wanted) {
  std::vector<model::CounterPoint> out;
  for (const model::Snapshot* snapshot : snapshots) {
    const model::HeldNode* node = find_node(*snapshot, wanted);
    out.push_back({snapshot->at_s, node == nullptr ? 0.0 : static_cast<double>(held_bytes(*node))});
  }
  return out;
}

bool gains_ever_less(const Snapshots& snapshots, const model::HeldNode& wanted, const Evidence& evidence) {
  const std::vector<model::CounterPoint> curve = lengths_of(snapshots, wanted);
  const bool by_step = evidence.steps.known;
  std::vector<double> rates;
  rates.reserve(curve.size());
  for (std::size_t at = 1; at < curve.size(); ++at) {
    const auto when = [&](std::size_t which) {
      const SeriesPoint* point = nearest(evidence.target, curve[which].at_s);
      return by_step && point != nullptr ? point->step : curve[which].at_s;
    };
    const double passed = when(at) - when(at - 1);
    if (!(passed > 0)) return false;
    rates.push_back((curve[at].value - curve[at - 1].value) / passed);
  }
  return rates.size() >= kFewestSlower && std::is_sorted(rates.rbegin(), rates.rend()) && rates.back() >= 0 &&
         rates.back() <= kSlower * rates.front();
}

bool stands_still(const std::vector<model::CounterPoint>& curve) {
  if (curve.size() < 2) return false;
  const double last = curve.back().value;
  return last > 0 && std::abs(last - curve[curve.size() - 2].value) <= kStandsStill * last;
}

}  // namespace lowtide::explain
