// The wire format of protocol buffers, as much as a profile needs: varints and
// length-delimited fields. https://protobuf.dev/programming-guides/encoding
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace lowtide::show {

class ProtobufWriter {
 public:
  // Zero is the default of every field and is left out, as encoders do.
  void number(std::uint32_t field, std::int64_t value);
  void text(std::uint32_t field, std::string_view value);  // also empty: lists of strings need it
  void message(std::uint32_t field, const ProtobufWriter& value) { text(field, value.bytes_); }
  void packed(std::uint32_t field, std::span<const std::int64_t> values);

  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  void varint(std::uint64_t value);

  std::string bytes_;
};

}  // namespace lowtide::show
