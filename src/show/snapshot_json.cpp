#include <utility>

#include "show/json_values.h"
#include "show/snapshot.h"

namespace lowtide::show {
namespace {

Json holder_json(const model::HolderReport& holder, bool has_earlier) {
  const model::HeldNode& node = holder.node;
  Json json = {{"pid", holder.pid},
               {"path", node.path},
               {"type", node.type},
               {"length", or_null(node.length)},
               {"growth_length", or_null(holder.growth_length)},
               {"retained_bytes", node.retained_bytes},
               {"growth_bytes", has_earlier ? Json(holder.growth_bytes) : Json(nullptr)},
               {"share", holder.share ? share(*holder.share) : Json(nullptr)},
               {"file", text_or_null(node.file)},
               {"line", node.line == 0 ? Json(nullptr) : Json(node.line)},
               {"retained_objects", node.retained_objects},
               {"growth_objects", has_earlier ? Json(holder.growth_objects) : Json(nullptr)},
               {"cache", nullptr},
               {"bound", nullptr},
               {"address", node.address},
               {"holder", or_null(node.holder)},
               {"depth", node.depth}};
  if (node.cache == model::CacheKind::Bounded) {
    json["cache"] = "bounded";
    json["bound"] = node.bound;
  } else if (node.cache == model::CacheKind::Unbounded) {
    json["cache"] = "unbounded";
  }
  return json;
}

Json tensors_json(const model::SnapshotReport& report) {
  Json list = Json::array();
  for (const model::TensorGrowth& row : report.tensors) {
    const model::TensorCount& tensors = row.tensors;
    list.push_back({{"pid", report.snapshot.pid},
                    {"device", tensors.device},
                    {"dtype", tensors.dtype},
                    {"shape", tensors.shape},
                    {"count", tensors.count},
                    {"bytes", tensors.bytes},
                    {"growth_count", report.has_earlier ? Json(row.growth_count) : Json(nullptr)},
                    {"growth_bytes", report.has_earlier ? Json(row.growth_bytes) : Json(nullptr)},
                    {"requires_grad", tensors.requires_grad},
                    {"storages", tensors.storages},
                    {"storage_bytes", tensors.storage_bytes}});
  }
  return list;
}

Json types_json(const model::SnapshotReport& report) {
  Json list = Json::array();
  for (const model::TypeGrowth& row : report.types) {
    list.push_back({{"pid", report.snapshot.pid},
                    {"type", row.type.type},
                    {"count", row.type.count},
                    {"bytes", row.type.bytes},
                    {"growth_count", report.has_earlier ? Json(row.growth_count) : Json(nullptr)},
                    {"growth_bytes", report.has_earlier ? Json(row.growth_bytes) : Json(nullptr)}});
  }
  return list;
}

}  // namespace

std::string to_json(const model::SnapshotReport& report) {
  const model::Snapshot& snapshot = report.snapshot;
  Json holders = Json::array();
  for (const model::HolderReport& holder : report.holders)
    holders.push_back(holder_json(holder, report.has_earlier));
  const Json json = {{"lowtide", LOWTIDE_VERSION},
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
                     {"tensors", tensors_json(report)},
                     {"types", types_json(report)}};
  return json.dump(2, ' ', false, kReplaceInvalid) + "\n";
}

}  // namespace lowtide::show
