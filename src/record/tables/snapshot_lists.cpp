// The snapshots of a recording, read. The rows may have been written by anybody.

#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>

#include "record/reader.h"
#include "record/reader_state.h"
#include "record/tables/values.h"

namespace lowtide::record {
namespace {

constexpr std::size_t kNameBytes = 400;
constexpr std::size_t kMostDimensions = 64;

std::vector<std::int64_t> shape_of(std::string_view text) {
  std::vector<std::int64_t> shape;
  while (!text.empty() && shape.size() < kMostDimensions) {
    const std::size_t comma = std::min(text.find(','), text.size());
    std::int64_t side = 0;
    std::from_chars(text.data(), text.data() + comma, side);
    shape.push_back(side);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return shape;
}

model::CacheKind cache_of(std::string_view text) {
  if (text == "bounded") return model::CacheKind::Bounded;
  return text == "unbounded" ? model::CacheKind::Unbounded : model::CacheKind::None;
}

}  // namespace

std::vector<RecordedSnapshot> Recording::snapshots() {
  std::vector<RecordedSnapshot> list;
  if (!state_->has_table("snapshot")) return list;
  std::map<std::int64_t, std::size_t> places;
  const auto place_of = [&](const Statement& row) -> model::Snapshot* {
    const auto id = bytes_at(row, 1);
    const auto found = id ? places.find(static_cast<std::int64_t>(*id)) : places.end();
    return found == places.end() ? nullptr : &list[found->second].snapshot;
  };
  state_->scan("snapshot",
               "SELECT id, at_s, process, python, objects, object_bytes, storage_bytes, pause_s, whole_s, "
               "flags, device_bytes FROM "
               "snapshot WHERE id > ? ORDER BY id",
               [&](const Statement& row) {
                 const auto at_s = real_at(row, 1);
                 const auto process = process_at(row, 2);
                 if (!at_s || !is_time(*at_s) || !process) return false;
                 RecordedSnapshot recorded;
                 recorded.process = *process;
                 model::Snapshot& snapshot = recorded.snapshot;
                 snapshot.at_s = *at_s;
                 snapshot.python = row.text(3, kNameBytes);
                 snapshot.objects = bytes_at(row, 4).value_or(0);
                 snapshot.object_bytes = bytes_at(row, 5).value_or(0);
                 snapshot.storage_bytes = bytes_at(row, 6).value_or(0);
                 snapshot.pause_s = std::max(0.0, real_at(row, 7).value_or(0));
                 snapshot.whole_s = std::max(0.0, real_at(row, 8).value_or(0));
                 snapshot.device_bytes = bytes_at(row, 10).value_or(0);
                 const std::uint64_t flags = bytes_at(row, 9).value_or(0);
                 snapshot.is_whole = (flags & 1U) != 0;
                 snapshot.is_exact = (flags & 2U) != 0;
                 snapshot.has_torch = (flags & 4U) != 0;
                 snapshot.has_tensors = (flags & 8U) != 0;
                 snapshot.is_at_end = (flags & 16U) != 0;
                 snapshot.has_holders = true;
                 places.emplace(static_cast<std::int64_t>(bytes_at(row, 0).value_or(0)), list.size());
                 list.push_back(std::move(recorded));
                 return true;
               });
  state_->scan("snapshot_node",
               "SELECT id, snapshot, path, type, address, length, retained_bytes, retained_objects, cache, "
               "bound, holder, "
               "file, line, device_bytes, depth FROM snapshot_node WHERE id > ? ORDER BY id",
               [&](const Statement& row) {
                 model::Snapshot* snapshot = place_of(row);
                 if (snapshot == nullptr) return false;
                 model::HeldNode node;
                 node.path = row.text(2, kNameBytes);
                 node.type = row.text(3, kNameBytes);
                 node.address = bytes_at(row, 4).value_or(0);
                 node.length = bytes_at(row, 5);
                 node.retained_bytes = bytes_at(row, 6).value_or(0);
                 node.retained_objects = bytes_at(row, 7).value_or(0);
                 node.device_bytes = bytes_at(row, 13).value_or(0);
                 node.cache = cache_of(row.text(8, kNameBytes));
                 node.bound = bytes_at(row, 9).value_or(0);
                 if (const auto holder = bytes_at(row, 10); holder && *holder < snapshot->nodes.size())
                   node.holder = *holder;
                 node.file = row.text(11, kNameBytes);
                 node.line = static_cast<std::uint32_t>(bytes_at(row, 12).value_or(0));
                 node.depth = static_cast<std::uint32_t>(bytes_at(row, 14).value_or(0));
                 snapshot->nodes.push_back(std::move(node));
                 return true;
               });
  state_->scan(
      "snapshot_tensors",
      "SELECT id, snapshot, device, dtype, shape, requires_grad, count, bytes, storages, storage_bytes FROM "
      "snapshot_tensors WHERE id > ? ORDER BY id",
      [&](const Statement& row) {
        model::Snapshot* snapshot = place_of(row);
        if (snapshot == nullptr) return false;
        snapshot->tensors.push_back({.device = row.text(2, kNameBytes),
                                     .dtype = row.text(3, kNameBytes),
                                     .shape = shape_of(row.text(4, kNameBytes)),
                                     .requires_grad = bytes_at(row, 5).value_or(0) != 0,
                                     .count = bytes_at(row, 6).value_or(0),
                                     .bytes = bytes_at(row, 7).value_or(0),
                                     .storages = bytes_at(row, 8).value_or(0),
                                     .storage_bytes = bytes_at(row, 9).value_or(0)});
        return true;
      });
  state_->scan("snapshot_type",
               "SELECT id, snapshot, type, count, bytes FROM snapshot_type WHERE id > ? ORDER BY id",
               [&](const Statement& row) {
                 model::Snapshot* snapshot = place_of(row);
                 if (snapshot == nullptr) return false;
                 snapshot->types.push_back(
                     {row.text(2, kNameBytes), bytes_at(row, 3).value_or(0), bytes_at(row, 4).value_or(0)});
                 return true;
               });
  return list;
}

}  // namespace lowtide::record
