#include "show/json/holders.h"

namespace lowtide::show {

Json holder_json(const model::HolderReport& holder, bool has_earlier) {
  const model::HeldNode& node = holder.node;
  Json json = {{"pid", holder.pid},
               {"path", node.path},
               {"type", node.type},
               {"length", or_null(node.length)},
               {"growth_length", or_null(holder.growth_length)},
               {"retained_bytes", node.retained_bytes},
               {"growth_bytes", has_earlier ? Json(holder.growth_bytes) : Json(nullptr)},
               {"device_bytes", node.device_bytes},
               {"growth_device_bytes", has_earlier ? Json(holder.growth_device_bytes) : Json(nullptr)},
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

Json tensors_json(std::int64_t pid, const model::TensorGrowth& row, bool has_earlier) {
  const model::TensorCount& tensors = row.tensors;
  return {{"pid", pid},
          {"device", tensors.device},
          {"dtype", tensors.dtype},
          {"shape", tensors.shape},
          {"count", tensors.count},
          {"bytes", tensors.bytes},
          {"growth_count", has_earlier ? Json(row.growth_count) : Json(nullptr)},
          {"growth_bytes", has_earlier ? Json(row.growth_bytes) : Json(nullptr)},
          {"requires_grad", tensors.requires_grad},
          {"storages", tensors.storages},
          {"storage_bytes", tensors.storage_bytes}};
}

Json type_json(std::int64_t pid, const model::TypeGrowth& row, bool has_earlier) {
  return {{"pid", pid},
          {"type", row.type.type},
          {"count", row.type.count},
          {"bytes", row.type.bytes},
          {"growth_count", has_earlier ? Json(row.growth_count) : Json(nullptr)},
          {"growth_bytes", has_earlier ? Json(row.growth_bytes) : Json(nullptr)}};
}

}  // namespace lowtide::show
