#include "show/export/protobuf.h"

namespace lowtide::show {
namespace {

constexpr std::uint32_t kVarint = 0;
constexpr std::uint32_t kLengthDelimited = 2;

}  // namespace

void ProtobufWriter::varint(std::uint64_t value) {
  while (value >= 0x80) {
    bytes_.push_back(static_cast<char>(value | 0x80U));
    value >>= 7U;
  }
  bytes_.push_back(static_cast<char>(value));
}

void ProtobufWriter::number(std::uint32_t field, std::int64_t value) {
  if (value == 0) return;
  varint((field << 3U) | kVarint);
  varint(static_cast<std::uint64_t>(value));
}

void ProtobufWriter::text(std::uint32_t field, std::string_view value) {
  varint((field << 3U) | kLengthDelimited);
  varint(value.size());
  bytes_.append(value);
}

void ProtobufWriter::packed(std::uint32_t field, std::span<const std::int64_t> values) {
  ProtobufWriter inner;
  for (const std::int64_t value : values) inner.varint(static_cast<std::uint64_t>(value));
  text(field, inner.bytes_);
}

}  // namespace lowtide::show
