#include <utility>

#include "show/json/holders.h"
#include "show/snapshot.h"

namespace lowtide::show {

std::string to_json(const model::SnapshotReport& report) {
  const model::Snapshot& snapshot = report.snapshot;
  Json holders = Json::array();
  Json tensors = Json::array();
  Json types = Json::array();
  for (const model::HolderReport& holder : report.holders)
    holders.push_back(holder_json(holder, report.has_earlier));
  for (const model::TensorGrowth& row : report.tensors)
    tensors.push_back(tensors_json(snapshot.pid, row, report.has_earlier));
  for (const model::TypeGrowth& row : report.types)
    types.push_back(type_json(snapshot.pid, row, report.has_earlier));
  const Json json = {
      {"lowtide", LOWTIDE_VERSION},
      {"schema", 1},
      {"snapshot",
       {{"pid", snapshot.pid},
        {"python", snapshot.python},
        {"at_s", number(snapshot.at_s, 14)},
        {"since_s", report.has_earlier ? number(report.since_s) : Json(nullptr)},
        {"growth_bytes", report.has_earlier ? Json(report.growth_bytes) : Json(nullptr)},
        {"objects", snapshot.objects},
        {"object_bytes", snapshot.object_bytes},
        {"storage_bytes", snapshot.storage_bytes},
        {"device_bytes", snapshot.device_bytes},
        {"growth_device_bytes", report.has_earlier ? Json(report.growth_device_bytes) : Json(nullptr)},
        {"has_torch", snapshot.has_torch},
        {"has_tensors", snapshot.has_tensors},
        {"has_holders", snapshot.has_holders},
        {"is_exact", snapshot.is_exact},
        {"is_whole", snapshot.is_whole},
        {"pause_s", number(snapshot.pause_s)},
        {"walk_s", number(snapshot.walk_s)},
        {"whole_s", number(snapshot.whole_s)},
        {"table_bytes", snapshot.table_bytes}}},
      {"holders", std::move(holders)},
      {"tensors", std::move(tensors)},
      {"types", std::move(types)}};
  return json.dump(2, ' ', false, kReplaceInvalid) + "\n";
}

}  // namespace lowtide::show
