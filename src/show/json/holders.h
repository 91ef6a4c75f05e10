// The description of holders, tensors and types: a report and a snapshot have them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "model/holder_report.h"
#include "show/json/fields.h"
#include "show/json/formats.h"

namespace lowtide::show {

// A row with what it grew by since an earlier snapshot.
template <typename Row>
struct Grown {
  std::int64_t pid = 0;
  std::reference_wrapper<const Row> row;
  bool has_earlier = true;  // else growth is null
};
using GrownHolder = Grown<model::HolderReport>;
using GrownTensors = Grown<model::TensorGrowth>;
using GrownType = Grown<model::TypeGrowth>;

template <auto Member>
constexpr auto growth_field(const char* name, const char* meaning) {
  using Row = base::OwnerOf<Member>;
  return field(name, meaning, [](const Grown<Row>& grown) {
    return grown.has_earlier ? std::optional(grown.row.get().*Member) : std::nullopt;
  });
}

constexpr auto describe(Tag<GrownHolder>) {
  using model::HeldNode;
  using model::HolderReport;
  constexpr auto kRow = &GrownHolder::row;
  constexpr auto kNode = &HolderReport::node;
  return object(
      "Holder", "a Python object that keeps memory alive", field<&GrownHolder::pid>("pid", "its process"),
      field<kRow, kNode, &HeldNode::path>("path", "how to reach it, as Python writes it"),
      field<kRow, kNode, &HeldNode::type>("type", "its type"),
      field<kRow, kNode, &HeldNode::length>("length", "its number of elements"),
      field<kRow, &HolderReport::growth_length>("growth_length", "by how many elements it grew"),
      field<kRow, kNode, &HeldNode::retained_bytes>("retained_bytes", "host memory that it retains"),
      growth_field<&HolderReport::growth_bytes>("growth_bytes", "by how much that grew"),
      field<kRow, kNode, &HeldNode::device_bytes>("device_bytes",
                                                  "memory of tensors on devices that it retains"),
      growth_field<&HolderReport::growth_device_bytes>("growth_device_bytes", "by how much that grew"),
      field_as<Share, kRow, &HolderReport::share>(
          "share",
          "its part of the growth of the process, or of its memory without an earlier snapshot; host "
          "and devices together"),
      field_as<NonEmpty, kRow, kNode, &HeldNode::file>("file", "of the frame whose variable it is"),
      field_as<NonZero, kRow, kNode, &HeldNode::line>("line", "where that frame stood"),
      field<kRow, kNode, &HeldNode::retained_objects>("retained_objects", "objects that it retains"),
      growth_field<&HolderReport::growth_objects>("growth_objects", "by how many these grew"),
      field("cache", "whether a cache is `bounded` or `unbounded`; null: not a cache",
            [](const GrownHolder& grown) {
              const model::CacheKind kind = grown.row.get().node.cache;
              return kind == model::CacheKind::None ? std::nullopt : std::optional(to_string(kind));
            }),
      field("bound", "of a bounded cache: its most elements",
            [](const GrownHolder& grown) {
              const HeldNode& node = grown.row.get().node;
              return node.cache == model::CacheKind::Bounded ? std::optional(node.bound) : std::nullopt;
            }),
      field<kRow, kNode, &HeldNode::address>("address", "its address"),
      field<kRow, kNode, &HeldNode::holder>("holder", "the index of the holder that keeps it"),
      field<kRow, kNode, &HeldNode::depth>("depth", "steps of the path"));
}

constexpr auto describe(Tag<GrownTensors>) {
  using model::TensorCount;
  using model::TensorGrowth;
  constexpr auto kRow = &GrownTensors::row;
  constexpr auto kTensors = &TensorGrowth::tensors;
  return object(
      "Tensors", "tensors of one device, type and shape", field<&GrownTensors::pid>("pid", "their process"),
      field<kRow, kTensors, &TensorCount::device>("device", "`cpu`, `cuda:0`"),
      field<kRow, kTensors, &TensorCount::dtype>("dtype", "type of the elements"),
      field<kRow, kTensors, &TensorCount::shape>("shape", "size of each dimension"),
      field<kRow, kTensors, &TensorCount::count>("count", "how many there are"),
      field<kRow, kTensors, &TensorCount::bytes>("bytes", "of their elements"),
      growth_field<&TensorGrowth::growth_count>("growth_count", "how many more there are"),
      growth_field<&TensorGrowth::growth_bytes>("growth_bytes", "by how much the bytes grew"),
      field<kRow, kTensors, &TensorCount::requires_grad>("requires_grad", "whether gradients are computed"),
      field<kRow, kTensors, &TensorCount::storages>("storages",
                                                    "storages behind them that no earlier row has counted"),
      field<kRow, kTensors, &TensorCount::storage_bytes>("storage_bytes", "of these storages"));
}

constexpr auto describe(Tag<GrownType>) {
  using model::TypeCount;
  using model::TypeGrowth;
  constexpr auto kRow = &GrownType::row;
  constexpr auto kType = &TypeGrowth::type;
  return object("TypeCount", "Python objects of one type", field<&GrownType::pid>("pid", "their process"),
                field<kRow, kType, &TypeCount::type>("type", "the type"),
                field<kRow, kType, &TypeCount::count>("count", "how many there are"),
                field<kRow, kType, &TypeCount::bytes>("bytes", "of the objects alone"),
                growth_field<&TypeGrowth::growth_count>("growth_count", "how many more there are"),
                growth_field<&TypeGrowth::growth_bytes>("growth_bytes", "by how much the bytes grew"));
}

}  // namespace lowtide::show
