#include "show/page/base64.h"

#include <bit>
#include <string_view>
#include <vector>

namespace lowtide::show {
namespace {

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void put_little_endian(std::vector<std::uint8_t>& bytes, std::uint32_t number) {
  for (const unsigned shift : {0U, 8U, 16U, 24U}) bytes.push_back(static_cast<std::uint8_t>(number >> shift));
}

}  // namespace

std::string to_base64(std::span<const std::uint8_t> bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t left = bytes.size() - at;
    const std::uint32_t group = static_cast<std::uint32_t>(bytes[at]) << 16U |
                                (left > 1 ? static_cast<std::uint32_t>(bytes[at + 1]) << 8U : 0U) |
                                (left > 2 ? static_cast<std::uint32_t>(bytes[at + 2]) : 0U);
    out += kDigits[group >> 18U];
    out += kDigits[group >> 12U & 63U];
    out += left > 1 ? kDigits[group >> 6U & 63U] : '=';
    out += left > 2 ? kDigits[group & 63U] : '=';
  }
  return out;
}

std::string to_base64(std::span<const std::uint32_t> numbers) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(numbers.size() * sizeof(std::uint32_t));
  for (const std::uint32_t number : numbers) put_little_endian(bytes, number);
  return to_base64(bytes);
}

std::string to_base64(std::span<const float> numbers) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(numbers.size() * sizeof(float));
  for (const float number : numbers) put_little_endian(bytes, std::bit_cast<std::uint32_t>(number));
  return to_base64(bytes);
}

}  // namespace lowtide::show
