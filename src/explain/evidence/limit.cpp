#include "explain/evidence/limit.h"

#include <algorithm>
#include <vector>

#include "base/units.h"

namespace lowtide::explain {
namespace {

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// The tree's bytes at about the same moment: both series go forward in time.
class TreeAt {
 public:
  explicit TreeAt(const std::vector<TargetMoment>& moments) : moments_(moments) {}

  double operator()(double at_s) {
    while (next_ + 1 < moments_.size() && moments_[next_ + 1].at_s <= at_s) ++next_;
    return moments_.empty() ? 0.0 : static_cast<double>(moments_[next_].reading.bytes);
  }

 private:
  const std::vector<TargetMoment>& moments_;
  std::size_t next_ = 0;
};

std::optional<Ceiling> of_cgroup(const Evidence& evidence) {
  if (evidence.cgroup.empty() || !evidence.cgroup.back().reading.limit_bytes) return std::nullopt;
  const std::uint64_t limit = *evidence.cgroup.back().reading.limit_bytes;
  if (limit == 0) return std::nullopt;
  TreeAt tree(evidence.target_moments);
  std::vector<double> others;
  for (const CgroupMoment& moment : evidence.cgroup) {
    const model::CgroupReading& r = moment.reading;
    const double cache =
        static_cast<double>(r.file_bytes) - static_cast<double>(std::min(r.shmem_bytes, r.file_bytes));
    const double tree_bytes = tree(moment.at_s);
    if (moment.at_s < evidence.early.from_s) continue;
    others.push_back(std::max(0.0, static_cast<double>(r.current_bytes) - cache - tree_bytes));
  }
  const double taken = others.empty() ? 0 : median(std::move(others));
  return Ceiling{{model::LimitKind::Cgroup, limit, false, true},
                 base::to_bytes(static_cast<double>(limit) - taken)};
}

std::optional<Ceiling> of_host(const Evidence& evidence) {
  if (evidence.host.empty() || evidence.host.back().reading.total_bytes == 0) return std::nullopt;
  TreeAt tree(evidence.target_moments);
  std::vector<double> room;
  for (const HostMoment& moment : evidence.host) {
    const double tree_bytes = tree(moment.at_s);
    if (moment.at_s < evidence.early.from_s) continue;
    room.push_back(tree_bytes + static_cast<double>(moment.reading.available_bytes));
  }
  if (room.empty()) return std::nullopt;
  return Ceiling{{model::LimitKind::Host, evidence.host.back().reading.total_bytes, false, true},
                 base::to_bytes(median(std::move(room)))};
}

}  // namespace

std::optional<Ceiling> find_ceiling(const Evidence& evidence, std::optional<std::uint64_t> user_limit_bytes) {
  if (!user_limit_bytes) user_limit_bytes = evidence.header.limit_bytes;
  if (user_limit_bytes) {
    return Ceiling{{model::LimitKind::Host, *user_limit_bytes, false, false}, *user_limit_bytes};
  }
  const auto cgroup = of_cgroup(evidence);
  const auto host = of_host(evidence);
  if (!cgroup) return host;
  if (!host) return cgroup;
  return host->tree_bytes < cgroup->tree_bytes ? host : cgroup;
}

}  // namespace lowtide::explain
