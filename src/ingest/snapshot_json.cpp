#include "ingest/snapshot_json.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace lowtide::ingest {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostRows = 1U << 20U;

const Json* member(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

std::string text_member(const Json& object, const char* name) {
  const Json* value = member(object, name);
  return value != nullptr && value->is_string() ? value->get<std::string>() : std::string();
}

std::optional<std::uint64_t> number_member(const Json& object, const char* name) {
  const Json* value = member(object, name);
  if (value == nullptr || !value->is_number_unsigned()) return std::nullopt;
  return value->get<std::uint64_t>();
}

double real_member(const Json& object, const char* name) {
  const Json* value = member(object, name);
  return value != nullptr && value->is_number() ? value->get<double>() : 0;
}

bool flag_member(const Json& object, const char* name) {
  const Json* value = member(object, name);
  return value != nullptr && value->is_boolean() && value->get<bool>();
}

template <typename Take>
void for_each_row(const Json& json, const char* name, Take take) {
  const Json* rows = member(json, name);
  if (rows == nullptr || !rows->is_array() || rows->size() > kMostRows) return;
  for (const Json& row : *rows) {
    if (row.is_object()) take(row);
  }
}

model::HeldNode node_of(const Json& row, std::size_t earlier) {
  model::HeldNode node;
  node.path = text_member(row, "path");
  node.type = text_member(row, "type");
  node.length = number_member(row, "length");
  node.retained_bytes = number_member(row, "retained_bytes").value_or(0);
  node.device_bytes = number_member(row, "device_bytes").value_or(0);
  node.retained_objects = number_member(row, "retained_objects").value_or(0);
  node.file = text_member(row, "file");
  node.line = static_cast<std::uint32_t>(number_member(row, "line").value_or(0));
  node.address = number_member(row, "address").value_or(0);
  node.depth = static_cast<std::uint32_t>(number_member(row, "depth").value_or(0));
  if (const auto holder = number_member(row, "holder"); holder && *holder < earlier) node.holder = *holder;
  const std::string cache = text_member(row, "cache");
  node.cache = cache == "bounded"     ? model::CacheKind::Bounded
               : cache == "unbounded" ? model::CacheKind::Unbounded
                                      : model::CacheKind::None;
  node.bound = number_member(row, "bound").value_or(0);
  return node;
}

model::TensorCount tensors_of(const Json& row) {
  model::TensorCount tensors;
  tensors.device = text_member(row, "device");
  tensors.dtype = text_member(row, "dtype");
  if (const Json* shape = member(row, "shape");
      shape != nullptr && shape->is_array() && shape->size() <= 64) {
    for (const Json& side : *shape) {
      if (side.is_number_integer()) tensors.shape.push_back(side.get<std::int64_t>());
    }
  }
  tensors.requires_grad = flag_member(row, "requires_grad");
  tensors.count = number_member(row, "count").value_or(0);
  tensors.bytes = number_member(row, "bytes").value_or(0);
  tensors.storages = number_member(row, "storages").value_or(0);
  tensors.storage_bytes = number_member(row, "storage_bytes").value_or(0);
  return tensors;
}

base::Error malformed(std::string message) {
  return {base::ErrorCode::Malformed, std::move(message)};
}

}  // namespace

base::Result<model::Snapshot> parse_snapshot_json(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return malformed("it is not JSON");
  const Json* head = member(json, "snapshot");
  if (head == nullptr || !head->is_object()) return malformed("it is not a lowtide snapshot");
  if (const Json* since = member(*head, "since_s"); since != nullptr && !since->is_null()) {
    return malformed("it is the difference of two snapshots, not a snapshot");
  }
  model::Snapshot out;
  out.pid = static_cast<std::int64_t>(number_member(*head, "pid").value_or(0) & 0x7fffffffU);
  out.python = text_member(*head, "python");
  out.at_s = real_member(*head, "at_s");
  out.objects = number_member(*head, "objects").value_or(0);
  out.object_bytes = number_member(*head, "object_bytes").value_or(0);
  out.storage_bytes = number_member(*head, "storage_bytes").value_or(0);
  out.device_bytes = number_member(*head, "device_bytes").value_or(0);
  out.has_torch = flag_member(*head, "has_torch");
  out.has_tensors = flag_member(*head, "has_tensors");
  out.has_holders = flag_member(*head, "has_holders");
  out.is_exact = flag_member(*head, "is_exact");
  out.is_whole = flag_member(*head, "is_whole");
  out.pause_s = real_member(*head, "pause_s");
  out.walk_s = real_member(*head, "walk_s");
  out.whole_s = real_member(*head, "whole_s");
  out.table_bytes = number_member(*head, "table_bytes").value_or(0);
  for_each_row(json, "holders",
               [&](const Json& row) { out.nodes.push_back(node_of(row, out.nodes.size())); });
  for_each_row(json, "tensors", [&](const Json& row) { out.tensors.push_back(tensors_of(row)); });
  for_each_row(json, "types", [&](const Json& row) {
    out.types.push_back({text_member(row, "type"), number_member(row, "count").value_or(0),
                         number_member(row, "bytes").value_or(0)});
  });
  return out;
}

}  // namespace lowtide::ingest
